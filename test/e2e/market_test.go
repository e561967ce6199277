// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPlatformInPods installs the platform once and runs all steps on this installation. Each step
// leaves the platform healthy for the next one.
func TestPlatformInPods(t *testing.T) {
	p := install(t)
	if !p.steps([]step{
		{"service accounts and users have the rights of the matrix", (*platform).rights},
		{"the token of an API server reads no other Secret, and that of a worker only profiles", (*platform).tokens},
		{"users apply every sample with their Roles", (*platform).samples},
	}) {
		return
	}
	p.openCapabilities()
	p.steps([]step{
		{"the first RFQ and the first preflight", (*platform).firstRequests},
		{"webhooks deliver events despite crashes and closed capabilities", (*platform).events},
		{"helm upgrade --wait returns when every replica enforces the stage", (*platform).promotion},
		{"an edit is enforced within moments", (*platform).propagation},
		{"every replica enforces propagated edits during a rolling update", (*platform).rolling},
		{"a frozen replica that serves delays Propagated", (*platform).frozen},
		{"every deployment is rolled under load", (*platform).rollouts},
		{"pods are killed under load", (*platform).kills},
		{"a node is drained under load", (*platform).drain},
		{"without a controller gates continue and reject a revoked key", (*platform).withoutController},
		{"without kube-apiserver gates close at the maximum age and reopen afterwards", (*platform).withoutServer},
		{"no job is lost when Redis is wiped and killed", (*platform).wipedRedis},
		{"no job is lost when PostgreSQL restarts", (*platform).restartedDatabase},
		{"the partner received an event of every job", (*platform).receivedEverything},
		{"the database is restored to an earlier time", (*platform).restored},
		{"workers scale with the queue from zero to four and back", (*platform).scaling},
	})
}

type step struct {
	name string
	run  func(*platform)
}

// steps runs steps until one fails.
func (p *platform) steps(steps []step) bool {
	p.Helper()
	return !slices.ContainsFunc(steps, func(s step) bool {
		return !p.Run(s.name, func(t *testing.T) {
			of := *p
			of.T = t
			of.timed("the step", func() { s.run(&of) })
		})
	})
}

func (p *platform) firstRequests() {
	job := p.submit()
	p.awaitSuccess(job)
	if got := p.send(http.MethodGet, "/api/v1/preflight/"+job+"/report", p.live, ""); got.status != http.StatusOK {
		p.Errorf("GET report: %s, want 200", got)
	}
	if got := p.send(http.MethodGet, "/api/v1/rfq/"+p.rfq(), p.live, ""); got.status != http.StatusOK {
		p.Errorf("GET RFQ: %s, want 200", got)
	}
	p.helm("test", "market", "--timeout=2m")
}

// pods returns the pods of a component, including terminating ones.
func (p *platform) pods(component string) []corev1.Pod {
	p.Helper()
	pods, err := p.list(p.Context(), component)
	p.must(err)
	return pods
}

func (p *platform) list(ctx context.Context, component string) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := p.client.List(ctx, &list, client.InNamespace(p.namespace), client.MatchingLabels{"app.kubernetes.io/component": component})
	return list.Items, err
}

// servers returns the API servers that are not terminating.
func (p *platform) servers() []corev1.Pod {
	p.Helper()
	servers, err := p.listServers(p.Context())
	p.must(err)
	return servers
}

func (p *platform) listServers(ctx context.Context) ([]corev1.Pod, error) {
	pods, err := p.list(ctx, "api")
	return slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil }), err
}

// replicas returns the address of each API server.
func (p *platform) replicas() []string {
	p.Helper()
	var out []string
	for _, pod := range p.servers() {
		out = append(out, addressOf(pod))
	}
	return out
}

func addressOf(pod corev1.Pod) string { return net.JoinHostPort(pod.Status.PodIP, "8080") }

// restarts returns the restart count of each API server, by pod name.
func (p *platform) restarts() map[string]int32 {
	p.Helper()
	out := map[string]int32{}
	for _, pod := range p.servers() {
		out[pod.Name] = pod.Status.ContainerStatuses[0].RestartCount
	}
	return out
}

// promotion promotes a capability through all stages and demotes it. As soon as helm returns, it
// sends requests with the live key and with the test key to each replica.
func (p *platform) promotion() {
	const closed, open = http.StatusServiceUnavailable, http.StatusOK
	for i, step := range []struct {
		stage      string
		live, test int
	}{
		{"Disabled", closed, closed},
		{"Sandbox", closed, open},
		{"PrivateBeta", open, open},
		{"Live", open, open},
		{"Disabled", closed, closed},
		{"Sandbox", closed, open},
	} {
		p.stage("rfq-list", step.stage, fmt.Sprintf("E2E-%d", i))
		p.checkReplicas(step.stage, step.live, step.test)
	}
	p.helm("rollback", "capabilities", "--wait", "--timeout=2m")
	p.checkReplicas("rolled back", closed, closed)
	for i, stage := range []string{"Sandbox", "PrivateBeta", "Live"} {
		p.stage("rfq-list", stage, fmt.Sprintf("E2E-1%d", i))
	}
	p.checkReplicas("Live", open, open)
}

