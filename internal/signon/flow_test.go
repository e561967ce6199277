// SPDX-License-Identifier: Apache-2.0

package signon_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/signon"
)

var (
	someFlow    = signon.Flow{State: "s", Nonce: "n", Verifier: "v", Next: "/ops/queue", Expires: noon.Add(time.Minute)}
	someSession = signon.Session{
		Person: signon.Person{Subject: "ada-1815", Name: "Ada <b>", SignedIn: noon, Until: noon.Add(time.Hour)}, Expires: noon.Add(15 * time.Minute),
	}
)

func TestAFlowAndASessionAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	text, err := someFlow.Encode()
	if err != nil {
		t.Fatalf("someFlow.Encode: %v", err)
	}
	flow, err := signon.DecodeFlow(text, noon)
	if diff := cmp.Diff(someFlow, flow); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := signon.DecodeFlow(text, someFlow.Expires); !errors.Is(err, signon.ErrMalformed) {
		t.Errorf("a flow that has ended: error = %v, want ErrMalformed", err)
	}
	text, err = someSession.Encode()
	if err != nil {
		t.Fatalf("someSession.Encode: %v", err)
	}
	session, err := signon.DecodeSession(text, noon)
	if diff := cmp.Diff(someSession, session); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := signon.DecodeSession(text, someSession.Expires); !errors.Is(err, signon.ErrMalformed) {
		t.Errorf("a session that has ended: error = %v, want ErrMalformed", err)
	}
}

// TestInvalidSessionsAreRejected changes one field in each case.
func TestInvalidSessionsAreRejected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*signon.Session){
		"no subject":             func(s *signon.Session) { s.Subject = "" },
		"a subject of two lines": func(s *signon.Session) { s.Subject = "a\nb" },
		"a long name":            func(s *signon.Session) { s.Name = strings.Repeat("x", 65) },
		"a name of two lines":    func(s *signon.Session) { s.Name = "a\nb" },
		"no time of the sign-in": func(s *signon.Session) { s.SignedIn = time.Time{} },
		"an end before now":      func(s *signon.Session) { s.Until = noon },
		"an expired session":     func(s *signon.Session) { s.Expires = noon },
	} {
		session := someSession
		change(&session)
		text, err := session.Encode()
		if err != nil {
			t.Fatalf("session.Encode: %v", err)
		}
		if _, err := signon.DecodeSession(text, noon); !errors.Is(err, signon.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOnlyPrintableNamesAreShown signs users in with names that they may choose at a provider.
func TestOnlyPrintableNamesAreShown(t *testing.T) {
	t.Parallel()
	for name, want := range map[any]string{
		"ada": "ada", "Ada Lovelace": "Ada Lovelace", "Zoë 張": "Zoë 張", "<script>alert(1)</script>": "<script>alert(1)</script>",
		strings.Repeat("ä", 64): strings.Repeat("ä", 64), strings.Repeat("ä", 65): "",
		"a\nb": "", "a\x1b[31m": "", "evil\u202egnp": "", "a\u200bb": "", "\x00": "", 7: "", nil: "",
	} {
		f := newFixture(t, nil)
		f.idp.Claims["preferred_username"] = name
		if person, err := f.signIn(t); err != nil || person.Name != want {
			t.Errorf("%q is shown as %q, want %q: %v", name, person.Name, want, err)
		}
	}
}

// FuzzSession checks that decoded sessions survive a round trip and can be displayed.
func FuzzSession(f *testing.F) {
	for _, seed := range []interface{ Encode() ([]byte, error) }{someFlow, someSession} {
		text, err := seed.Encode()
		if err != nil {
			f.Fatalf("seed.Encode: %v", err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"Subject":"a","subject":"b"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if session, err := signon.DecodeSession(text, noon); err == nil {
			again, err := session.Encode()
			if err != nil || string(again) != string(text) || len(session.Subject) > 255 || strings.ContainsAny(session.Name, "\r\n\x00") {
				t.Errorf("%q is read as %+v: %v", text, session, err)
			}
		}
		if flow, err := signon.DecodeFlow(text, noon); err == nil {
			if again, err := flow.Encode(); err != nil || string(again) != string(text) {
				t.Errorf("%q is read as %+v: %v", text, flow, err)
			}
		}
	})
}

// FuzzClaims checks arbitrary claims: only a member of the group, with the right
// nonce and a subject, is let in.
func FuzzClaims(f *testing.F) {
	f.Add([]byte(`{"preferred_username":"ada","groups":["operators"],"azp":"printmarket"}`), "ada", "n")
	f.Add([]byte(`{"groups":"operators","azp":7}`), "ada", "n")
	f.Add([]byte(`{"groups":[null]}`), "", "")
	f.Fuzz(func(t *testing.T, text []byte, subject, nonce string) {
		var all map[string]json.RawMessage
		if json.Unmarshal(text, &all) != nil {
			return
		}
		person, ok := signon.Judge(all, subject, nonce)
		if !ok {
			return
		}
		var groups []string
		var group string
		if json.Unmarshal(all["groups"], &groups) != nil && json.Unmarshal(all["groups"], &group) == nil {
			groups = []string{group}
		}
		if nonce != "n" || person.Subject != subject || subject == "" || !strings.Contains("\n"+strings.Join(groups, "\n")+"\n", "\noperators\n") {
			t.Errorf("%s lets %+v in", text, person)
		}
		if strings.ContainsAny(person.Subject+person.Name, "\r\n\x00\x1b") {
			t.Errorf("%+v cannot be shown", person)
		}
	})
}
