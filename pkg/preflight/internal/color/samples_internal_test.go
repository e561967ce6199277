// SPDX-License-Identifier: Apache-2.0

package color

import (
	"encoding/binary"
	"testing"
)

func TestEightBitsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for packed := range 256 {
		var got [8]byte
		binary.LittleEndian.PutUint64(got[:], eightBits(byte(packed)))
		for i, bit := range got {
			if want := byte(packed) >> (7 - i) & 1; bit != want {
				t.Fatalf("eightBits(%08b): pixel %d is %d, want %d", packed, i, bit, want)
			}
		}
	}
}
