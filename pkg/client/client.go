// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/printmarket/printmarket/pkg/client/partnerapi"
	"github.com/printmarket/printmarket/pkg/client/preflightapi"
	"github.com/printmarket/printmarket/pkg/client/xjdfapi"
)

// Client speaks with one API, as one partner. It is safe for concurrent use;
// make one and keep it, because it keeps connections open.
type Client struct {
	origin    string
	transport *retrying
	partner   *partnerapi.Client
	preflight *preflightapi.Client
	// events is for what is read as it happens.
	events *preflightapi.Client
	xjdf   *xjdfapi.Client
}

// New makes a client of the API at an origin like https://api.example.com. A key
// crosses no network in plain text: http is for loopback addresses alone.
// Redirects are not followed.
func New(origin string, key Key, options ...Option) (*Client, error) {
	if err := checkOrigin(origin); err != nil {
		return nil, err
	}
	if key == nil {
		return nil, &ArgumentError{Argument: "key", Reason: "is nil"}
	}
	s := settings{now: time.Now, wait: sleep, random: rand.N[time.Duration], hook: func(Attempt) {}}
	for _, option := range options {
		option(&s)
	}
	policy, err := s.settle()
	if err != nil {
		return nil, err
	}
	attempts := &attempting{base: s.base, key: key, userAgent: s.agent(), timeout: policy.AttemptTimeout}
	c := &Client{origin: origin, transport: &retrying{
		next: attempts, policy: policy,
		hook: s.hook, limits: &rateLimits{last: map[string]RateLimit{}}, now: s.now, wait: s.wait, random: s.random,
	}}
	// Not an http.Client, which would follow redirects and tell addresses.
	c.partner, err = partnerapi.NewClient(origin, partnerapi.WithHTTPClient(doer{c.transport}))
	if err != nil {
		return nil, err
	}
	c.preflight, err = preflightapi.NewClient(origin, preflightapi.WithHTTPClient(doer{c.transport}))
	if err != nil {
		return nil, err
	}
	streams := *c.transport
	streams.next = &streaming{attempts}
	c.events, err = preflightapi.NewClient(origin, preflightapi.WithHTTPClient(doer{&streams}))
	if err != nil {
		return nil, err
	}
	c.xjdf, err = xjdfapi.NewClient(origin, xjdfapi.WithHTTPClient(doer{c.transport}))
	return c, err
}

// doer lets generated clients use a RoundTripper as it is.
type doer struct{ http.RoundTripper }

func (d doer) Do(r *http.Request) (*http.Response, error) { return d.RoundTrip(r) }

// checkOrigin never tells the origin, which may hold a password.
func checkOrigin(text string) error {
	wrong := func(reason string) error { return &ArgumentError{Argument: "origin", Reason: reason} }
	origin, err := url.Parse(text)
	switch {
	case err != nil || origin.Scheme != "https" && origin.Scheme != "http" || origin.Hostname() == "":
		return wrong("is not of the form https://api.example.com")
	case origin.User != nil || origin.RawQuery != "" || origin.ForceQuery || origin.Fragment != "" || origin.Path != "" && origin.Path != "/":
		return wrong("has more than a scheme, a host and a port")
	case origin.Scheme == "http" && !loopback(origin.Hostname()):
		return wrong("is http, and a key is sent over https, or to this machine")
	default:
		return nil
	}
}

func loopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// RateLimit is what the last answer about a surface said of the requests that
// are left, and whether there was one.
func (c *Client) RateLimit(surface string) (RateLimit, bool) { return c.transport.limits.of(surface) }

// String names the API, and not the key.
func (c *Client) String() string { return "printmarket client of " + c.origin }

// GoString names the API, and not the key.
func (c *Client) GoString() string { return c.String() }

// Format names the API, and not the key, with every verb.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue names the API, and not the key.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
