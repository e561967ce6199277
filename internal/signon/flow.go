// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// Flow is a sign-in that has begun. Its texts are secret until it has ended, so a caller that
// stores a Flow must encrypt it.
type Flow struct {
	// State returns with the browser, Nonce is part of the token, and Verifier is the PKCE
	// code verifier, which proves that the same client began and ends the flow.
	State, Nonce, Verifier string
	// Next is the path that the flow leads to.
	Next    string
	Expires time.Time
}

func newFlow(next string, expires time.Time, random io.Reader) (f Flow, err error) {
	f = Flow{Next: next, Expires: expires.UTC().Truncate(time.Millisecond)}
	for _, text := range []*string{&f.State, &f.Nonce, &f.Verifier} {
		if *text, err = secret(random); err != nil {
			return Flow{}, err
		}
	}
	return f, nil
}

// Person is a user whom the provider has authenticated.
type Person struct {
	// Subject is the provider's unique identifier of the user: 1 to 255 printable
	// characters of ASCII.
	Subject string
	// Name is the user's name, at most 64 printable characters; it is empty if the provider
	// sends none or an invalid one. It proves nothing.
	Name string
	// ProviderSession is the provider's identifier of its own session with the user (the
	// claim sid); it is empty if the provider sends none or an invalid one.
	ProviderSession string
	// SignedIn is the time of the sign-in, Until the end of its validity.
	SignedIn, Until time.Time
	// Refresh is the refresh token, a secret that must be encrypted where it is stored; it
	// is empty if the provider sends none. Checked is when the provider was last asked for
	// the user.
	Refresh string
	Checked time.Time
}

// Session is a person until an instant without a page.
type Session struct {
	Person
	// ID identifies the sign-in; a renewed session keeps it.
	ID      credential.SessionID
	Expires time.Time
}

// ErrMalformed means that a text is no flow or no session. It never holds the text.
var ErrMalformed = errors.New("malformed")

// Encode writes a flow in the clear, to be sealed.
func (f Flow) Encode() ([]byte, error) { return encode("flow", f) }

// Encode writes a session in the clear, to be sealed.
func (s Session) Encode() ([]byte, error) { return encode("session", s) }

func encode(kind string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a %s: %w", kind, err)
	}
	return text, nil
}

// DecodeFlow decodes a flow from [Flow.Encode] that has not expired at an instant. The error
// is [ErrMalformed].
func DecodeFlow(text []byte, now time.Time) (Flow, error) {
	var f Flow
	if !decode(text, &f) || f.State == "" || f.Nonce == "" || f.Verifier == "" || !now.Before(f.Expires) {
		return Flow{}, ErrMalformed
	}
	return f, nil
}

// DecodeSession reads what [Session.Encode] wrote, of a session that has not ended by an
// instant. The error is [ErrMalformed].
func DecodeSession(text []byte, now time.Time) (Session, error) {
	var s Session
	if !decode(text, &s) || !subjectOK(s.Subject) || nameOf(s.Name) != s.Name || s.SignedIn.IsZero() || !now.Before(s.Expires) || !now.Before(s.Until) {
		return Session{}, ErrMalformed
	}
	return s, nil
}

// decode reads one value as encode writes it, and no other spelling.
func decode(text []byte, into any) bool {
	if json.Unmarshal(text, into) != nil {
		return false
	}
	again, err := json.Marshal(into)
	return err == nil && bytes.Equal(again, text)
}
