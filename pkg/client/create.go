// SPDX-License-Identifier: Apache-2.0

package client

import (
	"crypto/rand"
	"errors"
	"net/http"
	"unicode/utf8"
)

// CreateOption changes a create.
type CreateOption func(*creation)

type creation struct{ idempotencyKey string }

// IdempotencyKey sends a create with your own key, 1 to 255 visible ASCII characters.
// Store the key with your record: then a create that you repeat after a crash creates
// nothing twice. Without this option each call has a new key. The API keeps keys for at
// least 24 hours.
func IdempotencyKey(key string) CreateOption {
	return func(c *creation) { c.idempotencyKey = key }
}

// NewIdempotencyKey returns a new key for [IdempotencyKey].
func NewIdempotencyKey() string { return rand.Text() }

// created applies the options of a create and checks the texts: encoding/json would
// silently replace invalid UTF-8.
func created(options []CreateOption, texts ...string) (creation, error) {
	const maxIdempotencyKey = 255
	c := creation{idempotencyKey: NewIdempotencyKey()}
	for _, option := range options {
		option(&c)
	}
	if !visible(c.idempotencyKey) || len(c.idempotencyKey) > maxIdempotencyKey {
		return c, &ArgumentError{Argument: "idempotency key", Reason: "is not 1 to 255 visible ASCII characters"}
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return c, &ArgumentError{Argument: "text", Reason: "is not UTF-8"}
		}
	}
	return c, nil
}

// unnamed returns the error of a create whose response has no id.
func unnamed(operation, key string, status int, header http.Header) error {
	return &CallError{Operation: operation, Attempts: 1, IdempotencyKey: key, Err: &AnswerError{
		Status: status, MediaType: mediaType(header), RequestID: header.Get("X-Request-Id"), Err: errNoID,
	}}
}

var errNoID = errors.New("it has no id")

// replayed reports whether a response repeats that of an earlier request.
func replayed(header http.Header) bool { return header.Get("Idempotent-Replayed") == "true" }

// ReadOption changes a read.
type ReadOption func(*reading)

type reading struct{ etag *string }

// IfChanged reads a record only if its ETag differs from the given one, and replaces
// the ETag. Otherwise the error is [ErrNotModified]. Start with an empty ETag.
func IfChanged(etag *string) ReadOption { return func(r *reading) { r.etag = etag } }

func read(options []ReadOption) reading {
	var r reading
	for _, option := range options {
		option(&r)
	}
	return r
}

// validator returns the value of If-None-Match, or nil.
func (r reading) validator() *string {
	if r.etag == nil || *r.etag == "" {
		return nil
	}
	return r.etag
}

// keep stores the ETag of a record.
func (r reading) keep(header http.Header) {
	if r.etag != nil {
		*r.etag = header.Get("ETag")
	}
}
