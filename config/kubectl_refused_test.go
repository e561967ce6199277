// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/test/kubetest"
)

// refusal is a manifest that admission refuses. It is a change of an object
// that it accepts: a JSON merge patch.
type refusal struct {
	what, base, change string
	// existing reports whether the base already exists and is applied again, by the
	// server; otherwise the changed object is created.
	existing bool
	// field is the field that the message must name.
	field string
}

var refusals = []refusal{
	{what: "promotion by two stages", base: sandboxRollout, existing: true, change: `{spec: {stage: Live, change: {ticket: REL-2}}}`, field: "spec.stage"},
	{what: "another stage under the same ticket", base: sandboxRollout, existing: true, change: `{spec: {stage: Disabled}}`, field: "spec.change.ticket"},
	{what: "another capability", base: sandboxRollout, existing: true, change: `{spec: {capability: rfq-read}}`, field: "spec.capability"},
	{what: "PrivateBeta without an audience", base: sandboxRollout, change: `{spec: {stage: PrivateBeta}}`, field: "spec.audience"},
	{what: "an unknown stage", base: sandboxRollout, change: `{spec: {stage: Beta}}`, field: "spec.stage"},
	{what: "a rollout under another name", base: sandboxRollout, change: `{metadata: {name: rfq}}`, field: "metadata"},
	{what: "a capability that there is not", base: sandboxRollout, change: `{metadata: {name: fax}, spec: {capability: fax}}`, field: "spec.capability"},
	{what: "no ticket", base: sandboxRollout, change: `{spec: {change: {ticket: null}}}`, field: "spec.change.ticket"},
	{what: "a kill switch without a reason", base: sandboxRollout, change: `{spec: {killSwitch: {state: Engaged}}}`, field: "spec.killSwitch.reason"},
	{what: "a misspelt kill switch", base: sandboxRollout, change: `{spec: {killswitch: {state: Engaged, reason: INC-1}}}`, field: "spec.killswitch"},
	{what: "a misspelt kill switch of an object that is there", base: sandboxRollout, existing: true, change: `{spec: {killswitch: {state: Engaged, reason: INC-1}}}`, field: "spec.killswitch"},
	{what: "a ramp that shrinks", base: sandboxRollout, change: `{spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 50}, {at: "2027-02-01T00:00:00Z", percent: 10}]}}}`, field: "spec.schedule.ramp"},
	{what: "a ramp above 100 percent", base: sandboxRollout, change: `{spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 101}]}}}`, field: "spec.schedule.ramp[0].percent"},
	{what: "a schedule that ends first", base: sandboxRollout, change: `{spec: {schedule: {notBefore: "2027-02-01T00:00:00Z", notAfter: "2027-01-01T00:00:00Z"}}}`, field: "spec.schedule.notAfter"},
	{what: "a time without a zone", base: sandboxRollout, change: `{spec: {schedule: {notBefore: "2027-02-01"}}}`, field: "spec.schedule.notBefore"},
	{what: "In without values", base: sandboxRollout, change: `{spec: {audience: {selector: {matchExpressions: [{key: tier, operator: In}]}}}}`, field: "spec.audience.selector.matchExpressions[0].values"},

	{what: "a revoked key that is to be active again", base: revokedPartner, existing: true, change: `{spec: {keys: [{name: live, kind: Live, state: Active, sha256: "` + digest + `"}]}}`, field: "spec.keys[0].state"},
	{what: "another digest under the name of a key", base: partnerManifest, existing: true, change: `{spec: {keys: [{name: live, kind: Live, sha256: "` + otherDigest + `"}]}}`, field: "spec.keys[0].sha256"},
	{what: "another organization", base: partnerManifest, existing: true, change: `{spec: {organizationID: org_acme02}}`, field: "spec.organizationID"},
	{what: "an organization of another form", base: partnerManifest, change: `{spec: {organizationID: acme}}`, field: "spec.organizationID"},
	{what: "a key in place of its digest", base: partnerManifest, change: `{spec: {keys: [{name: live, kind: Live, sha256: "` + plaintextKey + `"}]}}`, field: "spec.keys[0].sha256"},
	{what: "a digest in capitals", base: partnerManifest, change: `{spec: {keys: [{name: live, kind: Live, sha256: "` + strings.ToUpper(digest) + `"}]}}`, field: "spec.keys[0].sha256"},
	{what: "one digest twice", base: partnerManifest, change: `{spec: {keys: [{name: a, kind: Live, sha256: "` + digest + `"}, {name: b, kind: Live, sha256: "` + digest + `"}]}}`, field: "spec.keys"},
	{what: "a contract that ends first", base: partnerManifest, change: `{spec: {contract: {effectiveUntil: "2023-01-01T00:00:00Z"}}}`, field: "spec.contract.effectiveUntil"},
	{what: "an active partner without a contract", base: partnerManifest, change: `{spec: {contract: null}}`, field: "spec.contract"},
	{what: "a scope of the platform", base: partnerManifest, change: `{spec: {scopes: ["ops:read"]}}`, field: "spec.scopes"},
	{what: "a scope that there is not", base: partnerManifest, change: `{spec: {scopes: ["rfq:delete"]}}`, field: "spec.scopes[0]"},
	{what: "capabilities of the platform's own package", base: partnerManifest, change: `{spec: {package: Platform}}`, field: "spec.capabilities"},
	{what: "a grant of something that there is not", base: partnerManifest, change: `{spec: {capabilities: [{name: fax}]}}`, field: "spec.capabilities[0].name"},
	{what: "a negative quota", base: partnerManifest, change: `{spec: {capabilities: [{name: rfq-create, quota: {limit: -1}}]}}`, field: "spec.capabilities[0].quota.limit"},

	{what: "another sender id", base: senderManifest, existing: true, change: `{spec: {senderID: other}}`, field: "spec.senderID"},
	{what: "a secret in the manifest", base: senderManifest, change: `{spec: {secrets: [{name: current, value: swordfish, secretRef: {name: acme-xjmf, key: hmac}}]}}`, field: `spec.secrets[0].value`},
	{what: "a Secret of the platform", base: senderManifest, change: `{spec: {secrets: [{name: current, secretRef: {name: printmarket-database-owner, key: url}}]}}`, field: "spec.secrets[0].secretRef.name"},
	{what: "no secret", base: senderManifest, change: `{spec: {secrets: []}}`, field: "spec.secrets"},
	{what: "a secret whose time ends first", base: senderManifest, change: `{spec: {secrets: [{name: current, secretRef: {name: acme-xjmf, key: hmac}, notBefore: "2027-02-01T00:00:00Z", notAfter: "2027-01-01T00:00:00Z"}]}}`, field: "spec.secrets[0].notAfter"},
	{what: "an invalid scheme", base: senderManifest, change: `{spec: {scheme: Header}}`, field: "spec.scheme"},
	{what: "the name of a built-in profile", base: profileManifest, change: `{metadata: {name: pdfx4}}`, field: "a built-in profile has this name"},
	{what: "a profile without rules", base: profileManifest, change: `{spec: {extends: null, rules: null}}`, field: "spec"},
	{what: "an unknown severity", base: profileManifest, change: `{spec: {rules: {ink.tac: {severity: fatal}}}}`, field: "spec.rules.ink.tac.severity"},
	{what: "a limit that is no number", base: profileManifest, change: `{spec: {rules: {ink.tac: {limit: much}}}}`, field: "spec.rules.ink.tac.limit"},
	{what: "a profile for another capability", base: partnerManifest, change: `{spec: {capabilities: [{name: rfq-read, profiles: [house]}]}}`, field: "spec.capabilities[0].profiles"},
	{what: "a replay window of ten minutes", base: senderManifest, change: `{spec: {replayWindowSeconds: 600}}`, field: "spec.replayWindowSeconds"},
}

