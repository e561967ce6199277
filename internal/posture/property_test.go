// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

// denial removes access from the inputs. It reports whether it found something to
// remove.
type denial func(g posturetest.Generator, in *posture.Inputs) bool

// earlier moves an end to the given time if that is earlier.
func earlier(g posturetest.Generator, end **metav1.Time) {
	if at := g.Moment(); *end == nil || at.Before(*end) {
		*end = &at
	}
}

func onRollout(change func(g posturetest.Generator, o *v1alpha1.CapabilityRollout) bool) denial {
	return func(g posturetest.Generator, in *posture.Inputs) bool {
		for range in.Rollouts {
			if change(g, &in.Rollouts[g(len(in.Rollouts))]) {
				return true
			}
		}
		return false
	}
}

func onPartner(change func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool) denial {
	return func(g posturetest.Generator, in *posture.Inputs) bool {
		return change(g, &in.Partners[g(len(in.Partners))])
	}
}

// dropOne removes one item of a list.
func dropOne[T any](g posturetest.Generator, list *[]T) bool {
	if len(*list) == 0 {
		return false
	}
	i := g(len(*list))
	*list = slices.Delete(*list, i, i+1)
	return true
}

func scheduleOf(o *v1alpha1.CapabilityRollout) *v1alpha1.Schedule {
	if o.Spec.Schedule == nil {
		o.Spec.Schedule = &v1alpha1.Schedule{}
	}
	return o.Spec.Schedule
}

// ready reports whether a rollout is valid and at most at its ceiling. Changing an
// invalid object may repair it, which is not a denial.
func ready(o *v1alpha1.CapabilityRollout) bool {
	alone := posture.Compile(posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{*o}})
	return alone.Report(moments[0]).Rollouts[0].Conditions[0].Status == "True"
}

