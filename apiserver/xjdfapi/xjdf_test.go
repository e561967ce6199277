// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

const (
	discovery = "/api/v1/xjdf"
	openapi   = "/api/v1/xjdf/openapi"
	vendor    = "application/vnd.oai.openapi+json;version=3.1"
)

// get requests the contract.
func get(t *testing.T, server *apitest.Server, header map[string]string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: openapi, Key: "acme-live", Header: header})
}

func TestDiscoveryDescribesLayer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := server.Do(t, apitest.Request{Method: "GET", Path: discovery, Key: "acme-live"}).Want(t, 200, "")
	var got map[string]any
	a.Into(t, &got)
	if diff := cmp.Diff(example(t), got); diff != "" {
		t.Errorf("discovery (-example of the contract +answer):\n%s", diff)
	}
	for name, want := range map[string]string{
		"Cache-Control": "private, no-store", "Vary": "Authorization, X-API-Key",
		"Marketplace-Capability": `"xjdf";posture=private-beta`, "Marketplace-Entitlement": `"enterprise";state=active;mode=live`,
		"RateLimit-Policy": `"xjdf";q=10000;w=10`,
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	other := server.Do(t, apitest.Request{Method: "GET", Path: discovery, Key: "stark-test"}).Want(t, 200, "")
	if !bytes.Equal(a.Body, other.Body) {
		t.Errorf("partners get different answers:\n%s\n%s", a.Body, other.Body)
	}
}

func example(t *testing.T) map[string]any {
	t.Helper()
	var contract struct {
		Components struct {
			Examples struct {
				Discovery struct{ Value map[string]any }
			}
		}
	}
	if err := yaml.Unmarshal(published(t), &contract); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return contract.Components.Examples.Discovery.Value
}

func published(t *testing.T) []byte {
	t.Helper()
	text, err := docs.API.ReadFile("api/xjdf-openapi.yaml")
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return text
}

// TestDiscoveryLinksResolve checks that every link leads to a route.
func TestDiscoveryLinksResolve(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var body struct{ Links map[string]string }
	server.Do(t, apitest.Request{Method: "GET", Path: discovery, Key: "acme-live"}).Want(t, 200, "").Into(t, &body)
	for _, name := range []string{"validate", "sessions", "costing", "callbacks"} { // by POST
		server.Do(t, apitest.Request{Method: "GET", Path: body.Links[name], Key: "acme-live"}).Want(t, 405, problem.CodeMethodNotAllowed)
		delete(body.Links, name)
	}
	for name, path := range body.Links {
		rec := httptest.NewRecorder()
		server.Handler.ServeHTTP(rec, server.Build(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live"}))
		if rec.Code != http.StatusOK {
			t.Errorf("link %s leads to %s with status %d", name, path, rec.Code)
		}
		anonymous := strings.HasPrefix(path, "/docs/")
		rec = httptest.NewRecorder()
		server.Handler.ServeHTTP(rec, server.Build(t, apitest.Request{Method: "GET", Path: path}))
		if (rec.Code == http.StatusOK) != anonymous {
			t.Errorf("%s without a key has status %d", path, rec.Code)
		}
	}
	if len(body.Links) != 6 {
		t.Errorf("unexpected links %v", body.Links)
	}
}

func TestContractMatchesPublishedFilesInNegotiatedForm(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	const yamlType, jsonType = "application/yaml", "application/json"
	tests := map[string]struct{ accept, want string }{
		"no Accept":                 {"", vendor},
		"anything":                  {"*/*", vendor},
		"a browser":                 {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", vendor},
		"an invalid Accept":         {"///", vendor},
		"its own type":              {"application/vnd.oai.openapi+json", vendor},
		"its own type and version":  {"application/vnd.oai.openapi+json; version=3.1", vendor},
		"another version, or JSON":  {"application/vnd.oai.openapi+json;version=3.0, application/json;q=0.1", jsonType},
		"JSON under its plain name": {"application/json", jsonType},
		"YAML":                      {"application/yaml", yamlType},
		"YAML in another spelling":  {"Application/YAML", yamlType},
		"YAML rather than anything": {"application/yaml, */*;q=0.8", yamlType},
		"JSON rather than YAML":     {"application/yaml;q=0.3, application/json;q=0.4", jsonType},
		"YAML rather than JSON":     {"application/yaml;q=0.4, application/json;q=0.3", yamlType},
		"equal weights":             {"application/yaml, application/json", jsonType},
		"anything, YAML least":      {"*/*, application/yaml;q=0.1", vendor},
		"every type except JSON":    {"application/vnd.oai.openapi+json;q=0, application/json;q=0, */*;q=0.1", yamlType},
		"the weight of the most precise range applies": {"application/yaml;q=0.2, application/*;q=0.9", vendor},
		"an invalid weight means 1":                    {"application/yaml;q=much, application/json;q=0.9", yamlType},
		"a weight of NaN means 1":                      {"application/yaml;q=NaN, application/json;q=0.9", yamlType},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := get(t, server, map[string]string{"Accept": tc.accept}).Want(t, 200, "")
			if got := a.Header.Get("Content-Type"); got != tc.want {
				t.Fatalf("Content-Type %q, want %q", got, tc.want)
			}
			if tc.want == yamlType {
				if !bytes.Equal(a.Body, published(t)) {
					t.Error("the YAML differs from the published text")
				}
				return
			}
			var got, want any
			a.Into(t, &got)
			if err := yaml.Unmarshal(published(t), &want); err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("contract (-published +answer):\n%s", diff)
			}
		})
	}
	for _, accept := range []string{"text/html", "application/json;q=0, application/yaml;q=0.0, application/vnd.oai.openapi+json;q=0", "*/*;q=0", "application/problem+json"} {
		a := get(t, server, map[string]string{"Accept": accept}).Want(t, 406, problem.CodeNotAcceptable)
		if got := strings.Join(a.Header["Vary"], ", "); got != "Authorization, X-API-Key, Accept" {
			t.Errorf("unexpected Vary %q of a 406", got)
		}
	}
}

