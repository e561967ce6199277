// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

const flyer = `{"fileUrl":"https://files.example.com/flyer.pdf?signature=hush","profile":"print_ready"}`

// worker is the incarnation that owns jobs in these tests.
const worker = "worker-1"

// stored is a stored report that satisfies the contract.
var stored = preflightapi.SimulatedReport(preflightjob.Warn)

func request(url, profile string) string {
	return fmt.Sprintf(`{"fileUrl":%q,"profile":%q}`, url, profile)
}

func submitAs(t *testing.T, server *apitest.Server, owner, key, body string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "POST", Path: "/api/v1/preflight", Key: owner, Body: body, Header: map[string]string{"Idempotency-Key": key}})
}

// submit posts a body under an idempotency key, or none, with acme's live key.
func submit(t *testing.T, server *apitest.Server, key, body string) apitest.Answer {
	t.Helper()
	return submitAs(t, server, "acme-live", key, body)
}

func get(t *testing.T, server *apitest.Server, owner, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: owner})
}

func cancel(t *testing.T, server *apitest.Server, owner, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "DELETE", Path: path, Key: owner})
}

// begin and finish act as a worker.
func begin(t *testing.T, server *apitest.Server, id string) {
	t.Helper()
	if _, err := server.Jobs.Begin(t.Context(), id, 1, worker); err != nil {
		t.Fatalf("w.Jobs.Begin %v: %v", id, err)
	}
}

func finish(t *testing.T, server *apitest.Server, id string, result preflightjob.Result) {
	t.Helper()
	if _, err := server.Jobs.Finish(t.Context(), id, 1, worker, result); err != nil {
		t.Fatalf("w.Jobs.Finish %v: %v", id, err)
	}
}

func TestSubmitEnqueuesAJobAndReturnsItsLocation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Advance(7 * time.Millisecond)
	a := submit(t, server, "", flyer).Want(t, 202, "")
	id := a.Text(t, "jobId")
	var got map[string]any
	a.Into(t, &got)
	want := map[string]any{
		"jobId": id, "status": "queued", "fileUrl": "https://files.example.com/flyer.pdf", "profile": "print_ready", "submittedAt": "2026-11-20T12:00:00.007Z",
		"expiresAt": "2026-12-20T12:00:00.007Z", "attempt": 0.0, "livemode": true,
		"links": map[string]any{"self": "/api/v1/preflight/" + id, "events": "/api/v1/preflight/" + id + "/events"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	for header, want := range map[string]string{
		"Location": "/api/v1/preflight/" + id, "Retry-After": "1", "Cache-Control": "private, no-store", "Vary": "Authorization",
		"Idempotent-Replayed": "", "Marketplace-Capability": `"preflight";posture=live`,
	} {
		if got := a.Header.Get(header); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
	if !strings.HasPrefix(id, "pref_") || strings.Contains(string(a.Body), "hush") {
		t.Errorf("body %s", a.Body)
	}
	if stats, err := server.Queue.Stats(t.Context()); err != nil || stats.Open != 1 {
		t.Errorf("queue %+v, error %v", stats, err)
	}
}

func TestSubmitRejectsInvalidValues(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	const good = "https://files.example.com/a.pdf"
	tests := map[string]struct {
		body string
		want []string
	}{
		"no members at all":            {`{}`, []string{"#/fileUrl", "#/profile"}},
		"a list":                       {`[]`, []string{"#"}},
		"an unknown member":            {`{"fileUrl":"` + good + `","profile":"print_ready","x":1}`, []string{"#/x"}},
		"an invalid URL":               {request("not a url", "print_ready"), []string{"#/fileUrl"}},
		"a relative URL":               {request("/a.pdf", "print_ready"), []string{"#/fileUrl"}},
		"an empty URL":                 {request("", "print_ready"), []string{"#/fileUrl"}},
		"a URL of 2049 characters":     {request("https://x.example/"+strings.Repeat("a", 2049-18), "print_ready"), []string{"#/fileUrl"}},
		"plain http":                   {request("http://files.example.com/a.pdf", "print_ready"), []string{"#/fileUrl"}},
		"a file on the local disk":     {request("file:///etc/passwd", "print_ready"), []string{"#/fileUrl"}},
		"ftp":                          {request("ftp://files.example.com/a.pdf", "print_ready"), []string{"#/fileUrl"}},
		"a password in the URL":        {request("https://u:p@files.example.com/a.pdf", "print_ready"), []string{"#/fileUrl"}},
		"a user in the URL":            {request("https://u@files.example.com/a.pdf", "print_ready"), []string{"#/fileUrl"}},
		"no host":                      {request("https:///a.pdf", "print_ready"), []string{"#/fileUrl"}},
		"a fragment":                   {request(good+"#page=2", "print_ready"), []string{"#/fileUrl"}},
		"an unknown profile":           {request(good, "perfect"), []string{"#/profile"}},
		"a profile in another case":    {request(good, "Print_Ready"), []string{"#/profile"}},
		"a simulated one, key is live": {request(good, "sim:succeeded:pass"), []string{"#/profile"}},
		"a profile of 65 characters":   {request(good, strings.Repeat("p", 65)), []string{"#/profile"}},
		"URL and profile":              {request("ftp://x", "perfect"), []string{"#/fileUrl", "#/profile"}},
		"a number as profile":          {`{"fileUrl":"` + good + `","profile":1e999999999}`, []string{"#/profile"}},
	}
	t.Run("refused", func(t *testing.T) {
		for name, tc := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				a := submit(t, server, "k-1", tc.body).Want(t, 422, problem.CodePreflightInvalid)
				found := a.Violations(t)
				if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(found))); diff != "" {
					t.Errorf("pointers (-want +got):\n%s%v", diff, found)
				}
				if strings.Contains(string(a.Body), "u:p") {
					t.Errorf("the response contains the password: %s", a.Body)
				}
			})
		}
	})
	// No rejection was stored under the common key.
	submit(t, server, "k-1", flyer).Want(t, 202, "")
}

