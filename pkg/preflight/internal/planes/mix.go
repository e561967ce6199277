// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"encoding/binary"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// mix moves values towards one value by their coverage.
func mix(to, cover []uint8, v uint8) {
	n := len(cover) &^ 7
	mixEights(to[:n], cover[:n], v)
	for i := n; i < len(cover); i++ {
		to[i] = between(to[i], v, cover[i])
	}
}

// mixEightsInGo is mixEights for all processors. It also runs with the race detector, which does not see what
// assembly writes.
func mixEightsInGo(to, cover []uint8, v uint8) {
	for i := 0; i < len(cover); i += 8 {
		part := to[i : i+8]
		switch shares := binary.LittleEndian.Uint64(cover[i:]); shares {
		case 0:
		case math.MaxUint64:
			raster.Set(part, v)
		default:
			binary.LittleEndian.PutUint64(part, between8(binary.LittleEndian.Uint64(part), uint64(v), shares))
		}
	}
}

// union returns the opacity of two layers together.
func union(a, b uint8) uint8 { return a + raster.Times(255-a, b) }

// between returns the value at a share, in 1/255, of the way from a to b.
func between(a, b, share uint8) uint8 {
	v := int(a)*255 + int(share)*(int(b)-int(a)) + 128
	return uint8((v + v>>8) >> 8) // #nosec G115 -- at most 255
}

// between8 is [between] for eight values and shares, one in each byte, and one b.
func between8(a, b, shares uint64) uint64 {
	const low, half, ones = 0x00ff00ff00ff00ff, 0x0080008000800080, 0x0101010101010101
	if a == b*ones {
		return a
	}
	rest := ^shares
	// The products fit into 16 bits: they are those of the bytes at even places, and at odd places.
	even := (a&255)*(rest&255) | (a>>16&255)*(rest>>16&255)<<16 | (a>>32&255)*(rest>>32&255)<<32 | (a>>48&255)*(rest>>48&255)<<48
	odd := (a>>8&255)*(rest>>8&255) | (a>>24&255)*(rest>>24&255)<<16 | (a>>40&255)*(rest>>40&255)<<32 | a>>56*(rest>>56)<<48
	even += (shares&low)*b + half
	odd += (shares>>8&low)*b + half
	even += even >> 8 & low
	odd += odd >> 8 & low
	return even>>8&low | odd&^uint64(low)
}

// towards returns the value at a share, in 1/256, of the way from a to b.
func towards(a, b uint8, share uint16) uint8 {
	return uint8((uint32(a)*uint32(256-share) + uint32(b)*uint32(share) + 128) >> 8) // #nosec G115 -- at most 255
}
