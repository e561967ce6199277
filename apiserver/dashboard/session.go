// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/ratelimit"
	"github.com/printmarket/printmarket/internal/tenant"
)

const (
	signInPath = "/sign-in"
	// longest is how long a session may be renewed after the sign-in.
	longest = 12 * time.Hour
	// renewStep is how much a renewal has to be worth.
	renewStep = time.Minute
	// maxForm bounds a form, in bytes.
	maxForm = 4 << 10
)

// signInBody is the body of the sign-in. It never holds a key.
type signInBody struct {
	// Next is where to go then; Notice is why the form is shown again.
	Next, Notice string
	// Ops is whether operators have pages here, and SignOn whether an identity provider
	// vouches for them.
	Ops, SignOn bool
}

// ownPath is what one may go to after the sign-in.
var ownPath = regexp.MustCompile(`^/(tour|rfqs(/[0-9A-Za-z_-]{1,64})?|preflight(/[0-9A-Za-z_-]{1,64}(/report)?)?|` +
	`requests(/[0-9A-Za-z._-]{8,64})?|webhooks(/endpoints/[0-9a-z-]{1,63}/deliveries|/deliveries/[0-9A-Za-z_]{1,64})?|` +
	`ops(/rollouts|/queue|/denials|/partners(/[0-9a-z.-]{1,253}){1,2})?)?$`)

// known is a path if it is that of a page here, else that of the overview.
func known(path string) string {
	if ownPath.MatchString(path) {
		return path
	}
	return "/"
}

// form shows the sign-in.
func (b *board) form(status int, next, notice string) answer {
	body := signInBody{Next: known(next), Notice: notice, Ops: b.Ops != nil, SignOn: b.signOn() != nil}
	return answer{status: status, page: pageSignIn, title: "Sign in", content: signInPage(body)}
}

// member lets those through who have signed in and still may.
func (b *board) member(page action) action { return b.memberOf(posture.SurfacePartner, page) }

// memberOf is member for a page that counts as a request to a surface.
func (b *board) memberOf(surface posture.Surface, page action) action {
	return b.admitted(surface, func(v *visit) answer {
		b.renew(v)
		return page(v)
	})
}

// admitted is memberOf for what does not renew the session.
func (b *board) admitted(surface posture.Surface, serve action) action {
	return b.scoped(posture.ScopeAccountRead, surface, serve)
}

// scoped lets those through who have signed in and whose keys still have a scope.
func (b *board) scoped(scope posture.Scope, surface posture.Surface, serve action) action {
	return func(v *visit) answer {
		if v.snapshot == nil {
			return closed()
		}
		if !b.resume(v) {
			return answer{location: signInPath + "?" + url.Values{"next": {known(v.URL.Path)}}.Encode()}
		}
		if decision := v.snapshot.Standing(v.caller, scope, v.now); !decision.Allowed() {
			return v.turnedBack(decision)
		}
		if a := b.limit(v, surface); a != nil {
			return *a
		}
		return serve(v)
	}
}

// resume finds out whose session the visit has; false is nobody's. A client
// certificate never comes to this listener, so a partner that requires one has no
// session here.
func (b *board) resume(v *visit) bool {
	if b.resumePerson(v) {
		return true
	}
	caller, session, reason := b.holder(v)
	if session.SignedIn.IsZero() {
		return false
	}
	if !caller.Valid() {
		b.Metrics.Decision("", reason.String())
		return false
	}
	b.Uses.Seen(session.Key, v.now)
	v.caller, v.session = caller, session
	return true
}

// holder is who holds the session of a visit. Without a session of a person both are
// zero; with one whose key is good no more the caller is, for the reason.
func (b *board) holder(v *visit) (posture.Caller, credential.Session, posture.Reason) {
	session, err := b.Sessions.Open(b.cookie.of(v.Request), v.now)
	if err != nil || session.SignedIn.IsZero() {
		return posture.Caller{}, credential.Session{}, 0
	}
	caller, reason := v.snapshot.Resume(session, posture.Connection{}, v.now)
	return caller, session, reason
}

// limit counts the page as a request to a surface of the API, so that nobody reads
// or changes more here than there.
func (b *board) limit(v *visit, surface posture.Surface) *answer {
	rate := v.caller.Rate(surface)
	state := b.Limits.Take(v.Context(), ratelimit.Key{Tenant: v.caller.Tenant(), Surface: v.countedAs(surface)},
		ratelimit.Policy{Limit: rate.Requests, Window: rate.Window}, v.now, v.Method == http.MethodPost)
	if state.Allowed {
		return nil
	}
	refused := refusal(problem.New(problem.CodeRateLimitExceeded, "Your organization has sent too many requests.").After(state.RetryAfter))
	return &refused
}

// end is when a session of the caller that is sealed at an instant ends.
func end(caller posture.Caller, signedIn, now time.Time) time.Time {
	first := now.Add(credential.SessionLifetime)
	for _, other := range []time.Time{signedIn.Add(longest), caller.Terms().KeyExpires} {
		if !other.IsZero() && other.Before(first) {
			first = other
		}
	}
	return first
}

