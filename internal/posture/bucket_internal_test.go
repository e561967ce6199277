// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"fmt"
	"testing"
)

// TestBucketsAreEven distributes a hundred thousand organizations: every bucket must
// have a thousand of them, within five standard deviations.
func TestBucketsAreEven(t *testing.T) {
	t.Parallel()
	for _, capability := range []Capability{RFQCreate, Preflight} {
		var counts [100]int
		for i := range 100_000 {
			counts[bucket(capability, fmt.Sprintf("org_%06d", i))]++
		}
		for b, n := range counts {
			if n < 840 || n > 1160 {
				t.Errorf("%s: bucket %d has %d organizations", capability, b, n)
			}
		}
	}
}

// TestBucketsAreFixed protects against a changed bucket, which would remove a partner
// from a ramp in production.
func TestBucketsAreFixed(t *testing.T) {
	t.Parallel()
	for organization, want := range map[string]uint8{"org_acme01": 25, "org_stark1": 9, "org_globex": 11, "org_initech": 97} {
		if got := bucket(RFQCreate, organization); got != want {
			t.Errorf("bucket(rfq-create, %s) = %d, want %d", organization, got, want)
		}
	}
	if bucket(RFQCreate, "org_acme01") == bucket(Preflight, "org_acme01") && bucket(RFQCreate, "org_stark1") == bucket(Preflight, "org_stark1") {
		t.Error("two capabilities assign the same buckets, want independent buckets")
	}
}

// TestRowsFollowTheirPhases requires the rows in the order of their phases, so that the
// table reads like API.md.
func TestRowsFollowTheirPhases(t *testing.T) {
	t.Parallel()
	seen := map[Reason]bool{}
	for i := range table {
		if i > 0 && table[i].phase < table[i-1].phase {
			t.Errorf("row %s comes after a later phase", table[i].reason)
		}
		if seen[table[i].reason] {
			t.Errorf("reason %s has two rows", table[i].reason)
		}
		seen[table[i].reason] = true
	}
}
