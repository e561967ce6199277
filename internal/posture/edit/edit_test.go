// SPDX-License-Identifier: Apache-2.0

package edit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/edit"
)

const rolloutManifest = `# Requests for quotes.
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
spec:
  capability: rfq-create # the name of the object
  stage: PrivateBeta # since spring
  change: {ticket: REL-1, approvedBy: erin}

  # The pilots.
  audience:
    partners: [acme]
  schedule:
    notAfter: "2027-01-01T00:00:00Z"
    ramp:
      - {at: "2026-06-01T00:00:00Z", percent: 10}
      - {at: "2026-07-01T00:00:00Z", percent: 100}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: other
`

const partnerManifest = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata:
  name: acme
spec:
  organizationID: org_acme01
  package: Standard
  state: Active
  contract: {reference: C-1, effectiveFrom: "2026-01-01T00:00:00Z"}
  webhooks:
    - name: mis
      kind: Live
      url: https://mis.acme.example/events
      secrets: [{name: first, secretRef: {name: acme-events, key: signing}}]`

const senderManifest = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: XJMFSender
metadata: {name: acme-mis}
spec:
  senderID: acme-mis
  partner: acme
  state: Active
  secrets: [{name: first, secretRef: {name: acme-xjmf, key: shared}}]
`

// open returns a directory with the manifests of a rollout, a partner and its sender.
func open(t *testing.T) (*edit.Directory, string) {
	t.Helper()
	path := t.TempDir()
	for name, text := range map[string]string{"rollout.yaml": rolloutManifest, "acme.yaml": partnerManifest, "sender.yml": senderManifest} {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%s): %v", name, err)
		}
	}
	directory, err := edit.OpenDirectory(path)
	if err != nil {
		t.Fatalf("OpenDirectory: %v", err)
	}
	return directory, path
}

var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

