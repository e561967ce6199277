// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/test/redistest"
)

var keys atomic.Int64

// newKey is an idempotency key that no other test uses.
func newKey() string { return "test-" + strconv.FormatInt(keys.Add(1), 10) }

// TestDevEnvHasEveryVariable guards the contract with scripts.
func TestDevEnvHasEveryVariable(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "a directory with spaces and a 'quote'")
	p := startDev(t, data)
	if out, err := exec.CommandContext(t.Context(), "sh", "-e", "-c", `. "$1/dev.env"; ls "$PRINTMARKET_RESOURCES_DIR"`, "sh", data).CombinedOutput(); err != nil || !strings.Contains(string(out), "rollouts") {
		t.Errorf("a shell cannot read dev.env: %v\n%s", err, out)
	}
	for _, name := range strings.Fields(`API_URL REGISTRY_URL OPS_URL DASHBOARD_URL REDIS_URL RESOURCES_DIR ACME_LIVE_KEY ACME_TEST_KEY
		ACME_NOSCOPE_KEY ACME_BRIDGE_KEY ACME_MEDIA_KEY STARK_LIVE_KEY GLOBEX_LIVE_KEY INITECH_LIVE_KEY PLATFORM_LIVE_KEY PLATFORM_TEST_KEY XJMF_SENDER XJMF_SECRET XJMF_SCHEME
		CATALOG_PRODUCT_UID CATALOG_CATEGORY CATALOG_OTHER_CATEGORY L4_MEDIA_ID`) {
		if p.env[name] == "" {
			t.Errorf("dev.env lacks PRINTMARKET_%s", name)
		}
	}
	if info, err := os.Stat(filepath.Join(p.data, "dev.env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("dev.env has mode %v, %v", info.Mode(), err)
	}
}

func TestDevContractsLinkToTheDashboard(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	want := `href="` + p.env["DASHBOARD_URL"] + `/contracts"`
	if got := p.call("GET", contracts.Viewer, "", nil); got.Status != 200 || !strings.Contains(string(got.Body), want) {
		t.Errorf("GET %s: status %d, want a page with %s\n%s", contracts.Viewer, got.Status, want, got.Body)
	}
}

// The test checks the access of each partner of the demo set over HTTP.
func TestDemoPartners(t *testing.T) {
	t.Parallel()
	startDev(t, t.TempDir()).demoPartners(t)
}

