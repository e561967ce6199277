// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func show(t *testing.T, gates *posture.Gates, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	handler, err := dashboard.Handler(dashboard.Config{
		Gates: gates, Now: func() time.Time { return now },
		APIURL: "http://api.example.com", RegistryURL: "http://registry.example.com", OpsURL: `http://ops.example.com/"><script>`,
	})
	if err != nil {
		t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, httptest.NewRequest(method, path, nil))
	return rec
}

func gates(rollouts ...v1alpha1.CapabilityRollout) *posture.Gates {
	g := posture.NewGates(time.Hour)
	g.Publish(posture.Compile(posture.Inputs{Rollouts: rollouts}), now)
	return g
}

func rollout(name v1alpha1.CapabilityName, stage v1alpha1.Stage) v1alpha1.CapabilityRollout {
	return v1alpha1.CapabilityRollout{
		ObjectMeta: metav1.ObjectMeta{Name: string(name), Namespace: "default"},
		Spec:       v1alpha1.CapabilityRolloutSpec{Capability: name, Stage: stage, Change: v1alpha1.Change{Ticket: "T-1"}},
	}
}

func TestThePageShowsEveryCapabilityAsItIs(t *testing.T) {
	t.Parallel()
	opens := metav1.NewTime(now.Add(time.Hour))
	planned := rollout("preflight", v1alpha1.StageLive)
	planned.Spec.Schedule = &v1alpha1.Schedule{NotBefore: &opens}
	rec := show(t, gates(rollout("rfq-create", v1alpha1.StageLive), planned, rollout("order", v1alpha1.StageLive)), "GET", "/")
	body := rec.Body.String()
	if rec.Code != 200 {
		t.Fatalf("status %d: %s", rec.Code, body)
	}
	cells := map[string][]string{
		"rfq-create": {"Live", "Enforced"},
		"rfq-read":   {"Disabled", "NoRollout"},
		"preflight":  {"Disabled", "2026-11-20T13:00:00Z"},
		"order":      {"Disabled", "AboveCeiling"},
	}
	for capability := range posture.Capabilities() {
		name := capability.String()
		_, row, found := strings.Cut(body, `<th scope="row">`+name+"</th>")
		row, _, _ = strings.Cut(row, "</tr>")
		if !found {
			t.Errorf("%s has no row", name)
		}
		for _, want := range cells[name] {
			if !strings.Contains(row, "<td>"+want+"</td>") {
				t.Errorf("the row of %s lacks %s: %s", name, want, row)
			}
		}
	}
	if strings.Contains(body, `"><script>`) {
		t.Error("an address is not escaped")
	}
	for header, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := rec.Header().Get(header); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
	if policy := rec.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "script-src") {
		t.Errorf("policy %q", policy)
	}
}

func TestThePageSaysWhenNothingIsInForce(t *testing.T) {
	t.Parallel()
	stale := posture.NewGates(time.Hour)
	stale.Publish(posture.Compile(posture.Inputs{}), now.Add(-2*time.Hour))
	for name, g := range map[string]*posture.Gates{"nothing was ever loaded": posture.NewGates(time.Hour), "what was loaded is too old": stale} {
		if rec := show(t, g, "GET", "/"); rec.Code != 200 || !strings.Contains(rec.Body.String(), "every gate is closed") {
			t.Errorf("%s: status %d", name, rec.Code)
		}
	}
}

func TestThereIsOnePage(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{"/": 200, "/other": 404, "/page.gohtml": 404} {
		if rec := show(t, gates(), "GET", path); rec.Code != want {
			t.Errorf("%s: status %d, want %d", path, rec.Code, want)
		}
	}
	if rec := show(t, gates(), "POST", "/"); rec.Code != 405 {
		t.Errorf("POST: status %d", rec.Code)
	}
}
