// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

// pages counts the pages of live reads by the last part of their path, or rejects them.
type pages struct {
	mu      sync.Mutex
	of      map[string]int
	refused bool
}

// add counts a page and reports whether it is accepted.
func (p *pages) add(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refused {
		p.of[path[strings.LastIndexByte(path, '/')+1:]]++
	}
	return !p.refused
}

func (p *pages) refuse(refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = refused
}

func (p *pages) count(resource string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[resource]
}

// inFront runs a reverse proxy in front of the plane. It calls through before each
// request; through reports whether to forward the request and may respond to it
// instead.
func inFront(t *testing.T, through func(http.ResponseWriter, *http.Request) bool) *rest.Config {
	t.Helper()
	direct := plane.Config()
	transport, err := rest.TransportFor(direct)
	if err != nil {
		t.Fatalf("rest.TransportFor: %v", err)
	}
	target, err := url.Parse(direct.Host)
	if err != nil {
		t.Fatalf("url.Parse(%q): %v", direct.Host, err)
	}
	forward := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// The source gives up requests, which is no news.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if through(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

// delay delays each page of a live read and counts the pages.
func delay(t *testing.T, each time.Duration) (*rest.Config, *pages) {
	t.Helper()
	read := &pages{of: map[string]int{}}
	return inFront(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadataList") {
			return true
		}
		if !read.add(r.URL.Path) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return false
		}
		timer := time.NewTimer(each)
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-r.Context().Done():
			return false
		}
	}), read
}

// TestLiveReadOfManySlowPagesCounts covers large installations: with 60,000 partners a
// live read has 300 pages. The whole read has no time limit, only each page.
func TestLiveReadOfManySlowPagesCounts(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, 200)
	config, pages := delay(t, 1500*time.Millisecond)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest = config })
	r.awaitsHealth(t)
	if n := pages.count("partnerentitlements"); n < 2 {
		t.Errorf("the live read had %d pages of partners, want 2", n)
	}
}

func TestMissingPageEndsALiveRead(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	config, _ := delay(t, time.Hour)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest = config })
	eventually.Succeeds(t, func() error {
		if r.Status().Unreachable == nil {
			return errors.New("the live read goes on")
		}
		return nil
	})
	if got := r.answer(); got != "nothing in force" {
		t.Errorf("without a live read the gates decide %q", got)
	}
}
