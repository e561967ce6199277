// SPDX-License-Identifier: Apache-2.0

package signon_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/signontest"
)

const redirectURL = "https://ops.example.com" + signon.CallbackPath

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a client of an identity provider. Both have the same clock.
type fixture struct {
	*signon.Provider
	idp   *signontest.Provider
	clock *clocktesting.FakeClock
}

func newFixture(t *testing.T, change func(*signon.Config)) *fixture {
	t.Helper()
	f := &fixture{clock: clocktesting.NewFakeClock(noon)}
	f.idp = signontest.New(t, f.clock.Now, redirectURL)
	f.Provider = f.client(t, change)
	return f
}

// client returns the provider of another replica.
func (f *fixture) client(t *testing.T, change func(*signon.Config)) *signon.Provider {
	t.Helper()
	config := signon.Config{
		Issuer: f.idp.URL, ClientID: signontest.ClientID, GroupsClaim: "groups", Groups: []string{"operators", "on-call"}, RedirectURL: redirectURL, Now: f.clock.Now,
	}
	if change != nil {
		change(&config)
	}
	p, err := signon.New(config)
	if err != nil {
		t.Fatalf("signon.New: %v", err)
	}
	return p
}

// visit opens the address at the provider, and returns the query of its redirect.
func visit(t *testing.T, address string) url.Values {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatalf("http.DefaultTransport.RoundTrip: %v", err)
	}
	defer func() { _ = answer.Body.Close() }()
	back, err := url.Parse(answer.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirectURL+"?") {
		t.Fatalf("status %d, Location %q: %v", answer.StatusCode, answer.Header.Get("Location"), err)
	}
	return back.Query()
}

// begin begins a sign-in and follows the redirects to the provider and back.
func (f *fixture) begin(t *testing.T) (signon.Flow, url.Values) {
	t.Helper()
	flow, address, err := f.Begin(t.Context(), "/ops", rand.Reader)
	if err != nil {
		t.Fatalf("w.Begin: %v", err)
	}
	return flow, visit(t, address)
}

// signIn performs a whole sign-in.
func (f *fixture) signIn(t *testing.T) (signon.Person, error) {
	t.Helper()
	flow, query := f.begin(t)
	return f.Finish(t.Context(), flow, query)
}

// wantRefusal compares an error with a reason. The error must not contain parts of a token.
func wantRefusal(t *testing.T, err error, want signon.Reason) *signon.Refusal {
	t.Helper()
	var refusal *signon.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != want {
		t.Fatalf("error %v, want the reason %s", err, want)
	}
	for _, content := range []string{"eyJ", "ada", "staff", "elsewhere", "s3cret"} {
		if strings.Contains(err.Error(), content) {
			t.Errorf("the error contains %q: %v", content, err)
		}
	}
	return refusal
}