func TestContractIsRevalidatedByEntityTag(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tags := map[string]string{}
	for _, accept := range []string{vendor, "application/json", "application/yaml"} {
		first := get(t, server, map[string]string{"Accept": accept}).Want(t, 200, "")
		tag := first.Header.Get("Etag")
		if tags[tag] != "" || strings.HasPrefix(tag, "W/") || len(tag) < 10 {
			t.Errorf("%s has the entity tag %s of %q", accept, tag, tags[tag])
		}
		tags[tag] = accept
		again := get(t, server, map[string]string{"Accept": accept, "If-None-Match": `"other", ` + tag}).Want(t, 304, "")
		if len(again.Body) > 0 || again.Header.Get("Etag") != tag {
			t.Errorf("the 304 has %d bytes and the entity tag %s", len(again.Body), again.Header.Get("Etag"))
		}
		for name, want := range map[string]string{
			"Vary": "Authorization, X-API-Key, Accept", "Cache-Control": "private, no-cache", "Repr-Digest": first.Header.Get("Repr-Digest"),
		} {
			if got := strings.Join(again.Header[http.CanonicalHeaderKey(name)], ", "); got != want || got == "" {
				t.Errorf("%s of the 304 is %q, want %q", name, got, want)
			}
		}
	}
	for tag := range tags {
		get(t, server, map[string]string{"Accept": "application/yaml", "If-None-Match": tag}).
			Want(t, map[bool]int{true: 304, false: 200}[tags[tag] == "application/yaml"], "")
	}
}

// credentials returns header fields with LIVE and TEST replaced by keys.
func credentials(server *apitest.Server, fields map[string]string) map[string]string {
	filled := map[string]string{}
	for name, value := range fields {
		value = strings.ReplaceAll(value, "LIVE", server.Key("acme-live"))
		filled[name] = strings.ReplaceAll(value, "TEST", server.Key("acme-test"))
	}
	return filled
}

