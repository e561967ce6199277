// SPDX-License-Identifier: Apache-2.0

// Package signon signs users in with an OpenID Connect identity provider, by the
// authorization code flow with PKCE.
//
// A sign-in has two halves. [Provider.Begin] returns a [Flow], which the browser keeps,
// sealed, while the user is at the provider, and the address at the provider. From the
// parameters of the provider's redirect, [Provider.Finish] returns a [Person], or a
// [Refusal] with a reason. The package stores nothing between the halves, so they may happen
// on different replicas.
//
// Only the identity of the user leaves the package; no error contains parts of a token.
package signon

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// FlowLifetime is the maximum time of a user at the provider.
	FlowLifetime = 10 * time.Minute
	// Longest is the maximum duration of a session, regardless of the provider's tokens.
	Longest = 8 * time.Hour
	// maxCode bounds the code that the provider sends, in bytes.
	maxCode = 4 << 10
)

// Provider is an identity provider with this platform as its client. It is safe for
// concurrent use.
type Provider struct {
	config      Config
	fingerprint string
	client      *http.Client
	found       discovery
}

// New validates the configuration without a request to the provider, which may be
// unavailable. The error is a [ConfigError].
func New(c Config) (*Provider, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	fingerprint, err := c.fingerprint()
	if err != nil {
		return nil, err
	}
	p := &Provider{config: c, fingerprint: fingerprint, client: newClient(c.Roots)}
	p.found = discovery{now: c.Now, fetch: p.discover, turn: make(chan struct{}, 1)}
	return p, nil
}

// Fingerprint identifies the set of admitted users: another provider, client or list of groups
// has another fingerprint.
func (p *Provider) Fingerprint() string { return p.fingerprint }

