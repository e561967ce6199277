// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"bytes"
	"fmt"
	"testing"
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
