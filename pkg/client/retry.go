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

// RetryPolicy bounds how a request is repeated. A field that is zero has its
// default. What is repeated is not a matter of policy: see the package comment. A
// call without a deadline ends after MaxAttempts times AttemptTimeout and
// MaxWait at the latest.
type RetryPolicy struct {
	// MaxAttempts is how often a request is sent at most; 1 repeats nothing. The
	// default is 4.
	MaxAttempts int
	// MaxWait bounds what a call waits between its attempts, all in all. An
	// answer that asks for more is an error at once, which says how long. The
	// default is 30 seconds.
	MaxWait time.Duration
	// BaseDelay bounds the wait before the second attempt where the answer does
	// not say when to come back. It doubles with each attempt, and each wait is
	// drawn evenly from zero to its bound. The default is 500 milliseconds.
	BaseDelay time.Duration
	// MaxDelay ends the doubling. The default is 10 seconds.
	MaxDelay time.Duration
	// AttemptTimeout bounds one attempt, from the connection to the end of the
	// body. The default is 30 seconds.
	AttemptTimeout time.Duration
}

// withDefaults fills in what is zero.
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

// retrying is a RoundTripper that sends a request until there is an answer to
// keep. The one before it has to return whole answers.
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
	ctx, patience := r.Context(), t.policy.MaxWait
	for number := 1; ; number++ {
		begun := t.now()
		answer, err := t.send(r, number)
		now := t.now()
		delay, again := t.again(r, answer, err, number, now)
		again = again && delay <= patience && within(ctx, now, delay)
		// Describe an attempt.
		c := called(ctx)
		told := Attempt{Operation: c.operation, Method: r.Method, Route: c.route, Number: number, Err: err}
		if answer != nil {
			told.Status, told.RequestID = answer.StatusCode, answer.Header.Get("X-Request-Id")
			told.Sunset, _ = http.ParseTime(answer.Header.Get("Sunset")) // zero without one
		}
		told.Duration = now.Sub(begun)
		if again {
			told.Wait = delay
		}
		if answer != nil {
			t.limits.note(answer.Header, now)
		}
		t.hook(told)
		if !again {
			return answer, err
		}
		patience -= delay
		if ended := t.wait(ctx, delay); ended != nil {
			return nil, fmt.Errorf("%w, before another attempt after %s", ended, told.outcome())
		}
	}
}

// send makes an attempt, with a body of its own.
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
		return t.backoff(number), mayPass(err)
	}
	told, known := retryAfter(answer.Header, now)
	if !worthwhile(answer, known) {
		return 0, false
	}
	if !known {
		return t.backoff(number), true
	}
	// Everybody who was told the same would come back at the same time.
	return told + t.random(t.policy.BaseDelay), true
}

// repeatable reports whether sending a request twice does what sending it once
// does.
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

// mayPass reports whether an error may be gone at the next attempt.
func mayPass(err error) bool {
	var final finalError
	var certificate *tls.CertificateVerificationError
	return !errors.As(err, &final) && !errors.As(err, &certificate)
}

// worthwhile reports whether an answer may be another one at the next attempt.
// told is whether it says when.
func worthwhile(answer *http.Response, told bool) bool {
	switch answer.StatusCode {
	case http.StatusConflict:
		// IDEMPOTENCY_IN_PROGRESS; the other conflicts tell no time.
		return told
	case http.StatusServiceUnavailable:
		// The API tells a time unless waiting does not help: a capability is
		// closed. Without a problem it is a proxy that has nobody to ask.
		return told || mediaType(answer.Header) != problemJSON
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// backoff draws a wait after so many attempts: exponential, with full jitter.
func (t *retrying) backoff(attempts int) time.Duration {
	bound := min(t.policy.BaseDelay, t.policy.MaxDelay)
	for range attempts - 1 {
		bound = min(2*bound, t.policy.MaxDelay)
	}
	return t.random(bound)
}

// within reports whether a wait ends before the context does: if not, what is
// known now is worth more than the end of the context then.
func within(ctx context.Context, now time.Time, wait time.Duration) bool {
	deadline, limited := ctx.Deadline()
	return !limited || now.Add(wait).Before(deadline)
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
