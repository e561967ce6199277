// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/strictjson"
)

func readBody(g *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Body == nil {
		LeaveBody(c.Writer, c.Request)
		return nil
	}
	if !isJSON(c.Request.Header.Values("Content-Type")) {
		return problem.New(problem.CodeUnsupportedMediaType, "Send the body as application/json.")
	}
	if len(c.Request.Header["Content-Encoding"]) > 0 {
		return problem.New(problem.CodeUnsupportedMediaType, "Send the body without a content encoding.")
	}
	if c.Request.ContentLength > rt.Body.Limit {
		return tooLarge(c, rt.Body.Limit)
	}
	body, refusal := awaitBody(g, c, rt.Body.Limit)
	if refusal != nil {
		return refusal
	}
	document, invalid := strictjson.Decode(body)
	if invalid != nil {
		return problem.New(problem.CodeInvalidRequest, "The body cannot be read: %v.", invalid)
	}
	c.Body, c.Document = body, document
	return nil
}

// awaitBody reads the body without the request's slot: a client may take its
// time, and keeps nobody else from being answered.
func awaitBody(g *Gate, c *Call, limit int64) (body []byte, refusal *problem.Problem) {
	if !g.bodies.Take() {
		c.Writer.Header().Set("Connection", "close")
		return nil, g.overloaded("bodies", "Too many request bodies are being awaited.")
	}
	g.slots.Give()
	g.metrics.Awaits(g.listener, 1)
	defer func() {
		g.metrics.Awaits(g.listener, -1)
		g.bodies.Give()
		if !g.slots.Retake() && refusal == nil {
			body, refusal = nil, g.overloaded("slots", "Too many requests are being answered.")
		}
	}()
	return readAll(g, c, limit)
}

func readAll(g *Gate, c *Call, limit int64) ([]byte, *problem.Problem) {
	if g.bodyTimeout > 0 {
		// Writers without deadlines (tests') read without one.
		_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(g.bodyTimeout))
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	var tooLong *http.MaxBytesError
	var network net.Error
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLong):
		return nil, tooLarge(c, limit)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		c.Writer.Header().Set("Connection", "close")
		return nil, problem.New(problem.CodeRequestTimeout, "The body did not arrive within %s.", g.bodyTimeout)
	default:
		c.Writer.Header().Set("Connection", "close")
		return nil, problem.New(problem.CodeInvalidRequest, "The body could not be read to its end.").With(err)
	}
}

// LeaveBody is for requests that should have no body. If there is one, the
// connection ends with the answer: net/http would await the body before it sent
// a large answer, and all the while the request would have its slot.
func LeaveBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}

func tooLarge(c *Call, limit int64) *problem.Problem {
	c.Writer.Header().Set("Connection", "close")
	return problem.New(problem.CodePayloadTooLarge, "The body is larger than %d bytes.", limit)
}

// isJSON accepts application/json with any parameters but a charset other
// than UTF-8 (RFC 8259, section 8.1).
func isJSON(fields []string) bool {
	if len(fields) != 1 {
		return false
	}
	mediaType, parameters, err := mime.ParseMediaType(fields[0])
	if err != nil || mediaType != "application/json" {
		return false
	}
	charset, given := parameters["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

// readKey takes the Idempotency-Key: 1 to 255 visible ASCII characters, raw or
// as the quoted string of the IETF draft.
func readKey(_ *Gate, rt *Route, c *Call) *problem.Problem {
	if rt.Body == nil || rt.Body.Idempotency == NotIdempotent {
		return nil
	}
	fields := c.Request.Header["Idempotency-Key"]
	if len(fields) == 0 {
		if rt.Body.Idempotency == KeyRequired {
			return problem.New(problem.CodeIdempotencyKeyRequired, "Send an Idempotency-Key header.")
		}
		return nil
	}
	key := fields[0]
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
	}
	if len(fields) > 1 || !visible(key) {
		return problem.New(problem.CodeIdempotencyKeyInvalid, "The Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.")
	}
	c.Key = key
	return nil
}

func visible(key string) bool {
	if len(key) < 1 || len(key) > 255 {
		return false
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return true
}
