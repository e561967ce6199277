// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// account holds the members of the response that the tests check.
type account struct {
	Organization struct{ ID, DisplayName string }
	Entitlement  struct {
		Package, State, Mode string
		Contract             struct{ EffectiveFrom, EffectiveUntil *time.Time }
	}
	Key struct {
		Name   string
		Scopes []string
	}
	Capabilities []capability
	RateLimits   []struct {
		Surface                 string
		Requests, WindowSeconds int64
	}
}

type capability struct {
	Name, Posture, Access string
	Code                  problem.Code
	Quota                 *struct{ Limit, Used, Remaining, WindowSeconds int64 }
	Grant                 *struct{ EffectiveFrom, EffectiveUntil *time.Time }
}

func accountOf(t *testing.T, server *apitest.Server, key string) account {
	t.Helper()
	var got account
	if err := json.Unmarshal(get(t, server, key, "/api/v1/account").Want(t, 200, "").Body, &got); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	return got
}

func (a account) capability(t *testing.T, name string) capability {
	t.Helper()
	i := slices.IndexFunc(a.Capabilities, func(c capability) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("the account does not list %s", name)
	}
	return a.Capabilities[i]
}

func TestAccountReportsTheCallerAndItsAccess(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Limit("acme", "preflight", 7)
	got := accountOf(t, server, "acme-live")
	if got.Organization.ID != "org_acme01" || got.Entitlement.Package != "enterprise" || got.Entitlement.State != "active" || got.Entitlement.Mode != "live" {
		t.Errorf("account of %+v, %+v", got.Organization, got.Entitlement)
	}
	if got.Key.Name != "live" || !slices.Contains(got.Key.Scopes, "account:read") {
		t.Errorf("key %+v", got.Key)
	}
	var names []string
	for _, c := range got.Capabilities {
		names = append(names, c.Name)
	}
	// Capabilities that are disabled for all partners are not listed, nor is the internal bridge.
	want := []string{"rfq-create", "rfq-read", "rfq-list", "quote-read", "preflight", "xjdf", "xjdf-costing", "xjmf-inbound", "webhook-delivery"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	var limits []int64
	for _, limit := range got.RateLimits {
		limits = append(limits, limit.Requests, limit.WindowSeconds)
	}
	if diff := cmp.Diff([]int64{10_000, 10, 7, 1, 10_000, 10, 10_000, 10}, limits); diff != "" {
		t.Errorf("rate limits of partner, preflight, xjdf and xjmf (-want +got):\n%s", diff)
	}
	if mode := accountOf(t, server, "acme-test").Entitlement.Mode; mode != "test" {
		t.Errorf("the test key has the mode %s", mode)
	}
}

// The access in the account must match the responses to requests.
func TestAccountAgreesWithTheGates(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tests := map[string]struct {
		key, capability, access string
		code                    problem.Code
	}{
		"everything":                  {"acme-live", "rfq-create", "full", ""},
		"a key that may only read":    {"acme-reads", "rfq-create", "read", problem.CodeInsufficientScope},
		"another capability":          {"acme-live", "preflight", "full", ""},
		"a partner without the grant": {"globex-live", "rfq-create", "none", problem.CodeCapabilityNotEntitled},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := accountOf(t, server, tc.key).capability(t, tc.capability)
			if got.Access != tc.access || got.Code != tc.code {
				t.Errorf("%s is %s %s, want %s %s", tc.capability, got.Access, got.Code, tc.access, tc.code)
			}
			if tc.capability != "rfq-create" {
				return
			}
			created := createAs(t, server, tc.key, "k-1", flyers)
			if refused := created.Status != 201; refused != (tc.code != "") || refused && created.Text(t, "code") != string(tc.code) {
				t.Errorf("create: status %d, want the one of the account: %s", created.Status, created.Body)
			}
			if read := get(t, server, tc.key, "/api/v1/catalog/products").Status == 200; read != (tc.access != "none") {
				t.Errorf("reading the catalog is allowed %t", read)
			}
		})
	}
}

// A grant outside its period is like no grant. Only the account reports the period.
func TestGrantIsInForceOnlyInItsPeriod(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	without := get(t, server, "globex-live", "/api/v1/rfq").Want(t, 403, problem.CodeCapabilityNotEntitled).Text(t, "detail")
	begins, ends := server.Clock.Now().Add(20*time.Minute), server.Clock.Now().Add(40*time.Minute)
	server.Partner("acme", func(spec *v1alpha1.PartnerEntitlementSpec) {
		for i := range spec.Capabilities {
			if g := &spec.Capabilities[i]; g.Name == "rfq-list" {
				g.NotBefore, g.NotAfter = new(metav1.NewTime(begins)), new(metav1.NewTime(ends))
			}
		}
	})
	for _, step := range []struct {
		after  time.Duration
		access string
	}{{0, "none"}, {20 * time.Minute, "full"}, {20*time.Minute - time.Millisecond, "full"}, {time.Millisecond, "none"}} {
		// No object changes and nothing compiles: only the clock moves.
		server.Clock.Step(step.after)
		got := accountOf(t, server, "acme-live").capability(t, "rfq-list")
		if got.Access != step.access {
			t.Errorf("at %s: access %s, want %s", server.Clock.Now(), got.Access, step.access)
		}
		if got.Grant == nil || !got.Grant.EffectiveFrom.Equal(begins) || !got.Grant.EffectiveUntil.Equal(ends) {
			t.Errorf("at %s: grant %+v, want from %s until %s", server.Clock.Now(), got.Grant, begins, ends)
		}
		listed := get(t, server, "acme-live", "/api/v1/rfq")
		if step.access == "full" {
			listed.Want(t, 200, "")
			continue
		}
		if detail := listed.Want(t, 403, problem.CodeCapabilityNotEntitled).Text(t, "detail"); detail != without {
			t.Errorf("at %s: detail %q, want %q as without a grant", server.Clock.Now(), detail, without)
		}
		if listed.Header.Get("Retry-After") != "" {
			t.Errorf("at %s: Retry-After %s discloses the period", server.Clock.Now(), listed.Header.Get("Retry-After"))
		}
	}
	if got := accountOf(t, server, "acme-live").capability(t, "rfq-read"); got.Grant != nil {
		t.Errorf("rfq-read has the period %+v, want none", got.Grant)
	}
}

