// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/posturetest"
)

// values returns the objects as inputs of a full compilation.
func values(o posture.Objects) posture.Inputs {
	return posture.Inputs{
		Rollouts: copies(o.Rollouts), Partners: copies(o.Partners), Senders: copies(o.Senders), Profiles: copies(o.Profiles),
		Secrets: o.Secrets, Webhooks: o.Webhooks,
	}
}

func copies[T any, O interface {
	*T
	DeepCopy() *T
}](list []O) []T {
	out := make([]T, 0, len(list))
	for _, o := range list {
		out = append(out, *o.DeepCopy())
	}
	return out
}

// editOne creates, replaces, recreates, changes or deletes one object of a kind, or only
// changes the order of the list. others are generated objects of the kind.
func editOne[T any, O interface {
	*T
	metav1.Object
	DeepCopy() *T
}](g posturetest.Generator, list *[]O, others []T, change func(O)) {
	*list = slices.Clone(*list)
	other := O(&others[g(len(others))])
	if len(*list) == 0 {
		*list = append(*list, other)
		return
	}
	i := g(len(*list))
	next := O((*list)[i].DeepCopy())
	switch g(10) {
	case 0: // Another object, often with the same name.
		*list = append(*list, other)
	case 1:
		*list = slices.Delete(*list, i, i+1)
	case 2: // A deletion waits for finalizers.
		next.SetDeletionTimestamp(new(g.Moment()))
		(*list)[i] = next
	case 3: // The same content with another UID, created at another time.
		next.SetUID(types.UID(fmt.Sprint("uid-", g(1000))))
		next.SetCreationTimestamp(g.Moment())
		(*list)[i] = next
	case 4: // An edit that the gates do not depend on.
		next.SetGeneration(next.GetGeneration() + 1)
		next.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: new(g.Moment())}})
		(*list)[i] = next
	case 5:
		slices.Reverse(*list)
	case 6, 7, 8:
		change(next)
		(*list)[i] = next
	default: // Another specification, of an object with the same name if there is one.
		if same := slices.IndexFunc(others, func(o T) bool { return O(&o).GetName() == next.GetName() }); same >= 0 {
			other = &others[same]
		}
		other.SetName(next.GetName())
		(*list)[i] = other
	}
}

// edit changes the objects or the Secrets.
func edit(g posturetest.Generator, o *posture.Objects) {
	others := g.Inputs()
	switch g(7) {
	case 0, 1:
		editOne(g, &o.Rollouts, others.Rollouts, func(r *v1alpha1.CapabilityRollout) {
			switch g(3) {
			case 0:
				r.Spec.KillSwitch = &v1alpha1.KillSwitch{State: posturetest.Pick(g, v1alpha1.KillSwitchEngaged, v1alpha1.KillSwitchReleased)}
			case 1:
				r.Spec.Schedule = posturetest.Pick(g, nil, &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: metav1.NewTime(moments[0]), Percent: 30}}})
			default:
				r.Namespace = posturetest.Pick(g, "ns0", "ns1")
			}
		})
	case 2, 3:
		editOne(g, &o.Partners, others.Partners, func(p *v1alpha1.PartnerEntitlement) {
			// A key of any partner, so that digests collide.
			p.Spec.Keys = append(p.Spec.Keys, posturetest.Pick(g, others.Partners...).Spec.Keys...)
			p.Labels = map[string]string{"tier": posturetest.Pick(g, "pilot", "other")}
		})
	case 4:
		editOne(g, &o.Senders, others.Senders, func(s *v1alpha1.XJMFSender) { s.Spec.Partner = posturetest.Pick(g, posturetest.Partners()...) })
	case 5:
		editOne(g, &o.Profiles, others.Profiles, func(p *v1alpha1.PreflightProfile) { p.Spec.Version = "2.0.0" })
	default:
		o.Secrets, o.Webhooks = posturetest.Pick(g, others.Secrets, posture.Bundle{}), posturetest.Pick(g, others.Webhooks, posture.Bundle{})
	}
}

