// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
)

// ending is a contract with a deprecated operation and a current one.
const ending = `
openapi: 3.1.0
info: {title: Things, version: 1.0.0}
paths:
  /api/v1/things:
    get:
      deprecated: true
      x-deprecated-at: 2026-10-01
      x-sunset: "2027-04-01T12:00:00+02:00"
      x-successor: /api/v2/things
      responses: {"200": {description: All.}}
    post: {responses: {"200": {description: One more.}}}
`

// withEnding returns an API server with the routes of that contract.
func withEnding(t *testing.T) *apitest.Server {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	files := fstest.MapFS{}
	for _, name := range contracts.All() {
		files[name.Path()] = &fstest.MapFile{Data: []byte("paths: {}")}
	}
	files[contracts.Partner.Path()] = &fstest.MapFile{Data: []byte(ending)}
	set, err := contracts.Load(files)
	must(t, err)
	server.Contracts = set
	server.Handler, err = apiserver.API{
		Gates: server.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: server.Metrics, Log: telemetry.Discard(), Now: server.Clock.Now,
		Contracts: set, Routes: []gate.Route{
			{Method: http.MethodGet, Pattern: "/api/v1/things", Capability: posture.RFQList, Serve: serveThings},
			{Method: http.MethodPost, Pattern: "/api/v1/things", Capability: posture.RFQCreate, Write: true, Serve: serveThings},
		},
	}.Handler()
	must(t, err)
	return server
}

func serveThings(c *gate.Call) error {
	switch c.Request.URL.RawQuery {
	case "fail":
		return fs.ErrInvalid
	case "panic":
		panic("things")
	case "more":
		c.Writer.Header().Set("Link", `</api/v1/things?cursor=x>; rel="next"`)
	}
	return c.JSON(http.StatusOK, map[string]any{})
}

func TestEveryAnswerOfADeprecatedOperationHasItsSunset(t *testing.T) {
	t.Parallel()
	server := withEnding(t)
	want := http.Header{
		"Deprecation": {"@1790812800"},
		"Sunset":      {"Thu, 01 Apr 2027 10:00:00 GMT"},
		"Link":        {`</docs/api/openapi.yaml>; rel="deprecation"`, `</api/v2/things>; rel="successor-version"`},
	}
	next := `</api/v1/things?cursor=x>; rel="next"`
	tests := map[string]struct {
		request apitest.Request
		status  int
		want    http.Header
	}{
		"a success":                {apitest.Request{Method: "GET", Path: "/api/v1/things", Key: "acme-live"}, 200, want},
		"a success of HEAD":        {apitest.Request{Method: "HEAD", Path: "/api/v1/things", Key: "acme-live"}, 200, want},
		"no key":                   {apitest.Request{Method: "GET", Path: "/api/v1/things"}, 401, want},
		"no scope":                 {apitest.Request{Method: "GET", Path: "/api/v1/things", Key: "acme-none"}, 403, want},
		"not acceptable":           {apitest.Request{Method: "GET", Path: "/api/v1/things", Key: "acme-live", Header: map[string]string{"Accept": "text/html"}}, 406, want},
		"an error of the handler":  {apitest.Request{Method: "GET", Path: "/api/v1/things?fail", Key: "acme-live"}, 500, want},
		"a panic":                  {apitest.Request{Method: "GET", Path: "/api/v1/things?panic", Key: "acme-live"}, 500, want},
		"a success with a Link":    {apitest.Request{Method: "GET", Path: "/api/v1/things?more", Key: "acme-live"}, 200, http.Header{"Deprecation": want["Deprecation"], "Sunset": want["Sunset"], "Link": append([]string{next}, want["Link"]...)}},
		"another operation":        {apitest.Request{Method: "POST", Path: "/api/v1/things", Key: "acme-live"}, 200, http.Header{}},
		"another operation's link": {apitest.Request{Method: "POST", Path: "/api/v1/things?more", Key: "acme-live"}, 200, http.Header{"Link": {next}}},
		"an unsupported method":    {apitest.Request{Method: "PUT", Path: "/api/v1/things", Key: "acme-live"}, 405, http.Header{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The small contract documents no errors, so apitest would object.
			rec := httptest.NewRecorder()
			if server.Handler.ServeHTTP(rec, server.Build(t, tc.request)); rec.Code != tc.status {
				t.Fatalf("status %d, want %d\n%s", rec.Code, tc.status, rec.Body)
			}
			got := http.Header{}
			for _, name := range []string{"Deprecation", "Sunset", "Link"} {
				if fields := rec.Header().Values(name); fields != nil {
					got[name] = fields
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}
