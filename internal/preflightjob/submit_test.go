// SPDX-License-Identifier: Apache-2.0

package preflightjob_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestSubmittedJobIsQueuedAndDispatched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.now = nine.Add(123456 * time.Microsecond).Local()
	got, err := b.Submit(t.Context(), acme, aRequest(), 7)
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	address, err := preflightjob.ParseFileURL(signedURL, false)
	if err != nil {
		t.Fatalf("preflightjob.ParseFileURL: %v", err)
	}
	at := nine.Add(123 * time.Millisecond)
	want := preflightjob.Job{
		ID: got.Job.ID, Tenant: acme, FileURL: address, Profile: "print_ready", Status: preflightjob.Queued, Version: 1,
		SubmittedAt: at, DispatchedAt: at, ExpiresAt: at.Add(preflightjob.Retention),
	}
	if diff := cmp.Diff(preflightjob.Submitted{Job: want}, got); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
	if !recordid.Valid(recordid.Job, got.Job.ID) || b.store.caps[0] != 7 {
		t.Errorf("id %q, backlog cap %v", got.Job.ID, b.store.caps)
	}
	if len(b.queue.submitted) != 1 || b.queue.submitted[0] != got.Job.ID || b.queue.attempts[0] != 0 {
		t.Errorf("dispatched %v with the attempts %v, want the job with attempt 0", b.queue.submitted, b.queue.attempts)
	}
}