var denials = map[string]denial{
	"a kill switch is engaged": onRollout(func(_ posturetest.Generator, o *v1alpha1.CapabilityRollout) bool {
		o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
		return true
	}),
	"a partner is excluded": onRollout(func(g posturetest.Generator, o *v1alpha1.CapabilityRollout) bool {
		if o.Spec.Audience == nil {
			o.Spec.Audience = &v1alpha1.Audience{}
		}
		o.Spec.Audience.Excluded = append(o.Spec.Audience.Excluded, posturetest.Pick(g, posturetest.Partners()...))
		return true
	}),
	"a stage is lowered": onRollout(func(_ posturetest.Generator, o *v1alpha1.CapabilityRollout) bool {
		lower := map[v1alpha1.Stage]v1alpha1.Stage{
			v1alpha1.StageLive: v1alpha1.StagePrivateBeta, v1alpha1.StagePrivateBeta: v1alpha1.StageSandbox, v1alpha1.StageSandbox: v1alpha1.StageDisabled,
		}
		if lower[o.Spec.Stage] == "" || !ready(o) {
			return false
		}
		o.Spec.Stage = lower[o.Spec.Stage]
		return true
	}),
	"a schedule ends earlier": onRollout(func(g posturetest.Generator, o *v1alpha1.CapabilityRollout) bool {
		earlier(g, &scheduleOf(o).NotAfter)
		return true
	}),
	"a ramp loses its last step": onRollout(func(_ posturetest.Generator, o *v1alpha1.CapabilityRollout) bool {
		if o.Spec.Schedule == nil || len(o.Spec.Schedule.Ramp) < 2 || !ready(o) {
			return false
		}
		o.Spec.Schedule.Ramp = o.Spec.Schedule.Ramp[:len(o.Spec.Schedule.Ramp)-1]
		return true
	}),
	"a capability loses its rollouts": func(g posturetest.Generator, in *posture.Inputs) bool {
		if len(in.Rollouts) == 0 {
			return false
		}
		gone := posturetest.Pick(g, in.Rollouts...).Spec.Capability
		in.Rollouts = slices.DeleteFunc(in.Rollouts, func(o v1alpha1.CapabilityRollout) bool { return o.Spec.Capability == gone })
		return true
	},
	"a second rollout appears": func(g posturetest.Generator, in *posture.Inputs) bool {
		if len(in.Rollouts) == 0 {
			return false
		}
		second := *in.Rollouts[g(len(in.Rollouts))].DeepCopy()
		second.Namespace = "elsewhere"
		in.Rollouts = append(in.Rollouts, second)
		return true
	},
	"a partner is suspended": onPartner(func(_ posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		o.Spec.State = v1alpha1.StateSuspended
		return true
	}),
	"a contract ends earlier": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		if o.Spec.Contract == nil {
			return false
		}
		earlier(g, &o.Spec.Contract.EffectiveUntil)
		return true
	}),
	"a key is revoked": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		o.Spec.Keys[g(len(o.Spec.Keys))].State = v1alpha1.KeyStateRevoked
		return true
	}),
	"a key expires earlier": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		earlier(g, &o.Spec.Keys[g(len(o.Spec.Keys))].ExpiresAt)
		return true
	}),
	"a key loses a scope": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		return dropOne(g, &o.Spec.Keys[g(len(o.Spec.Keys))].Scopes)
	}),
	"a partner loses a scope": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool { return dropOne(g, &o.Spec.Scopes) }),
	"a partner loses a grant": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		return dropOne(g, &o.Spec.Capabilities)
	}),
	"a grant ends earlier": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		if len(o.Spec.Capabilities) == 0 {
			return false
		}
		earlier(g, &o.Spec.Capabilities[g(len(o.Spec.Capabilities))].NotAfter)
		return true
	}),
	"a grant begins later": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		if len(o.Spec.Capabilities) == 0 {
			return false
		}
		begin := &o.Spec.Capabilities[g(len(o.Spec.Capabilities))].NotBefore
		if at := g.Moment(); *begin == nil || (*begin).Before(&at) {
			*begin = &at
		}
		return true
	}),
	"a grant is restricted to the sandbox": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		if len(o.Spec.Capabilities) == 0 {
			return false
		}
		one := &o.Spec.Capabilities[g(len(o.Spec.Capabilities))]
		capability, _ := posture.ParseCapability(string(one.Name))
		// A valid stage instead of an invalid one would repair the grant.
		if one.Stage == v1alpha1.StageDisabled || one.Stage == "GA" || one.Stage == v1alpha1.StageLive && capability.Definition().Ceiling != posture.Live {
			return false
		}
		one.Stage = v1alpha1.StageSandbox
		return true
	}),
	"a partner needs a client certificate": onPartner(func(_ posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		o.Spec.RequireClientCertificate = true
		return true
	}),
	"a partner loses a webhook": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		return dropOne(g, &o.Spec.Webhooks)
	}),
	"a webhook's secret ends earlier": onPartner(func(g posturetest.Generator, o *v1alpha1.PartnerEntitlement) bool {
		if len(o.Spec.Webhooks) == 0 || len(o.Spec.Webhooks[0].Secrets) == 0 {
			return false
		}
		earlier(g, &o.Spec.Webhooks[0].Secrets[0].NotAfter)
		return true
	}),
	"a partner loses its label": func(g posturetest.Generator, in *posture.Inputs) bool {
		// If a selector requires the absence of the label, removing it is no denial.
		for i := range in.Rollouts {
			if a := in.Rollouts[i].Spec.Audience; a != nil && a.Selector != nil && slices.ContainsFunc(a.Selector.MatchExpressions, func(r v1alpha1.SelectorRequirement) bool {
				return r.Operator == v1alpha1.SelectorNotIn || r.Operator == v1alpha1.SelectorDoesNotExist
			}) {
				return false
			}
		}
		posturetest.Pick(g, &in.Partners[0], &in.Partners[1], &in.Partners[2]).Labels = nil
		return true
	},
}

func TestDenialsNeverOpenAnything(t *testing.T) {
	t.Parallel()
	keys := generatedKeys()
	type access struct {
		before map[question]posture.Decision
		sent   map[delivery][]string
	}
	// The access of each seed's inputs is the same for all denials.
	var seeds []access
	for seed := range uint64(150) {
		compiled := posture.Compile(posturetest.Random(seed).Inputs())
		seeds = append(seeds, access{opened(compiled, keys), deliverable(compiled)})
	}
	for name, deny := range denials {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := 0
			for seed, access := range seeds {
				before, sent := access.before, access.sent
				g := posturetest.Random(uint64(seed))
				denied := g.Inputs()
				for range 8 {
					deny(g, &denied)
				}
				after, sends := opened(posture.Compile(denied), keys), deliverable(posture.Compile(denied))
				for d, secrets := range sends {
					former, wasOpen := sent[d]
					if !wasOpen || slices.ContainsFunc(secrets, func(one string) bool { return !slices.Contains(former, one) }) {
						t.Errorf("seed %d: the denial makes %+v deliverable", seed, d)
					}
				}
				closed += len(sent) + signing(sent) - len(sends) - signing(sends)
				for q, d := range after {
					if _, wasOpen := before[q]; !wasOpen {
						t.Errorf("seed %d: the denial opens %+v: %+v", seed, q, d)
					}
				}
				closed += len(before) - len(after)
			}
			if closed == 0 {
				t.Error("the denial closed nothing for any seed, so the test proves nothing")
			}
		})
	}
}

