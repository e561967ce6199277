// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/printmarket/printmarket/pkg/client"
)

func TestResponsesOutsideTheContractAreErrors(t *testing.T) {
	t.Parallel()
	answer := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("X-Request-Id", "req_12345678")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, tt := range map[string]struct {
		serve  http.HandlerFunc
		status int
		media  string
	}{
		"a page for a login":           {answer(200, "text/html", page), 200, "text/html"},
		"a page for an unknown path":   {answer(404, "text/html", page), 404, "text/html"},
		"a success that is no JSON":    {answer(201, "application/json", page), 201, "application/json"},
		"a success without a type":     {answer(201, "", `{"id":"rfq_1"}`), 201, ""},
		"a success of another status":  {answer(200, "application/json", `{"id":"rfq_1"}`), 200, "application/json"},
		"a success of another shape":   {answer(201, "application/json", `{"id":7}`), 201, "application/json"},
		"a success with two values":    {answer(201, "application/json", `{"id":"rfq_1"}{}`), 201, "application/json"},
		"a success without an id":      {answer(201, "application/json", `{}`), 201, "application/json"},
		"a problem that is no JSON":    {answer(400, "application/problem+json", page), 400, "application/problem+json"},
		"a problem of another shape":   {answer(400, "application/problem+json", `{"code":7}`), 400, "application/problem+json"},
		"a problem with a good status": {answer(204, "application/problem+json", ``), 204, "application/problem+json"},
		"a type that cannot be read":   {answer(400, "a;;b/;", page), 400, ""},
		"a 304 without If-None-Match":  {answer(304, "application/json", ``), 304, ""},
		"JSON that is no problem":      {answer(400, "application/json", `{"error":"no"}`), 400, "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := from(t, tt.serve).CreateRFQ(t.Context(), flyers())
			var other *client.AnswerError
			if !errors.As(err, &other) || other.Status != tt.status || other.MediaType != tt.media || other.RequestID != "req_12345678" {
				t.Fatalf("error %v", err)
			}
			if strings.Contains(err.Error(), "upstream down") {
				t.Errorf("the error contains the text of the response: %v", err)
			}
		})
	}
}

func TestUnknownMembersAndValuesAreAccepted(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	created, err := c.CreateRFQ(t.Context(), flyers())
	if err != nil {
		t.Fatalf("CreateRFQ: %v", err)
	}
	h.disturbed(func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		answer := served(r, serve)
		body := bytes.Replace(answer.Body.Bytes(), []byte(`"status":"open"`), []byte(`"status":"paused","colour":{"name":"blue"}`), 1)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(body)
	})
	record, err := c.RFQ(t.Context(), created.ID)
	if err != nil || record.Status != "paused" || record.ID != created.ID {
		t.Errorf("record %+v, error %v", record, err)
	}
	h.disturbed(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(418)
		_, _ = io.WriteString(w, `{"code":"TEAPOT_SHORT","status":418,"stout":true}`)
	})
	if _, err = c.RFQ(t.Context(), created.ID); !client.IsCode(err, "TEAPOT_SHORT") {
		t.Errorf("error %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		_, err := from(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/?signature=s3cr3t", status)
		}).RFQ(t.Context(), "rfq_x")
		var other *client.AnswerError
		if !errors.As(err, &other) || other.Status != status || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%d: error %v", status, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests went elsewhere", n)
	}
}

func TestResponseBodyIsBounded(t *testing.T) {
	t.Parallel()
	whole := make(chan bool, 1)
	c := from(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := bytes.Repeat([]byte(" "), 1<<20)
		for range 64 {
			if _, err := w.Write(chunk); err != nil {
				whole <- false
				return
			}
		}
		whole <- true
	})
	_, err := c.RFQ(t.Context(), "rfq_x")
	var call *client.CallError
	if !errors.As(err, &call) || call.Attempts != 1 || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("error %v", err)
	}
	if <-whole {
		t.Error("all of the answer was read")
	}
}

func TestListWithARepeatedCursorEndsWithAnError(t *testing.T) {
	t.Parallel()
	turns := 0
	c := from(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items":[{"id":"rfq_1"}],"nextCursor":"again"}`)
	})
	var last error
	for _, err := range c.RFQs(t.Context(), client.RFQFilter{}) {
		turns, last = turns+1, err
	}
	var other *client.AnswerError
	if turns != 2 || !errors.As(last, &other) {
		t.Errorf("%d turns, the last with %v", turns, last)
	}
}
