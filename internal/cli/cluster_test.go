// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/kubetest"
)

// startCluster starts the platform as separate processes on a control plane,
// PostgreSQL and Redis, as `make cluster` does. In flags of the API server OPERATORS
// stands for the address of the dashboard for operators.
func startCluster(t *testing.T, apiFlags ...string) *platform {
	t.Helper()
	return startClusterWith(t, func(operators string) (flags []string) {
		for _, flag := range apiFlags {
			flags = append(flags, "--api-flag", strings.ReplaceAll(flag, "OPERATORS", operators))
		}
		return flags
	})
}

// startClusterWith starts a cluster with flags of localcluster, which may depend on the address of the
// dashboard for operators.
func startClusterWith(t *testing.T, flags func(operators string) []string) *platform {
	t.Helper()
	if _, err := controlplane.FindAssets(); err != nil && !kubetest.Required() {
		t.Skip(err)
	}
	p := newPlatform(t, t.TempDir(), "cluster.env", "localcluster")
	p.operators = freeAddr(t)
	p.addrs = append(append(p.addrs, "--file-addr", freeAddr(t), "--operators-addr", p.operators), flags(p.operators)...)
	p.start()
	// In order, unlike a crash: its servers have data in directories of their
	// own, which no other code removes.
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Errorf("the cluster did not stop cleanly: %v", err)
		}
	})
	return p
}

// order makes the cluster start, stop or kill one of its units.
func (p *platform) order(unit, verb string) {
	p.t.Helper()
	var dialer net.Dialer
	client := &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", p.env["CONTROL_SOCKET"])
	}}}
	defer client.CloseIdleConnections()
	resp, err := client.Post("http://cluster/"+unit+"/"+verb, "", nil)
	if err != nil {
		p.t.Fatalf("client.Post: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusNoContent {
		p.t.Fatalf("%s %s: %d %s", verb, unit, resp.StatusCode, text)
	}
}

// kubectl is the administrator's.
func (p *platform) kubectl(args ...string) string {
	p.t.Helper()
	out, err := exec.CommandContext(p.t.Context(), filepath.Join(p.data, "kubectl"), args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// readiness checks the status of /readyz of the API server and the words in its body.
func (p *platform) readiness(status int, words ...string) error {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.env["OPS_URL"]+"/readyz", nil)
	if err != nil {
		return err
	}
	a, err := p.try(r)
	if err != nil {
		return err
	}
	for _, word := range words {
		if !strings.Contains(string(a.Body), word) {
			return fmt.Errorf("readiness lacks %q: %s", word, a.Body)
		}
	}
	if a.Status != status {
		return fmt.Errorf("readiness %d %s", a.Status, a.Body)
	}
	return nil
}

// TestClusterServesPartnersAndOperators runs on a cluster what other tests run on `printmarket dev`:
// partners, files of every kind, the banner's commands. Then operators change the cluster.
func TestClusterServesPartnersAndOperators(t *testing.T) {
	t.Parallel()
	p := startCluster(t)
	p.followTheBanner()
	for name, test := range map[string]func(*testing.T){"demo partners": p.demoPartners, "preflight outcomes": func(t *testing.T) { p.preflightOutcomes(t, 12) }, "operator commands": p.platformQuotes, "the sandbox's quotes": p.sandboxQuotes, "webhooks": p.webhooksArrive} {
		t.Run(name, test)
	}
	t.Run("the tutorial of the README", p.clusterTutorial)
	t.Run("verbs change the cluster and prove it", p.verbsChangeTheCluster) // the partner acme leaves
	if err := p.stop(); err != nil {
		t.Errorf("the cluster did not stop cleanly: %v", err)
	}
	p.checkLogs()
}

// clusterTutorial follows the steps of the README for operators.
func (p *platform) clusterTutorial(t *testing.T) {
	out := p.shell(readmeBlocks(t)["cluster.env"])
	for _, words := range []string{
		"capabilityrollout.marketplace.printmarket.dev/rfq-create", "condition met", "Engaged   True    Killed",
		"partnerentitlement.marketplace.printmarket.dev/stark patched", "401 Unauthorized", "INVALID_API_KEY",
	} {
		if !strings.Contains(out, words) {
			t.Errorf("the tutorial did not print %q:\n%s", words, out)
		}
	}
	if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
		t.Errorf("after the kill switch was released: %v", err)
	}
	p.until("the controller catches up", func() error {
		if keys := p.kubectl("get", "partner", "stark", "-o", "jsonpath={.status.keys}"); keys != "0 live, 0 test" {
			return fmt.Errorf("stark has %q", keys)
		}
		return nil
	})
}

