// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/client"
	"github.com/printmarket/printmarket/test/storetest"
)

const secret = "pmk_live_abcdefgh_0123456789"

// holder is a struct of a user with a key and a client.
type holder struct {
	Key    client.Key
	hidden client.Key
	Client *client.Client
	within *client.Client
}

func TestKeysAreNeverPrinted(t *testing.T) {
	t.Parallel()
	key := client.APIKey(secret)
	c, err := client.New("https://api.example.com", key)
	if err != nil {
		t.Fatalf(`client.New("https://api.example.com"): %v`, err)
	}
	h := holder{key, key, c, c}
	for _, value := range []any{key, &key, c, *c, h, &h, []client.Key{key}, map[string]any{"k": key, "c": c}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p"} {
			if text := fmt.Sprintf(verb, value); leaks(text) {
				t.Errorf("%s of a %T contains the key: %s", verb, value, text)
			}
		}
		if text, err := json.Marshal(value); leaks(string(text)) {
			t.Errorf("JSON of a %T contains the key: %s, %v", value, text, err)
		}
		var log bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(handler).Info("m", "value", value)
		}
		if leaks(log.String()) {
			t.Errorf("log of a %T contains the key: %s", value, log.String())
		}
	}
	if text := fmt.Sprintf("%v %s", key, c); text != "[redacted] printmarket client of https://api.example.com" {
		t.Errorf("printed %q", text)
	}
}

// leaks looks for the key, plain or in hexadecimal digits.
func leaks(text string) bool {
	return strings.Contains(text, "0123456789") || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", secret))
}

// TestErrorsAndHooksContainNoSecrets makes calls fail in every way and checks the
// errors and the attempts.
func TestErrorsAndHooksContainNoSecrets(t *testing.T) {
	t.Parallel()
	const signed = "https://files.example.com/a.pdf?signature=s3cr3t"
	echo := func(status int, media string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			body, _ := json.Marshal(map[string]any{"code": "ECHO", "detail": "you sent " + r.Header.Get("Authorization")})
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = w.Write(body)
		}
	}
	for name, tt := range map[string]struct {
		fault   storetest.Fault
		disturb func(http.ResponseWriter, *http.Request, http.Handler)
	}{
		"a cut":                             {disturb: cut},
		"an unavailable store":              {fault: storetest.Away},
		"a problem that echoes the key":     {disturb: echo(400, "application/problem+json")},
		"another error that echoes the key": {disturb: echo(400, "application/json")},
		"a page":                            {disturb: html(418)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestServer(t)
			key := h.Key("acme-live")
			h.Store.Set(tt.fault)
			var attempts []string
			c := h.client(t, "acme-live", client.WithRetry(client.RetryPolicy{MaxAttempts: 1}),
				client.WithHook(func(a client.Attempt) { attempts = append(attempts, fmt.Sprintf("%+v", a)) }))
			if tt.disturb != nil {
				h.disturbed(tt.disturb)
			}
			_, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: signed, Profile: "print_ready"})
			if err == nil || len(attempts) != 1 {
				t.Fatalf("error %v, attempts %q", err, attempts)
			}
			var p *client.Problem
			_ = errors.As(err, &p)
			for _, text := range append(attempts, err.Error(), fmt.Sprintf("%+v %#v %+v", err, err, p)) {
				if strings.Contains(text, key) || strings.Contains(text, "s3cr3t") {
					t.Errorf("a secret is printed: %s", text)
				}
			}
		})
	}
}

func TestKeyIsReadBeforeEachAttempt(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.disturbed(html(502))
	asked := 0
	key := func(ctx context.Context) (string, error) {
		asked++
		return h.Key("acme-live"), ctx.Err()
	}
	c, err := client.New(h.origin, key, client.WithoutWaiting(func(time.Duration) {}))
	if err != nil {
		t.Fatalf("client.New(%q): %v", h.origin, err)
	}
	if _, err := c.Account(t.Context()); err != nil || asked != 2 {
		t.Errorf("asked %d times, error %v", asked, err)
	}
}

func TestInvalidKeyIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	errVault := errors.New("the vault is locked")
	for name, key := range map[string]client.Key{
		"an empty one":        client.APIKey(" \n"),
		"one with a space":    client.APIKey("pmk_live a"),
		"one with a break":    client.APIKey("pmk_live\r\nX-Other: a"),
		"one of other script": client.APIKey("ключ"),
		"one too long":        client.APIKey(strings.Repeat("k", 513)),
		"none":                func(context.Context) (string, error) { return secret, errVault },
	} {
		c, err := client.New(h.origin, key, client.WithoutWaiting(func(time.Duration) { t.Error("waited") }))
		if err != nil {
			t.Fatalf("client.New(%q): %v", h.origin, err)
		}
		_, err = c.Account(t.Context())
		var argument *client.ArgumentError
		var none *client.KeyError
		if errors.As(err, &argument) == (name == "none") || errors.As(err, &none) != errors.Is(err, errVault) || err == nil || leaks(err.Error()) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if n := len(h.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestWhiteSpaceAroundAKeyIsTrimmed(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c, err := client.New(h.origin+"/", client.APIKey(h.Key("acme-live")+"\n"))
	if err != nil {
		t.Fatalf("client.New: %v", err)
	}
	if _, err := c.Account(t.Context()); err != nil {
		t.Errorf("Account: %v", err)
	}
}

func TestUnsafeOriginsAreRejected(t *testing.T) {
	t.Parallel()
	for origin, good := range map[string]bool{
		"https://api.example.com":            true,
		"https://api.example.com/":           true,
		"https://api.example.com:8443":       true,
		"http://localhost:8080":              true,
		"http://127.0.0.1:8080":              true,
		"http://127.7.7.7":                   true,
		"http://[::1]:8080":                  true,
		"http://api.example.com":             false,
		"http://localhost.example.com":       false,
		"http://10.0.0.1":                    false,
		"http://[fe80::1]":                   false,
		"":                                   false,
		"api.example.com":                    false,
		"//api.example.com":                  false,
		"https://":                           false,
		"https://:443":                       false,
		"ftp://api.example.com":              false,
		"https://me:hunter2@api.example.com": false,
		"https://api.example.com/hunter2":    false,
		"https://api.example.com?hunter2":    false,
		"https://api.example.com?":           false,
		"https://api.example.com#hunter2":    false,
		"https://hunter2\x7f":                false,
		"https://api.example.com:hunter2":    false,
	} {
		_, err := client.New(origin, client.APIKey(secret))
		if (err == nil) != good {
			t.Errorf("%q: error %v", origin, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q is in the error %v", origin, err)
		}
	}
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]client.Option{
		"a policy below zero":            client.WithRetry(client.RetryPolicy{MaxAttempts: -1}),
		"no HTTP client":                 client.WithHTTPClient(nil),
		"a user agent with a break":      client.WithUserAgent("a\r\nX-Other: b"),
		"a user agent of spaces":         client.WithUserAgent("  "),
		"a user agent that is very long": client.WithUserAgent(strings.Repeat("a", 201)),
	} {
		var argument *client.ArgumentError
		if _, err := client.New("https://api.example.com", client.APIKey(secret), option); !errors.As(err, &argument) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var argument *client.ArgumentError
	if _, err := client.New("https://api.example.com", nil); !errors.As(err, &argument) {
		t.Errorf("no key: error %v", err)
	}
}

func TestRequestsNameTheClientAndTheSoftwareThatUsesIt(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	for agent, want := range map[string]string{"": "printmarket-go/1", "acme-erp/2.1 (EU)": "acme-erp/2.1 (EU) printmarket-go/1"} {
		if _, err := h.client(t, "acme-live", client.WithUserAgent(agent), client.WithHook(nil)).Account(t.Context()); err != nil {
			t.Fatalf("Account: %v", err)
		}
		seen := h.requests()
		if got := seen[len(seen)-1].Header.Get("User-Agent"); got != want {
			t.Errorf("User-Agent %q, want %q", got, want)
		}
	}
}

// roundTripper is a transport of a user.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransportErrorsDoNotContainTheAddress(t *testing.T) {
	t.Parallel()
	c, err := client.New("https://api.example.com", client.APIKey(secret), client.WithRetry(client.RetryPolicy{MaxAttempts: 1}),
		client.WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, &url.Error{Op: "Get", URL: "https://elsewhere.example.com/?signature=s3cr3t", Err: io.ErrUnexpectedEOF}
		})}))
	if err != nil {
		t.Fatalf(`client.New("https://api.example.com"): %v`, err)
	}
	if _, err := c.Account(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("error %v", err)
	}
}

func TestTheTransportOfAnHTTPClientIsUsed(t *testing.T) {
	t.Parallel()
	used := false
	c, err := client.New("https://api.example.com", client.APIKey(secret), client.WithHTTPClient(&http.Client{
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			used = r.Header.Get("Authorization") == "Bearer "+secret && r.URL.String() == "https://api.example.com/api/v1/catalog/products"
			return &http.Response{
				StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
				Body: io.NopCloser(strings.NewReader(`{"items":[{"catalogProductUid":"p"}]}`)),
			}, nil
		}),
	}))
	if err != nil {
		t.Fatalf(`client.New("https://api.example.com"): %v`, err)
	}
	if products, err := c.Products(t.Context()); err != nil || !used || len(products) != 1 || products[0].CatalogProductUID != "p" {
		t.Errorf("products %v, used %t, error %v", products, used, err)
	}
}
