// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/watermarks"
)

// clusterStub is a cluster with one state of each rollout.
type clusterStub struct {
	rollout *v1alpha1.CapabilityRollout
	away    error
}

// Rollout implements dashboard.Cluster.
func (c clusterStub) Rollout(ctx context.Context, _ string) (*v1alpha1.CapabilityRollout, error) {
	if deadline, bounded := ctx.Deadline(); !bounded || time.Until(deadline) > 2*time.Second {
		return nil, errors.New("the read has no deadline")
	}
	return c.rollout, c.away
}

// storedXJDF is a rollout with a history, an analysis and a status.
func storedXJDF() *v1alpha1.CapabilityRollout {
	at := func(days int) metav1.Time { return metav1.NewTime(noon.AddDate(0, 0, days)) }
	return &v1alpha1.CapabilityRollout{
		ObjectMeta: metav1.ObjectMeta{
			Name: "xjdf", Generation: 3, ResourceVersion: "120",
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "release", Time: new(at(-2))}},
		},
		Status: v1alpha1.CapabilityRolloutStatus{
			Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "Enforced", Message: "The gates enforce this rollout.", LastTransitionTime: at(-1)},
				{Type: v1alpha1.ConditionPropagated, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAllReplicas, Message: "All 3 replicas enforce the object.", LastTransitionTime: at(-1)},
			},
			History: []v1alpha1.HistoryEntry{
				{Time: at(-2), Generation: 3, Change: v1alpha1.ChangeStage, From: "Sandbox", To: "PrivateBeta", User: "erin", Ticket: "REL-7"},
				{Time: at(-9), Generation: 2, Change: v1alpha1.ChangeKillSwitch, From: "", To: "Engaged", By: "kubectl-edit", Reason: "INC-3"},
				{Time: at(-20), Generation: 1, Change: v1alpha1.ChangeCreated, To: "Sandbox", By: "release"},
			},
			Analysis: &v1alpha1.AnalysisStatus{
				Stage: "PrivateBeta", Percent: 50, Phase: v1alpha1.AnalysisRunning, Since: at(-1), Succeeded: 4,
				Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "0.2", Result: v1alpha1.AnalysisSuccess}},
			},
		},
	}
}

func withCluster(c dashboard.Cluster, version string) func(*dashboard.Config) {
	return func(config *dashboard.Config) {
		config.Ops.Cluster, config.Ops.Replica = c, "api-0"
		config.Ops.Compiled = func() map[string]string { return map[string]string{v1alpha1.KindCapabilityRollout: version} }
	}
}

func TestRolloutPageShowsTheStatusOfTheObject(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cluster clusterStub
		version string
		want    []string
		lacks   string
	}{
		"a replica that has compiled the object": {
			clusterStub{rollout: storedXJDF()},
			"120",
			[]string{"in step", "All 3 replicas enforce the object.", "Stage: Sandbox → PrivateBeta", "by erin, ticket REL-7", "INC-3", "Created: Sandbox", "errors", "0.2"},
			"has no history",
		},
		"a replica that has not compiled it": {clusterStub{rollout: storedXJDF()}, "119", []string{"behind", "api-0"}, "in step"},
		"an unavailable cluster":             {clusterStub{away: errors.New("dial tcp: s3cret")}, "120", []string{"cannot be shown: kube-apiserver is unavailable", "enforcing"}, "in step"},
		"a deleted object":                   {clusterStub{}, "120", []string{"enforcing"}, "in step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t, withOps, withCluster(tc.cluster, tc.version))
			d.fillOps("")
			d.Rollout(posture.XJDF, func(s *v1alpha1.CapabilityRolloutSpec) {
				s.Analysis, s.DependsOn = &v1alpha1.Analysis{}, []v1alpha1.CapabilityName{"rfq-create", "order"}
				s.Hold = &v1alpha1.Hold{Since: metav1.NewTime(noon), Reason: "INC-8"}
			})
			operator := d.signedIn(t, "platform-live")
			page := operator.get(t, "/ops/rollouts/xjdf").want(t, http.StatusOK, "Timeline")
			for _, want := range append(tc.want, `href="/ops/rollouts/rfq-create"`, "INC-8", "kubectl printmarket rollout release xjdf") {
				if !strings.Contains(page.text, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			if strings.Contains(page.text, tc.lacks) {
				t.Errorf("the page contains %q", tc.lacks)
			}
			part := operator.get(t, "/ops/rollouts/xjdf/replica").want(t, http.StatusOK, "This replica")
			if strings.Contains(part.text, "<html") || !strings.Contains(page.text, part.text) {
				t.Errorf("the part is not that of the page: %s", part.text)
			}
			if name == "a replica that has compiled the object" {
				golden(t, "ops-rollout-stored", page.text)
			}
		})
	}
}

