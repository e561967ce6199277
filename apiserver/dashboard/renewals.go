// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/signon"
)

// stillMember requests the user of a visit from the identity provider again when that is due,
// and reports whether the user may stay signed in. While the provider is unavailable, the
// session continues; it ends with the ID token.
func (s *server) stillMember(v *visit) bool {
	if v.header == nil || !v.person.Due(v.now) {
		return true
	}
	person, err := s.renewals.of(v.person.ID, v.now, func() (signon.Person, error) {
		// Other requests of the browser wait for this answer too.
		return s.signOn().Renew(context.WithoutCancel(v.Context()), v.person.Person)
	})
	if refusal, ok := errors.AsType[*signon.Refusal](err); ok && refusal.Reason == signon.ReasonUnavailable {
		return true
	}
	if err != nil {
		s.Log.WarnContext(v.Context(), "dashboard: operator signed out", "subject", v.person.Subject, "error", err)
		ending := credential.Ending{Name: v.person.ID.Name(), At: v.person.Until, Until: v.person.Until}
		if err := s.Ends.End(v.Context(), ending); err != nil {
			s.Log.WarnContext(v.Context(), "dashboard: session not ended", "error", err)
		}
		v.caller, v.person = posture.Caller{}, nil
		return false
	}
	now := v.now.UTC().Truncate(time.Millisecond)
	v.person = &signon.Session{Person: person, ID: v.person.ID, Expires: endOfPerson(person, now)}
	if err := s.sealPerson(v, now); err != nil {
		s.Log.WarnContext(v.Context(), "dashboard: renew a session", "error", err)
	}
	return true
}

// remembered is the time for which a response of the provider is cached. A provider may
// accept a refresh token only once, and a browser sends several requests with one cookie.
const remembered = 30 * time.Second

// renewals caches the latest responses of the provider about sessions. The zero renewals is
// ready to use.
type renewals struct {
	mu     sync.Mutex
	latest map[credential.SessionID]*renewal
}

type renewal struct {
	begun  time.Time
	done   chan struct{}
	person signon.Person
	err    error
}

// of returns the cached response about a session, or requests it.
func (r *renewals) of(id credential.SessionID, now time.Time, ask func() (signon.Person, error)) (signon.Person, error) {
	one, first := r.find(id, now)
	if first {
		one.person, one.err = ask()
		close(one.done)
	}
	<-one.done
	return one.person, one.err
}

// find returns the response about a session, and reports whether the caller has to request it.
func (r *renewals) find(id credential.SessionID, now time.Time) (one *renewal, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other, old := range r.latest {
		if now.Sub(old.begun) >= remembered {
			delete(r.latest, other)
		}
	}
	if found := r.latest[id]; found != nil {
		return found, false
	}
	if r.latest == nil {
		r.latest = map[credential.SessionID]*renewal{}
	}
	r.latest[id] = &renewal{begun: now, done: make(chan struct{})}
	return r.latest[id], true
}
