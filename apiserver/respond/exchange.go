// SPDX-License-Identifier: Apache-2.0

// Package respond writes every response of the API: JSON, RFC 9457 problems and 304s, and
// their common header fields.
//
// An [Exchange] wraps the response writer of one request. It owns the request id and records
// the response, so that the access log, the metrics and the problem body agree.
package respond

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Exchange holds one request and its response. It is the http.ResponseWriter that handlers
// get.
type Exchange struct {
	http.ResponseWriter
	// Started is the time at which the request arrived.
	Started time.Time
	// Route is the matched pattern; empty for unknown paths.
	Route string
	// By identifies the caller as far as the gate has authenticated it; zero if unknown.
	By Party
	// Streamed is set once the response is a stream.
	Streamed bool

	id      [1]string
	status  int
	code    problem.Code
	written int64
}

// Party identifies the caller of a request, with the decision on it.
type Party struct {
	Tenant tenant.ID
	// Key is the name of the key; Surface and Capability are those of the route.
	Key, Surface, Capability string
	// Reason is the reason of the gate's refusal; empty if the gate allowed the call.
	Reason string
	// Cohort is the label of the caller by [posture.Snapshot.Cohort]; empty for a route without
	// a capability.
	Cohort string
}

// Begin wraps w and gives the request its id: the X-Request-Id of the client if [IsRequestID], else a
// new one. The response repeats the id.
func Begin(w http.ResponseWriter, r *http.Request, now time.Time) *Exchange {
	x := &Exchange{ResponseWriter: w, Started: now}
	x.id[0] = r.Header.Get("X-Request-Id")
	if !IsRequestID(x.id[0]) {
		x.id[0] = newID()
	}
	w.Header()["X-Request-Id"] = x.id[:]
	return x
}

// Observe wraps w like Begin, for a listener whose responses contain no request id: the id is
// new and for the log only.
func Observe(w http.ResponseWriter, now time.Time) *Exchange {
	return &Exchange{ResponseWriter: w, Started: now, id: [1]string{newID()}}
}

// Of returns the exchange of a response writer, also through wrappers with an Unwrap method.
// It returns nil outside an exchange.
func Of(w http.ResponseWriter) *Exchange {
	for {
		switch v := w.(type) {
		case *Exchange:
			return v
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return nil
		}
	}
}

// Renew replaces the client's request id with a new one, because other requests may have the
// client's id. It must be called before the response is written.
func (x *Exchange) Renew() { x.id[0] = newID() }

// ID returns the request id.
func (x *Exchange) ID() string { return x.id[0] }

// Status returns the status of the response; 0 before the response.
func (x *Exchange) Status() int { return x.status }

// Code returns the problem code of the response; empty for a success.
func (x *Exchange) Code() problem.Code { return x.code }

// Written returns the number of written body bytes.
func (x *Exchange) Written() int64 { return x.written }

// Unwrap serves http.ResponseController.
func (x *Exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// WriteHeader records the first final status.
func (x *Exchange) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *Exchange) Write(body []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(body)
	x.written += int64(n)
	return n, err
}

// IsRequestID reports whether an id has the form of request ids: 8 to 64 letters, digits, dots,
// dashes and underscores.
func IsRequestID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// alphabet is Crockford's base 32 in lower case.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// newID returns "req_" and 26 random characters. Request ids are not secrets. The runtime's
// generator is seeded per process and does not lock.
func newID() string {
	id := [30]byte{'r', 'e', 'q', '_'}
	for i := 4; i < len(id); {
		for bits, n := rand.Uint64(), 0; n < 12 && i < len(id); n++ {
			id[i] = alphabet[bits&31]
			bits >>= 5
			i++
		}
	}
	return string(id[:])
}
