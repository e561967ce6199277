// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

const (
	digestA = "00000000000000000000000000000000000000000000000000000000000000aa"
	digestB = "00000000000000000000000000000000000000000000000000000000000000bb"
)

const partnerManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: acme}
spec:
  organizationID: org_acme01
  package: Enterprise
  state: Active
  contract: {reference: C-1, effectiveFrom: "2024-01-01T00:00:00Z", effectiveUntil: "2030-01-01T00:00:00Z"}
  capabilities: [{name: rfq-create, quota: {limit: 5}}, {name: rfq-read}]
  scopes: ["rfq:read", "rfq:write"]
  keys: [{name: live, kind: Live, sha256: "` + digestA + `"}]
`

const rolloutManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: rfq-create}
spec:
  capability: rfq-create
  stage: Sandbox
  change: {ticket: REL-1}
`

const senderManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: XJMFSender
metadata: {name: acme}
spec:
  senderID: acme-mis
  partner: acme
  state: Active
  secrets: [{name: current, secretRef: {name: acme-xjmf, key: hmac}}]
`

const profileManifest = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PreflightProfile
metadata: {name: house}
spec:
  version: 1.0.0
  extends: print_ready
  rules:
    box.bleed_short: {limit: 5 mm, tolerance: 0, source: our cutter}
    ink.tac: {severity: warning, limit: 300, area: "2.5 mm2"}
    page.user_unit: {severity: "off"}
`

const webhookManifest = `{name: erp, kind: Live, url: "https://mis.acme.example/events", secrets: [{name: current, secretRef: {name: acme-events, key: signing}}]}`

// webhooks is a patch of a partner.
func webhooks(each ...string) string { return `{spec: {webhooks: [` + strings.Join(each, ", ") + `]}}` }

func manyWebhooks(count int) []string {
	var out []string
	for i := range count {
		out = append(out, strings.Replace(webhookManifest, "erp", "erp-"+strconv.Itoa(i), 1))
	}
	return out
}

// withSecrets is a webhook with other secrets.
func withSecrets(each ...string) string {
	before, _, _ := strings.Cut(webhookManifest, "secrets:")
	return before + "secrets: [" + strings.Join(each, ", ") + "]}"
}

// The ceilings are written in a rule of the schema and compiled into the binary.
func TestStageOfGrantIsAcceptedUpToTheCeiling(t *testing.T) {
	t.Parallel()
	for capability := range posture.Capabilities() {
		for _, stage := range []posture.Posture{posture.Disabled, posture.Sandbox, posture.PrivateBeta, posture.Live} {
			o := patched(t, partnerManifest, `spec: {capabilities: [{name: `+capability.String()+`, stage: `+stage.Stage()+`}]}`)
			errs, want := judge(t).Create(t.Context(), o), stage != posture.Disabled && stage <= capability.Definition().Ceiling
			if accepted := len(errs) == 0; accepted != want {
				t.Errorf("%s at %s: accepted = %t, want %t as the ceiling is %s: %v", capability, stage.Stage(), accepted, want, capability.Definition().Ceiling.Stage(), errs.ToAggregate())
			}
		}
	}
}

// verdict compares the result of the API server with a part of the expected message;
// empty expects acceptance.
func verdict(t *testing.T, errs field.ErrorList, want string) {
	t.Helper()
	switch {
	case want == "" && len(errs) > 0:
		t.Errorf("refused: %v", errs.ToAggregate())
	case want != "" && len(errs) == 0:
		t.Errorf("accepted, want a refusal with %q", want)
	case want != "" && !strings.Contains(errs.ToAggregate().Error(), want):
		t.Errorf("refused with %v, want %q", errs.ToAggregate(), want)
	}
}

type createCase struct {
	manifest string
	patch    string
	want     string
}

