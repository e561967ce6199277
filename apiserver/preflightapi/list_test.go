// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func referenced(reference string) string {
	return fmt.Sprintf(`{"fileUrl":"https://files.example.com/flyer.pdf?signature=hush","profile":"print_ready","clientReference":%q}`, reference)
}

// inspected submits a body, ends the job with a verdict and returns its id.
func inspected(t *testing.T, server *apitest.Server, body string, verdict preflightjob.Verdict) string {
	t.Helper()
	id := submit(t, server, "", body).Want(t, 202, "").Text(t, "jobId")
	begin(t, server, id)
	finish(t, server, id, preflightjob.Result{Report: stored, Verdict: verdict})
	return id
}

// walk reads every page from a path with acme's live key and returns the ids of the jobs. It
// calls between after each page.
func walk(t *testing.T, server *apitest.Server, path string, between func()) (ids []string) {
	t.Helper()
	for path != "" {
		var page struct {
			Items      []struct{ JobID string }
			NextCursor *string
		}
		a := get(t, server, "acme-live", path).Want(t, 200, "")
		a.Into(t, &page)
		for _, item := range page.Items {
			ids = append(ids, item.JobID)
		}
		field := a.Header.Get("Link")
		if strings.Contains(string(a.Body), "hush") || strings.Contains(string(a.Body), `"result"`) {
			t.Errorf("the list has the query of a URL or a report: %s", a.Body)
		}
		if (field == "") != (page.NextCursor == nil) {
			t.Fatalf("Link %q beside nextCursor %v", field, page.NextCursor)
		}
		if field == "" {
			return ids
		}
		next, found := strings.CutSuffix(strings.TrimPrefix(field, "<"), `>; rel="next"`)
		u, err := url.Parse(next)
		if !found || err != nil || u.Query().Get("cursor") != *page.NextCursor {
			t.Fatalf("Link %q beside nextCursor %s", field, *page.NextCursor)
		}
		path = next
		between()
	}
	return ids
}

