// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Option changes how a [Client] works.
type Option func(*settings)

type settings struct {
	client    *http.Client
	nilClient bool
	retry     RetryPolicy
	userAgent string
	hook      func(Attempt)

	base   http.RoundTripper
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
	random func(time.Duration) time.Duration
}

// WithHTTPClient sends requests with the Transport of an http.Client: for a client
// certificate, a proxy, or a separate connection pool. Its Timeout bounds each
// attempt, unless the [RetryPolicy] does. Its CheckRedirect and Jar are ignored: the
// client follows no redirects and keeps no cookies.
func WithHTTPClient(c *http.Client) Option {
	return func(s *settings) { s.client, s.nilClient = c, c == nil }
}

// WithRetry changes how requests are repeated.
func WithRetry(policy RetryPolicy) Option { return func(s *settings) { s.retry = policy } }

// WithUserAgent adds the name of your software, acme-erp/2.1 for example, before the
// client's own name in User-Agent.
func WithUserAgent(name string) Option { return func(s *settings) { s.userAgent = name } }

// WithHook sets a function that the client calls after each attempt, before it waits
// for the next one. It runs in the goroutine of the call, so it must be safe for
// concurrent use and should return soon.
func WithHook(hook func(Attempt)) Option {
	return func(s *settings) {
		if hook != nil {
			s.hook = hook
		}
	}
}

// settle validates the settings and sets defaults.
func (s *settings) settle() (RetryPolicy, error) {
	const maxAgent = 200
	if s.nilClient {
		return RetryPolicy{}, &ArgumentError{Argument: "HTTP client", Reason: "is nil"}
	}
	if agent := strings.ReplaceAll(s.userAgent, " ", ""); s.userAgent != "" && !visible(agent) || len(s.userAgent) > maxAgent {
		return RetryPolicy{}, &ArgumentError{Argument: "user agent", Reason: "is not of at most 200 visible ASCII characters and spaces"}
	}
	if s.client != nil {
		s.base = s.client.Transport
		orElse(&s.retry.AttemptTimeout, s.client.Timeout)
	}
	if s.base == nil {
		s.base = http.DefaultTransport
		if standard, ok := s.base.(*http.Transport); ok {
			own := standard.Clone()
			own.MaxIdleConnsPerHost = 16
			s.base = own
		}
	}
	return s.retry.withDefaults()
}

// product is the name of this client; the number is the version of its interface.
const product = "printmarket-go/1"
