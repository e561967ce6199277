// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/signon"
)

const (
	// signOnPath is where the way to the identity provider begins.
	signOnPath = "/sign-in/oidc"
	// maxFlows bounds how many sign-ins one browser has begun and not ended.
	maxFlows = 8
	// flowID is how much of a state tells the flows of one browser apart.
	flowID = 12
)

// signOn is who vouches for operators; nil if nobody does.
func (b *board) signOn() *signon.Provider {
	if b.Ops == nil {
		return nil
	}
	return b.Ops.SignOn
}

// signOnRoutes are those of a sign-in without a key, where there is one.
func (b *board) signOnRoutes() []route {
	if b.signOn() == nil {
		return nil
	}
	return []route{{pattern: signOnPath, get: b.counted(byProvider, b.leave)}, {pattern: signon.CallbackPath, get: b.counted(byProvider, b.comeBack)}}
}

// leave sends the browser to the identity provider. What it comes back with is good in
// this browser alone: a sealed cookie of its own holds the other half, so that sign-ins
// in several tabs do not meet.
func (b *board) leave(v *visit) (answer, outcome) {
	next := known(v.URL.Query().Get("next"))
	if site := v.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return answer{location: signInPath + "?" + url.Values{"next": {next}}.Encode()}, onItsWay // whoever wants to may click
	}
	if wait := b.attempts.take(v.Request, v.now); wait > 0 {
		return b.tooOften(next, wait), tooMany
	}
	flow, address, err := b.signOn().Begin(v.Context(), next, b.Random)
	if err != nil {
		return b.refusedSignOn(v, err), refusedAs(err)
	}
	if err := b.keepFlow(v, flow); err != nil {
		return noSeal(err), unsealed
	}
	return answer{send: func(w http.ResponseWriter) *answer {
		w.Header().Set("Location", address)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}}, onItsWay
}

// flowCookie is that of a sign-in with this state.
func (b *board) flowCookie(state string) cookie {
	c := b.cookie
	c.name += "-flow-" + state[:min(flowID, len(state))]
	return c
}

const (
	flowPurpose   = "a sign-in on its way "
	personPurpose = "an operator "
)

// keepFlow lets the browser keep the other half of a sign-in. Whoever has begun too many
// loses the others.
func (b *board) keepFlow(v *visit, flow signon.Flow) error {
	text, err := flow.Encode()
	if err != nil {
		return err
	}
	token, err := b.Sessions.SealFor(flowPurpose+b.signOn().Fingerprint(), text, v.now, b.Random)
	if err != nil {
		return err
	}
	var begun []cookie
	for _, sent := range v.Cookies() {
		if strings.HasPrefix(sent.Name, b.flowCookie("").name) {
			begun = append(begun, cookie{name: sent.Name, secure: b.cookie.secure})
		}
	}
	if len(begun) >= maxFlows {
		for _, other := range begun {
			other.drop(v.header)
		}
	}
	b.flowCookie(flow.State).set(v.header, token, signon.FlowLifetime)
	return nil
}

// takeFlow is the sign-in that a browser comes back with, which it keeps no longer. The
// zero flow is none.
func (b *board) takeFlow(v *visit, state string) signon.Flow {
	held := b.flowCookie(state)
	token := held.of(v.Request)
	if token == "" {
		return signon.Flow{}
	}
	held.drop(v.header)
	text, err := b.Sessions.OpenFor(flowPurpose+b.signOn().Fingerprint(), token)
	if err != nil {
		return signon.Flow{}
	}
	flow, err := signon.DecodeFlow(text, v.now)
	if err != nil {
		return signon.Flow{}
	}
	return flow
}

// comeBack ends a sign-in. Who it is has to be let in by the posture, too.
func (b *board) comeBack(v *visit) (answer, outcome) {
	if wait := b.attempts.take(v.Request, v.now); wait > 0 {
		return b.tooOften("", wait), tooMany
	}
	if v.snapshot == nil {
		return closed(), refusedBy(posture.ReasonSnapshotAbsent)
	}
	query := v.URL.Query()
	flow := b.takeFlow(v, query.Get("state"))
	person, err := b.signOn().Finish(v.Context(), flow, query)
	if err != nil {
		return b.refusedSignOn(v, err), refusedAs(err)
	}
	caller, found := v.snapshot.Operator(v.now)
	if !found {
		return say(http.StatusForbidden, "Not allowed", noPlatform), withoutPlatform
	}
	v.person = &signon.Session{Person: person}
	if decision := v.snapshot.Standing(caller, posture.ScopeOpsRead, v.now); !decision.Allowed() {
		return v.turnedBack(decision), refusedBy(decision.Reason)
	}
	return b.openPerson(v, flow.Next)
}