func TestMemberOfAGroupIsAdmitted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*signontest.Provider){
		"a public client": func(*signontest.Provider) {},
		"one of several audiences": func(p *signontest.Provider) {
			p.Claims["aud"], p.Claims["azp"] = []string{signontest.ClientID, "other"}, signontest.ClientID
		},
		"a list of audiences":                 func(p *signontest.Provider) { p.Claims["aud"] = []string{signontest.ClientID} },
		"the only group, as a text":           func(p *signontest.Provider) { p.Claims["groups"] = "on-call" },
		"an address that is not verified":     func(p *signontest.Provider) { p.Claims["email"], p.Claims["email_verified"] = "ada@example.com", false },
		"a provider that identifies itself":   func(p *signontest.Provider) { p.NamesItself = true },
		"a token with nbf":                    func(p *signontest.Provider) { p.Claims["nbf"] = noon.Unix() },
		"a token that lasts for a day or two": func(p *signontest.Provider) { p.Lasts = 48 * time.Hour },
	} {
		f := newFixture(t, nil)
		change(f.idp)
		person, err := f.signIn(t)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := signon.Person{Subject: "ada-1815", Name: "ada", SignedIn: noon, Until: noon.Add(min(f.idp.Lasts, signon.Longest)), Checked: noon}
		if diff := cmp.Diff(want, person); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestClientAuthenticatesWithAnAcceptedMethod(t *testing.T) {
	t.Parallel()
	for name, methods := range map[string][]string{
		"no list": nil, "basic": {"client_secret_basic"}, "post": {"client_secret_post"}, "both": {"client_secret_post", "client_secret_basic"},
	} {
		secret := credential.Secret("s3cret")
		f := newFixture(t, func(c *signon.Config) { c.Secret = func() (credential.Secret, error) { return secret, nil } })
		f.idp.Secret, f.idp.Methods = "s3cret", methods
		if _, err := f.signIn(t); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		secret = "s3cret-of-yesterday"
		_, err := f.signIn(t)
		if refusal := wantRefusal(t, err, signon.ReasonCode); refusal.Detail != "invalid_client" {
			t.Errorf("%s: %v", name, refusal)
		}
		secret = "s3cret"
		if _, err := f.signIn(t); err != nil {
			t.Errorf("%s, after the secret has come back: %v", name, err)
		}
	}
	f := newFixture(t, func(c *signon.Config) {
		c.Secret = func() (credential.Secret, error) { return "", errors.New("s3cret") }
	})
	_, err := f.signIn(t)
	wantRefusal(t, err, signon.ReasonUnavailable)
}

// TestInvalidTokenIsRejected has one fault in each case.
func TestInvalidTokenIsRejected(t *testing.T) {
	t.Parallel()
	claim := func(name string, value any) func(*signontest.Provider) {
		return func(p *signontest.Provider) { p.Claims[name] = value }
	}
	without := func(name string) func(*signontest.Provider) { return claim(name, nil) }
	for name, tc := range map[string]struct {
		change func(*signontest.Provider)
		want   signon.Reason
	}{
		"another issuer":                    {claim("iss", "https://elsewhere.example.com"), signon.ReasonTokenIssuer},
		"no issuer":                         {without("iss"), signon.ReasonTokenIssuer},
		"another audience":                  {claim("aud", "elsewhere"), signon.ReasonAudience},
		"no audience":                       {without("aud"), signon.ReasonAudience},
		"an audience that begins alike":     {claim("aud", signontest.ClientID+"-elsewhere"), signon.ReasonAudience},
		"several audiences and no party":    {claim("aud", []string{signontest.ClientID, "elsewhere"}), signon.ReasonAuthorizedParty},
		"another party":                     {claim("azp", "elsewhere"), signon.ReasonAuthorizedParty},
		"a party that is not a text":        {claim("azp", 7), signon.ReasonAuthorizedParty},
		"an expiry a second ago":            {claim("exp", noon.Unix()-1), signon.ReasonExpired},
		"an expiry now":                     {claim("exp", noon.Unix()), signon.ReasonExpired},
		"no end":                            {without("exp"), signon.ReasonExpired},
		"not valid before an hour from now": {claim("nbf", noon.Add(time.Hour).Unix()), signon.ReasonToken},
		"another nonce":                     {claim("nonce", "elsewhere"), signon.ReasonNonce},
		"no nonce":                          {without("nonce"), signon.ReasonNonce},
		"no subject":                        {without("sub"), signon.ReasonSubject},
		"a subject that is too long":        {claim("sub", strings.Repeat("x", 256)), signon.ReasonSubject},
		"a subject of two lines":            {claim("sub", "a\nb"), signon.ReasonSubject},
		"no groups":                         {without("groups"), signon.ReasonNoGroups},
		"groups in another claim":           {func(p *signontest.Provider) { delete(p.Claims, "groups"); p.Claims["roles"] = []string{"operators"} }, signon.ReasonNoGroups},
		"groups in a distributed claim": {func(p *signontest.Provider) {
			delete(p.Claims, "groups")
			p.Claims["_claim_names"] = map[string]string{"groups": "src1"}
			p.Claims["_claim_sources"] = map[string]any{"src1": map[string]string{"endpoint": "https://elsewhere.example.com"}}
		}, signon.ReasonNoGroups},
		"groups that are not texts": {claim("groups", []any{"operators", 7}), signon.ReasonNoGroups},
		"a group that is null":      {claim("groups", []any{"operators", nil}), signon.ReasonNoGroups},
		"groups that are an object": {claim("groups", map[string]any{"operators": true}), signon.ReasonNoGroups},
		"no group at all":           {claim("groups", []string{}), signon.ReasonNotMember},
		"other groups":              {claim("groups", []string{"staff"}), signon.ReasonNotMember},
		"a group in capitals":       {claim("groups", []string{"Operators"}), signon.ReasonNotMember},
		"a group with a space":      {claim("groups", []string{"operators "}), signon.ReasonNotMember},
		"a group that begins alike": {claim("groups", []string{"operators-elsewhere"}), signon.ReasonNotMember},
		"all groups in one text":    {claim("groups", "operators,on-call"), signon.ReasonNotMember},
		"no signature":              {func(p *signontest.Provider) { p.Sign = unsigned }, signon.ReasonSignature},
		"the public key as a shared one": {func(p *signontest.Provider) {
			p.Sign = func(claims string) string { return shared(t, p.Public(), p.KeyID(), claims) }
		}, signon.ReasonSignature},
		"a foreign key with the id of a valid key": {func(p *signontest.Provider) {
			p.Sign = func(claims string) string { return foreign(t, p.KeyID(), claims) }
		}, signon.ReasonSignature},
		"a foreign key without an id":           {func(p *signontest.Provider) { p.Sign = func(claims string) string { return foreign(t, "", claims) } }, signon.ReasonSignature},
		"an invalid token":                      {func(p *signontest.Provider) { p.Sign = func(string) string { return "s3cret" } }, signon.ReasonSignature},
		"a token that is empty":                 {func(p *signontest.Provider) { p.Sign = func(string) string { return "" } }, signon.ReasonToken},
		"claims that are changed after signing": {func(p *signontest.Provider) { p.Sign = func(claims string) string { return swapped(t, p, claims) } }, signon.ReasonSignature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, nil)
			f.idp.Change(tc.change)
			person, err := f.signIn(t)
			refusal := wantRefusal(t, err, tc.want)
			if known := tc.want == signon.ReasonNoGroups || tc.want == signon.ReasonNotMember; (refusal.Subject == "ada-1815") != known {
				t.Errorf("the subject is %q", refusal.Subject)
			}
			if person != (signon.Person{}) {
				t.Errorf("Finish returned %+v, want no person", person)
			}
		})
	}
}

