// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/signon"
)

// signOnPrefix begins the names of the flags for the identity provider of operators.
const signOnPrefix = "dashboard-ops-oidc-"

// signOnOptions holds these flags.
type signOnOptions struct {
	issuer, clientID, secretFile, groupsClaim, redirectURL, caFile string
	groups, scopes                                                 []string
}

func (o *signOnOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.issuer, signOnPrefix+"issuer", "", "OpenID Connect issuer for operators, exactly as in its metadata; by default, operators sign in only with keys")
	f.StringVar(&o.clientID, signOnPrefix+"client-id", "", "client ID at the issuer")
	f.StringVar(&o.secretFile, signOnPrefix+"client-secret-file", "", "file with the client secret, read at each sign-in; omit it for a public client, which uses only PKCE")
	f.StringVar(&o.redirectURL, signOnPrefix+"redirect-url", "", "redirect URL for browsers after sign-in: https, and the path "+signon.CallbackPath)
	f.StringArrayVar(&o.groups, signOnPrefix+"group", nil, "group whose members may sign in, exactly as in the ID token; may be repeated, and may contain commas")
	f.StringVar(&o.groupsClaim, signOnPrefix+"groups-claim", defaultGroupsClaim, "claim of the ID token with the groups of a user")
	f.StringSliceVar(&o.scopes, signOnPrefix+"scope", []string{defaultScope}, "scopes to request in addition to openid")
	f.StringVar(&o.caFile, signOnPrefix+"ca-file", "", "PEM file with the CA certificates for the issuer, instead of those of the system")
}

const (
	defaultGroupsClaim = "groups"
	defaultScope       = "profile"
)

// given reports whether one of the flags is set.
func (o *signOnOptions) given() bool {
	return o.issuer+o.clientID+o.secretFile+o.redirectURL+o.caFile != "" || len(o.groups) > 0 ||
		o.groupsClaim != defaultGroupsClaim || strings.Join(o.scopes, ",") != defaultScope
}

var errSignOnWithoutView = errors.New("--" + signOnPrefix + "... configure the dashboard for operators and need --dashboard-ops-addr")

// provider returns the identity provider for the listener of operators; nil without one.
// It checks the flags and sends nothing to the provider.
func (o *signOnOptions) provider(operatorsAddr string, now func() time.Time) (*signon.Provider, error) {
	if !o.given() {
		return nil, nil
	}
	if operatorsAddr == "" {
		return nil, errSignOnWithoutView
	}
	config := signon.Config{
		Issuer: o.issuer, ClientID: o.clientID, RedirectURL: o.redirectURL, Groups: o.groups, GroupsClaim: o.groupsClaim, Scopes: o.scopes, Now: now,
	}
	if o.secretFile != "" {
		config.Secret = func() (credential.Secret, error) { return signon.ReadSecret(o.secretFile) }
		if _, err := config.Secret(); err != nil {
			return nil, fmt.Errorf("--%sclient-secret-file: %w", signOnPrefix, err)
		}
	}
	if o.caFile != "" {
		var err error
		if config.Roots, err = signon.ReadRoots(o.caFile); err != nil {
			return nil, fmt.Errorf("--%sca-file: %w", signOnPrefix, err)
		}
	}
	p, err := signon.New(config)
	if err != nil {
		return nil, fmt.Errorf("--%s%w", signOnPrefix, err)
	}
	return p, nil
}
