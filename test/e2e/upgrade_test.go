// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/redistest"
)

// TestUpgrade upgrades the previous release to this one, rolls back and upgrades again, while
// partners send requests: none may fail, and nothing may be lost. In between, it replaces one
// deployment at a time by that of the previous release, so that each pair of processes runs with
// either of them older: this is the version skew that docs/guides/compatibility.md allows.
func TestUpgrade(t *testing.T) {
	p := newPlatform(t)
	previous := p.previousRelease()
	p.buildImage(previous)
	p.redis, p.database = redistest.Real(t), pgtest.Start(t)
	p.makeSecrets()
	p.switchTo(previous)
	p.openCapabilities()
	p.steps([]step{
		{"the first RFQ and the first preflight", (*platform).firstRequests},
		{"upgrade under load", func(p *platform) { p.underLoad(func() { p.switchTo(current) }) }},
		{"each process of the previous release works with this one", (*platform).mixed},
		{"commands of both releases read the objects", func(p *platform) { p.commands(previous, current) }},
		{"roll back under load", func(p *platform) {
			p.underLoad(func() { p.helm("rollback", "market", force, "--wait", "--timeout=5m") })
		}},
		{"upgrade again under load", func(p *platform) {
			p.underLoad(func() {
				p.switchTo(current, force)
				p.helm("upgrade", "capabilities", p.chart("printmarket-capabilities"), "--wait", "--timeout=2m")
			})
		}},
		{"the partner received an event of every job and RFQ", (*platform).receivedEverything},
	})
}

// previousRelease unpacks the release before this one: the last tag, or without a tag the commit
// before the one that added the last migration.
func (p *platform) previousRelease() release {
	p.Helper()
	git := func(arguments ...string) string {
		p.Helper()
		output, err := exec.CommandContext(p.Context(), "git", append([]string{"-C", root}, arguments...)...).Output()
		p.must(err)
		return strings.TrimSpace(string(output))
	}
	revision, _, _ := strings.Cut(git("tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname"), "\n")
	if revision == "" {
		migration := git("log", "-1", "--diff-filter=A", "--format=%H", "--", ":/internal/store/postgres/migrations")
		if migration == "" {
			p.Fatal("this checkout has no history; fetch it with git fetch --unshallow")
		}
		revision = git("rev-parse", migration+"^")
	}
	directory := p.TempDir()
	archive := filepath.Join(directory, "source.tar")
	git("archive", "--output="+archive, revision)
	if output, err := exec.CommandContext(p.Context(), "tar", "-xf", archive, "-C", directory).CombinedOutput(); err != nil {
		p.Fatalf("unpack the previous release: %v\n%s", err, output)
	}
	p.Logf("the previous release is %s", git("log", "-1", "--format=%h %s", revision))
	return release{directory, "e2e-previous"}
}

// force lets helm take over the fields that kubectl rollout undo has set.
const force = "--force-conflicts"

// switchTo installs a release, or upgrades to it, with additional flags of helm.
func (p *platform) switchTo(to release, flags ...string) {
	p.Helper()
	p.release = to
	p.writeValues("database: {insecure: true}\nredis: {insecure: true}\n")
	p.installPlatform(flags...)
}

// underLoad runs a change while partners send requests.
func (p *platform) underLoad(change func()) {
	p.Helper()
	l := p.startLoad()
	l.awaitResponses(200)
	change()
	l.awaitResponses(200)
	l.end()
}

// mixed replaces one deployment at a time by that of the previous release, which is its previous
// revision: image, flags and variables. Beside it, all processes must do their work.
func (p *platform) mixed() {
	l := p.startLoad()
	for _, deployment := range deployments {
		for _, state := range []string{"of the previous release", "restored"} {
			p.kubectl("", "rollout", "undo", "deployment/"+deployment)
			p.kubectl("", "rollout", "status", "deployment/"+deployment, "--timeout=180s")
			p.timed(deployment+" "+state, p.everyProcessWorks)
		}
	}
	l.end()
}

// everyProcessWorks needs the controller and the API servers for an edit that is proven to be in
// force, a preflight worker for a job, and a webhook worker for an event.
func (p *platform) everyProcessWorks() {
	p.Helper()
	rfq := p.rfq()
	for _, killed := range []bool{true, false} {
		p.awaitPropagated("rfq-read", p.setKillSwitch("rfq-read", killed))
		for _, pod := range p.servers() {
			got, err := call(p.Context(), http.DefaultClient, http.MethodGet, addressOf(pod), "/api/v1/rfq/"+rfq, p.live, "")
			if serves(pod) && (err != nil || got.status != statusOf(killed)) {
				p.Errorf("GET RFQ from %s: %s, %v; want %d", pod.Name, got, err, statusOf(killed))
			}
		}
	}
	job := p.submit()
	p.awaitSuccess(job)
	p.awaitEvent(job, "preflight.succeeded")
	p.awaitEvent(rfq, "rfq.created")
}

// commands runs the command of each release against the objects of the newer one.
func (p *platform) commands(releases ...release) {
	p.Helper()
	for _, r := range releases {
		program := filepath.Join(p.TempDir(), "printmarket")
		build := exec.CommandContext(p.Context(), "go", "build", "-o", program, ".")
		build.Dir, build.Env = r.source, append(os.Environ(), "CGO_ENABLED=0")
		if output, err := build.CombinedOutput(); err != nil {
			p.Fatalf("build the command of %s: %v\n%s", r.tag, err, output)
		}
		explain := exec.CommandContext(p.Context(), program, "posture", "explain", "acme", "rfq-read", "--namespace", p.namespace, "--kubeconfig", cluster.Kubeconfig())
		if output, err := explain.CombinedOutput(); err != nil || !strings.Contains(string(output), "passes") {
			p.Errorf("posture explain of %s: %v\n%s\nwant rules that the partner passes", r.tag, err, output)
		}
	}
}
