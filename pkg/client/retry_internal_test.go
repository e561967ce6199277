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

// script answers each attempt with its next line; the last one stays.
type script struct {
	lines []line
	// bodies are those that were sent.
	bodies []string
}

// line is an answer, or an error.
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
		t.Fatal(err)
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
		t.Fatal(err)
	}
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	return r
}

var errCut = errors.New("connection cut")

func TestRequestsAreRepeatedWhenThatIsSafeAndMayHelp(t *testing.T) {
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
		"a store that is away":                        {"POST", "k", line{status: 503, header: after}, again},
		"a closed capability":                         {"POST", "k", line{status: 503, header: problem}, once},
		"a proxy that has nobody to ask":              {"POST", "k", line{status: 503, header: map[string]string{"Content-Type": "text/html"}}, again},
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
		"a server whose certificate nobody vouches":   {"GET", "", line{err: &tls.CertificateVerificationError{Err: errCut}}, once},
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

func TestWaitsAreThoseThatTheAnswerAsksForOrGrow(t *testing.T) {
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
					t.Errorf("slept %s, told %s", slept, total)
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

func TestABodyThatCannotBeReadAgainIsSentOnce(t *testing.T) {
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

func TestTheContextEndsAWait(t *testing.T) {
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

func TestTheHookIsToldOfEveryAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{lines: []line{
			{err: errCut},
			{status: 503, header: map[string]string{"Retry-After": "1", "X-Request-Id": "req_12345678"}},
			{status: 201},
		}}
		var told []Attempt
		ctx := withCall(t.Context(), &call{operation: "CreateRFQ", route: routeRFQs})
		if _, err := retryingBy(t, s, RetryPolicy{}, func(a Attempt) { told = append(told, a) }).RoundTrip(request(ctx, t, "POST", "k")); err != nil {
			t.Fatal(err)
		}
		want := []Attempt{
			{Operation: "CreateRFQ", Method: "POST", Route: routeRFQs, Number: 1, Err: errCut, Wait: 500*time.Millisecond - 1},
			{Operation: "CreateRFQ", Method: "POST", Route: routeRFQs, Number: 2, Status: 503, RequestID: "req_12345678", Wait: 1500*time.Millisecond - 1},
			{Operation: "CreateRFQ", Method: "POST", Route: routeRFQs, Number: 3, Status: 201},
		}
		if diff := cmp.Diff(want, told, cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) })); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	})
}

func TestAPolicyBelowZeroIsRefused(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]RetryPolicy{
		"attempts": {MaxAttempts: -1}, "wait": {MaxWait: -1}, "base": {BaseDelay: -1}, "delay": {MaxDelay: -1}, "timeout": {AttemptTimeout: -1},
	} {
		if _, err := policy.withDefaults(); err == nil {
			t.Errorf("%s below zero is not refused", name)
		}
	}
}

func TestRetryAfterIsReadAsSecondsOrADate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		field, date string
		want        time.Duration
		told        bool
	}{
		"nothing":                         {"", "", 0, false},
		"seconds":                         {"120", "", 2 * time.Minute, true},
		"seconds with space around":       {" 7 ", "", 7 * time.Second, true},
		"no seconds":                      {"0", "", 0, true},
		"a date, by the answer's own":     {"Fri, 20 Nov 2026 09:00:30 GMT", "Fri, 20 Nov 2026 09:00:00 GMT", 30 * time.Second, true},
		"a date, by our own clock":        {"Fri, 20 Nov 2026 12:00:05 GMT", "", 5 * time.Second, true},
		"a date that has passed":          {"Fri, 20 Nov 2026 11:00:00 GMT", "", 0, true},
		"more seconds than anybody waits": {"4000000000", "", maxRetryAfter, true},
		"more digits than a number has":   {"99999999999999999999", "", 0, false},
		"less than nothing":               {"-1", "", 0, false},
		"a text":                          {"soon", "", 0, false},
		"a fraction":                      {"1.5", "", 0, false},
	} {
		header := http.Header{}
		header.Set("Retry-After", tt.field)
		header.Set("Date", tt.date)
		if got, told := retryAfter(header, now); got != tt.want || told != tt.told {
			t.Errorf("%s: %s, %t; want %s, %t", name, got, told, tt.want, tt.told)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range [][2]string{{"1", ""}, {"86400", "x"}, {"Fri, 20 Nov 2026 12:00:05 GMT", "Fri, 20 Nov 2026 12:00:00 GMT"}, {"-3", ""}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, field, date string) {
		header := http.Header{"Retry-After": {field}, "Date": {date}}
		if wait, told := retryAfter(header, time.Unix(0, 0)); wait < 0 || wait > maxRetryAfter || wait > 0 && !told {
			t.Errorf("%q at %q: %s, %t", field, date, wait, told)
		}
	})
}

