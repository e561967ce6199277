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
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

// AnyMethod is the method of a route that answers every method.
const AnyMethod = "*"

// Handler serves a call that has passed the gate. An error is answered as the
// problem in its chain; a handler that returns one has written nothing.
type Handler func(*Call) error

// Route is one row of a surface's table of routes.
type Route struct {
	// Method is GET (which serves HEAD too), POST, DELETE ..., or AnyMethod.
	Method string
	// Pattern is chi's: /api/v1/rfq/{rfqId}.
	Pattern string
	// Capability decides whether the route is open. Its row in posture's
	// registry also says which refusals apply and which scope is needed.
	Capability posture.Capability
	// Scope is the required scope of a route without a capability, in addition to the
	// partner's standing. For a route with a capability it replaces the capability's own
	// scopes.
	Scope posture.Scope
	// Surface is the surface under which requests to a route without a capability are
	// counted, and whose credentials the route accepts; empty means the partners'.
	Surface posture.Surface
	// Write selects the capability's scope for changes instead of the one for
	// reads. Routes of AnyMethod write unless the request is GET or HEAD.
	Write bool
	// Body describes how to read the body; nil means that the route takes no body.
	Body *Body
	// Authenticate authenticates the caller of a route without API keys; nil means API
	// keys. It may read the body with [Call.ReadBody]. The decision on the caller that it
	// returns is the same as for other callers.
	Authenticate func(*Call) (posture.Caller, *problem.Problem)
	// Offers are the media types of a success, the best first; nil: JSON.
	Offers []string
	// Mirror restricts the offers to those in the syntax of the request's body, JSON or
	// XML, so that a client that sends XML gets XML.
	Mirror bool
	// Lifecycle, if the route is deprecated, is announced in every answer.
	Lifecycle Lifecycle
	// Internal keeps the route out of the public contracts.
	Internal bool
	// Serve is nil where the gate answers every call itself: the capability
	// is disabled in the binary, and there is nothing behind it.
	Serve Handler
}

// Body bounds and describes a request body.
type Body struct {
	// Limit is in bytes.
	Limit int64
	// MediaTypes lists the accepted media types; nil means application/json.
	MediaTypes []string
	// Raw leaves the body to the handler, which finds it undecoded.
	Raw bool
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

// standing reports whether the partner's standing and a scope decide, and no
// capability.
func (rt *Route) standing() bool {
	return rt.Capability == posture.NoCapability && rt.Scope != posture.NoScope
}

// decision returns the decision of a snapshot on a request to the route.
func (rt *Route) decision(snapshot *posture.Snapshot, caller posture.Caller, r *http.Request, now time.Time) posture.Decision {
	switch {
	case rt.standing():
		return snapshot.Standing(caller, rt.Scope, now)
	case rt.Scope != posture.NoScope:
		return snapshot.DecideScope(caller, rt.Capability, rt.Scope, now)
	}
	return snapshot.Decide(caller, rt.Capability, rt.write(r), now)
}

// surface is where the route's requests are counted.
func (rt *Route) surface() posture.Surface {
	if rt.standing() {
		return cmp.Or(rt.Surface, posture.SurfacePartner)
	}
	return rt.Capability.Definition().Surface
}

// write reports whether a request to the route needs the scope for changes.
func (rt *Route) write(r *http.Request) bool {
	if rt.Method != AnyMethod {
		return rt.Write
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}
