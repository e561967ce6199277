// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// killed is the complete manifest that a person on call applies.
const killed = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
spec: {killSwitch: {state: Engaged, reason: INC-1}}
`

// released is the same without the switch, which removes it.
const released = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
`

const killSwitch = "{.spec.killSwitch}"

// The kill switch has a field manager of its own, so that a release neither
// releases it nor is in its way.
func TestReleaseKeepsAnEngagedKillSwitch(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	release, onCall := as(t, namespace, "release-manager"), as(t, namespace, "on-call")
	release.mustApply(t, "helm", liveRollout)
	onCall.mustApply(t, "oncall", killed)
	engaged := onCall.reads(t, "cap/rfq-create", killSwitch)
	for _, next := range []string{
		liveRollout,
		strings.NewReplacer("stage: Live", "stage: Sandbox", "REL-1", "REL-2").Replace(liveRollout),
	} {
		release.mustApply(t, "helm", next)
		if got := release.reads(t, "cap/rfq-create", killSwitch); got != engaged || got == "" {
			t.Errorf("the kill switch is %q after a release, want %q", got, engaged)
		}
	}
	release.waits(t, "--for=condition=Ready", "cap/rfq-create")
	if got := release.reads(t, "cap/rfq-create", "{.spec.stage} {.status.effectiveStage} "+readyReason); got != "Sandbox Disabled Killed" {
		t.Errorf("released under an engaged switch: %s", got)
	}
	wantOwners(t, release, map[string][]string{
		"helm": {"spec.capability", "spec.change", "spec.stage"}, "oncall": {"spec.killSwitch"}, "printmarket-controller": {"status"},
	})

	if out := onCall.apply(t, "oncall", released); out.err == nil || !strings.Contains(out.stderr, "spec.killSwitch: releasing it needs the verb raise") {
		t.Errorf("on-call releases the switch: %v, %q; want a refusal", out.err, out.stderr)
	}
	// A release manager owns no field of the switch, so the release removes it by a patch.
	release.must(t, "", "patch", "cap", "rfq-create", "--type=merge", `--patch={"spec":{"killSwitch":null}}`)
	release.waits(t, "--for=condition=Ready", "cap/rfq-create")
	if got := release.reads(t, "cap/rfq-create", killSwitch+"{.status.effectiveStage}"); got != "Sandbox" {
		t.Errorf("after the release: %s, want the stage alone", got)
	}
}

func TestAReleaseThatTouchesAnEngagedSwitchConflicts(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	release, onCall := as(t, namespace, "release-manager"), as(t, namespace, "on-call")
	release.mustApply(t, "helm", liveRollout)
	onCall.mustApply(t, "oncall", killed)
	touching := strings.Replace(liveRollout, "stage: Live", "stage: Live, killSwitch: {state: Released}", 1)
	out := release.apply(t, "helm", touching)
	if out.err == nil || !strings.Contains(out.stderr, `conflict with "oncall": .spec.killSwitch.state`) {
		t.Errorf("helm releases the switch: %v, %q; want a conflict that names oncall and the field", out.err, out.stderr)
	}
	if got := release.reads(t, "cap/rfq-create", "{.spec.killSwitch.state}"); got != "Engaged" {
		t.Errorf("the kill switch is %q", got)
	}
}

// A patch without a field manager does not belong to a release either.
func TestAPatchedKillSwitchOutlivesARelease(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	release, onCall := as(t, namespace, "release-manager"), as(t, namespace, "on-call")
	release.mustApply(t, "helm", liveRollout)
	onCall.must(t, "", "patch", "cap", "rfq-create", "--type=merge", `--patch={"spec":{"killSwitch":{"state":"Engaged","reason":"INC-1"}}}`)
	release.mustApply(t, "helm", liveRollout)
	if got := release.reads(t, "cap/rfq-create", "{.spec.killSwitch.state}"); got != "Engaged" {
		t.Errorf("the kill switch is %q", got)
	}
}

// An apply that meets no object would make one: a wrong name must be noticed.
func TestKillSwitchOfAMissingObjectIsRejected(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	onCall := as(t, namespace, "on-call")
	if out := onCall.apply(t, "oncall", killed); out.err == nil || !strings.Contains(out.stderr, "spec.stage: Required value") {
		t.Errorf("the switch alone: %v, %q; want a refusal that names the fields that are missing", out.err, out.stderr)
	}
	refusal := "cannot create resource"
	if older() {
		refusal = "(Forbidden)" // without a reason
	}
	if out := onCall.apply(t, "oncall", liveRollout); out.err == nil || !strings.Contains(out.stderr, refusal) {
		t.Errorf("a whole rollout: %v, %q; want a refusal to create", out.err, out.stderr)
	}
}

// To revoke a key is a change of what partner operations apply, and they notice
// by a conflict.
func TestApplyDoesNotRestoreARevokedKey(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	partners, onCall := as(t, namespace, "partner-operations"), as(t, namespace, "on-call")
	active := strings.ReplaceAll(partnerManifest, "kind: Live,", "kind: Live, state: Active,")
	partners.mustApply(t, "partners", active)
	revoke := `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: acme}
spec: {keys: [{name: live, state: Revoked}]}
`
	onCall.must(t, revoke, "apply", "--server-side", "--field-manager=oncall", "--force-conflicts", "--filename=-")
	out := partners.apply(t, "partners", active)
	if out.err == nil || !strings.Contains(out.stderr, `conflict with "oncall": .spec.keys[name="live"].state`) {
		t.Errorf("a later apply: %v, %q; want a conflict that names oncall and the key", out.err, out.stderr)
	}
	out = partners.kubectl(t, active, "apply", "--server-side", "--field-manager=partners", "--force-conflicts", "--filename=-")
	if out.err == nil || !strings.Contains(out.stderr, "a revoked key stays revoked") {
		t.Errorf("by force: %v, %q; want a refusal", out.err, out.stderr)
	}
	if got := partners.reads(t, "partner/acme", `{.spec.keys[?(@.name=="live")].state}`); got != "Revoked" {
		t.Errorf("the key is %q", got)
	}
}

// wantOwners compares the managers of the fields of spec and status.
func wantOwners(t *testing.T, who person, want map[string][]string) {
	t.Helper()
	var object metav1.PartialObjectMetadata
	out := who.must(t, "", "get", "cap/rfq-create", "--show-managed-fields", "--output=json")
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	got := map[string][]string{}
	for _, entry := range object.ManagedFields {
		var fields map[string]map[string]json.RawMessage
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			t.Fatalf("json.Unmarshal: %v", err)
		}
		for _, name := range slices.Sorted(maps.Keys(fields["f:spec"])) {
			got[entry.Manager] = append(got[entry.Manager], "spec."+strings.TrimPrefix(name, "f:"))
		}
		if len(fields["f:status"]) > 0 {
			got[entry.Manager] = append(got[entry.Manager], "status")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
}
