// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verbsChangeTheCluster uses each verb for rollouts and partners on a cluster. After a command, the
// API already responds as the change says.
func (p *platform) verbsChangeTheCluster(t *testing.T) {
	verb := func(args ...string) string {
		t.Helper()
		command := p.command(append(args, "--kubeconfig", p.env["KUBECONFIG"])...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("printmarket %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	contains := func(out string, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(out, word) {
				t.Errorf("the output lacks %q:\n%s", word, out)
			}
		}
	}
	rfq := func(when string, status int, code string) {
		t.Helper()
		if err := want(p.createRFQ("ACME_LIVE_KEY"), status, code); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	contains(verb("rollout", "kill", "rfq-create", "--reason", "INC-7", "--dry-run"), "Dry run, nothing is changed", "kubectl patch capabilityrollout rfq-create --namespace printmarket --field-manager=printmarket-cli")
	rfq("after a dry run", 201, "")
	contains(verb("rollout", "kill", "rfq-create", "--reason", "INC-7"), "spec.killSwitch.state", "Engaged", "Changed CapabilityRollout/rfq-create")
	rfq("after rollout kill", 503, "PARTNER_RFQ_CAPABILITY_UNAVAILABLE")
	contains(verb("rollout", "kill", "rfq-create", "--reason", "INC-7"), "has these values already")
	contains(verb("rollout", "release", "rfq-create"), "spec.killSwitch.state")
	rfq("after rollout release", 201, "")
	contains(verb("rollout", "hold", "rfq-create", "--reason", "INC-8"), "spec.hold.since")
	rfq("while the schedule is held", 201, "")
	contains(verb("rollout", "status", "rfq-create"), "Held", "PROPAGATED   True", "Reason given: INC-8", "KillSwitch", "  admin  ")
	contains(verb("rollout", "release", "rfq-create"), "spec.hold.reason")
	contains(verb("rollout", "abort", "rfq-create", "--ticket", "REL-90", "--to", "Sandbox"), "spec.stage")
	rfq("after rollout abort", 503, "PARTNER_RFQ_CAPABILITY_UNAVAILABLE")

	contains(verb("partner", "suspend", "acme", "--reason", "unpaid"), "spec.stateReason")
	rfq("after partner suspend", 403, "PARTNER_SUSPENDED")
	contains(verb("partner", "resume", "acme"), "Suspended", "Active")
	contains(verb("partner", "onboard", "hooli", "--organization", "org_hooli01", "--contract", "C-9", "--capabilities", "rfq-read", "--scopes", "rfq:read"), "Changed PartnerEntitlement/hooli")
	contains(p.kubectl("get", "partner", "hooli"), "org_hooli01")
	var done struct {
		Changes              []struct{ Object string }
		Cancelled, Remaining []string
	}
	if err := json.Unmarshal([]byte(verb("partner", "offboard", "acme", "--reason", "contract ended", "-o", "json")), &done); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	objects := ""
	for _, change := range done.Changes {
		objects += change.Object + " "
	}
	contains(objects, "PartnerEntitlement/acme", "XJMFSender/")
	contains(strings.Join(done.Remaining, "\n"), "Open RFQs were not read", "printmarket organizations erase org_acme01", "kubectl delete secret")
	rfq("after partner offboard", 403, "PARTNER_SUSPENDED")
	contains(verb("partner", "offboard", "acme", "--reason", "contract ended", "--delete-secrets", "--dry-run"), "Secrets that would be deleted: ")
	contains(verb("partner", "offboard", "acme", "--reason", "contract ended", "--delete-secrets"), "Secrets that were deleted: ")
	if left := p.kubectl("get", "secrets", "--output=name"); strings.Contains(left, "acme") {
		t.Errorf("Secrets after the offboarding:\n%s", left)
	}
}

// TestOffboardingCancelsOpenRFQsAndJobs offboards a partner of a directory of manifests, with the platform API
// and Redis.
func TestOffboardingCancelsOpenRFQsAndJobs(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := startDev(t, directory)
	created := p.createRFQ("ACME_LIVE_KEY")
	if err := want(created, 201, ""); err != nil {
		t.Fatal(err)
	}
	id := created.text("id")
	p.mustCommand("", "queue", "drain", "--for", "1h", "--wait", "30s")
	job := p.submitted(t, p.files()+"sample.pdf")
	p.until("the job waits", func() error { return p.isStatus(t, job, "queued") })
	var done struct{ Cancelled, CancelledJobs, Remaining []string }
	p.commandJSON(&done, "", "partner", "offboard", "acme", "--reason", "contract ended", "--from", filepath.Join(directory, "resources"), "--dry-run")
	if len(done.Cancelled) != 1 || done.Cancelled[0] != id {
		t.Errorf("dry run: %q would be cancelled, want %s", done.Cancelled, id)
	}
	if len(done.CancelledJobs) != 1 || done.CancelledJobs[0] != job {
		t.Errorf("dry run: the jobs %q would be cancelled, want %s", done.CancelledJobs, job)
	}
	p.commandJSON(&done, "", "partner", "offboard", "acme", "--reason", "contract ended", "--from", filepath.Join(directory, "resources"))
	if out := p.mustCommand("", "rfqs", "show", id); !strings.Contains(out, "cancelled") {
		t.Errorf("the RFQ is not cancelled:\n%s", out)
	}
	if len(done.CancelledJobs) != 1 || done.CancelledJobs[0] != job {
		t.Errorf("the jobs %q were cancelled, want %s", done.CancelledJobs, job)
	}
	p.until("the worker settles the job", func() error {
		if out := p.mustCommand("", "queue", "ls", "--organization", "org_acme01"); strings.Contains(out, job) {
			return fmt.Errorf("the job is still open:\n%s", out)
		}
		return nil
	})
	text, err := os.ReadFile(filepath.Join(directory, "resources", "partners", "acme.yaml"))
	if err != nil || !strings.Contains(string(text), "\n  state: Suspended\n") || !strings.Contains(string(text), "\n  stateReason: contract ended\n") {
		t.Errorf("the manifest of the partner: %v\n%s", err, text)
	}
}
