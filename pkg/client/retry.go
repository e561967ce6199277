// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// RetryPolicy bounds the retries of a request. A field that is zero has its default.
// The package comment says which requests are retried. A call without a deadline ends
// after MaxAttempts times AttemptTimeout plus MaxWait at the latest.
type RetryPolicy struct {
	// MaxAttempts bounds the attempts of a request; 1 disables retries. The default is
	// 4.
	MaxAttempts int
	// MaxWait bounds the sum of the waits between the attempts of a call. A response
	// that requires a longer wait is an error at once, which contains that wait. The
	// default is 30 seconds.
	MaxWait time.Duration
	// BaseDelay bounds the wait before the second attempt after a response without
	// Retry-After. It doubles with each attempt, and each wait is a random time from
	// zero to its bound. The default is 500 milliseconds.
	BaseDelay time.Duration
	// MaxDelay bounds the doubling. The default is 10 seconds.
	MaxDelay time.Duration
	// AttemptTimeout bounds one attempt, from the connection to the end of the
	// body. The default is 30 seconds.
	AttemptTimeout time.Duration
}

// withDefaults sets the defaults of zero fields.
func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	if min(p.MaxAttempts, 0) < 0 || min(p.MaxWait, p.BaseDelay, p.MaxDelay, p.AttemptTimeout) < 0 {
		return p, &ArgumentError{Argument: "retry policy", Reason: "has a field below zero"}
	}
	orElse(&p.MaxAttempts, 4)
	orElse(&p.MaxWait, 30*time.Second)
	orElse(&p.BaseDelay, 500*time.Millisecond)
	orElse(&p.MaxDelay, 10*time.Second)
	orElse(&p.AttemptTimeout, 30*time.Second)
	return p, nil
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// retrying is a RoundTripper that retries a request until it has a final response. The
// next RoundTripper has to return whole responses.
type retrying struct {
	next   http.RoundTripper
	policy RetryPolicy
	hook   func(Attempt)
	limits *rateLimits
	now    func() time.Time
	// wait returns early with the context's error.
	wait func(context.Context, time.Duration) error
	// random draws evenly from zero to below its argument.
	random func(time.Duration) time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t *retrying) RoundTrip(r *http.Request) (*http.Response, error) {
	defer closeBody(r.Body)
	ctx, left := r.Context(), t.policy.MaxWait
	for number := 1; ; number++ {
		begun := t.now()
		answer, err := t.send(r, number)
		now := t.now()
		delay, again := t.again(r, answer, err, number, now)
		// A wait beyond the deadline would replace this result by the end of the context.
		if deadline, limited := ctx.Deadline(); delay > left || limited && !now.Add(delay).Before(deadline) {
			again = false
		}
		c := called(ctx)
		attempt := Attempt{
			Operation: c.operation, Method: r.Method, Route: c.route, Number: number, Err: err, Duration: now.Sub(begun),
		}
		if answer != nil {
			attempt.Status, attempt.RequestID = answer.StatusCode, answer.Header.Get("X-Request-Id")
			attempt.Sunset, _ = http.ParseTime(answer.Header.Get("Sunset")) // zero without one
			t.limits.keep(answer.Header, now)
		}
		if again {
			attempt.Wait = delay
		}
		t.hook(attempt)
		if !again {
			return answer, err
		}
		left -= delay
		if ended := t.wait(ctx, delay); ended != nil {
			outcome := fmt.Sprintf("status %d", attempt.Status)
			if err != nil {
				outcome = err.Error()
			}
			return nil, fmt.Errorf("%w, before another attempt after %s", ended, outcome)
		}
	}
}

// send makes one attempt, with a body of its own.
func (t *retrying) send(r *http.Request, number int) (*http.Response, error) {
	called(r.Context()).attempts = number
	out := r.Clone(r.Context())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, finalError{fmt.Errorf("read the body again: %w", err)}
		}
		out.Body = body
	}
	return t.next.RoundTrip(out)
}

// again reports whether another attempt may help, and how long to wait for it.
func (t *retrying) again(r *http.Request, answer *http.Response, err error, number int, now time.Time) (time.Duration, bool) {
	if number >= t.policy.MaxAttempts || !repeatable(r) || r.Context().Err() != nil {
		return 0, false
	}
	if err != nil {
		var final finalError
		var certificate *tls.CertificateVerificationError
		return t.backoff(number), !errors.As(err, &final) && !errors.As(err, &certificate)
	}
	after, known := retryAfter(answer.Header, now)
	if !worthwhile(answer, known) {
		return 0, false
	}
	if !known {
		return t.backoff(number), true
	}
	// Without jitter all clients with the same Retry-After would retry at once.
	return after + t.random(t.policy.BaseDelay), true
}

// repeatable reports whether sending a request twice has the same effect as sending it
// once.
func repeatable(r *http.Request) bool {
	if r.Body != nil && r.Body != http.NoBody && r.GetBody == nil {
		return false
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return true
	default:
		return r.Header.Get("Idempotency-Key") != ""
	}
}

// worthwhile reports whether the next attempt may get another response. timed reports
// whether the response has a Retry-After.
func worthwhile(answer *http.Response, timed bool) bool {
	switch answer.StatusCode {
	case http.StatusConflict:
		// IDEMPOTENCY_IN_PROGRESS; the other conflicts have no Retry-After.
		return timed
	case http.StatusServiceUnavailable:
		// The API sends Retry-After unless waiting does not help: a capability is
		// closed. Without a problem the response is that of a proxy without a backend.
		return timed || mediaType(answer.Header) != problemJSON
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// backoff returns a wait after a number of attempts: exponential, with full jitter.
func (t *retrying) backoff(attempts int) time.Duration {
	bound := min(t.policy.BaseDelay, t.policy.MaxDelay)
	for range attempts - 1 {
		bound = min(2*bound, t.policy.MaxDelay)
	}
	return t.random(bound)
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
