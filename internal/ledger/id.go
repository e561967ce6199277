// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// Prefix says what an id is the id of; it is part of the id.
type Prefix string

// The prefixes of API.md, and that of the audit.
const (
	RFQPrefix   Prefix = "rfq_"
	QuotePrefix Prefix = "quo_"
	JobPrefix   Prefix = "pref_"
	EventPrefix Prefix = "evt_"
	AuditPrefix Prefix = "aud_"
)

// Crockford is the alphabet of every id and tracking code: no I, L, O or U, so
// that nothing is misread and nothing reads as a word. It is in byte order, so
// encoded numbers sort as their values.
const Crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	timeSymbols   = 10
	randomSymbols = 16
	idSymbols     = timeSymbols + randomSymbols
)

// NewID mints an id: the prefix, ten symbols of milliseconds since 1970 and
// sixteen symbols (80 bits) of randomness. Ids of one prefix sort by the
// millisecond of their birth, which is what keyset pagination walks over, and
// cannot be guessed. The form is that of a ULID. A random source that is used
// from several goroutines must allow it, as crypto/rand.Reader does.
func NewID(prefix Prefix, now time.Time, random io.Reader) (string, error) {
	var entropy [10]byte
	if _, err := io.ReadFull(random, entropy[:]); err != nil {
		return "", fmt.Errorf("mint %s id: %w", prefix, err)
	}
	symbols := make([]byte, 0, len(prefix)+idSymbols)
	symbols = append(symbols, prefix...)
	symbols = appendSymbols(symbols, uint64(max(now.UnixMilli(), 0)), timeSymbols)
	// 80 bits are two numbers of 40 bits, eight symbols each.
	high := uint64(binary.BigEndian.Uint32(entropy[0:4]))<<8 | uint64(entropy[4])
	low := uint64(binary.BigEndian.Uint32(entropy[5:9]))<<8 | uint64(entropy[9])
	symbols = appendSymbols(symbols, high, randomSymbols/2)
	symbols = appendSymbols(symbols, low, randomSymbols/2)
	return string(symbols), nil
}

// FirstID is not greater than any id of the prefix that is minted at an instant
// or later, and greater than all that were minted in a millisecond before.
func FirstID(prefix Prefix, at time.Time) string {
	symbols := appendSymbols([]byte(prefix), uint64(max(at.UnixMilli(), 0)), timeSymbols)
	return string(symbols) + strings.Repeat("0", randomSymbols)
}

// appendSymbols writes the low 5*n bits of value, the highest first.
func appendSymbols(to []byte, value uint64, n int) []byte {
	for shift := 5 * (n - 1); shift >= 0; shift -= 5 {
		to = append(to, Crockford[value>>shift&31])
	}
	return to
}

// IsID reports whether text has the exact form of an id with this prefix. A
// text that has not is nobody's record, and no store is asked for it.
func IsID(prefix Prefix, text string) bool {
	symbols, found := strings.CutPrefix(text, string(prefix))
	if !found || len(symbols) != idSymbols {
		return false
	}
	for i := range len(symbols) {
		if strings.IndexByte(Crockford, symbols[i]) < 0 {
			return false
		}
	}
	return true
}
