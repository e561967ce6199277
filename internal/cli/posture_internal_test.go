// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

var judged = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestEveryRuleOfTheDecisionTableIsExplained(t *testing.T) {
	t.Parallel()
	for rule := range posture.Rules() {
		if adviceOn(rule.Reason).asks == "" {
			t.Errorf("nothing is said of %s", rule.Reason)
		}
	}
	if open != posture.ReasonOpen.String() {
		t.Errorf("the gates call an open request %s", posture.ReasonOpen)
	}
}

// world is a marketplace in which anything may be in the way of anybody.
type world struct{ *rand.Rand }

func (w world) maybe(percent int) bool { return w.IntN(100) < percent }

func (w world) instant() metav1.Time {
	return metav1.NewTime(judged.Add(time.Duration(w.IntN(9)-4) * 24 * time.Hour))
}

func (w world) inputs() posture.Inputs {
	var in posture.Inputs
	names := []string{"acme", "globex", "stark"}
	for _, name := range names {
		in.Partners = append(in.Partners, w.partner(name))
	}
	for c := range posture.Capabilities() {
		if w.maybe(90) {
			in.Rollouts = append(in.Rollouts, w.rollout(c, names))
		}
	}
	return in
}

func (w world) partner(name string) v1alpha1.PartnerEntitlement {
	o := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: name}}
	o.Spec = v1alpha1.PartnerEntitlementSpec{OrganizationID: "org_" + name + "01", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive}
	if w.maybe(10) {
		o.Spec.State = v1alpha1.StateSuspended
	}
	if w.maybe(20) {
		o.Spec.OrganizationID = "org_twice1"
	}
	if w.maybe(90) {
		o.Spec.Contract = &v1alpha1.Contract{EffectiveFrom: w.instant()}
		if w.maybe(30) {
			until := w.instant()
			o.Spec.Contract.EffectiveUntil = &until
		}
	}
	o.Spec.RequireClientCertificate = w.maybe(15)
	if w.maybe(50) {
		until := w.instant()
		o.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "edi", SPKISHA256: strings.Repeat("ab", 32), NotAfter: &until}}
	}
	for c := range posture.Capabilities() {
		if w.maybe(80) {
			o.Spec.Capabilities = append(o.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(c.String())})
		}
	}
	for s := range posture.AllScopes() {
		if w.maybe(80) {
			o.Spec.Scopes = append(o.Spec.Scopes, v1alpha1.Scope(s.String()))
		}
	}
	return o
}

func (w world) rollout(c posture.Capability, names []string) v1alpha1.CapabilityRollout {
	o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: c.String()}}
	o.Spec.Capability = v1alpha1.CapabilityName(c.String())
	stages := []v1alpha1.Stage{v1alpha1.StageDisabled, v1alpha1.StageSandbox, v1alpha1.StagePrivateBeta, v1alpha1.StagePrivateBeta, v1alpha1.StageLive}
	o.Spec.Stage = stages[w.IntN(len(stages))]
	if o.Spec.Stage == v1alpha1.StagePrivateBeta && w.maybe(95) || w.maybe(20) {
		o.Spec.Audience = &v1alpha1.Audience{Partners: names[:1+w.IntN(len(names))]}
		if w.maybe(20) {
			o.Spec.Audience.Excluded = names[w.IntN(len(names)):]
		}
	}
	if w.maybe(10) {
		o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
	}
	if w.maybe(40) {
		o.Spec.Schedule = &v1alpha1.Schedule{}
		if w.maybe(50) {
			from := w.instant()
			o.Spec.Schedule.NotBefore = &from
		}
		if w.maybe(30) {
			until := w.instant()
			o.Spec.Schedule.NotAfter = &until
		}
		if w.maybe(40) {
			o.Spec.Schedule.Ramp = []v1alpha1.RampStep{{At: metav1.NewTime(judged.Add(-time.Hour)), Percent: 40}, {At: metav1.NewTime(judged.Add(time.Hour)), Percent: 100}}
		}
	}
	return o
}

// eachWorld runs a test in worlds that are the same each time.
func eachWorld(t *testing.T, test func(t *testing.T, w world, in posture.Inputs)) {
	t.Helper()
	for seed := range uint64(20) {
		w := world{rand.New(rand.NewPCG(seed, 1))}
		test(t, w, w.inputs())
	}
}

