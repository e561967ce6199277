// SPDX-License-Identifier: Apache-2.0

package respond_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

const registry = "https://errors.example.com"

func write(t *testing.T, p *problem.Problem) (*http.Response, map[string]any) {
	t.Helper()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Request-Id", "client-id-1")
	respond.NewProblems(registry).Write(respond.Begin(rec, r, time.Unix(0, 0)), p)
	var body map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, rec.Body)
	}
	return rec.Result(), body
}

func TestEveryCodeHasItsTypeTitleAndStatus(t *testing.T) {
	t.Parallel()
	for _, d := range problem.Codes() {
		t.Run(string(d.Code), func(t *testing.T) {
			t.Parallel()
			resp, body := write(t, problem.New(d.Code, "Because."))
			wantType, wantTitle := "about:blank", http.StatusText(d.Status)
			if typ, ok := problem.TypeOf(d.Slug); ok {
				wantType, wantTitle = registry+"/problems/marketplace/"+string(d.Slug), typ.Title
			}
			want := map[string]any{
				"type": wantType, "title": wantTitle, "status": float64(d.Status),
				"code": string(d.Code), "requestId": "client-id-1", "detail": "Because.",
			}
			if diff := cmp.Diff(want, body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if resp.StatusCode != d.Status {
				t.Errorf("status %d, want %d", resp.StatusCode, d.Status)
			}
			if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
		})
	}
}

func TestProblemCarriesViolationsAndEscapesQuotedText(t *testing.T) {
	t.Parallel()
	_, body := write(t, problem.New(problem.CodeRFQInvalid, "Title %q & <b>\n\x01é", "x").Violates(
		problem.Violation{Pointer: "#/title", Detail: `say "please"`},
		problem.Violation{Pointer: "#/quantity", Code: problem.OutOfRange, Detail: "must be at least 1"},
	))
	want := []any{
		map[string]any{"pointer": "#/title", "code": "INVALID_VALUE", "detail": `say "please"`},
		map[string]any{"pointer": "#/quantity", "code": "OUT_OF_RANGE", "detail": "must be at least 1"},
	}
	if diff := cmp.Diff(want, body["errors"]); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if body["detail"] != "Title \"x\" & <b>\n\x01é" {
		t.Errorf("detail = %q", body["detail"])
	}
}

func TestRetryAfterIsWholeSecondsInBounds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		wait time.Duration
		want string
	}{
		"a fraction is rounded up":      {1500 * time.Millisecond, "2"},
		"a nanosecond becomes a second": {time.Nanosecond, "1"},
		"a whole number of seconds":     {30 * time.Second, "30"},
		"more than a day":               {48 * time.Hour, "86400"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, _ := write(t, problem.New(problem.CodeOverloaded, "Busy.").After(tc.wait))
			if got := resp.Header.Get("Retry-After"); got != tc.want {
				t.Errorf("Retry-After = %q, want %q", got, tc.want)
			}
		})
	}
	resp, _ := write(t, problem.New(problem.CodeOverloaded, "Busy."))
	if got, ok := resp.Header["Retry-After"]; ok {
		t.Errorf("Retry-After = %q without a wait", got)
	}
}

func TestRequestIDIsTheClientsOnlyWhenItIsHarmless(t *testing.T) {
	t.Parallel()
	own := regexp.MustCompile(`^req_[0-9a-z]{26}$`)
	tests := map[string]struct {
		header string
		keep   bool
	}{
		"a valid id is kept":                 {"order-7.retry_2", true},
		"a missing id is created":            {"", false},
		"seven characters are too few":       {"1234567", false},
		"65 characters are too many":         {"12345678901234567890123456789012345678901234567890123456789012345", false},
		"a line break cannot split the log":  {"12345678\n", false},
		"markup cannot reach a page":         {"<script>alert(1)", false},
		"letters outside ASCII are rejected": {"éééééééé", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/", nil)
			r.Header["X-Request-Id"] = []string{tc.header}
			rec := httptest.NewRecorder()
			x := respond.Begin(rec, r, time.Now())
			if tc.keep != (x.ID() == tc.header) || !tc.keep && !own.MatchString(x.ID()) {
				t.Errorf("id %q for header %q, keep = %t", x.ID(), tc.header, tc.keep)
			}
			if got := rec.Header().Get("X-Request-Id"); got != x.ID() {
				t.Errorf("header X-Request-Id = %q, want %q", got, x.ID())
			}
		})
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		field []string
		want  bool
	}{
		"no condition":          {nil, false},
		"the same tag":          {[]string{`"v1"`}, true},
		"another tag":           {[]string{`"v2"`}, false},
		"one of a list":         {[]string{`"v0", "v1"`}, true},
		"one of several fields": {[]string{`"v0"`, `"v1"`}, true},
		"the weak form":         {[]string{`W/"v1"`}, true},
		"any":                   {[]string{`*`}, true},
		"a longer tag":          {[]string{`"xv1"`}, false},
		"an unquoted tag":       {[]string{`v1`}, false},
		"an empty field":        {[]string{``}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/", nil)
			r.Header["If-None-Match"] = tc.field
			rec := httptest.NewRecorder()
			if got := respond.NotModified(rec, r, `"v1"`); got != tc.want {
				t.Errorf("NotModified = %t, want %t", got, tc.want)
			}
			if got := rec.Header().Get("ETag"); got != `"v1"` {
				t.Errorf("ETag = %q", got)
			}
			if tc.want != (rec.Code == http.StatusNotModified) {
				t.Errorf("status %d", rec.Code)
			}
		})
	}
}

func TestExchangeRecordsTheAnswer(t *testing.T) {
	t.Parallel()
	x := respond.Begin(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), time.Now())
	if err := respond.JSON(x, http.StatusCreated, map[string]int{"a": 1}); err != nil {
		t.Fatalf("respond.JSON: %v", err)
	}
	if x.Status() != 201 || x.Written() != int64(len("{\"a\":1}\n")) || x.Code() != "" {
		t.Errorf("status %d, written %d, code %q", x.Status(), x.Written(), x.Code())
	}
}
