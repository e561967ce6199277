// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestEachListRequiresOnlyItsOwnScope(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	tests := map[string]map[string]int{
		mediaPath:                              {"acme-live": 200, "acme-media": 200, "acme-devices": 403, "acme-none": 403, "acme-reads": 403},
		devicesPath:                            {"acme-live": 200, "acme-media": 403, "acme-devices": 200, "acme-none": 403, "acme-reads": 403},
		exportPath:                             {"acme-live": 200, "acme-media": 403, "acme-devices": 403, "acme-none": 403},
		exportPath + "?category=device":        {"acme-live": 200, "acme-media": 403, "acme-devices": 403},
		exportPath + "?category=machine":       {"acme-live": 200, "acme-media": 403, "acme-devices": 403},
		exportPath + "?category=media,device":  {"acme-live": 200, "acme-media": 403, "acme-devices": 403},
		exportPath + "?category=media":         {"acme-live": 200, "acme-media": 200, "acme-devices": 403},
		exportPath + "?category=ink,paper":     {"acme-live": 200, "acme-media": 200, "acme-devices": 403},
		mediaPath + "/x":                       {"acme-live": 404, "acme-media": 404, "acme-devices": 403, "": 401},
		devicesPath + "/x/y":                   {"acme-live": 404, "acme-media": 403, "acme-devices": 404, "": 401},
		exportPath + "/":                       {"acme-live": 404, "acme-media": 404, "acme-devices": 403, "": 401},
		mediaPath + "?source=platform":         {"acme-live": 200, "globex-live": 403, "platform-live": 403, "": 401},
		devicesPath + "?source=organization":   {"acme-devices": 200, "globex-live": 403, "platform-live": 403, "": 401},
		exportPath + "?includeValidation=true": {"acme-live": 200, "globex-live": 403, "platform-live": 403, "": 401},
	}
	for path, keys := range tests {
		for key, want := range keys {
			a := get(t, server, key, path)
			if a.Status != want {
				t.Errorf("%s with scope %q returned %d %s, want %d", path, key, a.Status, a.Code(), want)
			}
			wantPrivate(t, a)
			if key != "globex-live" && want == 403 && a.Code() != problem.CodeInsufficientScope {
				t.Errorf("%s with scope %q has code %s", path, key, a.Code())
			}
		}
	}
	a := get(t, server, "acme-media", exportPath)
	if detail := a.Text(t, "detail"); detail != "The API key does not have the scope devices:read." {
		t.Errorf("unexpected detail %q", detail)
	}
}

// TestOrderOfRefusals adds one fault to each request. The first fault in the order of checks
// decides the answer.
func TestOrderOfRefusals(t *testing.T) {
	t.Parallel()
	type step struct {
		name    string
		request apitest.Request
		change  func(server *apitest.Server)
		want    refused
	}
	// From the last cause to the first: each step keeps the worlds of those before.
	steps := []step{
		{"nothing", apitest.Request{Key: "acme-media", Path: exportPath + "?category=media"}, nil, refused{200, ""}},
		{"damaged data", apitest.Request{Key: "acme-media", Path: exportPath + "?category=media"}, func(server *apitest.Server) { publishError(server, timeline.ErrIntegrity) }, refused{503, problem.CodeMasterDataUnavailable}},
		{"and no scope for devices", apitest.Request{Key: "acme-media", Path: exportPath}, nil, refused{403, problem.CodeInsufficientScope}},
		{"and a bad category", apitest.Request{Key: "acme-media", Path: exportPath + "?category=device,x"}, nil, refused{400, problem.CodeInvalidCategory}},
		{"and an unknown parameter", apitest.Request{Key: "acme-media", Path: exportPath + "?category=device,x&y=1"}, nil, refused{400, problem.CodeInvalidRequest}},
		{"and no media type", apitest.Request{Key: "acme-media", Path: exportPath + "?y=1", Header: map[string]string{"Accept": "image/png"}}, nil, refused{406, problem.CodeNotAcceptable}},
		{"and too many requests", apitest.Request{Key: "acme-media", Path: exportPath + "?y=1", Header: map[string]string{"Accept": "image/png"}}, func(server *apitest.Server) {
			server.Limit("acme", "bridge", 1)
			server.Handler.ServeHTTP(&discard{}, server.Build(t, apitest.Request{Method: "GET", Path: mediaPath, Key: "acme-media"}))
		}, refused{429, problem.CodeRateLimitExceeded}},
		{"and no grant", apitest.Request{Key: "globex-live", Path: exportPath + "?y=1"}, nil, refused{403, problem.CodeCapabilityNotEntitled}},
		{"and closed", apitest.Request{Key: "globex-live", Path: exportPath + "?y=1"}, func(server *apitest.Server) { server.Kill(posture.MasterDataBridge) }, refused{503, problem.CodeMasterDataBridgeUnavailable}},
		{"and no such path", apitest.Request{Key: "globex-live", Path: exportPath + "/x?y=1"}, nil, refused{503, problem.CodeMasterDataBridgeUnavailable}},
		{"and no scope", apitest.Request{Key: "acme-devices", Path: exportPath + "?y=1"}, nil, refused{403, problem.CodeInsufficientScope}},
		{"and no key", apitest.Request{Path: exportPath + "/x?y=1"}, nil, refused{401, problem.CodeMissingAPIKey}},
		{"and no posture", apitest.Request{Path: exportPath + "?y=1"}, func(server *apitest.Server) { server.Stale() }, refused{503, problem.CodePostureUnavailable}},
		{"and large header fields", apitest.Request{Path: exportPath, Header: map[string]string{"X-Large": strings.Repeat("x", 33<<10)}}, nil, refused{431, problem.CodeHeadersTooLarge}},
	}
	server := newFixture(t)
	for _, s := range steps {
		if s.change != nil {
			s.change(server)
		}
		s.request.Method = "GET"
		a := server.Do(t, s.request)
		if a.Status != s.want.status || a.Code() != s.want.code {
			t.Errorf("%s: returned %d %s, want %d %s", s.name, a.Status, a.Code(), s.want.status, s.want.code)
		}
		wantPrivate(t, a)
	}
}

