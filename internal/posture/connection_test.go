// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/posturetest"
)

// pinning returns inputs in which acme requires a client certificate with one of the
// given names.
func pinning(tb testing.TB, names ...string) posture.Inputs {
	tb.Helper()
	in := sound(tb, posture.RFQCreate)
	spec := &in.Partners[0].Spec
	spec.RequireClientCertificate = true
	for _, name := range names {
		spec.ClientCertificates = append(spec.ClientCertificates, v1alpha1.ClientCertificate{
			Name: name, SPKISHA256: credential.Digest(pinOf(name)).String(),
		})
	}
	return in
}

// TestConnectionBindsTheCallerInEachSnapshot checks that a retained caller stays bound
// to its connection.
func TestConnectionBindsTheCallerInEachSnapshot(t *testing.T) {
	t.Parallel()
	in := pinning(t, "old", "new")
	end := metav1.NewTime(now.Add(time.Hour))
	in.Partners[0].Spec.ClientCertificates[0].NotAfter = &end
	s := posture.Compile(in)
	caller, reason := s.Authenticate(posturetest.Key("live:acme"), posture.Mutual(pinOf("old")), now)
	if reason != posture.ReasonOpen {
		t.Fatalf("Authenticate: %s", reason)
	}
	free := copyOf(in)
	free.Partners[0].Spec.RequireClientCertificate = false
	tests := map[string]struct {
		snapshot *posture.Snapshot
		at       time.Time
		want     posture.Reason
	}{
		"at the time of authentication":    {s, now, posture.ReasonOpen},
		"when its certificate has expired": {s, end.Time, posture.ReasonCertificateUnpinned},
		"once its certificate is removed":  {posture.Compile(pinning(t, "new")), now, posture.ReasonCertificateUnpinned},
		"while its certificate is pinned":  {posture.Compile(pinning(t, "old")), now, posture.ReasonOpen},
		"certificate optional and pinned":  {posture.Compile(free), now, posture.ReasonOpen},
		"certificate optional and expired": {posture.Compile(free), end.Time, posture.ReasonCertificateUnpinned},
	}
	for name, tc := range tests {
		if d := tc.snapshot.Decide(caller, posture.RFQCreate, true, tc.at); d.Reason != tc.want {
			t.Errorf("%s: %s, want %s", name, d.Reason, tc.want)
		}
		if d := tc.snapshot.Standing(caller, posture.ScopeAccountRead, tc.at); d.Reason != tc.want {
			t.Errorf("%s, standing: %s, want %s", name, d.Reason, tc.want)
		}
	}
	plain, _ := posture.Compile(free).Authenticate(posturetest.Key("live:acme"), posture.Connection{}, now)
	if d := s.Decide(plain, posture.RFQCreate, true, now); d.Reason != posture.ReasonCertificateMissing {
		t.Errorf("caller without a required certificate: reason %s, want CertificateMissing", d.Reason)
	}
}

func TestSessionIsCheckedByItsOwnConnection(t *testing.T) {
	t.Parallel()
	s := posture.Compile(pinning(t, "new"))
	digest := posturetest.Key("live:acme").Digest()
	for connection, want := range map[posture.Connection]posture.Reason{
		{}:                              posture.ReasonCertificateMissing,
		posture.Mutual(pinOf("new")):    posture.ReasonOpen,
		posture.Mutual(pinOf("old")):    posture.ReasonCertificateUnpinned,
		posture.Mutual(posture.Pin{}):   posture.ReasonCertificateUnpinned,
		posture.Mutual(posture.Pin{31}): posture.ReasonCertificateUnpinned,
	} {
		if _, reason := s.AuthenticateDigest(digest, tenant.Live, connection, now); reason != want {
			t.Errorf("%v: %s, want %s", connection, reason, want)
		}
	}
}

// TestBackgroundWorkNeedsNoCertificate checks the platform's own work on behalf of a
// partner, which has no connection.
func TestBackgroundWorkNeedsNoCertificate(t *testing.T) {
	t.Parallel()
	s := posture.Compile(pinning(t))
	itself, found := s.Behalf(tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, now)
	if d := s.Standing(itself, posture.NoScope, now); !found || !d.Allowed() {
		t.Errorf("the partner's background work has the reason %s, want Open", d.Reason)
	}
}