const (
	digest      = "00000000000000000000000000000000000000000000000000000000000000a1"
	otherDigest = "00000000000000000000000000000000000000000000000000000000000000b2"
	// plaintextKey has the form of a key.
	plaintextKey = "pmk_live_0123456789_01234567890123456789012345678901abcdef"

	sandboxRollout = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
spec: {capability: rfq-create, stage: Sandbox, change: {ticket: REL-1, approvedBy: erin}}
`
	revokedPartner = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: revoked}
spec:
  organizationID: org_acme01
  package: Enterprise
  state: Suspended
  keys: [{name: live, kind: Live, state: Revoked, sha256: "` + digest + `"}]
`
	profileManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PreflightProfile
metadata: {name: house}
spec: {version: 1.0.0, extends: print_ready, rules: {ink.tac: {limit: 300}}}
`
	senderManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: XJMFSender
metadata: {name: acme}
spec:
  senderID: acme-mis
  partner: acme
  state: Active
  secrets: [{name: current, secretRef: {name: acme-xjmf, key: hmac}}]
`
)

func TestRejectionNamesFieldAndRemedy(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	fresh, existing := admin(plane.Namespace(t)), admin(plane.Namespace(t))
	for _, manifest := range []string{sandboxRollout, partnerManifest, revokedPartner, senderManifest} {
		existing.mustApply(t, "test", manifest)
	}
	var out kubetest.Transcript
	for _, r := range refusals {
		who := fresh
		if r.existing {
			who = existing
		}
		message := who.refusal(t, r)
		if !strings.Contains(message, r.field) {
			t.Errorf("%s: the message does not name %s", r.what, r.field)
		}
		if strings.Contains(message, plaintextKey) {
			t.Errorf("%s: the message repeats the key", r.what)
		}
		out.WriteString("# " + r.what + "\n" + kubetest.Trimmed(message) + "\n")
	}
	got := out.String()
	if older() {
		// The oldest Kubernetes that we support prints the type of a refused value, the newest the
		// value or nothing.
		want, err := os.ReadFile(filepath.Join("testdata", "refused.txt"))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		if withoutValues(got) == withoutValues(string(want)) {
			return
		}
	}
	golden(t, "refused.txt", got)
}