// The test stops each part alone. The platform must respond as designed, and recover when
// the part returns.
func TestClusterRecoversFromEachFault(t *testing.T) {
	t.Parallel()
	p := startCluster(t)
	t.Run("operators have a listener of their own", p.operatorsApart)
	for _, fault := range []struct {
		name string
		test func(*testing.T)
	}{
		{"the controller is unavailable", p.withoutController},
		{"the API server is unavailable", p.withoutAPIServer},
		{"the gate Secret is missing", p.withoutGateSecret},
		{"kube-apiserver is unavailable", p.withoutKubernetes},
		{"Redis is unavailable", p.withoutRedis},
		{"PostgreSQL is unavailable", p.withoutPostgres},
		{"PostgreSQL restarts", p.postgresRestarts},
	} {
		t.Run(fault.name, fault.test)
	}
}

// operatorsApart looks for the view for operators on both dashboards.
func (p *platform) operatorsApart(t *testing.T) {
	if status, page := p.asOperator(t, p.env["DASHBOARD_URL"], "/ops"); status != http.StatusNotFound {
		t.Errorf("the dashboard of partners answers %d:\n%s", status, page)
	}
	for path, words := range map[string]string{"/ops": "/ops/partners/acme", "/ops/partners/stark": "org_stark1", "/ops/rollouts": "rfq-create", "/ops/queue": "Preflight jobs"} {
		if status, page := p.asOperator(t, "http://"+p.operators, path); status != http.StatusOK || !strings.Contains(page, words) {
			t.Errorf("%s is answered %d:\n%s", path, status, page)
		}
	}
}

