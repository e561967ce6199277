// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script returns the next line for each attempt, and then repeats the last line.
type script struct {
	lines []line
	// bodies lists the received bodies.
	bodies []string
}

// line holds a response or an error.
type line struct {
	status int
	header map[string]string
	err    error
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
		closeBody(r.Body)
	}
	s.bodies = append(s.bodies, body)
	now := s.lines[min(len(s.bodies), len(s.lines))-1]
	if now.err != nil {
		return nil, now.err
	}
	header := http.Header{}
	for name, value := range now.header {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: now.status, Header: header, Body: http.NoBody, Request: r}, nil
}

// retryingBy is a RoundTripper on the script, whose jitter is the most that it
// may be.
func retryingBy(t *testing.T, s *script, policy RetryPolicy, hook func(Attempt)) *retrying {
	t.Helper()
	policy, err := policy.withDefaults()
	if err != nil {
		t.Fatalf("policy.withDefaults: %v", err)
	}
	if hook == nil {
		hook = func(Attempt) {}
	}
	return &retrying{
		next: s, policy: policy, hook: hook, limits: &rateLimits{last: map[string]RateLimit{}},
		now: time.Now, wait: sleep, random: func(d time.Duration) time.Duration { return d - 1 },
	}
}

func request(ctx context.Context, t *testing.T, method, idempotencyKey string) *http.Request {
	t.Helper()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(`{"n":1}`)
	}
	r, err := http.NewRequestWithContext(ctx, method, "https://api.example.com/api/v1/rfq", body)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext(%q): %v", method, err)
	}
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	return r
}

var errCut = errors.New("connection cut")

func TestRequestsAreRetriedWhenSafeAndUseful(t *testing.T) {
	t.Parallel()
	const again, once = 2, 1
	after := map[string]string{"Retry-After": "2"}
	problem := map[string]string{"Content-Type": problemJSON}
	for name, tt := range map[string]struct {
		method, key string
		first       line
		want        int
	}{
		"a read that is cut":                          {"GET", "", line{err: errCut}, again},
		"a cancellation that is cut":                  {"DELETE", "", line{err: errCut}, again},
		"a create with a key that is cut":             {"POST", "k", line{err: errCut}, again},
		"a create without a key that is cut":          {"POST", "", line{err: errCut}, once},
		"a create without a key that is limited":      {"POST", "", line{status: 429, header: after}, once},
		"a limit that says when":                      {"POST", "k", line{status: 429, header: after}, again},
		"a limit that does not say when":              {"GET", "", line{status: 429}, again},
		"an unavailable store":                        {"POST", "k", line{status: 503, header: after}, again},
		"a closed capability":                         {"POST", "k", line{status: 503, header: problem}, once},
		"a proxy without an upstream":                 {"POST", "k", line{status: 503, header: map[string]string{"Content-Type": "text/html"}}, again},
		"a create whose first one is not answered":    {"POST", "k", line{status: 409, header: after}, again},
		"a conflict that stays one":                   {"DELETE", "", line{status: 409, header: problem}, once},
		"a bad gateway":                               {"POST", "k", line{status: 502}, again},
		"a gateway that waits too long":               {"POST", "k", line{status: 504}, again},
		"an internal error":                           {"POST", "k", line{status: 500}, again},
		"a body that came too slowly":                 {"POST", "k", line{status: 408}, again},
		"a request in early data":                     {"POST", "k", line{status: 425}, again},
		"a body that is wrong":                        {"POST", "k", line{status: 422, header: problem}, once},
		"a key that is wrong":                         {"GET", "", line{status: 401, header: problem}, once},
		"a redirect":                                  {"GET", "", line{status: 307, header: after}, once},
		"a success":                                   {"GET", "", line{status: 200}, once},
		"a status that this client does not know":     {"GET", "", line{status: 599}, once},
		"a server with an untrusted certificate":      {"GET", "", line{err: &tls.CertificateVerificationError{Err: errCut}}, once},
		"an error that another attempt meets as well": {"GET", "", line{err: finalError{errCut}}, once},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{lines: []line{tt.first, {status: 200}}}
				answer, err := retryingBy(t, s, RetryPolicy{}, nil).RoundTrip(request(t.Context(), t, tt.method, tt.key))
				if len(s.bodies) != tt.want {
					t.Errorf("%d attempts, want %d", len(s.bodies), tt.want)
				}
				if tt.want == again && (err != nil || answer.StatusCode != 200) {
					t.Errorf("answer %v, error %v", answer, err)
				}
				if tt.want == once && !errors.Is(err, tt.first.err) {
					t.Errorf("error %v, want %v", err, tt.first.err)
				}
			})
		})
	}
}