// createCases returns new objects of each kind, by their description.
func createCases() map[string]map[string]createCase {
	many := strings.TrimSuffix(strings.Repeat(`"p", `, 257), ", ")
	manyProfiles := "p"
	for i := range 32 {
		manyProfiles += fmt.Sprintf(", p%d", i)
	}
	return map[string]map[string]createCase{
		"a partner": {
			"is accepted":                                          {partnerManifest, ``, ""},
			"with an unknown field is refused":                     {partnerManifest, `spec: {grants: []}`, "unknown field"},
			"with unknown metadata is refused":                     {partnerManifest, `metadata: {lables: {a: b}}`, "unknown field"},
			"without a name is refused":                            {partnerManifest, `metadata: {name: null}`, "metadata.name"},
			"with an upper-case name is refused":                   {partnerManifest, `metadata: {name: Acme}`, "metadata.name"},
			"without a spec is refused":                            {partnerManifest, `spec: null`, "spec"},
			"without an organization is refused":                   {partnerManifest, `spec: {organizationID: null}`, "spec.organizationID"},
			"with a short organization is refused":                 {partnerManifest, `spec: {organizationID: org_abc}`, "not an organization: org_ and 6 to 32 letters and digits, such as org_acme01"},
			"with a reason of its state is admitted":               {partnerManifest, `spec: {state: Suspended, stateReason: unpaid}`, ""},
			"with a long reason of its state is refused":           {partnerManifest, `spec: {stateReason: "` + strings.Repeat("a", 257) + `"}`, "spec.stateReason"},
			"with a foreign organization is refused":               {partnerManifest, `spec: {organizationID: acme_acme01}`, "spec.organizationID"},
			"without a package is refused":                         {partnerManifest, `spec: {package: null}`, "spec.package"},
			"with an unknown package is refused":                   {partnerManifest, `spec: {package: Gold}`, "spec.package"},
			"without a state is refused":                           {partnerManifest, `spec: {state: null}`, "spec.state"},
			"with an unknown state is refused":                     {partnerManifest, `spec: {state: active}`, "spec.state"},
			"that is active needs a contract":                      {partnerManifest, `spec: {contract: null}`, "an Active partner needs a contract"},
			"that is suspended needs no contract":                  {partnerManifest, `spec: {contract: null, state: Suspended}`, ""},
			"with an endless contract is accepted":                 {partnerManifest, `spec: {contract: {effectiveUntil: null}}`, ""},
			"with a contract that ends first is refused":           {partnerManifest, `spec: {contract: {effectiveUntil: "2023-01-01T00:00:00Z"}}`, "effectiveFrom must be before"},
			"with an empty contract is refused":                    {partnerManifest, `spec: {contract: {effectiveUntil: "2024-01-01T00:00:00Z"}}`, "effectiveFrom must be before"},
			"with a contract without a date is refused":            {partnerManifest, `spec: {contract: {effectiveFrom: null}}`, "effectiveFrom"},
			"with an invalid date is refused":                      {partnerManifest, `spec: {contract: {effectiveFrom: yesterday}}`, "effectiveFrom"},
			"with an unknown capability is refused":                {partnerManifest, `spec: {capabilities: [{name: rfq-delete}]}`, "name"},
			"with a capability twice is refused":                   {partnerManifest, `spec: {capabilities: [{name: rfq-read}, {name: rfq-read}]}`, "Duplicate value"},
			"with a negative quota is refused":                     {partnerManifest, `spec: {capabilities: [{name: rfq-read, quota: {limit: -1}}]}`, "limit"},
			"with a quota of none is accepted":                     {partnerManifest, `spec: {capabilities: [{name: rfq-read, quota: {limit: 0}}]}`, ""},
			"with a quota of half a record is refused":             {partnerManifest, `spec: {capabilities: [{name: rfq-read, quota: {limit: 0.5}}]}`, "limit"},
			"with a quota as a text is refused":                    {partnerManifest, `spec: {capabilities: [{name: rfq-read, quota: {limit: "5"}}]}`, "limit"},
			"with an endless window is refused":                    {partnerManifest, `spec: {capabilities: [{name: rfq-read, quota: {limit: 5, windowSeconds: 2678401}}]}`, "windowSeconds"},
			"with workers for preflight is accepted":               {partnerManifest, `spec: {capabilities: [{name: preflight, workers: {weight: 2, maxInFlight: 4}}]}`, ""},
			"with profiles for preflight is accepted":              {partnerManifest, `spec: {capabilities: [{name: preflight, profiles: [house, cutter]}]}`, ""},
			"with a profile twice is refused":                      {partnerManifest, `spec: {capabilities: [{name: preflight, profiles: [house, house]}]}`, "Duplicate value"},
			"with 33 profiles is refused":                          {partnerManifest, `spec: {capabilities: [{name: preflight, profiles: [` + manyProfiles + `]}]}`, "Too many"},
			"with profiles for another capability is refused":      {partnerManifest, `spec: {capabilities: [{name: rfq-read, profiles: [house]}]}`, "profiles is allowed only with the capability preflight"},
			"with workers for another capability is refused":       {partnerManifest, `spec: {capabilities: [{name: rfq-read, workers: {weight: 2}}]}`, "workers is allowed only with the capability preflight"},
			"with a period of a grant is accepted":                 {partnerManifest, `spec: {capabilities: [{name: rfq-read, notBefore: "2027-01-01T00:00:00Z", notAfter: "2027-02-01T00:00:00Z"}, {name: rfq-list, notAfter: "2027-02-01T00:00:00Z"}]}`, ""},
			"with a grant that ends first is refused":              {partnerManifest, `spec: {capabilities: [{name: rfq-read, notBefore: "2027-02-01T00:00:00Z", notAfter: "2027-01-01T00:00:00Z"}]}`, "notBefore must be before"},
			"with a stage of a grant is accepted":                  {partnerManifest, `spec: {capabilities: [{name: rfq-read, stage: Live}, {name: xjdf, stage: PrivateBeta}]}`, ""},
			"with a grant at Disabled is refused":                  {partnerManifest, `spec: {capabilities: [{name: rfq-read, stage: Disabled}]}`, "remove the grant"},
			"with a grant above the ceiling is refused":            {partnerManifest, `spec: {capabilities: [{name: xjdf, stage: Live}]}`, "above the highest stage"},
			"with a grant at an unknown stage is refused":          {partnerManifest, `spec: {capabilities: [{name: xjdf, stage: GA}]}`, "stage"},
			"with a grant that ends some time is refused":          {partnerManifest, `spec: {capabilities: [{name: rfq-read, notAfter: soon}]}`, "notAfter"},
			"with a window of nothing is refused":                  {partnerManifest, `spec: {capabilities: [{name: rfq-read, quota: {limit: 5, windowSeconds: 0}}]}`, "windowSeconds"},
			"with an unknown scope is refused":                     {partnerManifest, `spec: {scopes: ["rfq:delete"]}`, "scopes"},
			"with a scope twice is refused":                        {partnerManifest, `spec: {scopes: ["rfq:read", "rfq:read"]}`, "a scope occurs twice"},
			"with a scope of a key twice is refused":               {partnerManifest, `spec: {keys: [{name: a, kind: Live, sha256: "` + digestA + `", scopes: ["rfq:read", "rfq:read"]}]}`, "a scope occurs twice"},
			"with quotes:ingest is refused":                        {partnerManifest, `spec: {scopes: ["quotes:ingest"]}`, "need the package Platform"},
			"with ops:read is refused":                             {partnerManifest, `spec: {scopes: ["ops:read"]}`, "need the package Platform"},
			"with masterdata:write is refused":                     {partnerManifest, `spec: {scopes: ["masterdata:write"]}`, "need the package Platform"},
			"with organizations:erase is refused":                  {partnerManifest, `spec: {scopes: ["organizations:erase"]}`, "need the package Platform"},
			"with master_data:read is accepted":                    {partnerManifest, `spec: {scopes: ["master_data:read"]}`, ""},
			"of the package Platform holds its scopes":             {partnerManifest, `spec: {package: Platform, capabilities: [], scopes: ["quotes:ingest", "ops:read", "masterdata:write", "organizations:erase"]}`, ""},
			"of the package Platform with a capability is refused": {partnerManifest, `spec: {package: Platform}`, "must not have capabilities"},
			"with a rate limit for each surface is accepted":       {partnerManifest, `spec: {rateLimits: [{surface: partner, requests: 1, windowSeconds: 1}, {surface: preflight, requests: 1, windowSeconds: 1}, {surface: xjdf, requests: 1, windowSeconds: 1}, {surface: xjmf, requests: 1, windowSeconds: 1}, {surface: bridge, requests: 1, windowSeconds: 1}]}`, ""},
			"without keys, scopes and grants is accepted":          {partnerManifest, `spec: {keys: null, scopes: null, capabilities: null}`, ""},
			"with a key in plain text is refused":                  {partnerManifest, `spec: {keys: [{name: live, kind: Live, sha256: pmk_live_0123456789_01234567890123456789012345678901abcdef}]}`, "sha256"},
			"with an upper-case digest is refused":                 {partnerManifest, `spec: {keys: [{name: live, kind: Live, sha256: "` + strings.ToUpper(digestA) + `"}]}`, "sha256"},
			"with a key of no kind is refused":                     {partnerManifest, `spec: {keys: [{name: live, sha256: "` + digestA + `"}]}`, "kind"},
			"with a key of an unknown kind is refused":             {partnerManifest, `spec: {keys: [{name: live, kind: live, sha256: "` + digestA + `"}]}`, "kind"},
			"with a key of an unknown state is refused":            {partnerManifest, `spec: {keys: [{name: live, kind: Live, state: Paused, sha256: "` + digestA + `"}]}`, "state"},
			"with a key name twice is refused":                     {partnerManifest, `spec: {keys: [{name: a, kind: Live, sha256: "` + digestA + `"}, {name: a, kind: Live, sha256: "` + digestB + `"}]}`, "Duplicate value"},
			"with a digest twice is refused":                       {partnerManifest, `spec: {keys: [{name: a, kind: Live, sha256: "` + digestA + `"}, {name: b, kind: Live, sha256: "` + digestA + `"}]}`, "two keys have the same sha256"},
			"with two keys is accepted":                            {partnerManifest, `spec: {keys: [{name: a, kind: Live, sha256: "` + digestA + `"}, {name: b, kind: Test, sha256: "` + digestB + `", scopes: []}]}`, ""},
			"with client certificates is accepted":                 {partnerManifest, `spec: {requireClientCertificate: true, clientCertificates: [{name: a, spkiSHA256: "` + digestA + `"}, {name: b, spkiSHA256: "` + digestB + `", notAfter: "2027-01-01T00:00:00Z"}]}`, ""},
			"that needs a certificate and has none is accepted":    {partnerManifest, `spec: {requireClientCertificate: true}`, ""},
			"with a certificate without a pin is refused":          {partnerManifest, `spec: {clientCertificates: [{name: a}]}`, "spkiSHA256"},
			"with an upper-case pin is refused":                    {partnerManifest, `spec: {clientCertificates: [{name: a, spkiSHA256: "` + strings.ToUpper(digestA) + `"}]}`, "spkiSHA256"},
			"with a short pin is refused":                          {partnerManifest, `spec: {clientCertificates: [{name: a, spkiSHA256: "` + digestA[1:] + `"}]}`, "spkiSHA256"},
			"with a pin twice is refused":                          {partnerManifest, `spec: {clientCertificates: [{name: a, spkiSHA256: "` + digestA + `"}, {name: b, spkiSHA256: "` + digestA + `"}]}`, "two client certificates have the same spkiSHA256"},
			"with a certificate's name twice is refused":           {partnerManifest, `spec: {clientCertificates: [{name: a, spkiSHA256: "` + digestA + `"}, {name: a, spkiSHA256: "` + digestB + `"}]}`, "Duplicate value"},
			"with a certificate that ends some time is refused":    {partnerManifest, `spec: {clientCertificates: [{name: a, spkiSHA256: "` + digestA + `", notAfter: soon}]}`, "notAfter"},
			"with five certificates is refused": {partnerManifest, `spec: {clientCertificates: [{name: a, spkiSHA256: "` + digestA + `"}, {name: b, spkiSHA256: "` + digestB + `"}, {name: c, spkiSHA256: "` +
				strings.Repeat("c", 64) + `"}, {name: d, spkiSHA256: "` + strings.Repeat("d", 64) + `"}, {name: e, spkiSHA256: "` + strings.Repeat("e", 64) + `"}]}`, "clientCertificates"},
			"with an expiry that is no time is refused":          {partnerManifest, `spec: {keys: [{name: a, kind: Live, sha256: "` + digestA + `", expiresAt: soon}]}`, "expiresAt"},
			"with a webhook is accepted":                         {partnerManifest, webhooks(webhookManifest), ""},
			"with a webhook of some events is accepted":          {partnerManifest, webhooks(strings.Replace(webhookManifest, "kind:", "events: [rfq.quoted, preflight.failed], kind:", 1)), ""},
			"with a webhook of all events is accepted":           {partnerManifest, webhooks(strings.Replace(webhookManifest, "kind:", "events: [], kind:", 1)), ""},
			"with eight webhooks is accepted":                    {partnerManifest, webhooks(manyWebhooks(8)...), ""},
			"with nine webhooks is refused":                      {partnerManifest, webhooks(manyWebhooks(9)...), "spec.webhooks"},
			"with a webhook's name twice is refused":             {partnerManifest, webhooks(webhookManifest, webhookManifest), "Duplicate value"},
			"with an upper-case webhook is refused":              {partnerManifest, webhooks(strings.Replace(webhookManifest, "name: erp", "name: ERP", 1)), "webhooks[0].name"},
			"with a webhook of no kind is refused":               {partnerManifest, webhooks(strings.Replace(webhookManifest, "kind: Live, ", "", 1)), "kind"},
			"with a webhook of another kind is refused":          {partnerManifest, webhooks(strings.Replace(webhookManifest, "Live", "Both", 1)), "kind"},
			"with a webhook without a URL is refused":            {partnerManifest, webhooks(strings.Replace(webhookManifest, `url: "https://mis.acme.example/events", `, "", 1)), "url"},
			"with a webhook of an unknown event is refused":      {partnerManifest, webhooks(strings.Replace(webhookManifest, "kind:", "events: [rfq.eaten], kind:", 1)), "events"},
			"with a webhook of a test event is refused":          {partnerManifest, webhooks(strings.Replace(webhookManifest, "kind:", "events: [webhook.test], kind:", 1)), "events"},
			"with a webhook of an event twice is refused":        {partnerManifest, webhooks(strings.Replace(webhookManifest, "kind:", "events: [rfq.quoted, rfq.quoted], kind:", 1)), "an event occurs twice"},
			"with a webhook without secrets is refused":          {partnerManifest, webhooks(withSecrets()), "secrets"},
			"with a webhook of two secrets is accepted":          {partnerManifest, webhooks(withSecrets(`{name: a, secretRef: {name: s, key: a}, notAfter: "2027-01-02T00:00:00Z"}`, `{name: b, secretRef: {name: s, key: b}, notBefore: "2027-01-01T00:00:00Z"}`)), ""},
			"with a webhook of three secrets is refused":         {partnerManifest, webhooks(withSecrets(`{name: a, secretRef: {name: s, key: a}}`, `{name: b, secretRef: {name: s, key: b}}`, `{name: c, secretRef: {name: s, key: c}}`)), "secrets"},
			"with a webhook's secret that ends first is refused": {partnerManifest, webhooks(withSecrets(`{name: a, secretRef: {name: s, key: a}, notBefore: "2027-01-02T00:00:00Z", notAfter: "2027-01-01T00:00:00Z"}`)), "notBefore must be before"},
			"with a webhook's secret of the platform is refused": {partnerManifest, webhooks(withSecrets(`{name: a, secretRef: {name: printmarket-database, key: url}}`)), "are reserved for the platform"},
			"with a webhook's secret in plain text is refused":   {partnerManifest, webhooks(withSecrets(`{name: a, value: whsec_AAAA}`)), "unknown field"},
			"of the package Platform has no webhooks":            {partnerManifest, `{spec: {package: Platform, capabilities: [], webhooks: [` + webhookManifest + `]}}`, "the package Platform receives no events"},
			"with an unknown scope on a key is refused":          {partnerManifest, `spec: {keys: [{name: a, kind: Live, sha256: "` + digestA + `", scopes: ["nothing:known"]}]}`, "scopes"},
		},
		"a rollout": {
			"is accepted":                                   {rolloutManifest, ``, ""},
			"may be created at Live":                        {rolloutManifest, `spec: {stage: Live}`, ""},
			"with an unknown field is refused":              {rolloutManifest, `spec: {killswitch: {state: Engaged}}`, "unknown field"},
			"under another name is refused":                 {rolloutManifest, `metadata: {name: rfq}`, "must have the name of its capability"},
			"of an unknown capability is refused":           {rolloutManifest, `{metadata: {name: rfq-delete}, spec: {capability: rfq-delete}}`, "spec.capability"},
			"without a stage is refused":                    {rolloutManifest, `spec: {stage: null}`, "spec.stage"},
			"with an unknown stage is refused":              {rolloutManifest, `spec: {stage: GA}`, "spec.stage"},
			"without a ticket is refused":                   {rolloutManifest, `spec: {change: {ticket: null}}`, "ticket"},
			"without a change is refused":                   {rolloutManifest, `spec: {change: null}`, "spec.change"},
			"with an empty ticket is refused":               {rolloutManifest, `spec: {change: {ticket: ""}}`, "ticket"},
			"with an empty audience is refused":             {rolloutManifest, `spec: {audience: {}}`, "audience"},
			"with 257 partners is refused":                  {rolloutManifest, `spec: {audience: {partners: [` + many + `]}}`, "partners"},
			"with a partner twice is refused":               {rolloutManifest, `spec: {audience: {partners: [acme, acme]}}`, "a partner occurs twice"},
			"at PrivateBeta needs an audience":              {rolloutManifest, `spec: {stage: PrivateBeta}`, "PrivateBeta needs"},
			"at PrivateBeta needs more than exclusions":     {rolloutManifest, `spec: {stage: PrivateBeta, audience: {excluded: [acme]}}`, "PrivateBeta needs"},
			"at PrivateBeta needs at least one partner":     {rolloutManifest, `spec: {stage: PrivateBeta, audience: {partners: []}}`, "PrivateBeta needs"},
			"at PrivateBeta with partners is accepted":      {rolloutManifest, `spec: {stage: PrivateBeta, audience: {partners: [acme]}}`, ""},
			"at PrivateBeta with a selector is accepted":    {rolloutManifest, `spec: {stage: PrivateBeta, audience: {selector: {matchLabels: {tier: pilot}}}}`, ""},
			"with an empty selector is refused":             {rolloutManifest, `spec: {audience: {selector: {}}}`, "selector"},
			"with empty labels is refused":                  {rolloutManifest, `spec: {audience: {selector: {matchLabels: {}}}}`, "matchLabels"},
			"with no expressions is refused":                {rolloutManifest, `spec: {audience: {selector: {matchExpressions: []}}}`, "matchExpressions"},
			"with In and values is accepted":                {rolloutManifest, `spec: {audience: {selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}}`, ""},
			"with In and no values is refused":              {rolloutManifest, `spec: {audience: {selector: {matchExpressions: [{key: a, operator: In}]}}}`, "need values"},
			"with Exists is accepted":                       {rolloutManifest, `spec: {audience: {selector: {matchExpressions: [{key: a, operator: Exists}]}}}`, ""},
			"with Exists and values is refused":             {rolloutManifest, `spec: {audience: {selector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}}`, "need values"},
			"with an unknown operator is refused":           {rolloutManifest, `spec: {audience: {selector: {matchExpressions: [{key: a, operator: Gt, values: ["1"]}]}}}`, "operator"},
			"with an empty schedule is refused":             {rolloutManifest, `spec: {schedule: {}}`, "schedule"},
			"with a schedule is accepted":                   {rolloutManifest, `spec: {schedule: {notBefore: "2027-01-01T00:00:00Z", notAfter: "2027-02-01T00:00:00Z"}}`, ""},
			"with a schedule that ends first is refused":    {rolloutManifest, `spec: {schedule: {notBefore: "2027-02-01T00:00:00Z", notAfter: "2027-01-01T00:00:00Z"}}`, "notBefore must be before"},
			"with a growing ramp is accepted":               {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}, {at: "2027-01-02T00:00:00Z", percent: 100}]}}`, ""},
			"with a growing ramp in any order is accepted":  {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-02T00:00:00Z", percent: 100}, {at: "2027-01-01T00:00:00Z", percent: 10}]}}`, ""},
			"with a shrinking ramp is refused":              {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 50}, {at: "2027-01-02T00:00:00Z", percent: 10}]}}`, "a ramp only grows"},
			"with two steps at one time is refused":         {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}, {at: "2027-01-01T00:00:00Z", percent: 20}]}}`, "a ramp only grows"},
			"with one percentage twice is refused":          {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}, {at: "2027-01-02T00:00:00Z", percent: 10}]}}`, "Duplicate value"},
			"with an empty ramp is refused":                 {rolloutManifest, `spec: {schedule: {ramp: []}}`, "ramp"},
			"with zero percent is refused":                  {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 0}]}}`, "percent"},
			"with 101 percent is refused":                   {rolloutManifest, `spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 101}]}}`, "percent"},
			"with a hold is accepted":                       {rolloutManifest, `spec: {hold: {since: "2026-06-01T00:00:00Z", reason: INC-2}}`, ""},
			"with a hold needs a reason":                    {rolloutManifest, `spec: {hold: {since: "2026-06-01T00:00:00Z", reason: ""}}`, "spec.hold.reason"},
			"with a freeze is accepted":                     {rolloutManifest, `spec: {schedule: {freezes: [{from: "2026-12-20T00:00:00Z", until: "2027-01-03T00:00:00Z", reason: holidays}]}}`, ""},
			"with a freeze that ends first is refused":      {rolloutManifest, `spec: {schedule: {freezes: [{from: "2027-01-03T00:00:00Z", until: "2026-12-20T00:00:00Z"}]}}`, "from must be before until"},
			"with a dependency is accepted":                 {rolloutManifest, `spec: {dependsOn: [rfq-read]}`, ""},
			"with a dependency on itself is refused":        {rolloutManifest, `spec: {dependsOn: [rfq-create]}`, "cannot depend on itself"},
			"with an analysis is accepted":                  {rolloutManifest, analysed, ""},
			"with an analysis needs a query":                {rolloutManifest, `spec: {analysis: {queries: []}}`, "spec.analysis.queries"},
			"with an analysis needs a range of success":     {rolloutManifest, `spec: {analysis: {queries: [{name: errors, promQL: "1", success: {}}]}}`, "success"},
			"with an analysis needs numbers as bounds":      {rolloutManifest, `spec: {analysis: {queries: [{name: errors, promQL: "1", success: {atMost: "1 %"}}]}}`, "success.atMost"},
			"with an analysis of a false effect is refused": {rolloutManifest, `spec: {analysis: {onFailure: Ignore, queries: [{name: errors, promQL: "1", success: {atMost: "1"}}]}}`, "onFailure"},
			"with an engaged kill switch needs a reason":    {rolloutManifest, `spec: {killSwitch: {state: Engaged}}`, "needs a reason"},
			"with an engaged kill switch is accepted":       {rolloutManifest, `spec: {killSwitch: {state: Engaged, reason: INC-1}}`, ""},
			"with a released kill switch needs no reason":   {rolloutManifest, `spec: {killSwitch: {state: Released}}`, ""},
			"with an unknown kill switch state is refused":  {rolloutManifest, `spec: {killSwitch: {state: engaged, reason: INC-1}}`, "state"},
			"with prerequisites is refused":                 {rolloutManifest, `spec: {prerequisites: [rfq-read]}`, "unknown field"},
		},
		"a profile": {
			"is accepted":                              {profileManifest, ``, ""},
			"that extends none is accepted":            {profileManifest, `spec: {extends: null}`, ""},
			"without rules is accepted":                {profileManifest, `spec: {rules: null}`, ""},
			"with an unknown rule is accepted":         {profileManifest, `spec: {rules: {box.unknown: {severity: error}}}`, ""},
			"without rules and a base is refused":      {profileManifest, `spec: {rules: null, extends: null}`, "a profile without rules accepts every file: set extends or rules"},
			"with empty rules and no base is refused":  {strings.ReplaceAll(profileManifest, "  extends: print_ready\n", ""), `spec: {rules: {box.bleed_short: null, ink.tac: null, page.user_unit: null}}`, "a profile without rules"},
			"without a version is refused":             {profileManifest, `spec: {version: null}`, "spec.version"},
			"with a space in its version is refused":   {profileManifest, `spec: {version: "1 0"}`, "spec.version"},
			"with the name of a built-in is refused":   {profileManifest, `metadata: {name: pdfx4}`, "a built-in profile has this name: choose another name"},
			"with a name for simulators is refused":    {profileManifest, `metadata: {name: "sim:pass"}`, "metadata.name"},
			"with a name of 64 characters is refused":  {profileManifest, `metadata: {name: "` + strings.Repeat("a", 64) + `"}`, "at most 63 characters"},
			"that extends another object is refused":   {profileManifest, `spec: {extends: house}`, "spec.extends"},
			"with an unknown severity is refused":      {profileManifest, `spec: {rules: {ink.tac: {severity: fatal}}}`, "Unsupported value"},
			"with a severity that is false is refused": {profileManifest, `spec: {rules: {ink.tac: {severity: false}}}`, "severity"},
			"with an empty rule is refused":            {profileManifest, `spec: {rules: {ink.spot_used: {}}}`, "ink.spot_used"},
			"with an unknown member is refused":        {profileManifest, `spec: {rules: {ink.tac: {limits: 3}}}`, "unknown field"},
			"with a text as its limit is refused":      {profileManifest, `spec: {rules: {ink.tac: {limit: much}}}`, "limit"},
			"with a bare decimal as limit is refused":  {profileManifest, `spec: {rules: {ink.tac: {limit: 2.5}}}`, "limit"},
			"with a negative limit is accepted":        {profileManifest, `spec: {rules: {ink.tac: {limit: -1}}}`, ""},
			"with a long id of a rule is refused":      {profileManifest, `spec: {rules: {` + strings.Repeat("a", 65) + `: {severity: error}}}`, "the id of a rule has at most 64 characters"},
			"with the role of an ink is accepted":      {profileManifest, `spec: {inks: {"Form 7": cut}}`, ""},
			"with a long name of an ink is refused":    {profileManifest, `spec: {inks: {` + strings.Repeat("a", 128) + `: cut}}`, "the name of an ink has at most 127 characters"},
			"with an unknown role is refused":          {profileManifest, `spec: {inks: {"Form 7": knife}}`, "Unsupported value"},
			"with a long title is refused":             {profileManifest, `spec: {title: "` + strings.Repeat("a", 121) + `"}`, "spec.title"},
		},
		"a sender": {
			"is accepted":                                  {senderManifest, ``, ""},
			"with an unknown field is refused":             {senderManifest, `spec: {secret: x}`, "unknown field"},
			"without an id is refused":                     {senderManifest, `spec: {senderID: null}`, "senderID"},
			"with an empty id is refused":                  {senderManifest, `spec: {senderID: ""}`, "senderID"},
			"with a space in its id is refused":            {senderManifest, `spec: {senderID: "acme mis"}`, "senderID"},
			"with an id of 129 characters is refused":      {senderManifest, `spec: {senderID: "` + strings.Repeat("a", 129) + `"}`, "senderID"},
			"without a partner is refused":                 {senderManifest, `spec: {partner: null}`, "partner"},
			"without a state is refused":                   {senderManifest, `spec: {state: null}`, "state"},
			"without secrets is refused":                   {senderManifest, `spec: {secrets: []}`, "secrets"},
			"with four secrets is refused":                 {senderManifest, `spec: {secrets: [` + strings.Repeat(`{name: a, secretRef: {name: s, key: k}}, `, 4) + `]}`, "secrets"},
			"with two rotating secrets is accepted":        {senderManifest, `spec: {secrets: [{name: a, secretRef: {name: s, key: a}, notAfter: "2027-01-02T00:00:00Z"}, {name: b, secretRef: {name: s, key: b}, notBefore: "2027-01-01T00:00:00Z"}]}`, ""},
			"with a secret that ends first is refused":     {senderManifest, `spec: {secrets: [{name: a, secretRef: {name: s, key: a}, notBefore: "2027-01-02T00:00:00Z", notAfter: "2027-01-01T00:00:00Z"}]}`, "notBefore must be before"},
			"with a secret without a reference is refused": {senderManifest, `spec: {secrets: [{name: a}]}`, "secretRef"},
			"with a Secret of the platform is refused":     {senderManifest, `spec: {secrets: [{name: a, secretRef: {name: printmarket-sessions, key: k}}]}`, "are reserved for the platform"},
			"with six minutes of replay is refused":        {senderManifest, `spec: {replayWindowSeconds: 360}`, "replayWindowSeconds"},
			"with one minute of replay is accepted":        {senderManifest, `spec: {replayWindowSeconds: 60}`, ""},
			"of the mode Test is accepted":                 {senderManifest, `spec: {mode: Test}`, ""},
			"of another mode is refused":                   {senderManifest, `spec: {mode: Sandbox}`, "mode"},
			"that signs the timestamp too is accepted":     {senderManifest, `spec: {scheme: TimestampBody}`, ""},
			"that signs something else is refused":         {senderManifest, `spec: {scheme: Header}`, "scheme"},
		},
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	for group, tests := range createCases() {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for name, tc := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					verdict(t, judge(t).Create(t.Context(), patched(t, tc.manifest, tc.patch)), tc.want)
				})
			}
		})
	}
}

