// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// fresh is the time for which discovered endpoints are current.
	fresh = time.Hour
	// pause is the time without requests after a failure of the provider.
	pause = 5 * time.Second
	// look is the interval at which Run checks whether a request is due.
	look = 15 * time.Second
	// requestTimeout bounds each request to the provider.
	requestTimeout = 5 * time.Second
)

// algorithms lists the accepted signature algorithms; all of them use a public key.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// endpoints holds the discovered endpoints of a provider.
type endpoints struct {
	issuer string
	client oauth2.Config
	// strict verifies all parts of a token, signed only the signature.
	strict, signed *oidc.IDTokenVerifier
	// namesItself reports whether the provider promises to identify itself (RFC 9207).
	namesItself bool
}

// Run discovers the provider's endpoints before the first sign-in, and again whenever that is
// due, until ctx ends. Sign-ins also work without Run: the first one then waits for the
// discovery. The method of a nil provider returns at once.
func (p *Provider) Run(ctx context.Context) {
	if p == nil {
		return
	}
	for {
		// The discovery keeps the error for Healthy and for sign-ins.
		_, _ = p.found.endpoints(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
	}
}

// discovery finds the endpoints on first use, and again every hour. While the provider is
// unavailable, it returns the last endpoints.
type discovery struct {
	now   func() time.Time
	fetch func(context.Context) (*endpoints, error)
	// turn is held by the caller that sends a request to the provider.
	turn chan struct{}

	mu     sync.Mutex
	last   *endpoints
	failed error
	// again is the time of the next request.
	again time.Time
}

// endpoints returns the current endpoints. The error is a [Refusal].
func (d *discovery) endpoints(ctx context.Context) (*endpoints, error) {
	if found, current, err := d.known(); current {
		return found, err
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, refuse(ReasonUnavailable, "the browser did not wait")
	}
	if found, current, err := d.known(); current {
		return found, err
	}
	// Other callers wait for this request too, so it does not end with the context of the first.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	latest, err := d.fetch(limited)
	d.mu.Lock()
	if d.failed = err; err != nil {
		d.again = d.now().Add(pause)
	} else {
		d.last, d.again = latest, d.now().Add(fresh)
	}
	d.mu.Unlock()
	found, _, err := d.known()
	return found, err
}

// known returns the last result and reports whether it is still current.
func (d *discovery) known() (found *endpoints, current bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	current = !d.again.IsZero() && d.now().Before(d.again)
	if d.last != nil {
		return d.last, current, nil
	}
	return nil, current, d.failed
}

func (d *discovery) fault() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// metadata holds the members of the discovery document that the library does not read.
type metadata struct {
	JWKS        string   `json:"jwks_uri"`
	Methods     []string `json:"token_endpoint_auth_methods_supported"`
	NamesItself bool     `json:"authorization_response_iss_parameter_supported"`
}

// discover requests the discovery document. Its error is a [Refusal].
func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if mismatch, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
		return nil, refuse(ReasonUnavailable, "the provider reports the issuer "+printable(mismatch.Discovered)+"; configure exactly this issuer")
	}
	if err != nil {
		return nil, refuse(ReasonUnavailable, printable(err.Error()))
	}
	var more metadata
	if err := provider.Claims(&more); err != nil {
		return nil, refuse(ReasonUnavailable, printable(err.Error()))
	}
	to := provider.Endpoint()
	for _, text := range []string{to.AuthURL, to.TokenURL, more.JWKS} {
		// An https issuer must have https endpoints, also on loopback.
		if u := address(text); u == nil || u.Scheme == "http" && address(p.config.Issuer).Scheme == "https" {
			return nil, refuse(ReasonUnavailable, "an endpoint of the provider is not an https URL")
		}
	}
	// The client uses the default method, unless the provider accepts only the other one.
	to.AuthStyle = oauth2.AuthStyleInHeader
	if p.config.Secret == nil || len(more.Methods) > 0 && !slices.Contains(more.Methods, "client_secret_basic") {
		to.AuthStyle = oauth2.AuthStyleInParams
	}
	config := oidc.Config{ClientID: p.config.ClientID, SupportedSigningAlgs: algorithms, Now: p.config.Now}
	signed := oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true, SkipIssuerCheck: true, SupportedSigningAlgs: algorithms}
	return &endpoints{
		issuer: p.config.Issuer, strict: provider.Verifier(&config), signed: provider.Verifier(&signed), namesItself: more.NamesItself,
		client: oauth2.Config{
			ClientID: p.config.ClientID, Endpoint: to, RedirectURL: p.config.RedirectURL, Scopes: append([]string{oidc.ScopeOpenID}, p.config.Scopes...),
		},
	}, nil
}
