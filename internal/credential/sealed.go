// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"errors"
	"io"
	"time"
)

// maxSealedToken limits the tokens of [Sessions.SealFor], in bytes. A cookie has room
// for 4096 bytes, including its name and attributes.
const maxSealedToken = 3500

// sealedFor starts the purpose of every token that is not a session's, so that the two
// kinds can never be confused.
const sealedFor = "printmarket sealed for "

// ErrTooLong means that a sealed text would exceed the size of a cookie.
var ErrTooLong = errors.New("too long to be sealed")

// SealFor seals bytes for a purpose with the session keys. [Sessions.OpenFor] opens the
// token for the same purpose only. The token has no expiry of its own; if one is
// required, the sealed bytes must contain it. Errors: [ErrNoSessionKeys], and
// [ErrTooLong] if the token does not fit into a cookie.
func (s *Sessions) SealFor(purpose string, plain []byte, now time.Time, random io.Reader) (Secret, error) {
	token, err := s.seal(sealedFor+purpose, plain, now, random)
	if err == nil && len(token) > maxSealedToken {
		return "", ErrTooLong
	}
	return token, err
}

// OpenFor returns the bytes that were sealed for a purpose. The error for any invalid
// token is [ErrSession].
func (s *Sessions) OpenFor(purpose, token string) ([]byte, error) {
	return s.open(sealedFor+purpose, token, maxSealedToken)
}