type updateCase struct {
	manifest string
	old, new string
	want     string
}

// revokedKey and recorded are patches of a partner: its key is revoked, and the status records that.
const (
	revokedKey = `spec: {keys: [{name: live, kind: Live, sha256: "` + digestA + `", state: Revoked}]}`
	recorded   = "\nstatus: {revokedKeys: [\"" + digestA + "\"]}"
)

const (
	analysis = `analysis: {queries: [{name: errors, promQL: "sum(errors)", success: {atMost: "0.01"}}]}`
	analysed = `spec: {` + analysis + `}`
	raised   = `spec: {stage: PrivateBeta, audience: {partners: [acme]}, change: {ticket: REL-2}, ` + analysis + `}`
)

// ramped returns a rollout at a stage with a ramp of two steps and an analysis.
func ramped(stage string) string {
	return `spec: {stage: ` + stage + `, audience: {partners: [acme]}, change: {ticket: REL-` + stage + `}, ` + analysis + `,
  schedule: {ramp: [{at: "2026-01-01T00:00:00Z", percent: 10}, {at: "2026-01-02T00:00:00Z", percent: 100}]}}`
}

// result returns the status of an analysis.
func result(stage string, percent int, phase string) string {
	return fmt.Sprintf("\nstatus: {analysis: {stage: %s, percent: %d, phase: %s, since: \"2026-01-03T00:00:00Z\"}}", stage, percent, phase)
}