func TestUnknownProfileIsRejectedWithTheKnownProfiles(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	detail := submit(t, server, "", request("https://x.example/a.pdf", "perfect")).Want(t, 422, problem.CodePreflightInvalid).Violations(t)["#/profile"]
	for _, name := range profile.Names() {
		if !strings.Contains(detail, name) {
			t.Errorf("detail %q does not contain %s", detail, name)
		}
	}
}

func TestIdempotencyKeyIsOptionalAndReplays(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	one, two := submit(t, server, "", flyer).Want(t, 202, ""), submit(t, server, "", flyer).Want(t, 202, "")
	if one.Text(t, "jobId") == two.Text(t, "jobId") {
		t.Error("two requests without a key have one job, want two")
	}
	first := submit(t, server, "k-1", flyer).Want(t, 202, "")
	id := first.Text(t, "jobId")
	begin(t, server, id)
	finish(t, server, id, preflightjob.Result{Report: stored, Verdict: preflightjob.Warn})
	server.Advance(23 * time.Hour)
	again := submit(t, server, "k-1", request("https://files.example.com/flyer.pdf?signature=hush", "print_ready")).Want(t, 202, "")
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("replay %s with %v", again.Body, again.Header)
	}
	for _, body := range []string{request("https://files.example.com/other.pdf", "print_ready"), request("ftp://x", "perfect"), `{}`} {
		submit(t, server, "k-1", body).Want(t, 422, problem.CodeIdempotencyKeyReused)
	}
	if other := submitAs(t, server, "stark-live", "k-1", flyer).Want(t, 202, ""); other.Text(t, "jobId") == id {
		t.Error("another tenant got the job of acme")
	}
}

