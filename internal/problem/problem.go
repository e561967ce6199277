// SPDX-License-Identifier: Apache-2.0

// Package problem defines the errors that the API returns.
//
// [Types] lists the nineteen problem types of the public registry. [Codes] lists
// the machine-readable codes, each with its type and one sentence of advice. Each
// surface maps domain errors to a [Problem] in a single function, and package
// respond writes the Problem as RFC 9457 problem details.
package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Violation describes one fault of a request body.
type Violation struct {
	// Pointer is an RFC 6901 JSON Pointer in URI fragment form: "#/quantity".
	Pointer string `json:"pointer"`
	// Code is empty for [InvalidValue].
	Code   ViolationCode `json:"code"`
	Detail string        `json:"detail"`
}

// Violations converts the violations of a domain package, which has its own type
// for them.
func Violations[V ~struct{ Pointer, Detail string }](found []V) []Violation {
	all := make([]Violation, len(found))
	for i, v := range found {
		plain := struct{ Pointer, Detail string }(v)
		all[i] = Violation{Pointer: plain.Pointer, Detail: plain.Detail}
	}
	return all
}

// CodedViolations converts violations like [Violations], with their codes.
func CodedViolations[V ~struct{ Pointer, Code, Detail string }](found []V) []Violation {
	all := make([]Violation, len(found))
	for i, v := range found {
		plain := struct{ Pointer, Code, Detail string }(v)
		all[i] = Violation{Pointer: plain.Pointer, Code: ViolationCode(plain.Code), Detail: plain.Detail}
	}
	return all
}

// Problem is an error with a defined response.
type Problem struct {
	Code Code
	// Detail describes this occurrence in one sentence. It never contains a
	// credential, an address or the text of an internal error.
	Detail string
	// Errors lists the faults of the body, if the body is the cause.
	Errors []Violation
	// Extension is a JSON object with extension members (RFC 9457, section 3.2).
	// Its names differ from the standard members. It may be nil.
	Extension json.RawMessage
	// Limited describes the limit that a 429 is about; nil for other problems.
	Limited *Limited
	// RetryAfter is sent in whole seconds, rounded up, from 1 to 86400. If it is
	// zero, the header is omitted.
	RetryAfter time.Duration
	// Cause is only logged.
	Cause error
}

// Limited is a limit of requests or of created records. Responses have its fields as the
// members limit, remaining and resetsAt.
type Limited struct {
	Limit, Remaining int64
	// Resets is the time at which the whole limit is available again.
	Resets time.Time
}

// New returns a problem with a formatted detail.
func New(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

func (p *Problem) Error() string {
	if p.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", p.Code, p.Detail, p.Cause)
	}
	return fmt.Sprintf("%s: %s", p.Code, p.Detail)
}

// Unwrap returns the cause for errors.Is and errors.As.
func (p *Problem) Unwrap() error { return p.Cause }

// With sets the cause and returns the problem.
func (p *Problem) With(cause error) *Problem {
	p.Cause = cause
	return p
}

// After sets the time to wait and returns the problem.
func (p *Problem) After(wait time.Duration) *Problem {
	p.RetryAfter = wait
	return p
}

// Violates sets the violations and returns the problem.
func (p *Problem) Violates(violations ...Violation) *Problem {
	p.Errors = violations
	return p
}

// Extend sets the extension members and returns the problem. The value must marshal
// to a JSON object.
func (p *Problem) Extend(value any) (*Problem, error) {
	members, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("extend a problem: %w", err)
	}
	p.Extension = members
	return p, nil
}

// Of returns the Problem in an error chain. An error without a Problem is an
// internal error; its text is logged and not returned to the caller.
func Of(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return New(CodeInternalError, "The request could not be completed.").With(err)
}
