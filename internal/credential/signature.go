// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// SignedPart is a checked part of a signed message with its fault, which is empty if the part
// is valid.
type SignedPart struct {
	Name  string `json:"part"`
	Fault string `json:"fault,omitempty"`
}

// SignatureScheme selects the signed bytes of a callback.
type SignatureScheme uint8

const (
	// SignedBody signs the body only. An attacker with a copy of the request can replace the
	// timestamp, so the body needs its own time and identity.
	SignedBody SignatureScheme = iota
	// SignedTimestampBody signs the timestamp as it was sent, a full stop, and the
	// body.
	SignedTimestampBody
)

// ErrSignatureScheme means that no scheme has the given name.
var ErrSignatureScheme = errors.New("unknown signature scheme")

// SignatureSchemes lists the schemes, the default first.
func SignatureSchemes() []SignatureScheme { return []SignatureScheme{SignedBody, SignedTimestampBody} }

// ParseSignatureScheme finds a scheme by the name that [SignatureScheme.String] returns. The empty name
// selects [SignedBody]. Errors: [ErrSignatureScheme].
func ParseSignatureScheme(name string) (SignatureScheme, error) {
	if name == "" {
		return SignedBody, nil
	}
	for _, scheme := range SignatureSchemes() {
		if scheme.String() == name {
			return scheme, nil
		}
	}
	return SignedBody, fmt.Errorf("%w: %q", ErrSignatureScheme, name)
}

// String returns the name of the scheme.
func (s SignatureScheme) String() string {
	switch s {
	case SignedBody:
		return "Body"
	case SignedTimestampBody:
		return "TimestampBody"
	default:
		return fmt.Sprintf("Scheme(%d)", uint8(s))
	}
}

// prefix identifies the algorithm in every signature.
const signaturePrefix = "sha256="

// SignatureLen is the length of every signature in bytes.
const SignatureLen = len(signaturePrefix) + 2*sha256.Size

type sum [sha256.Size]byte

// Sign returns the signature of a body. Only [SignedTimestampBody] uses the timestamp, which
// must be exactly the transmitted text.
func Sign(scheme SignatureScheme, secret Secret, timestamp string, body []byte) string {
	mac := sumOf(scheme, secret, timestamp, body)
	return signaturePrefix + hex.EncodeToString(mac[:])
}

// missingSecret replaces a missing secret. It has the minimum length of a secret. Its value
// does not matter, because a match with it is not accepted.
const missingSecret = Secret("compared if there is no secret..")

// tries is the number of sums computed for every request, valid or not: the maximum
// number of a sender's secrets. The response time therefore reveals neither whether a
// sender is known nor whether its secret is being rotated.
const tries = 3

// VerifySignature reports whether a header is the signature of a body under one of the secrets.
// It always tries all secrets, and computes at least three sums. Empty secrets and
// unknown schemes verify nothing.
func VerifySignature(scheme SignatureScheme, secrets []Secret, header, timestamp string, body []byte) bool {
	given, accept := parse(header)
	accept &= flag(scheme <= SignedTimestampBody)
	matched := 0
	for i := range max(tries, len(secrets)) {
		secret, counts := missingSecret, 0
		if i < len(secrets) {
			secret, counts = secrets[i], flag(secrets[i] != "")
		}
		want := sumOf(scheme, secret, timestamp, body)
		matched |= subtle.ConstantTimeCompare(want[:], given[:]) & counts
	}
	return matched&accept == 1
}

func sumOf(scheme SignatureScheme, secret Secret, timestamp string, body []byte) (made sum) {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	// Writing to a hash never returns an error.
	if scheme == SignedTimestampBody {
		_, _ = io.WriteString(mac, timestamp+".")
	}
	_, _ = mac.Write(body)
	mac.Sum(made[:0])
	return made
}

// parse reads a header; ok is 0 if it is malformed. Verify compares the sum of a
// malformed header, too.
func parse(header string) (given sum, ok int) {
	if len(header) != SignatureLen {
		return sum{}, 0
	}
	ok = flag(header[:len(signaturePrefix)] == signaturePrefix)
	for i := range given {
		high, low := nibble(header[len(signaturePrefix)+2*i]), nibble(header[len(signaturePrefix)+2*i+1])
		ok &= flag(high < 16 && low < 16)
		given[i] = high<<4 | low&15
	}
	return given, ok
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}