// TestUnavailableQueueRejectsNewJobsOnly: invalid requests and replays keep their responses.
func TestUnavailableQueueRejectsNewJobsOnly(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	first := submit(t, server, "k-1", flyer).Want(t, 202, "")
	server.Intake.Refuse(errors.New("redis at 10.0.0.1 is unavailable"))
	for _, key := range []string{"", "k-2"} {
		a := submit(t, server, key, flyer).Want(t, 503, problem.CodePreflightQueueUnavailable)
		if a.WantRetry(t); strings.Contains(string(a.Body), "10.0.0.1") {
			t.Errorf("the response names an internal dependency: %s", a.Body)
		}
	}
	if again := submit(t, server, "k-1", flyer).Want(t, 202, ""); string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("replay of a committed key: %s", again.Body)
	}
	submit(t, server, "k-1", request("https://x.example/other.pdf", "print_ready")).Want(t, 422, problem.CodeIdempotencyKeyReused)
	submit(t, server, "k-2", request("ftp://x", "print_ready")).Want(t, 422, problem.CodePreflightInvalid)
	submit(t, server, "k-2", `{}`).Want(t, 422, problem.CodePreflightInvalid)
	get(t, server, "acme-live", first.Header.Get("Location")).Want(t, 200, "")
	server.Intake.Refuse(nil)
	submit(t, server, "k-2", flyer).Want(t, 202, "")
}

func TestBacklogIsBounded(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var last apitest.Answer
	for i := range apitest.Backlog {
		last = submit(t, server, fmt.Sprint(i), flyer).Want(t, 202, "")
	}
	submit(t, server, "more", flyer).Want(t, 429, problem.CodePreflightBacklogExceeded).WantRetry(t)
	submit(t, server, "0", flyer).Want(t, 202, "")
	submitAs(t, server, "stark-live", "k", flyer).Want(t, 202, "")
	submitAs(t, server, "acme-test", "k", flyer).Want(t, 202, "")
	cancel(t, server, "acme-live", last.Header.Get("Location")).Want(t, 200, "")
	submit(t, server, "more", flyer).Want(t, 202, "")
}

// TestPollingLeadsToTheReport polls as a partner does.
func TestPollingLeadsToTheReport(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := submit(t, server, "", flyer).Want(t, 202, "")
	id, path := a.Text(t, "jobId"), a.Header.Get("Location")
	poll := func(tag string, status int) apitest.Answer {
		t.Helper()
		return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"If-None-Match": tag}}).Want(t, status, "")
	}
	queued := poll(`"x"`, 200)
	poll(queued.Header.Get("Etag"), 304)
	get(t, server, "acme-live", path+"/report").Want(t, 409, problem.CodePreflightReportNotReady)

	server.Advance(time.Second)
	begin(t, server, id)
	if err := server.Jobs.Progress(t.Context(), id, 1, worker, preflightjob.Progress{PagesDone: 1, PagesTotal: 4}); err != nil {
		t.Fatalf("w.Jobs.Progress %v: %v", id, err)
	}
	processing := poll(queued.Header.Get("Etag"), 200)
	var running struct {
		Status    string
		Attempt   int
		StartedAt string
		Progress  struct{ PagesDone, PagesTotal int }
	}
	processing.Into(t, &running)
	if running.Status != "processing" || running.Attempt != 1 || running.StartedAt != "2026-11-20T12:00:01.000Z" || running.Progress.PagesTotal != 4 {
		t.Errorf("a running job reads %s", processing.Body)
	}
	for _, a := range []apitest.Answer{queued, processing, poll(processing.Header.Get("Etag"), 304)} {
		if a.Header.Get("Retry-After") != "1" || a.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("open job: header %v", a.Header)
		}
	}

	server.Advance(time.Second)
	finish(t, server, id, preflightjob.Result{Report: stored, Verdict: preflightjob.Warn})
	done := poll(processing.Header.Get("Etag"), 200)
	var ended struct {
		Status, Verdict, FinishedAt string
		Result                      struct{ Verdict string }
		Links                       struct{ Report string }
	}
	done.Into(t, &ended)
	if ended.Status != "succeeded" || ended.Verdict != "warn" || ended.Result.Verdict != "warn" || ended.FinishedAt != "2026-11-20T12:00:02.000Z" || ended.Links.Report != path+"/report" {
		t.Errorf("an ended job reads %s", done.Body)
	}
	if done.Header.Get("Retry-After") != "" {
		t.Error("an ended job has Retry-After, want none")
	}
	read := get(t, server, "acme-live", path+"/report").Want(t, 200, "")
	if string(read.Body) != string(stored) {
		t.Errorf("the report is not the stored bytes: %s", read.Body)
	}
	server.Do(t, apitest.Request{Method: "GET", Path: path + "/report", Key: "acme-live", Header: map[string]string{"If-None-Match": read.Header.Get("Etag")}}).Want(t, 304, "")
}

