// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

func TestEntitlementOverridesThePackagesRateLimit(t *testing.T) {
	t.Parallel()
	standard := posture.RateLimit{Requests: 2_000, Window: 10 * time.Second}
	tests := map[string]struct {
		pkg     v1alpha1.Package
		named   []v1alpha1.RateLimit
		surface posture.Surface
		want    posture.RateLimit
	}{
		"nothing named": {v1alpha1.PackageStandard, nil, posture.SurfacePartner, standard},
		"the surface named": {
			v1alpha1.PackageStandard,
			[]v1alpha1.RateLimit{{Surface: "partner", Requests: 7, WindowSeconds: 60}},
			posture.SurfacePartner,
			posture.RateLimit{Requests: 7, Window: time.Minute},
		},
		"another surface named": {
			v1alpha1.PackageStandard,
			[]v1alpha1.RateLimit{{Surface: "partner", Requests: 7, WindowSeconds: 60}},
			posture.SurfacePreflight, standard,
		},
		"no window": {
			v1alpha1.PackageStandard,
			[]v1alpha1.RateLimit{{Surface: "xjdf", Requests: 7}},
			posture.SurfaceXJDF,
			posture.RateLimit{Requests: 7, Window: 10 * time.Second},
		},
		"none allowed": {
			v1alpha1.PackageEnterprise,
			[]v1alpha1.RateLimit{{Surface: "bridge", Requests: 0, WindowSeconds: 10}},
			posture.SurfaceBridge,
			posture.RateLimit{Window: 10 * time.Second},
		},
		"a negative limit": {
			v1alpha1.PackageEnterprise,
			[]v1alpha1.RateLimit{{Surface: "bridge", Requests: -5, WindowSeconds: 10}},
			posture.SurfaceBridge,
			posture.RateLimit{Window: 10 * time.Second},
		},
		"an unknown surface": {
			v1alpha1.PackageStandard, []v1alpha1.RateLimit{{Surface: "fax", Requests: 1}, {Requests: 1}}, posture.SurfacePartner, standard,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{{
				Spec: v1alpha1.PartnerEntitlementSpec{OrganizationID: "org_acme01", Package: tc.pkg, RateLimits: tc.named},
			}}})
			caller, known := snapshot.Behalf(tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, now)
			if !known {
				t.Fatal("Behalf does not find org_acme01")
			}
			if diff := cmp.Diff(tc.want, caller.Rate(tc.surface)); diff != "" {
				t.Errorf("rate (-want +got):\n%s", diff)
			}
		})
	}
	if got := (posture.Caller{}).Rate(posture.SurfacePartner); got != (posture.RateLimit{}) {
		t.Errorf("the zero Caller has the rate limit %v, want zero", got)
	}
}

// TestEveryPackageHasARateLimit checks that a missing limit never means unlimited, for
// any package of the schema.
func TestEveryPackageHasARateLimit(t *testing.T) {
	t.Parallel()
	for _, pkg := range []v1alpha1.Package{
		v1alpha1.PackageSandbox, v1alpha1.PackageStandard, v1alpha1.PackageEnterprise, v1alpha1.PackagePlatform,
	} {
		if rate := posture.DefaultRate(pkg); rate.Requests <= 0 || rate.Window <= 0 {
			t.Errorf("%s has the rate limit %v, want a positive one", pkg, rate)
		}
	}
	if rate := posture.DefaultRate("Unknown"); rate != (posture.RateLimit{}) {
		t.Errorf("an unknown package has the rate limit %v, want zero", rate)
	}
}

// TestSurfaceNamesMatchTheSchema compares the names of surfaces with the API package.
func TestSurfaceNamesMatchTheSchema(t *testing.T) {
	t.Parallel()
	for surface, want := range map[posture.Surface]v1alpha1.Surface{
		posture.NoSurface: "", posture.SurfacePartner: v1alpha1.SurfacePartner, posture.SurfacePreflight: v1alpha1.SurfacePreflight,
		posture.SurfaceXJDF: v1alpha1.SurfaceXJDF, posture.SurfaceXJMF: v1alpha1.SurfaceXJMF, posture.SurfaceBridge: v1alpha1.SurfaceBridge, 200: "",
	} {
		if surface.String() != string(want) {
			t.Errorf("surface %d is %q, want %q", surface, surface, want)
		}
	}
}

func TestWorkersReturnsTheGrantsShare(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		grants []v1alpha1.CapabilityGrant
		want   posture.WorkerShare
	}{
		"nothing named":            {[]v1alpha1.CapabilityGrant{{Name: "preflight"}}, posture.WorkerShare{Weight: 10}},
		"no grant":                 {nil, posture.WorkerShare{Weight: 10}},
		"a weight":                 {[]v1alpha1.CapabilityGrant{{Name: "preflight", Workers: &v1alpha1.WorkerShare{Weight: 30}}}, posture.WorkerShare{Weight: 30}},
		"a cap alone":              {[]v1alpha1.CapabilityGrant{{Name: "preflight", Workers: &v1alpha1.WorkerShare{MaxInFlight: 4}}}, posture.WorkerShare{Weight: 10, MaxInFlight: 4}},
		"another capability's":     {[]v1alpha1.CapabilityGrant{{Name: "xjdf", Workers: &v1alpha1.WorkerShare{Weight: 30}}}, posture.WorkerShare{Weight: 10}},
		"values below the minimum": {[]v1alpha1.CapabilityGrant{{Name: "preflight", Workers: &v1alpha1.WorkerShare{Weight: -3, MaxInFlight: -1}}}, posture.WorkerShare{Weight: 1}},
		"the first of two grants":  {[]v1alpha1.CapabilityGrant{{Name: "preflight", Workers: &v1alpha1.WorkerShare{Weight: 2}}, {Name: "preflight", Workers: &v1alpha1.WorkerShare{Weight: 90}}}, posture.WorkerShare{Weight: 2}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{{
				Spec: v1alpha1.PartnerEntitlementSpec{OrganizationID: "org_acme01", Package: v1alpha1.PackageStandard, Capabilities: tc.grants},
			}}})
			if got := snapshot.Workers("org_acme01"); got != tc.want {
				t.Errorf("share %+v, want %+v", got, tc.want)
			}
			if got := snapshot.Workers("org_nobody"); got != (posture.WorkerShare{Weight: 10}) {
				t.Errorf("share of an unknown organization %+v, want the default", got)
			}
		})
	}
	if got := (*posture.Snapshot)(nil).Workers("org_acme01"); got != (posture.WorkerShare{Weight: 10}) {
		t.Errorf("share without a posture %+v", got)
	}
}
