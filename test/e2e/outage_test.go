// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"net/http"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
)

// withoutServer stops kube-apiserver. The gates continue with the last posture
// until it is too old: then each replica closes, and opens again automatically
// after the outage. The maximum age is far lower than in production, so that a test
// can reach it.
func (p *platform) withoutServer() {
	p.helm("upgrade", "market", p.chart("printmarket"), "--reuse-values", "--set=api.gatesMaxStaleness=30s", "--wait", "--timeout=5m")
	before, replicas := p.restarts(), p.replicas()

	l := p.startLoad()
	p.must(cluster.StopServer(p.Context()))
	l.awaitResponses(500)
	l.quit()
	p.timed("gates close at the maximum age", func() {
		p.awaitStatuses(replicas, http.StatusServiceUnavailable, problem.CodePostureUnavailable)
	})
	p.timed("kube-apiserver restarts", func() { p.must(cluster.RestartServer(p.Context())) })
	p.timed("gates reopen", func() { p.awaitStatuses(replicas, http.StatusOK, "") })
	p.timed("the key is revoked", func() {
		p.revoke(spareKey)
		p.awaitStatuses(replicas, http.StatusUnauthorized, "")
	})
	if diff := cmp.Diff(before, p.restarts()); diff != "" {
		p.Errorf("restarts of API servers (-before +after):\n%s", diff)
	}
	l.end()
	p.helm("rollback", "market", "--wait", "--timeout=5m")
}

// awaitStatuses waits until each replica responds to the spare key with a status and a code.
func (p *platform) awaitStatuses(replicas []string, status int, code problem.Code) {
	p.Helper()
	for _, replica := range replicas {
		p.awaitStatus(replica, p.spare, status, code)
	}
}

// timed logs the duration of a step.
func (p *platform) timed(step string, do func()) {
	p.Helper()
	began := time.Now()
	do()
	p.Logf("%s: took %s", step, time.Since(began).Round(100*time.Millisecond))
}
