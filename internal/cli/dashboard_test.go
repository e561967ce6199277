// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAPartnerSignsInToTheDashboardOfDev goes over http on loopback, with a jar that
// keeps cookies as browsers do.
func TestAPartnerSignsInToTheDashboardOfDev(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatalf("cookiejar.New: %v", err)
	}
	client := &http.Client{Jar: jar, Timeout: 10 * time.Second}
	created := p.createRFQ("ACME_LIVE_KEY")
	if err := want(created, 201, ""); err != nil {
		t.Fatal(err)
	}
	form := url.Values{"key": {p.env["ACME_LIVE_KEY"]}, "next": {"/rfqs"}}
	list := body(t, client, http.MethodPost, p.env["DASHBOARD_URL"]+"/sign-in", form)
	if !strings.Contains(list, "/rfqs/"+created.text("id")) {
		t.Errorf("the list lacks the RFQ that was created:\n%s", list)
	}
	if page := body(t, client, http.MethodGet, p.env["DASHBOARD_URL"]+"/", nil); !strings.Contains(page, "org_acme01") || !strings.Contains(page, "1 of ") {
		t.Errorf("the overview lacks the organization or its quota:\n%s", page)
	}
	if page := body(t, client, http.MethodPost, p.env["DASHBOARD_URL"]+"/sign-out", nil); !strings.Contains(page, `name="key"`) {
		t.Errorf("signing out leads to:\n%s", page)
	}
	if logged := p.logged(); strings.Contains(logged, p.env["ACME_LIVE_KEY"]) || strings.Contains(logged, "pms_") {
		t.Error("the log holds a secret")
	}
}

// TestAnOperatorSeesThePlatformOfDev signs in with the key that dev.env has.
func TestAnOperatorSeesThePlatformOfDev(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatalf("cookiejar.New: %v", err)
	}
	client := &http.Client{Jar: jar, Timeout: 10 * time.Second}
	landed := body(t, client, http.MethodPost, p.env["DASHBOARD_URL"]+"/sign-in", url.Values{"key": {p.env["PLATFORM_LIVE_KEY"]}})
	if !strings.Contains(landed, "/ops/partners/acme") || !strings.Contains(landed, "Partners 1 to 5 of 5") {
		t.Errorf("an operator lands on:\n%s", landed)
	}
	for path, want := range map[string]string{"/ops/partners/initech": "ContractNotEffective", "/ops/rollouts": "rfq-create", "/ops/queue": "10 slots: jobs that can be fetched or inspected at once"} {
		p.until(path+" contains "+want, func() error {
			if page := body(t, client, http.MethodGet, p.env["DASHBOARD_URL"]+path, nil); !strings.Contains(page, want) {
				return fmt.Errorf("it shows:\n%s", page)
			}
			return nil
		})
	}
}

// body is the page that a form or a path leads to.
func body(t *testing.T, client *http.Client, method, address string, form url.Values) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatalf("http.NewRequestWithContext(%q, %q): %v", method, address, err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := client.Do(r)
	if err != nil {
		t.Fatalf("client.Do: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s is answered %d: %v\n%s", method, address, response.StatusCode, err, page)
	}
	return string(page)
}

