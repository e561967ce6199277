// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"strings"
	"testing"
)

const liveRollout = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
spec: {capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}}
`

// waits blocks until a change is in force, like a user at a terminal.
func (p person) waits(t *testing.T, arguments ...string) {
	t.Helper()
	p.must(t, "", append([]string{"wait", "--timeout=30s"}, arguments...)...)
}

// reads returns one field of an object.
func (p person) reads(t *testing.T, object, path string) string {
	t.Helper()
	return p.must(t, "", "get", object, "--output=jsonpath="+path)
}

const readyReason = `{.status.conditions[?(@.type=="Ready")].reason}`

func TestWaitReturnsWhenAnApplyIsInForce(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	release := as(t, namespace, "release-manager")
	for _, step := range []struct{ stage, ticket string }{{"Live", "REL-1"}, {"Sandbox", "REL-2"}, {"Disabled", "REL-3"}} {
		release.mustApply(t, "helm", strings.NewReplacer("Live", step.stage, "REL-1", step.ticket).Replace(liveRollout))
		// The wait must not end for the previous stage, whose condition was True too: the
		// condition contains the generation that it describes.
		release.waits(t, "--for=condition=Ready", "cap/rfq-create")
		if got := release.reads(t, "cap/rfq-create", "{.status.effectiveStage}"); got != step.stage {
			t.Errorf("ready at %s, want %s", got, step.stage)
		}
	}
	release.must(t, "", "delete", "cap/rfq-create", "--wait=false")
	release.waits(t, "--for=delete", "cap/rfq-create")
}

func TestWaitFollowsAKillSwitch(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	admin(namespace).mustApply(t, "helm", liveRollout)
	onCall := as(t, namespace, "on-call")
	onCall.waits(t, "--for=create", "cap/rfq-create")
	onCall.waits(t, "--for=jsonpath={.status.effectiveStage}=Live", "cap/rfq-create")

	onCall.must(t, "", "patch", "cap", "rfq-create", "--type=merge", `--patch={"spec":{"killSwitch":{"state":"Engaged","reason":"INC-1"}}}`)
	onCall.waits(t, "--for=condition=Ready", "cap/rfq-create")
	onCall.waits(t, "--for=jsonpath={.status.effectiveStage}=Disabled", "cap/rfq-create")
	onCall.waits(t, "--for=jsonpath="+readyReason+"=Killed", "cap/rfq-create")

	release := as(t, namespace, "release-manager")
	release.must(t, "", "patch", "cap", "rfq-create", "--type=merge", `--patch={"spec":{"killSwitch":null}}`)
	onCall.waits(t, "--for=condition=Ready", "cap/rfq-create")
	if got := onCall.reads(t, "cap/rfq-create", "{.status.effectiveStage}, "+readyReason); got != "Live, Enforced" {
		t.Errorf("after the release: %s, want it Live and Enforced", got)
	}
}

func TestWaitFollowsTheRevocationOfAKey(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	admin(namespace).mustApply(t, "partners", partnerManifest)
	onCall := as(t, namespace, "on-call")
	onCall.waits(t, "--for=jsonpath={.status.keys}=1 live, 1 test", "partner/acme")
	onCall.mustApply(t, "oncall", `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: acme}
spec: {keys: [{name: live, state: Revoked}]}
`)
	onCall.waits(t, "--for=condition=Ready", "partner/acme")
	if got := onCall.reads(t, "partner/acme", "{.status.keys}"); got != "0 live, 1 test" {
		t.Errorf("accepted keys: %s", got)
	}
}

// A fault that needs an edit has its own condition, so that a pipeline need not
// wait for a timeout.
func TestWaitReportsFaultyObjects(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	release := as(t, namespace, "release-manager")
	release.mustApply(t, "helm", strings.ReplaceAll(liveRollout, "rfq-create", "estimate"))
	release.waits(t, "--for=condition=Stalled", "cap/estimate")
	if got := release.reads(t, "cap/estimate", readyReason); got != "AboveCeiling" {
		t.Errorf("stalled because of %s", got)
	}
	out := release.kubectl(t, "", "wait", "--timeout=1s", "--for=condition=Ready", "cap/estimate")
	if out.err == nil || !strings.Contains(out.stderr, "timed out waiting for the condition") {
		t.Errorf("waiting for it to be ready: %v, %q; want a time-out", out.err, out.stderr)
	}
}

const partnerManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: acme}
spec:
  organizationID: org_acme01
  package: Enterprise
  state: Active
  contract: {reference: C-1, effectiveFrom: "2024-01-01T00:00:00Z"}
  capabilities: [{name: rfq-create}]
  scopes: ["rfq:read", "rfq:write"]
  keys:
    - {name: live, kind: Live, sha256: "00000000000000000000000000000000000000000000000000000000000000a1"}
    - {name: test, kind: Test, sha256: "00000000000000000000000000000000000000000000000000000000000000a2"}
`
