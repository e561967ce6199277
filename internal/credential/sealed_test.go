// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/credential"
)

func TestSealedTokenOpensForItsPurposeOnly(t *testing.T) {
	t.Parallel()
	old, current := sessionKey(1, noon.Add(-1)), sessionKey(2, noon)
	s := sessions(t, old)
	token, err := s.SealFor("a", []byte("text"), noon, random(3))
	if err != nil {
		t.Fatalf(`SealFor("a"): %v`, err)
	}
	for name, tc := range map[string]struct {
		sessions *credential.Sessions
		purpose  string
		token    string
		opens    bool
	}{
		"the same purpose":            {s, "a", token.Reveal(), true},
		"another replica":             {sessions(t, old), "a", token.Reveal(), true},
		"after a rotation":            {sessions(t, current, old), "a", token.Reveal(), true},
		"without the key":             {sessions(t, current), "a", token.Reveal(), false},
		"without any key":             {&credential.Sessions{}, "a", token.Reveal(), false},
		"another purpose":             {s, "b", token.Reveal(), false},
		"no purpose":                  {s, "", token.Reveal(), false},
		"a token without its prefix":  {s, "a", strings.TrimPrefix(token.Reveal(), "pms_"), false},
		"a token with a line break":   {s, "a", token.Reveal() + "\n", false},
		"a token of which a bit fell": {s, "a", flipped(token.Reveal()), false},
		"nothing":                     {s, "a", "", false},
		"a session":                   {s, "a", seal(t, s, session(t), noon), false},
	} {
		plain, err := tc.sessions.OpenFor(tc.purpose, tc.token)
		if opened := err == nil && string(plain) == "text"; opened != tc.opens || !tc.opens && !errors.Is(err, credential.ErrSession) {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
	if _, err := s.Open(token.Reveal(), noon); !errors.Is(err, credential.ErrSession) {
		t.Errorf("it is taken for a session: %v", err)
	}
}

// flipped returns the text with another character in its middle.
func flipped(token string) string {
	at, other := len(token)/2, "A"
	if token[at] == 'A' {
		other = "B"
	}
	return token[:at] + other + token[at+1:]
}

func TestSealForRejectsTokensThatExceedACookie(t *testing.T) {
	t.Parallel()
	s := sessions(t, sessionKey(1, noon))
	if _, err := s.SealFor("a", make([]byte, 2500), noon, random(3)); err != nil {
		t.Errorf(`SealFor("a"): %v`, err)
	}
	if _, err := s.SealFor("a", make([]byte, 2700), noon, random(3)); !errors.Is(err, credential.ErrTooLong) {
		t.Errorf("error %v", err)
	}
	if _, err := (&credential.Sessions{}).SealFor("a", nil, noon, random(3)); !errors.Is(err, credential.ErrNoSessionKeys) {
		t.Errorf("error %v", err)
	}
}