func TestListIsReadFromNewestToOldest(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	if got, want := string(get(t, server, "acme-live", "/api/v1/preflight").Want(t, 200, "").Body), `{"items":[],"nextCursor":null}`+"\n"; got != want {
		t.Errorf("empty list %s, want %s", got, want)
	}
	var want []string
	for range 5 {
		want = append([]string{inspected(t, server, flyer, preflightjob.Warn)}, want...)
		server.Advance(time.Second)
	}
	submitAs(t, server, "stark-live", "", flyer).Want(t, 202, "")
	submitAs(t, server, "acme-test", "", flyer).Want(t, 202, "")
	got := walk(t, server, "/api/v1/preflight?limit=2", func() { inspected(t, server, flyer, preflightjob.Warn) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestListIsNarrowedByItsFilters(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var ids []string
	for i, reference := range []string{"PO 1&2", "PO-3"} {
		ids = append(ids, inspected(t, server, referenced(reference), []preflightjob.Verdict{preflightjob.Warn, preflightjob.Fail}[i]))
		server.Advance(time.Minute)
	}
	for _, reference := range []string{"PO 1&2", "PO-4"} {
		ids = append(ids, submit(t, server, "", referenced(reference)).Want(t, 202, "").Text(t, "jobId"))
		server.Advance(time.Minute)
	}
	cancel(t, server, "acme-live", "/api/v1/preflight/"+ids[3]).Want(t, 200, "")
	for query, want := range map[string][]string{
		"status=succeeded":                          {ids[1], ids[0]},
		"status=cancelled&status=queued&limit=1":    {ids[3], ids[2]},
		"status=failed":                             nil,
		"verdict=fail":                              {ids[1]},
		"verdict=fail&verdict=warn&limit=1":         {ids[1], ids[0]},
		"verdict=fail&status=cancelled":             nil,
		"clientReference=PO+1%262&limit=1":          {ids[2], ids[0]},
		"clientReference=PO+1%262&verdict=warn":     {ids[0]},
		"clientReference=po+1%262":                  nil,
		"createdAfter=2026-11-20T12:02:00Z&limit=1": {ids[3], ids[2]},
		"createdBefore=2026-11-20T12:01:00Z":        {ids[0]},
		"createdAfter=2026-11-20T12:00:00.1Z&createdBefore=2026-11-20T12:03:00Z": {ids[2], ids[1]},
		"createdAfter=0001-01-01T00:00:00Z":                                      {ids[3], ids[2], ids[1], ids[0]},
		"createdBefore=9999-12-31T23:59:59.9999999Z&limit=3":                     {ids[3], ids[2], ids[1], ids[0]},
	} {
		if diff := cmp.Diff(want, walk(t, server, "/api/v1/preflight?"+query, func() {})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestInvalidPagesAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	cursor := func(owner string) string {
		for range 2 {
			submitAs(t, server, owner, "", flyer).Want(t, 202, "")
		}
		return get(t, server, owner, "/api/v1/preflight?limit=1").Want(t, 200, "").Text(t, "nextCursor")
	}
	own := cursor("acme-live")
	for name, query := range map[string]string{
		"no limit":                        "limit=0",
		"a limit over the bound":          "limit=101",
		"a limit that is not a number":    "limit=ten",
		"the limit twice":                 "limit=1&limit=1",
		"an invented cursor":              "cursor=abc",
		"a cursor of another tenant":      "cursor=" + cursor("stark-live"),
		"a cursor of the other mode":      "cursor=" + cursor("acme-test"),
		"a cursor with another filter":    "status=queued&cursor=" + own,
		"a cursor with another reference": "clientReference=a&cursor=" + own,
		"an unknown parameter":            "verdikt=fail",
		"an unknown status":               "status=done",
		"too many statuses":               strings.Repeat("status=queued&", 6),
		"an unknown verdict":              "verdict=good",
		"too many verdicts":               strings.Repeat("verdict=pass&", 4),
		"an invalid time":                 "createdAfter=yesterday",
		"an empty reference":              "clientReference=",
		"a reference of 129 characters":   "clientReference=" + strings.Repeat("a", 129),
		"a reference with NUL":            "clientReference=a%00",
	} {
		get(t, server, "acme-live", "/api/v1/preflight?"+query).Want(t, 400, problem.CodeInvalidRequest)
		if t.Failed() {
			t.Fatalf("%s: %s", name, query)
		}
	}
	get(t, server, "acme-none", "/api/v1/preflight").Want(t, 403, problem.CodeInsufficientScope)
	get(t, server, "acme-live", "/api/v1/preflight?cursor="+own).Want(t, 200, "")
}

func TestClientReferenceIsEchoed(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	longest := strings.Repeat("ü", preflightjob.MaxReference)
	a := submit(t, server, "k", referenced(longest)).Want(t, 202, "")
	answers := map[string]apitest.Answer{
		"the submission": a, "the replay": submit(t, server, "k", referenced(longest)).Want(t, 202, ""),
		"the job": get(t, server, "acme-live", a.Header.Get("Location")).Want(t, 200, ""),
	}
	for name, answer := range answers {
		if got := answer.Text(t, "clientReference"); got != longest {
			t.Errorf("%s has the reference %q, want %q", name, got, longest)
		}
	}
	cancel(t, server, "acme-live", a.Header.Get("Location")).Want(t, 200, "")
	events := get(t, server, "acme-live", a.Header.Get("Location")+"/events").Want(t, 200, "")
	if !strings.Contains(string(events.Body), `"clientReference":"`+longest+`"`) {
		t.Errorf("events without the reference: %s", events.Body)
	}
	for reference, code := range map[string]problem.ViolationCode{
		"": problem.InvalidLength, longest + "u": problem.InvalidLength, " ": problem.InvalidValue, "a\tb": problem.InvalidValue, "a\x00": problem.InvalidValue,
	} {
		var body struct{ Errors []problem.Violation }
		text := strings.NewReplacer(`\t`, `\u0009`, `\x00`, `\u0000`).Replace(referenced(reference))
		submit(t, server, "", text).Want(t, 422, problem.CodePreflightInvalid).Into(t, &body)
		if len(body.Errors) != 1 || body.Errors[0].Pointer != "#/clientReference" || body.Errors[0].Code != code {
			t.Errorf("reference %q: errors %+v, want %s at #/clientReference", reference, body.Errors, code)
		}
	}
}

func TestViolationsHaveCodes(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for body, want := range map[string]map[string]problem.ViolationCode{
		request("ftp://x", "perfect"):                          {"#/fileUrl": problem.InvalidFormat, "#/profile": problem.NotAllowed},
		`{"fileUrl":1,"x":2}`:                                  {"#/fileUrl": problem.WrongType, "#/profile": problem.Required, "#/x": problem.UnknownMember},
		intended(`{"pages":0,"colors":{"process":3}}`):         {"#/intent/pages": problem.OutOfRange, "#/intent/colors/process": problem.NotAllowed},
		intended(`{"rfqId":"rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ"}`): {"#/intent/rfqId": problem.InvalidValue},
	} {
		var answer struct{ Errors []problem.Violation }
		submit(t, server, "", body).Want(t, 422, problem.CodePreflightInvalid).Into(t, &answer)
		got := map[string]problem.ViolationCode{}
		for _, v := range answer.Errors {
			got[v.Pointer] = v.Code
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("violations of %s (-want +got):\n%s", body, diff)
		}
	}
}

func TestSubmitReportsTheQuota(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Grant("acme", "preflight", 2)
	server.Advance(17 * time.Minute)
	wantQuota := func(a apitest.Answer, remaining int) {
		t.Helper()
		policy, state := a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit")
		if want := `, "preflight-submit";q=2;w=3600`; !strings.HasPrefix(policy, `"preflight";`) || !strings.HasSuffix(policy, want) {
			t.Errorf("RateLimit-Policy %s, want the item%s after the rate limit", policy, want)
		}
		if want := fmt.Sprintf(`, "preflight-submit";r=%d;t=2580`, remaining); !strings.HasPrefix(state, `"preflight";`) || !strings.HasSuffix(state, want) {
			t.Errorf("RateLimit %s, want the item%s after the rate limit", state, want)
		}
	}
	wantQuota(submit(t, server, "k-1", flyer).Want(t, 202, ""), 1)
	wantQuota(submit(t, server, "k-1", flyer).Want(t, 202, ""), 1) // a replay uses no quota
	submit(t, server, "k-x", request("ftp://x", "print_ready")).Want(t, 422, problem.CodePreflightInvalid)
	wantQuota(submit(t, server, "", flyer).Want(t, 202, ""), 0)
	wantQuota(submit(t, server, "", flyer).Want(t, 429, problem.CodePreflightQuotaExceeded), 0)
}