// checkReplicas sends one request with each key to each replica and compares the status codes.
func (p *platform) checkReplicas(when string, live, test int) {
	p.Helper()
	for _, replica := range p.replicas() {
		for key, want := range map[string]int{p.live: live, p.test: test} {
			got, err := call(p.Context(), http.DefaultClient, http.MethodGet, replica, "/api/v1/rfq", key, "")
			if err != nil || got.status != want {
				p.Errorf("%s, %s: %s, %v; want %d", when, replica, got, err, want)
			}
		}
	}
}

// stage promotes one capability.
func (p *platform) stage(capability, stage, ticket string) {
	p.Helper()
	file := filepath.Join(p.TempDir(), "capabilities.yaml")
	p.must(os.WriteFile(file, fmt.Appendf(nil,
		"capabilities: {%s: {stage: %s, change: {ticket: %s, approvedBy: e2e}, audience: {partners: [acme]}}}\n", capability, stage, ticket), 0o600))
	p.helm("upgrade", "capabilities", p.chart("printmarket-capabilities"), "--values="+file, "--wait", "--timeout=2m")
}

var deployments = []string{"printmarket-api", "printmarket-worker-preflight", "printmarket-worker-webhooks", "printmarket-controller"}

func (p *platform) rollouts() {
	l := p.startLoad()
	for _, deployment := range deployments {
		p.kubectl("", "rollout", "restart", "deployment/"+deployment)
		p.kubectl("", "rollout", "status", "deployment/"+deployment, "--timeout=180s")
	}
	l.end()
}

// kills deletes a pod of each deployment without a grace period, like a node failure. Requests in
// progress may fail; jobs may not.
func (p *platform) kills() {
	var jobs []string
	for _, deployment := range deployments {
		for range 5 {
			jobs = append(jobs, p.submit())
		}
		component := strings.TrimPrefix(deployment, "printmarket-")
		pod := p.kubectl("", "get", "pods", "--selector=app.kubernetes.io/component="+component, "--output=jsonpath={.items[0].metadata.name}")
		p.kubectl("", "delete", "pod", pod, "--grace-period=0", "--force", "--wait=false")
		p.kubectl("", "rollout", "status", "deployment/"+deployment, "--timeout=180s")
	}
	for _, job := range jobs {
		p.awaitSuccess(job)
	}
}

func (p *platform) drain() {
	node := cluster.Nodes()[1]
	l := p.startLoad()
	p.kubectl("", "drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=240s", "--pod-selector=app.kubernetes.io/name=printmarket")
	for _, deployment := range deployments {
		p.kubectl("", "rollout", "status", "deployment/"+deployment, "--timeout=180s")
	}
	l.end()
	p.kubectl("", "uncordon", node)
}

func (p *platform) withoutController() {
	p.kubectl("", "scale", "deployment/printmarket-controller", "--replicas=0")
	p.kubectl("", "wait", "pods", "--selector=app.kubernetes.io/component=controller", "--for=delete", "--timeout=60s")
	p.awaitSuccess(p.submit())
	p.revoke(testKey)
	for _, replica := range p.replicas() {
		p.awaitStatus(replica, p.test, http.StatusUnauthorized, "")
	}
	p.kubectl("", "scale", "deployment/printmarket-controller", "--replicas=2")
	p.kubectl("", "wait", "partner/acme", "--for=condition=Ready", "--timeout=60s")
}

func (p *platform) wipedRedis() {
	p.kubectl("", "scale", "deployment/printmarket-worker-preflight", "--replicas=0")
	p.kubectl("", "wait", "pods", "--selector=app.kubernetes.io/component=worker-preflight", "--for=delete", "--timeout=60s")
	var jobs []string
	for range 20 {
		jobs = append(jobs, p.submit())
	}
	p.must(p.redis.Client(p.T).FlushAll(p.Context()).Err())
	p.redis.Kill()
	if got := p.send(http.MethodGet, "/api/v1/rfq", p.live, ""); got.status != http.StatusOK {
		p.Errorf("GET RFQs without Redis: %s, want 200", got)
	}
	p.redis.Restart(p.T)
	p.kubectl("", "scale", "deployment/printmarket-worker-preflight", "--replicas=2")
	for _, job := range jobs {
		p.awaitSuccess(job)
	}
}

func (p *platform) restartedDatabase() {
	job := p.submit()
	p.database.Kill()
	p.must(p.database.Restart(p.Context()))
	p.awaitSuccess(job)
	for _, replica := range p.replicas() {
		p.awaitStatus(replica, p.live, http.StatusOK, "")
	}
}
