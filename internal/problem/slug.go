// SPDX-License-Identifier: Apache-2.0

package problem

import "net/http"

// Slug names a problem type. The set is closed: the registry has exactly these
// nineteen.
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
	// blank is about:blank (RFC 9457) for the statuses without a slug: 405, 406,
	// 408 and 431.
	blank Slug = ""
)

// Type is one row of the registry.
type Type struct {
	Slug Slug
	// Title has 1 to 200 characters. Every problem of this type has exactly
	// this title.
	Title string
	// Status is the HTTP status of the type, 400 to 599.
	Status int
	// Code is the slug in upper snake case, as the registry serves it. Responses
	// have the more precise code of their cause.
	Code Code
}

// types is the table of the registry.
var types = [...]Type{
	{InvalidRequest, "Invalid request", http.StatusBadRequest, "INVALID_REQUEST"},
	{ValidationFailed, "Validation failed", http.StatusUnprocessableEntity, "VALIDATION_FAILED"},
	{Unauthenticated, "Authentication required", http.StatusUnauthorized, "UNAUTHENTICATED"},
	{Forbidden, "Request not permitted", http.StatusForbidden, "FORBIDDEN"},
	{NotFound, "Resource not found", http.StatusNotFound, "NOT_FOUND"},
	{Conflict, "Conflict with the current state", http.StatusConflict, "CONFLICT"},
	{PreconditionRequired, "Precondition required", http.StatusPreconditionRequired, "PRECONDITION_REQUIRED"},
	{TooEarly, "Early data not accepted", http.StatusTooEarly, "TOO_EARLY"},
	{PayloadTooLarge, "Payload too large", http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
	{LengthRequired, "Content length required", http.StatusLengthRequired, "LENGTH_REQUIRED"},
	{Gone, "Resource no longer available", http.StatusGone, "GONE"},
	{UnsupportedMediaType, "Unsupported media type", http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE"},
	{RevisionConflict, "Revision conflict", http.StatusPreconditionFailed, "REVISION_CONFLICT"},
	{IdempotencyConflict, "Idempotency key reused", http.StatusUnprocessableEntity, "IDEMPOTENCY_CONFLICT"},
	{RateLimited, "Too many requests", http.StatusTooManyRequests, "RATE_LIMITED"},
	{Unavailable, "Service unavailable", http.StatusServiceUnavailable, "UNAVAILABLE"},
	{BadGateway, "Invalid upstream response", http.StatusBadGateway, "BAD_GATEWAY"},
	{GatewayTimeout, "Upstream timeout", http.StatusGatewayTimeout, "GATEWAY_TIMEOUT"},
	{InternalError, "Internal error", http.StatusInternalServerError, "INTERNAL_ERROR"},
}

// Types returns the rows of the registry.
func Types() []Type { return append([]Type(nil), types[:]...) }

// TypeOf returns the type of a slug, and false for an unknown slug.
func TypeOf(slug Slug) (Type, bool) {
	for _, t := range types {
		if t.Slug == slug {
			return t, true
		}
	}
	return Type{}, false
}
