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
	// fresh is how long it is known where the endpoints are.
	fresh = time.Hour
	// pause is how long a provider that has failed is not asked again.
	pause = 5 * time.Second
	// look is how often it is looked whether the provider is to be asked.
	look = 15 * time.Second
	// patience bounds each request to the provider.
	patience = 5 * time.Second
)

// algorithms are those of signatures that are taken: with a public key, each of them.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// endpoints are what a provider tells of itself.
type endpoints struct {
	issuer string
	client oauth2.Config
	// strict holds a token against everything, signed against its signature alone.
	strict, signed *oidc.IDTokenVerifier
	// namesItself is whether the provider promises to say who it is (RFC 9207).
	namesItself bool
}

// Run asks the provider where its endpoints are, before anybody signs in and whenever that
// is due, until ctx ends. Sign-ins go without it: then the first one asks. A nil provider
// is none.
func (p *Provider) Run(ctx context.Context) {
	if p == nil {
		return
	}
	for {
		// What is wrong is kept for Healthy, and told to whoever signs in.
		_, _ = p.found.endpoints(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
	}
}

// discovery finds the endpoints when they are first needed, and again every hour. While
// the provider is away, those that were found last are good.
type discovery struct {
	now   func() time.Time
	fetch func(context.Context) (*endpoints, error)
	// turn is held by whoever asks the provider.
	turn chan struct{}

	mu     sync.Mutex
	last   *endpoints
	failed error
	// again is when the provider is next asked.
	again time.Time
}

// endpoints are those by now. The error is a [Refusal].
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
	// Others wait for this too, so it does not end with who happens to come first.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	d.keep(d.fetch(limited))
	found, _, err := d.known()
	return found, err
}

// known is what the provider has said last, and whether it need not be asked just now.
func (d *discovery) known() (found *endpoints, current bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	current = !d.again.IsZero() && d.now().Before(d.again)
	if d.last != nil {
		return d.last, current, nil
	}
	return nil, current, d.failed
}

func (d *discovery) keep(found *endpoints, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed = err; err != nil {
		d.again = d.now().Add(pause)
		return
	}
	d.last, d.again = found, d.now().Add(fresh)
}

func (d *discovery) fault() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// metadata is what of the discovery document the library does not read.
type metadata struct {
	JWKS        string   `json:"jwks_uri"`
	Methods     []string `json:"token_endpoint_auth_methods_supported"`
	NamesItself bool     `json:"authorization_response_iss_parameter_supported"`
}

// discover asks the provider. Its error is a [Refusal].
func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if mismatch := (*oidc.IssuerMismatchError)(nil); errors.As(err, &mismatch) {
		return nil, refuse(ReasonUnavailable, "the provider spells itself "+printable(mismatch.Discovered)+", and the issuer is to be spelt so")
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
		// Over https nothing leads back to http, loopback or not.
		if u := address(text); u == nil || u.Scheme == "http" && address(p.config.Issuer).Scheme == "https" {
			return nil, refuse(ReasonUnavailable, "the provider has an endpoint that is no https URL")
		}
	}
	to.AuthStyle = p.style(more.Methods)
	config := oidc.Config{ClientID: p.config.ClientID, SupportedSigningAlgs: algorithms, Now: p.config.Now}
	signed := oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true, SkipIssuerCheck: true, SupportedSigningAlgs: algorithms}
	return &endpoints{
		issuer: p.config.Issuer, strict: provider.Verifier(&config), signed: provider.Verifier(&signed), namesItself: more.NamesItself,
		client: oauth2.Config{
			ClientID: p.config.ClientID, Endpoint: to, RedirectURL: p.config.RedirectURL, Scopes: append([]string{oidc.ScopeOpenID}, p.config.Scopes...),
		},
	}, nil
}

// style is how the client says who it is: by the method that is taken where nothing is
// said about it, unless the provider takes the other alone.
func (p *Provider) style(methods []string) oauth2.AuthStyle {
	if p.config.Secret == nil || len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
