// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

var acmeLive = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

// worker is the incarnation that runs the jobs of these tests.
const worker = "worker-1"

// submit creates a job for a file name and returns its id.
func (d *testDashboard) submit(t testing.TB, owner tenant.ID, name string) string {
	t.Helper()
	made, err := d.Jobs.Submit(t.Context(), owner, preflightjob.Request{FileURL: "https://files.example.com/" + name + "?signature=hush", Profile: "print_ready"}, 100)
	if err != nil {
		t.Fatalf("d.Jobs.Submit: %v", err)
	}
	return made.Job.ID
}

func (d *testDashboard) begin(t testing.TB, id string) {
	t.Helper()
	if _, err := d.Jobs.Begin(t.Context(), id, 1, worker); err != nil {
		t.Fatalf("d.Jobs.Begin %v: %v", id, err)
	}
}

func (d *testDashboard) progress(t testing.TB, id string, done, total int) {
	t.Helper()
	if err := d.Jobs.Progress(t.Context(), id, 1, worker, preflightjob.Progress{PagesDone: done, PagesTotal: total}); err != nil {
		t.Fatalf("d.Jobs.Progress %v: %v", id, err)
	}
}

func (d *testDashboard) finish(t testing.TB, id string, result preflightjob.Result) {
	t.Helper()
	if _, err := d.Jobs.Finish(t.Context(), id, 1, worker, result); err != nil {
		t.Fatalf("d.Jobs.Finish %v: %v", id, err)
	}
}

// warned is the result of a worker for a file with a warning.
var warned = preflightjob.Result{Report: preflightapi.SimulatedReport(preflightjob.Warn), Verdict: preflightjob.Warn}

// jobStub returns the same jobs to every caller, the newest first. Succeeded jobs have a report with one
// finding, which names the client's reference.
type jobStub []preflightjob.Job

// Get implements dashboard.Jobs.
func (s jobStub) Get(_ context.Context, _ tenant.ID, id string) (preflightjob.Job, error) {
	for i := range s {
		if s[i].ID == id {
			return s[i], nil
		}
	}
	return preflightjob.Job{}, transaction.ErrNotFound
}

// List implements dashboard.Jobs. Cursors are numbers.
func (s jobStub) List(_ context.Context, _ tenant.ID, page preflightjob.Page) (preflightjob.List, error) {
	from := 0
	if page.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(page.Cursor); err != nil {
			return preflightjob.List{}, fmt.Errorf("%w: %w", preflightjob.ErrInvalidPage, err)
		}
	}
	rest := s[min(from, len(s)):]
	if len(rest) <= page.Limit {
		return preflightjob.List{Items: rest}, nil
	}
	return preflightjob.List{Items: rest[:page.Limit], NextCursor: strconv.Itoa(from + page.Limit)}, nil
}