func TestAccountRequiresOnlyItsScope(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	get(t, server, "", "/api/v1/account").Want(t, 401, problem.CodeMissingAPIKey)
	get(t, server, "acme-none", "/api/v1/account").Want(t, 403, problem.CodeInsufficientScope)
	get(t, server, "acme-writes", "/api/v1/account").Want(t, 403, problem.CodeInsufficientScope)
}

// Only the account serves partners without standing, so that they can read their dates.
func TestAnAccountReportsTheDatesOfAPartnerWithoutStanding(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC) }
	contract := func(from time.Time, until *metav1.Time) func(*v1alpha1.PartnerEntitlementSpec) {
		return func(s *v1alpha1.PartnerEntitlementSpec) {
			s.Contract.EffectiveFrom, s.Contract.EffectiveUntil = metav1.NewTime(from), until
		}
	}
	ended := metav1.NewTime(at(2))
	tests := map[string]struct {
		change       func(*v1alpha1.PartnerEntitlementSpec)
		state        string
		code         problem.Code
		detail       string
		from, ending time.Time
	}{
		"a contract that has not begun": {
			contract(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC), nil), "contract-not-effective", problem.CodeContractNotEffective,
			"Your organization's contract is not in effect. The contract takes effect on 2099-01-01T00:00:00Z.",
			time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Time{},
		},
		"a contract that has ended": {
			contract(at(1), &ended), "contract-not-effective", problem.CodeContractNotEffective,
			"Your organization's contract is not in effect. The contract ended on 2026-11-02T00:00:00Z.", at(1), at(2),
		},
		"a suspended partner": {
			func(s *v1alpha1.PartnerEntitlementSpec) {
				contract(at(1), nil)(s)
				s.State = v1alpha1.StateSuspended
			}, "suspended", problem.CodePartnerSuspended,
			"Your organization's access is suspended. The contract is open-ended and took effect on 2026-11-01T00:00:00Z.", at(1),
			time.Time{},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			server.Partner("acme", tc.change)
			got := accountOf(t, server, "acme-live")
			from, until := got.Entitlement.Contract.EffectiveFrom, got.Entitlement.Contract.EffectiveUntil
			if got.Entitlement.State != tc.state || from == nil || !from.Equal(tc.from) ||
				(until == nil) != tc.ending.IsZero() || until != nil && !until.Equal(tc.ending) {
				t.Errorf("entitlement %+v from %v until %v, want %s from %s until %s", got.Entitlement, from, until, tc.state, tc.from, tc.ending)
			}
			if c := got.capability(t, "rfq-create"); c.Access != "none" || c.Code != tc.code {
				t.Errorf("rfq-create is %s %s, want none %s", c.Access, c.Code, tc.code)
			}
			if detail := get(t, server, "acme-live", "/api/v1/rfq").Want(t, 403, tc.code).Text(t, "detail"); detail != tc.detail {
				t.Errorf("detail %q, want %q", detail, tc.detail)
			}
			get(t, server, "acme-none", "/api/v1/account").Want(t, 403, problem.CodeInsufficientScope)
		})
	}
}

func TestAccountReportsTheCountOfTheQuota(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Grant("acme", "rfq-create", 2)
	for used := range int64(4) {
		quota := accountOf(t, server, "acme-live").capability(t, "rfq-create").Quota
		if quota == nil || quota.Limit != 2 || quota.Used != min(used, 2) || quota.Remaining != max(0, 2-used) || quota.WindowSeconds != 3600 {
			t.Errorf("after %d creates: quota %+v", used, quota)
		}
		create(t, server, "k-"+string(rune('a'+used)), flyers)
	}
	if quota := accountOf(t, server, "acme-test").capability(t, "rfq-create").Quota; quota.Used != 0 {
		t.Errorf("the sandbox has used %d, want 0 after requests in production", quota.Used)
	}
	if quota := accountOf(t, server, "acme-live").capability(t, "rfq-read").Quota; quota != nil {
		t.Errorf("reading has the quota %+v", quota)
	}
}

func TestAnAccountWithoutAStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Store.Set(storetest.Away)
	if got := get(t, server, "acme-live", "/api/v1/account").Want(t, 503, problem.CodeStoreUnavailable); got.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