func (p *platform) demoPartners(t *testing.T) {
	tests := map[string]struct {
		got    func() answer
		status int
		code   string
	}{
		"acme creates RFQs":                   {func() answer { return p.createRFQ("ACME_LIVE_KEY") }, 201, ""},
		"acme creates sandbox RFQs":           {func() answer { return p.createRFQ("ACME_TEST_KEY") }, 201, ""},
		"a key without scopes is refused":     {func() answer { return p.createRFQ("ACME_NOSCOPE_KEY") }, 403, "INSUFFICIENT_SCOPE"},
		"the bridge key reads no RFQs":        {func() answer { return p.call("GET", "/api/v1/rfq", "ACME_BRIDGE_KEY", nil) }, 403, "INSUFFICIENT_SCOPE"},
		"stark creates RFQs":                  {func() answer { return p.createRFQ("STARK_LIVE_KEY") }, 201, ""},
		"initech's contract is not in force":  {func() answer { return p.createRFQ("INITECH_LIVE_KEY") }, 403, "CONTRACT_NOT_EFFECTIVE"},
		"globex has no preflight":             {func() answer { return p.submit("GLOBEX_LIVE_KEY", "sample.pdf") }, 403, "CAPABILITY_NOT_ENTITLED"},
		"estimates are unavailable":           {func() answer { return p.call("POST", "/api/v1/estimate", "INITECH_LIVE_KEY", "x") }, 503, "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE"},
		"orders are unavailable":              {func() answer { return p.call("GET", "/api/v1/orders", "ACME_LIVE_KEY", nil) }, 503, "PARTNER_ORDER_CAPABILITY_UNAVAILABLE"},
		"orders check scopes first":           {func() answer { return p.call("GET", "/api/v1/orders", "GLOBEX_LIVE_KEY", nil) }, 403, "INSUFFICIENT_SCOPE"},
		"batch orders are unavailable":        {func() answer { return p.call("POST", "/api/v1/orders/batch", "ACME_TEST_KEY", "{}") }, 503, "PARTNER_BATCH_ORDER_CAPABILITY_UNAVAILABLE"},
		"quote acceptance is unavailable":     {func() answer { return p.call("POST", "/api/v1/rfq/a/quotes/b/accept", "ACME_NOSCOPE_KEY", nil) }, 503, "PARTNER_QUOTE_ACCEPTANCE_CAPABILITY_UNAVAILABLE"},
		"an invented method on orders is one": {func() answer { return p.call("PURGE", "/api/v1/orders/x/y", "ACME_LIVE_KEY", nil) }, 503, "PARTNER_ORDER_CAPABILITY_UNAVAILABLE"},
		"an unknown path needs no key":        {func() answer { return p.call("GET", "/api/v2/rfq", "", nil) }, 404, "ROUTE_NOT_FOUND"},
		"a wrong method needs no key":         {func() answer { return p.call("PUT", "/api/v1/rfq", "", nil) }, 405, "METHOD_NOT_ALLOWED"},
		"early data must not create":          {func() answer { return p.createRFQ("ACME_LIVE_KEY", "Early-Data", "1") }, 425, "TOO_EARLY"},
		"large header fields are refused": {func() answer {
			return p.call("GET", "/api/v1/rfq", "ACME_LIVE_KEY", nil, "X-Long", strings.Repeat("x", 40_000))
		}, 431, "HEADERS_TOO_LARGE"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := want(tc.got(), tc.status, tc.code); err != nil {
				t.Errorf("want(%d, %q): %v", tc.status, tc.code, err)
			}
		})
	}
	for i, wantStatus := range []int{201, 201, 429} {
		a := p.createRFQ("GLOBEX_LIVE_KEY")
		if a.Status != wantStatus {
			t.Errorf("RFQ %d of globex, whose quota is 2: %d %s", i+1, a.Status, a.Body)
		}
		if retry, _ := strconv.Atoi(a.Header.Get("Retry-After")); wantStatus == 429 && (a.code() != "PARTNER_RFQ_QUOTA_EXCEEDED" || retry < 1 || retry > 86400) {
			t.Errorf("quota answer: %s, Retry-After %q", a.Body, a.Header.Get("Retry-After"))
		}
	}
}

// TestRefusedManifestsChangeNothing edits the directory badly in several ways.
func TestRefusedManifestsChangeNothing(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	file := filepath.Join(p.env["RESOURCES_DIR"], "rollouts", "rfq-create.yaml")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", file, err)
	}
	tests := map[string]struct {
		edit  func(string) string
		names []string
	}{
		"an unknown field": {func(s string) string { return strings.Replace(s, "  stage:", "  stge:", 1) }, []string{"rfq-create.yaml", "stge"}},
		"a failed rule":    {func(s string) string { return strings.Replace(s, "  name: rfq-create", "  name: other", 1) }, []string{"rfq-create.yaml"}},
		"an unknown stage": {func(s string) string { return strings.Replace(s, "stage: Live", "stage: Open", 1) }, []string{"rfq-create.yaml", "stage"}},
		"half a file":      {func(s string) string { return s[:len(s)/2] + "\n  x: {" }, []string{"rfq-create.yaml"}},
		"an empty file":    {func(string) string { return "" }, []string{"rfq-create.yaml"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(tc.edit(string(good))), 0o600); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", file, err)
			}
			p.until("readiness fails", func() error {
				a := p.get(p.env["OPS_URL"] + "/readyz")
				for _, word := range tc.names {
					if a.Status != 503 || !strings.Contains(string(a.Body), word) {
						return fmt.Errorf("%d %s", a.Status, a.Body)
					}
				}
				return nil
			})
			if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
				t.Errorf("the last good set must stay: %v", err)
			}
			if err := os.WriteFile(file, good, 0o600); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", file, err)
			}
			p.until("readiness returns", func() error {
				if a := p.get(p.env["OPS_URL"] + "/readyz"); a.Status != 200 {
					return errors.New(string(a.Body))
				}
				return nil
			})
		})
	}
}

// TestAQuotaOfPreflightsIsCounted edits a grant and counts submissions.
func TestAQuotaOfPreflightsIsCounted(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	file := filepath.Join(p.env["RESOURCES_DIR"], "partners", "stark.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", file, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "limit: 100000", "limit: 2", 1)), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", file, err)
	}
	p.until("the quota is used up", func() error {
		return want(p.submit("STARK_LIVE_KEY", "sample.pdf"), 429, "PREFLIGHT_QUOTA_EXCEEDED")
	})
	if err := want(p.submit("ACME_LIVE_KEY", "sample.pdf"), 202, ""); err != nil {
		t.Errorf("another partner's quota: %v", err)
	}
}

