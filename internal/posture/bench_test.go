// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

// market returns inputs with n partners that have every capability, every scope and
// three keys each.
func market(tb testing.TB, n int) posture.Inputs {
	tb.Helper()
	var in posture.Inputs
	for c := range posture.Capabilities() {
		one := sound(tb, c).Rollouts[0]
		one.Spec.Audience.Selector = &v1alpha1.PartnerSelector{MatchLabels: map[string]string{"tier": "pilot"}}
		one.Spec.Schedule = &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{
			{At: metav1.NewTime(now.Add(-2 * time.Hour)), Percent: 10}, {At: metav1.NewTime(now.Add(-time.Hour)), Percent: 50}, {At: metav1.NewTime(now), Percent: 100},
		}}
		in.Rollouts = append(in.Rollouts, one)
	}
	template := sound(tb, posture.RFQCreate).Partners[0]
	in.Partners = append(in.Partners, template)
	for i := 1; i < n; i++ {
		p := *template.DeepCopy()
		p.Name = fmt.Sprintf("partner-%05d", i)
		p.Labels = map[string]string{"tier": "pilot"}
		p.Spec.OrganizationID = fmt.Sprintf("org_%06d", i)
		p.Spec.Keys = nil
		for j := range 3 {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", i, j))
			p.Spec.Keys = append(p.Spec.Keys, v1alpha1.APIKey{Name: fmt.Sprint("key-", j), Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(sum[:]), Scopes: p.Spec.Scopes})
		}
		in.Partners = append(in.Partners, p)
	}
	return in
}

func BenchmarkDecide(b *testing.B) {
	s := posture.Compile(market(b, 1_000))
	caller, _ := s.Authenticate(posturetest.Key("live:acme"), posture.Connection{}, now)
	b.ReportAllocs()
	for b.Loop() {
		if !s.Decide(caller, posture.RFQCreate, true, now).Allowed() {
			b.Fatal("closed")
		}
	}
}

func BenchmarkAuthenticateAndDecide(b *testing.B) {
	gates := posture.NewGates(time.Hour)
	gates.Publish(posture.Compile(market(b, 1_000)), now)
	key := posturetest.Key("live:acme")
	b.ReportAllocs()
	for b.Loop() {
		s := gates.Current(now)
		caller, _ := s.Authenticate(key, posture.Connection{}, now)
		if !s.Decide(caller, posture.RFQCreate, true, now).Allowed() {
			b.Fatal("closed")
		}
	}
}