// updateCases returns edits of objects of each kind, by their description.
func updateCases() map[string]updateCase {
	return map[string]updateCase{
		"a partner may be suspended":                 {partnerManifest, ``, `spec: {state: Suspended}`, ""},
		"an organization never changes":              {partnerManifest, ``, `spec: {organizationID: org_other1}`, "organizationID is immutable"},
		"a key may be revoked":                       {partnerManifest, ``, `spec: {keys: [{name: live, kind: Live, sha256: "` + digestA + `", state: Revoked}]}`, ""},
		"a revoked key stays revoked":                {partnerManifest, `spec: {keys: [{name: live, kind: Live, sha256: "` + digestA + `", state: Revoked}]}`, ``, "a revoked key stays revoked"},
		"a key may be removed":                       {partnerManifest, ``, `spec: {keys: []}`, ""},
		"a recorded revocation allows the removal":   {partnerManifest, revokedKey + recorded, `spec: {keys: []}` + recorded, ""},
		"a revoked key stays until it is recorded":   {partnerManifest, revokedKey, `spec: {keys: []}`, "wait until the controller has recorded the revocation"},
		"all keys stay while one is not recorded":    {partnerManifest, revokedKey, `spec: {keys: null}`, "wait until the controller has recorded the revocation"},
		"a revoked key is not renamed to an active":  {partnerManifest, revokedKey, `spec: {keys: [{name: next, kind: Live, sha256: "` + digestA + `"}]}`, "wait until the controller has recorded the revocation"},
		"a revoked key may get another name":         {partnerManifest, revokedKey, `spec: {keys: [{name: next, kind: Live, sha256: "` + digestA + `", state: Revoked}]}`, ""},
		"a recorded key does not become active":      {partnerManifest, `spec: {keys: []}` + recorded, `spec: {keys: [{name: next, kind: Live, sha256: "` + digestA + `"}]}` + recorded, "was revoked for good"},
		"a recorded key may return as revoked":       {partnerManifest, `spec: {keys: []}` + recorded, revokedKey + recorded, ""},
		"another key may follow a recorded one":      {partnerManifest, revokedKey + recorded, `spec: {keys: [{name: next, kind: Live, sha256: "` + digestB + `"}]}` + recorded, ""},
		"a status records a revoked key":             {partnerManifest, revokedKey, revokedKey + recorded, ""},
		"a status cannot record an active key":       {partnerManifest, ``, recorded, "was revoked for good"},
		"the digest of a key never changes":          {partnerManifest, ``, `spec: {keys: [{name: live, kind: Live, sha256: "` + digestB + `"}]}`, "are immutable"},
		"the kind of a key never changes":            {partnerManifest, ``, `spec: {keys: [{name: live, kind: Test, sha256: "` + digestA + `"}]}`, "are immutable"},
		"a key may be added in front":                {partnerManifest, ``, `spec: {keys: [{name: next, kind: Live, sha256: "` + digestB + `"}, {name: live, kind: Live, sha256: "` + digestA + `"}]}`, ""},
		"a stage is raised with a new ticket":        {rolloutManifest, ``, `spec: {stage: PrivateBeta, audience: {partners: [acme]}, change: {ticket: REL-2}}`, ""},
		"a stage is not raised with the old ticket":  {rolloutManifest, ``, `spec: {stage: PrivateBeta, audience: {partners: [acme]}}`, "needs a new change.ticket"},
		"a stage is not lowered with the old ticket": {rolloutManifest, ``, `spec: {stage: Disabled}`, "needs a new change.ticket"},
		"a stage is not raised by two":               {rolloutManifest, ``, `spec: {stage: Live, change: {ticket: REL-2}}`, "one stage at a time"},
		"a stage is not raised by three":             {rolloutManifest, `spec: {stage: Disabled}`, `spec: {stage: Live, change: {ticket: REL-2}}`, "one stage at a time"},
		"a stage may be lowered by three":            {rolloutManifest, `spec: {stage: Live}`, `spec: {stage: Disabled, change: {ticket: REL-2}}`, ""},
		"a stage is not raised above the ceiling":    {rolloutManifest, `{metadata: {name: order}, spec: {capability: order, stage: Disabled}}`, `{metadata: {name: order}, spec: {capability: order, stage: Sandbox, change: {ticket: REL-2}}}`, "above the highest stage"},
		"a pilot is not raised to Live":              {rolloutManifest, `{metadata: {name: xjdf}, spec: {capability: xjdf, stage: PrivateBeta, audience: {partners: [acme]}}}`, `{metadata: {name: xjdf}, spec: {capability: xjdf, stage: Live, change: {ticket: REL-2}}}`, "above the highest stage"},
		"a stage waits for its analysis":             {rolloutManifest, analysed, raised, "the analysis of the stage has not succeeded"},
		"a stage waits for a running analysis":       {rolloutManifest, analysed, raised + result("Sandbox", 0, "Running"), "the analysis of the stage has not succeeded"},
		"a stage waits for its own analysis":         {rolloutManifest, analysed, raised + result("PrivateBeta", 0, "Succeeded"), "the analysis of the stage has not succeeded"},
		"a stage is raised after its analysis":       {rolloutManifest, analysed, raised + result("Sandbox", 0, "Succeeded"), ""},
		"an edit cannot remove the analysis as well": {rolloutManifest, analysed, `spec: {stage: PrivateBeta, audience: {partners: [acme]}, change: {ticket: REL-2}}`, "the analysis of the stage has not succeeded"},
		"an analysis may be removed":                 {rolloutManifest, analysed, ``, ""},
		"a stage is lowered without an analysis":     {rolloutManifest, analysed, `spec: {stage: Disabled, change: {ticket: REL-2}, ` + analysis + `}`, ""},
		"a disabled stage needs no analysis":         {rolloutManifest, `spec: {stage: Disabled, ` + analysis + `}`, `spec: {stage: Sandbox, change: {ticket: REL-2}, ` + analysis + `}`, ""},
		"a stage waits for the last step":            {rolloutManifest, ramped("PrivateBeta"), ramped("Live") + result("PrivateBeta", 10, "Succeeded"), "the analysis of the stage has not succeeded"},
		"a stage is raised after the last step":      {rolloutManifest, ramped("PrivateBeta"), ramped("Live") + result("PrivateBeta", 100, "Succeeded"), ""},
		"a ticket may change alone":                  {rolloutManifest, ``, `spec: {change: {ticket: REL-2}}`, ""},
		"a kill switch needs no new ticket":          {rolloutManifest, `spec: {stage: Live}`, `spec: {stage: Live, killSwitch: {state: Engaged, reason: INC-1}}`, ""},
		"a capability never changes":                 {rolloutManifest, ``, `{metadata: {name: rfq-read}, spec: {capability: rfq-read}}`, "capability is immutable"},
		"a sender id never changes":                  {senderManifest, ``, `spec: {senderID: other}`, "senderID is immutable"},
		"the mode of a sender never changes":         {senderManifest, ``, `spec: {mode: Test}`, "mode is immutable"},
		"a sender may get a second secret":           {senderManifest, ``, `spec: {secrets: [{name: current, secretRef: {name: acme-xjmf, key: hmac}}, {name: next, secretRef: {name: acme-xjmf, key: next}}]}`, ""},
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, tc := range updateCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := patched(t, tc.manifest, tc.old)
			verdict(t, judge(t).Create(t.Context(), before), "")
			verdict(t, judge(t).Update(t.Context(), patched(t, tc.manifest, tc.new), before), tc.want)
		})
	}
}

