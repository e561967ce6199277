// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"errors"
	"io"
	"time"
)

// maxSealedToken bounds the tokens of [Sessions.SealFor], in bytes: with its name and
// its attributes a cookie has room for 4096.
const maxSealedToken = 3500

// sealedFor begins the purpose of every token that is no session's, so that neither is
// ever taken for the other.
const sealedFor = "printmarket sealed for "

// ErrTooLong means that a text is too long to be sealed for a cookie.
var ErrTooLong = errors.New("too long to be sealed")

// SealFor makes a token of bytes with the keys that sessions are sealed with. It is
// opened for the same purpose alone. When it ends is up to what is sealed. It fails with
// [ErrNoSessionKeys], or [ErrTooLong] if no cookie could hold the token.
func (s *Sessions) SealFor(purpose string, plain []byte, now time.Time, random io.Reader) (Secret, error) {
	token, err := s.seal(sealedFor+purpose, plain, now, random)
	if err == nil && len(token) > maxSealedToken {
		return "", ErrTooLong
	}
	return token, err
}

// OpenFor is what was sealed for a purpose. Whatever is wrong with the token, the error
// is [ErrSession].
func (s *Sessions) OpenFor(purpose, token string) ([]byte, error) {
	return s.open(sealedFor+purpose, token, maxSealedToken)
}
