// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
)

const (
	signInPath = "/sign-in"
	// longest is the maximum age of a sign-in whose session may be renewed.
	longest = 12 * time.Hour
	// renewStep is the minimum by which a renewal must extend a session.
	renewStep = time.Minute
	// maxForm bounds a form, in bytes.
	maxForm = 4 << 10
)

// requirePartner restricts a page to partners that have signed in, and renews the session.
// The page counts as a request to the surface.
func (s *server) requirePartner(surface posture.Surface, next handler) handler {
	return s.requireScope(posture.ScopeAccountRead, surface, func(v *visit) response {
		s.renew(v)
		return next(v)
	})
}

// requireScope restricts a page to visitors that have signed in and currently have a scope.
func (s *server) requireScope(scope posture.Scope, surface posture.Surface, next handler) handler {
	return func(v *visit) response {
		if v.snapshot == nil {
			return noPosture()
		}
		found, err := s.resume(v)
		if err != nil {
			r := unavailable(time.Second, "The server cannot check your session at the moment. Try again in a moment.")
			r.cause = err
			return r
		}
		if !found {
			return response{location: signInPath + "?" + url.Values{"next": {s.ownPath(v.URL.Path)}}.Encode()}
		}
		if decision := v.snapshot.Standing(v.caller, scope, v.now); !decision.Allowed() {
			return v.withoutScope(decision)
		}
		s.Uses.SeenScope(v.session.Key, scope.String(), v.now)
		if refused := s.limit(v, surface); refused != nil {
			return *refused
		}
		return next(v)
	}
}

// resume sets the session of the visit, and reports whether there is one that has not
// ended. This listener receives no client certificates, so a partner that requires one has
// no session here. The error means that the server cannot find out.
func (s *server) resume(v *visit) (bool, error) {
	if person, opened := s.openPerson(v); opened {
		caller, found := v.snapshot.Operator(v.now)
		if !found {
			return false, nil
		}
		if ended, err := s.Ends.Ended(v.Context(), person.SignedIn, s.signOn().Names(person)...); ended || err != nil {
			return false, err
		}
		v.caller, v.person = caller, &person
		return s.stillMember(v), nil
	}
	session, err := s.Sessions.Open(s.cookie.of(v.Request), v.now)
	if err != nil || session.SignedIn.IsZero() {
		return false, nil //nolint:nilerr // the cookie holds no session of a key, or one that has ended
	}
	caller, reason := v.snapshot.Resume(session, posture.Connection{}, v.now)
	if !caller.Valid() { // the key is not accepted any more
		s.Metrics.Decision("", reason.String())
		return false, nil
	}
	if ended, err := s.Ends.Ended(v.Context(), session.SignedIn, session.ID.Name()); ended || err != nil {
		return false, err
	}
	s.Uses.Seen(session.Key, v.now)
	v.caller, v.session = caller, session
	return true, nil
}

// resumeIfAny sets the session of a visit to a public page, for the links in its frame.
func (s *server) resumeIfAny(v *visit) bool {
	if v.snapshot == nil {
		return false
	}
	found, err := s.resume(v)
	return err == nil && found
}

// limit counts the page as a request to a surface of the API, so that the dashboard cannot
// be used to exceed the rate of the API. The requests of an organization count together, and those
// of each person on their own.
func (s *server) limit(v *visit, surface posture.Surface) *response {
	rate, counted := v.caller.Rate(surface), surface.String()
	if v.person != nil {
		sum := sha256.Sum256([]byte(v.person.Subject))
		counted += "-operator-" + hex.EncodeToString(sum[:8])
	}
	state := s.Limits.Take(v.Context(), gate.LimitKey{Tenant: v.caller.Tenant(), Surface: counted},
		gate.RatePolicy{Limit: rate.Requests, Window: rate.Window}, v.now, v.Method == http.MethodPost)
	if state.Allowed {
		return nil
	}
	refused := problemPage(problem.New(problem.CodeRateLimitExceeded, "Your organization has exceeded its rate limit.").After(state.RetryAfter))
	return &refused
}