// compact returns a token of a header, claims and a signature.
func compact(header, claims string, sign func(text string) []byte) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(sign(text))
}

func unsigned(claims string) string {
	return compact(`{"alg":"none"}`, claims, func(string) []byte { return nil })
}

// shared returns a token signed with public data: the public key as an HMAC key.
func shared(t *testing.T, key *ecdsa.PublicKey, id, claims string) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatalf("x509.MarshalPKIXPublicKey: %v", err)
	}
	return compact(`{"alg":"HS256","kid":"`+id+`"}`, claims, func(text string) []byte {
		mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		mac.Write([]byte(text))
		return mac.Sum(nil)
	})
}

// foreign returns a token signed by a key that the provider does not have.
func foreign(t *testing.T, id, claims string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("ecdsa.GenerateKey: %v", err)
	}
	return oidctest.SignIDToken(key, id, oidc.ES256, claims)
}

// swapped returns a token with the signature of other claims.
func swapped(t *testing.T, p *signontest.Provider, claims string) string {
	t.Helper()
	good := strings.Split(oidctest.SignIDToken(p.Private(), p.KeyID(), oidc.ES256, `{"sub":"eve"}`), ".")
	good[1] = base64.RawURLEncoding.EncodeToString([]byte(claims))
	return strings.Join(good, ".")
}

func TestProviderMayRotateItsKeysAtAnyTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for range 3 {
		for range 2 {
			if _, err := f.signIn(t); err != nil {
				t.Fatalf("w.signIn: %v", err)
			}
		}
		f.idp.Rotate()
	}
	if asked := f.idp.Asked("/keys"); asked != 3 {
		t.Errorf("the keys were requested %d times, want once for each", asked)
	}
	// A removed key is no longer accepted once the new key is known.
	old := f.idp.Private()
	id := f.idp.KeyID()
	f.idp.Rotate()
	if _, err := f.signIn(t); err != nil {
		t.Fatalf("w.signIn: %v", err)
	}
	f.idp.Change(func(p *signontest.Provider) {
		p.Sign = func(claims string) string { return oidctest.SignIDToken(old, id, oidc.ES256, claims) }
	})
	_, err := f.signIn(t)
	wantRefusal(t, err, signon.ReasonSignature)
}

