// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/test/browsertest"
)

// pdf is the content of an uploaded file. Only workers read it.
const pdf = "%PDF-1.7\n%%EOF\n"

// part is one part of a form; one with a file name is a file.
type part struct{ name, file, content string }

// upload sends parts as the form of a new job, with the header fields of a browser.
func (b *browser) upload(t testing.TB, parts ...part) shown {
	t.Helper()
	return b.send(t, uploadRequest(t, parts...))
}

func uploadRequest(t testing.TB, parts ...part) *http.Request {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, p := range parts {
		create := form.CreateFormField
		if p.name == "file" {
			create = func(name string) (io.Writer, error) { return form.CreateFormFile(name, p.file) }
		}
		into, err := create(p.name)
		if err != nil {
			t.Fatalf("form: %v", err)
		}
		if _, err := into.Write([]byte(p.content)); err != nil {
			t.Fatalf("into.Write: %v", err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatalf("form.Close: %v", err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/preflight", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// jobs returns all jobs of a tenant, the newest first.
func (d *testDashboard) jobs(t testing.TB, owner tenant.ID) []preflightjob.Job {
	t.Helper()
	list, err := d.Jobs.List(t.Context(), owner, preflightjob.Page{Limit: 50})
	if err != nil {
		t.Fatalf("d.Jobs.List: %v", err)
	}
	return list.Items
}

// stored counts the stored files.
func (d *testDashboard) stored(t testing.TB) int {
	t.Helper()
	count := 0
	err := filepath.WalkDir(d.FilesDir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			count++
		}
		return err
	})
	if err != nil {
		t.Fatalf("filepath.WalkDir: %v", err)
	}
	return count
}

func TestFormCreatesAJobForItsFile(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b := d.signedIn(t, "acme-live")
	sent := b.upload(t, part{name: "profile", content: "pdfx4"}, part{name: "width", content: "148"}, part{name: "height", content: "210.5"},
		part{name: "pages", content: "2"}, part{name: "quantity", content: "5e3"}, part{name: "process", content: "4"},
		part{name: "spots", content: "Gold, , PANTONE 185 C"}, part{name: "rfqId"}, part{name: "clientReference"},
		part{name: "fix", content: "auto"}, part{name: "annotate", content: "de"},
		part{name: "file", file: "flyer final.pdf", content: pdf}).want(t, http.StatusSeeOther, "")
	jobs := d.jobs(t, acmeLive)
	if len(jobs) != 1 {
		t.Fatalf("%d jobs, want 1", len(jobs))
	}
	job := jobs[0]
	if got, want := sent.Header().Get("Location"), "/preflight/"+job.ID; got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	want := &jobticket.Ticket{
		TrimSize: &jobticket.Size{Width: 148, Height: 210.5}, Pages: 2, Quantity: 5000, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold", "PANTONE 185 C"}},
	}
	if diff := cmp.Diff(want, job.Ticket); diff != "" {
		t.Errorf("ticket (-want +got):\n%s", diff)
	}
	if job.Profile != "pdfx4" || job.ClientReference != "flyer final.pdf" || job.Status != preflightjob.Queued || job.Fixes != preflightjob.FixAuto || job.Annotate != "de" {
		t.Errorf("job %+v", job)
	}
	content, err := d.Files.Open(t.Context(), acmeLive, job.FileURL.FileID())
	if err != nil {
		t.Fatalf("d.Files.Open: %v", err)
	}
	defer func() { _ = content.Close() }()
	if text, err := os.ReadFile(content.Name()); err != nil || string(text) != pdf {
		t.Errorf("file %q, error %v", text, err)
	}
	b.get(t, "/preflight").want(t, 200, ">flyer final.pdf</a>")
	// The page is that of the tenant of the session.
	d.signedIn(t, "stark-live").get(t, path.Join("/preflight", job.ID)).want(t, 404, "")
}

var tokenField = regexp.MustCompile(`name="token" value="([0-9a-f]{32})"`)

func TestFormThatIsSentTwiceCreatesOneJob(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	b, stark := d.signedIn(t, "acme-live"), d.signedIn(t, "stark-live")
	token := tokenField.FindStringSubmatch(b.get(t, "/preflight").want(t, 200, "").text)
	if token == nil {
		t.Fatal("the form has no token")
	}
	send := func(from *browser, profile, content string) string {
		t.Helper()
		return from.upload(t, part{name: "token", content: token[1]}, part{name: "profile", content: profile}, part{name: "file", file: "a.pdf", content: content}).
			want(t, http.StatusSeeOther, "").Header().Get("Location")
	}
	first := send(b, "print_ready", pdf)
	if again := send(b, "print_ready", pdf); again != first {
		t.Errorf("the same form leads to %s, want %s", again, first)
	}
	if got := d.stored(t); got != 1 {
		t.Errorf("%d stored files, want 1: the second upload is deleted", got)
	}
	for name, location := range map[string]string{
		"another file":                          send(b, "print_ready", pdf+"%"),
		"another profile":                       send(b, "pdfx4", pdf),
		"the same form of another organization": send(stark, "print_ready", pdf),
	} {
		if location == first {
			t.Errorf("%s leads to the first job", name)
		}
	}
	if got := len(d.jobs(t, acmeLive)); got != 3 {
		t.Errorf("%d jobs, want 3", got)
	}
	if next := tokenField.FindStringSubmatch(b.get(t, "/preflight").text); next == nil || next[1] == token[1] {
		t.Errorf("the next form has the token %v", next)
	}
}

func TestRejectedFormShowsTheReasonAndStoresNothing(t *testing.T) {
	t.Parallel()
	file := part{name: "file", file: "a.pdf", content: pdf}
	profile := part{name: "profile", content: "print_ready"}
	tests := map[string]struct {
		key     string
		prepare func(*testDashboard)
		parts   []part
		status  int
		want    []string
	}{
		"an unknown profile":             {parts: []part{{name: "profile", content: "glossy"}, file}, status: 422, want: []string{"<strong>Profile</strong> must be one of", "PREFLIGHT_INVALID"}},
		"a number of pages that is text": {parts: []part{profile, {name: "pages", content: "two"}, file}, status: 422, want: []string{"<strong>Pages</strong>", "PREFLIGHT_INVALID"}},
		"a width without a height":       {parts: []part{profile, {name: "width", content: "10"}, file}, status: 422, want: []string{"Trim ", "PREFLIGHT_INVALID"}},
		"an unknown RFQ":                 {parts: []part{profile, {name: "rfqId", content: "rfq_x"}, file}, status: 422, want: []string{"<strong>RFQ</strong> must be the id of one of your RFQs"}},
		"no file":                        {parts: []part{profile}, status: 400, want: []string{"INVALID_REQUEST"}},
		"a file without a name":          {parts: []part{profile, {name: "file"}}, status: 400, want: []string{"Choose a PDF.", "INVALID_REQUEST"}},
		"an empty file":                  {parts: []part{profile, {name: "file", file: "a.pdf"}}, status: 400, want: []string{"The file is empty."}},
		"a field after the file":         {parts: []part{file, profile}, status: 400, want: []string{"INVALID_REQUEST"}},
		"a field that is too long":       {parts: []part{profile, {name: "spots", content: strings.Repeat("x", 9000)}, file}, status: 400, want: []string{"too many fields"}},
		"a field twice":                  {parts: []part{profile, profile, file}, status: 400, want: []string{"repeated"}},
		"a token that is no token":       {parts: []part{{name: "token", content: "a b"}, profile, file}, status: 400, want: []string{"invalid token"}},
		"a virus": {
			prepare: func(d *testDashboard) { d.Scanner.Set(false, nil) }, parts: []part{profile, file}, status: 422, want: []string{"The virus scanner rejects the file.", "FILE_REJECTED"},
		},
		"a queue that accepts nothing": {
			prepare: func(d *testDashboard) { d.Intake.Refuse(errors.New("full")) }, parts: []part{profile, file}, status: 503, want: []string{"PREFLIGHT_QUEUE_UNAVAILABLE"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			b := d.signedIn(t, "acme-live")
			if tc.prepare != nil {
				tc.prepare(d)
			}
			page := b.upload(t, tc.parts...).want(t, tc.status, `<a class="icon i-arrow-left" href="/preflight">Submit another file</a>`)
			for _, want := range tc.want {
				if !strings.Contains(page.text, want) {
					t.Errorf("no %q in\n%s", want, page.text)
				}
			}
			if jobs := d.jobs(t, acmeLive); len(jobs) > 0 {
				t.Errorf("%d jobs", len(jobs))
			}
			if tc.status < 500 && d.stored(t) > 0 {
				t.Errorf("%d stored files", d.stored(t))
			}
		})
	}
}

// arriving is a body that does something when the server begins to read it.
type arriving struct {
	io.Reader
	begin func()
}

// Read implements io.Reader.
func (a *arriving) Read(into []byte) (int, error) {
	if a.begin != nil {
		a.begin()
		a.begin = nil
	}
	return a.Reader.Read(into)
}

// TestUploadRequiresWhatTheAPIRequires changes the access of the key before and during an upload.
func TestUploadRequiresWhatTheAPIRequires(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*testDashboard)
		// page is the status of the list with its text, before that of an upload with its code.
		page   int
		text   string
		before int
		code   string
		during int
	}{
		"the key must not write": {
			change: func(d *testDashboard) { d.scopes("account:read", "preflight:read") },
			page:   200, text: "You cannot upload files here: The API key does not have the scope preflight:write.", before: 403, code: "INSUFFICIENT_SCOPE", during: 403,
		},
		"the capability is closed":   {change: func(d *testDashboard) { d.Kill(posture.Preflight) }, page: 503, text: "The capability preflight is not available.", before: 503, code: "PREFLIGHT_", during: 403},
		"the key is revoked":         {change: func(d *testDashboard) { d.Revoke("acme", "live") }, page: 303, before: 303, during: 403},
		"the session has expired":    {change: func(d *testDashboard) { d.Advance(15 * time.Minute) }, page: 303, before: 303, during: 403},
		"the posture is out of date": {change: func(d *testDashboard) { d.Stale() }, page: 503, text: "current access rules", before: 503, during: 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			b := d.signedIn(t, "acme-live")
			parts := []part{{name: "profile", content: "print_ready"}, {name: "file", file: "a.pdf", content: pdf}}
			r := uploadRequest(t, parts...)
			r.Body = io.NopCloser(&arriving{r.Body, func() { tc.change(d) }})
			b.send(t, r).want(t, tc.during, "Your access ended during the upload.")
			b.get(t, "/preflight").want(t, tc.page, tc.text)
			b.upload(t, parts...).want(t, tc.before, tc.code)
			if d.stored(t) > 0 {
				t.Errorf("%d stored files", d.stored(t))
			}
		})
	}
}

func TestUploadIsLimitedLikeThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	file := []part{{name: "profile", content: "print_ready"}, {name: "file", file: "a.pdf", content: pdf}}
	t.Run("a file that is too large", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		r := uploadRequest(t, file...)
		r.ContentLength = 300 << 20
		d.signedIn(t, "acme-live").send(t, r).want(t, 413, "The file is larger than 268435456 bytes.")
	})
	t.Run("too many uploads at once", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		none := d.Preflight()
		none.Uploads = gate.NewUploads(0, 1, time.Minute)
		d.handlerWith(t, func(c *dashboard.Config) { c.Forms = d.forms(t, none) })
		b := d.signedIn(t, "acme-live")
		r := uploadRequest(t, file...)
		r.Body = io.NopCloser(&arriving{r.Body, func() {
			second := browser{dashboard: d, cookie: b.cookie}
			second.upload(t, file...).want(t, 503, "Your organization is uploading too many files at once.")
		}})
		b.send(t, r).want(t, 303, "")
	})
	t.Run("too many requests", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		d.Limit("acme", "preflight", 3)
		b := d.signedIn(t, "acme-live")
		b.upload(t, file...).want(t, 303, "") // counts as two requests, as over the API
		b.upload(t, file...).want(t, 429, "RATE_LIMIT_EXCEEDED")
	})
	t.Run("a used-up quota", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		d.Grant("acme", "preflight", 1)
		b := d.signedIn(t, "acme-live")
		b.upload(t, file...).want(t, 303, "")
		b.upload(t, file...).want(t, 429, "PREFLIGHT_QUOTA_EXCEEDED")
		if got := d.stored(t); got != 1 {
			t.Errorf("%d stored files, want 1", got)
		}
	})
	t.Run("no storage", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		none := d.Preflight()
		none.Files = preflightjob.NewFiles(preflightjob.FilesConfig{})
		d.handlerWith(t, func(c *dashboard.Config) { c.Forms = d.forms(t, none) })
		b := d.signedIn(t, "acme-live")
		b.get(t, "/preflight").want(t, 200, "You cannot upload files here: This installation stores no files.")
		b.upload(t, file...).want(t, 503, "FILES_DISABLED")
	})
	t.Run("a form of another site", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		r := uploadRequest(t, file...)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		d.signedIn(t, "acme-live").send(t, r).want(t, 403, "The form was sent from another site")
		if got := d.jobs(t, acmeLive); len(got) > 0 {
			t.Errorf("%d jobs", len(got))
		}
	})
	t.Run("a form without a session", func(t *testing.T) {
		t.Parallel()
		(&browser{dashboard: newDashboard(t)}).upload(t, file...).toSignIn(t)
	})
	t.Run("a body that is no form", func(t *testing.T) {
		t.Parallel()
		d := newDashboard(t)
		d.signedIn(t, "acme-live").post(t, "/preflight", url.Values{"profile": {"print_ready"}}).want(t, 415, "UNSUPPORTED_MEDIA_TYPE")
	})
}