// renew extends a session that is used. If sealing fails, the session keeps its end.
func (s *server) renew(v *visit) {
	now := v.now.UTC().Truncate(time.Millisecond)
	until, expires := end(v.caller, v.session.SignedIn, now), v.session.Expires
	seal := func() error { return s.seal(v, v.caller, v.session, now) }
	if v.person != nil {
		until, expires = endOfPerson(v.person.Person, now), v.person.Expires
		seal = func() error { return s.sealPerson(v, now) }
	}
	if until.Before(expires.Add(renewStep)) {
		return
	}
	if err := seal(); err != nil {
		s.Log.WarnContext(v.Context(), "dashboard: renew a session", "error", err)
	}
}

// seal stores a session of the caller in the cookie, with the sign-in of another session.
func (s *server) seal(v *visit, caller posture.Caller, of credential.Session, now time.Time) error {
	session := credential.Session{Tenant: caller.Tenant(), Key: caller.Digest(), SignedIn: of.SignedIn, ID: of.ID, Expires: end(caller, of.SignedIn, now)}
	token, err := s.Sessions.Seal(session, now, s.Random)
	if err != nil {
		return err
	}
	s.cookie.set(v.header, token, session.Expires.Sub(now))
	return nil
}

// end returns the end of a session of the caller that is sealed now.
func end(caller posture.Caller, signedIn, now time.Time) time.Time {
	first := now.Add(credential.SessionLifetime)
	for _, other := range []time.Time{signedIn.Add(longest), caller.Terms().KeyExpires} {
		if !other.IsZero() && other.Before(first) {
			first = other
		}
	}
	return first
}

// modeNotices describe how to sign in to the other mode, by its name: the key decides the mode
// of a session.
var modeNotices = map[string]string{
	string(tenant.Live): "You are signed out. To use production, sign in with a key that begins with pmk_live_.",
	string(tenant.Test): "You are signed out. To use the sandbox, sign in with a key that begins with pmk_test_.",
}

// showSignIn shows the form. A cookie with an invalid session is removed.
func (s *server) showSignIn(v *visit) response {
	notice := ""
	if v.snapshot != nil && s.cookie.of(v.Request) != "" {
		if found, err := s.resume(v); err == nil && !found {
			s.cookie.remove(v.header)
			notice = "Your session has ended. Sign in again."
		}
	}
	return s.form(http.StatusOK, v.URL.Query().Get("next"), cmp.Or(notice, modeNotices[v.URL.Query().Get("mode")]))
}

// notSignedIn is the same for every key that is unknown or not accepted, so that it reveals
// nothing about keys.
const notSignedIn = "Sign-in failed. The key may be incomplete, revoked or expired, or your organization may require client certificates, which the dashboard does not support."

// signIn begins a session for the key in a form. The key is not kept. If the holder of a
// valid key may not sign in, the page shows the same reason as the API.
func (s *server) signIn(v *visit) (response, outcome) {
	if wait := s.attempts.take(v.Request, signInWithKey, v.now); wait > 0 {
		return s.tooManyAttempts("", wait), tooMany
	}
	if v.snapshot == nil {
		return noPosture(), refusedBy(posture.ReasonSnapshotAbsent)
	}
	sent, err := readForm(v.Request)
	if err != nil {
		return s.form(http.StatusBadRequest, "", "The form could not be read. Try again."), unreadable
	}
	next := sent.Get("next")
	key, err := credential.Parse(strings.TrimSpace(sent.Get("key")))
	if err != nil {
		key = credential.Key{} // is looked up as well, so that both take the same time
	}
	caller, reason := v.snapshot.Authenticate(key, posture.Connection{}, v.now)
	if !caller.Valid() {
		s.Metrics.Decision("", reason.String())
		return s.form(http.StatusForbidden, next, notSignedIn), refusedBy(reason)
	}
	if decision := v.snapshot.Standing(caller, posture.ScopeAccountRead, v.now); !decision.Allowed() && !s.operates(v, caller) {
		s.Metrics.Decision("", decision.Reason.String())
		text := v.refusals.Of(decision, caller.Terms(), v.now).Detail
		if s.Ops != nil && caller.Scopes().Has(posture.ScopeOpsRead) && caller.Tenant().Mode != tenant.Live {
			text = liveOnly
		}
		return s.form(http.StatusForbidden, next, text), refusedBy(decision.Reason)
	}
	now := v.now.UTC().Truncate(time.Millisecond)
	id, err := credential.NewSessionID(s.Random)
	if err != nil {
		return noSeal(err), unsealed
	}
	if err := s.seal(v, caller, credential.Session{SignedIn: now, ID: id}, now); err != nil {
		return noSeal(err), unsealed
	}
	s.Uses.Seen(caller.Digest(), v.now)
	s.Log.InfoContext(v.Context(), "dashboard: signed in", "organization", caller.Tenant().Organization, "key", caller.KeyName())
	return response{location: s.ownPath(next)}, signedIn
}