// TestRestartKeepsDataAndKeys crashes the platform after an acknowledged
// create and starts it again.
func TestRestartKeepsDataAndKeys(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	created := p.createRFQ("ACME_LIVE_KEY", "Idempotency-Key", "crash")
	before := p.env
	p.kill()
	p.start()
	for _, name := range []string{"ACME_LIVE_KEY", "GLOBEX_LIVE_KEY", "XJMF_SECRET"} {
		if p.env[name] != before[name] {
			t.Errorf("%s changed with the restart", name)
		}
	}
	replay := p.createRFQ("ACME_LIVE_KEY", "Idempotency-Key", "crash")
	if diff := cmp.Diff(string(created.Body), string(replay.Body)); diff != "" || replay.Status != 201 {
		t.Errorf("the replay differs (%d):\n%s", replay.Status, diff)
	}
	if replay.Header.Get("Idempotent-Replayed") != "true" || replay.Header.Get("Etag") != created.Header.Get("Etag") {
		t.Errorf("replay header %v", replay.Header)
	}
	if err := want(p.call("GET", "/api/v1/rfq/"+created.text("id"), "ACME_LIVE_KEY", nil), 200, ""); err != nil {
		t.Error(err)
	}
	for _, other := range []string{"STARK_LIVE_KEY", "ACME_TEST_KEY"} {
		if err := want(p.call("GET", "/api/v1/rfq/"+created.text("id"), other, nil), 404, "NOT_FOUND"); err != nil {
			t.Errorf("%s reads a record of acme's live mode: %v", other, err)
		}
	}
}

// TestPreflightOutcomes runs files of every kind through the whole platform. The tests of package
// sandbox run all hostile files.
func TestPreflightOutcomes(t *testing.T) {
	t.Parallel()
	startDev(t, t.TempDir()).preflightOutcomes(t, 6)
}

// preflightOutcomes runs files with each outcome, and every n-th hostile file.
func (p *platform) preflightOutcomes(t *testing.T, n int) {
	t.Helper()
	hostile := pdftest.Hostile()
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.data, "files", name), content, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	write("good.pdf", pdftest.Good())
	write("text.pdf", []byte("hello, I am a text file"))
	write("empty.pdf", nil)
	write("truncated.pdf", pdftest.Good()[:200])
	names := []string{}
	for i, name := range slices.Sorted(maps.Keys(hostile)) {
		if file := strings.NewReplacer(" ", "-", "/", "-").Replace(name) + ".pdf"; i%n == 0 || file == "password.pdf" {
			write(file, hostile[name]())
			names = append(names, file)
		}
	}
	tests := map[string]struct{ status, verdict, rule, failure string }{
		"good.pdf":      {"succeeded", "pass", "", ""},
		"text.pdf":      {"succeeded", "fail", "file.not_pdf", ""},
		"empty.pdf":     {"succeeded", "fail", "file.empty", ""},
		"truncated.pdf": {"succeeded", "fail", "structure.unreadable", ""},
		"missing.pdf":   {"failed", "", "", "FETCH_STATUS"},
		"password.pdf":  {"succeeded", "fail", "security.password_required", ""}, // from the hostile set
	}
	for file, tc := range tests {
		t.Run(file, func(t *testing.T) {
			job := p.finished("ACME_LIVE_KEY", p.submit("ACME_LIVE_KEY", file).text("jobId"))
			failure, _ := job.JSON["failure"].(map[string]any)
			code, _ := failure["code"].(string)
			if job.text("status") != tc.status || job.text("verdict") != tc.verdict || code != tc.failure {
				t.Errorf("job %s", job.Body)
			}
			if tc.rule != "" && !strings.Contains(string(job.Body), `"rule":"`+tc.rule+`"`) {
				t.Errorf("no finding %s: %s", tc.rule, job.Body)
			}
			report := p.call("GET", "/api/v1/preflight/"+job.text("jobId")+"/report", "ACME_LIVE_KEY", nil)
			if tc.status == "succeeded" && report.Status != 200 || tc.status == "failed" && report.code() != "PREFLIGHT_REPORT_UNAVAILABLE" {
				t.Errorf("report %d %s", report.Status, report.Body)
			}
		})
	}
	// Whatever these files do, the job ends and the worker lives.
	ids := make([]string, len(names))
	for i, file := range names {
		ids[i] = p.submit("STARK_LIVE_KEY", file).text("jobId")
	}
	// In the order of the queue, so that no wait covers more than a few jobs.
	for i, id := range ids {
		if job := p.finished("STARK_LIVE_KEY", id); job.text("status") == "succeeded" && job.text("verdict") == "" {
			t.Errorf("%s: %s", names[i], job.Body)
		}
	}
	if job := p.finished("ACME_LIVE_KEY", p.submit("ACME_LIVE_KEY", "good.pdf").text("jobId")); job.text("verdict") != "pass" {
		t.Errorf("after the hostile files: %s", job.Body)
	}
	p.checkLogs()
	if strings.Contains(p.logged(), signature) {
		t.Error("the log holds the query of a signed URL")
	}
	if strings.Contains(p.logged(), `"msg":"panic"`) {
		t.Error("something panicked")
	}
}