// openPerson begins the session of a person.
func (b *board) openPerson(v *visit, next string) (answer, outcome) {
	if err := b.sealPerson(v, v.now.UTC().Truncate(time.Millisecond)); err != nil {
		return noSeal(err), unsealed
	}
	b.Log.InfoContext(v.Context(), "dashboard: operator signed in", "subject", v.person.Subject, "name", v.person.Name, "until", v.person.Until)
	return answer{location: known(next)}, signedIn
}

// sealPerson puts the session of the visit's person into the cookie.
func (b *board) sealPerson(v *visit, now time.Time) error {
	session := signon.Session{Person: v.person.Person, Expires: endOfPerson(v.person.Person, now)}
	text, err := session.Encode()
	if err != nil {
		return err
	}
	token, err := b.Sessions.SealFor(personPurpose+b.signOn().Fingerprint(), text, now, b.Random)
	if err != nil {
		return err
	}
	b.cookie.set(v.header, token, session.Expires.Sub(now))
	return nil
}

// endOfPerson is when a session that is sealed at an instant ends.
func endOfPerson(p signon.Person, now time.Time) time.Time {
	if idle := now.Add(credential.SessionLifetime); idle.Before(p.Until) {
		return idle
	}
	return p.Until
}

// resumePerson finds out whether the visit has the session of a person, and whom they
// stand for by now.
func (b *board) resumePerson(v *visit) bool {
	if b.signOn() == nil {
		return false
	}
	text, err := b.Sessions.OpenFor(personPurpose+b.signOn().Fingerprint(), b.cookie.of(v.Request))
	if err != nil {
		return false
	}
	session, err := signon.DecodeSession(text, v.now)
	if err != nil {
		return false
	}
	caller, found := v.snapshot.Operator(v.now)
	if !found {
		return false
	}
	v.caller, v.person = caller, &session
	return true
}

// renewPerson lets the session of a person who uses it last longer, as renew does.
func (b *board) renewPerson(v *visit, now time.Time) {
	if endOfPerson(v.person.Person, now).Before(v.person.Expires.Add(renewStep)) {
		return
	}
	if err := b.sealPerson(v, now); err != nil {
		b.Log.WarnContext(v.Context(), "dashboard: renew a session", "error", err)
	}
}

// countedAs is whose requests to a surface are counted together: those of an
// organization, or of one person.
func (v *visit) countedAs(surface posture.Surface) string {
	if v.person == nil {
		return surface.String()
	}
	sum := sha256.Sum256([]byte(v.person.Subject))
	return surface.String() + "-operator-" + hex.EncodeToString(sum[:8])
}

const (
	noPlatform    = "The platform has no organization of the package Platform, on whose behalf its operators look at it."
	noScope       = "The organization of the platform does not have the scope ops:read, so its operators may not look at it."
	forKeys       = "This page is for organizations, which sign in with an API key. You have signed in without one."
	flowIsMissing = "This browser has not begun this sign-in, or more than 10 minutes ago. Begin again, at the address that ends the sign-in."
)

// turnedBack is the refusal of a scope, in words for who has come: a person has no key.
func (v *visit) turnedBack(decision posture.Decision) answer {
	switch {
	case v.person == nil || decision.Reason != posture.ReasonScopeMissing:
		return refusal(v.Refusal(decision))
	case decision.Scope == posture.ScopeOpsRead:
		return say(http.StatusForbidden, "Not allowed", noScope)
	default:
		return say(http.StatusForbidden, "Not allowed", forKeys)
	}
}

// signOnTexts tell people why they are not let in. Whatever is not here is a fault of
// the provider, or of how it is configured.
var signOnTexts = map[signon.Reason]string{
	signon.ReasonState:     flowIsMissing,
	signon.ReasonDenied:    "The identity provider has not let you in, or you have not let it.",
	signon.ReasonNoGroups:  "The identity provider does not say which groups you are in. It has to put them into the ID token, in the claim that the platform reads.",
	signon.ReasonNotMember: "You are in none of the groups that may look after the platform. Ask for the membership, then sign in again.",
	signon.ReasonExpired:   "What the identity provider says of you is good no more. Sign in again; if it stays, a clock is wrong.",
}

// refusedSignOn says why somebody is not let in, and tells the log.
func (b *board) refusedSignOn(v *visit, err error) answer {
	var refusal *signon.Refusal
	if !errors.As(err, &refusal) {
		return failed(err)
	}
	b.Log.WarnContext(v.Context(), "dashboard: operator not signed in", "reason", refusal.Reason.String(), "detail", refusal.Detail, "subject", refusal.Subject)
	if refusal.Reason == signon.ReasonUnavailable {
		a := say(http.StatusServiceUnavailable, "Not available at the moment",
			"The identity provider cannot be asked at the moment. Try again, or sign in with a key that has the scope ops:read.")
		a.retry = 5 * time.Second
		return a
	}
	text, told := signOnTexts[refusal.Reason]
	if !told {
		text = "What the identity provider has answered cannot be trusted, so you are not signed in. The log of the API server has the reason: " + refusal.Reason.String() + "."
	}
	return say(http.StatusForbidden, "Not signed in", text)
}
