// SPDX-License-Identifier: Apache-2.0

// Package recordid makes and checks the ids of records: a prefix that names the
// kind of record and 26 symbols in the form of a ULID.
package recordid

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// Prefix names the kind of record that an id identifies. It is part of the id.
type Prefix string

// The prefixes.
const (
	RFQ   Prefix = "rfq_"
	Quote Prefix = "quo_"
	Job   Prefix = "pref_"
	Event Prefix = "evt_"
	Audit Prefix = "aud_"
)

// Alphabet lists the symbols of ids and tracking codes (Crockford's base 32): it
// has no I, L, O or U, so a reader cannot confuse symbols. The symbols stand in
// byte order, so encoded numbers sort as their values.
const Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	timeSymbols   = 10
	randomSymbols = 16
	idSymbols     = timeSymbols + randomSymbols
)

// New returns an id: the prefix, ten symbols of milliseconds since 1970 and
// sixteen symbols (80 bits) of randomness. Ids with one prefix sort by the
// millisecond of their creation, the order of keyset pagination, and cannot be
// guessed. A random source shared by goroutines must be safe for concurrent use,
// like crypto/rand.Reader.
func New(prefix Prefix, now time.Time, random io.Reader) (string, error) {
	var entropy [10]byte
	if _, err := io.ReadFull(random, entropy[:]); err != nil {
		return "", fmt.Errorf("make %s id: %w", prefix, err)
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

// First returns the smallest id with the prefix that can be created at the given
// instant. Every id of an earlier millisecond sorts before it.
func First(prefix Prefix, at time.Time) string {
	symbols := appendSymbols([]byte(prefix), uint64(max(at.UnixMilli(), 0)), timeSymbols)
	return string(symbols) + strings.Repeat("0", randomSymbols)
}

// appendSymbols writes the low 5*n bits of value, the highest first.
func appendSymbols(to []byte, value uint64, n int) []byte {
	for shift := 5 * (n - 1); shift >= 0; shift -= 5 {
		to = append(to, Alphabet[value>>shift&31])
	}
	return to
}

// Valid reports whether text has the exact form of an id with this prefix. Callers
// check the form before they query a store.
func Valid(prefix Prefix, text string) bool {
	symbols, found := strings.CutPrefix(text, string(prefix))
	if !found || len(symbols) != idSymbols {
		return false
	}
	for i := range len(symbols) {
		if strings.IndexByte(Alphabet, symbols[i]) < 0 {
			return false
		}
	}
	return true
}