func (c *Config) fingerprint() (string, error) {
	groups := slices.Sorted(slices.Values(c.Groups))
	text, err := json.Marshal([]any{c.Issuer, c.ClientID, c.GroupsClaim, groups})
	if err != nil {
		return "", fmt.Errorf("fingerprint of an identity provider: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Healthy returns the error of the last discovery; it is nil after a success and before the
// first discovery.
func (p *Provider) Healthy() error { return p.found.fault() }

// Begin makes a flow that leads to a path afterwards, and the address at the provider
// where the browser goes. The error is a [Refusal], or one of random.
func (p *Provider) Begin(ctx context.Context, next string, random io.Reader) (Flow, string, error) {
	to, err := p.found.endpoints(ctx)
	if err != nil {
		return Flow{}, "", err
	}
	flow := Flow{Next: next, Expires: p.config.Now().Add(FlowLifetime).UTC().Truncate(time.Millisecond)}
	for _, text := range []*string{&flow.State, &flow.Nonce, &flow.Verifier} {
		if *text, err = secret(random); err != nil {
			return Flow{}, "", err
		}
	}
	return flow, to.client.AuthCodeURL(flow.State, oidc.Nonce(flow.Nonce), oauth2.S256ChallengeOption(flow.Verifier)), nil
}

// Finish returns the user whom the provider authenticates in the query with which the browser
// returns. The error is a [Refusal].
func (p *Provider) Finish(ctx context.Context, flow Flow, query url.Values) (Person, error) {
	if !flow.began(query) || !p.config.Now().Before(flow.Expires) {
		return Person{}, refuse(ReasonState, "")
	}
	to, err := p.found.endpoints(ctx)
	if err != nil {
		return Person{}, err
	}
	code, err := to.code(query)
	if err != nil {
		return Person{}, err
	}
	client, err := p.authenticated(to)
	if err != nil {
		return Person{}, err
	}
	answer, err := client.Exchange(oidc.ClientContext(ctx, p.client), code, oauth2.VerifierOption(flow.Verifier))
	if err != nil {
		return Person{}, exchangeRefusal(err)
	}
	raw, _ := answer.Extra("id_token").(string)
	if raw == "" {
		return Person{}, refuse(ReasonToken, "none came")
	}
	c, err := p.claimsOf(oidc.ClientContext(ctx, p.client), to, raw)
	if err != nil {
		return Person{}, err
	}
	reason, admitted := c.judge(&p.config, flow)
	if !admitted {
		refusal := refuse(reason, "")
		if reason > ReasonSubject {
			refusal.Subject = c.subject
		}
		return Person{}, refusal
	}
	person, err := personOf(c, p.config.Now())
	person.Refresh = refreshOf(answer)
	return person, err
}

// claimsOf verifies an ID token and reads its claims. The error is a [Refusal].
func (p *Provider) claimsOf(ctx context.Context, to *endpoints, raw string) (claims, error) {
	token, err := to.strict.Verify(ctx, raw)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "fetching keys"): // the library has no type for it
		return claims{}, refuse(ReasonUnavailable, "the provider's keys cannot be fetched")
	default:
		return claims{}, refuse(to.why(ctx, raw, err, p.config.Now()), "")
	}
	var all map[string]json.RawMessage
	if err := token.Claims(&all); err != nil {
		return claims{}, refuse(ReasonToken, "")
	}
	c := readClaims(all, p.config.GroupsClaim)
	c.audience, c.nonce, c.subject, c.expires = token.Audience, token.Nonce, token.Subject, token.Expiry
	return c, nil
}

// began reports whether a query belongs to this flow.
func (f Flow) began(query url.Values) bool {
	states := query["state"]
	return len(states) == 1 && f.State != "" && subtle.ConstantTimeCompare([]byte(states[0]), []byte(f.State)) == 1
}

// code returns the authorization code of a query. A provider that identifies itself (RFC 9207)
// must be this one.
func (e *endpoints) code(query url.Values) (string, error) {
	issuers, codes := query["iss"], query["code"]
	switch {
	case len(issuers) > 1 || len(issuers) == 1 && issuers[0] != e.issuer, len(issuers) == 0 && e.namesItself:
		return "", refuse(ReasonIssuer, "")
	case query.Get("error") == "access_denied":
		return "", refuse(ReasonDenied, "")
	case query.Has("error"):
		return "", refuse(ReasonProvider, errorCode(query.Get("error")))
	case len(codes) != 1 || codes[0] == "" || len(codes[0]) > maxCode:
		return "", refuse(ReasonProvider, "no code")
	}
	return codes[0], nil
}

// authenticated returns the client with its secret, if it has one.
func (p *Provider) authenticated(to *endpoints) (oauth2.Config, error) {
	client := to.client
	if p.config.Secret != nil {
		secret, err := p.config.Secret()
		if err != nil {
			return client, refuse(ReasonUnavailable, "the client secret cannot be read")
		}
		client.ClientSecret = secret.Reveal()
	}
	return client, nil
}

// exchangeRefusal returns an error without the text of the token endpoint, which may contain
// anything from the provider's response.
func exchangeRefusal(err error) error {
	var answered *oauth2.RetrieveError
	var failed *url.Error
	switch {
	case errors.As(err, &answered) && answered.Response != nil && answered.Response.StatusCode >= http.StatusInternalServerError:
		return refuse(ReasonUnavailable, fmt.Sprintf("the token endpoint responds with status %d", answered.Response.StatusCode))
	case errors.As(err, &answered):
		return refuse(ReasonCode, errorCode(answered.ErrorCode))
	case errors.As(err, &failed):
		return refuse(ReasonUnavailable, printable(failed.Err.Error()))
	default:
		return refuse(ReasonUnavailable, "the response of the token endpoint is invalid")
	}
}

// errorCode returns the code of an error (RFC 6749), or an empty text.
func errorCode(text string) string {
	if len(text) > 64 || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return text
}

// secret returns an unguessable text that is safe in a URL.
func secret(random io.Reader) (string, error) {
	var bytes [32]byte
	if _, err := io.ReadFull(random, bytes[:]); err != nil {
		return "", fmt.Errorf("begin a sign-in: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes[:]), nil
}