// Report implements dashboard.Jobs.
func (s jobStub) Report(ctx context.Context, owner tenant.ID, id string) ([]byte, error) {
	job, err := s.Get(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	if job.Status != preflightjob.Succeeded {
		return nil, preflightjob.ErrNotReady
	}
	made, err := report.Decode(preflightapi.SimulatedReport(preflightjob.Warn))
	if err != nil {
		return nil, err
	}
	made.Findings[0].MessageID, made.Findings[0].Message = "", "Found in "+job.ClientReference
	return report.Encode(made)
}

// FixLog implements dashboard.Jobs.
func (jobStub) FixLog(context.Context, tenant.ID, string) ([]byte, error) {
	return nil, preflightjob.ErrNotReady
}

// AnnotatedFile implements dashboard.Jobs.
func (jobStub) AnnotatedFile(context.Context, tenant.ID, string) (preflightjob.File, *os.File, error) {
	return preflightjob.File{}, nil, errors.New("not stored")
}

// FixedFile implements dashboard.Jobs.
func (jobStub) FixedFile(context.Context, tenant.ID, string) (preflightjob.File, *os.File, error) {
	return preflightjob.File{}, nil, preflightjob.ErrNotReady
}

// Pictures implements dashboard.Jobs.
func (jobStub) Pictures(context.Context, tenant.ID, string) (preflightjob.File, *os.File, error) {
	return preflightjob.File{}, nil, &preflightjob.NoDocumentError{Detail: "The job has no pictures."}
}

// Share implements dashboard.Jobs.
func (jobStub) Share(context.Context, tenant.ID, string, time.Duration) (preflightjob.Share, error) {
	return preflightjob.Share{}, preflightjob.ErrNotReady
}

// Shares implements dashboard.Jobs.
func (jobStub) Shares(context.Context, tenant.ID, string) (preflightjob.Shares, error) {
	return preflightjob.Shares{{ID: "shr_1", Token: "q1cDyXEFv0oGkHGTzpwNwq6hFq2QhVKJ8Jn3W5rX0aE", CreatedAt: noon, ExpiresAt: noon.Add(24 * time.Hour)}}, nil
}

// Unshare implements dashboard.Jobs.
func (jobStub) Unshare(context.Context, tenant.ID, string, string) error {
	return preflightjob.ErrNotReady
}

// Comparison implements dashboard.Jobs.
func (jobStub) Comparison(context.Context, tenant.ID, string) ([]byte, error) {
	return nil, preflightjob.ErrNotReady
}

// jobNamed is a job for a file name, with a mark in its texts.
func jobNamed(t testing.TB, name, mark string, change func(*preflightjob.Job)) preflightjob.Job {
	t.Helper()
	var file preflightjob.FileURL
	if err := file.Scan("https://files.example.com/" + name + mark); err != nil {
		t.Fatalf("file.Scan: %v", err)
	}
	job := preflightjob.Job{
		ID: "pref_" + name, Tenant: acmeLive, FileURL: file, Profile: "print_ready" + mark, Status: preflightjob.Queued, Version: 1,
		SubmittedAt: noon.Add(-time.Hour), ExpiresAt: noon.Add(preflightjob.Retention),
	}
	if change != nil {
		change(&job)
	}
	return job
}

func began(job *preflightjob.Job) {
	job.Status, job.Attempt, job.Tries, job.StartedAt = preflightjob.Processing, 2, 2, noon.Add(-time.Minute)
}

func ended(status preflightjob.Status) func(*preflightjob.Job) {
	return func(job *preflightjob.Job) {
		began(job)
		job.Status, job.FinishedAt = status, noon.Add(-time.Minute+2340*time.Millisecond)
	}
}

// everyKind returns a job in each state.
func everyKind(t testing.TB) jobStub {
	t.Helper()
	return jobStub{
		jobNamed(t, "queued.pdf", "", func(job *preflightjob.Job) {
			if err := job.FileURL.Scan("https://files.example.com/queued.pdf?signature=hush"); err != nil {
				t.Fatalf("job.FileURL.Scan: %v", err)
			}
		}),
		jobNamed(t, "processing.pdf", "", func(job *preflightjob.Job) {
			began(job)
			job.Progress = preflightjob.Progress{PagesDone: 3, PagesTotal: 9}
		}),
		jobNamed(t, "succeeded.pdf", "", func(job *preflightjob.Job) {
			ended(preflightjob.Succeeded)(job)
			job.Verdict = preflightjob.Warn
			job.Ticket = &jobticket.Ticket{
				TrimSize: &jobticket.Size{Width: 148.5, Height: 210}, Pages: 2, Quantity: 5000, RFQID: "rfq_1",
				Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}},
			}
		}),
		jobNamed(t, "failed.pdf", "", func(job *preflightjob.Job) {
			ended(preflightjob.Failed)(job)
			job.Failure, _ = preflightjob.NewFailure(preflightjob.FetchStatus)
			job.Failure.UpstreamStatus, job.ClientReference = 403, "PO-2026-4711"
		}),
		jobNamed(t, "cancelled.pdf", "", func(job *preflightjob.Job) { job.Status, job.FinishedAt = preflightjob.Cancelled, noon }),
	}
}

func TestPagesOfPreflightLookLikeTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Jobs = everyKind(t) })
	acme, media := d.signedIn(t, "acme-live"), d.signedIn(t, "acme-reads")
	for name, page := range map[string]shown{
		"preflight":            acme.get(t, "/preflight"),
		"preflight-none":       acme.get(t, "/preflight?status=failed&cursor=5"),
		"preflight-queued":     acme.get(t, "/preflight/pref_queued.pdf"),
		"preflight-processing": acme.get(t, "/preflight/pref_processing.pdf"),
		"preflight-succeeded":  acme.get(t, "/preflight/pref_succeeded.pdf"),
		"preflight-failed":     acme.get(t, "/preflight/pref_failed.pdf"),
		"preflight-cancelled":  media.get(t, "/preflight/pref_cancelled.pdf"),
		"preflight-not-ready":  acme.get(t, "/preflight/pref_queued.pdf/report"),
	} {
		golden(t, name, page.text)
	}
}

// TestJobTextIsEscaped puts markup into every text of a job.
func TestJobTextIsEscaped(t *testing.T) {
	t.Parallel()
	const mark = `"><script>alert(1)</script>'&`
	marked := func(name string, change func(*preflightjob.Job)) preflightjob.Job {
		return jobNamed(t, name, mark, func(job *preflightjob.Job) {
			if change != nil {
				change(job)
			}
			job.Failure = preflightjob.Failure{Code: "CODE" + mark, Detail: "Detail" + mark}
			job.Ticket = &jobticket.Ticket{RFQID: "rfq" + mark, Colors: &jobticket.Colors{Spots: []string{"Gold" + mark}}}
			job.Verdict, job.ClientReference = "warn"+mark, "reference"+mark
		})
	}
	d := newDashboard(t, func(c *dashboard.Config) {
		c.Jobs = jobStub{marked("open", nil), marked("failed", ended(preflightjob.Failed)), marked("succeeded", ended(preflightjob.Succeeded))}
	})
	b := d.signedIn(t, "acme-live")
	for path, texts := range map[string][]string{
		"/preflight":                                       {"print_ready", "warn"},
		"/preflight/pref_open":                             {"print_ready", "rfq", "Gold", "reference"},
		"/preflight/pref_failed":                           {"print_ready", "rfq", "Gold", "CODE", "Detail"},
		"/preflight/pref_succeeded":                        {"print_ready", "rfq", "Gold", "warn", "Found in reference"},
		"/preflight/" + url.PathEscape(mark) + "/progress": nil,
		"/preflight/" + url.PathEscape(mark):               nil,
		"/preflight?status=" + url.QueryEscape(mark):       nil,
		"/preflight?cursor=" + url.QueryEscape(mark):       nil,
	} {
		page := b.get(t, path)
		for _, text := range texts {
			if !strings.Contains(html.UnescapeString(page.text), text+mark) {
				t.Errorf("%s does not show %q with its mark:\n%s", path, text, page.text)
			}
		}
		if strings.Contains(page.text, mark[:10]) || strings.Contains(page.text, "alert(1)</script") {
			t.Errorf("%s has markup of a partner", path)
		}
	}
}

