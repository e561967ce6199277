// SPDX-License-Identifier: Apache-2.0

package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNotModified says that the copy with the ETag of [IfChanged] is still good.
var ErrNotModified = errors.New("not modified")

// CallError is the error of every call: which one it was, how often it was
// tried, and in Err why it failed: a [*Problem], [*AnswerError],
// [*TransportError], [*ArgumentError] or [*KeyError], [ErrNotModified], or the end
// of the context.
type CallError struct {
	// Operation is the verb, CreateRFQ for example.
	Operation string
	// Attempts is how many requests were sent.
	Attempts int
	// IdempotencyKey is the one that a create was sent with. Whatever went
	// wrong, the same create with the same key is safe.
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

// TransportError says that there was no answer, or not all of it. Whether the
// request was carried out is not known.
type TransportError struct{ Err error }

func (e *TransportError) Error() string { return "no answer: " + e.Err.Error() }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *TransportError) Unwrap() error { return e.Err }

// Timeout reports whether waiting for the answer took too long.
func (e *TransportError) Timeout() bool {
	var cause interface{ Timeout() bool }
	return errors.As(e.Err, &cause) && cause.Timeout()
}

// AnswerError is an answer that is none of the API's: a proxy's page, a
// redirect, a body that the contract does not promise. Its text is not kept.
type AnswerError struct {
	Status int
	// MediaType is that of the body, without parameters.
	MediaType string
	RequestID string
	// RetryAfter is when to try again, as the answer says; zero if it does not.
	RetryAfter time.Duration
	// Err says what is wrong with the body; nil when it was not looked at.
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

// ArgumentError says that something was not sent, because it cannot be right.
type ArgumentError struct {
	// Argument is what is wrong, id for example.
	Argument string
	// Reason says what is wrong with it. It never holds the value.
	Reason string
}

func (e *ArgumentError) Error() string { return e.Argument + " " + e.Reason }

// KeyError says that the function which gives the API key failed.
type KeyError struct{ Err error }

func (e *KeyError) Error() string { return "get the API key: " + e.Err.Error() }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *KeyError) Unwrap() error { return e.Err }

// maxText bounds what others wrote in the text of an error.
const maxText = 300

// brief keeps what others wrote from filling a log or steering a terminal.
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