func TestVerbsChangeOnlyTheirLinesOfAManifest(t *testing.T) {
	t.Parallel()
	engaged := strings.Replace(rolloutManifest, "---\n", "  killSwitch:\n    reason: 'INC-7: prices'\n    state: Engaged\n---\n", 1)
	live := "apiVersion: marketplace.printmarket.dev/v1alpha1\nkind: CapabilityRollout\nmetadata: {name: rfq-create}\n" +
		"spec:\n  capability: rfq-create\n  stage: Live\n  change: {ticket: REL-1}\n"
	held := strings.Replace(rolloutManifest, "---\n", "  hold:\n    reason: INC-8\n    since: \"2026-06-15T12:00:00Z\"\n---\n", 1)
	for name, tc := range map[string]struct {
		id      edit.ID
		before  string
		patch   edit.Patch
		want    string // the manifest afterwards; empty if the patch is refused
		refusal string
		fields  []edit.Field
	}{
		"a kill adds the switch": {
			edit.Rollout("rfq-create"), rolloutManifest, edit.Kill("INC-7: prices"), engaged, "",
			[]edit.Field{{"spec.killSwitch.reason", nil, "INC-7: prices"}, {"spec.killSwitch.state", nil, "Engaged"}},
		},
		"a release removes it": {
			edit.Rollout("rfq-create"), engaged, edit.Release(""), rolloutManifest, "",
			[]edit.Field{{"spec.killSwitch.reason", "INC-7: prices", nil}, {"spec.killSwitch.state", "Engaged", nil}},
		},
		"a release of the hold leaves the switch": {
			edit.Rollout("rfq-create"), engaged, edit.Release(edit.ReleaseHold), "", "neither a kill switch nor a hold is in force", nil,
		},
		"a hold begins now": {
			edit.Rollout("rfq-create"), rolloutManifest, edit.HoldSchedule("INC-8", now), held, "",
			[]edit.Field{{"spec.hold.reason", nil, "INC-8"}, {"spec.hold.since", nil, "2026-06-15T12:00:00Z"}},
		},
		"a second hold is refused": {
			edit.Rollout("rfq-create"), held, edit.HoldSchedule("INC-9", now), "", "the schedule is held since 2026-06-15T12:00:00Z: INC-8", nil,
		},
		"a promotion keeps the comment of the stage": {
			edit.Rollout("rfq-create"), rolloutManifest, edit.Promote(v1alpha1.Change{Ticket: "REL-2"}),
			strings.NewReplacer("stage: PrivateBeta # since", "stage: Live # since", "change: {ticket: REL-1, approvedBy: erin}", "change: {ticket: REL-2}").Replace(rolloutManifest), "",
			[]edit.Field{{"spec.change.approvedBy", "erin", nil}, {"spec.change.ticket", "REL-1", "REL-2"}, {"spec.stage", "PrivateBeta", "Live"}},
		},
		"a promotion with the former ticket is refused as by a cluster": {
			edit.Rollout("rfq-create"), rolloutManifest, edit.Promote(v1alpha1.Change{Ticket: "REL-1"}), "", "a change of stage needs a new change.ticket", nil,
		},
		"an abort lowers the stage and removes the ramp": {
			edit.Rollout("rfq-create"), rolloutManifest, edit.Abort("", v1alpha1.Change{Ticket: "REL-2", ApprovedBy: "erin"}),
			strings.NewReplacer("stage: PrivateBeta # since", "stage: Sandbox # since", "ticket: REL-1, approvedBy: erin", "approvedBy: erin, ticket: REL-2",
				"    ramp:\n      - {at: \"2026-06-01T00:00:00Z\", percent: 10}\n      - {at: \"2026-07-01T00:00:00Z\", percent: 100}\n", "").Replace(rolloutManifest), "", nil,
		},
		"an abort without an audience skips PrivateBeta": {
			edit.Rollout("rfq-create"), live, edit.Abort("", v1alpha1.Change{Ticket: "REL-2"}),
			strings.NewReplacer("stage: Live", "stage: Sandbox", "REL-1", "REL-2").Replace(live), "",
			[]edit.Field{{"spec.change.ticket", "REL-1", "REL-2"}, {"spec.stage", "Live", "Sandbox"}},
		},
		"an abort to a higher stage is refused": {
			edit.Rollout("rfq-create"), rolloutManifest, edit.Abort(v1alpha1.StageLive, v1alpha1.Change{Ticket: "REL-2"}), "", "there is no lower stage Live", nil,
		},
		"a suspension states its reason, also without a line end": {
			edit.Partner("acme"), partnerManifest, edit.Suspend("unpaid"),
			strings.Replace(partnerManifest, "state: Active", "state: Suspended", 1) + "\n  stateReason: unpaid\n", "",
			[]edit.Field{{"spec.state", "Active", "Suspended"}, {"spec.stateReason", nil, "unpaid"}},
		},
		"an active partner cannot resume": {
			edit.Partner("acme"), partnerManifest, edit.Resume, "", "the partner is Active already", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory, path := open(t)
			file := filepath.Join(path, map[string]string{"acme": "acme.yaml", "rfq-create": "rollout.yaml"}[tc.id.Name])
			if err := os.WriteFile(file, []byte(tc.before), 0o600); err != nil {
				t.Fatalf("os.WriteFile: %v", err)
			}
			for _, dryRun := range []bool{true, false} {
				change, err := directory.Edit(t.Context(), tc.id, tc.patch, dryRun)
				if tc.refusal != "" {
					if err == nil || !strings.Contains(err.Error(), tc.refusal) {
						t.Errorf("Edit: error %v, want %q", err, tc.refusal)
					}
				} else if err != nil {
					t.Fatalf("Edit: %v", err)
				}
				if diff := cmp.Diff(tc.fields, change.Fields); tc.fields != nil && diff != "" {
					t.Errorf("changed fields (-want +got):\n%s", diff)
				}
				want := tc.want
				if dryRun || tc.refusal != "" {
					want = tc.before
				}
				got, err := os.ReadFile(file)
				if err != nil {
					t.Fatalf("os.ReadFile: %v", err)
				}
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Errorf("dry run %t: manifest (-want +got):\n%s", dryRun, diff)
				}
			}
		})
	}
}

