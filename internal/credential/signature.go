// SPDX-License-Identifier: Apache-2.0

// Package signature signs and verifies callbacks with a shared secret.
//
// A signature is "sha256=" and the HMAC-SHA-256 of the signed bytes, in lower-case
// hexadecimal digits. It covers the bytes of the body as transmitted, before decoding,
// and is verified before parsing: two encoders rarely produce the same bytes for the
// same value.
//
// [Verify] takes the same time whichever part is wrong. For an unknown sender the
// caller passes no secrets, so that response times do not reveal known senders. A
// [Timestamp] limits how long a copy of a request is valid.
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/internal/credential"
)

// Part is a checked part of a signed message with its fault, which is empty if the part
// is valid.
type Part struct {
	Name  string `json:"part"`
	Fault string `json:"fault,omitempty"`
}

// Scheme selects the signed bytes.
type Scheme uint8

const (
	// Body signs the body only. An attacker with a copy of the request can replace the
	// timestamp, so the body needs its own time and identity.
	Body Scheme = iota
	// TimestampBody signs the timestamp as it was sent, a full stop, and the
	// body.
	TimestampBody
)

// ErrScheme means that no scheme has the given name.
var ErrScheme = errors.New("unknown signature scheme")

// Schemes lists the schemes, the default first.
func Schemes() []Scheme { return []Scheme{Body, TimestampBody} }

// ParseScheme finds a scheme by the name that [Scheme.String] returns. The empty name
// selects [Body]. Errors: [ErrScheme].
func ParseScheme(name string) (Scheme, error) {
	if name == "" {
		return Body, nil
	}
	for _, scheme := range Schemes() {
		if scheme.String() == name {
			return scheme, nil
		}
	}
	return Body, fmt.Errorf("%w: %q", ErrScheme, name)
}

// String returns the name of the scheme.
func (s Scheme) String() string {
	switch s {
	case Body:
		return "Body"
	case TimestampBody:
		return "TimestampBody"
	default:
		return fmt.Sprintf("Scheme(%d)", uint8(s))
	}
}

// prefix identifies the algorithm in every signature.
const prefix = "sha256="

// Len is the length of every signature in bytes.
const Len = len(prefix) + 2*sha256.Size

type sum [sha256.Size]byte

// Sign returns the signature of a body. Only [TimestampBody] uses the timestamp, which
// must be exactly the transmitted text.
func Sign(scheme Scheme, secret credential.Secret, timestamp string, body []byte) string {
	mac := sumOf(scheme, secret, timestamp, body)
	return prefix + hex.EncodeToString(mac[:])
}

// dummy replaces a missing secret. It has the minimum length of a secret. Its value
// does not matter, because a match with it is not accepted.
const dummy = credential.Secret("placeholder, 32 bytes in length.")

// tries is the number of sums computed for every request, valid or not: the maximum
// number of a sender's secrets. The response time therefore reveals neither whether a
// sender is known nor whether its secret is being rotated.
const tries = 3

// Verify reports whether a header is the signature of a body under one of the secrets.
// It always tries all secrets, and computes at least three sums. Empty secrets and
// unknown schemes verify nothing.
func Verify(scheme Scheme, secrets []credential.Secret, header, timestamp string, body []byte) bool {
	given, accept := parse(header)
	accept &= flag(scheme <= TimestampBody)
	matched := 0
	for i := range max(tries, len(secrets)) {
		secret, counts := dummy, 0
		if i < len(secrets) {
			secret, counts = secrets[i], flag(secrets[i] != "")
		}
		want := sumOf(scheme, secret, timestamp, body)
		matched |= subtle.ConstantTimeCompare(want[:], given[:]) & counts
	}
	return matched&accept == 1
}

func sumOf(scheme Scheme, secret credential.Secret, timestamp string, body []byte) (made sum) {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	// Writing to a hash never returns an error.
	if scheme == TimestampBody {
		_, _ = io.WriteString(mac, timestamp+".")
	}
	_, _ = mac.Write(body)
	mac.Sum(made[:0])
	return made
}

// parse reads a header; ok is 0 if it is malformed. Verify compares the sum of a
// malformed header, too.
func parse(header string) (given sum, ok int) {
	if len(header) != Len {
		return sum{}, 0
	}
	ok = flag(header[:len(prefix)] == prefix)
	for i := range given {
		high, low := nibble(header[len(prefix)+2*i]), nibble(header[len(prefix)+2*i+1])
		ok &= flag(high < 16 && low < 16)
		given[i] = high<<4 | low&15
	}
	return given, ok
}

// nibble returns the value of a lower-case hexadecimal digit; above 15 for other
// characters. A signature has only one text, as in the sender's documentation.
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

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}
