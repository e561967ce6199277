// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"context"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/printmarket/printmarket/internal/credential"
)

// LogoutPath is where the provider reports that a session has ended (OpenID Connect
// Back-Channel Logout 1.0).
const LogoutPath = "/sign-in/oidc/logout"

// logoutAge is the maximum difference between the time of a logout token and the clock.
const logoutAge = 2 * time.Minute

// Logout verifies a logout token of the provider and returns the sessions that it ends: the session of
// its sid, or without a sid every session of its sub that has begun until now. The error is a
// [Refusal].
func (p *Provider) Logout(ctx context.Context, raw string) (credential.Ending, error) {
	to, err := p.found.endpoints(ctx)
	if err != nil {
		return credential.Ending{}, err
	}
	now := p.config.Now()
	token, err := to.strict.VerifyLogout(oidc.ClientContext(ctx, p.client), raw)
	switch {
	case err != nil && strings.Contains(err.Error(), "fetching keys"): // the library has no type for it
		return credential.Ending{}, refuse(ReasonUnavailable, "the provider's keys cannot be fetched")
	case err != nil:
		return credential.Ending{}, refuse(ReasonToken, "the logout token is invalid")
	case now.Sub(token.IssuedAt).Abs() > logoutAge:
		return credential.Ending{}, refuse(ReasonExpired, "the logout token is too old, or the clocks differ")
	}
	ending := credential.Ending{At: now, Until: now.Add(Longest)}
	if token.SessionID != "" {
		// A sid identifies one session, independently of the clocks.
		ending.Name, ending.At = p.sessionName(token.SessionID), ending.Until
		return ending, nil
	}
	ending.Name = p.subjectName(token.Subject)
	return ending, nil
}

// Names returns the names under which a session can be ended.
func (p *Provider) Names(s Session) []credential.Digest {
	names := []credential.Digest{s.ID.Name(), p.subjectName(s.Subject)}
	if s.ProviderSession != "" {
		names = append(names, p.sessionName(s.ProviderSession))
	}
	return names
}

func (p *Provider) subjectName(subject string) credential.Digest {
	return credential.SessionName("subject", p.config.Issuer+"\x00"+subject)
}

func (p *Provider) sessionName(session string) credential.Digest {
	return credential.SessionName("provider session", p.config.Issuer+"\x00"+session)
}
