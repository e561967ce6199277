// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// answer makes one request to a handler behind the router and the gate of the real API.
func answer(t *testing.T, handler gate.Handler) apitest.Answer {
	t.Helper()
	const path = "/internal/operation"
	server := apitest.New(t, apitest.Options{Routes: []gate.Route{{
		Method: http.MethodPost, Pattern: path, Capability: posture.RFQCreate, Write: true, Internal: true,
		Body: &gate.Body{Limit: 1 << 10}, Serve: handler,
	}}})
	return server.Do(t, apitest.Request{Method: http.MethodPost, Path: path, Key: "acme-live", Body: ` {"a": 1} `})
}

func TestAnswerHasTheHeadersOfHandlerAndGateAndItsLength(t *testing.T) {
	t.Parallel()
	a := answer(t, func(c *gate.Call) error {
		c.MarkReplay(true)
		c.Writer.Header().Set("Location", "/x")
		return c.JSON(http.StatusCreated, map[string]string{"title": "<b> & \\u003c \u00e9 \" \u2028"})
	}).Want(t, 201, "")
	want := `{"title":"<b> & \\u003c é \" \u2028"}` + "\n"
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

func TestRevalidatedCallMayBeKept(t *testing.T) {
	t.Parallel()
	a := answer(t, func(c *gate.Call) error {
		c.Request.Header.Set("If-None-Match", `"1"`)
		if !c.Revalidate(`"1"`) {
			t.Error("the client has the current version")
		}
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}).Want(t, 304, "")
	if len(a.Body) > 0 || a.Header.Get("Etag") != `"1"` || a.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%v %s", a.Header, a.Body)
	}
}

func TestFailureKeepsNoFieldsOfASuccess(t *testing.T) {
	t.Parallel()
	fault := errors.New("disk on fire at 10.0.0.1")
	tests := map[string]struct {
		err    error
		status int
		code   problem.Code
	}{
		"an error":   {fault, 500, problem.CodeInternalError},
		"a problem":  {problem.New(problem.CodeGone, "Gone.").With(fault), 410, problem.CodeGone},
		"a bad body": {(&gate.Call{Document: "text"}).Bind(new(struct{})), 400, problem.CodeInvalidRequest},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer(t, func(c *gate.Call) error {
				c.Revalidate(`"1"`)
				c.MarkReplay(true)
				c.Writer.Header().Set("Location", "/x")
				return tc.err
			}).Want(t, tc.status, tc.code)
			for _, name := range []string{"Etag", "Location", "Idempotent-Replayed"} {
				if got := a.Header.Get(name); got != "" {
					t.Errorf("%s = %q in a problem", name, got)
				}
			}
			if a.Header.Get("Cache-Control") != "private, no-store" || strings.Contains(string(a.Body), "10.0.0.1") {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		})
	}
}

func TestAnswerThatCannotBeEncodedIsAnInternalError(t *testing.T) {
	t.Parallel()
	a := answer(t, func(c *gate.Call) error {
		c.Writer.Header().Set("Location", "/x")
		return c.JSON(http.StatusAccepted, func() {})
	}).Want(t, 500, problem.CodeInternalError)
	if got := a.Header.Get("Location"); got != "" {
		t.Errorf("Location = %q in a problem", got)
	}
}