func TestKeyIsAcceptedInEitherHeader(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tests := map[string]struct {
		query  string
		header map[string]string
		status int
		code   problem.Code
	}{
		"a bearer token":                 {"", map[string]string{"Authorization": "Bearer LIVE"}, 200, ""},
		"a key":                          {"", map[string]string{"X-API-Key": "LIVE"}, 200, ""},
		"both, and the same":             {"", map[string]string{"X-API-Key": "LIVE", "Authorization": "bearer  LIVE"}, 200, ""},
		"both, and different":            {"", map[string]string{"X-API-Key": "LIVE", "Authorization": "Bearer TEST"}, 400, problem.CodeInvalidRequest},
		"a key beside another scheme":    {"", map[string]string{"X-API-Key": "LIVE", "Authorization": "Basic eDp5"}, 400, problem.CodeInvalidRequest},
		"both the same, and no key":      {"", map[string]string{"X-API-Key": "x", "Authorization": "Bearer x"}, 401, problem.CodeInvalidAPIKey},
		"neither":                        {"", nil, 401, problem.CodeMissingAPIKey},
		"an empty key":                   {"", map[string]string{"X-API-Key": " "}, 401, problem.CodeInvalidAPIKey},
		"a bearer token in X-API-Key":    {"", map[string]string{"X-API-Key": "Bearer LIVE"}, 401, problem.CodeInvalidAPIKey},
		"a key in the query":             {"?api_key=LIVE", nil, 401, problem.CodeMissingAPIKey},
		"a key in the query too":         {"?Access_Token=x", map[string]string{"X-API-Key": "LIVE"}, 400, problem.CodeInvalidRequest},
		"a key in the query of a bearer": {"?x=1&x-api-key=x", map[string]string{"Authorization": "Bearer LIVE"}, 400, problem.CodeInvalidRequest},
		"a query without one":            {"?x=1&%zz", map[string]string{"Authorization": "Bearer LIVE"}, 200, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := server.Do(t, apitest.Request{Method: "GET", Path: discovery + tc.query, Header: credentials(server, tc.header)}).Want(t, tc.status, tc.code)
			if got := a.Header.Get("Vary"); got != "Authorization, X-API-Key" {
				t.Errorf("unexpected Vary %q", got)
			}
			if challenged := a.Header.Get("WWW-Authenticate") != ""; challenged != (tc.status == 401) {
				t.Errorf("unexpected WWW-Authenticate %q", a.Header.Get("WWW-Authenticate"))
			}
		})
	}
	for name, fields := range map[string][]string{"Authorization": {"Bearer LIVE", "Bearer LIVE"}, "X-Api-Key": {"LIVE", "LIVE"}} {
		r := server.Build(t, apitest.Request{Method: "GET", Path: discovery})
		for _, field := range fields {
			r.Header.Add(name, strings.ReplaceAll(field, "LIVE", server.Key("acme-live")))
		}
		rec := httptest.NewRecorder()
		server.Handler.ServeHTTP(rec, r)
		if rec.Code != http.StatusUnauthorized {
			t.Errorf("two fields %s returned status %d", name, rec.Code)
		}
	}
}

func TestOtherSurfacesIgnoreKeyHeader(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, path := range []string{"/api/v1/rfq", "/api/v1/preflight/pref_1", "/api/v1/account"} {
		alone := apitest.Request{Method: "GET", Path: path, Header: credentials(server, map[string]string{"X-API-Key": "LIVE"})}
		a := server.Do(t, alone).Want(t, 401, problem.CodeMissingAPIKey)
		if got := a.Header.Get("Vary"); got != "Authorization" {
			t.Errorf("%s: unexpected Vary %q", path, got)
		}
		beside := apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"X-API-Key": "another"}}
		if a := server.Do(t, beside); a.Status == 400 || a.Status == 401 {
			t.Errorf("%s: a bearer token with X-API-Key returned status %d", path, a.Status)
		}
	}
}

func TestGatesOfSurface(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, path := range []string{discovery, openapi} {
		for name, tc := range map[string]struct {
			request apitest.Request
			status  int
			code    problem.Code
		}{
			"no scope":       {apitest.Request{Method: "GET", Path: path, Key: "acme-none"}, 403, problem.CodeInsufficientScope},
			"no entitlement": {apitest.Request{Method: "GET", Path: path, Key: "globex-live"}, 403, problem.CodeCapabilityNotEntitled},
			"no such method": {apitest.Request{Method: "POST", Path: path, Key: "acme-live"}, 405, problem.CodeMethodNotAllowed},
			"no such path":   {apitest.Request{Method: "GET", Path: path + "/x", Key: "acme-live"}, 404, problem.CodeRouteNotFound},
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				server.Do(t, tc.request).Want(t, tc.status, tc.code)
			})
		}
	}
}

func TestSurfaceHasSeparateRateLimit(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Limit("acme", "xjdf", 1)
	ask := apitest.Request{Method: "GET", Path: discovery, Key: "acme-live"}
	server.Do(t, ask).Want(t, 200, "")
	server.Do(t, ask).Want(t, 429, problem.CodeRateLimitExceeded).WantRetry(t)
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-live"}).Want(t, 200, "")
}

// The test searches the responses that partners get.
func TestAnswersContainNothingInternal(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	bodies := map[string][]byte{
		discovery: server.Do(t, apitest.Request{Method: "GET", Path: discovery, Key: "acme-live"}).Body,
		openapi:   get(t, server, nil).Body,
	}
	for path, body := range bodies {
		var anything any
		if err := json.Unmarshal(body, &anything); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		text := strings.ToLower(string(body))
		for _, word := range []string{"order", "batch", "bridge", "media-catalog", "/devices", "master-data"} {
			if strings.Contains(text, word) {
				t.Errorf("the response of %s contains %q", path, word)
			}
		}
	}
}
