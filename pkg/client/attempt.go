// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer bounds a body. Reports, the largest, are at most 8 MiB.
const maxAnswer = 16 << 20

// attempting is a RoundTripper that sends a request once, with the key, and reads the
// whole response before it returns: so a truncated response is an error, and the
// connection is free again.
type attempting struct {
	base      http.RoundTripper
	key       Key
	userAgent string
	timeout   time.Duration
}

// finalError is an error that a retry would not change.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

// slowError means that an attempt exceeded its timeout, not that the caller's context
// ended.
type slowError struct{ limit time.Duration }

func (e slowError) Error() string { return fmt.Sprintf("not complete within %s", e.limit) }

// Timeout implements net.Error's method.
func (slowError) Timeout() bool { return true }

// RoundTrip implements http.RoundTripper.
func (a *attempting) RoundTrip(r *http.Request) (*http.Response, error) {
	key, err := a.key.reveal(r.Context())
	if err != nil {
		closeBody(r.Body)
		return nil, finalError{err}
	}
	if token := called(r.Context()).token; token != "" {
		key = token
	}
	timeout := a.timeout + called(r.Context()).transfer
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	answer, err := a.base.RoundTrip(a.signed(ctx, r, key, plainJSON+", "+problemJSON))
	if err == nil {
		err = buffer(answer, key)
	}
	if err == nil {
		return answer, nil
	}
	if ctx.Err() != nil && r.Context().Err() == nil {
		return nil, slowError{timeout}
	}
	return nil, inner(err)
}

// signed returns a request with the key and the headers of the client.
func (a *attempting) signed(ctx context.Context, r *http.Request, key, accepts string) *http.Request {
	out := r.Clone(ctx)
	out.Header.Set("Authorization", "Bearer "+key)
	out.Header.Set("User-Agent", a.userAgent)
	out.Header.Set("Accept", accepts)
	return out
}

// buffer reads and closes the body, and replaces it by the copy. It redacts the key in
// the body of an error.
func buffer(answer *http.Response, key string) error {
	defer closeBody(answer.Body)
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("the answer breaks off: %w", err)
	}
	if len(body) > maxAnswer {
		return finalError{fmt.Errorf("the answer is larger than %d bytes", maxAnswer)}
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		body = bytes.ReplaceAll(body, []byte(key), []byte(redacted))
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// inner removes the address from an error of net/http: its query must not reach logs.
func inner(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

func closeBody(body io.Closer) {
	if body != nil {
		_ = body.Close() // the body was read as far as needed
	}
}