func TestJobPagesAreBounded(t *testing.T) {
	t.Parallel()
	var many jobStub
	for i := range 10_000 {
		many = append(many, jobNamed(t, fmt.Sprintf("%05d", i), strings.Repeat("'", 2000), ended(preflightjob.Failed)))
	}
	spots := make([]string, jobticket.MaxSpots)
	for i := range spots {
		spots[i] = strings.Repeat(`"`, 200)
	}
	many[0].Ticket = &jobticket.Ticket{Colors: &jobticket.Colors{Spots: spots}}
	d := newDashboard(t, func(c *dashboard.Config) { c.Jobs = many })
	d.Limit("acme", "preflight", 1000)
	b := d.signedIn(t, "acme-live")
	// checkAnswer limits the size of each response to 200,000 bytes.
	b.get(t, "/preflight/pref_00000").want(t, 200, "spot colour")
	path, seen := "/preflight", 0
	for pages := 0; path != ""; pages++ {
		page := b.get(t, path).want(t, 200, "<table>")
		seen += strings.Count(page.text, `<th scope="row">`)
		path = older(page.text)
		if pages > 200 {
			t.Fatal("the list has no end")
		}
	}
	if seen != len(many) {
		t.Errorf("%d jobs were shown, want %d", seen, len(many))
	}
}

func TestEachTenantSeesItsOwnJobsOnly(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	owners := map[string]tenant.ID{
		"acme-live": acmeLive, "acme-test": {Organization: "org_acme01", Mode: tenant.Test}, "stark-live": {Organization: "org_stark1", Mode: tenant.Live},
	}
	ids := map[string]string{}
	for key, owner := range owners {
		ids[key] = d.submit(t, owner, key+".pdf")
		d.begin(t, ids[key])
		d.finish(t, ids[key], warned)
	}
	for key := range owners {
		b := d.signedIn(t, key)
		list := b.get(t, "/preflight").want(t, 200, key+".pdf")
		for other, id := range ids {
			if other == key {
				b.get(t, "/preflight/"+id).want(t, 200, key+".pdf")
				b.get(t, "/preflight/"+id+"/report").want(t, 200, "Simulated")
				continue
			}
			if strings.Contains(list.text, other) {
				t.Errorf("%s sees the job of %s", key, other)
			}
			for _, part := range []string{"", "/report", "/report.json", "/report.xfdf", "/progress"} {
				b.get(t, "/preflight/"+id+part).want(t, 404, "The record does not exist")
			}
		}
	}
}

// fixedJob is a job of acme that has ended with fixes and a comparison; it returns its id.
func (d *testDashboard) fixedJob(t testing.TB) string {
	t.Helper()
	upload, err := d.Files.Upload(t.Context(), acmeLive, preflightjob.Upload{Content: strings.NewReader("%PDF"), Bytes: 4, Allowed: func() bool { return true }})
	if err != nil {
		t.Fatalf("d.Files.Upload: %v", err)
	}
	earlier, err := d.Jobs.Submit(t.Context(), acmeLive, preflightjob.Request{FileID: upload.ID, Profile: "print_ready"}, 100)
	if err != nil {
		t.Fatalf("d.Jobs.Submit: %v", err)
	}
	made, err := d.Jobs.Submit(t.Context(), acmeLive, preflightjob.Request{
		FileURL: "https://files.example.com/flyer.pdf", Profile: "print_ready", Fixes: preflightjob.FixesOf("bleed", "actions"), CompareWith: earlier.Job.ID,
		Annotate: "de", Output: &preflightjob.Output{Condition: "FOGRA51", Intent: "perceptual"},
	}, 100)
	if err != nil {
		t.Fatalf("d.Jobs.Submit: %v", err)
	}
	kept := func(content string) *preflightjob.File {
		file, err := d.Files.Keep(t.Context(), acmeLive, preflightjob.PartnerFile, strings.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatalf("d.Files.Keep: %v", err)
		}
		return &file
	}
	result := warned
	result.Annotated = &preflightjob.Annotated{File: kept("%PDF-1.7 annotated")}
	result.Fixed = &preflightjob.Fixed{File: kept("%PDF-1.7 fixed"), Log: report.FixLog{
		Version: report.FixVersion, Applied: []report.AppliedFix{{Fix: report.FixBleed, Changes: []report.ObjectChange{{Page: 2, Name: "BleedBox"}}}},
		Skipped: []report.SkippedFix{{Fix: report.FixActions, Reason: report.FixSigned}, {Fix: "later", Reason: "of a later release"}},
	}}
	result.Comparison = &report.Comparison{
		Version: report.ComparisonVersion, Inks: report.Names{Added: []string{"Gold & co"}},
		Changed: []report.PageChange{{Page: 1, Inks: []report.InkChange{{Name: "Cyan", Area: 1493}}}, {Page: 2, Only: "after"}},
	}
	d.begin(t, made.Job.ID)
	d.finish(t, made.Job.ID, result)
	return made.Job.ID
}

