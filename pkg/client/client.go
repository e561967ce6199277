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
	"strings"
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
	// events reads streams of events.
	events *preflightapi.Client
	xjdf   *xjdfapi.Client
}

// New returns a client of the API at an origin like https://api.example.com. It
// accepts http for loopback addresses only, so that no key crosses a network in plain
// text. It does not follow redirects.
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
	userAgent := strings.TrimSpace(s.userAgent + " " + product)
	attempts := &attempting{base: s.base, key: key, userAgent: userAgent, timeout: policy.AttemptTimeout}
	c := &Client{origin: origin, transport: &retrying{
		next: attempts, policy: policy,
		hook: s.hook, limits: &rateLimits{last: map[string]RateLimit{}}, now: s.now, wait: s.wait, random: s.random,
	}}
	// An http.Client would follow redirects and put addresses into errors.
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

// checkOrigin validates an origin. Its errors do not contain the origin, which may
// contain a password.
func checkOrigin(text string) error {
	wrong := func(reason string) error { return &ArgumentError{Argument: "origin", Reason: reason} }
	origin, err := url.Parse(text)
	switch {
	case err != nil || origin.Scheme != "https" && origin.Scheme != "http" || origin.Hostname() == "":
		return wrong("is not of the form https://api.example.com")
	case origin.User != nil || origin.RawQuery != "" || origin.ForceQuery || origin.Fragment != "" || origin.Path != "" && origin.Path != "/":
		return wrong("has more than a scheme, a host and a port")
	}
	host := origin.Hostname()
	if origin.Scheme == "http" && host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return wrong("is http, and a key is sent over https, or to this machine")
	}
	return nil
}

// RateLimit returns the rate limit of a surface from the last response that contained
// one, and whether there was one.
func (c *Client) RateLimit(surface string) (RateLimit, bool) { return c.transport.limits.of(surface) }

// String returns the origin of the API, without the key.
func (c *Client) String() string { return "printmarket client of " + c.origin }

// GoString returns the origin of the API, without the key.
func (c *Client) GoString() string { return c.String() }

// Format writes the origin of the API, without the key, for every verb.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue returns the origin of the API, without the key.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
