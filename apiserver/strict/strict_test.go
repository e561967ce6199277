// SPDX-License-Identifier: Apache-2.0

package strict_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

const path = "/internal/operation"

// serve makes one request to a route that an operation serves, through the
// router and the gate of the real API.
func serve(t *testing.T, operation http.HandlerFunc) apitest.Answer {
	t.Helper()
	return route(t, strict.Serve(operation))
}

func route(t *testing.T, handler gate.Handler) apitest.Answer {
	t.Helper()
	w := apitest.New(t, apitest.Options{Routes: []gate.Route{{
		Method: http.MethodPost, Pattern: path, Capability: posture.RFQCreate, Write: true, Internal: true,
		Body: &gate.Body{Limit: 1 << 10}, Serve: handler,
	}}})
	return w.Do(t, apitest.Request{Method: http.MethodPost, Path: path, Key: "acme-live", Body: ` {"a": 1} `})
}

// write answers as generated code does: the body in one piece.
func write(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestAnOperationSeesItsCallAndTheBodyThatTheGateHasRead(t *testing.T) {
	t.Parallel()
	serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		c := strict.Call(r.Context())
		if err != nil || string(body) != ` {"a": 1} ` || c.Tenant().Organization != "org_acme01" || c.Document == nil {
			t.Errorf("body %q, %v; the call is %s's", body, err, c.Tenant().Organization)
		}
		write(w, http.StatusOK, "{}\n")
	}).Want(t, 200, "")
}

func TestAnAnswerHasItsFieldsThoseOfTheGateAndItsLength(t *testing.T) {
	t.Parallel()
	a := serve(t, func(w http.ResponseWriter, r *http.Request) {
		strict.Call(r.Context()).Writer.Header().Set("Idempotent-Replayed", "true")
		w.Header().Set("Location", "/x")
		write(w, http.StatusCreated, `{"title":"\u003cb\u003e \u0026 \\u003c \u00e9 \" \u2028"}`+"\n")
	}).Want(t, 201, "")
	want := `{"title":"<b> & \\u003c \u00e9 \" \u2028"}` + "\n"
	if string(a.Body) != want {
		t.Errorf("body %s, want %s", a.Body, want)
	}
	for name, want := range map[string]string{
		"Location": "/x", "Idempotent-Replayed": "true", "Content-Type": "application/json", "Content-Length": strconv.Itoa(len(want)),
		"Cache-Control": "private, no-store", "Vary": "Authorization", "Marketplace-Capability": `"rfq-create";posture=live`,
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestABodyOfKnownLengthIsPassedOnAsItIs(t *testing.T) {
	t.Parallel()
	const report = `{"a":"\u003c"}`
	a := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "14")
		write(w, http.StatusOK, report)
	}).Want(t, 200, "")
	if string(a.Body) != report || a.Header.Get("Content-Length") != "14" {
		t.Errorf("body %s of length %s", a.Body, a.Header.Get("Content-Length"))
	}
}

func TestARevalidatedCallIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	a := serve(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("If-None-Match", `"1"`)
		if strict.Call(r.Context()).Revalidate(`"1"`) {
			w.WriteHeader(http.StatusNotModified)
		}
	}).Want(t, 304, "")
	if len(a.Body) > 0 || a.Header.Get("Etag") != `"1"` || a.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%v %s", a.Header, a.Body)
	}
}

// TestAFailureLeavesNothingBehind of the answer that was begun.
func TestAFailureLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	fault := errors.New("disk on fire at 10.0.0.1")
	tests := map[string]struct {
		operation http.HandlerFunc
		status    int
		code      problem.Code
	}{
		"an operation that fails": {func(w http.ResponseWriter, r *http.Request) {
			strict.Call(r.Context()).Revalidate(`"1"`)
			strict.Failed(w, r, fault)
		}, 500, problem.CodeInternalError},
		"an operation that fails with a problem": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			strict.Failed(w, r, problem.New(problem.CodeGone, "Gone.").With(fault))
		}, 410, problem.CodeGone},
		"a parameter that cannot be read": {func(w http.ResponseWriter, r *http.Request) {
			strict.BadParameter(w, r, fault)
		}, 400, problem.CodeInvalidRequest},
		"a body that cannot be decoded": {func(w http.ResponseWriter, r *http.Request) {
			strict.BadBody(w, r, fault)
		}, 400, problem.CodeInvalidRequest},
		"an operation that answers nothing": {func(http.ResponseWriter, *http.Request) {}, 500, problem.CodeInternalError},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serve(t, tc.operation).Want(t, tc.status, tc.code)
			if a.Header.Get("Etag") != "" || a.Header.Get("Cache-Control") != "private, no-store" || strings.Contains(string(a.Body), "10.0.0.1") {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		})
	}
}

func TestAnErrorAfterTheAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	serve(t, func(w http.ResponseWriter, r *http.Request) {
		write(w, http.StatusOK, "{}\n")
		strict.Failed(w, r, io.ErrClosedPipe)
	}).Want(t, 200, "")
}

func TestAResponseAnswersBeforeItsOperation(t *testing.T) {
	t.Parallel()
	route(t, func(c *gate.Call) error {
		return strict.Answer(c, func(w http.ResponseWriter) error {
			write(w, http.StatusAccepted, "{}\n")
			return nil
		})
	}).Want(t, 202, "")
	route(t, func(c *gate.Call) error {
		return strict.Answer(c, func(http.ResponseWriter) error { return errors.New("it cannot be encoded") })
	}).Want(t, 500, problem.CodeInternalError)
}
