// SPDX-License-Identifier: Apache-2.0

// Package signature signs and verifies callbacks with a shared secret.
//
// A signature is "sha256=" and the HMAC-SHA-256 of what was sent, in lower-case
// hexadecimal digits. It is made of the bytes of the body as they are on the
// wire, before anything is decoded, and checked before anything is parsed: two
// encoders rarely write the same bytes for the same value.
//
// [Verify] takes the same time whichever part is wrong. A caller that does not
// know the sender calls it with no secrets, so that nobody can find out by the
// clock who is known. A [Timestamp] bounds how long a copy of a request is good.
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

// Scheme says which bytes are signed.
type Scheme uint8

const (
	// Body signs the body alone. A timestamp beside it can be replaced by
	// whoever holds a copy of the request, so the body needs a time and an
	// identity of its own.
	Body Scheme = iota
	// TimestampBody signs the timestamp as it was sent, a full stop, and the
	// body.
	TimestampBody
)

// ErrScheme says that there is no scheme of a name.
var ErrScheme = errors.New("unknown signature scheme")

// Schemes lists the schemes, the default first.
func Schemes() []Scheme { return []Scheme{Body, TimestampBody} }

// ParseScheme finds a scheme by the name that [Scheme.String] writes; the empty
// name is that of [Body]. It fails with [ErrScheme].
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

// String is the scheme's name.
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

// prefix names the algorithm in every signature.
const prefix = "sha256="

// Len is the length of every signature.
const Len = len(prefix) + 2*sha256.Size

type sum [sha256.Size]byte

// Sign is the signature of a body. The timestamp is used by [TimestampBody]
// alone, and is exactly what is sent beside the body.
func Sign(scheme Scheme, secret credential.Secret, timestamp string, body []byte) string {
	mac := sumOf(scheme, secret, timestamp, body)
	return prefix + hex.EncodeToString(mac[:])
}

// dummy stands in for a secret that a sender does not have. It is as long as
// the shortest secret that is allowed; what it is does not matter, because
// nothing that matches it is accepted.
const dummy = credential.Secret("nobody's secret, 32 bytes long..")

// tries is how many sums are made for every request, fitting or not: as many as a
// sender may have secrets. The time of an answer then tells neither whether a
// sender is known nor whether it is changing its secret.
const tries = 3

// Verify reports whether a header is the signature of a body under one of the
// secrets. All of them are tried, whichever fits, and the work is that of three
// if there are fewer. Empty secrets and unknown schemes verify nothing.
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
	// A hash never fails to take bytes.
	if scheme == TimestampBody {
		_, _ = io.WriteString(mac, timestamp+".")
	}
	_, _ = mac.Write(body)
	mac.Sum(made[:0])
	return made
}

// parse reads a header; ok is 0 if it is malformed. The sum of a malformed one
// is compared all the same.
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

// nibble is the value of a lower-case hexadecimal digit; above 15 for others. A
// signature has one text only, as the sender's documentation shows it.
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