// renew lets a session that is used last longer. Where it cannot be sealed the one
// that there is goes on until its end.
func (b *board) renew(v *visit) {
	now := v.now.UTC().Truncate(time.Millisecond)
	if v.person != nil {
		b.renewPerson(v, now)
		return
	}
	if until := end(v.caller, v.session.SignedIn, now); until.Before(v.session.Expires.Add(renewStep)) {
		return
	}
	if err := b.seal(v, v.caller, v.session.SignedIn, now); err != nil {
		b.Log.WarnContext(v.Context(), "dashboard: renew a session", "error", err)
	}
}

// seal puts a session into the cookie.
func (b *board) seal(v *visit, caller posture.Caller, signedIn, now time.Time) error {
	session := credential.Session{Tenant: caller.Tenant(), Key: caller.Digest(), SignedIn: signedIn, Expires: end(caller, signedIn, now)}
	token, err := b.Sessions.Seal(session, now, b.Random)
	if err != nil {
		return err
	}
	b.cookie.set(v.header, token, session.Expires.Sub(now))
	return nil
}

// modeNotices tell who has left a mode how to come to the other one, by its name: a
// session has the mode of its key.
var modeNotices = map[string]string{
	string(tenant.Live): "You are signed out. For production sign in with a key that begins with pmk_live_.",
	string(tenant.Test): "You are signed out. For the sandbox sign in with a key that begins with pmk_test_.",
}

// askForKey shows the form. Whoever comes with a cookie that is good for nothing any
// more is told, and loses it.
func (b *board) askForKey(v *visit) answer {
	notice := ""
	if v.snapshot != nil && b.cookie.of(v.Request) != "" && !b.resume(v) {
		b.cookie.drop(v.header)
		notice = "Your session has ended. Sign in again."
	}
	return b.form(http.StatusOK, v.URL.Query().Get("next"), cmp.Or(notice, modeNotices[v.URL.Query().Get("mode")]))
}

// notSignedIn is the one answer to every key that is none of ours, or no longer.
const notSignedIn = "This key does not sign anybody in. It may be mistyped, revoked or expired, or its organization may require client certificates, which the dashboard does not take."

// signIn takes a key in a form, and gives a session for it. The key goes nowhere
// else. Who holds a good key that may not sign in is told why, as the API would.
func (b *board) signIn(v *visit) (answer, outcome) {
	if wait := b.attempts.take(v.Request, v.now); wait > 0 {
		return b.tooOften("", wait), tooMany
	}
	if v.snapshot == nil {
		return closed(), refusedBy(posture.ReasonSnapshotAbsent)
	}
	sent, err := readForm(v.Request)
	if err != nil {
		return b.form(http.StatusBadRequest, "", "The form could not be read. Try again."), unreadable
	}
	next := sent.Get("next")
	caller, reason := authenticate(v, credential.Secret(sent.Get("key")))
	if !caller.Valid() {
		b.Metrics.Decision("", reason.String())
		return b.form(http.StatusForbidden, next, notSignedIn), refusedBy(reason)
	}
	if decision := v.snapshot.Standing(caller, posture.ScopeAccountRead, v.now); !decision.Allowed() && !b.operates(v, caller) {
		b.Metrics.Decision("", decision.Reason.String())
		return b.form(http.StatusForbidden, next, b.turnedAway(v, caller, decision)), refusedBy(decision.Reason)
	}
	return b.open(v, caller, next)
}

// open begins a session.
func (b *board) open(v *visit, caller posture.Caller, next string) (answer, outcome) {
	now := v.now.UTC().Truncate(time.Millisecond)
	if err := b.seal(v, caller, now, now); err != nil {
		return noSeal(err), unsealed
	}
	b.Uses.Seen(caller.Digest(), v.now)
	b.Log.InfoContext(v.Context(), "dashboard: signed in", "organization", caller.Tenant().Organization, "key", caller.KeyName())
	return answer{location: known(next)}, signedIn
}

// noSeal is the answer to a session that could not be sealed.
func noSeal(err error) answer {
	if !errors.Is(err, credential.ErrNoSessionKeys) {
		return failed(err)
	}
	a := say(http.StatusServiceUnavailable, "Not available at the moment", "This replica has no keys to seal sessions with yet. Try again in a moment.")
	a.retry, a.cause = time.Second, err
	return a
}

// tooOften is the answer to whoever has tried to sign in too often.
func (b *board) tooOften(next string, wait time.Duration) answer {
	a := b.form(http.StatusTooManyRequests, next, "There were too many attempts. Wait a minute, then try again.")
	a.retry = wait
	return a
}

// readForm reads what was sent in the body, and nothing of the query.
func readForm(r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	err := r.ParseForm()
	return r.PostForm, err
}

// authenticate finds the caller of a key. What is no key is looked up like one.
func authenticate(v *visit, text credential.Secret) (posture.Caller, posture.Reason) {
	key, err := credential.Parse(strings.TrimSpace(text.Reveal()))
	if err != nil {
		key = credential.Key{}
	}
	return v.snapshot.Authenticate(key, posture.Connection{}, v.now)
}

// signOut lets the browser forget its session. Whoever wants to go to the other mode
// is told by the form of the sign-in which keys are of that.
func (b *board) signOut(v *visit) answer {
	b.cookie.drop(v.header)
	sent, err := readForm(v.Request)
	if mode := sent.Get("to"); err == nil && modeNotices[mode] != "" {
		return answer{location: signInPath + "?" + url.Values{"mode": {mode}}.Encode()}
	}
	return answer{location: signInPath}
}
