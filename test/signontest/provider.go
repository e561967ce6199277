// SPDX-License-Identifier: Apache-2.0

// Package signontest provides an identity provider for tests: OpenID Connect over http on
// loopback, with the checks of a correct provider and the configurable faults of an incorrect one.
// It signs in every visitor immediately as the user that the test configures.
package signontest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
)

// ClientID is the only registered client.
const ClientID = "printmarket"

// Provider is an identity provider. Change exported fields only in [Provider.Change].
type Provider struct {
	// URL is the issuer.
	URL string
	// Secret is the client secret; empty for a public client.
	Secret string
	// RedirectURL is the only allowed redirect URL.
	RedirectURL string
	// Claims are the claims of the next tokens. They replace the default claims; nil removes a
	// claim.
	Claims map[string]any
	// Lasts is the lifetime of tokens.
	Lasts time.Duration
	// Now returns the time of the provider.
	Now func() time.Time
	// Denies is the error that the provider returns instead of a code; empty returns a code.
	Denies string
	// NamesItself adds iss to authorization responses, as the metadata declare.
	NamesItself bool
	// Methods lists the client authentication methods in the metadata; nil omits them.
	Methods []string
	// Sign signs claims in place of the provider's key; nil uses the key.
	Sign func(claims string) string
	// Instead replaces the handlers of paths such as /token.
	Instead map[string]http.HandlerFunc
	// Refreshes makes the provider issue refresh tokens, each for one use.
	Refreshes bool
	// Metadata replaces members of the discovery document.
	Metadata map[string]any

	mu    sync.Mutex
	key   *ecdsa.PrivateKey
	turn  int
	codes map[string]grant
	// refresh holds the valid refresh tokens.
	refresh map[string]bool
	asked   map[string]int
}

// grant holds the parameters of an issued code.
type grant struct{ nonce, challenge string }

// New starts a provider that ends with the test. Its tokens describe Ada, a member of the group
// "operators", and last an hour.
func New(tb testing.TB, now func() time.Time, redirectURL string) *Provider {
	tb.Helper()
	p := &Provider{RedirectURL: redirectURL, Now: now, Lasts: time.Hour, codes: map[string]grant{}, refresh: map[string]bool{}, asked: map[string]int{}}
	p.Claims = map[string]any{"sub": "ada-1815", "preferred_username": "ada", "groups": []string{"staff", "operators"}}
	p.rotate()
	server := httptest.NewServer(http.HandlerFunc(p.serve))
	tb.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Change calls change while no request is handled.
func (p *Provider) Change(change func(*Provider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// Rotate replaces the signing key.
func (p *Provider) Rotate() { p.Change(func(p *Provider) { p.rotate() }) }

func (p *Provider) rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // no randomness available
	}
	p.key = key
	p.turn++
}

// Public returns the public key of token signatures.
func (p *Provider) Public() *ecdsa.PublicKey { return &p.key.PublicKey }

// Private returns the signing key.
func (p *Provider) Private() *ecdsa.PrivateKey { return p.key }

// KeyID returns the id of the signing key.
func (p *Provider) KeyID() string { return fmt.Sprint("key-", p.turn) }

// Asked returns the number of requests to a path.
func (p *Provider) Asked(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	instead := p.Instead[r.URL.Path]
	p.mu.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		writeJSON(w, http.StatusOK, p.metadata())
	case "/keys":
		keys := oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: p.key.Public(), KeyID: p.KeyID(), Algorithm: oidc.ES256}}}
		keys.ServeHTTP(w, r)
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) metadata() map[string]any {
	all := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"id_token_signing_alg_values_supported":          []string{oidc.ES256, "none", "HS256"},
		"authorization_response_iss_parameter_supported": p.NamesItself,
	}
	if p.Methods != nil {
		all["token_endpoint_auth_methods_supported"] = p.Methods
	}
	maps.Copy(all, p.Metadata)
	return all
}

// authorize signs in the visitor if the request is valid.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	back := url.Values{"state": {query.Get("state")}}
	switch {
	case query.Get("redirect_uri") != p.RedirectURL || query.Get("client_id") != ClientID:
		http.Error(w, "unknown client or redirect_uri", http.StatusBadRequest)
		return
	case query.Get("response_type") != "code" || !slices.Contains(strings.Fields(query.Get("scope")), "openid") || query.Get("state") == "" ||
		query.Get("nonce") == "" || query.Get("code_challenge") == "" || query.Get("code_challenge_method") != "S256":
		back.Set("error", "invalid_request")
	case p.Denies != "":
		back.Set("error", p.Denies)
		back.Set("error_description", "<b>no</b>")
	default:
		code := rand.Text()
		p.codes[code] = grant{nonce: query.Get("nonce"), challenge: query.Get("code_challenge")}
		back.Set("code", code)
	}
	if p.NamesItself {
		back.Set("iss", p.URL)
	}
	http.Redirect(w, r, p.RedirectURL+"?"+back.Encode(), http.StatusFound)
}

// token exchanges a code, once, for the client that began the flow.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if !p.authenticated(r) {
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	if r.PostFormValue("grant_type") == "refresh_token" {
		if token := r.PostFormValue("refresh_token"); !p.refresh[token] {
			writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(p.refresh, r.PostFormValue("refresh_token"))
		writeJSON(w, http.StatusOK, p.tokens(""))
		return
	}
	code := r.PostFormValue("code")
	granted, found := p.codes[code]
	delete(p.codes, code)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !found || granted.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) || r.PostFormValue("redirect_uri") != p.RedirectURL ||
		r.PostFormValue("grant_type") != "authorization_code" {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "the code " + code + " is good no more"})
		return
	}
	writeJSON(w, http.StatusOK, p.tokens(granted.nonce))
}

// tokens returns a token response; without a nonce, the ID token has none.
func (p *Provider) tokens(nonce string) map[string]any {
	all := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "id_token": p.signed(nonce)}
	if p.Refreshes {
		token := rand.Text()
		p.refresh[token] = true
		all["refresh_token"] = token
	}
	return all
}

// authenticated reports whether the client authenticated by the configured method.
func (p *Provider) authenticated(r *http.Request) bool {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	method := "client_secret_post"
	if basic {
		method = "client_secret_basic"
	}
	if p.Secret != "" && !slices.Contains(p.Methods, method) && (p.Methods != nil || !basic) {
		return false
	}
	return id == ClientID && secret == p.Secret
}

// signed returns an ID token for a sign-in.
func (p *Provider) signed(nonce string) string {
	all := map[string]any{"iss": p.URL, "aud": ClientID, "nonce": nonce, "iat": p.Now().Unix(), "exp": p.Now().Add(p.Lasts).Unix()}
	if nonce == "" {
		delete(all, "nonce")
	}
	maps.Copy(all, p.Claims)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // the claims of the test are not valid JSON
	}
	if p.Sign != nil {
		return p.Sign(string(text))
	}
	return oidctest.SignIDToken(p.key, p.KeyID(), oidc.ES256, string(text))
}

// LogoutToken returns a signed logout token that is valid for two minutes. The claims replace its
// default claims; nil removes a claim.
func (p *Provider) LogoutToken(claims map[string]any) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]any{
		"iss": p.URL, "aud": ClientID, "iat": p.Now().Unix(), "exp": p.Now().Add(2 * time.Minute).Unix(), "jti": rand.Text(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	maps.Copy(all, claims)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // the claims of the test are not valid JSON
	}
	return oidctest.SignIDToken(p.key, p.KeyID(), oidc.ES256, string(text))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}
