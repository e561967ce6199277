// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// analysedRamp is a rollout of rfq-create in two steps, and an analysis of the share of rejected
// requests of the partners that a step adds: the first percent, the time of the second step, and more
// of the analysis.
const analysedRamp = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
spec:
  capability: rfq-create
  stage: Live
  change: {ticket: REL-1001}
  schedule:
    ramp:
    - {at: "2026-01-01T00:00:00Z", percent: %d}
    - {at: "%s", percent: 100}
  analysis:
    initialDelaySeconds: 0
    intervalSeconds: 2
    count: 5
    queries:
    - name: rejected
      promQL: >-
        (sum(increase(printmarket_capability_requests_total{capability="$capability",cohort="$cohort",outcome=~"client_error|server_error"}[6s])) or vector(0))
        / sum(increase(printmarket_capability_requests_total{capability="$capability",cohort="$cohort"}[6s]))
      success: {atMost: "0.05"}
    %s
`

// TestAnalysisStopsARamp runs a real Prometheus beside a cluster and injects rejected requests of the
// partners that a step of a ramp has added.
func TestAnalysisStopsARamp(t *testing.T) {
	t.Parallel()
	executable, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip(err) // make setup installs it
	}
	prometheus := &prometheusServer{executable: executable, addr: freeAddr(t), dir: t.TempDir()}
	p := startClusterWith(t, func(string) []string {
		return []string{"--controller-flag", "--prometheus-url=http://" + prometheus.addr}
	})
	prometheus.target = strings.TrimPrefix(p.env["OPS_URL"], "http://")
	prometheus.start(t)
	began := time.Now()
	note := func(format string, args ...any) {
		t.Logf("%5.1f s  %s", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}

	first, second, percent := ramped(t)
	inside, outside := p.startRequests(t, first), p.startRequests(t, second)
	at := time.Now().Add(20 * time.Second).UTC().Format(time.RFC3339)
	p.applyAs("release", fmt.Sprintf(analysedRamp, percent, at, ""))
	note("%s is in the step of %d %%, %s is in the step of 100 %%, due at %s", first, percent, second, at)
	p.until("the gates refuse the second partner", func() error { return outside.is(http.StatusServiceUnavailable) })

	outside.forget()

	var s v1alpha1.AnalysisStatus
	p.until("a measurement succeeds", func() error {
		if s = p.analysis(t); s.Succeeded == 0 {
			return fmt.Errorf("the status is %+v", s)
		}
		return nil
	})
	inside.reject(true)
	injected, before := time.Now(), s.Succeeded
	s = p.analysisUntil(t, "Failed", int32(percent), 0)
	note("failed %.1f s after the first rejected request, after %d more successes: %s", s.Since.Sub(injected).Seconds(), s.Succeeded-before, s.Message)
	if s.Succeeded > before+2 {
		t.Errorf("%d measurements succeeded after the errors began, want at most two", s.Succeeded-before)
	}
	outside.never(t, http.StatusCreated)
	p.until("the second step is due and does not open", func() error {
		if time.Now().UTC().Format(time.RFC3339) <= at {
			return fmt.Errorf("it is due at %s", at)
		}
		return p.isReason("rfq-create", v1alpha1.ReasonAnalysisFailed)
	})
	inside.reject(false)
	p.until("the first partner is served as before, for longer than the queries look back", func() error {
		if err := inside.is(http.StatusCreated); err != nil {
			inside.forget()
			return err
		}
		return inside.atLeast(http.StatusCreated, 14)
	})
	outside.never(t, http.StatusCreated)
	note("the step is due and closed; the first partner is served")

	// Nothing advances without Prometheus. Another attempt has no data.
	prometheus.stop()
	p.applyAs("release", fmt.Sprintf(analysedRamp, percent, at, "attempt: 1"))
	s = p.analysisUntil(t, "Running", int32(percent), 1)
	p.until("a measurement has no data", func() error {
		if s = p.analysis(t); len(s.Values) == 0 || s.Values[0].Result != v1alpha1.AnalysisNoData {
			return fmt.Errorf("the status is %+v", s)
		}
		return p.isReason("rfq-create", v1alpha1.ReasonAwaitingAnalysis)
	})
	note("without Prometheus: %s", s.Message)
	outside.never(t, http.StatusCreated)

	// With data, the step opens once the analysis has succeeded, and its failure closes it again.
	prometheus.start(t)
	p.until("the second partner is served", func() error { return outside.is(http.StatusCreated) })
	note("the second step has opened")
	p.analysisUntil(t, "Running", 100, 1)
	p.applyAs("release", fmt.Sprintf(analysedRamp, percent, at, "attempt: 1\n    onFailure: RollBack"))
	outside.reject(true)
	s = p.analysisUntil(t, "Failed", 100, 1)
	p.until("the second step is rolled back", func() error { return outside.is(http.StatusServiceUnavailable) })
	note("failed and rolled back: %s", s.Message)
	if err := inside.is(http.StatusCreated); err != nil {
		t.Errorf("the first partner after the second step was rolled back: %v", err)
	}

	var o v1alpha1.CapabilityRollout
	if err := json.Unmarshal([]byte(p.kubectl("get", "cap", "rfq-create", "-o", "json")), &o); err != nil {
		t.Fatal(err)
	}
	var results []string
	for _, entry := range o.Status.History {
		if entry.Change == v1alpha1.ChangeAnalysis && entry.By == "analysis" {
			results = append(results, entry.Subject+" "+entry.To)
			note("history: %s %s %s", entry.Subject, entry.To, entry.Reason)
		}
	}
	want := fmt.Sprintf("step 100 %% Failed, step %d %% Succeeded, step %d %% Failed", percent, percent)
	if got := strings.Join(results, ", "); got != want {
		t.Errorf("the history has %q, want %q", got, want)
	}
}

// analysis returns the state of the analysis of rfq-create.
func (p *platform) analysis(t *testing.T) v1alpha1.AnalysisStatus {
	t.Helper()
	var s v1alpha1.AnalysisStatus
	if text := p.kubectl("get", "cap", "rfq-create", "-o", "jsonpath={.status.analysis}"); text != "" {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("status.analysis is %s: %v", text, err)
		}
	}
	return s
}

func (p *platform) analysisUntil(t *testing.T, phase v1alpha1.AnalysisPhase, percent, attempt int32) (s v1alpha1.AnalysisStatus) {
	t.Helper()
	p.until(fmt.Sprintf("attempt %d at %d %% is %s", attempt, percent, phase), func() error {
		if s = p.analysis(t); s.Phase != phase || s.Percent != percent || s.Attempt != attempt {
			return fmt.Errorf("the status is %+v", s)
		}
		return nil
	})
	return s
}

// ramped returns the names of two demo keys, and a percent of a ramp of rfq-create that admits only the
// partner of the first.
func ramped(t *testing.T) (first, second string, percent int) {
	t.Helper()
	buckets := map[string]int{"ACME_LIVE_KEY": bucketOf(t, "org_acme01"), "STARK_LIVE_KEY": bucketOf(t, "org_stark1")}
	first, second = "ACME_LIVE_KEY", "STARK_LIVE_KEY"
	if buckets[first] > buckets[second] {
		first, second = second, first
	}
	if buckets[first] == buckets[second] {
		t.Fatalf("both partners are in the bucket %d", buckets[first])
	}
	return first, second, buckets[second]
}

// bucketOf returns the lowest percent of a ramp of rfq-create that admits an organization.
func bucketOf(t *testing.T, organization string) int {
	t.Helper()
	now := time.Now()
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "partner"}}
	partner.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: organization, Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive,
		Contract: &v1alpha1.Contract{EffectiveFrom: metav1.NewTime(now.Add(-time.Hour))}, Scopes: []v1alpha1.Scope{"rfq:write"},
		Capabilities: []v1alpha1.CapabilityGrant{{Name: "rfq-create"}},
		Keys:         []v1alpha1.APIKey{{Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: strings.Repeat("a", 64), Scopes: []v1alpha1.Scope{"rfq:write"}}},
	}
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rfq-create"}}
	for percent := range 100 {
		rollout.Spec = v1alpha1.CapabilityRolloutSpec{
			Capability: "rfq-create", Stage: v1alpha1.StageLive,
			Schedule: &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: metav1.NewTime(now.Add(-time.Hour)), Percent: int32(percent + 1)}}},
		}
		s := posture.Compile(posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{rollout}, Partners: []v1alpha1.PartnerEntitlement{partner}})
		if s.Report(now).Rollouts[0].Admitted == 1 {
			return percent
		}
	}
	t.Fatalf("no ramp admits %s", organization)
	return 0
}

// requests sends requests of one partner, one after the other.
type requests struct {
	mu       sync.Mutex
	rejected bool
	status   int
	seen     map[int]int
}

func (p *platform) startRequests(t *testing.T, key string) *requests {
	t.Helper()
	r := &requests{seen: map[int]int{}}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			r.mu.Lock()
			body := `{}`
			if !r.rejected {
				body = rfqText(t)
			}
			r.mu.Unlock()
			status := p.post(ctx, key, body)
			r.mu.Lock()
			r.status = status
			r.seen[status]++
			r.mu.Unlock()
			time.Sleep(700 * time.Millisecond) // below the rate limit
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return r
}

// rfqText is the body of a valid RFQ.
func rfqText(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(rfqBody())
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func (p *platform) post(ctx context.Context, key, body string) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.env["API_URL"]+"/api/v1/rfq", strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+p.env[key])
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", newKey())
	response, err := p.client.Do(r)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// reject makes the requests valid or such that the API rejects them.
func (r *requests) reject(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rejected = yes
}

// is returns an error unless the last request had a status.
func (r *requests) is(status int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status != status {
		return fmt.Errorf("the last request had the status %d", r.status)
	}
	return nil
}

// forget makes never ignore the requests until now.
func (r *requests) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.seen)
}

// atLeast returns an error unless so many requests had a status since the last call of forget.
func (r *requests) atLeast(status, count int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[status] < count {
		return fmt.Errorf("%d requests had the status %d", r.seen[status], status)
	}
	return nil
}

// never checks that no request had a status since the last call of forget.
func (r *requests) never(t *testing.T, status int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[status] > 0 {
		t.Errorf("%d requests had the status %d", r.seen[status], status)
	}
}

// prometheusServer is a Prometheus that scrapes one target every second. It keeps its data when it stops.
type prometheusServer struct {
	executable, addr, dir, target string
	// more is added to the configuration.
	more    string
	command *exec.Cmd
}

func (s *prometheusServer) start(t *testing.T) {
	t.Helper()
	config := filepath.Join(s.dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\n"+
		"scrape_configs: [{job_name: api, static_configs: [{targets: [%q], labels: {namespace: printmarket}}]}]\n%s", s.target, s.more)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.command = exec.CommandContext(t.Context(), s.executable, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(s.dir, "data"), "--web.listen-address="+s.addr)
	startServer(t, s.command, filepath.Join(s.dir, "log"))
	t.Cleanup(s.stop)
}

// startServer starts a program that the kernel kills when this process dies. After a failed test it
// prints the log of the program.
func startServer(t *testing.T, command *exec.Cmd, logFile string) {
	t.Helper()
	log, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the process has a descriptor of its own
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, _ := os.ReadFile(logFile); t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(command.Path), text)
		}
	})
}

func (s *prometheusServer) stop() {
	if s.command != nil {
		_ = s.command.Process.Signal(syscall.SIGTERM)
		_ = s.command.Wait()
		s.command = nil
	}
}
