// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// partner returns a partner of a generation, with a condition Ready of another one.
func partner(name string, generation, observed int64, status metav1.ConditionStatus) v1alpha1.PartnerEntitlement {
	return v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: name, Generation: generation},
		Status: v1alpha1.PartnerEntitlementStatus{ObservedGeneration: observed, Conditions: []metav1.Condition{
			{Type: v1alpha1.ConditionReady, Status: status, Reason: "Enforced", ObservedGeneration: observed},
		}},
	}
}

func TestAStaleStatusIsNotReady(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		partners []v1alpha1.PartnerEntitlement
		want     string
		severity Severity
	}{
		"all ready":           {[]v1alpha1.PartnerEntitlement{partner("a", 2, 2, "True")}, "1, all ready", OK},
		"a stale status":      {[]v1alpha1.PartnerEntitlement{partner("a", 3, 2, "True"), partner("b", 1, 1, "True")}, "1 of 2 are not ready: a (its status describes generation 2 of 3)", Warning},
		"a status that fails": {[]v1alpha1.PartnerEntitlement{partner("a", 2, 2, "False")}, "1 of 1 are not ready: a (Enforced)", Warning},
		"no status":           {[]v1alpha1.PartnerEntitlement{{ObjectMeta: metav1.ObjectMeta{Name: "a", Generation: 1}}}, "1 of 1 are not ready: a (no status)", Warning},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readyObjects("partnerentitlements", &v1alpha1.PartnerEntitlementList{Items: tc.partners})
			if got.Detail != tc.want || got.Severity != tc.severity {
				t.Errorf("%s: %q, want %s: %q", got.Severity, got.Detail, tc.severity, tc.want)
			}
		})
	}
}

func TestFaultyPartsOfReadyObjectsAreReported(t *testing.T) {
	t.Parallel()
	acme := partner("acme", 1, 1, "True")
	acme.Status.Conditions = append(acme.Status.Conditions,
		metav1.Condition{Type: v1alpha1.ConditionKeysComplete, Status: "False", Reason: "Incomplete"},
		metav1.Condition{Type: v1alpha1.ConditionKeysUnique, Status: "True", Reason: "Unique"})
	broken := partner("broken", 1, 1, "False")
	broken.Status.Conditions = append(broken.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionWebhooksReady, Status: "False", Reason: "SecretNotFound"})
	partners := &v1alpha1.PartnerEntitlementList{Items: []v1alpha1.PartnerEntitlement{acme, broken}}
	if got := faultyParts(partners); got.Severity != OK {
		t.Errorf("a recommendation, and an object that is not ready: %+v", got)
	}
	acme.Status.Conditions = append(acme.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionWebhooksReady, Status: "False", Reason: "SecretNotFound"})
	partners.Items[0] = acme
	if got, want := faultyParts(partners), "parts of ready objects do not work: acme (WebhooksReady: SecretNotFound)"; got.Severity != Warning || got.Detail != want {
		t.Errorf("a webhook without a Secret: %+v, want %q", got, want)
	}
}

func TestADeadControllerIsAFailure(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	lease := func(holder string, ago time.Duration) coordinationv1.LeaseSpec {
		return coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(now.Add(-ago)))}
	}
	for name, tc := range map[string]struct {
		lease coordinationv1.LeaseSpec
		want  Severity
	}{
		"it renews its Lease":            {lease("pod-1", 2*time.Second), OK},
		"it is about to lose its Lease":  {lease("pod-1", 20*time.Second), OK},
		"it has stopped without release": {lease("pod-1", 31*time.Second), Failure},
		"it has released its Lease":      {lease("", time.Second), Failure},
		"the Lease is empty":             {coordinationv1.LeaseSpec{}, Failure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := leading(tc.lease, now); got.Severity != tc.want {
				t.Errorf("%s: %s, want %s", got.Severity, got.Detail, tc.want)
			}
		})
	}
}

// The clock of this machine is five minutes ahead. That is a finding of its own, and no reason to
// report that no controller leads.
func TestClockAheadOfTheClusterIsReported(t *testing.T) {
	t.Parallel()
	theirs := time.Now().Add(-5 * time.Minute)
	answer := func(w http.ResponseWriter, status int, body any) {
		w.Header().Set("Date", theirs.UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Errorf("write the response: %v", err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/version":
			answer(w, http.StatusOK, map[string]string{})
		case strings.HasSuffix(r.URL.Path, "/leases/"+leaseName):
			answer(w, http.StatusOK, coordinationv1.Lease{
				TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
				Spec:     coordinationv1.LeaseSpec{HolderIdentity: new("pod-1"), LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(theirs))},
			})
		default:
			answer(w, http.StatusForbidden, apierrors.NewForbidden(schema.GroupResource{}, "", nil).Status())
		}
	}))
	t.Cleanup(server.Close)
	found := map[string]Severity{}
	examination := Cluster(func() (*rest.Config, string, error) { return &rest.Config{Host: server.URL}, "printmarket", nil })
	for _, finding := range examination.Run(t.Context()) {
		found[finding.Check] = finding.Severity
	}
	if found["clock"] != Warning || found["controller"] != OK {
		t.Errorf("clock %s, controller %s; want a warning and ok: %v", found["clock"], found["controller"], found)
	}
}

func TestAGrantWithoutARolloutIsReported(t *testing.T) {
	t.Parallel()
	acme, globex := partner("acme", 1, 1, "True"), partner("globex", 1, 1, "True")
	acme.Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "rfq-create"}, {Name: "preflight"}}
	globex.Spec.Capabilities = acme.Spec.Capabilities[:1]
	partners := []v1alpha1.PartnerEntitlement{acme, globex}
	rollouts := []v1alpha1.CapabilityRollout{
		{Spec: v1alpha1.CapabilityRolloutSpec{Capability: "preflight"}}, {Spec: v1alpha1.CapabilityRolloutSpec{Capability: "rfq-create"}},
	}
	if got := grantedRollouts(partners, rollouts); got.Severity != OK {
		t.Errorf("every capability has a rollout: %+v", got)
	}
	got := grantedRollouts(partners, rollouts[:1])
	if want := "partners have grants for capabilities without a CapabilityRollout: rfq-create (2 partners)"; got.Severity != Warning || got.Detail != want || got.Do == "" {
		t.Errorf("a deleted rollout: %+v, want %q", got, want)
	}
}