// asOperator signs in with the platform's key, as far as that goes, and loads a page.
// The cookie is carried by hand: it is for https, which a proxy would end.
func (p *platform) asOperator(t *testing.T, origin, path string) (status int, page string) {
	t.Helper()
	client := &http.Client{Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	signedIn, err := client.PostForm(origin+"/sign-in", url.Values{"key": {p.env["PLATFORM_LIVE_KEY"]}})
	if err != nil {
		t.Fatalf("client.PostForm: %v", err)
	}
	defer func() { _ = signedIn.Body.Close() }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+path, nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	for _, cookie := range signedIn.Cookies() {
		r.AddCookie(cookie)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("client.Do: %v", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("io.ReadAll: %v", err)
	}
	return answer.StatusCode, string(text)
}

// A kill switch acts, and only the status waits.
func (p *platform) withoutController(t *testing.T) {
	p.order("controller", "stop")
	p.engage("rfq-create")
	p.until("the kill switch is obeyed", func() error {
		return want(p.createRFQ("ACME_LIVE_KEY"), 503, "PARTNER_RFQ_CAPABILITY_UNAVAILABLE")
	})
	if reason := p.readyReason("rfq-create"); reason != "Enforced" {
		t.Errorf("without a controller the status says %s", reason)
	}
	p.order("controller", "start")
	p.until("the status has the reason Killed", func() error { return p.isReason("rfq-create", "Killed") })
	p.release("rfq-create")
	p.until("RFQs are created", func() error { return want(p.createRFQ("ACME_LIVE_KEY"), 201, "") })
}

// withoutAPIServer checks that nothing reads Ready while nothing enforces it. The webhook worker still runs.
func (p *platform) withoutAPIServer(t *testing.T) {
	p.order("apiserver", "stop")
	p.until("nothing is ready", func() error {
		if out := p.kubectl("get", "cap,partner,sender", "-o", `jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{end}`); strings.Contains(out, "True") {
			return fmt.Errorf("Ready is %s", out)
		}
		return p.isReason("rfq-create", "NoReplicas")
	})
	p.order("apiserver", "start")
	p.until("everything is ready", func() error { return p.isReason("rfq-create", "Enforced") })
}

// withoutKubernetes checks that the last posture stays in force. A change made while the API server of Kubernetes was
// unavailable takes effect afterwards.
func (p *platform) withoutKubernetes(t *testing.T) {
	p.order("kubernetes", "stop")
	for range 3 {
		if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
			t.Errorf("the last known posture must stay in force: %v", err)
		}
		if err := p.readiness(200); err != nil {
			t.Errorf("readiness: %v", err)
		}
		time.Sleep(time.Second)
	}
	p.order("kubernetes", "start")
	p.engage("rfq-create")
	p.until("the kill switch is obeyed", func() error {
		return want(p.createRFQ("ACME_LIVE_KEY"), 503, "PARTNER_RFQ_CAPABILITY_UNAVAILABLE")
	})
	p.until("the status has the reason Killed", func() error { return p.isReason("rfq-create", "Killed") })
	p.release("rfq-create")
	p.until("RFQs are created", func() error { return want(p.createRFQ("ACME_LIVE_KEY"), 201, "") })
}

// RFQs need no Redis; preflight is refused, and nothing accepted is lost.
func (p *platform) withoutRedis(t *testing.T) {
	before := p.submit("ACME_LIVE_KEY", "sample.pdf")
	p.order("redis", "stop")
	var ids []string
	p.until("submits are refused", func() error {
		a := p.submit("ACME_LIVE_KEY", "sample.pdf")
		if a.Status == 202 {
			ids = append(ids, a.text("jobId"))
		}
		return want(a, 503, "PREFLIGHT_QUEUE_UNAVAILABLE")
	})
	if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
		t.Error(err)
	}
	if err := p.readiness(200, "does not respond"); err != nil {
		t.Errorf(`readiness("does not respond"): %v`, err)
	}
	for path, want := range map[string]int{"/ops/queue": http.StatusServiceUnavailable, "/ops": http.StatusOK, "/ops/rollouts": http.StatusOK} {
		if status, page := p.asOperator(t, "http://"+p.operators, path); status != want {
			t.Errorf("%s is answered %d, want %d:\n%s", path, status, want, page)
		}
	}
	p.order("redis", "start")
	p.until("submits are taken", func() error {
		a := p.submit("ACME_LIVE_KEY", "sample.pdf")
		if a.Status == 202 {
			ids = append(ids, a.text("jobId"))
		}
		return want(a, 202, "")
	})
	for _, id := range append(ids, before.text("jobId")) {
		if job := p.finished("ACME_LIVE_KEY", id); job.text("status") != "succeeded" {
			t.Errorf("job %s", job.Body)
		}
	}
}

// withoutPostgres checks that reads and writes return Retry-After, the gates continue to decide, and no process needs a
// restart.
func (p *platform) withoutPostgres(t *testing.T) {
	created := p.createRFQ("ACME_LIVE_KEY", "Idempotency-Key", "before-the-database-went")
	p.order("postgres", "stop")
	for name, a := range map[string]answer{
		"create": p.createRFQ("ACME_LIVE_KEY"),
		"read":   p.call("GET", "/api/v1/rfq/"+created.text("id"), "ACME_LIVE_KEY", nil),
		"submit": p.submit("ACME_LIVE_KEY", "sample.pdf"),
	} {
		if err := want(a, 503, "STORE_UNAVAILABLE"); err != nil || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %v, Retry-After %q", name, err, a.Header.Get("Retry-After"))
		}
	}
	if err := want(p.call("POST", "/api/v1/estimate", "ACME_LIVE_KEY", nil), 503, "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE"); err != nil {
		t.Errorf("a gate that needs no store: %v", err)
	}
	// All replicas share the database: without it each goes on answering.
	if err := p.readiness(200, "store unavailable"); err != nil {
		t.Errorf(`readiness("store unavailable"): %v`, err)
	}
	p.order("postgres", "start")
	p.until("RFQs are created", func() error { return want(p.createRFQ("ACME_LIVE_KEY"), 201, "") })
	p.until("the store is well", func() error { return p.readiness(200, `"store":"ok"`) })
	replay := p.createRFQ("ACME_LIVE_KEY", "Idempotency-Key", "before-the-database-went")
	if replay.text("id") != created.text("id") || replay.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the replay: %d %s", replay.Status, replay.Body)
	}
	if job := p.finished("ACME_LIVE_KEY", p.submit("ACME_LIVE_KEY", "sample.pdf").text("jobId")); job.text("status") != "succeeded" {
		t.Errorf("job %s", job.Body)
	}
}

