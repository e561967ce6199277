// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/test/eventually"
)

// transport forwards requests of the controllers to the API server. It can hold one request
// while a test changes the object of the request, and it can fail all requests.
type transport struct {
	server http.RoundTripper

	mu   sync.Mutex
	cut  bool
	hold *held
}

// held is a request that waits for its release.
type held struct {
	method, path, body string

	// caught is closed when the request has arrived; closing released forwards it.
	caught, released chan struct{}
	// answered receives the status code of the response.
	answered chan int
}

var errCut = errors.New("the connection is cut")

// intercepted adds a transport to the controllers that are started afterwards.
func (s *installation) intercepted() *transport {
	w := &transport{}
	s.user = rest.CopyConfig(s.user)
	s.user.Wrap(func(server http.RoundTripper) http.RoundTripper {
		w.server = server
		return w
	})
	return w
}

// holds catches the first request with this method, this end of the path and this text
// in its body.
func (w *transport) holds(method, path, body string) *held {
	h := &held{
		method: method, path: path, body: body,
		caught: make(chan struct{}), released: make(chan struct{}), answered: make(chan int, 1),
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hold = h
	return h
}

// await waits until the request arrives.
func (h *held) await(t *testing.T) {
	t.Helper()
	eventually.Succeeds(t, func() error {
		select {
		case <-h.caught:
			return nil
		default:
			return fmt.Errorf("no %s %s with %s yet", h.method, h.path, h.body)
		}
	})
}

// release forwards the request and returns the status code of its response.
func (h *held) release() int {
	close(h.released)
	return <-h.answered
}

// setCut rejects all requests, or forwards them again.
func (w *transport) setCut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

// RoundTrip passes a request on.
func (w *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	h, err := w.take(r)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return w.server.RoundTrip(r)
	}
	close(h.caught)
	select {
	case <-h.released:
	case <-r.Context().Done():
	}
	response, err := w.server.RoundTrip(r)
	code := 0
	if err == nil {
		code = response.StatusCode
	}
	h.answered <- code
	return response, err
}

// take returns the hold for the request, or nil.
func (w *transport) take(r *http.Request) (*held, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return nil, errCut
	}
	h := w.hold
	if h == nil || r.Method != h.method || !strings.HasSuffix(r.URL.Path, h.path) {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte(h.body)) {
		return nil, nil
	}
	w.hold = nil
	return h, nil
}
