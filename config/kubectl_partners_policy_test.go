// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
)

const (
	// acmeKeys are the keys of acmeSpec, each of which may be replaced.
	acmeKeys = `{name: live, kind: Live, sha256: "` + digest + `", expiresAt: "2027-06-01T00:00:00Z", scopes: ["rfq:write"]}, {name: old, kind: Live, state: Revoked, sha256: "` + revokedDigest + `"}`
	// acmeRest is acmeSpec without its keys.
	acmeRest = `organizationID: org_acme01, package: Enterprise, state: Active, contract: {reference: A-1, effectiveFrom: "2026-01-01T00:00:00Z"}, capabilities: [{name: rfq-create, quota: {limit: 5}}, {name: rfq-read}], scopes: ["rfq:write"]`

	acmeSpec      = `{` + acmeRest + `, keys: [` + acmeKeys + `]}`
	bareSpec      = `{organizationID: org_acme01, package: Enterprise, state: Suspended}`
	suspendedSpec = `{organizationID: org_acme01, package: Enterprise, state: Suspended, contract: {reference: A-1, effectiveFrom: "2026-01-01T00:00:00Z"}, scopes: ["rfq:write"]}`
	platformSpec  = `{organizationID: org_platform, package: Platform, state: Active, contract: {reference: P-1, effectiveFrom: "2026-01-01T00:00:00Z"}, scopes: ["ops:read"], keys: [{name: live, kind: Live, sha256: "` + digest + `"}]}`

	revokedDigest = "00000000000000000000000000000000000000000000000000000000000000c3"
	thirdDigest   = "00000000000000000000000000000000000000000000000000000000000000d4"

	addedKey    = `[{"op": "add", "path": "/spec/keys/-", "value": {"name": "mine", "kind": "Live", "sha256": "` + thirdDigest + `"}}]`
	revokeFirst = `[{"op": "replace", "path": "/spec/keys/0/state", "value": "Revoked"}]`
	suspend     = `{spec: {state: Suspended}}`

	// inTheNameOfErin follows the spec of an object that names erin as the user of its second change.
	inTheNameOfErin = `, metadata: {annotations: {marketplace.printmarket.dev/changed-by: erin, marketplace.printmarket.dev/changed-generation: "2"}}`

	needsMint       = "needs the verb mint on partnerentitlements/acme in the namespace"
	needsUpdate     = "needs the verb update on partnerentitlements/acme in the namespace"
	needsPlatform   = "needs the verb platform on partnerentitlements/acme in the namespace"
	askOperations   = "lacks: ask partner operations"
	askPlatform     = "lacks: ask a platform administrator"
	onlyNarrowingIs = "anything but revoking a key and suspending the partner"
)