func TestWaitsFollowRetryAfterOrGrow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		line line
		want []time.Duration
	}{
		"the backoff doubles": {line{err: errCut}, []time.Duration{
			500*time.Millisecond - 1, time.Second - 1, 2*time.Second - 1, 3*time.Second - 1, 3*time.Second - 1,
		}},
		"seconds are kept, with some jitter after them": {line{status: 429, header: map[string]string{"Retry-After": "3"}}, []time.Duration{
			3*time.Second + 500*time.Millisecond - 1, 3*time.Second + 500*time.Millisecond - 1, 3*time.Second + 500*time.Millisecond - 1,
			3*time.Second + 500*time.Millisecond - 1, 3*time.Second + 500*time.Millisecond - 1,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, begun := &script{lines: []line{tt.line}}, time.Now()
				var waits []time.Duration
				var total time.Duration
				policy := RetryPolicy{MaxAttempts: 6, MaxDelay: 3 * time.Second}
				_, _ = retryingBy(t, s, policy, func(a Attempt) {
					if a.Wait > 0 {
						waits, total = append(waits, a.Wait), total+a.Wait
					}
				}).RoundTrip(request(t.Context(), t, "GET", ""))
				if diff := cmp.Diff(tt.want, waits); diff != "" {
					t.Errorf("waits (-want +got):\n%s", diff)
				}
				if slept := time.Since(begun); slept != total {
					t.Errorf("slept %s, reported %s", slept, total)
				}
			})
		})
	}
}

func TestEveryAttemptHasTheSameKeyAndBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{lines: []line{{err: errCut}, {status: 502}, {status: 503, header: map[string]string{"Retry-After": "1"}}, {status: 201}}}
		answer, err := retryingBy(t, s, RetryPolicy{}, nil).RoundTrip(request(t.Context(), t, "POST", "k"))
		if err != nil || answer.StatusCode != 201 || answer.Request.Header.Get("Idempotency-Key") != "k" {
			t.Errorf("answer %v, error %v", answer, err)
		}
		want := `{"n":1}`
		if diff := cmp.Diff([]string{want, want, want, want}, s.bodies); diff != "" {
			t.Errorf("bodies (-want +got):\n%s", diff)
		}
	})
}

func TestBodyWithoutGetBodyIsSentOnce(t *testing.T) {
	t.Parallel()
	s := &script{lines: []line{{err: errCut}}}
	r := request(t.Context(), t, "POST", "k")
	r.GetBody = nil
	if _, err := retryingBy(t, s, RetryPolicy{}, nil).RoundTrip(r); !errors.Is(err, errCut) || len(s.bodies) != 1 {
		t.Errorf("error %v after %d attempts", err, len(s.bodies))
	}
}

