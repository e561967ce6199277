// SPDX-License-Identifier: Apache-2.0

package webhooksapi_test

import (
	"bytes"
	"net/http"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// operations returns all operations of the surface, with the ids of acme's delivery or of
// unknown records.
func operations(id string) []apitest.Request {
	return []apitest.Request{
		{Method: "GET", Path: endpoints},
		{Method: "POST", Path: endpoints + "/mis/test"},
		{Method: "POST", Path: endpoints + "/mis/recover", Body: `{"since":"2026-11-20T11:00:00Z"}`},
		{Method: "POST", Path: endpoints + "/mis/enable"},
		{Method: "GET", Path: deliveries},
		{Method: "GET", Path: deliveries + "/" + id},
		{Method: "POST", Path: deliveries + "/" + id + "/redeliver"},
		{Method: "GET", Path: "/api/v1/webhooks/openapi"},
	}
}

// The test removes one requirement after another, from the last check of the chain to the
// first.
func TestTheFirstGateThatIsClosedAnswers(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	id := delivered(t, server, acme, 1)[0].ID
	steps := []struct {
		name, key string
		arrange   func()
		status    int
		code      problem.Code
	}{
		{"without a grant", "globex-live", nil, 404, problem.CodeRouteNotFound},
		{"closed for all partners", "acme-live", func() { server.Kill(posture.WebhookDelivery) }, 503, problem.CodeWebhookUnavailable},
		{"and without a grant", "globex-live", nil, 404, problem.CodeRouteNotFound},
		{"and without the scope", "acme-writes", nil, 403, problem.CodeInsufficientScope},
		{"and without a key", "", nil, 404, problem.CodeRouteNotFound},
		{"and without a posture", "", server.Stale, 503, problem.CodePostureUnavailable},
	}
	for _, request := range operations(id) {
		request.Key = "acme-live"
		if a := server.Do(t, request); a.Status >= 300 {
			t.Errorf("%s %s with every requirement: %d %s", request.Method, request.Path, a.Status, a.Code())
		}
	}
	for _, step := range steps {
		if step.arrange != nil {
			step.arrange()
		}
		for _, request := range operations(id) {
			request.Key = step.key
			if a := server.Do(t, request); a.Status != step.status || a.Code() != step.code {
				t.Errorf("%s: %s %s: %d %s, want %d %s", step.name, request.Method, request.Path, a.Status, a.Code(), step.status, step.code)
			}
		}
	}
}

// TestHiddenRoutesAnswerAsUnknownPaths compares all header fields and the body, except for the
// request id and the date.
func TestHiddenRoutesAnswerAsUnknownPaths(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	requestID := regexp.MustCompile(`"requestId":"[^"]*"`)
	for _, key := range []string{"", "globex-live"} {
		unknown := server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/nothing", Key: key}).Want(t, 404, problem.CodeRouteNotFound)
		for _, request := range operations("dlv_x") {
			request.Key = key
			a := server.Do(t, request).Want(t, 404, problem.CodeRouteNotFound)
			for _, header := range []http.Header{a.Header, unknown.Header} {
				header.Del("X-Request-Id")
				header.Del("Date")
			}
			if diff := cmp.Diff(unknown.Header, a.Header); diff != "" {
				t.Errorf("%s %s with key %q: header fields (-unknown path +got):\n%s", request.Method, request.Path, key, diff)
			}
			if want, got := requestID.ReplaceAll(unknown.Body, nil), requestID.ReplaceAll(a.Body, nil); !bytes.Equal(want, got) {
				t.Errorf("%s %s with key %q: body %s, want %s", request.Method, request.Path, key, got, want)
			}
		}
	}
}

func TestChangesRequireTheScopeForChanges(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	id := delivered(t, server, acme, 1)[0].ID
	for _, request := range operations(id) {
		request.Key = "acme-reads" // has account:read
		want, code := 200, problem.Code("")
		if request.Method == "POST" {
			want, code = 403, problem.CodeInsufficientScope
		}
		a := server.Do(t, request).Want(t, want, code)
		if want == 403 && a.Text(t, "detail") != "The API key does not have the scope webhooks:write." {
			t.Errorf("%s %s: detail %q", request.Method, request.Path, a.Text(t, "detail"))
		}
	}
}

func TestEveryMethodAndSubpathRequiresAKeyFirst(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for path, allow := range map[string]string{
		"/api/v1/webhooks": "", "/api/v1/webhooks/x": "", endpoints + "/mis": "", endpoints + "/mis/x": "", deliveries + "/x/y/z": "",
		endpoints: "GET, HEAD", deliveries + "/x/redeliver": "POST",
	} {
		status, code := 404, problem.CodeRouteNotFound
		if allow != "" {
			status, code = 405, problem.CodeMethodNotAllowed
		}
		for _, method := range []string{"PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			server.Do(t, apitest.Request{Method: method, Path: path}).Want(t, 404, problem.CodeRouteNotFound)
			a := server.Do(t, apitest.Request{Method: method, Path: path, Key: "acme-live"}).Want(t, status, code)
			if got := a.Header.Get("Allow"); got != allow {
				t.Errorf("%s %s has Allow %q, want %q", method, path, got, allow)
			}
		}
	}
}

// The test compares the complete bodies except the request ids.
func TestEndpointsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	server.Endpoints.Declare(endpoint(acme, "mis"))
	id := delivered(t, server, acme, 1)[0].ID
	requestID := regexp.MustCompile(`"requestId":"[^"]*"`)
	bare := func(a apitest.Answer) []byte {
		return requestID.ReplaceAll(a.Want(t, 404, problem.CodeNotFound).Body, nil)
	}
	const nothing = deliveries + "/dlv_01M3HQ7G5C8RJ2N4VKXW6TZB9D"
	for _, key := range []string{"acme-test", "stark-live"} {
		none := bare(get(t, server, key, nothing))
		for name, a := range map[string]apitest.Answer{
			"a delivery":               get(t, server, key, deliveries+"/"+id),
			"an invalid id":            get(t, server, key, deliveries+"/rfq_x"),
			"an id with a null byte":   get(t, server, key, deliveries+"/%00"),
			"a delivery to send again": post(t, server, key, deliveries+"/"+id+"/redeliver", ""),
			"none to send again":       post(t, server, key, nothing+"/redeliver", ""),
			"an endpoint":              post(t, server, key, endpoints+"/mis/test", ""),
			"an endpoint to recover":   post(t, server, key, endpoints+"/mis/recover", since(server.Clock.Now())),
			"an endpoint to enable":    post(t, server, key, endpoints+"/mis/enable", ""),
			"no endpoint":              post(t, server, key, endpoints+"/%00/enable", ""),
		} {
			if got := bare(a); !bytes.Equal(got, none) {
				t.Errorf("%s by %s is answered\n%s, not\n%s", name, key, got, none)
			}
		}
	}
}

// The test requests every list with every key.
func TestListsContainOnlyRecordsOfTheirTenant(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	own := map[string]string{
		"acme-live": delivered(t, server, acme, 1)[0].ID, "acme-test": delivered(t, server, acmeTest, 1)[0].ID, "stark-live": delivered(t, server, stark, 1)[0].ID,
	}
	for key := range own {
		a := get(t, server, key, deliveries).Want(t, 200, "")
		for other, id := range own {
			if got := bytes.Contains(a.Body, []byte(id)); got != (other == key) {
				t.Errorf("%s sees that of %s: %t", key, other, got)
			}
		}
	}
}
