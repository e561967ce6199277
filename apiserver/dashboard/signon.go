// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
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
	// signOnPath redirects to the identity provider.
	signOnPath = "/sign-in/oidc"
	// maxFlows bounds the unfinished sign-ins of one browser.
	maxFlows = 8
	// flowID is the number of characters of the state that distinguish the flows of one browser.
	flowID = 12
)

// The purposes of sealed tokens, so that none can be used for another.
const (
	flowPurpose   = "a sign-in on its way "
	personPurpose = "an operator "
)

// signOn returns the identity provider of operators, or nil.
func (s *server) signOn() *signon.Provider {
	if s.Ops == nil {
		return nil
	}
	return s.Ops.SignOn
}

// beginSignOn redirects to the identity provider. A sealed cookie of its own binds each
// sign-in to this browser, so that sign-ins in several tabs are independent.
func (s *server) beginSignOn(v *visit) (response, outcome) {
	next := s.ownPath(v.URL.Query().Get("next"))
	if site := v.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		// Only a click on this site begins a sign-in.
		return response{location: signInPath + "?" + url.Values{"next": {next}}.Encode()}, inProgress
	}
	if wait := s.attempts.take(v.Request, signInWithOIDC, v.now); wait > 0 {
		return s.tooManyAttempts(next, wait), tooMany
	}
	flow, address, err := s.signOn().Begin(v.Context(), next, s.Random)
	if err != nil {
		return s.refusedSignOn(v, err), refusedAs(err)
	}
	if err := s.keepFlow(v, flow); err != nil {
		return noSeal(err), unsealed
	}
	return response{send: func(w http.ResponseWriter) *response {
		w.Header().Set("Location", address)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}}, inProgress
}

// flowCookie is the cookie of the sign-in with this state.
func (s *server) flowCookie(state string) cookie {
	c := s.cookie
	c.name += "-flow-" + state[:min(flowID, len(state))]
	return c
}

// keepFlow stores a sign-in in the browser. If there are too many, it removes the others.
func (s *server) keepFlow(v *visit, flow signon.Flow) error {
	text, err := flow.Encode()
	if err != nil {
		return err
	}
	token, err := s.Sessions.SealFor(flowPurpose+s.signOn().Fingerprint(), text, v.now, s.Random)
	if err != nil {
		return err
	}
	var begun []cookie
	for _, sent := range v.Cookies() {
		if strings.HasPrefix(sent.Name, s.flowCookie("").name) {
			begun = append(begun, cookie{name: sent.Name, secure: s.cookie.secure})
		}
	}
	if len(begun) >= maxFlows {
		for _, other := range begun {
			other.remove(v.header)
		}
	}
	s.flowCookie(flow.State).set(v.header, token, signon.FlowLifetime)
	return nil
}

// takeFlow returns the sign-in with this state and removes it from the browser. The zero
// flow means that there is none.
func (s *server) takeFlow(v *visit, state string) signon.Flow {
	held := s.flowCookie(state)
	token := held.of(v.Request)
	if token == "" {
		return signon.Flow{}
	}
	held.remove(v.header)
	text, err := s.Sessions.OpenFor(flowPurpose+s.signOn().Fingerprint(), token)
	if err != nil {
		return signon.Flow{}
	}
	flow, err := signon.DecodeFlow(text, v.now)
	if err != nil {
		return signon.Flow{}
	}
	return flow
}

// finishSignOn begins the session of a person. The posture must admit operators, too.
func (s *server) finishSignOn(v *visit) (response, outcome) {
	if wait := s.attempts.take(v.Request, signInWithOIDC, v.now); wait > 0 {
		return s.tooManyAttempts("", wait), tooMany
	}
	if v.snapshot == nil {
		return noPosture(), refusedBy(posture.ReasonSnapshotAbsent)
	}
	query := v.URL.Query()
	flow := s.takeFlow(v, query.Get("state"))
	person, err := s.signOn().Finish(v.Context(), flow, query)
	if err != nil {
		return s.refusedSignOn(v, err), refusedAs(err)
	}
	caller, found := v.snapshot.Operator(v.now)
	if !found {
		return message(http.StatusForbidden, "Access denied", noPlatform), withoutPlatform
	}
	id, err := credential.NewSessionID(s.Random)
	if err != nil {
		return noSeal(err), unsealed
	}
	v.person = &signon.Session{Person: person, ID: id}
	if decision := v.snapshot.Standing(caller, posture.ScopeOpsRead, v.now); !decision.Allowed() {
		return v.withoutScope(decision), refusedBy(decision.Reason)
	}
	if err := s.sealPerson(v, v.now.UTC().Truncate(time.Millisecond)); err != nil {
		return noSeal(err), unsealed
	}
	s.Log.InfoContext(v.Context(), "dashboard: operator signed in", "subject", person.Subject, "name", person.Name, "until", person.Until)
	return response{location: s.ownPath(flow.Next)}, signedIn
}

