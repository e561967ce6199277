// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	// is empty if the provider sends none. Checked is the time of the last request for the
	// user at the provider.
	Refresh string
	Checked time.Time
}

// Session is a signed-in person. It expires if no page is requested until an instant.
type Session struct {
	Person
	// ID identifies the sign-in; a renewed session keeps it.
	ID      credential.SessionID
	Expires time.Time
}

// ErrMalformed means that a text is not a valid flow or session. It never contains the text.
var ErrMalformed = errors.New("malformed")

// Encode encodes a flow without encryption; the caller must encrypt it.
func (f Flow) Encode() ([]byte, error) { return encode("flow", f) }

// Encode encodes a session without encryption; the caller must encrypt it.
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

// DecodeSession decodes a session from [Session.Encode] that has not ended at an instant. The
// error is [ErrMalformed].
func DecodeSession(text []byte, now time.Time) (Session, error) {
	var s Session
	if !decode(text, &s) || !subjectOK(s.Subject) || nameOf(s.Name) != s.Name || s.SignedIn.IsZero() || !now.Before(s.Expires) || !now.Before(s.Until) {
		return Session{}, ErrMalformed
	}
	return s, nil
}

// decode decodes one value and rejects every text that encode does not produce.
func decode(text []byte, into any) bool {
	if json.Unmarshal(text, into) != nil {
		return false
	}
	again, err := json.Marshal(into)
	return err == nil && bytes.Equal(again, text)
}