// TestPagesShowTheDemoData fills the data directory of dev as a user does, and opens the pages.
func TestPagesShowTheDemoData(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill := func() (string, error) {
		out, err := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "demo", "--data", data, "--rfqs", "60", "--jobs", "150").CombinedOutput()
		return string(out), err
	}
	if printed, err := fill(); err != nil || !strings.Contains(printed, "preflight jobs      150") {
		t.Fatalf("demo: %v\n%s", err, printed)
	}
	if printed, err := fill(); err == nil || !strings.Contains(printed, "the database has records (RFQs, preflight jobs, events, webhook deliveries, uploaded files, audit entries)") {
		t.Errorf("a second run: %v\n%s", err, printed)
	}
	p := startDev(t, data)
	if printed, err := fill(); err == nil || !strings.Contains(printed, "stop `printmarket dev`") {
		t.Errorf("a run beside dev: %v\n%s", err, printed)
	}
	for key, pages := range map[string]map[string]string{
		"ACME_LIVE_KEY": {
			"/": "Deliveries to the endpoint archive fail", "/rfqs": "/rfqs/rfq_", "/preflight": "/preflight/pref_", "/webhooks": "https://mis.acme.example/printmarket",
			"/requests": "/api/v1/rfq",
		},
		"PLATFORM_LIVE_KEY": {"/ops": "/ops/partners/demo-00001", "/ops/denials?within=30d": "ContractNotEffective", "/ops/partners/acme": "archive", "/ops/queue": "slots"},
	} {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatalf("cookiejar.New: %v", err)
		}
		client := &http.Client{Jar: jar, Timeout: 10 * time.Second}
		body(t, client, http.MethodPost, p.env["DASHBOARD_URL"]+"/sign-in", url.Values{"key": {p.env[key]}})
		for path, want := range pages {
			p.until(path+" contains "+want, func() error {
				if page := body(t, client, http.MethodGet, p.env["DASHBOARD_URL"]+path, nil); !strings.Contains(page, want) {
					return fmt.Errorf("it shows:\n%s", page)
				}
				return nil
			})
		}
	}
}

// TestShellsCompleteNamesFromThePlatform completes the ids of records as a shell does.
func TestShellsCompleteNamesFromThePlatform(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := startDev(t, directory)
	created := p.createRFQ("ACME_LIVE_KEY")
	if err := want(created, 201, ""); err != nil {
		t.Fatal(err)
	}
	complete := func(environment []string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"__complete"}, args...)...)
		cmd.Env = append(os.Environ(), environment...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	platform := []string{"PRINTMARKET_API_URL=" + p.env["API_URL"], "PRINTMARKET_PLATFORM_LIVE_KEY=" + p.env["PLATFORM_LIVE_KEY"]}
	for _, args := range [][]string{{"rfqs", "show", ""}, {"rfqs", "close", ""}, {"quotes", "submit", ""}, {"quotes", "withdraw", ""}} {
		if offered := complete(platform, args...); !strings.Contains(offered, created.text("id")+"\topen: ") {
			t.Errorf("%v offers\n%s", args, offered)
		}
	}
	if offered := complete(platform, "rfqs", "show", created.text("id"), ""); strings.Contains(offered, "rfq_") {
		t.Errorf("a second RFQ is offered:\n%s", offered)
	}
	if offered := complete(platform, "masterdata", "approve", ""); !strings.Contains(offered, "sha256:") {
		t.Errorf("masterdata approve offers\n%s", offered)
	}
	declareWebhook(t, p, directory)
	p.mustCommand("", "webhooks", "test", "mis", "--organization", "org_acme01", "--reason", "the partner asked")
	for want, args := range map[string][]string{
		"org_acme01\norg_globex\n": {"organizations", "erase", ""},
		"\norg_globex\n":           {"rfqs", "list", "--organization", ""},
		"mis\t":                    {"webhooks", "test", "--organization", "org_acme01", ""},
		": webhook.test to mis":    {"webhooks", "show", "--organization", "org_acme01", ""},
	} {
		if offered := complete(platform, args...); !strings.Contains(offered, want) {
			t.Errorf("%v offers\n%s", args, offered)
		}
	}
	if offered := complete(platform, "webhooks", "redeliver", ""); strings.Contains(offered, "dlv_") {
		t.Errorf("without an organization, webhooks redeliver offers\n%s", offered)
	}
	if offered := complete([]string{"PRINTMARKET_API_URL=http://127.0.0.1:9", platform[1]}, "rfqs", "show", ""); strings.Contains(offered, "rfq_") {
		t.Errorf("without the platform, rfqs show offers\n%s", offered)
	}
}
