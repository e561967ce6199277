// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/storetest"
)

// cause describes a reason for which any request can be rejected.
type cause struct {
	status int
	code   problem.Code
	// arrange changes the server; nil changes nothing.
	arrange func(t *testing.T, w *Server)
	// request changes the request; nil changes nothing.
	request func(*Request)
	// method restricts the cause to one method; empty means all. but lists paths that the
	// cause does not concern.
	method string
	but    []string
}

func header(name, value string) func(*Request) {
	return func(r *Request) { r.Header[name] = value }
}

func causes() map[string]cause {
	acme := func(change func(*v1alpha1.PartnerEntitlementSpec)) func(*testing.T, *Server) {
		return func(_ *testing.T, w *Server) { w.Partner("acme", change) }
	}
	return map[string]cause{
		"nothing":              {},
		"header fields":        {status: 431, code: problem.CodeHeadersTooLarge, request: header("X-Large", strings.Repeat("x", 33<<10))},
		"a closed capability":  {status: 503, code: anyClosed, arrange: closeAll},
		"early data":           {status: 425, code: problem.CodeTooEarly, request: header("Early-Data", "1")},
		"no current posture":   {status: 503, code: problem.CodePostureUnavailable, arrange: func(_ *testing.T, w *Server) { w.Stale() }},
		"no key":               {status: 401, code: problem.CodeMissingAPIKey, request: func(r *Request) { r.Key = "" }},
		"an invalid key":       {status: 401, code: problem.CodeInvalidAPIKey, request: header("Authorization", "Bearer pmk_live_x")},
		"suspension":           {status: 403, code: problem.CodePartnerSuspended, arrange: acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })},
		"a future contract":    {status: 403, code: problem.CodeContractNotEffective, arrange: acme(notYet)},
		"a key without scope":  {status: 403, code: problem.CodeInsufficientScope, request: func(r *Request) { r.Key = "acme-none" }},
		"no grant":             {status: 403, code: problem.CodeCapabilityNotEntitled, request: func(r *Request) { r.Key = "globex-live" }},
		"too many requests":    {status: 429, code: problem.CodeRateLimitExceeded, arrange: exhaust},
		"another media type":   {status: 406, code: problem.CodeNotAcceptable, request: header("Accept", "image/gif")},
		"another body":         {status: 415, code: problem.CodeUnsupportedMediaType, request: header("Content-Type", "text/plain")},
		"a large body":         {status: 413, code: problem.CodePayloadTooLarge, request: func(r *Request) { r.Body = `"` + strings.Repeat("x", 1<<20) + `"` }, but: []string{"/api/v1/files"}},
		"a truncated body":     {status: 400, code: problem.CodeInvalidRequest, request: func(r *Request) { r.Body = `{` }, method: http.MethodPost, but: []string{"/api/v1/xjdf/validate", "/api/v1/sessions", "/api/v1/files"}},
		"a truncated document": {status: 400, code: problem.CodeValidationError, request: func(r *Request) { r.Body = `{` }, but: []string{xjdfapi.CostingPath}},
		"no document":          {status: 400, code: problem.CodeValidationError, request: func(r *Request) { r.Body = `{}` }},
		"a bad parameter":      {status: 400, code: problem.CodeInvalidRequest, request: func(r *Request) { r.Path += "?limit=x&lang=x&access_token=x" }, method: http.MethodGet, but: twoKeys},
		"no idempotency key":   {status: 400, code: problem.CodeIdempotencyKeyRequired, request: func(r *Request) { delete(r.Header, "Idempotency-Key") }},
		"an idempotency key":   {status: 400, code: problem.CodeIdempotencyKeyInvalid, request: header("Idempotency-Key", "ä")},
		"an invalid RFQ":       {status: 422, code: problem.CodeRFQInvalid},
		"an invalid job":       {status: 422, code: problem.CodePreflightInvalid, but: []string{"/api/v1/preflight/{jobId}/shares"}},
		"an unknown id":        {status: 404, code: problem.CodeNotFound},
		"an unavailable store": {status: 503, code: problem.CodeStoreUnavailable, arrange: func(_ *testing.T, w *Server) { w.Store.Set(storetest.Away) }, request: func(r *Request) {
			r.Path = strings.NewReplacer("rfq_x", "rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ", "pref_x", "pref_01KB0QXR80ZZZZZZZZZZZZZZZZ", "file_x", "file_01KB0QXR80ZZZZZZZZZZZZZZZZ").Replace(r.Path)
			if r.Path == xjdfapi.CallbackPath {
				r.Body = Signal
			}
		}},
		"an unavailable queue": {status: 503, code: problem.CodePreflightQueueUnavailable, arrange: func(_ *testing.T, w *Server) { w.Intake.Refuse(errors.New("away")) }, request: func(r *Request) {
			r.Body = `{"fileUrl":"https://x.example/a.pdf","profile":"print_ready"}`
		}},
	}
}

