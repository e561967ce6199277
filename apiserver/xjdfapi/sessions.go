// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
)

// SessionSealer lists the methods of package credential that the surface calls.
type SessionSealer interface {
	Seal(session credential.Session, now time.Time, random io.Reader) (credential.Secret, error)
	Open(token string, now time.Time) (credential.Session, error)
}

// openSession serves POST /api/v1/sessions. A session ends no later than its key.
//
// A session is an encrypted token that names a tenant, a key and an expiry. It contains no
// permission: each use looks the key up in the current posture. So a session ends with its
// key, is suspended with its partner, and has the current scopes of the key.
func (s *surface) openSession(c *gate.Call) error {
	now := c.Now.UTC().Truncate(time.Millisecond)
	session := credential.Session{Tenant: c.Tenant(), Key: c.Caller.Digest(), Expires: now.Add(credential.SessionLifetime)}
	if end := c.Caller.Terms().KeyExpires; !end.IsZero() && end.Before(session.Expires) {
		session.Expires = end
	}
	token, err := s.Sessions.Seal(session, now, s.Random)
	if errors.Is(err, credential.ErrNoSessionKeys) {
		return problem.New(problem.CodePostureUnavailable, "The server has not loaded its session keys yet.").With(err).After(time.Second)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, newSession(c, session, token, now))
}

// usable lists the scopes of the routes that accept sessions.
var usable = [...]posture.Scope{posture.ScopeCostingCalculate, posture.ScopeCostingPreview}

// opened is the schema Session of the contract.
type opened struct {
	Token          string          `json:"token"`
	TokenType      string          `json:"tokenType"`
	ExpiresAt      respond.Instant `json:"expiresAt"`
	ExpiresIn      int             `json:"expiresIn"`
	OrganizationID string          `json:"organizationId"`
	Livemode       bool            `json:"livemode"`
	Scopes         []string        `json:"scopes"`
}

func newSession(c *gate.Call, session credential.Session, token credential.Secret, now time.Time) opened {
	answer := opened{
		Token: token.Reveal(), TokenType: "Bearer", ExpiresAt: respond.Instant(session.Expires),
		ExpiresIn: int(session.Expires.Sub(now) / time.Second), OrganizationID: session.Tenant.Organization,
		Livemode: session.Tenant.Mode == tenant.Live, Scopes: []string{},
	}
	for _, scope := range usable {
		if c.Caller.Scopes().Has(scope) {
			answer.Scopes = append(answer.Scopes, scope.String())
		}
	}
	return answer
}

// sessionRequired is the response to every missing or invalid session. It is the same for
// each, so that an attacker learns nothing from it.
var sessionRequired = &problem.Problem{
	Code: problem.CodeAuthenticationRequired, Detail: "Authentication required",
	Extension: json.RawMessage(`{"nextStep":"open a session with POST ` + SessionsPath + `"}`),
}

// sessionVary lists the fields on which responses of routes with sessions depend.
var sessionVary = []string{"Authorization"}

// authenticateSession returns the caller of a session, for routes that accept only sessions.
func (s *surface) authenticateSession(c *gate.Call) (posture.Caller, *problem.Problem) {
	c.Writer.Header()["Vary"] = sessionVary
	token, sent := c.Bearer()
	if !sent {
		return posture.Caller{}, c.Challenge(sessionRequired, len(c.Request.Header["Authorization"]) > 0)
	}
	session, err := s.Sessions.Open(token, c.Now)
	if err != nil || !session.SignedIn.IsZero() {
		return posture.Caller{}, c.Challenge(sessionRequired, true)
	}
	caller, valid := c.Resume(session)
	if !valid {
		return posture.Caller{}, c.Challenge(sessionRequired, true)
	}
	return caller, nil
}