// endSignOn ends the sessions that the provider names in a logout token.
func (s *server) endSignOn(v *visit) response {
	if s.attempts.take(v.Request, logoutByOIDC, v.now) > 0 {
		return logoutAnswer(http.StatusTooManyRequests)
	}
	sent, err := readForm(v.Request)
	tokens := sent["logout_token"]
	if err != nil || len(tokens) != 1 {
		return logoutAnswer(http.StatusBadRequest)
	}
	ending, err := s.signOn().Logout(v.Context(), tokens[0])
	if refusal, ok := errors.AsType[*signon.Refusal](err); ok {
		s.Log.WarnContext(v.Context(), "dashboard: logout token refused", "reason", refusal.Reason.String(), "detail", refusal.Detail)
		if refusal.Reason != signon.ReasonUnavailable {
			return logoutAnswer(http.StatusBadRequest)
		}
	}
	if err == nil {
		err = s.Ends.End(v.Context(), ending)
	}
	if err != nil {
		s.Log.WarnContext(v.Context(), "dashboard: sessions not ended", "error", err)
		return logoutAnswer(http.StatusServiceUnavailable)
	}
	s.Log.InfoContext(v.Context(), "dashboard: the identity provider ended sessions")
	return logoutAnswer(http.StatusOK)
}

// logoutAnswer is a response to the provider (OpenID Connect Back-Channel Logout 1.0,
// section 2.8).
func logoutAnswer(status int) response {
	return response{send: func(w http.ResponseWriter) *response {
		if status == http.StatusBadRequest {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"error":"invalid_request"}`)) // fails only if the provider has gone
			return nil
		}
		w.WriteHeader(status)
		return nil
	}}
}

// sealPerson stores the session of the visit's person in the cookie.
func (s *server) sealPerson(v *visit, now time.Time) error {
	session := signon.Session{Person: v.person.Person, ID: v.person.ID, Expires: endOfPerson(v.person.Person, now)}
	token, err := s.sealed(session, now)
	if errors.Is(err, credential.ErrTooLong) {
		// Without the refresh token, the session ends with the ID token.
		session.Refresh = ""
		token, err = s.sealed(session, now)
	}
	if err != nil {
		return err
	}
	s.cookie.set(v.header, token, session.Expires.Sub(now))
	return nil
}

func (s *server) sealed(session signon.Session, now time.Time) (credential.Secret, error) {
	text, err := session.Encode()
	if err != nil {
		return "", err
	}
	return s.Sessions.SealFor(personPurpose+s.signOn().Fingerprint(), text, now, s.Random)
}

// endOfPerson returns the end of a session of a user that is sealed now.
func endOfPerson(p signon.Person, now time.Time) time.Time {
	if idle := now.Add(credential.SessionLifetime); idle.Before(p.Until) {
		return idle
	}
	return p.Until
}

// openPerson returns the session of a person in the cookie, and reports whether there is one.
func (s *server) openPerson(v *visit) (signon.Session, bool) {
	if s.signOn() == nil {
		return signon.Session{}, false
	}
	text, err := s.Sessions.OpenFor(personPurpose+s.signOn().Fingerprint(), s.cookie.of(v.Request))
	if err != nil {
		return signon.Session{}, false
	}
	session, err := signon.DecodeSession(text, v.now)
	return session, err == nil
}

const (
	noPlatform    = "The platform has no organization with the package Platform, which operators without a key require. Ask an administrator to create one."
	noScope       = "The organization of the platform does not have the scope ops:read, which these pages require. Ask an administrator to grant it."
	forKeys       = "This page requires a sign-in with the API key of an organization. You signed in with single sign-on."
	flowIsMissing = "The sign-in was started in another browser or more than 10 minutes ago. Start again on the sign-in page of this site."
)

// withoutScope is the response to a visitor without a scope. A person has no key, so the
// API's text about keys does not apply.
func (v *visit) withoutScope(decision posture.Decision) response {
	switch {
	case v.person == nil || decision.Reason != posture.ReasonScopeMissing:
		return problemPage(v.Refusal(decision))
	case decision.Scope == posture.ScopeOpsRead:
		return message(http.StatusForbidden, "Access denied", noScope)
	default:
		return message(http.StatusForbidden, "Access denied", forKeys)
	}
}

// signOnTexts describe why the identity provider or its response does not admit a person. All
// other reasons are faults of the provider or of its configuration.
var signOnTexts = map[signon.Reason]string{
	signon.ReasonState:     flowIsMissing,
	signon.ReasonDenied:    "The identity provider denied the sign-in, or you did not give your consent. Try again, or contact an administrator.",
	signon.ReasonNoGroups:  "The ID token from the identity provider does not contain your groups. Ask an administrator to add them in the claim that the platform reads.",
	signon.ReasonNotMember: "You are not a member of a group that can operate the platform. Request the membership, then sign in again.",
	signon.ReasonExpired:   "The ID token has expired. Sign in again. If the error persists, check the clocks of the identity provider and the platform.",
}

// refusedSignOn shows why a person is not signed in, and writes the details to the log.
func (s *server) refusedSignOn(v *visit, err error) response {
	var refusal *signon.Refusal
	if !errors.As(err, &refusal) {
		return failed(err)
	}
	s.Log.WarnContext(v.Context(), "dashboard: operator not signed in", "reason", refusal.Reason.String(), "detail", refusal.Detail, "subject", refusal.Subject)
	if refusal.Reason == signon.ReasonUnavailable {
		return unavailable(5*time.Second, "The identity provider is temporarily unavailable. Try again, or sign in with a key that has the scope ops:read.")
	}
	text, found := signOnTexts[refusal.Reason]
	if !found {
		text = "The response of the identity provider is invalid, so you are not signed in. The log of the API server contains the details. Reason: " + refusal.Reason.String() + "."
	}
	return message(http.StatusForbidden, "Not signed in", text)
}
