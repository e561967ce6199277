// SPDX-License-Identifier: Apache-2.0

// Package gate is what stands between a request and a surface: who is calling,
// may they, is the capability open, is the request readable.
//
// The order in which a request is refused is part of the interface, so it is
// data: [chain] lists the steps, and posture's decision table lists the
// reasons inside one of them. A surface describes each of its routes with a
// [Route] and gets a [Call] that has passed. Nothing here looks at a store, a
// queue or a catalog; a refusal costs a few map look-ups.
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
	// Scope is what a route needs that belongs to no capability: the partner's
	// standing and this scope decide. Of a route with a capability it is what it
	// needs in place of the capability's own scopes.
	Scope posture.Scope
	// Surface is where the requests of such a route are counted, and whose
	// credentials it takes; none: the partners'.
	Surface posture.Surface
	// Write selects the capability's scope for changes instead of the one for
	// reads. Routes of AnyMethod write unless the request is GET or HEAD.
	Write bool
	// Body says how to read the body; nil: the route takes none.
	Body *Body
	// Authenticate finds out who is calling where that is not a matter of an API
	// key; nil: it is. It may read the body with [Call.ReadBody]; the caller it
	// returns is decided on like any other.
	Authenticate func(*Call) (posture.Caller, *problem.Problem)
	// Offers are the media types of a success, the best first; nil: JSON.
	Offers []string
	// Mirror leaves of the offers those in the syntax of the request's body, JSON
	// or XML: who writes XML is answered in it.
	Mirror bool
	// Lifecycle, if the route is deprecated, is told with every answer.
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
	// MediaTypes are those that the body may be sent as; nil: application/json.
	MediaTypes []string
	// Raw leaves the body to the handler, which finds it undecoded.
	Raw bool
	// Idempotency says what to do about the Idempotency-Key header.
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

// decision is what a snapshot decides on a request to the route.
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
