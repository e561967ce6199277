// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
)

// writers lists the deployments that write records.
var writers = []string{"printmarket-worker-preflight", "printmarket-worker-webhooks", "printmarket-api"}

// restored follows docs/runbooks/restore-the-database.md.
func (p *platform) restored() {
	dump := filepath.Join(p.TempDir(), "market.dump")
	p.restoreAndVerify(func() {
		p.postgres("pg_dump", "--format=custom", "--file="+dump)
	}, func() {
		p.postgres("pg_restore", "--clean", "--if-exists", "--single-transaction", dump)
		p.must(p.redis.Client(p.T).FlushDB(p.Context()).Err())
	})
}

// restoreAndVerify restores the records of an earlier time. Jobs that were open then complete,
// later jobs are unknown, and the partner receives the events of the others. Redis is empty after
// the restore.
func (p *platform) restoreAndVerify(dump, restore func()) {
	p.Helper()
	finished, rfq := p.submit(), p.rfq()
	p.awaitSuccess(finished)
	p.scale(0, "printmarket-worker-preflight")
	open := p.submit()
	dump()
	p.scale(2, "printmarket-worker-preflight")
	p.awaitSuccess(open)
	lost, lostRFQ := p.submit(), p.rfq()
	p.awaitSuccess(lost)

	p.kubectl("", "exec", "deployment/printmarket-worker-preflight", "--", "/printmarket", "queue", "drain", "--for=4h", "--wait=2m")
	p.scale(0, writers...)
	restore()
	p.scale(2, "printmarket-api")
	p.requireStatus(http.StatusOK, "/api/v1/preflight/"+finished+"/report", "/api/v1/rfq/"+rfq)
	p.requireStatus(http.StatusNotFound, "/api/v1/preflight/"+lost, "/api/v1/rfq/"+lostRFQ)
	if got := p.send(http.MethodGet, "/api/v1/preflight/"+open, p.live, ""); got.member("status") != "queued" {
		p.Errorf("open job after the restore: %s, want status queued", got)
	}
	await(p.T, "the open job is enqueued", func() error {
		var stats struct{ Open int }
		text := p.kubectl("", "exec", "deployment/printmarket-api", "--", "/printmarket", "queue", "stats", "--output=json")
		if err := json.Unmarshal([]byte(text), &stats); err != nil || stats.Open != 1 {
			return errors.Join(fmt.Errorf("queue stats: %s, want 1 open", text), err)
		}
		return nil
	})
	p.scale(2, "printmarket-worker-preflight", "printmarket-worker-webhooks")
	p.awaitSuccess(open)
	after := p.submit()
	p.awaitSuccess(after)
	for _, job := range []string{finished, open, after} {
		p.awaitEvent(job, "preflight.succeeded")
	}
}

// scale sets the replicas of deployments, and waits for the rollout.
func (p *platform) scale(replicas int, deployments ...string) {
	p.Helper()
	for _, name := range deployments {
		p.kubectl("", "scale", "deployment/"+name, fmt.Sprintf("--replicas=%d", replicas))
	}
	for _, name := range deployments {
		p.kubectl("", "rollout", "status", "deployment/"+name, "--timeout=180s")
		if replicas == 0 {
			p.kubectl("", "wait", "pods", "--selector=app.kubernetes.io/component="+strings.TrimPrefix(name, "printmarket-"),
				"--for=delete", "--timeout=60s")
		}
	}
}

// postgres runs a PostgreSQL program on the platform's database, as its superuser.
func (p *platform) postgres(program string, arguments ...string) {
	p.Helper()
	command := p.database.Client(p.Context(), program, append(arguments, "--dbname="+p.database.URL("market"))...)
	if output, err := command.CombinedOutput(); err != nil {
		p.Fatalf("%s: %v\n%s", program, err, output)
	}
}

// requireStatus requires that reading each path with the live key returns the status.
func (p *platform) requireStatus(status int, paths ...string) {
	p.Helper()
	for _, path := range paths {
		if got := p.send(http.MethodGet, path, p.live, ""); got.status != status {
			p.Errorf("GET %s: %s, want %d", path, got, status)
		}
	}
}
