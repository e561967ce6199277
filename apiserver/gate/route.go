// SPDX-License-Identifier: Apache-2.0

// Package gate decides whether a request reaches a surface: it authenticates the caller, checks
// its rights and the state of the capability, and parses the request.
//
// The order of refusals is part of the interface, so it is data: [chain] lists the steps, and
// posture's decision table lists the reasons of one of them. A surface describes each of its
// routes with a [Route] and gets a [Call] that has passed. The gate uses no store, no queue and
// no catalog; a refusal costs a few map look-ups.
package gate

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// AnyMethod is the method of a route that serves every method.
const AnyMethod = "*"

// Handler serves a call that has passed the gate. If it returns an error, it must have
// written nothing; the gate responds with the problem in the error's chain.
type Handler func(*Call) error

// Route holds one row of a surface's table of routes.
type Route struct {
	// Method is GET (which serves HEAD too), POST, DELETE ..., or AnyMethod.
	Method string
	// Pattern is a chi pattern, such as /api/v1/rfq/{rfqId}.
	Pattern string
	// Capability decides whether the route is open. Its row in posture's registry also
	// lists the applicable refusals and the required scope.
	Capability posture.Capability
	// Scope is the required scope of a route without a capability, in addition to the
	// partner's standing. For a route with a capability it replaces the capability's own
	// scopes.
	Scope posture.Scope
	// AnyStanding serves a route without a capability also to partners that are suspended
	// or whose contract is not in effect.
	AnyStanding bool
	// Surface counts the requests to a route without a capability and determines the
	// accepted credentials; empty means the partner surface.
	Surface posture.Surface
	// Write selects the capability's scope for changes instead of the one for
	// reads. Routes of AnyMethod write unless the request is GET or HEAD.
	Write bool
	// Body describes how to read the body; nil means that the route takes no body.
	Body *Body
	// Authenticate authenticates the caller of a route without API keys; nil means API
	// keys. It may read the body with [Call.ReadBody]. The gate decides on the returned
	// caller as on other callers.
	Authenticate func(*Call) (posture.Caller, *problem.Problem)
	// Offers lists the media types of a success, in order of preference; nil means JSON.
	Offers []string
	// KeyHeader lists the offers of the XJDF layer on a route of another surface. A request that
	// prefers one of them may send its key in X-API-Key.
	KeyHeader []string
	// Mirror restricts the offers to those in the syntax of the request's body, JSON or
	// XML, so that a client that sends XML gets XML.
	Mirror bool
	// Lifecycle, if the route is deprecated, is announced in every response.
	Lifecycle Lifecycle
	// Internal keeps the route out of the public contracts.
	Internal bool
	// Hidden answers callers whose organization is not granted the capability, and callers
	// without a valid key, as an unknown path. Without the route's capability it has no effect.
	Hidden bool
	// Serve is nil if the capability is disabled in the binary. The gate then responds
	// to every call.
	Serve Handler
}

// Body describes a request body and its limit.
type Body struct {
	// Limit is the maximum size in bytes.
	Limit int64
	// MediaTypes lists the accepted media types; nil means application/json.
	MediaTypes []string
	// Raw passes the body to the handler without decoding it.
	Raw bool
	// Decode decodes a body of another media type than application/json into the document
	// that JSON would give. Nil decodes every body as JSON.
	Decode func(c *Call) (document any, refusal *problem.Problem)
	// Stream leaves the body to the handler, which reads it with [Call.Upload].
	Stream bool
	// Idempotency defines the handling of the Idempotency-Key header.
	Idempotency Idempotency
}

// Idempotency is a route's policy for the Idempotency-Key header.
type Idempotency int

// The policies. The zero value ignores the header.
const (
	NotIdempotent Idempotency = iota
	KeyOptional
	KeyRequired
)

// OtherMethods returns the handler of the methods that a pattern does not serve. Allowed lists
// those that it serves; without any, the path is unknown.
func OtherMethods(allowed ...string) Handler {
	return func(c *Call) error {
		if len(allowed) == 0 {
			return problem.New(problem.CodeRouteNotFound, unknownPath)
		}
		c.Writer.Header().Set("Allow", strings.Join(allowed, ", "))
		return problem.New(problem.CodeMethodNotAllowed, "This path does not support the request method.")
	}
}

// standing reports whether the route has a scope and no capability, so that the partner's
// standing decides.
func (rt *Route) standing() bool {
	return rt.Capability == posture.NoCapability && rt.Scope != posture.NoScope
}

// decision returns the decision of a snapshot on a request to the route.
func (rt *Route) decision(snapshot *posture.Snapshot, caller posture.Caller, r *http.Request, now time.Time) posture.Decision {
	switch {
	case rt.AnyStanding:
		return snapshot.Permitted(caller, rt.Scope, now)
	case rt.standing():
		return snapshot.Standing(caller, rt.Scope, now)
	case rt.Scope != posture.NoScope:
		return snapshot.DecideScope(caller, rt.Capability, rt.Scope, now)
	}
	return snapshot.Decide(caller, rt.Capability, rt.write(r), now)
}

// surface returns the surface that counts the route's requests.
func (rt *Route) surface() posture.Surface {
	if rt.standing() {
		return cmp.Or(rt.Surface, posture.SurfacePartner)
	}
	return rt.Capability.Definition().Surface
}

// write reports whether a request to the route requires the scope for changes.
func (rt *Route) write(r *http.Request) bool {
	if rt.Method != AnyMethod {
		return rt.Write
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}
