// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"runtime"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

func TestChangesAreInForce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		act  func(t *testing.T, c *cluster)
		want string
	}{
		"a kill switch is engaged": {func(t *testing.T, c *cluster) {
			t.Helper()
			c.setKillSwitch(t, v1alpha1.KillSwitchEngaged)
		}, "Killed"},
		"a key is revoked": {func(t *testing.T, c *cluster) {
			t.Helper()
			c.revokeKey(t)
		}, "KeyRevoked"},
		"a rollout is deleted": {func(t *testing.T, c *cluster) {
			t.Helper()
			if err := c.Delete(t.Context(), c.rollout()); err != nil {
				t.Fatalf("Delete: %v", err)
			}
		}, "NoRollout"},
		"a rollout is being deleted and a finalizer holds it": {func(t *testing.T, c *cluster) {
			t.Helper()
			held := change(t, c, c.rollout(), func(o *v1alpha1.CapabilityRollout) { o.Finalizers = []string{"example.com/hold"} })
			if err := c.Delete(t.Context(), held); err != nil {
				t.Fatalf("Delete: %v", err)
			}
		}, "NoRollout"},
		"a label takes a partner out of the audience": {func(t *testing.T, c *cluster) {
			t.Helper()
			change(t, c, c.partner(), func(o *v1alpha1.PartnerEntitlement) { o.Labels = nil })
		}, "NotInAudience"},
		"a partner is suspended": {func(t *testing.T, c *cluster) {
			t.Helper()
			change(t, c, c.partner(), func(o *v1alpha1.PartnerEntitlement) { o.Spec.State = v1alpha1.StateSuspended })
		}, "PartnerSuspended"},
		"a partner is deleted": {func(t *testing.T, c *cluster) {
			t.Helper()
			if err := c.Delete(t.Context(), c.partner()); err != nil {
				t.Fatalf("Delete: %v", err)
			}
		}, "KeyUnknown"},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			c := newGatedCluster(t, plane)
			r := c.follow(t, nil)
			r.awaitsHealth(t)
			test.act(t, c)
			r.awaits(t, test.want)
		})
	}
}

func TestKillSwitchOpensAgainWhenReleased(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	c.setKillSwitch(t, v1alpha1.KillSwitchEngaged)
	r.awaits(t, "Killed")
	c.setKillSwitch(t, v1alpha1.KillSwitchReleased)
	r.awaits(t, "Open")
}

func TestObjectsOfOtherNamespacesDoNotCount(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	other := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	other.setKillSwitch(t, v1alpha1.KillSwitchEngaged)
	stranger := other.follow(t, nil)
	stranger.awaits(t, "Killed")
	if got := r.answer(); got != "Open" {
		t.Fatalf("the gates decide %q after a change in another namespace", got)
	}
}

func TestStatusAdvancesTheWatermarkAndCompilesNothing(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	before := r.Status()

	o := c.rollout()
	change(t, c, o, func(o *v1alpha1.CapabilityRollout) { o.Annotations = map[string]string{"example.com/note": "a"} })
	o.Status.Conditions = []metav1.Condition{{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Tested", LastTransitionTime: metav1.NewTime(start),
	}}
	if err := c.Client.Status().Update(t.Context(), o); err != nil {
		t.Fatalf("Update: %v", err)
	}

	eventually.Succeeds(t, func() error {
		if passed(r, v1alpha1.KindCapabilityRollout, o.ResourceVersion) {
			return nil
		}
		return errors.New("the watermark has not passed the status")
	})
	if after := r.Status(); after.Compilations != before.Compilations || after.Revision != before.Revision {
		t.Errorf("before a change of status %+v, afterwards %+v; want no compilation", before, after)
	}
}

func TestWatermarkAdvancesWithTheEnforcedVersion(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	if got := r.Compiled(); len(got) != 0 && r.gates.Current(start) == nil {
		t.Errorf("compiled %v before anything is in force", got)
	}
	r.awaitsHealth(t)

	partner := change(t, c, c.partner(), func(o *v1alpha1.PartnerEntitlement) { o.Spec.State = v1alpha1.StateSuspended })
	eventually.Succeeds(t, func() error {
		if passed(r, v1alpha1.KindPartnerEntitlement, partner.ResourceVersion) {
			return nil
		}
		return errors.New("the watermark has not passed the suspension")
	})
	if got := r.answer(); got != "PartnerSuspended" {
		t.Errorf("the watermark has passed the suspension, but the gates decide %q", got)
	}
	for _, kind := range []string{v1alpha1.KindCapabilityRollout, v1alpha1.KindPartnerEntitlement, v1alpha1.KindXJMFSender, v1alpha1.KindPreflightProfile, posture.KindSecret} {
		if r.Compiled()[kind] == "" {
			t.Errorf("no watermark of %s", kind)
		}
	}
}

func passed(r *replica, kind, version string) bool {
	return posture.Watermark{Compiled: r.Compiled()}.Passed(kind, version)
}

func TestNewRejectsIncompleteConfig(t *testing.T) {
	t.Parallel()
	sound := kubesource.Config{Rest: plane.Config(), Namespace: "a", GateSecret: "b", Gates: posture.NewGates(0)}
	for sentence, edit := range map[string]func(*kubesource.Config){
		"no cluster":     func(c *kubesource.Config) { c.Rest = nil },
		"no namespace":   func(c *kubesource.Config) { c.Namespace = "" },
		"no gate Secret": func(c *kubesource.Config) { c.GateSecret = "" },
		"no gates":       func(c *kubesource.Config) { c.Gates = nil },
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			config := sound
			edit(&config)
			if _, err := kubesource.New(config); err == nil {
				t.Error("New returned nil, want an error")
			}
		})
	}
}

func TestInvalidCredentialsEndRun(t *testing.T) {
	t.Parallel()
	config := kubesource.Config{Rest: plane.Config(), Namespace: "a", GateSecret: "b", Gates: posture.NewGates(0)}
	config.Rest.CAData = []byte("no certificate")
	source, err := kubesource.New(config)
	if err != nil {
		t.Fatalf("kubesource.New: %v", err)
	}
	if err := source.Run(t.Context()); err == nil {
		t.Error("Run returned nil, want an error about the missing certificate")
	}
}

// This test is not parallel, so that no other test's goroutines are counted.
func TestRunLeavesNothingBehind(t *testing.T) { //nolint:paralleltest // see above
	c := newGatedCluster(t, plane)
	before := runtime.NumGoroutine()
	network := newProxy(t, plane.Address())
	r := c.follow(t, func(config *kubesource.Config) { config.Rest = network.config(config.Rest) })
	r.awaitsHealth(t)
	network.swallow()
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")
	r.stop()
	network.disconnect()
	_ = network.listener.Close()

	eventually.Succeeds(t, func() error {
		if runtime.NumGoroutine() <= before {
			return nil
		}
		stacks := make([]byte, 1<<20)
		return errors.New(string(stacks[:runtime.Stack(stacks, true)]))
	})
}