// TestFileIsDroppedInABrowser drops and chooses files with and without the script of the page.
func TestFileIsDroppedInABrowser(t *testing.T) {
	t.Parallel()
	axe := browsertest.Axe(t)
	d := newDashboard(t, func(c *dashboard.Config) { c.Plain = true })
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	b := browsertest.Start(t)
	signIn := b.Open(t)
	signIn.Go(server.URL + "/sign-in?next=/preflight")
	signIn.Write("#key", d.Key("acme-live"))
	signIn.Click(".sign-in button")
	signIn.Await(`location.pathname === "/preflight" && document.querySelector("#upload")`)
	// drop is a JavaScript expression that drops a file with some content.
	drop := func(name, content string) string {
		return fmt.Sprintf(`(() => {
			const data = new DataTransfer();
			data.items.add(new File([%s], %q, {type: "application/pdf"}));
			document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
			return true;
		})()`, content, name)
	}
	const queued = `location.pathname.startsWith("/preflight/pref_") && document.getElementById("state")?.textContent === "queued"`
	var done bool

	t.Run("a dropped file is followed to its report", func(t *testing.T) {
		p := b.Open(t)
		p.Go(server.URL + "/preflight")
		for _, violation := range p.Violations(axe) {
			t.Error(violation)
		}
		p.Eval(drop("dropped.pdf", `"%PDF-1.7 " + "x".repeat(8 << 20)`), &done)
		p.Await(queued)
		id := d.jobs(t, acmeLive)[0].ID
		d.begin(t, id)
		d.progress(t, id, 3, 9)
		p.Await(bar("processing", 3, 9))
		d.finish(t, id, warned)
		p.Await(`document.getElementById("state")?.textContent === "succeeded" && document.querySelector("a[href*='/report?']")`)
		p.WantNoErrors(server.URL, 6)
	})
	t.Run("a refused file is explained on the page", func(t *testing.T) {
		p := b.Open(t)
		p.Go(server.URL + "/preflight")
		p.Eval(drop("empty.pdf", `""`), &done)
		p.Await(`document.querySelector("h1").textContent === "Invalid request" && document.body.innerText.includes("The file is empty.") && document.body.innerText.includes("INVALID_REQUEST")`)
		p.Click(`.back a`)
		p.Await(`document.querySelector("#upload")`)
	})
	t.Run("a file that is too large is not sent", func(t *testing.T) {
		p := b.Open(t)
		p.Go(server.URL + "/preflight")
		p.Eval(`document.querySelector("#upload").dataset.limit === "268435456"`, &done)
		p.Eval(`(() => { Object.defineProperty(File.prototype, "size", {get: () => 300 * 1048576}); return true; })()`, &done)
		p.Eval(drop("large.pdf", `"x"`), &done)
		p.Await(`document.getElementById("upload-status").textContent === "The file has 300.0 MiB, which is more than 256.0 MiB."`)
	})
	t.Run("two files are not sent", func(t *testing.T) {
		p := b.Open(t)
		p.Go(server.URL + "/preflight")
		p.Eval(strings.Replace(drop("a.pdf", `"x"`), "data.items.add", `data.items.add(new File(["y"], "b.pdf")); data.items.add`, 1), &done)
		p.Await(`document.getElementById("upload-status").textContent === "Drop one file."`)
	})
	t.Run("without scripts the form is sent by the browser", func(t *testing.T) {
		p := b.Open(t)
		p.Do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		p.Go(server.URL + "/preflight")
		name := filepath.Join(t.TempDir(), "chosen.pdf")
		if err := os.WriteFile(name, []byte(pdf), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		p.Choose("#file", name)
		p.Click("#upload button")
		p.Await(queued)
		if !slices.ContainsFunc(d.jobs(t, acmeLive), func(job preflightjob.Job) bool { return job.ClientReference == "chosen.pdf" }) {
			t.Error("no job has the name of the file")
		}
		p.WantNoErrors(server.URL, 3)
	})
}