// discard is a response writer that ignores the answer.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header {
	if d.header == nil {
		d.header = http.Header{}
	}
	return d.header
}
func (*discard) Write(b []byte) (int, error) { return len(b), nil }
func (*discard) WriteHeader(int)             {}

func TestEveryMethodAndSubpathRequiresKeyFirst(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	for _, path := range paths() {
		for _, below := range []string{"", "/", "/x", "/x/y?z=1"} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"} {
				anonymous := server.Do(t, apitest.Request{Method: method, Path: path + below})
				known := server.Do(t, apitest.Request{Method: method, Path: path + below, Key: "acme-live"})
				want, allow := 404, ""
				switch {
				case below == "" && (method == "GET" || method == "HEAD"):
					want = 200
				case below == "":
					want, allow = 405, "GET, HEAD"
				}
				if anonymous.Status != 401 || known.Status != want || known.Header.Get("Allow") != allow {
					t.Errorf("%s %s%s: %d without a key, %d with one, Allow %q", method, path, below, anonymous.Status, known.Status, known.Header.Get("Allow"))
				}
				wantPrivate(t, anonymous)
				wantPrivate(t, known)
			}
		}
	}
	for _, path := range []string{"/api/v1/xjdf/devicesx", "/api/v1/xjdf/media", "/api/v1/xjdf/master-data", "/api/v1/xjdf"} {
		if a := server.Do(t, apitest.Request{Method: "PUT", Path: path}); a.Status != 404 && a.Status != 405 {
			t.Errorf("%s is answered %d", path, a.Status)
		}
	}
}

func TestKeyIsAcceptedInEitherHeader(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	key, other := server.Key("acme-live"), server.Key("acme-test")
	for name, tc := range map[string]struct {
		header map[string]string
		query  string
		want   refused
	}{
		"a bearer":                 {map[string]string{"Authorization": "Bearer " + key}, "", refused{200, ""}},
		"a key":                    {map[string]string{"X-API-Key": key}, "", refused{200, ""}},
		"both, and the same":       {map[string]string{"Authorization": "Bearer " + key, "X-API-Key": key}, "", refused{200, ""}},
		"both, and different":      {map[string]string{"Authorization": "Bearer " + key, "X-API-Key": other}, "", refused{400, problem.CodeInvalidRequest}},
		"neither":                  {nil, "", refused{401, problem.CodeMissingAPIKey}},
		"an invalid key":           {map[string]string{"X-API-Key": "pmk_live_x"}, "", refused{401, problem.CodeInvalidAPIKey}},
		"one in the query as well": {map[string]string{"X-API-Key": key}, "?api_key=x", refused{400, problem.CodeInvalidRequest}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range paths() {
				wantPrivate(t, server.Do(t, apitest.Request{Method: "GET", Path: path + tc.query, Header: tc.header}).Want(t, tc.want.status, tc.want.code))
			}
		})
	}
}

func TestBridgeHasSeparateRateLimit(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	server.Limit("acme", "bridge", 1)
	get(t, server, "acme-live", mediaPath).Want(t, 200, "")
	a := get(t, server, "acme-live", devicesPath).Want(t, 429, problem.CodeRateLimitExceeded)
	a.WantRetry(t)
	wantPrivate(t, a)
	get(t, server, "acme-live", "/api/v1/xjdf").Want(t, 200, "")
	get(t, server, "acme-live", "/api/v1/account").Want(t, 200, "")
}

