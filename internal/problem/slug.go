// SPDX-License-Identifier: Apache-2.0

package problem

import "net/http"

// Slug names a problem type. The set is closed: the interface specification,
// section 4.5, lists exactly these nineteen.
type Slug string

// The nineteen problem types.
const (
	InvalidRequest       Slug = "invalid-request"
	ValidationFailed     Slug = "validation-failed"
	Unauthenticated      Slug = "unauthenticated"
	Forbidden            Slug = "forbidden"
	NotFound             Slug = "not-found"
	Conflict             Slug = "conflict"
	PreconditionRequired Slug = "precondition-required"
	TooEarly             Slug = "too-early"
	PayloadTooLarge      Slug = "payload-too-large"
	LengthRequired       Slug = "length-required"
	Gone                 Slug = "gone"
	UnsupportedMediaType Slug = "unsupported-media-type"
	RevisionConflict     Slug = "revision-conflict"
	IdempotencyConflict  Slug = "idempotency-conflict"
	RateLimited          Slug = "rate-limited"
	Unavailable          Slug = "unavailable"
	BadGateway           Slug = "bad-gateway"
	GatewayTimeout       Slug = "gateway-timeout"
	InternalError        Slug = "internal-error"
	// blank is RFC 9457's about:blank, for the statuses that have no slug:
	// 405, 406, 408 and 431.
	blank Slug = ""
)

// Type is one row of the registry.
type Type struct {
	Slug Slug
	// Title is 1 to 200 characters and is the title of every problem of this
	// type, verbatim.
	Title string
	// Status is the one HTTP status of the type, 400 to 599.
	Status int
	// Code is the slug in upper snake case: the type's own code in the
	// registry. Answers carry the more precise code of their condition.
	Code Code
}

// types is the table of the registry, in the specification's order.
var types = [...]Type{
	{InvalidRequest, "The request is not valid", http.StatusBadRequest, "INVALID_REQUEST"},
	{ValidationFailed, "The request failed validation", http.StatusUnprocessableEntity, "VALIDATION_FAILED"},
	{Unauthenticated, "Authentication is required", http.StatusUnauthorized, "UNAUTHENTICATED"},
	{Forbidden, "The request is not permitted", http.StatusForbidden, "FORBIDDEN"},
	{NotFound, "The resource was not found", http.StatusNotFound, "NOT_FOUND"},
	{Conflict, "The request conflicts with the current state", http.StatusConflict, "CONFLICT"},
	{PreconditionRequired, "A precondition is required", http.StatusPreconditionRequired, "PRECONDITION_REQUIRED"},
	{TooEarly, "The request came too early", http.StatusTooEarly, "TOO_EARLY"},
	{PayloadTooLarge, "The payload is too large", http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
	{LengthRequired, "A content length is required", http.StatusLengthRequired, "LENGTH_REQUIRED"},
	{Gone, "The resource is gone", http.StatusGone, "GONE"},
	{UnsupportedMediaType, "The media type is not supported", http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	{RevisionConflict, "The resource has another revision", http.StatusPreconditionFailed, "REVISION_CONFLICT"},
	{IdempotencyConflict, "The idempotency key was used with another request", http.StatusUnprocessableEntity, "IDEMPOTENCY_CONFLICT"},
	{RateLimited, "Too many requests", http.StatusTooManyRequests, "RATE_LIMITED"},
	{Unavailable, "The service is unavailable", http.StatusServiceUnavailable, "UNAVAILABLE"},
	{BadGateway, "An upstream answered badly", http.StatusBadGateway, "BAD_GATEWAY"},
	{GatewayTimeout, "An upstream did not answer in time", http.StatusGatewayTimeout, "GATEWAY_TIMEOUT"},
	{InternalError, "An internal error occurred", http.StatusInternalServerError, "INTERNAL_ERROR"},
}

// Types returns the registry's rows in the order of the specification.
func Types() []Type { return append([]Type(nil), types[:]...) }

// TypeOf looks a slug up; unknown slugs report false.
func TypeOf(slug Slug) (Type, bool) {
	for _, t := range types {
		if t.Slug == slug {
			return t, true
		}
	}
	return Type{}, false
}
