// SPDX-License-Identifier: Apache-2.0

package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNotModified means that the record with the ETag of [IfChanged] is unchanged.
var ErrNotModified = errors.New("not modified")

// CallError is the error of every call. Err is its cause: a [*Problem], [*AnswerError],
// [*TransportError], [*ArgumentError] or [*KeyError], [ErrNotModified], or the end of
// the context.
type CallError struct {
	// Operation is the method, CreateRFQ for example.
	Operation string
	// Attempts is the number of requests that were sent.
	Attempts int
	// IdempotencyKey is the key of a create. It is always safe to repeat the same create
	// with the same key.
	IdempotencyKey string
	Err            error
}

func (e *CallError) Error() string {
	if e.Attempts > 1 {
		return fmt.Sprintf("printmarket: %s: %v (after %d attempts)", e.Operation, e.Err, e.Attempts)
	}
	return fmt.Sprintf("printmarket: %s: %v", e.Operation, e.Err)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *CallError) Unwrap() error { return e.Err }

// IsCode reports whether an error is a [Problem] with one of the codes.
func IsCode(err error, codes ...Code) bool {
	var p *Problem
	return errors.As(err, &p) && slices.Contains(codes, p.Code)
}

// TransportError means that the response is missing or incomplete. The API may have
// executed the request.
type TransportError struct{ Err error }

func (e *TransportError) Error() string { return "no answer: " + e.Err.Error() }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *TransportError) Unwrap() error { return e.Err }

// Timeout reports whether the response took too long.
func (e *TransportError) Timeout() bool {
	var cause interface{ Timeout() bool }
	return errors.As(e.Err, &cause) && cause.Timeout()
}

// AnswerError is a response outside the contract of the API: the page of a proxy, a
// redirect, or an invalid body. It does not contain the body.
type AnswerError struct {
	Status int
	// MediaType is the media type of the body, without parameters.
	MediaType string
	RequestID string
	// RetryAfter is the time of Retry-After, or zero.
	RetryAfter time.Duration
	// Err is the fault of the body; nil for a body that was not read.
	Err error
}

func (e *AnswerError) Error() string {
	text := fmt.Sprintf("an answer that is not the API's: status %d", e.Status)
	if e.MediaType != "" {
		text += " of type " + brief(e.MediaType)
	}
	if e.Err != nil {
		text += ": " + brief(e.Err.Error())
	}
	return text
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *AnswerError) Unwrap() error { return e.Err }

// ArgumentError means that a request was not sent, because an argument is invalid.
type ArgumentError struct {
	// Argument is the name of the argument, id for example.
	Argument string
	// Reason says why the argument is invalid. It never contains the value.
	Reason string
}

func (e *ArgumentError) Error() string { return e.Argument + " " + e.Reason }

// KeyError means that the [Key] function failed.
type KeyError struct{ Err error }

func (e *KeyError) Error() string { return "get the API key: " + e.Err.Error() }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *KeyError) Unwrap() error { return e.Err }

// maxText bounds the text of a server in an error.
const maxText = 300

// brief shortens the text of a server for an error, and replaces control characters.
func brief(text string) string {
	shown := 0
	return strings.Map(func(r rune) rune {
		shown++
		switch {
		case shown > maxText:
			return -1
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return '\uFFFD'
		default:
			return r
		}
	}, text)
}
