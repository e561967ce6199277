// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Quota bounds how many records a tenant may create with a capability in one
// window. The zero Quota allows none.
type Quota struct {
	Limit  int64
	Window time.Duration
}

const day = 24 * time.Hour

// packages is the table of the commercial packages: the token in headers and
// the quota of a grant that names none, for each capability. Absent never
// means unlimited.
var packages = map[v1alpha1.Package]struct {
	token string
	quota Quota
}{
	v1alpha1.PackageSandbox:    {"sandbox", Quota{Limit: 100, Window: day}},
	v1alpha1.PackageStandard:   {"standard", Quota{Limit: 1_000, Window: day}},
	v1alpha1.PackageEnterprise: {"enterprise", Quota{Limit: 10_000, Window: day}},
	v1alpha1.PackagePlatform:   {"platform", Quota{Window: day}},
}

// DefaultQuota is the quota of a grant that names none; unknown packages have
// the zero Quota.
func DefaultQuota(name v1alpha1.Package) Quota { return packages[name].quota }

// quotaOf is the quota of one grant.
func quotaOf(g *v1alpha1.CapabilityGrant, fallback Quota) Quota {
	if g.Quota == nil {
		return fallback
	}
	window := time.Duration(g.Quota.WindowSeconds) * time.Second
	if g.Quota.WindowSeconds == 0 {
		window = day
	}
	if g.Quota.Limit < 0 || window < 0 {
		return Quota{Window: day}
	}
	return Quota{Limit: g.Quota.Limit, Window: window}
}
