// SPDX-License-Identifier: Apache-2.0

package posture

// index finds partners and keys by a hash. It is a table with open addressing of positions
// in a snapshot. Unlike a Go map it does not hold its keys, and each compilation builds it.
type index struct {
	positions []position
	// tags holds a part of the hash of each position; 0 for an empty slot. A search reads
	// the object at a position only if the tags are equal, because the object is rarely in the
	// cache of the CPU.
	tags []uint8
}

// position is the place of a partner in a snapshot and, in an index of keys, of one of its
// keys. The partners are counted from 1; the zero position is an empty slot.
type position struct{ partner, key uint32 }

// newIndex returns an index for up to n positions. At most two thirds of its slots are used.
func newIndex(n int) index {
	size := 2
	for size*2 < n*3 {
		size *= 2
	}
	return index{make([]position, size), make([]uint8, size)}
}

// find returns the position with the hash for which equal returns true. If there is none, it adds
// the given position, unless that is zero, and returns zero.
func (x index) find(hash uint64, added position, equal func(position) bool) position {
	mask, tag := uint64(len(x.tags)-1), tagOf(hash)
	at := hash & mask
	for ; x.tags[at] != 0; at = (at + 1) & mask {
		if x.tags[at] == tag && equal(x.positions[at]) {
			return x.positions[at]
		}
	}
	if added != (position{}) {
		x.positions[at], x.tags[at] = added, tag
	}
	return position{}
}

// tagOf returns the part of a hash that a tag holds. The slot follows from the lowest bits.
func tagOf(hash uint64) uint8 { return uint8(hash>>56) | 1 }
