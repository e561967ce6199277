// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// stream is an open response over a socket.
type stream struct {
	*http.Response
	lines *bufio.Scanner
}

// event is a server-sent event as a client parses it.
type event struct{ id, name, data string }

// listen follows a job of acme over a socket.
func listen(t *testing.T, api *apitest.Server, path, seen string) *stream {
	t.Helper()
	server := httptest.NewServer(api.Handler)
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path+"/events", nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	r.Header.Set("Authorization", "Bearer "+api.Key("acme-live"))
	r.Header.Set("Accept", "text/event-stream")
	if seen != "" {
		r.Header.Set("Last-Event-ID", seen)
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return &stream{resp, bufio.NewScanner(resp.Body)}
}

// next returns the next event, or false at the end. It skips blocks without data.
func (s *stream) next(t *testing.T) (event, bool) {
	t.Helper()
	var e event
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.data != "" {
				return e, true
			}
		}
	}
	if err := s.lines.Err(); err != nil {
		t.Fatalf("s.lines.Err: %v", err)
	}
	return event{}, false
}

// want reads one event and compares it with the response to GET.
func (s *stream) want(t *testing.T, server *apitest.Server, path, id string) {
	t.Helper()
	got, more := s.next(t)
	_, status, _ := strings.Cut(id, "-")
	if !more || got.id != id || got.name != status {
		t.Fatalf("event %+v, more: %t, want %s", got, more, id)
	}
	var sent, known map[string]any
	if err := json.Unmarshal([]byte(got.data), &sent); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	a := get(t, server, "acme-live", path)
	a.Into(t, &known)
	delete(known, "result")
	if diff := cmp.Diff(known, sent); diff != "" || a.Header.Get("ETag") != `"`+got.id+`"` {
		t.Errorf("event %s, ETag %s (-GET +event):\n%s", got.id, a.Header.Get("ETag"), diff)
	}
}

func (s *stream) wantEnd(t *testing.T) {
	t.Helper()
	if got, more := s.next(t); more {
		t.Errorf("unexpected event %+v", got)
	}
}

func TestEventsFollowAJobFromTheQueueToItsReport(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := submit(t, server, "", flyer).Want(t, 202, "")
	id, path := a.Text(t, "jobId"), a.Header.Get("Location")
	if got := a.Text(t, "links", "events"); got != path+"/events" {
		t.Errorf("links.events = %s", got)
	}
	s := listen(t, server, path, "")
	s.want(t, server, path, "1-queued")
	begin(t, server, id)
	s.want(t, server, path, "2-processing")
	if err := server.Jobs.Progress(t.Context(), id, 1, worker, preflightjob.Progress{PagesDone: 3, PagesTotal: 9}); err != nil {
		t.Fatalf("w.Jobs.Progress %v: %v", id, err)
	}
	s.want(t, server, path, "3-processing")
	finish(t, server, id, preflightjob.Result{Report: stored, Verdict: preflightjob.Warn})
	s.want(t, server, path, "4-succeeded")
	s.wantEnd(t)
	for header, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "private, no-store", "X-Accel-Buffering": "no", "Vary": "Authorization, Accept",
		"Marketplace-Capability": `"preflight";posture=live`, "Content-Length": "",
	} {
		if got := s.Header.Get(header); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
}

func TestReconnectingClientGetsTheRemainingEvents(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := submit(t, server, "", flyer).Want(t, 202, "")
	id, path := a.Text(t, "jobId"), a.Header.Get("Location")
	s := listen(t, server, path, "1-queued")
	begin(t, server, id)
	s.want(t, server, path, "2-processing")
	cancel(t, server, "acme-live", path).Want(t, 200, "")
	s = listen(t, server, path, "2-processing")
	s.want(t, server, path, "3-cancelled")
	s.wantEnd(t)
	server.Do(t, apitest.Request{Method: "GET", Path: path + "/events", Key: "acme-live", Header: map[string]string{"Last-Event-ID": "3-cancelled"}}).Want(t, 204, "")
	for _, seen := range []string{"", "2-processing", "zzz", strings.Repeat("9", 4000)} {
		a := server.Do(t, apitest.Request{Method: "GET", Path: path + "/events", Key: "acme-live", Header: map[string]string{"Last-Event-ID": seen}}).Want(t, 200, "")
		if !strings.HasPrefix(string(a.Body), "retry: 2000\n\nid: 3-cancelled\nevent: cancelled\ndata: {") {
			t.Errorf("Last-Event-ID %.20q: body %s, want none", seen, a.Body)
		}
	}
}

func TestEventsEndWhenTheClientLosesAccess(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*apitest.Server){
		"the key is revoked":    func(server *apitest.Server) { server.Revoke("acme", "live") },
		"the capability closes": func(server *apitest.Server) { server.Kill(posture.Preflight) },
		"the posture is stale":  func(server *apitest.Server) { server.Stale() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			a := submit(t, server, "", flyer).Want(t, 202, "")
			path := a.Header.Get("Location")
			s := listen(t, server, path, "")
			s.want(t, server, path, "1-queued")
			end(server)
			begin(t, server, a.Text(t, "jobId"))
			s.wantEnd(t)
		})
	}
}

func TestFollowingIsRejectedLikeReading(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := submit(t, server, "", flyer).Want(t, 202, "").Header.Get("Location") + "/events"
	tests := map[string]struct {
		key, path, accept string
		status            int
		code              problem.Code
	}{
		"no key":                {"", path, "", 401, problem.CodeMissingAPIKey},
		"no scope":              {"acme-none", path, "", 403, problem.CodeInsufficientScope},
		"another organization":  {"stark-live", path, "", 404, problem.CodeNotFound},
		"the other kind of key": {"acme-test", path, "", 404, problem.CodeNotFound},
		"unknown job":           {"acme-live", "/api/v1/preflight/pref_x/events", "", 404, problem.CodeNotFound},
		"another media type":    {"acme-live", path, "application/json", 406, problem.CodeNotAcceptable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server.Do(t, apitest.Request{Method: "GET", Path: tc.path, Key: tc.key, Header: map[string]string{"Accept": tc.accept}}).Want(t, tc.status, tc.code)
		})
	}
}

func TestFollowingADeletedJobIsGone(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := submit(t, server, "", flyer).Want(t, 202, "").Header.Get("Location")
	s := listen(t, server, path, "")
	s.want(t, server, path, "1-queued")
	server.Advance(preflightjob.Retention)
	s.wantEnd(t)
	get(t, server, "acme-live", path+"/events").Want(t, 410, problem.CodeGone)
}

func TestHeadOfEventsHasNoBody(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := submit(t, server, "", flyer).Want(t, 202, "").Header.Get("Location")
	a := server.Do(t, apitest.Request{Method: "HEAD", Path: path + "/events", Key: "acme-live", Header: map[string]string{"Accept": "text/*"}}).Want(t, 200, "")
	if got := a.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
}

func TestHeartbeatKeepsTheConnectionOpen(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{Pace: preflightapi.Pace{Soonest: time.Hour, Heartbeat: time.Millisecond}})
	path := submit(t, server, "", flyer).Want(t, 202, "").Header.Get("Location")
	s := listen(t, server, path, "1-queued")
	var text strings.Builder
	for range 7 {
		if !s.lines.Scan() {
			t.Fatal("the stream ended before the heartbeat")
		}
		fmt.Fprintln(&text, s.lines.Text())
	}
	if got, want := text.String(), "retry: 2000\n\n:\n\n:\n\n:\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
