// SPDX-License-Identifier: Apache-2.0

// Package posturetest generates the objects of an installation for property
// and fuzz tests of the posture and of everything that is derived from it.
package posturetest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Judged returns the time at which tests evaluate the posture. It is the middle
// one of [Moments].
func Judged() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Moments returns the times at which generated contracts, grants, schedules, keys and
// secrets begin and end, in ascending order.
func Moments() []time.Time {
	now := Judged()
	return []time.Time{now.AddDate(0, 0, -4), now.AddDate(0, 0, -1), now, now.AddDate(0, 0, 1), now.AddDate(0, 0, 4)}
}

// Each runs a test with the objects of each of a fixed series of seeds.
func Each(t *testing.T, test func(t *testing.T, g Generator, in posture.Inputs)) {
	t.Helper()
	for seed := range uint64(40) {
		g := Random(seed)
		test(t, g, g.Inputs())
	}
}

// Generator generates objects. It returns a number in [0,n), by which the
// generator chooses among n values. Most objects are sound; some have a value
// that the schema of their kind would reject. A generator that always returns 1
// generates sound objects without schedules, audiences and certificates.
type Generator func(n int) int

// Random returns a generator that chooses by chance and repeatably.
func Random(seed uint64) Generator { return rand.New(rand.NewPCG(seed, 1)).IntN }

// FromBytes returns a generator that chooses by the input of a fuzz test. At the
// end of the input it returns 0.
func FromBytes(data []byte) Generator {
	return func(n int) int {
		if len(data) == 0 {
			return 0
		}
		first := int(data[0])
		data = data[1:]
		return first % n
	}
}

// OneIn reports true once in n times on average.
func (g Generator) OneIn(n int) bool { return g(n) == 0 }

// Pick returns one of some values.
func Pick[T any](g Generator, from ...T) T { return from[g(len(from))] }

// Mostly returns the first value eleven times out of twelve, and one of the
// others otherwise.
func Mostly[T any](g Generator, usual T, others ...T) T {
	if !g.OneIn(12) {
		return usual
	}
	return Pick(g, others...)
}

// Moment returns one of [Moments].
func (g Generator) Moment() metav1.Time { return metav1.NewTime(Pick(g, Moments()...)) }

// maybe returns a moment once in n times, and nil otherwise.
func (g Generator) maybe(n int) *metav1.Time {
	if !g.OneIn(n) {
		return nil
	}
	return new(g.Moment())
}

// Partners returns the names of the generated partners.
func Partners() []string { return []string{"acme", "stark", "globex"} }

// Keys returns the names of the generated API keys, "live:" or "test:" with the
// name of their partner. [Key] returns a key by its name.
func Keys() []string {
	return []string{"live:acme", "test:acme", "live:stark", "test:stark", "live:globex", "test:globex"}
}

// Key returns the API key of a name. The same name always returns the same key.
// It panics if the name does not begin with "live:" or "test:".
func Key(name string) credential.Key {
	mode, _, _ := strings.Cut(name, ":")
	key, err := credential.Mint(tenant.Mode(mode), rand.NewChaCha8(sha256.Sum256([]byte(name))))
	if err != nil {
		panic(err)
	}
	return key
}

// Inputs generates the objects of one installation: rollouts of most
// capabilities, three partners and their senders, with the Secrets that partners
// and senders refer to.
func (g Generator) Inputs() posture.Inputs {
	var in posture.Inputs
	for capability := range posture.Capabilities() {
		for range Mostly(g, 1, 0, 2) {
			in.Rollouts = append(in.Rollouts, g.rollout(capability.String(), len(in.Rollouts)))
		}
	}
	for i, name := range Partners() {
		in.Partners = append(in.Partners, g.partner(name, i))
		in.Senders = append(in.Senders, g.sender(name))
	}
	for _, name := range []string{"house", "cutter"} {
		in.Profiles = append(in.Profiles, g.profile(name))
	}
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, secrets)
	in.Webhooks = posture.NewWebhookBundle(in.Partners, secrets)
	return in
}

// Objects returns the objects of inputs by reference.
func Objects(in posture.Inputs) posture.Objects {
	return posture.Objects{
		Rollouts: pointers(in.Rollouts), Partners: pointers(in.Partners), Senders: pointers(in.Senders), Profiles: pointers(in.Profiles),
		Secrets: in.Secrets, Webhooks: in.Webhooks,
	}
}

