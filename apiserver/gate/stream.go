// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// streamStall is the time after which a client that reads nothing of its stream is
// disconnected.
const streamStall = 10 * time.Second

// Streams limits the open streams of events and downloads, in total and per organization, both
// modes together.
// Several listeners may share it.
type Streams struct {
	open   *Slots
	shares *shares
}

// NewStreams returns the given limits; 0 means no limit.
func NewStreams(most, mostPerOrganization int) *Streams {
	return &Streams{open: NewSlots(most), shares: newShares(mostPerOrganization)}
}

// take reserves a stream, or returns the limit that is reached.
func (s *Streams) take(organization string) (lack, detail string) {
	if !s.open.Take() {
		return "streams", "The server has too many streams open."
	}
	if !s.shares.take(organization) {
		s.open.Give()
		return "organization", "Your organization has too many streams open."
	}
	return "", ""
}

func (s *Streams) give(organization string) {
	s.shares.give(organization)
	s.open.Give()
}

// Open begins a stream on a listener without a gate. [Call.Stream] is its equivalent on
// gated listeners.
func (s *Streams) Open(w http.ResponseWriter, r *http.Request, organization, listener string, metrics *telemetry.Metrics) (*Stream, *problem.Problem) {
	if lack, detail := s.take(organization); lack != "" {
		return nil, overloaded(metrics, listener, lack, detail)
	}
	metrics.Streams(listener, 1)
	return begin(w, r, func() {
		metrics.Streams(listener, -1)
		s.give(organization)
	}), nil
}

// Stream is a response that continues while there are events. During that time the call has
// neither a slot nor a share of its organization, because it mostly waits and would keep other
// requests from being answered. Streams have limits of their own.
type Stream struct {
	writer     http.ResponseWriter
	controller *http.ResponseController
	draining   <-chan struct{}
	end        func()
}

// Stream begins to respond with a stream: status 200, the header fields that fields sets,
// and each later write as it comes. It returns a refusal before it sets or writes
// anything. The caller closes the stream.
func (c *Call) Stream(fields func(http.Header)) (*Stream, *problem.Problem) {
	g, organization := c.gate, c.Tenant().Organization
	if lack, detail := g.streams.take(organization); lack != "" {
		return nil, g.overloaded(lack, detail)
	}
	fields(c.Writer.Header())
	if c.exchange != nil {
		c.exchange.Streamed = true
	}
	rejoin := c.leave()
	g.metrics.Streams(g.listener, 1)
	return begin(c.Writer, c.Request, func() {
		g.metrics.Streams(g.listener, -1)
		rejoin()
		g.streams.give(organization)
	}), nil
}

// begin sends the header of a stream.
func begin(w http.ResponseWriter, r *http.Request, end func()) *Stream {
	draining, _ := r.Context().Value(drainKey{}).(<-chan struct{})
	s := &Stream{writer: w, controller: http.NewResponseController(w), draining: draining, end: end}
	// The server's read timeout would end the stream's context.
	_ = s.controller.SetReadDeadline(time.Time{}) // writers without deadlines (tests') have no such patience
	s.patience()
	w.WriteHeader(http.StatusOK)
	_ = s.controller.Flush() // if the client has disconnected, the next write fails
	return s
}

// Write sends a piece of the stream at once. It fails if the client does not read it in
// time.
func (s *Stream) Write(piece []byte) (int, error) {
	s.patience()
	n, err := s.writer.Write(piece)
	if err != nil {
		return n, err
	}
	return n, s.controller.Flush()
}

// Draining is closed when the server is about to stop and the stream has to end.
func (s *Stream) Draining() <-chan struct{} { return s.draining }

// Close ends the stream. The call takes its slot and its share again for the short time
// until it returns, even if the limits are reached.
func (s *Stream) Close() {
	s.patience() // the end of the response is written too
	s.end()
}

// patience extends the write deadline, because the server's deadline is for short responses.
func (s *Stream) patience() {
	_ = s.controller.SetWriteDeadline(time.Now().Add(streamStall)) // writers without deadlines (tests') write without one
}

// StillAllowed checks the current gates again: the credential of the call must still be the
// tenant's and may still use the route.
func (c *Call) StillAllowed() bool {
	now := c.gate.now()
	again := Call{Writer: c.Writer, Request: c.Request, Now: now, gate: c.gate, route: c.route, snapshot: c.gate.gates.Current(now)}
	if again.snapshot == nil {
		return false
	}
	caller, found := again.identify()
	return found && caller.Tenant() == c.Tenant() && c.route.decision(again.snapshot, caller, c.Request, now).Allowed()
}

// identify finds the caller of a request that has been authenticated before.
func (c *Call) identify() (posture.Caller, bool) {
	if c.route.Authenticate != nil {
		caller, refusal := c.route.Authenticate(c)
		return caller, refusal == nil
	}
	key, refusal := accepted[c.route.surface()].read(c.Request)
	if refusal != nil {
		return posture.Caller{}, false
	}
	caller, reason := c.snapshot.Authenticate(key, connection(c.Request, c.Now), c.Now)
	return caller, reason == posture.ReasonOpen
}

type drainKey struct{}

// WithDraining returns a context that notifies the streams of a server's requests when the
// server is about to stop.
func WithDraining(ctx context.Context, draining <-chan struct{}) context.Context {
	return context.WithValue(ctx, drainKey{}, draining)
}
