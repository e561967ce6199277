// SPDX-License-Identifier: Apache-2.0

// Package credential is the form of the platform's credentials.
//
// An API key is the text
//
//	pmk_live_<id: 10 base62><underscore><secret: 32 base62><checksum: 6 base62>
//
// or the same with pmk_test_. The prefix shows the kind to people and to secret
// scanners; the checksum lets a mistyped key fail without a look-up. The
// platform stores only the [Digest] of the whole text: the secret part has 190
// random bits, so the digest cannot be turned back and needs no salt, and a
// look-up by digest takes the same time for every wrong key.
package credential

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/printmarket/printmarket/internal/tenant"
)

// The parts of a key's text.
const (
	prefixTest = "pmk_test_"
	prefixLive = "pmk_live_"
	prefixLen  = len(prefixLive)

	idLen       = 10
	secretLen   = 32
	checksumLen = 6

	secretAt   = prefixLen + idLen + 1
	checksumAt = secretAt + secretLen

	// KeyLen is the length of every key.
	KeyLen = checksumAt + checksumLen
)

// alphabet is base62 in the order of ASCII.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ErrMalformed says that a text is not an API key. It never holds the text.
var ErrMalformed = errors.New("malformed API key")

// Key is a well-formed API key. The zero Key has no mode and equals no key of
// any partner. Printing a Key shows its prefix and id only.
type Key struct {
	text string
}

// Mint makes a new key from a source of randomness, which must be
// cryptographic outside of tests.
func Mint(mode tenant.Mode, random io.Reader) (Key, error) {
	var prefix string
	switch mode {
	case tenant.Test:
		prefix = prefixTest
	case tenant.Live:
		prefix = prefixLive
	default:
		return Key{}, fmt.Errorf("mint a key: mode %q is neither test nor live", mode)
	}
	text := make([]byte, 0, KeyLen)
	text = append(text, prefix...)
	text, err := appendRandom(text, idLen, random)
	if err != nil {
		return Key{}, fmt.Errorf("mint a key: %w", err)
	}
	text = append(text, '_')
	if text, err = appendRandom(text, secretLen, random); err != nil {
		return Key{}, fmt.Errorf("mint a key: %w", err)
	}
	sum := checksum(string(text))
	return Key{text: string(append(text, sum[:]...))}, nil
}

// appendRandom adds n digits, each equally likely: bytes from 248, the largest
// multiple of 62 in a byte, are thrown away.
func appendRandom(text []byte, n int, random io.Reader) ([]byte, error) {
	var one [1]byte
	for n > 0 {
		if _, err := io.ReadFull(random, one[:]); err != nil {
			return nil, err
		}
		if one[0] >= 248 {
			continue
		}
		text = append(text, alphabet[one[0]%62])
		n--
	}
	return text, nil
}

// Parse reads a key. It fails with [ErrMalformed] and allocates nothing.
func Parse(text string) (Key, error) {
	if len(text) != KeyLen || text[secretAt-1] != '_' {
		return Key{}, ErrMalformed
	}
	if prefix := text[:prefixLen]; prefix != prefixTest && prefix != prefixLive {
		return Key{}, ErrMalformed
	}
	if !isBase62(text[prefixLen:secretAt-1]) || !isBase62(text[secretAt:checksumAt]) {
		return Key{}, ErrMalformed
	}
	if sum := checksum(text[:checksumAt]); string(sum[:]) != text[checksumAt:] {
		return Key{}, ErrMalformed
	}
	return Key{text: text}, nil
}

func isBase62(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		default:
			return false
		}
	}
	return true
}

// checksum is the CRC-32 of everything before it in six base62 digits: 62^6 is
// larger than 2^32, so the first digit is always small.
func checksum(text string) [checksumLen]byte {
	sum := ^uint32(0)
	for i := range len(text) {
		// The table form of crc32.Update, which would make the text escape.
		sum = crc32.IEEETable[byte(sum&0xff)^text[i]] ^ (sum >> 8)
	}
	sum = ^sum
	var digits [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		digits[i] = alphabet[sum%62]
		sum /= 62
	}
	return digits
}

// Mode is the kind of the key; empty for the zero Key.
func (k Key) Mode() tenant.Mode {
	switch {
	case k.text == "":
		return ""
	case k.text[:prefixLen] == prefixTest:
		return tenant.Test
	default:
		return tenant.Live
	}
}

// ID is the part of the key that may be shown and logged; empty for the zero
// Key.
func (k Key) ID() string {
	if k.text == "" {
		return ""
	}
	return k.text[prefixLen : secretAt-1]
}

// Secret is the whole text of the key.
func (k Key) Secret() Secret { return Secret(k.text) }

// IsZero reports whether the key is none.
func (k Key) IsZero() bool { return k.text == "" }

// String shows the prefix and the id.
func (k Key) String() string {
	if k.text == "" {
		return redacted
	}
	return k.text[:secretAt] + redacted
}

// GoString hides the secret from %#v.
func (k Key) GoString() string { return k.String() }

// Format hides the secret from every verb.
func (k Key) Format(state fmt.State, _ rune) {
	// The error of a print is the printer's to report.
	_, _ = io.WriteString(state, k.String())
}

// MarshalText hides the secret from encoders and from slog.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