func TestEveryInvalidMemberOfASubmissionIsReported(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		url, profile string
		allowHTTP    bool
		want         []string
	}{
		"a valid request":           {signedURL, "print_ready", false, nil},
		"another profile":           {signedURL, "structure_only", false, nil},
		"the longest URL":           {"https://a.example/" + strings.Repeat("x", 2048-18), "print_ready", false, nil},
		"an international host":     {"https://bücher.example/ü.pdf", "print_ready", false, nil},
		"a port":                    {"https://files.example.com:8443/a.pdf", "print_ready", false, nil},
		"an IPv6 address":           {"https://[2001:db8::1]/a.pdf", "print_ready", false, nil},
		"http where it is allowed":  {"http://127.0.0.1:9000/a.pdf", "print_ready", true, nil},
		"an empty request":          {"", "", false, []string{"#/fileUrl", "#/profile"}},
		"a URL too long":            {"https://a.example/" + strings.Repeat("x", 2049-18), "print_ready", false, []string{"#/fileUrl"}},
		"http":                      {"http://files.example.com/a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"ftp where http is allowed": {"ftp://files.example.com/a.pdf", "print_ready", true, []string{"#/fileUrl"}},
		"a file":                    {"file:///etc/passwd", "print_ready", true, []string{"#/fileUrl"}},
		"no scheme":                 {"files.example.com/a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"no host":                   {"https:///a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"a port without a host":     {"https://:443/a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"an opaque URL":             {"https:files.example.com", "print_ready", false, []string{"#/fileUrl"}},
		"a user name":               {"https://bob@files.example.com/a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"an empty user name":        {"https://@files.example.com/a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"a password":                {"https://bob:pw@files.example.com/a.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"a fragment":                {"https://files.example.com/a.pdf#page=2", "print_ready", false, []string{"#/fileUrl"}},
		"an empty fragment":         {"https://files.example.com/a.pdf#", "print_ready", false, []string{"#/fileUrl"}},
		"a space":                   {"https://files.example.com/a b.pdf", "print_ready", false, []string{"#/fileUrl"}},
		"a line break":              {"https://files.example.com/a\r\nHost: x", "print_ready", false, []string{"#/fileUrl"}},
		"a bad escape":              {"https://files.example.com/%zz?s3cret", "print_ready", false, []string{"#/fileUrl"}},
		"bytes that are not UTF-8":  {"https://files.example.com/\xff", "print_ready", false, []string{"#/fileUrl"}},
		"an unknown profile":        {signedURL, "print-ready", false, []string{"#/profile"}},
		"a simulated profile, live": {signedURL, "sim:cancelled", false, []string{"#/profile"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(c *preflightjob.Config) { c.AllowHTTP = tc.allowHTTP })
			_, err := b.Submit(t.Context(), acme, preflightjob.Request{FileURL: tc.url, Profile: tc.profile}, 10)
			var got []string
			var invalid *preflightjob.ValidationError
			if errors.As(err, &invalid) {
				for _, v := range invalid.Violations {
					got = append(got, v.Pointer)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.want == nil) {
				t.Errorf("error = %v; pointers (-want +got):\n%s", err, diff)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error contains the signature: %v", err)
			}
		})
	}
}

func TestErrorsAreReportedInOrder(t *testing.T) {
	t.Parallel()
	request := func(key, body, profile string) preflightjob.Request {
		return preflightjob.Request{FileURL: signedURL, Profile: profile, Idempotency: keyed(key, body)}
	}
	tests := map[string]struct {
		request preflightjob.Request
		cap     int
		store   error
		check   func(preflightjob.Submitted, error) bool
	}{
		"a committed key replays despite a full backlog": {request("k1", "a", "print_ready"), 0, nil, func(s preflightjob.Submitted, err error) bool {
			return err == nil && s.Replayed
		}},
		"a committed key with another body is rejected before the request is validated": {request("k1", "b", "none"), 10, nil, func(_ preflightjob.Submitted, err error) bool {
			return errors.Is(err, transaction.ErrKeyReused)
		}},
		"the request is validated before the backlog is counted": {request("k2", "b", "none"), 0, nil, func(_ preflightjob.Submitted, err error) bool {
			return is[*preflightjob.ValidationError](err)
		}},
		"a full backlog rejects a valid request": {request("k2", "b", "print_ready"), 0, nil, func(_ preflightjob.Submitted, err error) bool {
			return is[*preflightjob.BacklogExceededError](err)
		}},
		"while the store is unavailable, the error does not reveal whether the key was used": {request("k1", "a", "none"), 10, errAway, func(_ preflightjob.Submitted, err error) bool {
			return errors.Is(err, errAway)
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if _, err := b.Submit(t.Context(), acme, request("k1", "a", "print_ready"), 10); err != nil {
				t.Fatalf("Submit: %v", err)
			}
			b.store.err = tc.store
			if got, err := b.Submit(t.Context(), acme, tc.request, tc.cap); !tc.check(got, err) {
				t.Errorf("submitted = %+v, error = %v", got, err)
			}
			if len(b.store.jobs) != 1 || len(b.queue.submitted) != 1 {
				t.Errorf("%d jobs, %d dispatches; want only the first", len(b.store.jobs), len(b.queue.submitted))
			}
		})
	}
}

func TestUnavailableQueueIsLoggedAndNotReturned(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.queue.err = errors.New("connection refused")
	job := b.submitted(t)
	if !strings.Contains(b.log.String(), job.ID) || !strings.Contains(b.log.String(), "connection refused") {
		t.Errorf("log = %q, want the job %s and the queue's error", b.log, job.ID)
	}
	if strings.Contains(b.log.String(), "s3cret") {
		t.Errorf("the log contains the signature: %q", b.log)
	}
}

func TestSubmitRequiresAnOrganization(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.Submit(t.Context(), tenant.ID{}, aRequest(), 10); err == nil || b.store.calls != 0 {
		t.Errorf("Submit without a tenant: error = %v after %d calls of the store, want an error and no call", err, b.store.calls)
	}
}

func TestAFileURLNeverPrintsItsQuery(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	job := b.submitted(t)
	if job.FileURL.Reveal() != signedURL {
		t.Errorf("Reveal = %q", job.FileURL.Reveal())
	}
	const want = "https://files.example.com/a/flyer.pdf?[redacted]"
	if got := job.FileURL.String(); got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
	asJSON, err := json.Marshal(job)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("job", "job", job, "url", job.FileURL)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("job", "job", job, "url", job.FileURL)
	printed := fmt.Sprintf("%v %+v %#v %s %q %x", job, job, job, job.FileURL, job.FileURL, job.FileURL) + string(asJSON) + logged.String()
	for _, form := range []string{"s3cret", "X-Signature", fmt.Sprintf("%x", "s3cret")} {
		if strings.Contains(printed, form) {
			t.Errorf("the printed forms contain %q: %s", form, printed)
		}
	}
}

func TestStoredURLsPrintWithoutCredentials(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		"":                              "",
		"https://a.example/x.pdf":       "https://a.example/x.pdf",
		"https://u:p@a.example/x?s#f":   "https://a.example/x?[redacted]",
		"https://a.example/x?":          "https://a.example/x",
		"://s3cret":                     "[redacted]",
		"https://a.example/%2Fx.pdf?s3": "https://a.example/%2Fx.pdf?[redacted]",
	} {
		var f preflightjob.FileURL
		if err := f.Scan(stored); err != nil || f.String() != want {
			t.Errorf("%q prints as %q (%v), want %q", stored, f, err, want)
		}
		if back, err := f.Value(); err != nil || back != stored {
			t.Errorf("%q is stored as %q, %v", stored, back, err)
		}
	}
	var f preflightjob.FileURL
	if err := f.Scan(42); err == nil {
		t.Error("Scan(42) succeeded, want an error")
	}
}

func FuzzParseFileURL(f *testing.F) {
	for _, seed := range []string{signedURL, "https://[::1]:443/", "http://a@b/#", "https://a/%00", "https:\\\\a"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, allowHTTP bool) {
		parsed, err := preflightjob.ParseFileURL(text, allowHTTP)
		if err != nil {
			if parsed.Reveal() != "" {
				t.Fatalf("ParseFileURL(%q) returned an error (%v) and a URL", text, err)
			}
			return
		}
		if parsed.Reveal() != text || len(text) > preflightjob.MaxURL || strings.ContainsAny(text, "# \r\n\t") {
			t.Fatalf("ParseFileURL(%q) accepted %q", text, parsed.Reveal())
		}
		if printed, _, found := strings.Cut(parsed.String(), "?[redacted]"); found && strings.Contains(printed, "?") {
			t.Fatalf("ParseFileURL(%q) prints %q", text, parsed)
		}
	})
}

// is reports whether err has the type E. Tables of parallel tests use it as a check.
func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}
