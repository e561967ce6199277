// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func sessionKey(seed byte, from time.Time) credential.SessionKey {
	k := credential.SessionKey{From: from}
	for i := range k.Key {
		k.Key[i] = seed
	}
	return k
}

func sessions(t testing.TB, keys ...credential.SessionKey) *credential.Sessions {
	t.Helper()
	s := &credential.Sessions{}
	if err := s.Use(keys); err != nil {
		t.Fatalf("Use: %v", err)
	}
	return s
}

func session(t testing.TB) credential.Session {
	t.Helper()
	return credential.Session{
		Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Key: mint(t, tenant.Live, 1).Digest(), Expires: noon.Add(credential.SessionLifetime),
	}
}

func seal(t testing.TB, s *credential.Sessions, session credential.Session, now time.Time) string {
	t.Helper()
	token, err := s.Seal(session, now, random(3))
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return token.Reveal()
}

func TestSessionRoundTripUntilExpiry(t *testing.T) {
	t.Parallel()
	s := sessions(t, sessionKey(1, noon))
	want := session(t)
	token := seal(t, s, want, noon)
	for name, at := range map[string]time.Time{"at once": noon, "at the last moment": want.Expires.Add(-time.Millisecond)} {
		got, err := s.Open(token, at)
		if err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := s.Open(token, want.Expires); !errors.Is(err, credential.ErrSession) || got != (credential.Session{}) {
		t.Errorf("expired: %+v, %v", got, err)
	}
	if !credential.IsSession(token) || credential.IsSession(mint(t, tenant.Live, 1).Secret().Reveal()) {
		t.Error("IsSession does not distinguish sessions from keys")
	}
	if _, err := credential.Parse(token); err == nil {
		t.Error("a session is an API key")
	}
}

func TestSessionContainsTheTimeAndTheIDOfTheSignIn(t *testing.T) {
	t.Parallel()
	s := sessions(t, sessionKey(1, noon))
	for name, signedIn := range map[string]time.Time{"no sign-in": {}, "at noon": noon, "hours ago": noon.Add(-11 * time.Hour)} {
		want := session(t)
		if want.SignedIn = signedIn; !signedIn.IsZero() {
			want.ID = credential.SessionID{1, 2, 3}
		}
		if got, err := s.Open(seal(t, s, want, noon), noon); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestOpenRejectsOtherTokens(t *testing.T) {
	t.Parallel()
	s := sessions(t, sessionKey(1, noon), sessionKey(2, noon.Add(-time.Hour)))
	token := seal(t, s, session(t), noon)
	stranger := seal(t, sessions(t, sessionKey(9, noon)), session(t), noon)
	foreign := session(t)
	foreign.Tenant.Organization = "not an organization"
	for name, text := range map[string]string{
		"nothing": "", "a prefix alone": "pms_", "no prefix": token[4:], "a short one": token[:20], "a long one": token + strings.Repeat("A", 300),
		"one with a line break": token[:30] + "\n" + token[30:], "another key's": stranger, "an impossible tenant's": seal(t, s, foreign, noon),
		"an API key": mint(t, tenant.Live, 1).Secret().Reveal(),
	} {
		if got, err := s.Open(text, noon); !errors.Is(err, credential.ErrSession) || got != (credential.Session{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for i := 4; i < len(token); i++ {
		changed := []byte(token)
		changed[i] = other(changed[i])
		if _, err := s.Open(string(changed), noon); !errors.Is(err, credential.ErrSession) {
			t.Fatalf("a token with another character at %d opens: %v", i, err)
		}
	}
}

func TestSessionsWithoutKeysAreClosed(t *testing.T) {
	t.Parallel()
	var s credential.Sessions
	if _, err := s.Seal(session(t), noon, random(1)); !errors.Is(err, credential.ErrNoSessionKeys) {
		t.Errorf("seal: %v", err)
	}
	token := seal(t, sessions(t, sessionKey(1, noon)), session(t), noon)
	if _, err := s.Open(token, noon); !errors.Is(err, credential.ErrSession) {
		t.Errorf("open: %v", err)
	}
	if err := s.Use(nil); err != nil {
		t.Fatalf("Use: %v", err)
	}
	if _, err := s.Seal(session(t), noon, random(1)); !errors.Is(err, credential.ErrNoSessionKeys) {
		t.Errorf("seal with an empty list: %v", err)
	}
}

// TestReplicasWithDifferentKeySetsAcceptEachOthersSessions simulates a week with one
// replica whose keys are some time out of date.
func TestReplicasWithDifferentKeySetsAcceptEachOthersSessions(t *testing.T) {
	t.Parallel()
	var keys, former []credential.SessionKey
	rotations := 0
	for step := range 7 * 24 * 12 {
		now := noon.Add(time.Duration(step) * 5 * time.Minute)
		former = keys
		next, changed, err := credential.RotateSessionKeys(keys, now, random(byte(step)))
		if err != nil {
			t.Fatalf("credential.RotateSessionKeys: %v", err)
		}
		if changed {
			rotations++
		}
		keys = next
		if len(former) == 0 {
			continue
		}
		ahead, behind := sessions(t, keys...), sessions(t, former...)
		s := session(t)
		s.Expires = now.Add(credential.SessionLifetime)
		for _, pair := range [][2]*credential.Sessions{{ahead, behind}, {behind, ahead}} {
			if _, err := pair[1].Open(seal(t, pair[0], s, now), now); err != nil {
				t.Fatalf("after %s: %v", now.Sub(noon), err)
			}
		}
		// A session that was sealed just before stays valid until it expires.
		old := seal(t, behind, s, now)
		if _, err := ahead.Open(old, s.Expires.Add(-time.Second)); err != nil {
			t.Fatalf("after %s, the session sealed before: %v", now.Sub(noon), err)
		}
	}
	if rotations < 6 || rotations > 8 {
		t.Errorf("%d rotations in a week", rotations)
	}
}

func TestSessionKeysFromAWrongClockAreReplaced(t *testing.T) {
	t.Parallel()
	good := sessionKey(1, noon.Add(-time.Hour))
	got, changed, err := credential.RotateSessionKeys([]credential.SessionKey{sessionKey(2, noon.Add(48*time.Hour)), good}, noon, random(5))
	if err != nil || !changed || len(got) != 2 || got[1] != good || got[0].From.After(noon.Add(time.Hour)) {
		t.Errorf("keys %v, %t, %v", got, changed, err)
	}
}

func TestDecodeSessionKeysRejectsOtherEncodings(t *testing.T) {
	t.Parallel()
	want := []credential.SessionKey{sessionKey(1, noon), sessionKey(2, noon.Add(-time.Hour))}
	text, err := credential.EncodeSessionKeys(want)
	if err != nil {
		t.Fatalf("credential.EncodeSessionKeys: %v", err)
	}
	got, err := credential.DecodeSessionKeys(text)
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v, %v", got, err)
	}
	for name, text := range map[string]string{
		"nothing": "", "none": "[]", "an object": "{}", "a short key": `[{"from":"2026-11-20T12:00:00Z","key":"AAAA"}]`,
		"white space": " " + string(text), "three": "[" + strings.Repeat(strings.Trim(string(text), "[]")+",", 2) + strings.Trim(string(text), "[]") + "]",
	} {
		if _, err := credential.DecodeSessionKeys([]byte(text)); !errors.Is(err, credential.ErrSessionKeys) || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOpenSession(f *testing.F) {
	s := sessions(f, sessionKey(1, noon), sessionKey(2, noon))
	whole := seal(f, s, session(f), noon)
	for _, seed := range []string{whole, "pms_", "", whole[:40]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		got, err := s.Open(token, noon)
		if (err == nil) != (token == whole) {
			t.Errorf("%q opens as %+v, %v", token, got, err)
		}
		if err != nil && len(token) > 4 && strings.Contains(fmt.Sprint(err), token) {
			t.Error("the error holds the token")
		}
	})
}
