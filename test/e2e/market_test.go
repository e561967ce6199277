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

// TestTheMarketInPods goes through the life of one installation. The steps build on
// each other, so that one installation is enough; each leaves the platform sound.
func TestTheMarketInPods(t *testing.T) {
	p := install(t)
	if !p.steps([]step{
		{"accounts and people may what the matrix shows", (*platform).rights},
		{"an API server's token opens no other Secret, and a worker has none", (*platform).tokens},
		{"people put every sample in force with their Roles", (*platform).samples},
	}) {
		return
	}
	p.open()
	p.steps([]step{
		{"the first RFQ and the first preflight", (*platform).firstRequests},
		{"webhooks deliver events despite crashes and closed capabilities", (*platform).events},
		{"helm upgrade --wait returns when every replica enforces", (*platform).promotion},
		{"an edit is in force within moments", (*platform).propagation},
		{"what is propagated is enforced by each replica while they roll", (*platform).rolling},
		{"a frozen replica is waited for while it serves", (*platform).frozen},
		{"every deployment is rolled under load", (*platform).rollouts},
		{"pods are killed under load", (*platform).kills},
		{"a node is drained under load", (*platform).drain},
		{"without a controller gates go on, and a revoked key is refused", (*platform).withoutController},
		{"without kube-apiserver gates go on until they are too old, and open again", (*platform).withoutServer},
		{"Redis is killed, wiped, and back", (*platform).wipedRedis},
		{"PostgreSQL is restarted", (*platform).restartedDatabase},
		{"the partner received an event of every job", (*platform).receivedEverything},
		{"the database goes back to an earlier time", (*platform).restored},
		{"workers follow the queue from none to four and back", (*platform).scaling},
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
	p.succeeded(job)
	if got := p.ask(http.MethodGet, "/api/v1/preflight/"+job+"/report", p.live, ""); got.status != http.StatusOK {
		p.Errorf("the report is answered %s", got)
	}
	if got := p.ask(http.MethodGet, "/api/v1/rfq/"+p.rfq(), p.live, ""); got.status != http.StatusOK {
		p.Errorf("the RFQ is read as %s", got)
	}
	p.helm("test", "market", "--timeout=2m")
}

// pods are those of a component, those that end included.
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

// servers are the API servers that do not end.
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

// replicas are their addresses, each alone.
func (p *platform) replicas() []string {
	p.Helper()
	var out []string
	for _, pod := range p.servers() {
		out = append(out, addressOf(pod))
	}
	return out
}

func addressOf(pod corev1.Pod) string { return net.JoinHostPort(pod.Status.PodIP, "8080") }

// restarts are how often each of them was started again.
func (p *platform) restarts() map[string]int32 {
	p.Helper()
	out := map[string]int32{}
	for _, pod := range p.servers() {
		out[pod.Name] = pod.Status.ContainerStatuses[0].RestartCount
	}
	return out
}

// promotion takes a capability from Live to Disabled and back, a stage at a time, and
// asks each replica as soon as helm returns: with the live key and with the test key.
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
		p.everywhere(step.stage, step.live, step.test)
	}
	p.helm("rollback", "capabilities", "--wait", "--timeout=2m")
	p.everywhere("rolled back", closed, closed)
	for i, stage := range []string{"Sandbox", "PrivateBeta", "Live"} {
		p.stage("rfq-list", stage, fmt.Sprintf("E2E-1%d", i))
	}
	p.everywhere("Live", open, open)
}

// everywhere asks each replica once, with each key.
func (p *platform) everywhere(when string, live, test int) {
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
	p.helm("upgrade", "capabilities", root+"/charts/printmarket-capabilities", "--values="+file, "--wait", "--timeout=2m")
}

var deployments = []string{"printmarket-api", "printmarket-worker-preflight", "printmarket-worker-webhooks", "printmarket-controller"}

func (p *platform) rollouts() {
	l := p.begin()
	for _, deployment := range deployments {
		p.kubectl("", "rollout", "restart", "deployment/"+deployment)
		p.kubectl("", "rollout", "status", "deployment/"+deployment, "--timeout=180s")
	}
	l.end()
}

// kills deletes a pod of each deployment without a grace, as a node that dies does. A
// request that was with it fails; jobs do not.
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
		p.succeeded(job)
	}
}

func (p *platform) drain() {
	node := cluster.Nodes()[1]
	l := p.begin()
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
	p.succeeded(p.submit())
	p.revoke(testKey)
	for _, replica := range p.replicas() {
		p.answers(replica, p.test, http.StatusUnauthorized, "")
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
	if got := p.ask(http.MethodGet, "/api/v1/rfq", p.live, ""); got.status != http.StatusOK {
		p.Errorf("without Redis the list is answered %s", got)
	}
	p.redis.Restart(p.T)
	p.kubectl("", "scale", "deployment/printmarket-worker-preflight", "--replicas=2")
	for _, job := range jobs {
		p.succeeded(job)
	}
}

func (p *platform) restartedDatabase() {
	job := p.submit()
	p.database.Kill()
	p.must(p.database.Restart(p.Context()))
	p.succeeded(job)
	for _, replica := range p.replicas() {
		p.answers(replica, p.live, http.StatusOK, "")
	}
}