// The answers to requests are those that the statuses of the objects show.
func TestAnswersAreWhatTheReportSays(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, _ world, in posture.Inputs) {
		t.Helper()
		p := newProber(postureWorld{inputs: in})
		for _, partner := range posture.Compile(in).Report(judged).Partners {
			o := p.find(partner.Name)
			for _, want := range partner.Capabilities {
				var kinds []string
				for _, k := range keyKinds {
					answered := slices.ContainsFunc(accesses(want.Name), func(write bool) bool {
						return p.decide(o, k.mode, want.Name, write, judged).Allowed()
					})
					if answered {
						kinds = append(kinds, string(k.kind))
					}
				}
				if diff := cmp.Diff(want.KeyKinds, kinds); diff != "" {
					t.Errorf("%s %s (-report +answers):\n%s", partner.Name, want.Name, diff)
				}
				if reason := p.decide(o, tenant.Live, want.Name, false, judged).Reason; want.Reason != "" && reason.String() != want.Reason {
					t.Errorf("%s %s: %s, the report has %s", partner.Name, want.Name, reason, want.Reason)
				}
			}
		}
	})
}

// Every remedy is tried by the explanation itself; here the order is looked at,
// and that it ends well wherever the ceiling allows.
func TestAnExplanationLeadsToAnOpenRequestOrSaysThatNoneDoes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	eachWorld(t, func(t *testing.T, _ world, in posture.Inputs) {
		t.Helper()
		p := newProber(postureWorld{inputs: in})
		for i := range p.partners {
			for c := range posture.Capabilities() {
				for _, kind := range []string{"live", "test"} {
					x, err := explain(p, p.nameOf(&p.partners[i]), asked{capability: c, kind: kind}, judged)
					if err != nil {
						t.Fatal(err)
					}
					checkExplanation(t, x, seen)
				}
			}
		}
	})
	for rule := range posture.Rules() {
		// No key that is asked about here ends, and every capability is known.
		if rule.Reason != posture.ReasonKeyExpired && rule.Reason != posture.ReasonNoCapability && !seen[rule.Reason.String()] {
			t.Errorf("no world stops anybody by %s", rule.Reason)
		}
	}
}

func checkExplanation(t *testing.T, x *explanation, seen map[string]bool) {
	t.Helper()
	first, stops := "", 0
	for _, one := range x.Rules {
		switch one.Outcome {
		case outcomeStops:
			first, stops = one.Reason, stops+1
		case outcomeNext:
			if stops == 0 {
				t.Errorf("%s %s: %s stops before the rule that stops", x.Partner, x.Capability, one.Reason)
			}
		}
		if one.Remedy != "" {
			seen[one.Reason] = true
		}
	}
	answer := ""
	for _, a := range x.Answers {
		if a.Keys == x.Keys && a.Access == x.Access {
			answer = a.Reason
		}
	}
	if stops > 1 || first != strings.TrimSuffix(answer, open) {
		t.Errorf("%s %s: answered %s, %d rules stop it: %s", x.Partner, x.Capability, answer, stops, first)
	}
	final := slices.ContainsFunc(x.Rules, func(r explainedRule) bool {
		return strings.HasPrefix(r.Remedy, "mend ") || strings.Contains(r.Remedy, notImplemented)
	})
	if x.Possible == final {
		t.Errorf("%s %s %s: possible is %t: %+v", x.Partner, x.Capability, x.Keys, x.Possible, x.Rules)
	}
}

// A change that is undone opens what it closed, at the same times.
func TestAComparisonIsItsOwnOpposite(t *testing.T) {
	t.Parallel()
	opposite := map[effect]effect{effectOpens: effectCloses, effectCloses: effectOpens, effectAlters: effectAlters}
	eachWorld(t, func(t *testing.T, w world, in posture.Inputs) {
		t.Helper()
		other := w.inputs()
		there := compare(newProber(postureWorld{inputs: in}), newProber(postureWorld{inputs: other}), judged)
		back := compare(newProber(postureWorld{inputs: other}), newProber(postureWorld{inputs: in}), judged)
		lines := func(d postureDiff, turn bool) []string {
			set := map[string]bool{}
			for _, c := range d.Changes {
				if c.Effect == effectAlters || strings.HasPrefix(c.Subject, "scopes") {
					continue
				}
				if turn {
					c.Effect, c.Old, c.New = opposite[c.Effect], c.New, c.Old
				}
				for _, k := range append(c.Keys, "") {
					for _, a := range append(c.Access, "") {
						set[fmt.Sprint(c.Effect, c.Partner, c.Subject, k, a, c.Old, c.New, c.whenText())] = true
					}
				}
			}
			return slices.Sorted(maps.Keys(set))
		}
		if diff := cmp.Diff(lines(there, false), lines(back, true)); diff != "" {
			t.Errorf("there and back:\n%s", diff)
		}
		if same := compare(newProber(postureWorld{inputs: in}), newProber(postureWorld{inputs: in}), judged); len(same.Changes) > 0 {
			t.Errorf("no change changes %+v", same.Changes)
		}
	})
}
