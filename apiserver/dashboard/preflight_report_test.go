// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/test/apitest"
)

// pictured submits a job that ends with a warning and pictures of the pages 1 to n.
func (d *testDashboard) pictured(t *testing.T, n int) string {
	t.Helper()
	var w pageimage.Writer
	for number := range n {
		page := pageimage.Page{Number: number + 1, Width: 128, Height: 64, Inks: []string{"Cyan"}}
		if ok, err := w.Add(page, image.NewGray(image.Rect(0, 0, 64, 32)), []*image.Gray{image.NewGray(image.Rect(0, 0, 64, 32))}); !ok || err != nil {
			t.Fatalf("w.Add = %t, %v", ok, err)
		}
	}
	made, err := report.Decode(warned.Report)
	if err != nil {
		t.Fatalf("report.Decode: %v", err)
	}
	for number := range n {
		made.Pages = append(made.Pages, report.Page{Number: number + 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 128, 64}, Trim: &report.Rect{8, 8, 120, 56}}})
	}
	return d.inspected(t, "flyer.pdf", made, &w)
}

// inspected submits a job that ends with a report and pictures.
func (d *testDashboard) inspected(t *testing.T, name string, made report.Report, pictures *pageimage.Writer) string {
	t.Helper()
	set, err := pictures.Bytes()
	if err != nil {
		t.Fatalf("pictures.Bytes: %v", err)
	}
	file, err := d.Files.Keep(t.Context(), acmeLive, preflightjob.PictureFile, bytes.NewReader(set), int64(len(set)))
	if err != nil {
		t.Fatalf("Keep: %v", err)
	}
	result := warned
	result.Verdict, result.Pictures = preflightjob.Verdict(made.Verdict), &preflightjob.Pictures{File: file, Pages: len(made.Pages)}
	if result.Report, err = report.Encode(made); err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	id := d.submit(t, acmeLive, name)
	d.begin(t, id)
	d.finish(t, id, result)
	return id
}

func TestDashboardAndAPIDrawPicturesWithTheSameSlots(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.pictured(t, 1)
	b := d.signedIn(t, "acme-live")
	onPage, onAPI := "/preflight/"+id+"/pages/1?width=32", apitest.Request{Method: "GET", Path: "/api/v1/preflight/" + id + "/pages/1.png", Key: "acme-live"}
	for range cap(d.Drawing) {
		d.Drawing <- struct{}{}
	}
	var both sync.WaitGroup // each waits for a slot
	var page shown
	var answer apitest.Answer
	both.Go(func() { page = b.get(t, onPage) })
	both.Go(func() { answer = d.Do(t, onAPI) })
	both.Wait()
	page.want(t, 503, "")
	answer.Want(t, 503, problem.CodeOverloaded)
	<-d.Drawing
	b.get(t, onPage).want(t, 200, "")
	d.Do(t, onAPI).Want(t, 200, "")
}

func TestJobPageShowsThePagesAndFindings(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.pictured(t, 14)
	b := d.signedIn(t, "acme-live")
	page := b.get(t, "/preflight/"+id).want(t, 200, "<h1>flyer.pdf</h1>")
	for _, want := range []string{"Simulated verdict: the profile", "Submit the file with an inspection profile.", `src="/preflight/` + id + `/pages/12?width=160"`, `href="?page=2#page"`, `<article class="finding warning" id="f1">`, "<summary>Details</summary>", "2 more pages in the report", "/report.pdf"} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page does not contain %q:\n%s", want, page.text)
		}
	}
	if strings.Contains(page.text, "/pages/13") {
		t.Error("the page shows page 13, want at most 12 pictures")
	}
	for query, width := range map[string]int{"": 64, "?layer=": 64, "?layer=Cyan": 64, "?width=32": 32, "?width=4000": 64} {
		path := "/preflight/" + id + "/pages/12" + query
		picture := b.get(t, path).want(t, 200, "")
		if drawn, err := jpeg.Decode(strings.NewReader(picture.text)); err != nil || drawn.Bounds().Dx() != width {
			t.Errorf("%s: %v, %v, want a JPEG of %d pixels", path, drawn, err, width)
		}
		again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		again.Header.Set("If-None-Match", picture.Header().Get("ETag"))
		b.send(t, again).want(t, 304, "")
	}
	for name, path := range map[string]string{
		"a page that the file does not have":  "/preflight/" + id + "/pages/15",
		"a page that is no number":            "/preflight/" + id + "/pages/cover",
		"a layer that the page does not have": "/preflight/" + id + "/pages/1?layer=Gold",
		"a width out of range":                "/preflight/" + id + "/pages/1?width=15",
		"a width that is no number":           "/preflight/" + id + "/pages/1?width=full",
		"a job that does not exist":           "/preflight/pref_01KB0QXR80M4T7Q2C9W6H3JZVN/pages/1",
	} {
		if got := b.get(t, path); got.Code != 404 {
			t.Errorf("%s: status %d, want 404", name, got.Code)
		}
	}
	d.signedIn(t, "acme-test").get(t, "/preflight/"+id+"/pages/1").want(t, 404, "")
}

