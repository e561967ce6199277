// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// TestEightsAreMixedAsOne mixes all values with all values by all shares.
func TestEightsAreMixedAsOne(t *testing.T) {
	t.Parallel()
	for name, mixed := range map[string]func(to, cover []uint8, v uint8){"as it is built": mixEights, "in Go": mixEightsInGo} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cover := make([]uint8, 256)
			for i := range cover {
				cover[i] = uint8(i) // #nosec G115 -- a byte
			}
			got, want := make([]uint8, 256), make([]uint8, 256)
			for a := range 256 {
				for b := range 256 {
					for i := range got {
						// Other values are beside the one, so that none changes its neighbours.
						got[i] = uint8(a + i%8*85) // #nosec G115 -- any byte
						want[i] = between(got[i], uint8(b), cover[i])
					}
					if mixed(got, cover, uint8(b)); !bytes.Equal(got, want) {
						t.Fatalf("%d and others, with %d: %v, want %v", a, b, got, want)
					}
				}
			}
		})
	}
}

func TestPartsOfEightAreMixed(t *testing.T) {
	t.Parallel()
	for n := range 40 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			row, cover := bytes.Repeat([]uint8{100}, n+2), bytes.Repeat([]uint8{128}, n)
			mix(row[1:n+1], cover, 200)
			want := append(append([]uint8{100}, bytes.Repeat([]uint8{150}, n)...), 100)
			if !bytes.Equal(row, want) {
				t.Errorf("%v, want %v", row, want)
			}
		})
	}
}

// BenchmarkMix mixes the rows of a thin line, with the version for this processor and the one in Go in turn. The metric
// ratio is the time of the first divided by that of the second.
func BenchmarkMix(b *testing.B) {
	row, cover := make([]uint8, 240), make([]uint8, 240)
	for i := range cover {
		cover[i] = uint8(min(i, 240-i)) // #nosec G115 -- at most 120
	}
	var times [2]time.Duration
	for b.Loop() {
		for k, mixed := range []func(to, cover []uint8, v uint8){mixEights, mixEightsInGo} {
			began := time.Now()
			for v := range 100 {
				mixed(row, cover, uint8(2*v)) // #nosec G115 -- below 200
			}
			times[k] += time.Since(began)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[0])/float64(times[1]), "ratio")
}
