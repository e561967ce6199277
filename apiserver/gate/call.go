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

// Call is one request on its way through the chain, and then in its handler.
type Call struct {
	Writer  http.ResponseWriter
	Request *http.Request
	// Now is the instant for which everything about the call is decided.
	Now time.Time
	// Caller is who is asking. It is set by the step that authenticates.
	Caller posture.Caller
	// Decision is why the call may pass; it carries the quota.
	Decision posture.Decision
	// MediaType is which of the route's offers the client likes best.
	MediaType string
	// Body is the request body as it was sent, ContentType its media type without
	// parameters, Document what [DecodeJSON] read of it.
	Body        []byte
	ContentType string
	Document    any
	// Key is the Idempotency-Key, unquoted; empty when none was sent.
	Key string

	gate     *Gate
	route    *Route
	snapshot *posture.Snapshot
	// exchange is told whose call it is; nil where there is none.
	exchange *respond.Exchange
	// shares: the call counts in its organization's share.
	shares bool
}

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Tenant is whose records the call may touch.
func (c *Call) Tenant() tenant.ID { return c.Caller.Tenant() }

// RequestID is what the answer has as X-Request-Id.
func (c *Call) RequestID() string { return requestID(c.Writer) }

// Accepts reports whether the client takes an answer of a media type, though it
// may like another better.
func (c *Call) Accepts(mediaType string) bool {
	return negotiate(c.Request.Header["Accept"], []string{mediaType}) != ""
}

// known tells the exchange whose call it is.
func (c *Call) known(who tenant.ID, key string) {
	if c.exchange != nil {
		c.exchange.By = respond.Party{Tenant: who, Key: key, Surface: c.route.surface().String(), Capability: c.route.Capability.String()}
	}
}

// refused tells the exchange why the gate lets the call go no further.
func (c *Call) refused(reason string) {
	if c.exchange != nil {
		c.exchange.By.Reason = reason
	}
}

// Sender finds a registered sender of callbacks in the call's snapshot.
func (c *Call) Sender(id string) (posture.Sender, bool) { return c.snapshot.Sender(id) }

// Resume is the caller of a session: whom the key leads to by now, if that is still
// the tenant for whom the session was opened. It reports false for nobody.
func (c *Call) Resume(session credential.Session) (posture.Caller, bool) {
	caller, reason := c.snapshot.Resume(session, connection(c.Request, c.Now), c.Now)
	if !caller.Valid() {
		c.gate.metrics.Decision("", reason.String())
		return posture.Caller{}, false
	}
	c.gate.uses.Seen(session.Key, c.Now)
	return caller, true
}

// Bearer is the one token of the scheme Bearer; false if there is none.
func (c *Call) Bearer() (string, bool) {
	token, err := bearer(c.Request.Header["Authorization"])
	return token, err == nil
}

// Challenge is refusal with the challenge that a 401 of bearer tokens carries (RFC
// 6750, section 3). The token was invalid, unless there was none.
func (c *Call) Challenge(refusal *problem.Problem, invalid bool) *problem.Problem {
	c.Writer.Header()["Www-Authenticate"] = challengeMissing
	if invalid {
		c.Writer.Header()["Www-Authenticate"] = challengeInvalid
	}
	return refusal
}

// Decide is the decision on another capability for the same caller: what a
// request of this kind would come to.
func (c *Call) Decide(capability posture.Capability, write bool) posture.Decision {
	return c.snapshot.Decide(c.Caller, capability, write, c.Now)
}

// Refusal is the problem that a decision leads to, as the gate would answer it.
func (c *Call) Refusal(decision posture.Decision) *problem.Problem {
	return c.gate.refusals.Of(decision, c.Now)
}

// JSON answers with a value.
func (c *Call) JSON(status int, value any) error { return respond.JSON(c.Writer, status, value) }

// Revalidate sets the strong entity tag and lets the client keep the answer for
// revalidation. It reports whether the client has this version already: the handler
// then responds with 304.
func (c *Call) Revalidate(etag string) bool {
	c.Writer.Header()["Cache-Control"] = privateNoCache
	return respond.Revalidate(c.Writer, c.Request, etag)
}

// forget removes the header fields of a success, which a handler may have set before it
// failed.
func (c *Call) forget() {
	header := c.Writer.Header()
	header["Cache-Control"] = privateNoStore
	for _, name := range []string{"Etag", "Location", "Idempotent-Replayed"} {
		delete(header, name)
	}
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
