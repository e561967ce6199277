// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf/xjmf/xjmftest"
)

const deviceJob = `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" JobID="J-42" Types="Folding" Version="2.2"/>`

func TestXJMFSubmitsAJobToADeviceAndPrintsItsStatus(t *testing.T) {
	t.Parallel()
	device := &xjmftest.Device{ID: "PRESS", Now: func() time.Time { return time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) }, MaxQueueSize: 3}
	server := httptest.NewServer(device)
	t.Cleanup(server.Close)
	job, pages := fileOf(t, "job.xjdf", deviceJob), fileOf(t, "pages.pdf", "%PDF-1.7")
	for name, args := range map[string][]string{"in XML": nil, "in JSON": {"--json-encoding"}} {
		stdout, stderr, code := xjmfVerb(t, "", append([]string{"submit", job, pages, "--to", server.URL, "--gang", "G1", "--priority", "5"}, args...)...)
		if code != 0 || !strings.Contains(stdout, "job J-42  Waiting  gang G1") {
			t.Errorf("%s: exit code %d, %q, %q", name, code, stdout, stderr)
		}
	}
	stdout, _, code := xjmfVerb(t, "", "submit", job, "--to", server.URL, "-o", "json")
	var entry struct{ QueueEntryID, JobID, Status, Submitted string }
	if err := json.Unmarshal([]byte(stdout), &entry); err != nil || code != 0 || entry.QueueEntryID != "QE3" || entry.Submitted != "2026-11-20T09:00:00Z" {
		t.Errorf("JSON: exit code %d, %v, %+v", code, err, entry)
	}
	if err := device.Step(t.Context()); err != nil {
		t.Fatalf("Step: %v", err)
	}
	stdout, stderr, code := xjmfVerb(t, "", "status", "--to", server.URL)
	for _, want := range []string{"Production\n", "  QE1  job J-42  Waiting  gang G1\n", "  QE3  job J-42  InProgress\n", "supports QueryKnownMessages, "} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("status: exit code %d, %q has no %q; %s", code, stdout, want, stderr)
		}
	}
	if stdout, _, code := xjmfVerb(t, "", "status", "QE3", "--to", server.URL, "-o", "json"); code != 0 || strings.Contains(stdout, "QE1") || !strings.Contains(stdout, `"QE3"`) {
		t.Errorf("status of an entry: exit code %d, %s", code, stdout)
	}
	for want, args := range map[string][]string{
		"the queue is closed (112)":                    {"submit", job, "--to", server.URL},
		"the queue has no such entry":                  {"status", "QE9", "--to", server.URL},
		"not an absolute http or https URL":            {"status", "--to", "press"},
		"not an XJDF document":                         {"submit", fileOf(t, "a.xjmf", xjmfBody), "--to", server.URL},
		"no such file":                                 {"submit", job, "missing.pdf", "--to", server.URL},
		"occurs twice":                                 {"submit", job, pages, pages, "--to", server.URL},
		`required flag(s) "to" not set`:                {"submit", job},
		"Priority is 101; the valid range is 0 to 100": {"submit", job, "--priority", "101", "--to", server.URL},
	} {
		if stdout, stderr, code := xjmfVerb(t, "", args...); code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %q, %q; want %q", args, code, stdout, stderr, want)
		}
	}
}