func TestPageOfAJobShowsItsFixesAndItsComparison(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.fixedJob(t)
	b := d.signedIn(t, "acme-live")
	page := b.get(t, "/preflight/"+id).want(t, 200, "Fixed PDF")
	for _, want := range []string{
		"Requested fixes", "FOGRA51, rendering intent perceptual", "available (de)", "PDF with comments", report.FixTitle(report.FixBleed, "en"), "page 2: BleedBox", "the file is signed", "of a later release",
		"Pages that differ: 2.", "so more may differ", "new ink Gold &amp; co", "Cyan on 14.93 cm²", "the page is new after the change",
	} {
		if !strings.Contains(page.text, want) && !strings.Contains(page.text, html.EscapeString(want)) {
			t.Errorf("the page does not contain %q:\n%s", want, page.text)
		}
	}
	for part, want := range map[string]struct{ mediaType, name, text string }{
		"/fixed.pdf":       {"application/pdf", id + "-fixed.pdf", "%PDF-1.7 fixed"},
		"/annotated.pdf":   {"application/pdf", id + "-annotated.pdf", "%PDF-1.7 annotated"},
		"/fixes.json":      {"application/json", id + "-fixes.json", `"fixVersion"`},
		"/comparison.json": {"application/json", id + "-comparison.json", `"comparisonVersion"`},
	} {
		got := b.get(t, "/preflight/"+id+part).want(t, 200, want.text)
		if got.Header().Get("Content-Type") != want.mediaType || got.Header().Get("Content-Disposition") != `attachment; filename="`+want.name+`"` {
			t.Errorf("%s: %v, want %s as %s", part, got.Header(), want.mediaType, want.name)
		}
		d.signedIn(t, "stark-live").get(t, "/preflight/"+id+part).want(t, 404, "The record does not exist")
	}
	d.Advance(24 * time.Hour)
	d.signedIn(t, "acme-live").get(t, "/preflight/"+id+"/fixed.pdf").want(t, 410, "The copy of your file has expired")
}

func TestJobWithoutFixesHasNoSectionsForThem(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.begin(t, id)
	d.finish(t, id, warned)
	b := d.signedIn(t, "acme-live")
	page := b.get(t, "/preflight/"+id).want(t, 200, "Report")
	for _, part := range []string{"Fixes", "Comparison", "Requested fixes"} {
		if strings.Contains(page.text, part) {
			t.Errorf("the page contains %q:\n%s", part, page.text)
		}
	}
	b.get(t, "/preflight/"+id+"/fixed.pdf").want(t, 404, "without `fix`")
}