func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// secrets are the Secrets that partners and senders refer to. The value of c is
// malformed.
var secrets = []posture.SecretData{{Namespace: "ns0", Name: "keys", Data: map[string]credential.Secret{
	"a": "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh", "b": "whsec_YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJi", "c": "whsec_",
}}}

func (g Generator) rollout(capability string, i int) v1alpha1.CapabilityRollout {
	o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("ns", Mostly(g, 0, i)), Name: capability}}
	o.Spec.Capability = v1alpha1.CapabilityName(capability)
	o.Spec.Stage = Mostly(g, Pick(g, v1alpha1.StageLive, v1alpha1.StagePrivateBeta), v1alpha1.StageSandbox, v1alpha1.StageDisabled, "", "GA")
	o.Spec.Change.Ticket = "REL-1"
	if g.OneIn(3) {
		o.Spec.Change.ApprovedBy = "release-manager"
	}
	if !g.OneIn(3) {
		o.Spec.Audience = &v1alpha1.Audience{}
		for _, name := range Partners() {
			if !g.OneIn(3) {
				o.Spec.Audience.Partners = append(o.Spec.Audience.Partners, name)
			}
			if g.OneIn(6) {
				o.Spec.Audience.Excluded = append(o.Spec.Audience.Excluded, name)
			}
		}
		if g.OneIn(6) {
			o.Spec.Audience.Selector = g.selector()
		}
	}
	if g.OneIn(3) {
		o.Spec.Schedule = &v1alpha1.Schedule{NotBefore: g.maybe(2), NotAfter: g.maybe(2)}
		for i, at := range Moments()[:g(4)] {
			o.Spec.Schedule.Ramp = append(o.Spec.Schedule.Ramp, v1alpha1.RampStep{At: metav1.NewTime(at), Percent: int32(10 + 30*i + g(20))})
		}
	}
	if g.OneIn(6) && o.Spec.Schedule != nil {
		begins := g(4)
		from, until := metav1.NewTime(Moments()[begins]), metav1.NewTime(Moments()[begins+1])
		o.Spec.Schedule.Freezes = []v1alpha1.Freeze{Mostly(g, v1alpha1.Freeze{From: from, Until: until, Reason: "holidays"}, v1alpha1.Freeze{From: until, Until: from})}
	}
	if g.OneIn(4) {
		o.Spec.Analysis, o.Status.Analysis = g.analysis(o.Spec.Schedule, o.Spec.Stage)
	}
	if g.OneIn(8) {
		o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: Pick(g, v1alpha1.KillSwitchEngaged, v1alpha1.KillSwitchReleased, ""), Reason: Pick(g, "INC-1", "")}
	}
	if g.OneIn(6) {
		o.Spec.DependsOn = []v1alpha1.CapabilityName{Mostly(g, Pick(g, v1alpha1.CapabilityName("rfq-read"), "preflight", "rfq-create"), v1alpha1.CapabilityName(capability), "teleport")}
	}
	if g.OneIn(8) {
		o.Spec.Hold = &v1alpha1.Hold{Since: metav1.NewTime(Pick(g, Moments()...)), Reason: "INC-2"}
	}
	return o
}

func (g Generator) analysis(s *v1alpha1.Schedule, stage v1alpha1.Stage) (*v1alpha1.Analysis, *v1alpha1.AnalysisStatus) {
	spec := &v1alpha1.Analysis{
		After: g.maybe(4), InitialDelaySeconds: 60, IntervalSeconds: 60, Count: 5,
		OnFailure: Pick(g, v1alpha1.AnalysisHold, v1alpha1.AnalysisRollBack), Attempt: int32(g(2)),
		Queries: []v1alpha1.AnalysisQuery{{Name: "errors", PromQL: "sum(errors)", Success: v1alpha1.AnalysisRange{AtMost: "0.01"}}},
	}
	if g.OneIn(2) {
		spec.Queries = append(spec.Queries, v1alpha1.AnalysisQuery{
			Name: "share", PromQL: "share", Stages: []v1alpha1.Stage{v1alpha1.StageLive}, Percents: []int32{10},
			Success: v1alpha1.AnalysisRange{AtLeast: "0.99"}, Failure: &v1alpha1.AnalysisRange{AtLeast: "0", AtMost: "0.9"},
		})
	}
	if g.OneIn(3) {
		return spec, nil
	}
	status := &v1alpha1.AnalysisStatus{
		Stage: stage, Phase: Pick(g, v1alpha1.AnalysisRunning, v1alpha1.AnalysisSucceeded, v1alpha1.AnalysisFailed), Since: g.Moment(),
		Attempt: int32(g(2)), Message: "errors is 1, success is at most 0.01",
	}
	if s != nil && len(s.Ramp) > 0 {
		step := Pick(g, s.Ramp...)
		status.At, status.Percent = &step.At, step.Percent
	}
	return spec, status
}

