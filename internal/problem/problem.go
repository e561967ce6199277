// SPDX-License-Identifier: Apache-2.0

// Package problem is the vocabulary of everything that can go wrong.
//
// Two tables hold it: the nineteen problem types of the public registry
// ([Types]) and the machine-readable codes ([Codes]), each with its type and a
// sentence that tells the reader what to do. A [Problem] is an error that is
// already an answer: edges turn domain errors into one in a single function,
// and package respond writes it as RFC 9457 problem details.
package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Violation is one thing that is wrong with a request body.
type Violation struct {
	// Pointer is an RFC 6901 JSON Pointer in URI fragment form: "#/quantity".
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// Violations are those that a domain package has found, which has a type of its
// own for them.
func Violations[V ~struct{ Pointer, Detail string }](found []V) []Violation {
	all := make([]Violation, len(found))
	for i, v := range found {
		all[i] = Violation(v)
	}
	return all
}

// Problem is an error that is ready to be answered.
type Problem struct {
	Code Code
	// Detail is a sentence for a human about this occurrence. It never holds
	// a credential, an address or the text of an internal error.
	Detail string
	// Errors lists what is wrong with the body, if that is the trouble.
	Errors []Violation
	// Extension is a JSON object whose members are sent beside the standard ones
	// (RFC 9457, section 3.2), none of whose names it has; nil: none.
	Extension json.RawMessage
	// RetryAfter is sent as whole seconds, rounded up, 1 to 86400; zero means
	// that no header is sent.
	RetryAfter time.Duration
	// Cause is for the log only.
	Cause error
}

// New makes a problem with a formatted detail.
func New(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

func (p *Problem) Error() string {
	if p.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", p.Code, p.Detail, p.Cause)
	}
	return fmt.Sprintf("%s: %s", p.Code, p.Detail)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (p *Problem) Unwrap() error { return p.Cause }

// With returns the problem with its cause attached, for the log.
func (p *Problem) With(cause error) *Problem {
	p.Cause = cause
	return p
}

// After returns the problem with a time to wait.
func (p *Problem) After(wait time.Duration) *Problem {
	p.RetryAfter = wait
	return p
}

// Violates returns the problem with its list of violations.
func (p *Problem) Violates(violations ...Violation) *Problem {
	p.Errors = violations
	return p
}

// Extend returns the problem with the members of a value that marshals to a JSON
// object.
func (p *Problem) Extend(value any) (*Problem, error) {
	members, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("extend a problem: %w", err)
	}
	p.Extension = members
	return p, nil
}

// Of finds the Problem in an error chain. An error that holds none is an
// internal error, whose text goes to the log and not to the caller.
func Of(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return New(CodeInternalError, "The request could not be completed.").With(err)
}

// Fragment is a JSON Pointer as a URI fragment (RFC 6901, section 6), the form of
// [Violation.Pointer]: documents have members of any name.
func Fragment(pointer string) string {
	place := url.URL{Fragment: pointer}
	return "#" + place.EscapedFragment()
}
