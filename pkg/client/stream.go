// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	eventStream = "text/event-stream"
	pdf         = "application/pdf"
	pngPicture  = "image/png"
	// silence is the longest time without data before a stream counts as broken: three
	// heartbeats of the API.
	silence = 45 * time.Second
	// maxLine bounds a line of a stream, far above a job without its report.
	maxLine = 1 << 20
)

// streamed lists the media types of responses that are not read into memory.
var streamed = []string{eventStream, pdf, pngPicture}

// streaming is a RoundTripper that returns a stream of events, or a file, when it begins. It
// returns any other response like [attempting].
type streaming struct{ *attempting }

// RoundTrip implements http.RoundTripper.
func (s *streaming) RoundTrip(r *http.Request) (*http.Response, error) {
	key, err := s.key.reveal(r.Context())
	if err != nil {
		closeBody(r.Body)
		return nil, finalError{err}
	}
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(s.timeout, cancel)
	answer, err := s.base.RoundTrip(s.signed(ctx, r, key, strings.Join(append(streamed, problemJSON), ", ")))
	if err == nil && answer.StatusCode == http.StatusOK && slices.Contains(streamed, mediaType(answer.Header)) {
		timer.Reset(silence)
		answer.Body = &streamBody{answer.Body, timer, cancel}
		return answer, nil
	}
	if err == nil {
		err = buffer(answer, key)
	}
	timer.Stop()
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

// streamBody ends after a time without data.
type streamBody struct {
	io.ReadCloser
	timer  *time.Timer
	cancel context.CancelFunc
}

func (b *streamBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.timer.Reset(silence)
	return n, err
}

// Close ends the connection, too, without reading the rest.
func (b *streamBody) Close() error {
	b.timer.Stop()
	b.cancel()
	return b.ReadCloser.Close()
}

// event is one event of a stream.
type event struct{ id, data string }

// events reads a stream (WHATWG HTML, section 9.2.6).
type events struct {
	lines *bufio.Scanner
	// retry is the wait before the next connection that the API requests, or zero.
	retry time.Duration
}

// next returns the next event. It returns io.EOF at the end of the stream, also within
// an event, which is then discarded.
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
			// Milliseconds, up to a minute.
			if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
				e.retry = min(time.Duration(ms)*time.Millisecond, time.Minute)
			}
		}
	}
	if err := e.lines.Err(); err != nil {
		return event{}, err
	}
	return event{}, io.EOF
}
