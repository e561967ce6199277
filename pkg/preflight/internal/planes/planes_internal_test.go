// SPDX-License-Identifier: Apache-2.0

package planes

import "testing"

func TestEightValuesAreMixedAsOne(t *testing.T) {
	t.Parallel()
	for a := range 256 {
		for b := range 256 {
			for from := 0; from < 256; from += 8 {
				var values, shares, want uint64
				for i := range 8 {
					// Other values are beside the one, so that none changes its neighbours.
					v, share := uint8(a+i*85), uint8(from+i) // #nosec G115 -- any byte
					values |= uint64(v) << (8 * i)
					shares |= uint64(share) << (8 * i)
					want |= uint64(between(v, uint8(b), share)) << (8 * i)
				}
				if got := between8(values, uint64(b), shares); got != want {
					t.Fatalf("between8(%#x, %d, %#x) = %#x, want %#x", values, b, shares, got, want)
				}
			}
		}
	}
}