// TestAnswersOutsideOfRoutesArePrivate checks shed requests and internal errors.
func TestAnswersOutsideOfRoutesArePrivate(t *testing.T) {
	t.Parallel()
	var server *apitest.Server
	var shed []apitest.Answer
	server = apitest.New(t, apitest.Options{MaxInFlight: 1, Routes: []gate.Route{
		{Method: "GET", Pattern: "/internal/ask", Capability: posture.RFQRead, Internal: true, Serve: func(c *gate.Call) error {
			for _, path := range paths() {
				shed = append(shed, get(t, server, "acme-live", path).Want(t, 503, problem.CodeOverloaded))
			}
			return c.JSON(http.StatusOK, "asked")
		}},
		{Method: "GET", Pattern: devicesPath + "/panic", Capability: posture.MasterDataBridge, Internal: true, Serve: func(*gate.Call) error { panic("so it goes") }},
		{Method: "GET", Pattern: devicesPath + "/cached", Capability: posture.MasterDataBridge, Internal: true, Serve: func(c *gate.Call) error {
			c.Writer.Header()["Vary"] = []string{"Accept-Language", "authorization,Accept"}
			c.Revalidate(`"tag"`)
			return c.JSON(http.StatusOK, "cached")
		}},
	}})
	get(t, server, "acme-live", "/internal/ask").Want(t, 200, "")
	for _, a := range shed {
		wantPrivate(t, a)
	}
	wantPrivate(t, get(t, server, "acme-live", devicesPath+"/panic").Want(t, 500, problem.CodeInternalError))
	a := get(t, server, "acme-live", devicesPath+"/cached").Want(t, 200, "")
	if got := a.Header["Vary"]; !slices.Equal(got, []string{"X-API-Key, Authorization, Accept-Language, Accept"}) || a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("a route that says otherwise: Vary %q, Cache-Control %q", got, a.Header.Get("Cache-Control"))
	}
}

func TestRevokedKeyIsRejectedImmediately(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	get(t, server, "acme-media", mediaPath).Want(t, 200, "")
	server.Revoke("acme", "media")
	wantPrivate(t, get(t, server, "acme-media", mediaPath).Want(t, 401, problem.CodeInvalidAPIKey))
}

func TestHeadMatchesGetWithoutBody(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	for _, path := range paths() {
		whole := get(t, server, "acme-live", path)
		head := server.Do(t, apitest.Request{Method: "HEAD", Path: path, Key: "acme-live"}).Want(t, 200, "")
		if head.Header.Get("Content-Length") != whole.Header.Get("Content-Length") {
			t.Errorf("%s: %s bytes by HEAD, %s by GET", path, head.Header.Get("Content-Length"), whole.Header.Get("Content-Length"))
		}
	}
}

// TestBridgeIsNotPublished reads every document that is served without a key.
func TestBridgeIsNotPublished(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	read := func(path string, header map[string]string) []byte {
		var body recorder
		server.Handler.ServeHTTP(&body, server.Build(t, apitest.Request{Method: "GET", Path: path, Header: header}))
		if body.status != http.StatusOK {
			t.Errorf("%s is answered %d", path, body.status)
		}
		return bytes.ToLower(body.Bytes())
	}
	key := map[string]string{"Authorization": "Bearer " + server.Key("acme-live")}
	texts := map[string][]byte{
		"catalog": read("/.well-known/api-catalog", nil), "discovery": read("/api/v1/xjdf", key), "capabilities": read("/api/v1/xjdf/capabilities", key),
		"contract": read("/api/v1/xjdf/openapi", key), "viewer": read("/docs/api/swagger-ui.html", nil), "initializer": read("/docs/api/swagger-ui/initializer.js", nil),
	}
	for _, name := range []string{"openapi.yaml", "preflight-openapi.yaml", "xjdf-openapi.yaml"} {
		texts[name] = read("/docs/api/"+name, nil)
	}
	for name, text := range texts {
		for _, word := range []string{"bridge", "media-catalog", "xjdf/devices", "master-data", "masterdata", "master_data", "devices:read", "invalid_category"} {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s names %q", name, word)
			}
		}
	}
	for _, path := range []string{"/docs/api/bridge-openapi.yaml", "/docs/internal/bridge-openapi.yaml"} {
		get(t, server, "", path).Want(t, 404, problem.CodeRouteNotFound)
	}
}

// recorder records an answer without checking it against a contract.
type recorder struct {
	bytes.Buffer
	discard
	status int
}

func (r *recorder) Write(b []byte) (int, error) { return r.Buffer.Write(b) }
func (r *recorder) WriteHeader(status int)      { r.status = status }

func TestClosedBridgeRejectsEveryKey(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	server.Kill(posture.MasterDataBridge)
	for _, path := range paths() {
		for _, key := range []string{"acme-live", "acme-test"} {
			a := get(t, server, key, path).Want(t, 503, problem.CodeMasterDataBridgeUnavailable)
			wantPrivate(t, a)
			if a.Header.Get("Retry-After") != "" {
				t.Errorf("%s has a Retry-After header, but no schedule opens the bridge", path)
			}
		}
	}
}
