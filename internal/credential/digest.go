// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// Digest is the SHA-256 of a whole key text. It is safe to store and to show.
type Digest [sha256.Size]byte

// ErrDigest says that a text is not a digest.
var ErrDigest = errors.New("a digest is 64 lower-case hexadecimal digits")

// Digest is what the platform knows of a key. The digest of the zero Key is
// the zero Digest, which no key has.
func (k Key) Digest() Digest {
	if k.text == "" {
		return Digest{}
	}
	// A copy on the stack keeps this free of allocations.
	var text [KeyLen]byte
	copy(text[:], k.text)
	return sha256.Sum256(text[:])
}

// ParseDigest reads the form that [Digest.String] writes. It fails with
// [ErrDigest].
func ParseDigest(text string) (Digest, error) {
	var d Digest
	if len(text) != hex.EncodedLen(len(d)) {
		return Digest{}, ErrDigest
	}
	for i := range d {
		high, low := nibble(text[2*i]), nibble(text[2*i+1])
		if high > 15 || low > 15 {
			return Digest{}, ErrDigest
		}
		d[i] = high<<4 | low
	}
	return d, nil
}

// nibble is the value of a lower-case hexadecimal digit; above 15 for others.
// Upper case is refused so that a digest has one text only.
func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	default:
		return 16
	}
}

// String is the digest in 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the form of [Digest.String].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads the form of [Digest.String].
func (d *Digest) UnmarshalText(text []byte) error {
	parsed, err := ParseDigest(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
