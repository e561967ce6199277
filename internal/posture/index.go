// SPDX-License-Identifier: Apache-2.0

package posture

// index finds partners and keys by a hash. It is a table with open addressing of positions
// in a snapshot. Unlike a Go map it does not hold its keys, and each compilation builds it.
type index []position

// position is the place of a partner in a snapshot and, in an index of keys, of one of its
// keys. The partners are counted from 1; the zero position is an empty slot.
type position struct{ partner, key uint32 }

// newIndex returns an index for up to n positions. At most two thirds of its slots are used.
func newIndex(n int) index {
	size := 2
	for size*2 < n*3 {
		size *= 2
	}
	return make(index, size)
}

// slot returns the slot of the position with the hash for which equal returns true. If there
// is none, it returns the empty slot for the hash.
func (x index) slot(hash uint64, equal func(position) bool) *position {
	for mask := uint64(len(x) - 1); ; hash++ {
		if slot := &x[hash&mask]; *slot == (position{}) || equal(*slot) {
			return slot
		}
	}
}