// replicasStub lists replicas that never change.
type replicasStub struct {
	all  []watermarks.Replica
	away error
}

// List implements dashboard.Replicas.
func (r replicasStub) List(context.Context) ([]watermarks.Replica, error) { return r.all, r.away }

func TestRolloutPageListsTheReplicas(t *testing.T) {
	t.Parallel()
	replica := func(name, version string, before time.Duration, w posture.Watermark) watermarks.Replica {
		return watermarks.Replica{Name: name, Version: version, At: noon.Add(-before), Watermark: w}
	}
	at := func(version string) posture.Watermark {
		return posture.Watermark{Revision: "r-" + version, Enforcing: true, AgeSeconds: 3, Compiled: map[string]string{v1alpha1.KindCapabilityRollout: version}}
	}
	all := []watermarks.Replica{
		replica("api-0", "1.4.0", 0, at("1")), replica("api-1", "1.4.0", time.Second, at("120")), replica("api-2", "1.3.<0>", 2*time.Second, at("119")),
		replica("api-3", "", 20*time.Second, at("121")), replica("api-4", "1.4.0", 0, posture.Watermark{AgeSeconds: 400}),
	}
	d := newDashboard(t, withOps, withCluster(clusterStub{rollout: storedXJDF()}, "120"), func(c *dashboard.Config) {
		c.Ops.Version, c.Ops.Replicas = "1.4.0", replicasStub{all: all}
	})
	d.fillOps("")
	page := d.signedIn(t, "platform-live").get(t, "/ops/rollouts/xjdf").want(t, http.StatusOK, "This replica")
	golden(t, "ops-rollout-replicas", page.text)
	rows := strings.Split(page.text, `<th scope="row"><code>api-`)[1:]
	for i, want := range []string{"in step", "in step", "behind", "silent", "stale: everything is closed"} {
		if i >= len(rows) || !strings.HasPrefix(rows[i], fmt.Sprint(i, "</code>")) || !strings.Contains(rows[i], want) {
			t.Errorf("replica %d of %d is not %s", i, len(rows), want)
		}
	}
	overview := d.signedIn(t, "platform-live").get(t, "/ops/rollouts").want(t, http.StatusOK, "1 of 5 enforce the revision of this replica")
	part := d.signedIn(t, "platform-live").get(t, "/ops/replicas").want(t, http.StatusOK, "api-4")
	if strings.Contains(part.text, "<html") || !strings.Contains(overview.text, part.text) {
		t.Errorf("the part is not that of the page of all rollouts: %s", part.text)
	}
	d = newDashboard(t, withOps, func(c *dashboard.Config) { c.Ops.Replicas = replicasStub{all: all[1:2]} })
	d.signedIn(t, "platform-live").get(t, "/ops/rollouts/xjdf").want(t, http.StatusOK, "another revision")
	d = newDashboard(t, withOps, func(c *dashboard.Config) { c.Ops.Replicas = replicasStub{away: errors.New("dial tcp: s3cret")} })
	d.signedIn(t, "platform-live").get(t, "/ops/rollouts/xjdf").want(t, http.StatusOK, "unknown: Redis is unavailable")
}

func TestUnknownRolloutIsNotFound(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.signedIn(t, "platform-live").get(t, "/ops/rollouts/unknown").want(t, http.StatusNotFound, "Rollout not found")
}

// TestUpdatingARolloutDoesNotRenewTheSession waits until a page would renew it.
func TestUpdatingARolloutDoesNotRenewTheSession(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	operator := d.signedIn(t, "platform-live")
	before := operator.cookie
	d.Advance(10 * time.Minute)
	operator.get(t, "/ops/rollouts/xjdf/replica").want(t, http.StatusOK, "")
	operator.get(t, "/ops/replicas").want(t, http.StatusOK, "")
	if operator.cookie != before {
		t.Error("the update renewed the session")
	}
	operator.get(t, "/ops/rollouts/xjdf").want(t, http.StatusOK, "")
	if operator.cookie == before {
		t.Error("the page did not renew the session")
	}
	for _, path := range []string{"/ops/rollouts/xjdf/replica", "/ops/replicas"} {
		d.signedIn(t, "acme-live").get(t, path).want(t, http.StatusForbidden, "ops:read")
		(&browser{dashboard: d}).get(t, path).want(t, http.StatusForbidden, "Your session has ended")
	}
}
