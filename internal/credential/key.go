// SPDX-License-Identifier: Apache-2.0

// Package credential defines the format of the platform's credentials.
//
// An API key is the text
//
//	pmk_live_<id: 10 base62><underscore><secret: 32 base62><checksum: 6 base62>
//
// or the same with pmk_test_. The prefix shows the kind to people and to secret
// scanners. The checksum detects a mistyped key without a lookup. The platform
// stores only the [Digest] of the whole text: the secret part has 190 random bits,
// so the digest cannot be reversed and needs no salt. A lookup by digest takes the
// same time for every wrong key.
//
// A callback carries a signature: "sha256=" and the HMAC-SHA-256 of the signed bytes, in
// lower-case hexadecimal digits. It covers the bytes of the body as transmitted, before
// decoding, and is verified before parsing: two encoders rarely produce the same bytes for
// the same value. [VerifySignature] takes the same time whichever part is wrong. For an
// unknown sender the caller passes no secrets, so that response times do not reveal known
// senders. A [Timestamp] limits how long a copy of a request is valid.
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

	// KeyLen is the length of every key in bytes.
	KeyLen = checksumAt + checksumLen
)

// alphabet holds the base62 digits in ASCII order.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// ErrMalformed means that a text is not an API key. The error never contains the text.
var ErrMalformed = errors.New("malformed API key")

// Key is a well-formed API key. The zero Key has no mode and equals no partner's key.
// Printing a Key shows only its prefix and ID.
type Key struct {
	text string
}

// Mint creates a key from a source of randomness, which must be cryptographically
// secure except in tests.
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

// appendRandom appends n uniformly distributed digits. It discards bytes from 248 on,
// the largest multiple of 62 in a byte.
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

// Parse parses a key without allocations. Errors: [ErrMalformed].
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

// checksum returns the CRC-32 of the preceding text as six base62 digits. 62^6 is
// larger than 2^32, so the first digit is always small.
func checksum(text string) [checksumLen]byte {
	sum := ^uint32(0)
	for i := range len(text) {
		// crc32.Update would make the text escape to the heap.
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

// Mode returns the mode of the key; empty for the zero Key.
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

// ID returns the part of the key that may be displayed and logged; empty for the zero
// Key.
func (k Key) ID() string {
	if k.text == "" {
		return ""
	}
	return k.text[prefixLen : secretAt-1]
}

// Secret returns the whole text of the key.
func (k Key) Secret() Secret { return Secret(k.text) }

// IsZero reports whether the key is the zero Key.
func (k Key) IsZero() bool { return k.text == "" }

// String returns the prefix and the ID.
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
	// fmt reports write errors to its own caller.
	_, _ = io.WriteString(state, k.String())
}

// MarshalText hides the secret from encoders and from slog.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
