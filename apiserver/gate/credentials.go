// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// credentials describes where a surface expects the key of a request.
type credentials struct {
	// keyHeader accepts X-API-Key in addition to Authorization. Other surfaces ignore
	// X-API-Key, so a client may send it to every surface.
	keyHeader bool
	// vary lists the header fields that the response depends on.
	vary []string
	// missing is the problem for a request without a key.
	missing *problem.Problem
}

// All ways in which a key can be invalid share one detail, so that the answer does not help an
// attacker.
var (
	bearerOnly = credentials{
		vary:    []string{"Authorization"},
		missing: problem.New(problem.CodeMissingAPIKey, "Send an API key as a bearer token in the Authorization header."),
	}
	bearerOrKey = credentials{
		keyHeader: true,
		vary:      []string{"Authorization, X-API-Key"},
		missing:   problem.New(problem.CodeMissingAPIKey, "Send an API key as a bearer token in the Authorization header, or in X-API-Key."),
	}
	// bearerOrKeyHere is for the XJDF forms on other surfaces. Their contract fixes Vary; that is
	// safe because no response to a key may be shared, and each is revalidated before reuse.
	bearerOrKeyHere = credentials{keyHeader: true, vary: bearerOnly.vary, missing: bearerOrKey.missing}
	otherScheme     = problem.New(problem.CodeInvalidAPIKey, "The Authorization header does not have the scheme Bearer. Send Authorization: Bearer <API_KEY>.")
	invalidKey      = problem.New(problem.CodeInvalidAPIKey, "The API key is not valid.")
	twoKeys         = problem.New(problem.CodeInvalidRequest, "Authorization and X-API-Key contain different credentials. Send only one of them.")
	keyInQuery      = problem.New(problem.CodeInvalidRequest, "The query string contains a credential. Send credentials only in a header.")
)

// queryNames lists parameters that other APIs use for keys.
var queryNames = [...]string{"access_token", "api_key", "apikey", "api-key", "x-api-key"}

// accepted lists the credentials that each surface accepts. A route without a surface, which
// has no handler, accepts those of the partners.
var accepted = [...]credentials{
	posture.NoSurface:        bearerOnly,
	posture.SurfacePartner:   bearerOnly,
	posture.SurfacePreflight: bearerOnly,
	posture.SurfaceXJDF:      bearerOrKey,
	posture.SurfaceXJMF:      bearerOnly,
	posture.SurfaceBridge:    bearerOrKey,
}

func authenticate(g *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Authenticate != nil {
		caller, refusal := rt.Authenticate(c)
		if refusal != nil {
			g.metrics.Decision(rt.Capability.String(), string(refusal.Code))
			return g.limitUnauthenticated(c, refusal)
		}
		c.Caller = caller
		c.known(caller.Tenant(), caller.KeyName())
		c.Writer.Header()["Marketplace-Entitlement"] = g.entitlementHeader(caller)
		return nil
	}
	accepts := &accepted[rt.surface()]
	if len(rt.KeyHeader) > 0 && slices.Contains(rt.KeyHeader, Negotiate(c.Request.Header["Accept"], rt.Offers)) {
		accepts = &bearerOrKeyHere
	}
	header := c.Writer.Header()
	header["Vary"] = accepts.vary
	key, refusal := accepts.read(c.Request)
	if refusal == nil {
		var reason posture.Reason
		if c.Caller, reason = c.snapshot.Authenticate(key, connection(c.Request, c.Now), c.Now); c.Caller.Valid() {
			c.known(c.Caller.Tenant(), c.Caller.KeyName())
			header["Marketplace-Entitlement"] = g.entitlementHeader(c.Caller)
			g.uses.Seen(c.Caller.Digest(), c.Now)
			return nil
		}
		g.metrics.Decision("", reason.String())
		c.known(c.snapshot.Holder(key.Digest()))
		c.refused(reason.String())
		refusal = invalidKey
	}
	switch refusal.Code {
	case problem.CodeMissingAPIKey:
		header["Www-Authenticate"] = challengeMissing
	case problem.CodeInvalidAPIKey:
		header["Www-Authenticate"] = challengeInvalid
	}
	return g.limitUnauthenticated(c, refusal)
}

// read returns the single key of a request.
func (accepts *credentials) read(r *http.Request) (credential.Key, *problem.Problem) {
	authorization := r.Header["Authorization"]
	if !accepts.keyHeader {
		if len(authorization) == 0 {
			return credential.Key{}, accepts.missing
		}
		return bearerKey(authorization)
	}
	apiKey := r.Header["X-Api-Key"]
	switch {
	case len(authorization)+len(apiKey) == 0:
		return credential.Key{}, accepts.missing
	case r.URL.RawQuery != "" && holdsKey(r):
		return credential.Key{}, keyInQuery
	case len(apiKey) == 0:
		return bearerKey(authorization)
	case len(authorization) > 0 && !same(authorization, apiKey):
		return credential.Key{}, twoKeys
	default:
		return parsed(single(apiKey))
	}
}

// bearerKey parses the key of Authorization. Another scheme, or a key without one, is a
// common mistake whose answer discloses nothing.
func bearerKey(authorization []string) (credential.Key, *problem.Problem) {
	token, err := bearer(authorization)
	if err != nil && len(authorization) == 1 {
		return credential.Key{}, otherScheme
	}
	return parsed(token, err)
}

func parsed(token string, err error) (credential.Key, *problem.Problem) {
	if err != nil {
		return credential.Key{}, invalidKey
	}
	key, err := credential.Parse(token)
	if err != nil {
		return credential.Key{}, invalidKey
	}
	return key, nil
}

// bearer returns the token of exactly one Authorization field with the scheme Bearer, whose
// name is case-insensitive (RFC 9110, section 11.1).
func bearer(fields []string) (string, error) {
	field, err := single(fields)
	const scheme = "bearer "
	if err != nil || len(field) < len(scheme) || !strings.EqualFold(field[:len(scheme)], scheme) {
		return "", credential.ErrMalformed
	}
	return strings.Trim(field[len(scheme):], " "), nil
}

func single(fields []string) (string, error) {
	if len(fields) != 1 {
		return "", credential.ErrMalformed
	}
	return strings.Trim(fields[0], " "), nil
}

// same reports whether both fields contain the same key.
func same(authorization, apiKey []string) bool {
	one, err := bearer(authorization)
	if err != nil {
		return false
	}
	other, err := single(apiKey)
	return err == nil && one == other
}

// holdsKey reports whether the query of a request contains a credential, which logs and
// browser histories would keep.
func holdsKey(r *http.Request) bool {
	for name := range r.URL.Query() {
		for _, known := range queryNames {
			if strings.EqualFold(name, known) {
				return true
			}
		}
	}
	return false
}
