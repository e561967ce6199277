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

// RateLimit bounds the requests of a tenant to one surface in any window; all of
// them may come at once. The zero RateLimit allows none.
type RateLimit struct {
	Requests int64
	Window   time.Duration
}

const rateWindow = 10 * time.Second

// packages is the table of the commercial packages: the token in headers, the
// quota of a grant that names none, for each capability, and the rate limit of
// each surface. Absent never means unlimited.
var packages = map[v1alpha1.Package]struct {
	token string
	quota Quota
	rate  RateLimit
}{
	v1alpha1.PackageSandbox:    {"sandbox", Quota{Limit: 100, Window: day}, RateLimit{500, rateWindow}},
	v1alpha1.PackageStandard:   {"standard", Quota{Limit: 1_000, Window: day}, RateLimit{2_000, rateWindow}},
	v1alpha1.PackageEnterprise: {"enterprise", Quota{Limit: 10_000, Window: day}, RateLimit{10_000, rateWindow}},
	v1alpha1.PackagePlatform:   {"platform", Quota{Window: day}, RateLimit{2_000, rateWindow}},
}

// DefaultRate is the rate limit of a surface for which an entitlement names
// none; unknown packages have the zero RateLimit.
func DefaultRate(name v1alpha1.Package) RateLimit { return packages[name].rate }

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

// DefaultWeight is the weight of a partner whose grant names none.
const DefaultWeight = 10

// WorkerShare is a tenant's share of the preflight workers while others want
// them too.
type WorkerShare struct {
	// Weight is at least 1, and MaxInFlight 0 for any number.
	Weight, MaxInFlight int
}

// workersOf is the share of one grant. What the schema would refuse is the least
// there is.
func workersOf(g *v1alpha1.CapabilityGrant) WorkerShare {
	if g.Workers == nil || g.Workers.Weight == 0 {
		share := WorkerShare{Weight: DefaultWeight}
		if g.Workers != nil {
			share.MaxInFlight = int(max(0, g.Workers.MaxInFlight))
		}
		return share
	}
	return WorkerShare{Weight: int(max(1, g.Workers.Weight)), MaxInFlight: int(max(0, g.Workers.MaxInFlight))}
}

// Workers is the share of an organization, live and test each. One that is
// unknown has the share of a grant that names none: what it has submitted is
// done.
func (s *Snapshot) Workers(organization string) WorkerShare {
	if s != nil {
		if p := s.organizations[organization]; p != nil && p.workers.Weight > 0 {
			return p.workers
		}
	}
	return WorkerShare{Weight: DefaultWeight}
}

// ratesOf are the rate limits of all surfaces. What the schema would refuse
// allows nothing.
func ratesOf(named []v1alpha1.RateLimit, fallback RateLimit) (rates [surfaceCount]RateLimit) {
	for surface := range rates {
		rates[surface] = fallback
		for i := range named {
			if one := &named[i]; surface != int(NoSurface) && string(one.Surface) == surfaces[surface] {
				rates[surface] = rateOf(one)
			}
		}
	}
	return rates
}

func rateOf(one *v1alpha1.RateLimit) RateLimit {
	window := time.Duration(one.WindowSeconds) * time.Second
	if one.WindowSeconds == 0 {
		window = rateWindow
	}
	return RateLimit{Requests: max(0, one.Requests), Window: window}
}