// TestAFullRecordOfRevokedKeysStaysWithinTheCostBudget judges the largest partner: each rule compares 16
// keys with 512 recorded digests.
func TestAFullRecordOfRevokedKeysStaysWithinTheCostBudget(t *testing.T) {
	t.Parallel()
	digest := func(i int) string { return fmt.Sprintf("%064x", i) }
	var digests, before, after []string
	for i := range 512 {
		digests = append(digests, `"`+digest(i)+`"`)
	}
	for i := range 16 {
		before = append(before, fmt.Sprintf(`{name: old-%d, kind: Live, sha256: "%s", state: Revoked}`, i, digest(511-i)))
		after = append(after, fmt.Sprintf(`{name: new-%d, kind: Live, sha256: "%s"}`, i, digest(1000+i)))
	}
	with := func(keys []string) map[string]any {
		return patched(t, partnerManifest, "spec: {keys: ["+strings.Join(keys, ", ")+"]}\nstatus: {revokedKeys: ["+strings.Join(digests, ", ")+"]}")
	}
	former := with(before)
	verdict(t, judge(t).Create(t.Context(), former), "")
	verdict(t, judge(t).Update(t.Context(), with(after), former), "")
	after[15] = strings.Replace(after[15], digest(1015), digest(511), 1)
	verdict(t, judge(t).Update(t.Context(), with(after), former), "was revoked for good")
	digests = append(digests, `"`+digest(2000)+`"`)
	verdict(t, judge(t).Update(t.Context(), with(before), former), "must have at most 512 items")
}

