// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Flow is a sign-in that has begun. Its texts are secret until it has ended: whoever
// keeps it seals it.
type Flow struct {
	// State is what the provider sends the browser back with; Nonce what it puts into the
	// token; Verifier what proves that who began the flow is who ends it.
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

// Person is somebody for whom the provider has vouched.
type Person struct {
	// Subject is what the provider knows the person by, and nobody else: 1 to 255
	// characters of ASCII that can be printed.
	Subject string
	// Name is what the person is called, of 64 characters at most that can be printed;
	// empty if the provider says none, or another. It proves nothing.
	Name string
	// Until is when the sign-in is good no more.
	SignedIn, Until time.Time
}

// Session is a person until an instant without a page.
type Session struct {
	Person
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

// DecodeFlow reads what [Flow.Encode] wrote, of a flow that has not ended by an instant.
// The error is [ErrMalformed].
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