// TestCohortsOnlyGrow checks that a partner admitted by a ramp stays admitted until the
// schedule ends.
func TestCohortsOnlyGrow(t *testing.T) {
	t.Parallel()
	keys := generatedKeys()
	for seed := range uint64(100) {
		g := posturetest.Random(seed)
		in := g.Inputs()
		for i := range in.Partners {
			o := &in.Partners[i]
			o.Spec.Contract = &v1alpha1.Contract{EffectiveFrom: metav1.NewTime(moments[0].Add(-time.Hour))}
			for j := range o.Spec.Keys {
				o.Spec.Keys[j].ExpiresAt = nil
			}
			for j := range o.Spec.Capabilities {
				o.Spec.Capabilities[j].NotAfter = nil
			}
		}
		for i := range in.Rollouts {
			if in.Rollouts[i].Spec.Schedule != nil {
				in.Rollouts[i].Spec.Schedule.NotAfter = nil
			}
		}
		open := opened(posture.Compile(in), keys)
		for q := range open {
			for _, later := range moments {
				if later.Before(q.at) {
					continue
				}
				if _, stays := open[question{q.key, q.capability, q.write, later}]; !stays {
					t.Fatalf("seed %d: %+v is open and no longer at %s", seed, q, later)
				}
			}
		}
	}
}

// TestAnnouncedOpeningsComeTrue checks that a capability opens at the announced time
// and not earlier.
func TestAnnouncedOpeningsComeTrue(t *testing.T) {
	t.Parallel()
	keys := generatedKeys()
	announced := 0
	for seed := range uint64(100) {
		s := posture.Compile(posturetest.Random(seed).Inputs())
		for _, key := range keys {
			for capability := range posture.Capabilities() {
				caller, _ := s.Authenticate(key, posture.Connection{}, moments[0])
				d := s.Decide(caller, capability, true, moments[0])
				if d.Opens.IsZero() {
					continue
				}
				announced++
				if d.Allowed() || !d.Opens.After(moments[0]) {
					t.Errorf("seed %d: %+v announces an opening", seed, d)
				}
				if then := s.Decide(caller, capability, true, d.Opens); !then.Allowed() {
					t.Errorf("seed %d: %s is %s at the announced opening", seed, capability, then.Reason)
				}
				if just := s.Decide(caller, capability, true, d.Opens.Add(-1)); just.Allowed() {
					t.Errorf("seed %d: %s is open before the announced opening", seed, capability)
				}
			}
		}
	}
	if announced == 0 {
		t.Error("no seed announced an opening, so the test proves nothing")
	}
}

func FuzzCompile(f *testing.F) {
	keys := generatedKeys()
	f.Add([]byte{})
	f.Add([]byte("every partner, every capability"))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 5, 7, 11}, 60))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := posturetest.FromBytes(data).Inputs()
		s := posture.Compile(in)
		for q, d := range opened(s, keys) {
			if why := mustBeClosed(in, keys[q.key], q); why != "" {
				t.Errorf("%+v is open (%+v), but %s", q, d, why)
			}
		}
		for d, secrets := range deliverable(s) {
			if why := mustBeSilent(in, d, len(secrets)); why != "" {
				t.Errorf("%+v is deliverable with %d secrets, but %s", d, len(secrets), why)
			}
		}
		reversed := copyOf(in)
		slices.Reverse(reversed.Rollouts)
		slices.Reverse(reversed.Partners)
		slices.Reverse(reversed.Senders)
		if again := posture.Compile(reversed); again.Revision() != s.Revision() {
			t.Errorf("revision %s in another order, %s before", again.Revision(), s.Revision())
		}
		for _, at := range moments {
			s.Report(at)
		}
	})
}

