// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/tenant"
)

func TestRowIsALeaseADeadLetterOrAnError(t *testing.T) {
	t.Parallel()
	acme := tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	for name, tc := range map[string]struct {
		row       any
		leases    []Lease
		malformed []string
		refused   bool
	}{
		"a lease":                      {row: "pref_1 org_acme01/live 2 1 30 -", leases: []Lease{{ID: "pref_1", Tenant: acme, Attempt: 2, Lost: 1, Waited: 30 * time.Millisecond}}},
		"a lease with an order":        {row: "pref_1 org_acme01/live 2 0 0 cancel:1", leases: []Lease{{ID: "pref_1", Tenant: acme, Attempt: 2, Order: OrderCancel, Since: 1}}},
		"an invalid tenant":            {row: "pref_1 unknown 2 0 0 -", malformed: []string{"pref_1"}},
		"an empty attempt":             {row: "pref_1 org_acme01/live  0 0 -", malformed: []string{"pref_1"}},
		"losses that are not a number": {row: "pref_1 org_acme01/live 2 some 0 -", malformed: []string{"pref_1"}},
		"a missing word":               {row: "pref_1 org_acme01/live 2 0 0", refused: true},
		"an additional word":           {row: "pref_1 org_acme01/live 2 0 0 - -", refused: true},
		"nothing":                      {row: "", refused: true},
		"a list":                       {row: []any{"pref_1"}, refused: true},
		"nil":                          {row: nil, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leases, malformed, err := parseLeases([]any{tc.row})
			if refused := errors.Is(err, errMalformed); refused != tc.refused || (err != nil) != refused {
				t.Errorf("refused: %v, want %t", err, tc.refused)
			}
			var aside []string
			for _, lease := range malformed {
				aside = append(aside, lease.ID)
			}
			if diff := cmp.Diff(tc.leases, leases) + cmp.Diff(tc.malformed, aside); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseLeases(f *testing.F) {
	for _, seed := range []string{"pref_1 org_acme01/live 2 1 30 -", "pref_1 org_acme01/test 2 1 30 retry:1", "a b c d e f", "      "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, row string) {
		leases, malformed, err := parseLeases([]any{row})
		if (err == nil) != (len(leases)+len(malformed) == 1) {
			t.Errorf("%d leases, %d malformed, %v", len(leases), len(malformed), err)
		}
		for _, lease := range leases {
			if _, err := tenant.Parse(lease.Tenant.String()); err != nil {
				t.Errorf("a lease without a tenant: %+v", lease)
			}
		}
	})
}
