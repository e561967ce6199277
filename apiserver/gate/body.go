// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
)

func readBody(g *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Body == nil {
		LeaveBody(c.Writer, c.Request)
		return nil
	}
	if refusal := rt.Body.check(c); refusal != nil {
		return refusal
	}
	if rt.Body.Stream {
		return nil
	}
	if c.Body == nil {
		if refusal := c.ReadBody(); refusal != nil {
			return refusal
		}
	}
	if rt.Body.Raw {
		return nil
	}
	if rt.Body.Decode != nil && c.ContentType != jsonBody[0] {
		var refusal *problem.Problem
		c.Document, refusal = rt.Body.Decode(c)
		return refusal
	}
	document, invalid := DecodeJSON(c.Body)
	if invalid != nil {
		return problem.New(problem.CodeInvalidRequest, "The body is not acceptable JSON: %v.", invalid)
	}
	c.Document = document
	return nil
}

// jsonBody is the default media type of request bodies.
var jsonBody = []string{"application/json"}

// check validates the header fields about the body and sets the call's ContentType.
func (b *Body) check(c *Call) *problem.Problem {
	types := b.MediaTypes
	if types == nil {
		types = jsonBody
	}
	if c.ContentType = contentType(c.Request.Header["Content-Type"], types); c.ContentType == "" {
		return problem.New(problem.CodeUnsupportedMediaType, "The Content-Type is missing or not supported. Send the body as %s.", strings.Join(types, " or "))
	}
	if len(c.Request.Header["Content-Encoding"]) > 0 {
		return problem.New(problem.CodeUnsupportedMediaType, "Content-Encoding is not supported. Send the body without it.")
	}
	return nil
}

// ReadBody reads the body of an authenticated caller within the route's limit.
func (c *Call) ReadBody() *problem.Problem {
	return c.awaitBody(place{slots: c.gate.bodies, lack: "bodies"}, c.gate.bodyTimeout)
}

// ReadUnsigned reads the body of a request that claims to come from a sender, in order to
// verify its signature. An empty sender means any unknown sender: all unknown senders share
// a small number of places, and each client address may take a part of them. A known sender
// has separate places. The time limits are equal, so that they reveal no sender.
func (c *Call) ReadUnsigned(sender string) *problem.Problem {
	return c.awaitBody(c.gate.callbacks.place(sender, ClientOf(c.Request.RemoteAddr, c.Request.Header["X-Forwarded-For"]).String()), c.gate.unsignedTimeout)
}

// awaitBody reads the body without the request's slot, so that a slow client does not occupy a
// slot. The first bytes must arrive within a time limit, and the others at a minimum rate.
func (c *Call) awaitBody(at place, first time.Duration) (refusal *problem.Problem) {
	g, limit := c.gate, c.route.Body.Limit
	if c.Request.ContentLength > limit {
		return tooLarge(c, limit)
	}
	if !at.take() {
		c.Writer.Header().Set("Connection", "close")
		return g.overloaded(at.lack, "The server is receiving too many request bodies at once.")
	}
	g.slots.Give()
	g.metrics.Awaits(g.listener, 1)
	defer func() {
		g.metrics.Awaits(g.listener, -1)
		at.give()
		if !g.slots.Retake() && refusal == nil {
			c.Body, refusal = nil, g.overloaded("slots", "The server is processing too many requests at once.")
		}
	}()
	c.Body, refusal = readAll(g, c, limit, first)
	return refusal
}

// unsignedRate is the minimum number of bytes per second of a body after its first time
// limit.
const unsignedRate = 64 << 10

// steadyBody extends the read deadline as bytes arrive: a body may take its first time limit
// and one second for each unsignedRate bytes, but never longer than end.
type steadyBody struct {
	io.Reader
	control    *http.ResponseController
	begun, end time.Time
	first      time.Duration
	received   int
}

// Read implements io.Reader.
func (b *steadyBody) Read(into []byte) (int, error) {
	deadline := b.begun.Add(b.first + time.Duration(b.received)*time.Second/unsignedRate)
	if deadline.After(b.end) {
		deadline = b.end
	}
	// The writers of tests have no deadlines.
	_ = b.control.SetReadDeadline(deadline)
	n, err := b.Reader.Read(into)
	b.received += n
	return n, err
}

func readAll(g *Gate, c *Call, limit int64, first time.Duration) ([]byte, *problem.Problem) {
	var source io.Reader = http.MaxBytesReader(c.Writer, c.Request.Body, limit)
	if g.bodyTimeout > 0 {
		now := time.Now()
		source = &steadyBody{Reader: source, control: http.NewResponseController(c.Writer), begun: now, end: now.Add(g.bodyTimeout), first: first}
	}
	body, err := io.ReadAll(source)
	var tooLong *http.MaxBytesError
	var network net.Error
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLong):
		return nil, tooLarge(c, limit)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		c.Writer.Header().Set("Connection", "close")
		if first < g.bodyTimeout {
			return nil, problem.New(problem.CodeRequestTimeout, "The body did not arrive within %s, or more slowly than %d bytes per second after that.", first, unsignedRate)
		}
		return nil, problem.New(problem.CodeRequestTimeout, "The complete body did not arrive within %s.", g.bodyTimeout)
	default:
		c.Writer.Header().Set("Connection", "close")
		return nil, problem.New(problem.CodeInvalidRequest, "The body is incomplete, or its transfer encoding is invalid.").With(err)
	}
}

// LeaveBody handles requests that must have no body. If the client announces one, the
// response closes the connection: otherwise net/http would wait for the body before it sent
// a large response, and the request would keep its slot.
func LeaveBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}

func tooLarge(c *Call, limit int64) *problem.Problem {
	c.Writer.Header().Set("Connection", "close")
	return problem.New(problem.CodePayloadTooLarge, "The body is larger than %d bytes.", limit)
}

// contentType returns the media type of a body among types. It is empty for other types and
// for a charset other than UTF-8 (RFC 8259, section 8.1, requires it for JSON). Other
// parameters are ignored.
func contentType(fields, types []string) string {
	if len(fields) != 1 {
		return ""
	}
	mediaType, parameters, err := mime.ParseMediaType(fields[0])
	if err != nil || !slices.Contains(types, mediaType) {
		return ""
	}
	if charset, given := parameters["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return mediaType
}

// readKey parses the Idempotency-Key: 1 to 255 visible ASCII characters, either raw or as the
// quoted string of the IETF draft.
func readKey(_ *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Body == nil || rt.Body.Idempotency == NotIdempotent {
		return nil
	}
	fields := c.Request.Header["Idempotency-Key"]
	if len(fields) == 0 {
		if rt.Body.Idempotency == KeyRequired {
			return problem.New(problem.CodeIdempotencyKeyRequired, "The Idempotency-Key header is required.")
		}
		return nil
	}
	key := fields[0]
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
	}
	if len(fields) > 1 || len(key) < 1 || len(key) > 255 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return problem.New(problem.CodeIdempotencyKeyInvalid, "The Idempotency-Key header must be sent once and have 1 to 255 visible ASCII characters.")
	}
	c.Key = key
	return nil
}