// TestCallbackMustBelongToTheFlow changes the parameters of the callback.
func TestCallbackMustBelongToTheFlow(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(fixed *fixture, flow *signon.Flow, query url.Values)
		want   signon.Reason
	}{
		"another state":                {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("state", "elsewhere") }, signon.ReasonState},
		"no state":                     {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Del("state") }, signon.ReasonState},
		"two states":                   {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Add("state", q.Get("state")) }, signon.ReasonState},
		"no flow":                      {func(_ *fixture, f *signon.Flow, q url.Values) { *f = signon.Flow{}; q.Set("state", "") }, signon.ReasonState},
		"an expired flow":              {func(fixed *fixture, _ *signon.Flow, _ url.Values) { fixed.clock.Step(signon.FlowLifetime) }, signon.ReasonState},
		"another verifier":             {func(_ *fixture, f *signon.Flow, _ url.Values) { f.Verifier = strings.Repeat("v", 43) }, signon.ReasonCode},
		"another nonce":                {func(_ *fixture, f *signon.Flow, _ url.Values) { f.Nonce = "n" }, signon.ReasonNonce},
		"another code":                 {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("code", "s3cret") }, signon.ReasonCode},
		"no code":                      {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Del("code") }, signon.ReasonProvider},
		"two codes":                    {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Add("code", "s3cret") }, signon.ReasonProvider},
		"a code that is too long":      {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("code", strings.Repeat("x", 5000)) }, signon.ReasonProvider},
		"a response of another issuer": {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("iss", "https://elsewhere.example.com") }, signon.ReasonIssuer},
		"a response with two issuers": {func(fixed *fixture, _ *signon.Flow, q url.Values) {
			q["iss"] = []string{fixed.idp.URL, "https://elsewhere.example.com"}
		}, signon.ReasonIssuer},
		"a denial by the user":                       {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("error", "access_denied") }, signon.ReasonDenied},
		"another error code":                         {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("error", "invalid_scope") }, signon.ReasonProvider},
		"an invalid error code":                      {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("error", "<b>s3cret</b>") }, signon.ReasonProvider},
		"an error code beside an authorization code": {func(_ *fixture, _ *signon.Flow, q url.Values) { q.Set("error", "server_error") }, signon.ReasonProvider},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fixed := newFixture(t, nil)
			flow, query := fixed.begin(t)
			tc.change(fixed, &flow, query)
			_, err := fixed.Finish(t.Context(), flow, query)
			wantRefusal(t, err, tc.want)
		})
	}
	t.Run("a provider that promised to identify itself and does not", func(t *testing.T) {
		t.Parallel()
		fixed := newFixture(t, nil)
		fixed.idp.NamesItself = true
		flow, query := fixed.begin(t)
		query.Del("iss")
		_, err := fixed.Finish(t.Context(), flow, query)
		wantRefusal(t, err, signon.ReasonIssuer)
	})
	t.Run("a code that was used before", func(t *testing.T) {
		t.Parallel()
		fixed := newFixture(t, nil)
		flow, query := fixed.begin(t)
		if _, err := fixed.Finish(t.Context(), flow, query); err != nil {
			t.Fatalf("w.Finish: %v", err)
		}
		_, err := fixed.client(t, nil).Finish(t.Context(), flow, query)
		if refusal := wantRefusal(t, err, signon.ReasonCode); refusal.Detail != "invalid_grant" {
			t.Error(refusal)
		}
	})
}

func TestSignInMayEndOnAnotherReplica(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	flow, query := f.begin(t)
	if _, err := f.client(t, nil).Finish(t.Context(), flow, query); err != nil {
		t.Errorf("w.client().Finish: %v", err)
	}
}

func TestSignInsShareNoSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	seen := map[string]bool{}
	for range 20 {
		flow, address, err := f.Begin(t.Context(), "/ops", rand.Reader)
		if err != nil {
			t.Fatalf("w.Begin: %v", err)
		}
		for _, text := range []string{flow.State, flow.Nonce, flow.Verifier} {
			if seen[text] || len(text) != 43 {
				t.Errorf("the secret %q is repeated or too short", text)
			}
			seen[text] = true
		}
		if strings.Contains(address, flow.Verifier) {
			t.Error("the address contains the verifier")
		}
	}
	if _, _, err := f.Begin(t.Context(), "/ops", strings.NewReader("short")); err == nil {
		t.Error("a sign-in began without randomness, want an error")
	}
}