// older reports whether the tests run on another control plane than the newest: make oldest.
func older() bool { return os.Getenv("KUBEBUILDER_ASSETS") != "" }

var refusedValue = regexp.MustCompile(`Invalid value: ("[^"]*"|null): `)

func withoutValues(messages string) string {
	return refusedValue.ReplaceAllString(messages, "Invalid value: ")
}

// refusal returns the message of kubectl for a rejected manifest.
func (p person) refusal(t *testing.T, r refusal) string {
	t.Helper()
	arguments := []string{"create", "--filename=-"}
	if r.existing {
		arguments = []string{"apply", "--server-side", "--field-manager=test", "--filename=-"}
	}
	out := p.kubectl(t, changed(t, r.base, r.change), arguments...)
	if out.err == nil {
		t.Errorf("%s is accepted", r.what)
	}
	return strings.ReplaceAll(out.stderr, p.namespace, "printmarket")
}

// changed is a manifest after a JSON merge patch (RFC 7396): null removes.
func changed(t *testing.T, manifest, patch string) string {
	t.Helper()
	var object, change map[string]any
	decode(t, []byte(manifest), &object)
	decode(t, []byte(patch), &change)
	merge(object, change)
	content, err := yaml.Marshal(object)
	if err != nil {
		t.Fatalf("yaml.Marshal: %v", err)
	}
	return string(content)
}

func merge(into, change map[string]any) {
	for name, value := range change {
		members, isObject := value.(map[string]any)
		former, wasObject := into[name].(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case isObject && wasObject:
			merge(former, members)
		default:
			into[name] = value
		}
	}
}
