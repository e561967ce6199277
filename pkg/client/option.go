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

// WithHTTPClient has requests sent by the Transport of an http.Client: for a
// client certificate, a proxy, a pool of its own. Its Timeout bounds
// each attempt, unless the [RetryPolicy] does. Its CheckRedirect and Jar are not
// used: redirects are not followed, and cookies not kept.
func WithHTTPClient(c *http.Client) Option {
	return func(s *settings) { s.client, s.nilClient = c, c == nil }
}

// WithRetry changes how requests are repeated.
func WithRetry(policy RetryPolicy) Option { return func(s *settings) { s.retry = policy } }

// WithUserAgent names your software, acme-erp/2.1 for example, before the
// client's own name. It helps us to help you.
func WithUserAgent(name string) Option { return func(s *settings) { s.userAgent = name } }

// WithHook is told about each attempt as soon as it has ended, before what is
// waited for the next one. It is called by whoever makes the call, so by several
// at once, and should return soon.
func WithHook(hook func(Attempt)) Option {
	return func(s *settings) {
		if hook != nil {
			s.hook = hook
		}
	}
}

// settle checks the settings and fills in what is not set.
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
		s.base = pooled()
	}
	return s.retry.withDefaults()
}

// pooled is the default transport with room for concurrent calls to one host.
func pooled() http.RoundTripper {
	const idle = 16
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := standard.Clone()
	own.MaxIdleConnsPerHost = idle
	return own
}

// product is this client's own name; the number is that of its interface.
const product = "printmarket-go/1"

func (s *settings) agent() string { return strings.TrimSpace(s.userAgent + " " + product) }
