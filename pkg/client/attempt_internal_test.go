// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// handler is a transport without a network, which fake time needs.
type handler func(*http.Request) (*http.Response, error)

func (h handler) RoundTrip(r *http.Request) (*http.Response, error) { return h(r) }

func TestSlowAttemptIsRetried(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]handler{
		"before the answer": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"within the answer": func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: stuck{r.Context()}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun, attempts := time.Now(), 0
				c, err := New("https://api.example.com", APIKey("pmk_test_a"), WithHTTPClient(&http.Client{Transport: slow, Timeout: 7 * time.Second}),
					WithHook(func(Attempt) { attempts++ }), func(s *settings) { s.random = func(time.Duration) time.Duration { return 0 } })
				if err != nil {
					t.Fatalf(`New("https://api.example.com"): %v`, err)
				}
				_, err = c.Account(t.Context())
				var none *TransportError
				if !errors.As(err, &none) || !none.Timeout() || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
				if took := time.Since(begun); took != 28*time.Second || attempts != 4 {
					t.Errorf("%d attempts in %s, want 4 in 28s", attempts, took)
				}
			})
		})
	}
}

// stuck is a body whose Read blocks until the context ends.
type stuck struct{ ctx context.Context } //nolint:containedctx // as that of net/http

func (s stuck) Read([]byte) (int, error) { <-s.ctx.Done(); return 0, s.ctx.Err() }
func (stuck) Close() error               { return nil }

func TestDeadlineOfTheCallerIsTheError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := New("https://api.example.com", APIKey("pmk_test_a"), WithHTTPClient(&http.Client{Transport: handler(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, errCut // as a dial says it
		})}))
		if err != nil {
			t.Fatalf(`New("https://api.example.com"): %v`, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := c.Account(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}
