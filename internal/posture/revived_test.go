// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// TestARevokedDigestIsRejectedAlthoughItsEntryIsActive covers an object that admission would reject:
// the gates do not depend on admission.
func TestARevokedDigestIsRejectedAlthoughItsEntryIsActive(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	digest := strings.Repeat("a1", 32)
	compile := func(state v1alpha1.KeyState, revoked ...string) (*posture.Snapshot, posture.Reason) {
		acme := keyed(now.Add(time.Hour))
		acme.Spec.Contract = &v1alpha1.Contract{EffectiveFrom: metav1.NewTime(now.Add(-time.Hour))}
		acme.Spec.Keys[0].State, acme.Status.RevokedKeys = state, revoked
		snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{acme}})
		_, reason := snapshot.AuthenticateDigest(digestOf(t, "a1"), tenant.Live, posture.Connection{}, now)
		return snapshot, reason
	}
	active, reason := compile(v1alpha1.KeyStateActive, "another digest")
	if reason != posture.ReasonOpen {
		t.Fatalf("the active key is rejected: %v", reason)
	}
	revived, reason := compile(v1alpha1.KeyStateActive, "another digest", digest)
	if reason != posture.ReasonKeyRevoked {
		t.Errorf("the revived key gets %v, want %v", reason, posture.ReasonKeyRevoked)
	}
	if active.Revision() == revived.Revision() {
		t.Error("two snapshots that decide differently have one revision")
	}
	// The usual record of a revocation changes no decision, so replicas need not compile it.
	before, _ := compile(v1alpha1.KeyStateRevoked)
	after, _ := compile(v1alpha1.KeyStateRevoked, digest)
	if before.Revision() != after.Revision() {
		t.Error("recording a revocation changed the revision")
	}
}