// twoKeys are the operations whose only 400 is a request with two different keys.
var twoKeys = []string{"/api/v1/rfq/{rfqId}", "/api/v1/rfq/{rfqId}/quotes"}

func notYet(s *v1alpha1.PartnerEntitlementSpec) {
	s.Contract.EffectiveFrom = metav1.NewTime(s.Contract.EffectiveFrom.Add(48 * time.Hour))
}

// exhaust uses up the rate limits.
func exhaust(t *testing.T, w *Server) {
	t.Helper()
	for surface, path := range map[v1alpha1.Surface]string{
		v1alpha1.SurfacePartner: "/api/v1/account", v1alpha1.SurfacePreflight: "/api/v1/preflight/pref_x", v1alpha1.SurfaceXJDF: "/api/v1/xjdf",
	} {
		w.Limit("acme", surface, 1)
		w.Do(t, Request{Method: http.MethodGet, Path: path, Key: "acme-live"})
	}
	w.Limit("acme", v1alpha1.SurfaceXJMF, 1)
	w.Do(t, Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "acme-live", Body: "{}"})
}

// closeAll disables every capability.
func closeAll(_ *testing.T, w *Server) {
	w.SetStages(v1alpha1.StageDisabled)
}

// TestEveryOperationRefusesByItsContract calls every published operation for every
// cause of rejection. It validates each response against the contract; if the contract lists
// the code of the cause, the response must have it.
func TestEveryOperationRefusesByItsContract(t *testing.T) {
	t.Parallel()
	ordinary := New(t, Options{})
	for name, cause := range causes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ordinary
			if cause.arrange != nil {
				w = New(t, Options{})
				cause.arrange(t, w)
			}
			askAll(t, w, cause)
		})
	}
}

// The test sends the requests while the only slot of the listener is in use.
func TestEveryOperationIsShedByItsContract(t *testing.T) {
	t.Parallel()
	var w *Server
	w = New(t, Options{MaxInFlight: 1, Routes: []gate.Route{{
		Method: http.MethodGet, Pattern: "/internal/ask", Capability: posture.RFQRead, Internal: true,
		Serve: func(c *gate.Call) error {
			askAll(t, w, cause{status: 503, code: problem.CodeOverloaded})
			return c.JSON(http.StatusOK, "asked")
		},
	}}})
	w.Do(t, Request{Method: http.MethodGet, Path: "/internal/ask", Key: "acme-live"}).Want(t, 200, "")
}

// askAll calls every operation; at least one must report the cause.
func askAll(t *testing.T, w *Server, cause cause) {
	t.Helper()
	reported := false
	for _, op := range w.Contracts.Operations() {
		reported = refused(t, w, op, cause) || reported
	}
	if !reported && cause.code != "" {
		t.Errorf("no operation reports %s", cause.code)
	}
}

// refused makes one request, and reports whether its contract lists the cause.
func refused(t *testing.T, w *Server, op contracts.Operation, cause cause) bool {
	t.Helper()
	in := Request{
		Method: op.Method, Path: strings.NewReplacer("{rfqId}", "rfq_x", "{jobId}", "pref_x", "{fileId}", "file_x", "{page}", "1", "{shareId}", "shr_x").Replace(op.Path),
		Key: "acme-live", Header: map[string]string{"Idempotency-Key": "k"},
	}
	if op.Method == http.MethodPost {
		in.Body = "{}"
	}
	if op.Path == "/api/v1/files" {
		in.Header["Content-Type"] = "application/pdf"
	}
	if cause.request != nil {
		cause.request(&in)
	}
	a := w.Do(t, in)
	promise, err := w.Contracts.Answer(op, cause.status)
	code := cause.code
	if i := slices.IndexFunc(promise.Codes, closed); code == anyClosed && i >= 0 {
		code = promise.Codes[i]
	}
	if err != nil || !slices.Contains(promise.Codes, code) || cause.method != "" && cause.method != op.Method || slices.Contains(cause.but, op.Path) {
		return false
	}
	if a.Status != cause.status || a.Code() != code {
		t.Errorf("%s %s returned %d %s, want %d %s", in.Method, in.Path, a.Status, a.Code(), cause.status, code)
	}
	return true
}

// anyClosed represents the code of the operation's capability.
const anyClosed problem.Code = "CAPABILITY_UNAVAILABLE"

func closed(code problem.Code) bool { return strings.HasSuffix(string(code), string(anyClosed)) }