// TestReportsMatchTheAPI compares every media type with the response of the API.
func TestReportsMatchTheAPI(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.submit(t, acmeLive, "flyer.pdf")
	b := d.signedIn(t, "acme-live")
	for _, part := range []string{"/report", "/report.json", "/report.xfdf", "/report.pdf"} {
		b.get(t, "/preflight/"+id+part).want(t, 409, "The job has not ended yet.")
	}
	d.begin(t, id)
	d.finish(t, id, warned)
	b.get(t, "/preflight/"+id+"/report?lang=de").want(t, 200, `<html lang="de">`).want(t, 200, `href="report.pdf?lang=de"`)
	b.get(t, "/preflight/"+id+"/report?lang=tlh").want(t, 400, "The parameter lang must be en or de.")
	for part, kept := range map[string]string{
		"/report": "", "/report.json": `attachment; filename="` + id + `.json"`, "/report.xfdf": `attachment; filename="` + id + `.xfdf"`,
	} {
		for language, want := range map[string]string{"en": "Simulated verdict", "de-DE, de;q=0.9, en;q=0.5": "Simuliertes Ergebnis"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/preflight/"+id+part, nil)
			r.Header.Set("Accept-Language", language)
			page := b.send(t, r).want(t, 200, want)
			api := d.Do(t, apitest.Request{
				Method: http.MethodGet, Path: "/api/v1/preflight/" + id + "/report", Key: "acme-live",
				Header: map[string]string{"Accept": page.Header().Get("Content-Type"), "Accept-Language": language},
			})
			// The dashboard links other forms of the report than the API.
			forms := regexp.MustCompile(`<nav class="forms".*?</nav>`)
			if forms.ReplaceAllString(page.text, "") != forms.ReplaceAllString(string(api.Body), "") || page.Header().Get("Content-Disposition") != kept {
				t.Errorf("%s in %s: Content-Disposition %q, want %q, and\n%s\nof the API: %s",
					part, language, page.Header().Get("Content-Disposition"), kept, page.text, api.Body)
			}
			for _, field := range []string{"Content-Type", "Content-Language"} {
				if page.Header().Get(field) != api.Header.Get(field) {
					t.Errorf("%s in %s: %s %q, the API has %q", part, language, field, page.Header().Get(field), api.Header.Get(field))
				}
			}
			if vary := page.Header().Values("Vary"); !slices.Contains(vary, "Accept-Language") {
				t.Errorf("%s: Vary %q, want Accept-Language", part, vary)
			}
		}
	}
}

func TestInvalidStoredReportIsAServerError(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.begin(t, id)
	d.finish(t, id, preflightjob.Result{Report: []byte(`{"reportVersion":"x"}`), Verdict: preflightjob.Pass})
	d.signedIn(t, "acme-live").get(t, "/preflight/"+id+"/report").want(t, 500, "An internal error occurred.")
}

func TestExpiredJobIsGone(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.begin(t, id)
	d.finish(t, id, warned)
	d.Advance(preflightjob.Retention)
	b := d.signedIn(t, "acme-live")
	b.get(t, "/preflight").want(t, 200, "There are no jobs. Jobs are listed for 30 days.")
	for _, part := range []string{"", "/report", "/progress"} {
		b.get(t, "/preflight/"+id+part).want(t, 410, "The job has passed its retention period.")
	}
}

func TestJobsAreFilteredByStatus(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.submit(t, acmeLive, "flyer.pdf")
	b := d.signedIn(t, "acme-live")
	b.get(t, "/preflight?status=queued").want(t, 200, "flyer.pdf")
	b.get(t, "/preflight?status=").want(t, 200, "flyer.pdf")
	b.get(t, "/preflight?status=failed").want(t, 200, "There are no jobs with the status failed.")
	b.get(t, "/preflight?status=lost").want(t, 400, "The parameter status must be")
	b.get(t, "/preflight?cursor=mine").want(t, 400, "The cursor is not valid")
}

