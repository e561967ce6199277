// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"crypto/x509"
	"net/url"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/safehttp"
)

// CallbackPath is the path to which the provider redirects browsers.
const CallbackPath = "/sign-in/oidc/callback"

// Config describes a provider.
type Config struct {
	// Issuer is the URL of the provider, exactly as in its discovery document.
	// It is https, or http on loopback.
	Issuer string
	// ClientID identifies this platform at the provider.
	ClientID string
	// Secret reads the client's secret when it is needed; nil for a public client, which
	// has PKCE alone.
	Secret func() (credential.Secret, error)
	// Scopes are requested in addition to openid.
	Scopes []string
	// GroupsClaim is the claim of the ID token that contains the user's groups. A user must
	// be a member of one of Groups.
	GroupsClaim string
	Groups      []string
	// RedirectURL is the URL of [CallbackPath] for browsers; https, or http on loopback.
	RedirectURL string
	// Roots may sign the provider's certificate; nil means the system's roots.
	Roots *x509.CertPool
	Now   func() time.Time
}

// ConfigError describes an invalid field of a configuration.
type ConfigError struct {
	// Field is issuer, client-id, groups-claim, group, scope or redirect-url.
	Field string
	// Fault is a sentence without its subject.
	Fault string
}

// Error implements error.
func (e *ConfigError) Error() string { return e.Field + " " + e.Fault }

// maxName bounds the names of a client, a claim, a scope or a group, in bytes.
const maxName = 256

func (c *Config) check() error {
	issuer, redirect := address(c.Issuer), address(c.RedirectURL)
	switch {
	case issuer == nil || issuer.RawQuery != "" || issuer.ForceQuery:
		return &ConfigError{"issuer", "must be an absolute https URL without query and fragment; http is for loopback"}
	case !named(c.ClientID):
		return &ConfigError{"client-id", "is missing, or longer than 256 characters"}
	case !named(c.GroupsClaim):
		return &ConfigError{"groups-claim", "is empty, or longer than 256 characters"}
	case len(c.Groups) == 0:
		return &ConfigError{"group", "is missing; name at least one group whose members may sign in"}
	case redirect == nil || redirect.Path != CallbackPath || redirect.RawQuery != "" || redirect.ForceQuery:
		return &ConfigError{"redirect-url", "must be an absolute https URL with the path " + CallbackPath + " and nothing behind it; http is for loopback"}
	}
	for field, names := range map[string][]string{"group": c.Groups, "scope": c.Scopes} {
		for _, name := range names {
			if !named(name) {
				return &ConfigError{field, "has an empty name, or one longer than 256 characters"}
			}
		}
	}
	return nil
}

func named(text string) bool { return text != "" && len(text) <= maxName }

// address returns an absolute URL that may receive secrets; nil for any other URL.
func address(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return nil
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !safehttp.IsLoopback(u.Hostname())) {
		return nil
	}
	return u
}