// partnerJudgements lists cases for the partner acme.
var partnerJudgements = map[string]judgement{
	"on-call revokes a key":                                   {"on-call", acmeSpec, []request{{"json", revokeFirst}}, nil},
	"on-call revokes a key by an apply":                       {"on-call", acmeSpec, []request{{"apply", `{spec: {keys: [{name: live, state: Revoked}]}}`}}, nil},
	"on-call suspends a partner":                              {"on-call", acmeSpec, []request{{"merge", suspend}}, nil},
	"on-call suspends a partner and revokes a key at once":    {"on-call", acmeSpec, []request{{"json", `[{"op": "replace", "path": "/spec/state", "value": "Suspended"}, {"op": "replace", "path": "/spec/keys/0/state", "value": "Revoked"}]`}}, nil},
	"on-call suspends a partner with a reason":                {"on-call", acmeSpec, []request{{"merge", `{spec: {state: Suspended, stateReason: unpaid}}`}}, nil},
	"on-call revokes a key with a reason":                     {"on-call", acmeSpec, []request{{"json", `[{"op": "replace", "path": "/spec/keys/0/state", "value": "Revoked"}, {"op": "add", "path": "/spec/keys/0/stateReason", "value": "leaked"}]`}}, nil},
	"on-call suspends a partner and names itself":             {"on-call", acmeSpec, []request{{"merge", `{metadata: {annotations: {marketplace.printmarket.dev/changed-by: ON-CALL, marketplace.printmarket.dev/changed-generation: "2"}}, spec: {state: Suspended}}`}}, nil},
	"on-call suspends a partner and names another user":       {"on-call", acmeSpec, []request{{"merge", `{metadata: {annotations: {marketplace.printmarket.dev/changed-by: erin, marketplace.printmarket.dev/changed-generation: "2"}}, spec: {state: Suspended}}`}}, []string{"changed-by must be the user of the request"}},
	"on-call signs the next change in advance":                {"on-call", acmeSpec, []request{{"merge", `{metadata: {annotations: {marketplace.printmarket.dev/changed-by: ON-CALL, marketplace.printmarket.dev/changed-generation: "3"}}, spec: {state: Suspended}}`}}, []string{"changed-generation must be the generation"}},
	"on-call signs the change of another user":                {"on-call", acmeSpec, []request{{"merge", `{metadata: {annotations: {marketplace.printmarket.dev/changed-by: ON-CALL, marketplace.printmarket.dev/changed-generation: "1"}}}`}}, []string{"changed-generation must be the generation"}},
	"on-call states a reason without a suspension":            {"on-call", acmeSpec, []request{{"merge", `{spec: {stateReason: unpaid}}`}}, []string{"spec.stateReason: " + onlyNarrowingIs, needsUpdate}},
	"on-call rewrites the reason of a suspension":             {"on-call", suspendedSpec, []request{{"merge", `{spec: {stateReason: paid}}`}}, []string{"spec.stateReason: " + onlyNarrowingIs, needsUpdate}},
	"on-call rewrites the reason of a revocation":             {"on-call", acmeSpec, []request{{"json", `[{"op": "add", "path": "/spec/keys/1/stateReason", "value": "mine"}]`}}, []string{"spec.keys: " + onlyNarrowingIs, needsUpdate}},
	"on-call annotates a partner while suspending it":         {"on-call", acmeSpec, []request{{"merge", `{metadata: {annotations: {tier: gold}}, spec: {state: Suspended}}`}}, []string{"metadata: changing labels", needsUpdate}},
	"an author creates a partner in the name of another user": {"an author", "", []request{{"create", bareSpec + inTheNameOfErin}}, []string{"changed-by must be the user of the request"}},
	"on-call changes nothing":                                 {"on-call", suspendedSpec, []request{{"merge", suspend}}, nil},
	"on-call revokes a key of the Platform":                   {"on-call", platformSpec, []request{{"json", revokeFirst}}, nil},
	"on-call suspends the Platform":                           {"on-call", platformSpec, []request{{"merge", suspend}}, nil},
	"on-call adds a key":                                      {"on-call", acmeSpec, []request{{"json", addedKey}}, []string{"spec.keys: adding a key", needsMint, askOperations}},
	"on-call adds a key to the Platform":                      {"on-call", platformSpec, []request{{"json", addedKey}}, []string{"spec.package: changing spec.keys of a partner with the package Platform", needsPlatform, askPlatform}},
	"on-call adds a key while revoking another one":           {"on-call", acmeSpec, []request{{"json", strings.TrimSuffix(revokeFirst, "]") + ", " + strings.TrimPrefix(addedKey, "[")}}, []string{"spec.keys", needsMint}},
	"on-call replaces a key while revoking another one":       {"on-call", acmeSpec, []request{{"merge", `{spec: {keys: [{name: live, kind: Live, state: Revoked, sha256: "` + digest + `", expiresAt: "2027-06-01T00:00:00Z", scopes: ["rfq:write"]}, {name: old, kind: Live, state: Revoked, sha256: "` + revokedDigest + `"}, {name: mine, kind: Live, sha256: "` + thirdDigest + `"}]}}`}}, []string{"spec.keys", needsMint}},
	"on-call accepts a revoked key under another name":        {"on-call", acmeSpec, []request{{"merge", `{spec: {keys: [{name: mine, kind: Live, sha256: "` + revokedDigest + `"}]}}`}}, []string{"spec.keys", "wait until the controller has recorded the revocation"}},
	"on-call accepts a revoked key again":                     {"on-call", acmeSpec, []request{{"json", `[{"op": "replace", "path": "/spec/keys/1/state", "value": "Active"}]`}}, []string{"a revoked key stays revoked"}},
	"on-call extends a key":                                   {"on-call", acmeSpec, []request{{"json", `[{"op": "remove", "path": "/spec/keys/0/expiresAt"}]`}}, []string{"spec.keys", needsMint}},
	"on-call shortens a key":                                  {"on-call", acmeSpec, []request{{"json", `[{"op": "replace", "path": "/spec/keys/0/expiresAt", "value": "2027-01-01T00:00:00Z"}]`}}, []string{"spec.keys: " + onlyNarrowingIs, needsUpdate}},
	"on-call removes a key":                                   {"on-call", acmeSpec, []request{{"json", `[{"op": "remove", "path": "/spec/keys/0"}]`}}, []string{"spec.keys: " + onlyNarrowingIs, needsUpdate}},
	"on-call removes the scopes of a key":                     {"on-call", acmeSpec, []request{{"json", `[{"op": "remove", "path": "/spec/keys/0/scopes"}]`}}, []string{"spec.keys: " + onlyNarrowingIs, needsUpdate}},
	"on-call lists a scope for a key that lists none":         {"on-call", `{` + acmeRest + `, keys: [{name: live, kind: Live, sha256: "` + digest + `"}]}`, []request{{"json", `[{"op": "add", "path": "/spec/keys/0/scopes", "value": ["rfq:write"]}]`}}, []string{"spec.keys: adding a key, or extending its scopes", needsMint}},
	"on-call adds a scope":                                    {"on-call", acmeSpec, []request{{"merge", `{spec: {scopes: ["rfq:write", "rfq:read"]}}`}}, []string{"spec.scopes: adding a scope", needsMint, askOperations}},
	"on-call adds a scope to the Platform":                    {"on-call", platformSpec, []request{{"merge", `{spec: {scopes: ["ops:read", "quotes:ingest"]}}`}}, []string{needsPlatform}},
	"on-call adds a grant":                                    {"on-call", acmeSpec, []request{{"merge", `{spec: {capabilities: [{name: rfq-create, quota: {limit: 5}}, {name: rfq-read}, {name: preflight}]}}`}}, []string{"spec.capabilities: adding or changing a grant", needsMint}},
	"on-call raises a quota":                                  {"on-call", acmeSpec, []request{{"merge", `{spec: {capabilities: [{name: rfq-create, quota: {limit: 500}}, {name: rfq-read}]}}`}}, []string{"spec.capabilities", needsMint}},
	"on-call removes a grant":                                 {"on-call", acmeSpec, []request{{"merge", `{spec: {capabilities: [{name: rfq-read}]}}`}}, []string{"spec.capabilities: " + onlyNarrowingIs, needsUpdate}},
	"on-call resumes a partner":                               {"on-call", suspendedSpec, []request{{"merge", `{spec: {state: Active}}`}}, []string{"spec.state: " + onlyNarrowingIs, needsUpdate, askOperations}},
	"on-call turns a partner into the Platform":               {"on-call", suspendedSpec, []request{{"merge", `{spec: {package: Platform}}`}}, []string{needsPlatform}},
	"on-call extends the contract":                            {"on-call", acmeSpec, []request{{"merge", `{spec: {contract: {effectiveFrom: "2025-01-01T00:00:00Z"}}}`}}, []string{"spec.contract", needsUpdate}},
	"on-call suspends a partner and sends events elsewhere":   {"on-call", acmeSpec, []request{{"merge", `{spec: {state: Suspended, webhooks: [{name: mine, kind: Live, url: "https://mallory.example", secrets: [{name: a, secretRef: {name: a, key: a}}]}]}}`}}, []string{"spec.", "webhooks", needsUpdate}},
	"on-call no longer requires a client certificate":         {"on-call", strings.Replace(acmeSpec, "state: Active", "state: Active, requireClientCertificate: true", 1), []request{{"merge", `{spec: {requireClientCertificate: null}}`}}, []string{"spec.requireClientCertificate", needsUpdate}},
	"on-call suspends a partner and labels it":                {"on-call", acmeSpec, []request{{"merge", `{metadata: {labels: {tier: gold}}, spec: {state: Suspended}}`}}, []string{"metadata: changing labels", needsUpdate}},
	"on-call gives a partner an owner that is missing":        {"on-call", acmeSpec, []request{{"merge", `{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 0d1e4cb6-0c5c-4f58-9d2d-7a6e4d2e4c11}]}}`}}, []string{"metadata: changing labels, annotations, finalizers or owners", needsUpdate}},
	"on-call creates a partner":                               {"on-call", "", []request{{"create", bareSpec}}, []string{`cannot create resource "partnerentitlements"`}},
	"on-call deletes a partner":                               {"on-call", acmeSpec, []request{{"delete", ""}}, []string{`cannot delete resource "partnerentitlements"`}},
	"an author creates a partner without access":              {"an author", "", []request{{"create", bareSpec}}, nil},
	"an author creates a partner with access":                 {"an author", "", []request{{"create", acmeSpec}}, []string{"spec.keys: adding a key", needsMint}},
	"an author creates the Platform":                          {"an author", "", []request{{"create", platformSpec}}, []string{needsPlatform, askPlatform}},
	"an author adds a key":                                    {"an author", acmeSpec, []request{{"json", addedKey}}, []string{"spec.keys: adding a key", needsMint}},
	"an author resumes a partner":                             {"an author", suspendedSpec, []request{{"merge", `{spec: {state: Active}}`}}, nil},
	"an author shortens a key and removes a grant":            {"an author", acmeSpec, []request{{"json", `[{"op": "replace", "path": "/spec/keys/0/expiresAt", "value": "2027-01-01T00:00:00Z"}, {"op": "remove", "path": "/spec/capabilities/0"}]`}}, nil},
	"an author renames a key":                                 {"an author", acmeSpec, []request{{"merge", `{spec: {keys: [{name: other, kind: Live, sha256: "` + digest + `", expiresAt: "2027-06-01T00:00:00Z", scopes: ["rfq:write"]}, {name: old, kind: Live, state: Revoked, sha256: "` + revokedDigest + `"}]}}`}}, nil},
	"an author labels a partner":                              {"an author", acmeSpec, []request{{"merge", `{metadata: {labels: {tier: gold}}}`}}, nil},
	"partner operations create a partner and add a key":       {"partner operations", "", []request{{"create", acmeSpec}, {"json", addedKey}}, nil},
	"partner operations restrict a grant to the sandbox":      {"partner operations", acmeSpec, []request{{"merge", `{spec: {capabilities: [{name: rfq-create, quota: {limit: 5}}, {name: rfq-read, stage: Sandbox}]}}`}}, nil},
	"partner operations open a grant for live keys":           {"partner operations", acmeSpec, []request{{"merge", `{spec: {capabilities: [{name: rfq-create, quota: {limit: 5}}, {name: rfq-read, stage: PrivateBeta}]}}`}}, []string{"spec.capabilities: setting the stage of a grant above Sandbox", "needs the verb raise on capabilityrollouts/rfq-read in the namespace", "lacks: ask a release manager"}},
	"partner operations add a grant and a scope":              {"partner operations", acmeSpec, []request{{"merge", `{spec: {capabilities: [{name: rfq-create}], scopes: ["rfq:write", "rfq:read"]}}`}}, nil},
	"partner operations create the Platform":                  {"partner operations", "", []request{{"create", platformSpec}}, []string{needsPlatform}},
	"partner operations add a key to the Platform":            {"partner operations", platformSpec, []request{{"json", addedKey}}, []string{needsPlatform, askPlatform}},
	"partner operations turn the Platform into a partner":     {"partner operations", platformSpec, []request{{"merge", `{spec: {package: Enterprise, scopes: null}}`}}, []string{needsPlatform}},
	"partner operations resume the Platform":                  {"partner operations", strings.Replace(platformSpec, "Active", "Suspended", 1), []request{{"merge", `{spec: {state: Active}}`}}, []string{needsPlatform}},
	"a platform administrator adds a key to the Platform":     {"the platform administrator", platformSpec, []request{{"json", addedKey}}, nil},
	"a platform administrator creates the Platform":           {"the platform administrator", "", []request{{"create", platformSpec}}, nil},
	"the garbage collector removes a finalizer":               {"the garbage collector", platformSpec, []request{{"merge", `{metadata: {finalizers: [foregroundDeletion]}}`}, {"merge", `{metadata: {finalizers: null}}`}}, nil},
	"the controller writes the status of the Platform":        {"the controller", platformSpec, []request{{"status", `{status: {open: "1/1"}}`}}, nil},
	"a user with all verbs adds a key to the Platform":        {"who may do anything", platformSpec, []request{{"json", addedKey}}, nil},
	"an author changes no spec of a partner by the status":    {"the controller", acmeSpec, []request{{"status", `{spec: {scopes: ["rfq:write", "rfq:read"]}, status: {open: "1/1"}}`}}, nil},
	"a user with all verbs creates a partner with everything": {"who may do anything", "", []request{{"create", acmeSpec}}, nil},
}