func TestAManifestInAnotherFormIsNotChanged(t *testing.T) {
	t.Parallel()
	directory, path := open(t)
	flow := "{apiVersion: marketplace.printmarket.dev/v1alpha1, kind: CapabilityRollout, metadata: {name: rfq-create}, " +
		"spec: {capability: rfq-create, stage: Sandbox, change: {ticket: REL-1}}}\n"
	if err := os.WriteFile(filepath.Join(path, "rollout.yaml"), []byte(flow), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	if _, err := directory.Edit(t.Context(), edit.Rollout("rfq-create"), edit.Kill("INC-7"), false); !errors.Is(err, edit.ErrForm) {
		t.Errorf("Edit: error %v, want %v", err, edit.ErrForm)
	}
	if _, err := directory.Edit(t.Context(), edit.Rollout("estimate"), edit.Kill("INC-7"), false); !errors.Is(err, edit.ErrNotFound) {
		t.Errorf("Edit of a missing object: error %v, want %v", err, edit.ErrNotFound)
	}
}

func TestOnboardingWritesAManifestThatAClusterAdmits(t *testing.T) {
	t.Parallel()
	directory, path := open(t)
	onboarding := edit.Onboarding{
		Name: "globex", Organization: "org_globex", Package: v1alpha1.PackageStandard, Contract: "C-2", ContractFrom: now,
		Capabilities: []string{"rfq-create"}, Scopes: []string{"rfq:write"},
	}
	object, err := onboarding.Object()
	if err != nil {
		t.Fatalf("Object: %v", err)
	}
	change, err := directory.Create(t.Context(), object, true)
	if _, missing := os.Stat(change.Place); err != nil || !errors.Is(missing, os.ErrNotExist) {
		t.Errorf("dry run: error %v, file: %v; want neither", err, missing)
	}
	if change, err = directory.Create(t.Context(), object, false); err != nil || change.Place != filepath.Join(path, "partners", "globex.yaml") {
		t.Fatalf("Create: %v, place %q", err, change.Place)
	}
	got, err := directory.Get(t.Context(), edit.Partner("globex"))
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	if diff := cmp.Diff(object, got); diff != "" {
		t.Errorf("read again (-written +read):\n%s", diff)
	}
	if _, err := directory.Create(t.Context(), object, false); !errors.Is(err, edit.ErrExists) {
		t.Errorf("second Create: error %v, want %v", err, edit.ErrExists)
	}
	onboarding.Name, onboarding.Organization = "stark", "stark"
	if object, err = onboarding.Object(); err != nil {
		t.Fatalf("Object: %v", err)
	}
	if _, err := directory.Create(t.Context(), object, false); err == nil || !strings.Contains(err.Error(), "not an organization") {
		t.Errorf("Create with an invalid organization: error %v", err)
	}
}

func TestSendersAndSecretsOfAPartnerAreFound(t *testing.T) {
	t.Parallel()
	directory, _ := open(t)
	senders, err := directory.Senders(t.Context(), "acme")
	if err != nil || len(senders) != 1 || senders[0].Name != "acme-mis" {
		t.Fatalf("Senders: %v, %v", senders, err)
	}
	object, err := directory.Get(t.Context(), edit.Partner("acme"))
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	var partner v1alpha1.PartnerEntitlement
	if err := object.Decode(&partner); err != nil {
		t.Fatalf("Decode: %v", err)
	}
	if diff := cmp.Diff([]string{"acme-events", "acme-xjmf"}, edit.SecretsOf(partner, senders)); diff != "" {
		t.Errorf("SecretsOf (-want +got):\n%s", diff)
	}
}
