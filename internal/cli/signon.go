// SPDX-License-Identifier: Apache-2.0

package cli

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
	f.StringVar(&o.issuer, signOnPrefix+"issuer", "", "OpenID Connect issuer that vouches for operators, as it spells itself; keys alone sign in by default")
	f.StringVar(&o.clientID, signOnPrefix+"client-id", "", "how the issuer knows this client")
	f.StringVar(&o.secretFile, signOnPrefix+"client-secret-file", "", "file of the client's secret, read at each sign-in; a public client has none, and PKCE")
	f.StringVar(&o.redirectURL, signOnPrefix+"redirect-url", "", "URL that the issuer sends browsers back to: https, and the path "+signon.CallbackPath)
	f.StringArrayVar(&o.groups, signOnPrefix+"group", nil, "group whose members are let in, exactly as the ID token names it; may be repeated, and have commas")
	f.StringVar(&o.groupsClaim, signOnPrefix+"groups-claim", defaultGroupsClaim, "claim of the ID token that names a person's groups")
	f.StringSliceVar(&o.scopes, signOnPrefix+"scope", []string{defaultScope}, "scopes that are asked for beside openid")
	f.StringVar(&o.caFile, signOnPrefix+"ca-file", "", "file of certificates in PEM that sign the issuer's, in place of those of the system")
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

var errSignOnWithoutView = errors.New("--" + signOnPrefix + "... are of the view for operators and need --dashboard-ops-addr")

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
