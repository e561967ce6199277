// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
)

// stream is an open response on a socket.
type stream struct {
	*http.Response
	lines *bufio.Scanner
}

// follow opens the stream of a job on a socket, with the session of a browser.
func (d *testDashboard) follow(t *testing.T, b *browser, id, seen string) *stream {
	t.Helper()
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/preflight/"+id+"/progress", nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	r.AddCookie(&http.Cookie{Name: cookieName, Value: b.cookie})
	if seen != "" {
		r.Header.Set("Last-Event-ID", seen)
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return &stream{resp, bufio.NewScanner(resp.Body)}
}

// want reads up to the next event, which must have an id.
func (s *stream) want(t *testing.T, id string) {
	t.Helper()
	for s.lines.Scan() {
		if got, found := strings.CutPrefix(s.lines.Text(), "id: "); found {
			if got != id {
				t.Fatalf("event %s, want %s", got, id)
			}
			return
		}
	}
	t.Fatalf("the stream has ended (%v), want %s", s.lines.Err(), id)
}

func (s *stream) wantEnd(t *testing.T) {
	t.Helper()
	for s.lines.Scan() {
		if strings.HasPrefix(s.lines.Text(), "id: ") {
			t.Errorf("one more: %s", s.lines.Text())
		}
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("s.lines.Err: %v", err)
	}
}

func TestAJobIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	s := d.follow(t, b, id, "")
	s.want(t, "1-queued")
	d.begin(t, id)
	s.want(t, "2-processing")
	d.progress(t, id, 3, 9)
	s.want(t, "3-processing")
	d.finish(t, id, warned)
	s.want(t, "4-succeeded")
	s.wantEnd(t)
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Length": "", "Set-Cookie": "",
		"Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	} {
		if got := s.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestReconnectingClientReceivesTheRest(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	s := d.follow(t, b, id, "1-queued")
	d.begin(t, id)
	s.want(t, "2-processing")
	d.finish(t, id, warned)
	s = d.follow(t, b, id, "2-processing")
	s.want(t, "3-succeeded")
	s.wantEnd(t)
	if again := d.follow(t, b, id, "3-succeeded"); again.StatusCode != http.StatusNoContent {
		t.Errorf("status %d, want 204", again.StatusCode)
	}
}

// TestFollowingAJobDoesNotRenewTheSession: an open page must not keep its visitor signed in.
func TestFollowingAJobDoesNotRenewTheSession(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	if _, err := d.Jobs.Cancel(t.Context(), acmeLive, id); err != nil {
		t.Fatalf("d.Jobs.Cancel %v: %v", id, err)
	}
	d.Advance(10 * time.Minute)
	if got := b.get(t, "/preflight/"+id+"/progress").want(t, 200, "event: cancelled").Header().Get("Set-Cookie"); got != "" {
		t.Errorf("Set-Cookie %q", got)
	}
	if got := b.get(t, "/preflight/"+id).want(t, 200, "cancelled").Header().Get("Set-Cookie"); got == "" {
		t.Error("a page does not renew the session")
	}
}

func TestStreamLimitIsSharedWithTheAPI(t *testing.T) {
	t.Parallel()
	bounds := gate.NewStreams(3, 2)
	d := newDashboard(t, func(c *dashboard.Config) { c.Streams = bounds })
	acme, stark := d.signedIn(t, "acme-live"), d.signedIn(t, "stark-live")
	mine, theirs := d.submit(t, acmeLive, "a.pdf"), d.submit(t, tenant.ID{Organization: "org_stark1", Mode: tenant.Live}, "b.pdf")
	// As a gate with the same limits does.
	other, refused := bounds.Open(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), "org_acme01", "api", d.Metrics)
	if refused != nil {
		t.Fatal(refused)
	}
	first := d.follow(t, acme, mine, "")
	first.want(t, "1-queued")
	refusal := acme.get(t, "/preflight/"+mine+"/progress").want(t, 503, "Your organization has too many streams open.")
	if refusal.Header().Get("Retry-After") != "1" || refusal.Header().Get("Content-Type") != "text/html; charset=utf-8" || refusal.Header().Get("X-Accel-Buffering") != "" {
		t.Errorf("%v", refusal.Header())
	}
	d.follow(t, stark, theirs, "").want(t, "1-queued")
	stark.get(t, "/preflight/"+theirs+"/progress").want(t, 503, "The server has too many streams open.")
	other.Close()
	d.follow(t, acme, mine, "").want(t, "1-queued")
}

func TestStoppingServerEndsItsStreams(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	drains := make(chan struct{})
	close(drains)
	r := httptest.NewRequestWithContext(gate.WithDraining(t.Context(), drains), http.MethodGet, "/preflight/"+id+"/progress", nil)
	b.send(t, r).want(t, 200, "id: 1-queued")
}

// deaf is a client that reads only the first write of its response.
type deaf struct {
	*httptest.ResponseRecorder
	mu        sync.Mutex
	writes    int
	deadlines []time.Time
}

func (d *deaf) Write(piece []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writes++; d.writes > 2 {
		return 0, os.ErrDeadlineExceeded
	}
	return d.ResponseRecorder.Write(piece)
}

func (d *deaf) SetWriteDeadline(at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deadlines = append(d.deadlines, at)
	return nil
}

// TestStalledClientIsDisconnected checks the deadline of each write.
func TestStalledClientIsDisconnected(t *testing.T) {
	t.Parallel()
	bounds := gate.NewStreams(1, 1)
	d := newDashboard(t, func(c *dashboard.Config) { c.Streams = bounds })
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.begin(t, id)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/preflight/"+id+"/progress", nil)
	r.AddCookie(&http.Cookie{Name: cookieName, Value: b.cookie})
	client := &deaf{ResponseRecorder: httptest.NewRecorder()}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.handler.ServeHTTP(client, r)
	}()
	for done := 1; ; done++ {
		d.progress(t, id, done, 100_000)
		select {
		case <-ended:
			if len(client.deadlines) < client.writes {
				t.Errorf("%d writes with %d deadlines", client.writes, len(client.deadlines))
			}
			// Its place is free again.
			d.finish(t, id, warned)
			b.get(t, "/preflight/"+id+"/progress").want(t, 200, "event: succeeded")
			return
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the stream goes on")
		}
	}
}

// away returns a job once; the second read disconnects the client.
type away struct {
	dashboard.Jobs
	leave context.CancelFunc
	mu    sync.Mutex
	reads int
}

func (a *away) Get(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reads++; a.reads > 1 {
		a.leave()
		return preflightjob.Job{}, errors.New("away")
	}
	return a.Jobs.Get(ctx, owner, id)
}

func TestDisconnectedClientEndsItsStream(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	d := newDashboard(t, func(c *dashboard.Config) { c.Jobs = &away{Jobs: c.Jobs, leave: leave} })
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	b.send(t, httptest.NewRequestWithContext(ctx, http.MethodGet, "/preflight/"+id+"/progress", nil)).want(t, 200, "id: 1-queued")
}