func (g Generator) selector() *v1alpha1.PartnerSelector {
	if g.OneIn(2) {
		return &v1alpha1.PartnerSelector{MatchLabels: map[string]string{"tier": "pilot"}}
	}
	return &v1alpha1.PartnerSelector{MatchExpressions: []v1alpha1.SelectorRequirement{Pick(g,
		v1alpha1.SelectorRequirement{Key: "tier", Operator: v1alpha1.SelectorIn, Values: []string{"pilot"}},
		v1alpha1.SelectorRequirement{Key: "tier", Operator: v1alpha1.SelectorNotIn, Values: []string{"pilot"}},
		v1alpha1.SelectorRequirement{Key: "tier", Operator: v1alpha1.SelectorExists},
		v1alpha1.SelectorRequirement{Key: "tier", Operator: v1alpha1.SelectorDoesNotExist},
	)}}
}

func (g Generator) partner(name string, i int) v1alpha1.PartnerEntitlement {
	o := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: name}}
	if g.OneIn(2) {
		o.Labels = map[string]string{"tier": "pilot"}
	}
	o.Spec.OrganizationID = Mostly(g, fmt.Sprint("org_", name, "00"), "org_acme00", "x")
	o.Spec.DisplayName = Pick(g, "The printer "+name, "")
	o.Spec.Package = Mostly(g, Pick(g, v1alpha1.PackageEnterprise, v1alpha1.PackageSandbox, v1alpha1.PackageStandard), v1alpha1.PackagePlatform, "")
	o.Spec.State = Mostly(g, v1alpha1.StateActive, v1alpha1.StateSuspended, "")
	if !g.OneIn(8) {
		begins := Moments()
		o.Spec.Contract = &v1alpha1.Contract{
			Reference: "C-1", EffectiveFrom: metav1.NewTime(Pick(g, begins[0], begins[0], begins[1], begins[3])), EffectiveUntil: g.maybe(4),
		}
	}
	for capability := range posture.Capabilities() {
		if !g.OneIn(4) {
			o.Spec.Capabilities = append(o.Spec.Capabilities, g.grant(capability))
		}
	}
	if g.OneIn(3) {
		o.Spec.RateLimits = []v1alpha1.RateLimit{{Surface: v1alpha1.SurfacePartner, Requests: int64(1 + g(100)), WindowSeconds: 60}}
	}
	for scope := range posture.AllScopes() {
		if !g.OneIn(5) {
			o.Spec.Scopes = append(o.Spec.Scopes, v1alpha1.Scope(scope.String()))
		}
	}
	for _, key := range []string{Keys()[2*i], Keys()[2*i+1], Pick(g, Keys()...)} {
		o.Spec.Keys = append(o.Spec.Keys, g.key(key))
	}
	// The third key is sometimes one of another partner or a repetition.
	if !g.OneIn(4) {
		o.Spec.Keys = o.Spec.Keys[:2]
	}
	o.Spec.RequireClientCertificate = g.OneIn(7)
	if g.OneIn(2) {
		o.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "edi", SPKISHA256: strings.Repeat("ab", 32), NotAfter: g.maybe(2)}}
	}
	o.Spec.StateReason = Pick(g, "", "unpaid")
	for _, name := range []string{"one", "two", "three"} {
		if !g.OneIn(3) {
			o.Spec.Webhooks = append(o.Spec.Webhooks, g.webhook(name))
		}
	}
	return o
}