func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	partner, sender := object(t, partnerManifest), object(t, senderManifest)
	verdict(t, judge(t).Create(t.Context(), partner), "")
	verdict(t, judge(t).Create(t.Context(), sender), "")
	spec := partner["spec"].(map[string]any)
	quota := spec["capabilities"].([]any)[0].(map[string]any)["quota"].(map[string]any)
	if quota["windowSeconds"] != int64(86400) {
		t.Errorf("windowSeconds = %v, want a day", quota["windowSeconds"])
	}
	key := spec["keys"].([]any)[0].(map[string]any)
	if key["state"] != "Active" {
		t.Errorf("state of a key = %v, want Active", key["state"])
	}
	if _, present := key["scopes"]; present {
		t.Error("scopes of a key were filled in; absent has its own meaning")
	}
	if window := sender["spec"].(map[string]any)["replayWindowSeconds"]; window != int64(300) {
		t.Errorf("replayWindowSeconds = %v, want 300", window)
	}
	if scheme := sender["spec"].(map[string]any)["scheme"]; scheme != "Body" {
		t.Errorf("scheme = %v, want Body", scheme)
	}
}

func TestEverySampleIsValid(t *testing.T) {
	t.Parallel()
	count := 0
	for _, dir := range []string{"rollouts", "partners", "senders"} {
		files, err := fs.Glob(config.FS, path.Join(config.SamplesDir, dir, "*.yaml"))
		if err != nil {
			t.Fatalf("fs.Glob: %v", err)
		}
		for _, file := range files {
			content, err := fs.ReadFile(config.FS, file)
			if err != nil {
				t.Fatalf("fs.ReadFile(%q): %v", file, err)
			}
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				verdict(t, judge(t).Create(t.Context(), object(t, string(content))), "")
			})
			count++
		}
	}
	if want := 14 + 5 + 1; count != want {
		t.Errorf("%d samples, want %d", count, want)
	}
}

// TestOrganizationSchemaAgreesWithPackageTenant compares the two definitions of an
// organization ID.
func TestOrganizationSchemaAgreesWithPackageTenant(t *testing.T) {
	t.Parallel()
	for _, organization := range []string{
		"org_acme01", "org_ABCxyz09", "org_" + strings.Repeat("a", 32), "org_" + strings.Repeat("a", 33), "org_abcde", "org_", "", "acme01", "ORG_acme01",
		"org_acme-01", "org_acme 01", "org_acme01\n", "org_äcme01", "org_acme_01", "xorg_acme01",
	} {
		o := object(t, partnerManifest)
		o["spec"].(map[string]any)["organizationID"] = organization
		errs := judge(t).Create(t.Context(), o)
		if _, err := tenant.New(organization, tenant.Live); (err == nil) != (len(errs) == 0) {
			t.Errorf("%q: tenant.New returns %v, the schema returns %v", organization, err, errs)
		}
	}
}
