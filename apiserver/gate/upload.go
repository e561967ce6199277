// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
)

// Uploads limits the bodies that handlers read as they arrive, in total and per organization,
// both modes together, and the time for them. Several listeners may share it.
type Uploads struct {
	open   *Slots
	shares *shares
	// window is the time for each part of a body.
	window time.Duration
}

// uploadRate is the minimum number of bytes per second of an upload, over each window.
const uploadRate = 64 << 10

// NewUploads returns the given limits; 0 means no limit. Within each window a body must have
// 64 KiB per second; the last part may be shorter.
func NewUploads(most, mostPerOrganization int, window time.Duration) *Uploads {
	return &Uploads{open: NewSlots(most), shares: newShares(mostPerOrganization), window: window}
}

// Upload is the body of a request while its handler reads it. During that time the call has
// neither a slot nor a share of its organization. Uploads have limits of their own.
type Upload struct {
	call    *Call
	body    io.Reader
	control *http.ResponseController
	places  *Uploads
	// received counts the bytes of the current window, and left is the time that remains to
	// wait for the others. The time in which the handler stores bytes does not count.
	received, part int64
	left           time.Duration
	complete       bool
	rejoin         func()
}

// Upload begins to read the body of a route whose [Body] has Stream. The caller closes the
// upload.
func (c *Call) Upload(places *Uploads) (*Upload, *problem.Problem) {
	organization := c.Tenant().Organization
	if !places.open.Take() {
		c.Writer.Header().Set("Connection", "close")
		return nil, c.gate.overloaded("uploads", "The server is receiving too many files.")
	}
	if !places.shares.take(organization) {
		places.open.Give()
		c.Writer.Header().Set("Connection", "close")
		return nil, c.gate.overloaded("organization", "Your organization is uploading too many files at once.")
	}
	c.gate.metrics.Awaits(c.gate.listener, 1)
	return &Upload{
		call: c, body: http.MaxBytesReader(c.Writer, c.Request.Body, c.route.Body.Limit), control: http.NewResponseController(c.Writer),
		places: places, part: uploadRate * int64(places.window) / int64(time.Second), left: places.window, rejoin: c.leave(),
	}, nil
}

// Read implements io.Reader. Its errors, except io.EOF, are problems.
func (u *Upload) Read(into []byte) (int, error) {
	began := time.Now()
	_ = u.control.SetReadDeadline(began.Add(u.left)) // the writers of tests have no deadlines
	n, err := u.body.Read(into)
	u.left -= time.Since(began)
	if u.received += int64(n); u.received >= u.part {
		u.received, u.left = 0, u.places.window
	}
	var tooLong *http.MaxBytesError
	var network net.Error
	switch {
	case errors.Is(err, io.EOF):
		// While the handler works on the complete body, the server notices that the client
		// disconnects; a deadline would look the same.
		u.complete = true
		_ = u.control.SetReadDeadline(time.Time{})
		return n, io.EOF
	case errors.As(err, &tooLong):
		return n, tooLarge(u.call, u.call.route.Body.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout(), err == nil && u.left <= 0:
		return n, problem.New(problem.CodeRequestTimeout, "The body arrived more slowly than %d bytes in %s.", u.part, u.places.window)
	case err != nil:
		return n, problem.New(problem.CodeInvalidRequest, "The body is incomplete, or its transfer encoding is invalid.").With(err)
	}
	return n, nil
}

// Close ends the upload. The call takes its slot and its share again for the short time until
// it returns, even if the limits are reached. The rest of an incomplete body is not read.
func (u *Upload) Close() {
	if !u.complete {
		u.call.Writer.Header().Set("Connection", "close")
	}
	// The server's write deadline began with the request.
	_ = u.control.SetWriteDeadline(time.Now().Add(streamStall))
	u.call.gate.metrics.Awaits(u.call.gate.listener, -1)
	u.rejoin()
	u.places.shares.give(u.call.Tenant().Organization)
	u.places.open.Give()
}

// leave gives back the slot of the call and its share of the organization. The returned
// function takes both again, even if the limits are reached.
func (c *Call) leave() (rejoin func()) {
	g := c.gate
	g.slots.Give()
	c.giveShare()
	g.metrics.InFlight(g.listener, -1)
	return func() {
		g.metrics.InFlight(g.listener, 1)
		g.slots.Retake()
		if c.shares {
			g.shares.retake(c.Tenant().Organization)
		}
	}
}