// readForm reads the form in the body, and ignores the query.
func readForm(r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	err := r.ParseForm()
	return r.PostForm, err
}

// signInBody is the form of the sign-in. It never contains a key.
type signInBody struct {
	// Next is the path to go to after the sign-in. Notice explains why the form is shown again.
	Next, Notice string
	// Ops and SignOn report whether operators can sign in, and whether without a key.
	Ops, SignOn bool
}

// form shows the form of the sign-in.
func (s *server) form(status int, next, notice string) response {
	body := signInBody{Next: s.ownPath(next), Notice: notice, Ops: s.Ops != nil, SignOn: s.signOn() != nil}
	r := show(pageSignIn, "Sign in", signInPage(body))
	r.status = status
	return r
}

// tooManyAttempts is the response to a client that has tried to sign in too often.
func (s *server) tooManyAttempts(next string, wait time.Duration) response {
	r := s.form(http.StatusTooManyRequests, next, "Too many sign-in attempts. Wait a minute, then try again.")
	r.retry = wait
	return r
}

// noSeal is the response if a session cannot be sealed.
func noSeal(err error) response {
	if !errors.Is(err, credential.ErrNoSessionKeys) {
		return failed(err)
	}
	r := unavailable(time.Second, "The server has not loaded its session keys yet. Try again in a moment.")
	r.cause = err
	return r
}

// maxNext limits the path to return to after the sign-in, in bytes.
const maxNext = 600

// pathCharacters are those of the paths of pages.
var pathCharacters = regexp.MustCompile(`^/[0-9A-Za-z._/-]*$`)

// ownPath returns a path if it is that of a page here, else that of the overview.
func (s *server) ownPath(next string) string {
	// The mux redirects from a path that is not clean.
	if len(next) <= maxNext && pathCharacters.MatchString(next) && path.Clean(next) == next {
		if _, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: next}}); s.pages[pattern] {
			return next
		}
	}
	return "/"
}

// signOut ends the session on every replica and removes it from the browser. If the visitor
// switches to the other mode, the form explains which keys to use.
func (s *server) signOut(v *visit) response {
	s.cookie.remove(v.header)
	if ending, found := s.ending(v); found {
		if err := s.Ends.End(v.Context(), ending); err != nil {
			r := unavailable(time.Second, "You are signed out in this browser. The server could not end the session for copies of its cookie; revoke the key if you suspect one.")
			r.cause = err
			return r
		}
	}
	sent, err := readForm(v.Request)
	if mode := sent.Get("to"); err == nil && modeNotices[mode] != "" {
		return response{location: signInPath + "?" + url.Values{"mode": {mode}}.Encode()}
	}
	return response{location: signInPath}
}

// ending returns the record that ends the session in the cookie, regardless of the posture.
func (s *server) ending(v *visit) (credential.Ending, bool) {
	if person, found := s.openPerson(v); found {
		return credential.Ending{Name: person.ID.Name(), At: person.Until, Until: person.Until}, true
	}
	session, err := s.Sessions.Open(s.cookie.of(v.Request), v.now)
	if err != nil || session.SignedIn.IsZero() {
		return credential.Ending{}, false
	}
	until := session.SignedIn.Add(longest)
	return credential.Ending{Name: session.ID.Name(), At: until, Until: until}, true
}
