// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// Digest is the SHA-256 digest of a key's whole text. It may be stored and displayed.
type Digest [sha256.Size]byte

// ErrDigest means that a text is not a digest.
var ErrDigest = errors.New("a digest is 64 lower-case hexadecimal digits")

// Digest returns the digest of the key, which is all that the platform stores of it.
// The digest of the zero Key is the zero Digest, which no key has.
func (k Key) Digest() Digest {
	if k.text == "" {
		return Digest{}
	}
	// A copy on the stack avoids an allocation.
	var text [KeyLen]byte
	copy(text[:], k.text)
	return sha256.Sum256(text[:])
}

// ParseDigest parses the output of [Digest.String]. Errors: [ErrDigest].
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

// nibble returns the value of a lower-case hexadecimal digit; above 15 for other
// characters. Upper case is invalid, so that a digest or signature has only one text.
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

// String returns 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText encodes the output of [Digest.String].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText decodes the output of [Digest.String].
func (d *Digest) UnmarshalText(text []byte) error {
	parsed, err := ParseDigest(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