func TestJobPageLoadsCloseUps(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	made, err := report.Decode(warned.Report)
	if err != nil {
		t.Fatalf("report.Decode: %v", err)
	}
	made.Pages = []report.Page{{Number: 1, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 600, 800}}}}
	made.Findings[0].Page, made.Findings[0].BBox = 1, &report.Rect{290, 390, 310, 410}
	var w pageimage.Writer
	picture := image.NewGray(image.Rect(0, 0, 60, 80))
	if ok, err := w.Add(pageimage.Page{Number: 1, Width: 600, Height: 800, Inks: []string{}}, picture, nil); !ok || err != nil {
		t.Fatalf("w.Add = %t, %v", ok, err)
	}
	part := pageimage.CloseUp{X: 257.33, Y: 368, Width: 85.33, Height: 64}
	if ok, err := w.AddCloseUp(1, part, image.NewGray(image.Rect(0, 0, 48, 36))); !ok || err != nil {
		t.Fatalf("w.AddCloseUp = %t, %v", ok, err)
	}
	id := d.inspected(t, "flyer.pdf", made, &w)
	b := d.signedIn(t, "acme-live")
	pages := "/preflight/" + id + "/pages/1"
	b.get(t, "/preflight/"+id).want(t, 200, `href="`+pages+`?closeUp=0"`)
	file := b.get(t, pages+"?closeUp=0").want(t, 200, "")
	if config, err := jpeg.DecodeConfig(strings.NewReader(file.text)); err != nil || config.Width != 48 {
		t.Errorf("the close-up has %d pixels, %v", config.Width, err)
	}
	for _, unknown := range []string{"?closeUp=1", "?closeUp=-1", "?closeUp=first"} {
		b.get(t, pages+unknown).want(t, 404, "")
	}
}

func TestJobPageShowsTheReportWithoutDamagedPictures(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	damaged := []byte("PK but no archive")
	file, err := d.Files.Keep(t.Context(), acmeLive, preflightjob.PictureFile, bytes.NewReader(damaged), int64(len(damaged)))
	if err != nil {
		t.Fatalf("Keep: %v", err)
	}
	id := d.submit(t, acmeLive, "flyer.pdf")
	d.begin(t, id)
	result := warned
	result.Pictures = &preflightjob.Pictures{File: file, Pages: 1}
	d.finish(t, id, result)
	b := d.signedIn(t, "acme-live")
	b.get(t, "/preflight/"+id).want(t, 200, "Simulated verdict").want(t, 200, "The pictures of the job are damaged.")
	b.get(t, "/preflight/"+id+"/report").want(t, 200, "Simulated verdict")
	b.get(t, "/preflight/"+id+"/pages/1").want(t, 500, "")
}

func TestReportIsSharedAndRevokedOnThePageOfItsJob(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.pictured(t, 1)
	b := d.signedIn(t, "acme-live")
	path := "/preflight/" + id
	b.post(t, path+"/shares", url.Values{"days": {"7"}}).want(t, 303, "")
	listed := b.get(t, path+"?done=shared").want(t, 200, "Link created.")
	address := regexp.MustCompile(`http://api\.example\.com(/shared/[\w-]+)`).FindString(listed.text)
	job, err := d.Jobs.Shared(t.Context(), strings.TrimPrefix(address, "http://api.example.com/shared/"))
	if err != nil || job.ID != id {
		t.Fatalf("the link %q leads to %q, %v; want the report of %s", address, job.ID, err, id)
	}
	revoke := regexp.MustCompile(`/preflight/[\w]+/shares/([\w]+)/revoke`).FindString(listed.text)
	d.signedIn(t, "acme-test").post(t, revoke, nil).want(t, 404, "")
	b.post(t, revoke, nil).want(t, 303, "")
	b.get(t, path+"?done=revoked").want(t, 200, "Link revoked.")
	if _, err := d.Jobs.Shared(t.Context(), strings.TrimPrefix(address, "http://api.example.com/shared/")); err == nil {
		t.Error("the revoked link still leads to the report")
	}
	b.post(t, revoke, nil).want(t, 404, "")
}

func TestLinksAreRefused(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	id := d.pictured(t, 1)
	path := "/preflight/" + id + "/shares"
	b := d.signedIn(t, "acme-live")
	b.post(t, path, url.Values{"days": {"3650"}}).want(t, 400, "")
	b.post(t, path, nil).want(t, 400, "")
	open := d.submit(t, acmeLive, "open.pdf")
	b.post(t, "/preflight/"+open+"/shares", url.Values{"days": {"1"}}).want(t, 409, "The job has not ended yet.")
	d.signedIn(t, "acme-test").post(t, path, url.Values{"days": {"1"}}).want(t, 404, "")
	for range preflightjob.MaxShares {
		if _, err := d.Jobs.Share(t.Context(), acmeLive, id, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	b.post(t, path, url.Values{"days": {"1"}}).want(t, 409, "Revoke one of them first.")

	reader := d.signedIn(t, "acme-reads")
	reader.get(t, "/preflight/"+id).want(t, 200, "Your API key cannot create links.")
	reader.post(t, path, url.Values{"days": {"1"}}).want(t, 403, "preflight:write")
}