func TestAttemptsAndWaitsAreBounded(t *testing.T) {
	t.Parallel()
	midnight := map[string]string{"Retry-After": "40000"}
	for name, tt := range map[string]struct {
		policy   RetryPolicy
		deadline time.Duration
		line     line
		attempts int
		slept    time.Duration
	}{
		"by the number of attempts":           {RetryPolicy{}, 0, line{status: 502}, 4, 3500*time.Millisecond - 3},
		"by one attempt":                      {RetryPolicy{MaxAttempts: 1}, 0, line{status: 502}, 1, 0},
		"by the time of all waits together":   {RetryPolicy{MaxAttempts: 99, MaxWait: 10 * time.Second}, 0, line{status: 429, header: map[string]string{"Retry-After": "4"}}, 3, 9*time.Second - 2},
		"a quota that resets at midnight":     {RetryPolicy{}, 0, line{status: 429, header: midnight}, 1, 0},
		"a wait beyond the caller's deadline": {RetryPolicy{}, 3 * time.Second, line{status: 429, header: map[string]string{"Retry-After": "4"}}, 1, 0},
		"a wait that the caller has time for": {RetryPolicy{}, 6 * time.Second, line{status: 429, header: map[string]string{"Retry-After": "4"}}, 2, 4500*time.Millisecond - 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.deadline > 0 {
					limited, cancel := context.WithTimeout(ctx, tt.deadline)
					defer cancel()
					ctx = limited
				}
				s, begun := &script{lines: []line{tt.line}}, time.Now()
				answer, err := retryingBy(t, s, tt.policy, nil).RoundTrip(request(ctx, t, "GET", ""))
				if err != nil || answer.StatusCode != tt.line.status {
					t.Fatalf("answer %v, error %v", answer, err)
				}
				if len(s.bodies) != tt.attempts || time.Since(begun) != tt.slept {
					t.Errorf("%d attempts in %s, want %d in %s", len(s.bodies), time.Since(begun), tt.attempts, tt.slept)
				}
			})
		})
	}
}

func TestContextEndsAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		s, begun := &script{lines: []line{{status: 503, header: map[string]string{"Retry-After": "20"}}}}, time.Now()
		_, err := retryingBy(t, s, RetryPolicy{}, nil).RoundTrip(request(ctx, t, "GET", ""))
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "status 503") {
			t.Errorf("error %v", err)
		}
		if slept := time.Since(begun); slept != time.Second {
			t.Errorf("returned after %s", slept)
		}
	})
}

func TestHookReceivesEveryAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{lines: []line{
			{err: errCut},
			{status: 503, header: map[string]string{"Retry-After": "1", "X-Request-Id": "req_12345678"}},
			{status: 201, header: map[string]string{"Sunset": "Thu, 01 Apr 2027 10:00:00 GMT"}},
		}}
		var attempts []Attempt
		ctx := withCall(t.Context(), &call{operation: "CreateRFQ", route: routeRFQs})
		if _, err := retryingBy(t, s, RetryPolicy{}, func(a Attempt) { attempts = append(attempts, a) }).RoundTrip(request(ctx, t, "POST", "k")); err != nil {
			t.Fatalf("RoundTrip: %v", err)
		}
		want := []Attempt{
			{Operation: "CreateRFQ", Method: "POST", Route: routeRFQs, Number: 1, Err: errCut, Wait: 500*time.Millisecond - 1},
			{Operation: "CreateRFQ", Method: "POST", Route: routeRFQs, Number: 2, Status: 503, RequestID: "req_12345678", Wait: 1500*time.Millisecond - 1},
			{Operation: "CreateRFQ", Method: "POST", Route: routeRFQs, Number: 3, Status: 201, Sunset: time.Date(2027, 4, 1, 10, 0, 0, 0, time.UTC)},
		}
		if diff := cmp.Diff(want, attempts, cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) })); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	})
}

func TestNegativePolicyIsRejected(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]RetryPolicy{
		"attempts": {MaxAttempts: -1}, "wait": {MaxWait: -1}, "base": {BaseDelay: -1}, "delay": {MaxDelay: -1}, "timeout": {AttemptTimeout: -1},
	} {
		if _, err := policy.withDefaults(); err == nil {
			t.Errorf("%s below zero is not refused", name)
		}
	}
}