func TestPolicySeparatesAddingFromRemovingAccess(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	judge(t, target{v1alpha1.KindPartnerEntitlement, namespace, "acme"}, clients, partnerJudgements)
}

const (
	senderSpec = `{senderID: acme-mis, partner: acme, state: Active, secrets: [{name: current, secretRef: {name: acme-xjmf, key: hmac}}]}`

	mintSender   = "needs the verb mint on xjmfsenders/acme in the namespace"
	updateSender = "needs the verb update on xjmfsenders/acme in the namespace"
)

// senderJudgements lists cases for the sender acme.
var senderJudgements = map[string]judgement{
	"on-call suspends a sender":                            {"on-call", senderSpec, []request{{"merge", suspend}}, nil},
	"on-call suspends a sender with a reason":              {"on-call", senderSpec, []request{{"merge", `{spec: {state: Suspended, stateReason: maintenance}}`}}, nil},
	"on-call states a reason of an active sender":          {"on-call", senderSpec, []request{{"merge", `{spec: {stateReason: maintenance}}`}}, []string{"spec.stateReason: anything but suspending the sender", updateSender}},
	"on-call resumes a sender":                             {"on-call", strings.Replace(senderSpec, "Active", "Suspended", 1), []request{{"merge", `{spec: {state: Active}}`}}, []string{"spec.state: anything but suspending the sender", updateSender, askOperations}},
	"on-call lets a sender send for another partner":       {"on-call", senderSpec, []request{{"merge", `{spec: {partner: stark}}`}}, []string{"spec.partner", mintSender, askOperations}},
	"on-call replaces the secret of a sender":              {"on-call", senderSpec, []request{{"merge", `{spec: {secrets: [{name: current, secretRef: {name: mine, key: hmac}}]}}`}}, []string{"spec.secrets: adding or changing a secret", mintSender}},
	"on-call suspends a sender and adds a secret":          {"on-call", senderSpec, []request{{"json", `[{"op": "replace", "path": "/spec/state", "value": "Suspended"}, {"op": "add", "path": "/spec/secrets/-", "value": {"name": "mine", "secretRef": {"name": "mine", "key": "hmac"}}}]`}}, []string{"spec.secrets", mintSender}},
	"on-call weakens the scheme of a sender":               {"on-call", strings.Replace(senderSpec, "state: Active", "state: Active, scheme: TimestampBody", 1), []request{{"merge", `{spec: {scheme: Body}}`}}, []string{"spec.scheme", updateSender}},
	"on-call gives a sender an owner that is missing":      {"on-call", senderSpec, []request{{"merge", `{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 0d1e4cb6-0c5c-4f58-9d2d-7a6e4d2e4c11}]}}`}}, []string{"metadata: changing labels", updateSender}},
	"on-call creates a sender":                             {"on-call", "", []request{{"create", senderSpec}}, []string{`cannot create resource "xjmfsenders"`}},
	"an author creates a sender":                           {"an author", "", []request{{"create", senderSpec}}, []string{"spec.secrets", mintSender}},
	"an author resumes a sender":                           {"an author", strings.Replace(senderSpec, "Active", "Suspended", 1), []request{{"merge", `{spec: {state: Active}}`}}, nil},
	"an author removes a secret":                           {"an author", strings.Replace(senderSpec, "secrets: [", "secrets: [{name: next, secretRef: {name: acme-xjmf, key: next}}, ", 1), []request{{"json", `[{"op": "remove", "path": "/spec/secrets/0"}]`}}, nil},
	"partner operations create a sender and add a secret":  {"partner operations", "", []request{{"create", senderSpec}, {"json", `[{"op": "add", "path": "/spec/secrets/-", "value": {"name": "next", "secretRef": {"name": "acme-xjmf", "key": "next"}}}]`}}, nil},
	"partner operations let a sender send for another one": {"partner operations", senderSpec, []request{{"merge", `{spec: {partner: stark}}`}}, nil},
}

