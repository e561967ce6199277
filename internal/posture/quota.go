// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"slices"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Quota limits the records that a tenant may create with a capability in one window.
// The zero Quota allows none.
type Quota struct {
	Limit  int64
	Window time.Duration
}

// GrantQuota is the quota of one grant of an organization.
type GrantQuota struct {
	Organization string
	Capability   Capability
	Quota        Quota
}

// Quotas returns the quotas of all grants of valid partners, including grants that are not in force. It
// sorts them by organization and capability.
func (s *Snapshot) Quotas() []GrantQuota {
	if s == nil {
		return nil
	}
	var all []GrantQuota
	for i := range s.partners {
		p := &s.partners[i]
		for c := range Capabilities() {
			if grant := &p.terms.grants[c]; p.fault == "" && grant.granted {
				all = append(all, GrantQuota{p.organization(), c, grant.quota})
			}
		}
	}
	slices.SortFunc(all, func(a, b GrantQuota) int {
		return cmp.Or(cmp.Compare(a.Organization, b.Organization), cmp.Compare(a.Capability.String(), b.Capability.String()))
	})
	return all
}

const day = 24 * time.Hour

// RateLimit limits the requests of a tenant to one surface in any window. All requests
// may arrive at once. The zero RateLimit allows none.
type RateLimit struct {
	Requests int64
	Window   time.Duration
}

const rateWindow = 10 * time.Second

// packages holds the commercial packages: the token in headers, the default quota of a
// grant for each capability, and the default rate limit of each surface. A missing
// value never means unlimited.
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

// DefaultRate returns the rate limit of a surface for which an entitlement sets none.
// Unknown packages have the zero RateLimit.
func DefaultRate(name v1alpha1.Package) RateLimit { return packages[name].rate }

// DefaultQuota returns the quota of a grant that sets none. Unknown packages have the
// zero Quota.
func DefaultQuota(name v1alpha1.Package) Quota { return packages[name].quota }

// quotaOf returns the quota of one grant.
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

// DefaultWeight is the weight of a partner whose grant sets none.
const DefaultWeight = 10

// WorkerShare is a tenant's share of the preflight workers while other tenants compete
// for them.
type WorkerShare struct {
	// Weight is at least 1. MaxInFlight is 0 for the default, which is Percent.
	Weight, MaxInFlight int
}

// Percent returns which part of the slots of all workers a tenant may use if its share sets
// no MaxInFlight. The parts of both modes together are below the total, so that one
// organization never uses every slot.
func (WorkerShare) Percent(mode tenant.Mode) int {
	if mode == tenant.Live {
		return 50
	}
	return 25
}

// Workers returns the share of an organization, which its live and test tenants each
// get. An unknown organization has the default share, so that its submitted jobs are
// still processed.
func (s *Snapshot) Workers(organization string) WorkerShare {
	if s != nil {
		if p := s.valid(organization); p != nil && p.terms.workers.Weight > 0 {
			return p.terms.workers
		}
	}
	return WorkerShare{Weight: DefaultWeight}
}

// ratesOf returns the rate limits of all surfaces. Values that the schema would reject
// allow nothing.
func ratesOf(named []v1alpha1.RateLimit, fallback RateLimit) (rates [surfaceCount]RateLimit) {
	for surface := range rates {
		rates[surface] = fallback
		for i := range named {
			if one := &named[i]; surface != int(NoSurface) && string(one.Surface) == surfaces[surface] {
				window := time.Duration(one.WindowSeconds) * time.Second
				if one.WindowSeconds == 0 {
					window = rateWindow
				}
				rates[surface] = RateLimit{Requests: max(0, one.Requests), Window: window}
			}
		}
	}
	return rates
}