// everything describes all that a snapshot decides, reports and explains.
func everything(tb testing.TB, s *posture.Snapshot) string {
	tb.Helper()
	var out bytes.Buffer
	line := func(values ...any) {
		if err := json.NewEncoder(&out).Encode(values); err != nil {
			tb.Fatalf("json.Encode(%v): %v", values, err)
		}
	}
	line(s.Revision(), s.Quotas(), s.Objects().Partners)
	for _, at := range []time.Time{moments[0], moments[2], moments[4]} {
		line(s.Report(at), s.NextTransition(at), s.RolloutReports(at))
		for _, name := range posturetest.Keys() {
			key := posturetest.Key(name)
			owner, keyName := s.Holder(key.Digest())
			line(name, owner, keyName)
			for _, by := range []posture.Connection{{}, posture.Mutual(posture.Pin(bytes.Repeat([]byte{0xab}, 32)))} {
				c, reason := s.Authenticate(key, by, at)
				line(reason, c.Valid(), c.Tenant(), c.Partner(), c.KeyName(), c.Package(), c.Terms(), c.Keys(), c.Scopes(), c.State(), c.Profiles(), c.Rate(posture.SurfacePartner))
				for capability := range posture.Capabilities() {
					line(s.Decide(c, capability, true, at), s.Since(c, capability, true, at))
				}
			}
		}
		for _, name := range posturetest.Partners() {
			organization := "org_" + name + "00"
			line(s.Workers(organization), s.Declarations(organization, at))
			for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
				c, found := s.Behalf(tenant.ID{Organization: organization, Mode: mode}, at)
				line(found, c.Tenant(), s.Decide(c, posture.WebhookDelivery, true, at))
			}
			if at.Equal(moments[2]) {
				partner, found := explain.Of(s, name, at)
				line(found, partner)
			}
			sender, found := s.Sender(name + "-mis")
			line(found, sender.Partner(), s.Decide(sender.Caller(at), posture.XJMFInbound, true, at))
			for _, value := range sender.Secrets(at) {
				line(value.Reveal())
			}
		}
		operator, found := s.Operator(at)
		line(found, operator.Partner(), operator.Scopes())
		matrix, survey := explain.NewMatrix(s, at), s.Survey(at)
		line(matrix.Table())
		for _, m := range s.Members() {
			for capability := range posture.Capabilities() {
				line(survey.Open(m, tenant.Live, capability), survey.Open(m, tenant.Test, capability), m.Answer(tenant.Live, capability, true, at))
			}
		}
		for w := range s.Webhooks() {
			line(w.String(), w.URL(), w.Events(), w.Decide(at))
			for _, value := range w.Secrets(at) {
				line(value.Reveal())
			}
		}
	}
	return out.String()
}

// TestChangesCompileLikeAllObjects edits random installations and compares the snapshot of
// the changes with that of all objects after each edit.
func TestChangesCompileLikeAllObjects(t *testing.T) {
	t.Parallel()
	seeds := uint64(20)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		g := posturetest.Random(seed)
		first := posturetest.Objects(g.Inputs())
		objects := first
		var compiler posture.Compiler
		for step := range 12 {
			got, want := everything(t, compiler.Compile(objects)), everything(t, posture.Compile(values(objects)))
			if got != want {
				t.Fatalf("seed %d, step %d: the compiler differs from a full compilation (-full +compiler):\n%s", seed, step, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
			if g.OneIn(6) {
				objects = first
			}
			for range 1 + g(8) {
				edit(g, &objects)
			}
		}
	}
}

// TestConcurrentCompilationsDoNotChangeASnapshot reads each snapshot while the next ones, which share
// parts with it, are compiled.
func TestConcurrentCompilationsDoNotChangeASnapshot(t *testing.T) {
	t.Parallel()
	g := posturetest.Random(1)
	objects := posturetest.Objects(g.Inputs())
	var compiler posture.Compiler
	var readers sync.WaitGroup
	for range 20 {
		s := compiler.Compile(objects)
		want := everything(t, s)
		readers.Go(func() {
			if got := everything(t, s); got != want {
				t.Errorf("a snapshot changed after later compilations (-before +after):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		})
		edit(g, &objects)
	}
	readers.Wait()
}

// TestUnchangedObjectsAreShared requires that a compilation allocates nothing for a partner
// that has not changed.
func TestUnchangedObjectsAreShared(t *testing.T) {
	allocations := func(partners int) float64 {
		var compiler posture.Compiler
		objects := posturetest.Objects(market(t, partners))
		compiler.Compile(objects)
		return testing.AllocsPerRun(1, func() {
			objects.Rollouts[0] = objects.Rollouts[0].DeepCopy()
			compiler.Compile(objects)
		})
	}
	if few, many := allocations(10), allocations(1_000); many > few+10 {
		t.Errorf("a change of a rollout allocates %.0f times with 10 partners and %.0f times with 1,000, want about as many", few, many)
	}
}