// mustBeClosed returns the reason why a question cannot be open. It checks the
// necessary conditions in no particular order, independently of the table.
func mustBeClosed(in posture.Inputs, key credential.Key, q question) string {
	rollouts := slices.DeleteFunc(slices.Clone(in.Rollouts), func(o v1alpha1.CapabilityRollout) bool {
		return string(o.Spec.Capability) != q.capability.String()
	})
	switch {
	case len(rollouts) != 1:
		return "there is not exactly one rollout"
	case rollouts[0].Spec.Stage == v1alpha1.StageDisabled:
		return "the stage is Disabled"
	case rollouts[0].Spec.KillSwitch != nil && rollouts[0].Spec.KillSwitch.State != v1alpha1.KillSwitchReleased:
		return "it is killed"
	case q.capability.Definition().Ceiling == posture.Disabled:
		return "the ceiling is Disabled"
	}
	var owner *v1alpha1.PartnerEntitlement
	for i := range in.Partners {
		for _, k := range in.Partners[i].Spec.Keys {
			if k.SHA256 == key.Digest().String() {
				if owner != nil {
					return "two entries have the key"
				}
				owner = &in.Partners[i]
				if k.State != v1alpha1.KeyStateActive {
					return "the key is not active"
				}
			}
		}
	}
	if owner == nil {
		return "no partner has the key"
	}
	switch grant := slices.IndexFunc(owner.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool { return string(g.Name) == q.capability.String() }); {
	case grant < 0:
		return "there is no grant"
	case owner.Spec.Capabilities[grant].Stage != "" && !slices.Contains(
		[]v1alpha1.Stage{v1alpha1.StageSandbox, v1alpha1.StagePrivateBeta, v1alpha1.StageLive}, owner.Spec.Capabilities[grant].Stage):
		return "the stage of the grant is invalid"
	case key.Mode() == "live" && cmp.Or(owner.Spec.Capabilities[grant].Stage, rollouts[0].Spec.Stage) == v1alpha1.StageSandbox:
		return "the stage is Sandbox"
	}
	switch {
	case owner.Spec.State != v1alpha1.StateActive:
		return "the partner is not active"
	case owner.Spec.Contract == nil || q.at.Before(owner.Spec.Contract.EffectiveFrom.Time):
		return "there is no contract"
	case !slices.ContainsFunc(owner.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool {
		return string(g.Name) == q.capability.String() &&
			(g.NotBefore == nil || !q.at.Before(g.NotBefore.Time)) && (g.NotAfter == nil || q.at.Before(g.NotAfter.Time))
	}):
		return "there is no grant in force"
	case owner.Spec.Package == v1alpha1.PackagePlatform:
		return "the platform holds no capability"
	}
	return ""
}

// mustBeSilent returns the reason why nothing may be sent to a webhook, like
// mustBeClosed.
func mustBeSilent(in posture.Inputs, d delivery, secrets int) string {
	possible := 0
	for i := range in.Partners {
		o := &in.Partners[i]
		for _, w := range o.Spec.Webhooks {
			if d.webhook != o.Spec.OrganizationID+"/"+strings.ToLower(string(w.Kind))+"/"+w.Name {
				continue
			}
			granted := slices.ContainsFunc(o.Spec.Capabilities, func(g v1alpha1.CapabilityGrant) bool {
				return g.Name == "webhook-delivery" && (g.NotBefore == nil || !d.at.Before(g.NotBefore.Time)) && (g.NotAfter == nil || d.at.Before(g.NotAfter.Time))
			})
			if o.Spec.State == v1alpha1.StateActive && o.Spec.Contract != nil && o.Spec.Package != v1alpha1.PackagePlatform && granted &&
				w.URL == "https://partner.example/" {
				possible++
			}
		}
	}
	switch {
	case possible == 0:
		return "no partner that may get events declares it soundly"
	case secrets > 2:
		return "two secrets sign at most"
	case !slices.ContainsFunc(in.Rollouts, func(o v1alpha1.CapabilityRollout) bool {
		return o.Spec.Capability == "webhook-delivery" && o.Spec.Stage != v1alpha1.StageDisabled && (o.Spec.KillSwitch == nil || o.Spec.KillSwitch.State == v1alpha1.KillSwitchReleased)
	}):
		return "no rollout opens it"
	}
	return ""
}
