// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Call holds one request while it passes the chain and its handler.
type Call struct {
	Writer  http.ResponseWriter
	Request *http.Request
	// Now is the time of all decisions about the call.
	Now time.Time
	// Caller is the authenticated caller.
	Caller posture.Caller
	// Decision allows the call. It contains the quota.
	Decision posture.Decision
	// MediaType is the offer of the route that the client prefers.
	MediaType string
	// Body is the request body as sent, ContentType its media type without parameters,
	// Document the value that [DecodeJSON] read from it.
	Body        []byte
	ContentType string
	Document    any
	// Key is the Idempotency-Key, unquoted; empty when none was sent.
	Key string

	gate     *Gate
	route    *Route
	snapshot *posture.Snapshot
	// exchange records the caller for the logs; it may be nil.
	exchange *respond.Exchange
	// shares reports that the call counts against the share of its organization.
	shares bool
	// rateLimit is the value of the field RateLimit.
	rateLimit [1]string
}

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Tenant returns the tenant whose records the call may read and change.
func (c *Call) Tenant() tenant.ID { return c.Caller.Tenant() }

// RequestID returns the X-Request-Id of the answer.
func (c *Call) RequestID() string { return requestID(c.Writer) }

// Accepts reports whether the client accepts an answer of a media type, even if it
// prefers another one.
func (c *Call) Accepts(mediaType string) bool {
	return Negotiate(c.Request.Header["Accept"], []string{mediaType}) != ""
}

// known records the caller in the exchange.
func (c *Call) known(owner tenant.ID, key string) {
	if c.exchange != nil {
		c.exchange.By = respond.Party{Tenant: owner, Key: key, Surface: c.route.surface().String(), Capability: c.route.Capability.String()}
	}
}

// refused records in the exchange why the gate rejects the call.
func (c *Call) refused(reason string) {
	if c.exchange != nil {
		c.exchange.By.Reason = reason
	}
}

// Sender finds a registered sender of callbacks in the call's snapshot.
func (c *Call) Sender(id string) (posture.Sender, bool) { return c.snapshot.Sender(id) }

// Quotas returns the quotas of all partners in the call's snapshot.
func (c *Call) Quotas() []posture.GrantQuota { return c.snapshot.Quotas() }

// KeyScopes returns the scopes of a key in the call's snapshot.
func (c *Call) KeyScopes(key credential.Digest) posture.Scopes { return c.snapshot.KeyScopes(key) }

// Resume returns the caller of a session: the caller of its key now, if the key still
// belongs to the tenant of the session.
func (c *Call) Resume(session credential.Session) (posture.Caller, bool) {
	caller, reason := c.snapshot.Resume(session, connection(c.Request, c.Now), c.Now)
	if !caller.Valid() {
		c.gate.metrics.Decision("", reason.String())
		return posture.Caller{}, false
	}
	c.gate.uses.Seen(session.Key, c.Now)
	return caller, true
}

// Bearer returns the bearer token of the request, if it has exactly one.
func (c *Call) Bearer() (string, bool) {
	token, err := bearer(c.Request.Header["Authorization"])
	return token, err == nil
}

// Challenge adds the challenge of a 401 for bearer tokens (RFC 6750, section 3) and
// returns the refusal.
func (c *Call) Challenge(refusal *problem.Problem, invalid bool) *problem.Problem {
	c.Writer.Header()["Www-Authenticate"] = challengeMissing
	if invalid {
		c.Writer.Header()["Www-Authenticate"] = challengeInvalid
	}
	return refusal
}

// Decide returns the decision on another capability for the same caller.
func (c *Call) Decide(capability posture.Capability, write bool) posture.Decision {
	return c.snapshot.Decide(c.Caller, capability, write, c.Now)
}

// Standing returns the decision on another scope for the same caller.
func (c *Call) Standing(scope posture.Scope) posture.Decision {
	return c.snapshot.Standing(c.Caller, scope, c.Now)
}

// Refusal returns the problem that the gate responds with for a decision.
func (c *Call) Refusal(decision posture.Decision) *problem.Problem {
	return c.gate.refusals.Of(decision, c.Caller.Terms(), c.Now)
}

// JSON responds with a value as application/json.
func (c *Call) JSON(status int, value any) error { return respond.JSON(c.Writer, status, value) }

// Revalidate sets the strong entity tag and lets the client keep the answer for
// revalidation. It reports whether the client has this version already: the handler
// then responds with 304.
func (c *Call) Revalidate(etag string) bool {
	c.Writer.Header()["Cache-Control"] = privateNoCache
	return respond.Revalidate(c.Writer, c.Request, etag)
}

// Idempotency returns the call's key with the fingerprint of its body.
func (c *Call) Idempotency() transaction.Idempotency {
	return transaction.Idempotency{Key: c.Key, Fingerprint: Fingerprint(c.Document)}
}

// MarkReplay marks the answer as the repetition of an earlier one, if it is one.
func (c *Call) MarkReplay(replayed bool) {
	if replayed {
		c.Writer.Header().Set("Idempotent-Replayed", "true")
	}
}
