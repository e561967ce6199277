// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

var sessionCases = map[string]func(*testing.T, *fixture){
	"the latest end among the names of a session counts":         latestEndCounts,
	"the end of a session is erased when the session is no more": endsAreErased,
}

func (w *fixture) end(t *testing.T, ending credential.Ending) {
	t.Helper()
	if err := w.store.EndSessions(t.Context(), ending); err != nil {
		t.Fatalf("w.store.EndSessions(%v): %v", ending, err)
	}
}

func (w *fixture) ended(t *testing.T, names ...credential.Digest) time.Time {
	t.Helper()
	at, err := w.store.SessionsEnded(t.Context(), names)
	if err != nil {
		t.Fatalf("w.store.SessionsEnded(%v): %v", names, err)
	}
	return at
}

func latestEndCounts(t *testing.T, w *fixture) {
	now := w.clock.Now().UTC().Truncate(time.Millisecond)
	until := now.Add(12 * time.Hour)
	wantEqual(t, "the end of no session", time.Time{}, w.ended(t))
	wantEqual(t, "the end of an open session", time.Time{}, w.ended(t, digest(1)))
	w.end(t, credential.Ending{Name: digest(1), At: now.Add(time.Minute), Until: until})
	w.end(t, credential.Ending{Name: digest(1), At: now, Until: until})
	w.end(t, credential.Ending{Name: digest(2), At: now.Add(2 * time.Minute), Until: until})
	wantEqual(t, "the end of one", now.Add(time.Minute), w.ended(t, digest(1), digest(3)))
	wantEqual(t, "the latest end of two", now.Add(2*time.Minute), w.ended(t, digest(1), digest(2)))
}

func endsAreErased(t *testing.T, w *fixture) {
	now := w.clock.Now().UTC().Truncate(time.Millisecond)
	w.end(t, credential.Ending{Name: digest(1), At: now, Until: now.Add(time.Minute)})
	w.end(t, credential.Ending{Name: digest(2), At: now, Until: now.Add(time.Hour)})
	if err := w.store.PurgeKeysAndQuotas(t.Context(), now.Add(time.Minute)); err != nil {
		t.Fatalf("w.store.PurgeKeysAndQuotas: %v", err)
	}
	wantEqual(t, "an end past its time", time.Time{}, w.ended(t, digest(1)))
	wantEqual(t, "an end within its time", now, w.ended(t, digest(2)))
}