// TestFailingProviderIsUnavailable injects failures into each endpoint of the provider.
func TestFailingProviderIsUnavailable(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "s3cret", http.StatusBadGateway) },
		"a page":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"no end": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"keys":[`))
			for range 3 << 20 >> 10 {
				_, _ = w.Write([]byte(strings.Repeat(" ", 1<<10)))
			}
		},
		"a header of half a megabyte": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 512<<10))
		},
		"a connection that breaks": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys"} {
		for name, answer := range answers {
			t.Run(path+" answers "+name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, nil)
				f.idp.Change(func(p *signontest.Provider) { p.Instead = map[string]http.HandlerFunc{path: answer} })
				flow, address, err := f.Begin(t.Context(), "/ops", rand.Reader)
				if path == "/.well-known/openid-configuration" {
					if refusal := wantUnavailable(t, err); f.Healthy() == nil || len(refusal.Error()) > 300 {
						t.Errorf("error of %d bytes, want a short refusal: %v", len(refusal.Error()), refusal)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				query := visit(t, address)
				_, err = f.Finish(t.Context(), flow, query)
				wantUnavailable(t, err)
				f.idp.Change(func(p *signontest.Provider) { p.Instead = nil })
				f.wantWellSoon(t)
			})
		}
	}
}

// wantWellSoon signs in at a recovered provider, with retries: the library may return the last
// failure to fetch keys once more.
func (f *fixture) wantWellSoon(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		_, err := f.signIn(t)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("sign-in at the recovered provider: %v, want success", err)
		}
	}
}

// TestRequestsToAHangingProviderTimeOut checks each endpoint.
func TestRequestsToAHangingProviderTimeOut(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, nil)
			f.idp.Change(func(p *signontest.Provider) {
				p.Instead = map[string]http.HandlerFunc{path: func(_ http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body) // the server detects a closed connection only after reading
					<-r.Context().Done()
				}}
			})
			flow, address, err := f.Begin(t.Context(), "/ops", rand.Reader)
			if err == nil {
				_, err = f.Finish(t.Context(), flow, visit(t, address))
			}
			wantUnavailable(t, err)
		})
	}
}

// wantUnavailable requires an unavailable provider. It does not check the text: the responses
// of public endpoints are not secret.
func wantUnavailable(t *testing.T, err error) *signon.Refusal {
	t.Helper()
	var refusal *signon.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != signon.ReasonUnavailable {
		t.Fatalf("error %v", err)
	}
	if strings.ContainsAny(refusal.Error(), "\r\n\x1b") {
		t.Errorf("the error has several lines: %q", refusal.Error())
	}
	return refusal
}

func TestMaliciousMetadataAreRejected(t *testing.T) {
	t.Parallel()
	for name, metadata := range map[string]map[string]any{
		"another issuer":              {"issuer": "https://elsewhere.example.com"},
		"an issuer with a slash":      {"issuer": "/"},
		"a token endpoint over http":  {"token_endpoint": "http://elsewhere.example.com/token"},
		"keys over http":              {"jwks_uri": "http://elsewhere.example.com/keys"},
		"an authorization of scripts": {"authorization_endpoint": "javascript:alert(1)"},
		"no token endpoint":           {"token_endpoint": ""},
		"an endpoint with a password": {"token_endpoint": "https://a:b@elsewhere.example.com/token"},
	} {
		f := newFixture(t, nil)
		f.idp.Metadata = metadata
		if name == "an issuer with a slash" {
			f.idp.Metadata = map[string]any{"issuer": f.idp.URL + "/"}
		}
		_, _, err := f.Begin(t.Context(), "/ops", rand.Reader)
		if err == nil {
			t.Errorf("%s: the sign-in begins, want a refusal", name)
			continue
		}
		wantUnavailable(t, err)
	}
}

func TestUnavailableProviderIsRequestedAgainAfterAPause(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const document = "/.well-known/openid-configuration"
	f.idp.Change(func(p *signontest.Provider) {
		p.Instead = map[string]http.HandlerFunc{document: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }}
	})
	if f.Healthy() != nil {
		t.Error("a provider is unhealthy before the first request")
	}
	for range 5 {
		_, _, err := f.Begin(t.Context(), "/ops", rand.Reader)
		wantRefusal(t, err, signon.ReasonUnavailable)
	}
	if asked := f.idp.Asked(document); asked != 1 {
		t.Errorf("%d requests within the pause, want 1", asked)
	}
	f.idp.Change(func(p *signontest.Provider) { p.Instead = nil })
	f.clock.Step(5 * time.Second)
	if _, err := f.signIn(t); err != nil || f.Healthy() != nil {
		t.Error(err, f.Healthy())
	}
	f.clock.Step(time.Hour - time.Second)
	if _, err := f.signIn(t); err != nil || f.idp.Asked(document) != 2 {
		t.Errorf("%d requests within an hour: %v", f.idp.Asked(document), err)
	}
	// The discovered configuration stays in use until a new one is available.
	f.idp.Change(func(p *signontest.Provider) {
		p.Instead = map[string]http.HandlerFunc{document: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }}
	})
	f.clock.Step(time.Second)
	if _, err := f.signIn(t); err != nil || f.idp.Asked(document) != 3 || f.Healthy() == nil {
		t.Errorf("%d requests: %v; %v", f.idp.Asked(document), err, f.Healthy())
	}
}

func TestRunDiscoversTheProviderBeforeTheFirstSignIn(t *testing.T) {
	t.Parallel()
	const document = "/.well-known/openid-configuration"
	f := newFixture(t, nil)
	asked := make(chan struct{})
	f.idp.Change(func(p *signontest.Provider) {
		p.Instead = map[string]http.HandlerFunc{document: func(w http.ResponseWriter, _ *http.Request) { close(asked); w.WriteHeader(http.StatusBadGateway) }}
	})
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	<-asked
	end()
	running.Wait()
	if f.Healthy() == nil || f.idp.Asked(document) != 1 {
		t.Errorf("%d requests: %v", f.idp.Asked(document), f.Healthy())
	}
	(*signon.Provider)(nil).Run(t.Context())
}

func TestConcurrentSignInsShareOneDiscovery(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, _, err := f.Begin(t.Context(), "/ops", rand.Reader); err != nil {
				t.Errorf("w.Begin: %v", err)
			}
		})
	}
	all.Wait()
	if asked := f.idp.Asked("/.well-known/openid-configuration"); asked != 1 {
		t.Errorf("%d requests, want 1", asked)
	}
}

func TestCancelledSignInDoesNotWaitForASlowProvider(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	arrived, release := make(chan struct{}), make(chan struct{})
	f.idp.Change(func(p *signontest.Provider) {
		p.Instead = map[string]http.HandlerFunc{"/.well-known/openid-configuration": func(http.ResponseWriter, *http.Request) { close(arrived); <-release }}
	})
	var first sync.WaitGroup
	first.Go(func() {
		_, _, err := f.Begin(t.Context(), "/ops", rand.Reader)
		wantUnavailable(t, err)
	})
	<-arrived
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, _, err := f.Begin(gone, "/ops", rand.Reader)
	wantUnavailable(t, err)
	close(release)
	first.Wait()
}

func TestConfiguredRootsVerifyTheProvider(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for trusted, want := range map[bool]string{true: "404", false: "certificate"} {
		f := newFixture(t, func(c *signon.Config) {
			if c.Issuer = server.URL; trusted {
				c.Roots = x509.NewCertPool()
				c.Roots.AddCert(server.Certificate())
			}
		})
		_, _, err := f.Begin(t.Context(), "/ops", rand.Reader)
		if refusal := wantUnavailable(t, err); !strings.Contains(refusal.Detail, want) {
			t.Errorf("trusted %t: %v", trusted, refusal)
		}
	}
}

func TestIncompleteConfigurationNamesTheField(t *testing.T) {
	t.Parallel()
	good := signon.Config{
		Issuer: "https://id.example.com/realms/staff", ClientID: "printmarket", GroupsClaim: "groups", Groups: []string{"operators"},
		RedirectURL: redirectURL, Now: time.Now,
	}
	for name, tc := range map[string]struct {
		change func(*signon.Config)
		field  string
	}{
		"nothing": {func(*signon.Config) {}, ""},
		"http on loopback": {func(c *signon.Config) {
			c.Issuer, c.RedirectURL = "http://127.0.0.1:9000", "http://localhost:8084"+signon.CallbackPath
		}, ""},
		"http on loopback of IPv6":         {func(c *signon.Config) { c.Issuer = "http://[::1]:9000" }, ""},
		"no issuer":                        {func(c *signon.Config) { c.Issuer = "" }, "issuer"},
		"an issuer over http":              {func(c *signon.Config) { c.Issuer = "http://id.example.com" }, "issuer"},
		"a host that begins like loopback": {func(c *signon.Config) { c.Issuer = "http://127.0.0.1.example.com" }, "issuer"},
		"an issuer with a query":           {func(c *signon.Config) { c.Issuer += "?a=b" }, "issuer"},
		"an issuer with a fragment":        {func(c *signon.Config) { c.Issuer += "#a" }, "issuer"},
		"an issuer with a password":        {func(c *signon.Config) { c.Issuer = "https://a:b@id.example.com" }, "issuer"},
		"an issuer without a host":         {func(c *signon.Config) { c.Issuer = "https:///realms" }, "issuer"},
		"no client":                        {func(c *signon.Config) { c.ClientID = "" }, "client-id"},
		"a client that is too long":        {func(c *signon.Config) { c.ClientID = strings.Repeat("x", 257) }, "client-id"},
		"no claim":                         {func(c *signon.Config) { c.GroupsClaim = "" }, "groups-claim"},
		"no group":                         {func(c *signon.Config) { c.Groups = nil }, "group"},
		"an empty group":                   {func(c *signon.Config) { c.Groups = []string{"operators", ""} }, "group"},
		"an empty scope":                   {func(c *signon.Config) { c.Scopes = []string{""} }, "scope"},
		"no redirect URL":                  {func(c *signon.Config) { c.RedirectURL = "" }, "redirect-url"},
		"a redirect URL over http":         {func(c *signon.Config) { c.RedirectURL = "http://ops.example.com" + signon.CallbackPath }, "redirect-url"},
		"a redirect URL with another path": {func(c *signon.Config) { c.RedirectURL = "https://ops.example.com/" }, "redirect-url"},
		"a redirect URL with a suffix":     {func(c *signon.Config) { c.RedirectURL += "/" }, "redirect-url"},
		"a redirect URL with a query":      {func(c *signon.Config) { c.RedirectURL += "?" }, "redirect-url"},
	} {
		config := good
		tc.change(&config)
		_, err := signon.New(config)
		var wrong *signon.ConfigError
		if errors.As(err, &wrong) != (tc.field != "") || wrong != nil && wrong.Field != tc.field {
			t.Errorf("%s: %v, want a fault of %q", name, err, tc.field)
		}
	}
}

func TestFingerprintIdentifiesTheAdmittedUsers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	same := f.client(t, func(c *signon.Config) {
		c.Groups, c.Scopes, c.RedirectURL = []string{"on-call", "operators"}, []string{"profile"}, "https://other.example.com"+signon.CallbackPath
	})
	if same.Fingerprint() != f.Fingerprint() {
		t.Error("the fingerprint depends on the order of groups, want no dependence")
	}
	for name, change := range map[string]func(*signon.Config){
		"issuer": func(c *signon.Config) { c.Issuer += "/" }, "client": func(c *signon.Config) { c.ClientID += "x" },
		"claim": func(c *signon.Config) { c.GroupsClaim = "roles" }, "groups": func(c *signon.Config) { c.Groups = c.Groups[:1] },
	} {
		if f.client(t, change).Fingerprint() == f.Fingerprint() {
			t.Errorf("another %s has the same fingerprint, want another", name)
		}
	}
}

func TestEveryReasonHasAName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for r := range signon.Reasons {
		if name := r.String(); name == "" || seen[name] {
			t.Errorf("the reason %d has the name %q", r, name)
		} else {
			seen[name] = true
		}
	}
	if signon.Reasons.String() != "" {
		t.Error("an unknown reason has a name, want an empty text")
	}
}