func TestFailedJobHasItsFailure(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := submit(t, server, "", flyer).Want(t, 202, "")
	begin(t, server, a.Text(t, "jobId"))
	finish(t, server, a.Text(t, "jobId"), preflightjob.Result{Failure: preflightjob.FetchStatus, UpstreamStatus: 403})
	read := get(t, server, "acme-live", a.Header.Get("Location")).Want(t, 200, "")
	if read.Text(t, "status") != "failed" || read.Text(t, "failure", "code") != "FETCH_STATUS" || read.Text(t, "failure", "detail") == "" {
		t.Errorf("body %s", read.Body)
	}
	report := get(t, server, "acme-live", a.Header.Get("Location")+"/report").Want(t, 409, problem.CodePreflightReportMissing)
	if report.Text(t, "jobStatus") != "failed" || report.Text(t, "failure", "code") != "FETCH_STATUS" || report.Text(t, "failure", "detail") == "" {
		t.Errorf("report of a failed job: body %s", report.Body)
	}
	for _, answer := range []apitest.Answer{read, report} {
		var got struct{ Failure struct{ UpstreamStatus int } }
		if answer.Into(t, &got); got.Failure.UpstreamStatus != 403 {
			t.Errorf("upstreamStatus %d, want 403: %s", got.Failure.UpstreamStatus, answer.Body)
		}
	}
}

func TestCancelEndsAJobOnce(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for name, arrange := range map[string]func(id string){
		"a waiting job": func(string) {},
		"a running job": func(id string) { begin(t, server, id) },
	} {
		a := submit(t, server, "", flyer).Want(t, 202, "")
		path := a.Header.Get("Location")
		arrange(a.Text(t, "jobId"))
		first := cancel(t, server, "acme-live", path).Want(t, 200, "")
		server.Advance(time.Minute)
		again := cancel(t, server, "acme-live", path).Want(t, 200, "")
		if first.Text(t, "status") != "cancelled" || string(again.Body) != string(first.Body) {
			t.Errorf("%s: %s, then %s", name, first.Body, again.Body)
		}
		report := get(t, server, "acme-live", path+"/report").Want(t, 409, problem.CodePreflightReportMissing)
		if report.Text(t, "jobStatus") != "cancelled" || strings.Contains(string(report.Body), "failure") {
			t.Errorf("%s: report: body %s", name, report.Body)
		}
	}
	if stats, err := server.Queue.Stats(t.Context()); err != nil || stats.Open != 0 {
		t.Errorf("queue %+v, error %v, want it empty", stats, err)
	}
	ended := submit(t, server, "", flyer).Want(t, 202, "")
	begin(t, server, ended.Text(t, "jobId"))
	finish(t, server, ended.Text(t, "jobId"), preflightjob.Result{Failure: preflightjob.TimeLimit})
	cancel(t, server, "acme-live", ended.Header.Get("Location")).Want(t, 409, problem.CodePreflightNotCancellable)
}

func TestJobIsGoneAfterItsRetention(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := submitAs(t, server, "acme-test", "", request("https://x.example/a.pdf", "sim:succeeded:pass")).Want(t, 202, "")
	path := a.Header.Get("Location")
	server.Advance(preflightjob.Retention - time.Millisecond)
	get(t, server, "acme-test", path).Want(t, 200, "")
	server.Advance(time.Millisecond)
	gone := func(when string) {
		t.Helper()
		get(t, server, "acme-test", path).Want(t, 410, problem.CodeGone)
		get(t, server, "acme-test", path+"/report").Want(t, 410, problem.CodeGone)
		cancel(t, server, "acme-test", path).Want(t, 410, problem.CodeGone)
		get(t, server, "acme-live", path).Want(t, 404, problem.CodeNotFound)
	}
	gone("by the clock")
	if n, err := server.Jobs.Purge(t.Context(), 10); err != nil || n != 1 {
		t.Fatalf("Purge = %d, %v", n, err)
	}
	gone("erased")
}

