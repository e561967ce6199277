// SPDX-License-Identifier: Apache-2.0

// Package strict is where the gate meets the servers that are generated from
// the contracts.
//
// A generated operation wants a request and a response writer, and answers its
// own errors as plain text; a route has a [gate.Call] and hands errors to the
// gate. [Serve] makes a route's handler of an operation: the operation decodes
// the body that the gate has read, finds the call by [Call], and writes to an
// [answer], which lets nothing out before it is certain that there will be no
// error.
package strict

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// Serve is the handler of a route that a generated operation serves.
func Serve(operation http.HandlerFunc) gate.Handler {
	return func(c *gate.Call) error {
		a := begin(c)
		r := c.Request.WithContext(context.WithValue(c.Request.Context(), callKey{}, &a.call))
		r.Body = http.NoBody
		if len(c.Body) > 0 {
			r.Body = io.NopCloser(bytes.NewReader(c.Body))
		}
		operation(a, r)
		return a.end()
	}
}

// Answer answers a call with a generated response, whose Visit method it is
// given, before the operation that it belongs to.
func Answer(c *gate.Call, visit func(http.ResponseWriter) error) error {
	a := begin(c)
	if err := visit(a); err != nil {
		Failed(a, c.Request, err)
	}
	return a.end()
}

type callKey struct{}

// Call is the call that an operation serves. Header fields that are set in its
// Writer are sent unless the operation fails.
func Call(ctx context.Context) *gate.Call {
	c, _ := ctx.Value(callKey{}).(*gate.Call)
	return c
}

// BadParameter is the ErrorHandlerFunc of a generated server: a parameter that
// cannot be read. The generated error quotes the value and is dropped.
func BadParameter(w http.ResponseWriter, _ *http.Request, _ error) {
	Refuse(w, problem.New(problem.CodeInvalidRequest, "A parameter is not of the form that the contract gives."))
}

// BadBody is the RequestErrorHandlerFunc of a generated server: a body that the
// contract allows and the generated model cannot hold.
func BadBody(w http.ResponseWriter, _ *http.Request, err error) {
	Refuse(w, problem.New(problem.CodeInvalidRequest, "The body cannot be read.").With(err))
}

// Failed is the ResponseErrorHandlerFunc of a generated server: the operation
// has failed, or its response cannot be encoded or sent.
func Failed(w http.ResponseWriter, _ *http.Request, err error) { Refuse(w, err) }

// Refuse ends an operation with an error, which the gate answers.
func Refuse(w http.ResponseWriter, err error) {
	if a, ok := w.(*answer); ok && !a.sent {
		a.err = err
	}
}

// answer is the response writer of one operation. It keeps status and header
// fields back until the body comes, or the operation has ended without one.
type answer struct {
	// call is the gate's, with the answer as its Writer.
	call   gate.Call
	to     http.ResponseWriter
	header http.Header
	status int
	sent   bool
	err    error
}

func begin(c *gate.Call) *answer {
	a := &answer{call: *c, to: c.Writer, header: http.Header{}}
	a.call.Writer = a
	return a
}

// errNothing is an operation that neither answers nor fails.
var errNothing = errors.New("the operation has answered nothing")

// end sends an answer that has no body.
func (a *answer) end() error {
	switch {
	case a.err != nil || a.sent:
		return a.err
	case a.status == 0:
		return errNothing
	}
	a.release()
	a.to.WriteHeader(a.status)
	return nil
}

// release lets the header fields out.
func (a *answer) release() {
	a.sent = true
	header := a.to.Header()
	for name, values := range a.header {
		header[name] = values
	}
}

// Header are the fields of this answer alone, not those that the gate has set.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader takes the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Unwrap leads to the writer behind.
func (a *answer) Unwrap() http.ResponseWriter { return a.to }

// FlushError lets the header fields out before there is a body, and sends what
// there is so far: the answer is a stream.
func (a *answer) FlushError() error {
	if !a.sent {
		a.release()
		a.to.WriteHeader(a.status)
	}
	return http.NewResponseController(a.to).Flush()
}

// Write sends the answer. Generated code writes a body in one piece, so its
// length is known: it is that of the body, unless the response says.
func (a *answer) Write(body []byte) (int, error) {
	if a.sent {
		return a.to.Write(body)
	}
	a.release()
	if a.header.Get("Content-Length") != "" {
		a.to.WriteHeader(a.status)
		return a.to.Write(body)
	}
	respond.Bytes(a.to, a.status, a.header.Get("Content-Type"), unescape(body))
	return len(body), nil
}

// unescape undoes what encoding/json does, unasked, for JSON inside of HTML: it
// writes <, > and & as escapes of six bytes. Anything else stays as it is.
func unescape(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u00`)) {
		return text
	}
	plain := make([]byte, 0, len(text))
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return append(plain, text...)
		}
		plain, text = append(plain, text[:at]...), text[at:]
		if c := escaped(text); c != 0 {
			plain, text = append(plain, c), text[len(`\u0026`):]
			continue
		}
		plain, text = append(plain, text[:2]...), text[2:] // a second backslash begins nothing
	}
}

// escaped is which of the three a text begins with the escape of, or 0.
func escaped(text []byte) byte {
	switch {
	case bytes.HasPrefix(text, []byte(`\u003c`)):
		return '<'
	case bytes.HasPrefix(text, []byte(`\u003e`)):
		return '>'
	case bytes.HasPrefix(text, []byte(`\u0026`)):
		return '&'
	default:
		return 0
	}
}