// TestPreflightPagesRequireTheScopesOfTheAPI compares the responses of pages and of the API
// to keys without some scopes, and while the capability is closed.
func TestPreflightPagesRequireTheScopesOfTheAPI(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.begin(t, id)
	d.finish(t, id, warned)
	scopes := func(names ...v1alpha1.Scope) func() {
		return func() {
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].Scopes = names })
		}
	}
	for _, step := range []struct {
		change func()
		status int
		text   string
	}{
		{scopes("account:read", "preflight:read"), 200, "flyer.pdf"},
		{scopes("account:read", "preflight:write"), 403, "does not have the scope preflight:read"},
		{scopes("account:read"), 403, "does not have the scope preflight:read"},
		{func() { scopes("account:read", "preflight:read")(); d.Kill(posture.Preflight) }, 503, "The capability preflight is not available."},
	} {
		step.change()
		b := d.signedIn(t, "acme-live")
		api := d.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/preflight/" + id, Key: "acme-live"})
		if api.Status != step.status {
			t.Errorf("the API answers %d, want %d", api.Status, step.status)
		}
		for _, path := range []string{"/preflight", "/preflight/" + id} {
			b.get(t, path).want(t, step.status, step.text)
		}
		for _, part := range []string{"/report", "/report.json", "/progress"} {
			if answer := b.get(t, "/preflight/"+id+part); answer.Code != step.status {
				t.Errorf("%s is answered %d, want %d", part, answer.Code, step.status)
			}
		}
	}
}

func TestPagesOfPreflightCountAsRequestsToItsSurface(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.Limit("acme", "preflight", 3)
	b := d.signedIn(t, "acme-live")
	for range 3 {
		b.get(t, "/preflight").want(t, 200, "Preflight")
	}
	for _, path := range []string{"/preflight", "/preflight/pref_x", "/preflight/pref_x/progress"} {
		b.get(t, path).want(t, 429, "exceeded its rate limit")
	}
	b.get(t, "/rfqs").want(t, 200, "RFQs")
}

func TestUnavailableStoreIsReportedOnPreflightPages(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.Store.Set(storetest.Away)
	for _, path := range []string{"/preflight", "/preflight/" + id, "/preflight/" + id + "/report", "/preflight/" + id + "/progress"} {
		b.get(t, path).want(t, 503, "The records are temporarily unavailable.")
	}
}

func TestPreflightPagesRejectPOST(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	for _, path := range append(private, "/preflight/pref_x/progress") {
		if path == "/preflight" {
			continue // receives the form of a new job
		}
		if answer := b.post(t, path, nil).want(t, 405, ""); answer.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", path, answer.Header().Get("Allow"))
		}
	}
}

// TestStreamEndsWhenAccessIsRevoked revokes the access behind an open stream in several ways.
func TestStreamEndsWhenAccessIsRevoked(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testDashboard){
		"the key is revoked":                  func(d *testDashboard) { d.Revoke("acme", "live") },
		"the capability closes":               func(d *testDashboard) { d.Kill(posture.Preflight) },
		"the posture is stale":                func(d *testDashboard) { d.Stale() },
		"the session has ended":               func(d *testDashboard) { d.Advance(15 * time.Minute) },
		"the key must not see the account":    func(d *testDashboard) { d.scopes("preflight:read") },
		"the key must not read jobs any more": func(d *testDashboard) { d.scopes("account:read") },
		"the partner requires certificates":   func(d *testDashboard) { d.Pin("acme", true) },
		"the contract has ended": func(d *testDashboard) {
			over := metav1.NewTime(d.Clock.Now())
			d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract.EffectiveUntil = &over })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			id := d.submit(t, acmeLive, "flyer.pdf")
			s := d.follow(t, d.signedIn(t, "acme-live"), id, "")
			s.want(t, "1-queued")
			end(d)
			d.begin(t, id)
			s.wantEnd(t)
		})
	}
}

// scopes replaces the scopes of acme's first key.
func (d *testDashboard) scopes(names ...v1alpha1.Scope) {
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys[0].Scopes = names })
}

func TestHeadOfProgressReturnsOnlyTheHeader(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	id := d.submit(t, acmeLive, "flyer.pdf")
	answer := b.send(t, httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/preflight/"+id+"/progress", nil)).want(t, 200, "")
	if answer.Header().Get("Content-Type") != "text/event-stream" || answer.text != "" {
		t.Errorf("%v, %q", answer.Header(), answer.text)
	}
}