func TestPolicySeparatesAddingFromSuspendingSenders(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	judge(t, target{v1alpha1.KindXJMFSender, namespace, "acme"}, clients, senderJudgements)
}

// A user with only the Role printmarket-on-call must not become a partner or the platform
// with kubectl.
func TestTheOnCallRoleClosesAccessWithKubectlAndOpensNone(t *testing.T) {
	t.Parallel()
	namespace, _ := guarded(t)
	partner := target{v1alpha1.KindPartnerEntitlement, namespace, "platform"}
	partner.prepare(t, strings.TrimSuffix(platformSpec, "]}")+`, {name: old, kind: Live, state: Revoked, sha256: "`+revokedDigest+`"}]}`)
	acme := target{v1alpha1.KindPartnerEntitlement, namespace, "acme"}
	acme.prepare(t, suspendedSpec)
	sender := target{v1alpha1.KindXJMFSender, namespace, "acme"}
	sender.prepare(t, senderSpec)
	rollout := target{v1alpha1.KindCapabilityRollout, namespace, "rfq-create"}
	rollout.prepare(t, sandboxSpec)
	onCall := person{plane.NewUser(t, "on-call-of-"+namespace), namespace}
	patch := func(object, kind, body string) commandOutput {
		return onCall.kubectl(t, "", "patch", object, "--type="+kind, "--patch="+body)
	}
	for name, attack := range map[string]struct {
		target
		object, kind, patch, refusal string
	}{
		"adds a digest to the Platform": {partner, "partner/platform", "json", addedKey, "needs the verb platform"},
		"adds a digest to a partner":    {acme, "partner/acme", "merge", `{"spec": {"keys": [{"name": "mine", "kind": "Live", "sha256": "` + thirdDigest + `"}]}}`, "needs the verb mint"},
		"adds a scope":                  {acme, "partner/acme", "json", `[{"op": "add", "path": "/spec/scopes/-", "value": "rfq:read"}]`, "needs the verb mint"},
		"accepts a revoked key":         {partner, "partner/platform", "json", `[{"op": "replace", "path": "/spec/keys/1/state", "value": "Active"}]`, "a revoked key stays revoked"},
		"resumes a partner":             {acme, "partner/acme", "merge", `{"spec": {"state": "Active"}}`, "needs the verb update"},
		"changes the partner":           {sender, "sender/acme", "merge", `{"spec": {"partner": "platform"}}`, "needs the verb mint"},
		"changes the package":           {acme, "partner/acme", "merge", `{"spec": {"package": "Platform"}}`, "needs the verb platform"},
		"raises a stage":                {rollout, "cap/rfq-create", "merge", `{"spec": {"stage": "PrivateBeta", "change": {"ticket": "REL-2"}, "audience": {"partners": ["acme"]}}}`, "needs the verb raise"},
	} {
		before := attack.spec(t)
		out := patch(attack.object, attack.kind, attack.patch)
		if out.err == nil || !strings.Contains(out.stderr, attack.refusal) {
			t.Errorf("%s: %v, %q; want a refusal that says %q", name, out.err, out.stderr, attack.refusal)
		}
		if diff := cmp.Diff(before, attack.spec(t)); diff != "" {
			t.Errorf("%s: the spec changed (-before +after):\n%s", name, diff)
		}
	}
	for name, closing := range map[string]struct{ object, kind, patch string }{
		"revokes a key":            {"partner/platform", "json", revokeFirst},
		"suspends a partner":       {"partner/platform", "merge", `{"spec": {"state": "Suspended"}}`},
		"suspends a sender":        {"sender/acme", "merge", `{"spec": {"state": "Suspended"}}`},
		"engages the kill switch":  {"cap/rfq-create", "merge", `{"spec": {"killSwitch": {"state": "Engaged", "reason": "INC-1"}}}`},
		"words the reason of that": {"cap/rfq-create", "merge", `{"spec": {"killSwitch": {"state": "Engaged", "reason": "INC-2"}}}`},
	} {
		if out := patch(closing.object, closing.kind, closing.patch); out.err != nil {
			t.Errorf("%s: %v, %q", name, out.err, out.stderr)
		}
	}
}

// Deleting everything of a namespace needs none of the custom verbs.
func TestANamespaceWithPlatformPartnersCanBeDeleted(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	partner := target{v1alpha1.KindPartnerEntitlement, namespace, "acme"}
	partner.prepare(t, platformSpec)
	collector := clients["the garbage collector"]
	if err := collector.Delete(t.Context(), partner.with(t, `{}`), client.PropagationPolicy("Background")); err != nil {
		t.Errorf("the garbage collector deletes a Platform partner: %v", err)
	}
	eventually.Succeeds(t, func() error {
		if spec := partner.spec(t); len(spec) > 0 {
			return fmt.Errorf("the partner is still there: %v", spec)
		}
		return nil
	})
}