func TestJobIsVisibleToItsOwnerOnly(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := submit(t, server, "", flyer).Want(t, 202, "").Header.Get("Location")
	for _, owner := range []string{"stark-live", "acme-test"} {
		get(t, server, owner, path).Want(t, 404, problem.CodeNotFound)
		get(t, server, owner, path+"/report").Want(t, 404, problem.CodeNotFound)
		cancel(t, server, owner, path).Want(t, 404, problem.CodeNotFound)
	}
	for _, id := range []string{"x", "pref_1", "rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ", "pref_01KB0QXR80ZZZZZZZZZZZZZZZZ"} {
		get(t, server, "acme-live", "/api/v1/preflight/"+id).Want(t, 404, problem.CodeNotFound)
	}
	get(t, server, "acme-live", path).Want(t, 200, "")
	get(t, server, "acme-writes", path).Want(t, 403, problem.CodeInsufficientScope)
	cancel(t, server, "acme-reads", path).Want(t, 403, problem.CodeInsufficientScope)
	submitAs(t, server, "acme-reads", "", flyer).Want(t, 403, problem.CodeInsufficientScope)
	submitAs(t, server, "globex-live", "", flyer).Want(t, 403, problem.CodeCapabilityNotEntitled)
	submitAs(t, server, "", "", flyer).Want(t, 401, problem.CodeMissingAPIKey)
}

// TestEverySimulatedProfileEndsWithItsVerdict submits each with a test key.
func TestEverySimulatedProfileEndsWithItsVerdict(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, name := range preflightjob.SimulatorProfiles() {
		t.Run(name, func(t *testing.T) {
			a := submitAs(t, server, "acme-test", "", request("https://x.example/a.pdf", name)).Want(t, 202, "")
			if a.Text(t, "status") != "queued" {
				t.Errorf("submitted as %s", a.Body)
			}
			read := get(t, server, "acme-test", a.Header.Get("Location")).Want(t, 200, "")
			state, detail, _ := strings.Cut(strings.TrimPrefix(name, "sim:"), ":")
			if got := read.Text(t, "status"); got != state {
				t.Errorf("status %s, want %s", got, state)
			}
			switch state {
			case "succeeded":
				if read.Text(t, "verdict") != detail || read.Text(t, "result", "verdict") != detail || read.Text(t, "result", "profile", "name") != name {
					t.Errorf("body %s", read.Body)
				}
				get(t, server, "acme-test", a.Header.Get("Location")+"/report").Want(t, 200, "")
			case "failed":
				var failed struct{ Failure struct{ UpstreamStatus int } }
				read.Into(t, &failed)
				if read.Text(t, "failure", "code") != detail || (failed.Failure.UpstreamStatus != 0) != (detail == "FETCH_STATUS") {
					t.Errorf("body %s", read.Body)
				}
			}
			submit(t, server, "", request("https://x.example/a.pdf", name)).Want(t, 422, problem.CodePreflightInvalid)
		})
	}
	if stats, err := server.Queue.Stats(t.Context()); err != nil || stats.Open != 0 {
		t.Errorf("queue %+v, error %v, want it empty", stats, err)
	}
}

// TestUnavailableStoreIsSafeToRetry: the same key leads to one job.
func TestUnavailableStoreIsSafeToRetry(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault    storetest.Fault
		replayed string
	}{
		"unavailable before the commit": {storetest.Away, ""},
		"unavailable after the commit":  {storetest.Unknown, "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			server.Store.Set(tc.fault)
			submit(t, server, "k-1", flyer).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
			server.Store.Set(storetest.None)
			a := submit(t, server, "k-1", flyer).Want(t, 202, "")
			if got := a.Header.Get("Idempotent-Replayed"); got != tc.replayed {
				t.Errorf("Idempotent-Replayed = %q, want %q", got, tc.replayed)
			}
			path := a.Header.Get("Location")
			server.Store.Set(storetest.Away)
			get(t, server, "acme-live", path).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
			get(t, server, "acme-live", path+"/report").Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
			cancel(t, server, "acme-live", path).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
			server.Store.Set(storetest.None)
			cancel(t, server, "acme-live", path).Want(t, 200, "")
		})
	}
}