func (g Generator) grant(capability posture.Capability) v1alpha1.CapabilityGrant {
	o := v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(capability.String()), NotBefore: g.maybe(8), NotAfter: g.maybe(8)}
	if g.OneIn(4) {
		o.Stage = Mostly(g, Pick(g, v1alpha1.StageSandbox, v1alpha1.StagePrivateBeta, v1alpha1.StageLive), v1alpha1.StageDisabled, "GA")
	}
	if g.OneIn(3) {
		o.Quota = &v1alpha1.Quota{Limit: int64(g(50)), WindowSeconds: 3600}
	}
	if capability == posture.Preflight && g.OneIn(2) {
		o.Workers = &v1alpha1.WorkerShare{Weight: int32(1 + g(100)), MaxInFlight: int32(g(20))}
	}
	if capability == posture.Preflight && g.OneIn(2) {
		o.Profiles = []string{Mostly(g, Pick(g, "house", "cutter"), "missing")}
	}
	return o
}

func (g Generator) key(name string) v1alpha1.APIKey {
	mode, partner, _ := strings.Cut(name, ":")
	kind := v1alpha1.KeyKindLive
	if mode == "test" {
		kind = v1alpha1.KeyKindTest
	}
	o := v1alpha1.APIKey{Name: partner, Kind: kind, SHA256: Key(name).Digest().String(), ExpiresAt: g.maybe(6)}
	o.State = Mostly(g, v1alpha1.KeyStateActive, v1alpha1.KeyStateRevoked, "")
	o.StateReason = Pick(g, "", "leaked")
	if g.OneIn(6) {
		return o
	}
	o.Scopes = EveryScope()
	if g.OneIn(3) {
		o.Scopes = slices.DeleteFunc(o.Scopes, func(v1alpha1.Scope) bool { return g.OneIn(4) })
	}
	return o
}

func (g Generator) webhook(name string) v1alpha1.Webhook {
	o := v1alpha1.Webhook{
		Name: Mostly(g, name, ""),
		Kind: Mostly(g, Pick(g, v1alpha1.KeyKindLive, v1alpha1.KeyKindTest), ""),
		URL:  Mostly(g, "https://partner.example/", "partner.example", "https://a:b@partner.example/"),
	}
	if g.OneIn(3) {
		o.Events = []v1alpha1.WebhookEvent{"rfq.quoted", "preflight.failed"}
	}
	for _, key := range []string{"a", "b", "c"} {
		if !g.OneIn(3) {
			o.Secrets = append(o.Secrets, g.secret(key))
		}
	}
	return o
}

func (g Generator) sender(partner string) v1alpha1.XJMFSender {
	o := v1alpha1.XJMFSender{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: partner}}
	o.Spec = v1alpha1.XJMFSenderSpec{
		SenderID: Mostly(g, partner+"-mis", ""), Partner: partner,
		Mode:                Pick(g, "", v1alpha1.KeyKindLive, v1alpha1.KeyKindTest),
		State:               Mostly(g, v1alpha1.StateActive, v1alpha1.StateSuspended, ""),
		StateReason:         Pick(g, "", "maintenance"),
		ReplayWindowSeconds: Pick(g, int32(0), int32(60)),
		Scheme:              Pick(g, "", v1alpha1.SchemeBody, v1alpha1.SchemeTimestampBody),
	}
	for _, key := range []string{"a", "b"} {
		o.Spec.Secrets = append(o.Spec.Secrets, g.secret(key))
	}
	return o
}

func (g Generator) profile(name string) v1alpha1.PreflightProfile {
	o := v1alpha1.PreflightProfile{ObjectMeta: metav1.ObjectMeta{Namespace: "ns0", Name: name}}
	o.Spec = v1alpha1.PreflightProfileSpec{
		Version: "1.0.0", Title: Pick(g, "", "The profile "+name), Description: Pick(g, "", "For tests."), Extends: Mostly(g, v1alpha1.BaseProfile("print_ready"), "", "house"),
		Inks:  map[string]v1alpha1.InkRole{"Form 7": Mostly(g, v1alpha1.InkRole("cut"), "unknown")},
		Rules: map[string]v1alpha1.ProfileRule{Mostly(g, "ink.tac", "ink.unknown"): {Severity: "error", Limit: new(intstr.FromInt32(int32(g(400))))}},
	}
	return o
}

func (g Generator) secret(key string) v1alpha1.SharedSecret {
	return v1alpha1.SharedSecret{
		Name: key, SecretRef: v1alpha1.SecretKeyReference{Name: "keys", Key: key}, NotBefore: g.maybe(3), NotAfter: g.maybe(3),
	}
}
