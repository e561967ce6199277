// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/pkg/client/preflightapi"
)

const (
	routePreflightEvents = "/api/v1/preflight/{jobId}/events"
	followPreflight      = "FollowPreflight"
	// connectAgain is the wait before a stream that has ended is opened again, unless
	// the API requests another one.
	connectAgain = 2 * time.Second
)

// FollowPreflight yields a job in its current state, then after each change, until the
// job has ended: the last one has a final status. None of them contains Result; read it
// with [Client.Preflight] or [Client.PreflightReport].
//
// FollowPreflight keeps a connection open, and opens it again when it ends, without
// repeating events. It waits after an error with Retry-After. It yields any other error
// as the last value; the job continues. Give the context a deadline.
func (c *Client) FollowPreflight(ctx context.Context, id string) iter.Seq2[PreflightJob, error] {
	return func(yield func(PreflightJob, error) bool) {
		if err := checkID(id); err != nil {
			yield(PreflightJob{}, argumentFault(followPreflight, err))
			return
		}
		f := following{client: c, id: id, pause: connectAgain, yield: yield}
		for f.listen(ctx) {
			if err := c.transport.wait(ctx, f.pause+c.transport.random(f.pause/4)); err != nil {
				yield(PreflightJob{}, &CallError{Operation: followPreflight, Err: err})
				return
			}
		}
	}
}

// following is a job that is being followed.
type following struct {
	client *Client
	id     string
	// seen is the id of the last event, pause the time to the next connection.
	seen  *string
	pause time.Duration
	yield func(PreflightJob, error) bool
}

// listen opens a connection and yields its events. It reports whether to open another
// one.
func (f *following) listen(ctx context.Context) (again bool) {
	current := &call{operation: followPreflight, route: routePreflightEvents}
	failed := func(err error) bool {
		f.yield(PreflightJob{}, &CallError{Operation: followPreflight, Attempts: current.attempts, Err: err})
		return false
	}
	answer, err := f.client.events.FollowPreflight(withCall(ctx, current), f.id, &preflightapi.FollowPreflightParams{LastEventID: f.seen})
	if err != nil {
		return failed(withoutAnswer(ctx, err))
	}
	defer closeBody(answer.Body)
	switch {
	case answer.StatusCode == http.StatusNoContent:
		return false // no further events
	case answer.StatusCode != http.StatusOK:
		return f.refused(answer, failed)
	case mediaType(answer.Header) != eventStream:
		return failed(unreadable(answer, errors.New("not "+eventStream)))
	}
	stream := &events{lines: bufio.NewScanner(answer.Body)}
	stream.lines.Buffer(nil, maxLine)
	again, err = f.forward(stream)
	switch {
	case ctx.Err() != nil && again:
		return failed(withoutAnswer(ctx, ctx.Err()))
	case err != nil:
		return failed(unreadable(answer, err))
	default:
		return again
	}
}

// refused reports whether to retry after a problem with Retry-After.
func (f *following) refused(answer *http.Response, failed func(error) bool) bool {
	body, err := io.ReadAll(answer.Body) // from memory
	if err != nil {
		return failed(&TransportError{Err: err})
	}
	err = refusal(answer.StatusCode, answer.Header, body, f.client.transport.now())
	var p *Problem
	if errors.As(err, &p) && p.RetryAfter > 0 {
		f.pause = p.RetryAfter
		return true
	}
	return failed(err)
}

// forward yields the events of a connection. It reports whether another connection may
// bring more. It returns an error for an invalid event, not for a broken connection.
func (f *following) forward(stream *events) (again bool, err error) {
	f.pause = connectAgain
	for {
		event, err := stream.next()
		if stream.retry > 0 {
			f.pause = stream.retry
		}
		if errors.Is(err, bufio.ErrTooLong) {
			return false, err
		}
		if err != nil {
			return true, nil //nolint:nilerr // connections end
		}
		var job PreflightJob
		if err := json.Unmarshal([]byte(event.data), &job); err != nil {
			return false, fmt.Errorf("read the event: %w", err)
		}
		if event.id != "" {
			f.seen = &event.id
		}
		if !f.yield(job, nil) || ended(job.Status, true) {
			return false, nil
		}
	}
}

// unreadable returns the error of a success with an invalid body.
func unreadable(answer *http.Response, err error) error {
	return &AnswerError{
		Status: answer.StatusCode, MediaType: mediaType(answer.Header), RequestID: answer.Header.Get("X-Request-Id"),
		Err: fmt.Errorf("read the answer: %w", err),
	}
}