func TestRateLimitsAreRead(t *testing.T) {
	t.Parallel()
	for field, want := range map[string][]RateLimit{
		``:                                   nil,
		`"partner";r=1999;t=1`:               {{Surface: "partner", Remaining: 1999, Reset: time.Second}},
		`"partner";r=3;t=10, "rfq";r=0;t=60`: {{Surface: "partner", Remaining: 3, Reset: 10 * time.Second}, {Surface: "rfq", Reset: time.Minute}},
		`"partner";r=3`:                      {{Surface: "partner", Remaining: 3}},
		`"partner";r=3;pk=:abc:;t=2`:         {{Surface: "partner", Remaining: 3, Reset: 2 * time.Second}},
		`partner;r=3;t=1`:                    nil,
		`"partner";r=-3;t=1`:                 nil,
		`"partner";t=1`:                      nil,
		`"";r=1;t=1`:                         nil,
		strings.Repeat(`"a";r=1;t=1,`, 1000): nil,
	} {
		if diff := cmp.Diff(want, parseRateLimit(field)); diff != "" {
			t.Errorf("%.40s (-want +got):\n%s", field, diff)
		}
	}
}

func FuzzRateLimit(f *testing.F) {
	f.Add(`"partner";r=1999;t=1`)
	f.Add(`"partner";r=3;t=10, "rfq";r=0;t=60`)
	f.Fuzz(func(t *testing.T, field string) {
		all := parseRateLimit(field)
		for _, limit := range all {
			if limit.Remaining < 0 || limit.Reset < 0 || limit.Surface == "" {
				t.Errorf("%q: %+v", field, limit)
			}
		}
		if len(all) > maxSurfaces {
			t.Errorf("%d items", len(all))
		}
	})
}

func FuzzRefusal(f *testing.F) {
	f.Add(422, "application/problem+json", `{"type":"about:blank","status":422,"code":"PARTNER_RFQ_INVALID","detail":"d","requestId":"r","errors":[{"pointer":"#/title","detail":"d"}]}`)
	f.Add(502, "text/html; charset=utf-8", `<html>`)
	f.Add(503, "application/problem+json", `{"status":"x"}`)
	f.Fuzz(func(t *testing.T, status int, media, body string) {
		err := refusal(status, http.Header{"Content-Type": {media}}, []byte(body), time.Unix(0, 0))
		text := err.Error()
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("control characters in %q", text)
		}
		if len(text) > 16*maxText {
			t.Errorf("%d bytes of text", len(text))
		}
		var p *Problem
		if errors.As(err, &p) && p.Status != status {
			t.Errorf("status %d became %d", status, p.Status)
		}
	})
}

// handler is a transport without a network, which fake time needs.
type handler func(*http.Request) (*http.Response, error)

func (h handler) RoundTrip(r *http.Request) (*http.Response, error) { return h(r) }

func TestAnAttemptThatTakesTooLongIsRepeated(t *testing.T) {
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
					t.Fatal(err)
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

// stuck is a body of which nothing comes.
type stuck struct{ ctx context.Context } //nolint:containedctx // as that of net/http

func (s stuck) Read([]byte) (int, error) { <-s.ctx.Done(); return 0, s.ctx.Err() }
func (stuck) Close() error               { return nil }

func TestTheDeadlineOfTheCallerIsItsError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := New("https://api.example.com", APIKey("pmk_test_a"), WithHTTPClient(&http.Client{Transport: handler(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, errCut // as a dial says it
		})}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := c.Account(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}
