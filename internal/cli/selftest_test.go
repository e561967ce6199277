// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// selftest runs `printmarket selftest` with a key, or without one, and returns
// what it printed.
func (p *platform) selftest(key string, args ...string) (out string, failed bool) {
	p.t.Helper()
	command := exec.CommandContext(p.t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"selftest"}, args...)...)
	command.Env = append(os.Environ(), "PRINTMARKET_API_KEY="+key)
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	failed = command.Run() != nil
	if strings.Contains(text.String(), "pmk_") {
		p.t.Errorf("selftest %v shows a key", args)
	}
	return text.String(), failed
}

func TestSelftestUsesOnlyThePermissionsOfItsKey(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	ops, registry := "--ops="+p.env["OPS_URL"], "--registry="+p.env["REGISTRY_URL"]
	api, file := "--api="+p.env["API_URL"], "--file-url="+p.files()+"sample.pdf"
	live, test := p.env["ACME_LIVE_KEY"], p.env["ACME_TEST_KEY"]
	for name, c := range map[string]struct {
		key  string
		args []string
		want []string
	}{
		"readiness alone":                           {"", []string{ops}, []string{"An API server is ready."}},
		"a registry, too":                           {"", []string{ops, registry}, []string{"is ready.", "The registry serves problem types."}},
		"a live key has a file inspected":           {live, []string{api, file}, []string{"RFQ rfq_", "Preflight job pref_", "succeeded."}},
		"a live key without a file skips preflight": {live, []string{api}, []string{"RFQ rfq_", "with a live key, preflight needs --file-url"}},
		"a test key without a file has a simulated": {test, []string{ops, api}, []string{"is ready.", "RFQ rfq_", "Preflight job pref_", "succeeded."}},
	} {
		t.Run(name, func(t *testing.T) {
			out, failed := p.selftest(c.key, c.args...)
			for _, want := range c.want {
				if failed || !strings.Contains(out, want) {
					t.Fatalf("selftest %v: failed %v, printed %q; want %q in it", c.args, failed, out, want)
				}
			}
		})
	}
}

func TestSelftestReportsWhyItFails(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	api := "--api=" + p.env["API_URL"]
	for name, c := range map[string]struct {
		key  string
		args []string
		want string
	}{
		"nothing to check":              {"", nil, "set --ops, --registry or --api"},
		"an API without a key":          {"", []string{api}, "set PRINTMARKET_API_KEY"},
		"a file without an API":         {"", []string{"--ops=" + p.env["OPS_URL"], "--file-url=https://a.example/b.pdf"}, "--file-url needs --api"},
		"an invalid key":                {"pmk", []string{api}, "PRINTMARKET_API_KEY"},
		"a key over the network":        {p.env["ACME_TEST_KEY"], []string{"--api=http://api.example.com"}, "--api"},
		"a key without scopes":          {p.env["ACME_NOSCOPE_KEY"], []string{api}, "INSUFFICIENT_SCOPE"},
		"a replica that is not ready":   {"", []string{"--ops=" + p.env["API_URL"], "--timeout=1s"}, "no API server became ready: status 404"},
		"a closed port":                 {"", []string{"--ops=http://127.0.0.1:1", "--timeout=1s"}, "no API server became ready"},
		"an address without a registry": {"", []string{"--registry=" + p.env["OPS_URL"]}, "read the registry: status 404, want 200"},
		"a file that is not there":      {p.env["ACME_LIVE_KEY"], []string{api, "--file-url=" + p.files() + "nothing.pdf"}, "failed: "},
	} {
		t.Run(name, func(t *testing.T) {
			out, failed := p.selftest(c.key, c.args...)
			if !failed || !strings.Contains(out, c.want) {
				t.Errorf("selftest %v: failed %v, printed %q; want %q in it", c.args, failed, out, c.want)
			}
		})
	}
}

func TestSelftestPrintsJSON(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	ops, api := "--ops="+p.env["OPS_URL"], "--api="+p.env["API_URL"]
	for name, c := range map[string]struct {
		key         string
		args        []string
		wantSteps   []string
		wantSkipped int
		wantError   string
	}{
		"all of it":              {p.env["ACME_TEST_KEY"], []string{ops, api}, []string{"readiness", "rfq", "preflight"}, 0, ""},
		"what was skipped":       {p.env["ACME_LIVE_KEY"], []string{api}, []string{"rfq", "preflight"}, 1, ""},
		"what passed, then why":  {p.env["ACME_NOSCOPE_KEY"], []string{ops, api}, []string{"readiness"}, 0, "INSUFFICIENT_SCOPE"},
		"that nothing was tried": {"", []string{api}, []string{}, 0, "set PRINTMARKET_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			out, failed := p.selftest(c.key, append(c.args, "-o", "json")...)
			var report struct {
				Passed bool
				Steps  []struct {
					Check, ID, Detail string
					Skipped           bool
				}
				Error string
			}
			if err := json.NewDecoder(strings.NewReader(out)).Decode(&report); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			steps, skipped := []string{}, 0
			for _, step := range report.Steps {
				steps = append(steps, step.Check)
				if step.Skipped {
					skipped++
				}
				if made := step.Check == "rfq" || step.Check == "preflight" && !step.Skipped; made != (step.ID != "") || step.Detail == "" {
					t.Errorf("step %+v", step)
				}
			}
			if diff := cmp.Diff(c.wantSteps, steps); diff != "" || skipped != c.wantSkipped {
				t.Errorf("%d are skipped of the steps (-want +got):\n%s", skipped, diff)
			}
			if wantFailed := c.wantError != ""; failed != wantFailed || report.Passed == wantFailed || !strings.Contains(report.Error, c.wantError) || !wantFailed && report.Error != "" {
				t.Errorf("failed %t, passed %t with the error %q; want %q", failed, report.Passed, report.Error, c.wantError)
			}
		})
	}
}