// postgresRestarts checks that a crash of the database interrupts some requests and loses no records.
func (p *platform) postgresRestarts(*testing.T) {
	created := p.createRFQ("ACME_LIVE_KEY")
	p.order("postgres", "kill")
	p.until("the record is read", func() error {
		return want(p.call("GET", "/api/v1/rfq/"+created.text("id"), "ACME_LIVE_KEY", nil), 200, "")
	})
	p.until("RFQs are created", func() error { return want(p.createRFQ("ACME_LIVE_KEY"), 201, "") })
}

// The test kills every part while clients write: first each part alone, when only its own
// errors may occur, and then all of them. Every acknowledged record must exist at the end.
func TestSoakFaultsOfTheClusterUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long runs of kills; make soak has them")
	}
	t.Parallel()
	p := startCluster(t)
	l := p.startLoad()
	for _, fault := range []struct {
		unit    string
		answers []string
	}{
		{"controller", nil},
		{"kubernetes", nil},
		{"worker", nil},
		{"redis", []string{queueAway}},
		{"apiserver", []string{noAnswer, notLoaded, queueAway}},
		{"postgres", []string{storeAway, storeBusy}},
	} {
		p.killUnderLoad(fault.unit)
		if others := l.others(append(fault.answers, backlogFull)...); others != nil {
			t.Errorf("without %s: %v", fault.unit, others)
		}
	}
	for _, unit := range []string{"worker", "postgres", "redis", "apiserver", "kubernetes", "controller"} {
		time.Sleep(rand.N(300 * time.Millisecond))
		p.order(unit, "kill")
	}
	p.until("readiness returns", func() error { return p.readiness(200) })
	l.end()
	l.demand()
	if others := l.others(noAnswer, notLoaded, queueAway, storeAway, storeBusy, backlogFull); others != nil {
		t.Errorf("other answers than the kills explain: %v", others)
	}
}

// killUnderLoad kills a unit and returns when it is back and all is well.
func (p *platform) killUnderLoad(unit string) {
	p.t.Helper()
	time.Sleep(rand.N(300 * time.Millisecond))
	p.order(unit, "kill")
	time.Sleep(rand.N(300 * time.Millisecond))
	p.order(unit, "start")
	p.until("all is well after "+unit+" was killed", func() error {
		if err := p.readiness(200); err != nil {
			return err
		}
		if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
			return err
		}
		if a := p.submit("ACME_LIVE_KEY", "sample.pdf"); a.code() != "PREFLIGHT_BACKLOG_EXCEEDED" {
			return want(a, 202, "")
		}
		return nil
	})
}

const oncall = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: %s}
spec: {%s}
`

func (p *platform) engage(capability string) {
	p.applyAs("oncall", fmt.Sprintf(oncall, capability, "killSwitch: {state: Engaged, reason: INC-1}"))
}

func (p *platform) release(capability string) {
	p.applyAs("oncall", fmt.Sprintf(oncall, capability, ""))
}

func (p *platform) applyAs(manager, manifest string) {
	p.t.Helper()
	p.until("kubectl applies", func() error {
		command := exec.CommandContext(p.t.Context(), filepath.Join(p.data, "kubectl"), "apply", "--server-side", "--field-manager="+manager, "-f", "-")
		command.Stdin = strings.NewReader(manifest)
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

func (p *platform) readyReason(capability string) string {
	p.t.Helper()
	return p.kubectl("get", "cap", capability, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].reason}`)
}

func (p *platform) isReason(capability, wanted string) error {
	if reason := p.readyReason(capability); reason != wanted {
		return errors.New(capability + " is " + reason)
	}
	return nil
}