// smallFile writes a file for tests with many jobs, and returns its name. An inspection of it takes half
// the time of one of the sample.
func (p *platform) smallFile() string {
	p.t.Helper()
	const name = "small.pdf"
	if err := os.WriteFile(filepath.Join(p.data, "files", name), pdftest.Good(), 0o600); err != nil {
		p.t.Fatalf("os.WriteFile: %v", err)
	}
	return name
}

// TestWipedOrStoppedRedisLosesNoJob wipes and stops a real Redis in the middle of work.
func TestWipedOrStoppedRedisLosesNoJob(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	p := startDev(t, t.TempDir(), "--redis", "redis://"+server.Addr+"/0")
	file := p.smallFile()
	var ids []string
	for i := range 60 {
		a := p.submit("ACME_LIVE_KEY", file)
		if a.Status != 202 {
			t.Fatalf("submit: %d %s", a.Status, a.Body)
		}
		ids = append(ids, a.text("jobId"))
		if i%20 == 10 {
			if err := server.Client(t).FlushAll(t.Context()).Err(); err != nil {
				t.Fatalf("Err: %v", err)
			}
		}
	}
	for _, id := range ids {
		if job := p.finished("ACME_LIVE_KEY", id); job.text("status") != "succeeded" {
			t.Errorf("job %s", job.Body)
		}
	}

	server.Kill()
	p.until("submits are refused", func() error {
		a := p.submit("ACME_LIVE_KEY", file)
		if a.Status == 202 {
			ids = append(ids, a.text("jobId"))
		}
		return want(a, 503, "PREFLIGHT_QUEUE_UNAVAILABLE")
	})
	if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
		t.Errorf("RFQs need no Redis: %v", err)
	}
	if a := p.get(p.env["OPS_URL"] + "/readyz"); a.Status != 200 || !strings.Contains(string(a.Body), "does not respond") {
		t.Errorf("readiness without Redis: %d %s", a.Status, a.Body)
	}
	server.Restart(t)
	p.until("submits are taken again", func() error {
		a := p.submit("ACME_LIVE_KEY", file)
		ids = append(ids, a.text("jobId"))
		return want(a, 202, "")
	})
	for _, id := range ids {
		if id == "" {
			continue
		}
		if job := p.finished("ACME_LIVE_KEY", id); job.text("status") != "succeeded" {
			t.Errorf("job %s", job.Body)
		}
	}
}

// TestTerminationDrains stops the platform while jobs wait and run, and starts
// it again: every accepted job comes to its end.
func TestTerminationDrains(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--workers", "1")
	file := p.smallFile()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var ids []string
	for range 4 {
		wg.Go(func() {
			for range 10 {
				a := p.submit("ACME_LIVE_KEY", file)
				mu.Lock()
				ids = append(ids, a.text("jobId"))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := p.stop(); err != nil {
		t.Fatalf("SIGTERM: %v", err)
	}
	p.start()
	for _, id := range ids {
		if job := p.finished("ACME_LIVE_KEY", id); job.text("status") != "succeeded" {
			t.Errorf("job %s", job.Body)
		}
	}
}

func TestASecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	out, err := p.command("dev", "--data", p.data, "--api-addr", "127.0.0.1:0", "--registry-addr", "127.0.0.1:0",
		"--ops-addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another process") {
		t.Errorf("the second process: %v\n%s", err, out)
	}
}
