// SPDX-License-Identifier: Apache-2.0

package client

import (
	"crypto/rand"
	"errors"
	"net/http"
	"unicode/utf8"
)

// CreateOption changes how something is created.
type CreateOption func(*creation)

type creation struct{ idempotencyKey string }

// IdempotencyKey sends a create with a key of yours, 1 to 255 visible ASCII
// characters. Keep it with what you mean to create, and a create that is
// repeated after a crash makes nothing twice. Without it each call has a new
// one. The API remembers keys for at least 24 hours.
func IdempotencyKey(key string) CreateOption {
	return func(c *creation) { c.idempotencyKey = key }
}

// NewIdempotencyKey makes a key for [IdempotencyKey].
func NewIdempotencyKey() string { return rand.Text() }

// created settles the options of a create and checks what is sent: JSON would
// replace bytes that are no UTF-8, and nobody would notice.
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

// unnamed is the error of a create whose answer names no record.
func unnamed(operation, key string, status int, header http.Header) error {
	return &CallError{Operation: operation, Attempts: 1, IdempotencyKey: key, Err: &AnswerError{
		Status: status, MediaType: mediaType(header), RequestID: header.Get("X-Request-Id"), Err: errNoID,
	}}
}

var errNoID = errors.New("it has no id")

// replayed reports whether an answer repeats that of an earlier request.
func replayed(header http.Header) bool { return header.Get("Idempotent-Replayed") == "true" }

// ReadOption changes how something is read.
type ReadOption func(*reading)

type reading struct{ etag *string }

// IfChanged reads a record only if it is another one than that of the ETag,
// and puts the new ETag in its place. If it is the same one the error is
// [ErrNotModified]. Begin with an empty ETag.
func IfChanged(etag *string) ReadOption { return func(r *reading) { r.etag = etag } }

func read(options []ReadOption) reading {
	var r reading
	for _, option := range options {
		option(&r)
	}
	return r
}

// validator is what to send in If-None-Match; nil is nothing.
func (r reading) validator() *string {
	if r.etag == nil || *r.etag == "" {
		return nil
	}
	return r.etag
}

// keep remembers the ETag of a record that was read.
func (r reading) keep(header http.Header) {
	if r.etag != nil {
		*r.etag = header.Get("ETag")
	}
}
