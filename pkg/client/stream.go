// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	eventStream = "text/event-stream"
	// silence is how long a stream may say nothing before it is taken for
	// broken: three of the API's heartbeats.
	silence = 45 * time.Second
	// maxLine bounds a line of a stream. A job without its report is far below.
	maxLine = 1 << 20
)

// streaming is a RoundTripper that returns an answer of events as it begins. Any
// other answer it returns as [attempting] does.
type streaming struct{ *attempting }

// RoundTrip implements http.RoundTripper.
func (s *streaming) RoundTrip(r *http.Request) (*http.Response, error) {
	key, err := s.key.reveal(r.Context())
	if err != nil {
		closeBody(r.Body)
		return nil, finalError{err}
	}
	ctx, cancel := context.WithCancel(r.Context())
	patience := time.AfterFunc(s.timeout, cancel)
	answer, err := s.base.RoundTrip(s.signed(ctx, r, key, eventStream+", "+problemJSON))
	if err == nil && answer.StatusCode == http.StatusOK && mediaType(answer.Header) == eventStream {
		patience.Reset(silence)
		answer.Body = &streamBody{answer.Body, patience, cancel}
		return answer, nil
	}
	if err == nil {
		err = buffer(answer, key)
	}
	patience.Stop()
	slow := ctx.Err() != nil && r.Context().Err() == nil
	cancel()
	switch {
	case err == nil:
		return answer, nil
	case slow:
		return nil, slowError{s.timeout}
	default:
		return nil, inner(err)
	}
}

// streamBody ends when nothing comes for too long.
type streamBody struct {
	io.ReadCloser
	patience *time.Timer
	cancel   context.CancelFunc
}

func (b *streamBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.patience.Reset(silence)
	return n, err
}

// Close ends the connection too: nobody reads the rest.
func (b *streamBody) Close() error {
	b.patience.Stop()
	b.cancel()
	return b.ReadCloser.Close()
}

// event is one of a stream.
type event struct{ id, data string }

// events reads a stream (WHATWG HTML, section 9.2.6).
type events struct {
	lines *bufio.Scanner
	// retry is when the API wants to be asked again; zero until it says so.
	retry time.Duration
}

func newEvents(r io.Reader) *events {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &events{lines: lines}
}

// next is the next event. At the end of the stream it is io.EOF, also in the
// middle of an event, which then has not come.
func (e *events) next() (event, error) {
	var read event
	var data []string
	for size := 0; e.lines.Scan(); {
		line := e.lines.Text()
		if line == "" {
			if len(data) > 0 {
				read.data = strings.Join(data, "\n")
				return read, nil
			}
			continue
		}
		if size += len(line); size > maxLine {
			return event{}, bufio.ErrTooLong
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			read.id = value
		case "data":
			data = append(data, value)
		case "retry":
			e.note(value)
		}
	}
	if err := e.lines.Err(); err != nil {
		return event{}, err
	}
	return event{}, io.EOF
}

// note takes a number of milliseconds, up to a minute.
func (e *events) note(text string) {
	if ms, err := strconv.ParseUint(text, 10, 31); err == nil {
		e.retry = min(time.Duration(ms)*time.Millisecond, time.Minute)
	}
}
