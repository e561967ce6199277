// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"bytes"
	"image"
	"image/color"
	_ "image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "golang.org/x/image/webp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/test/apitest"
)

// inkPlane is a plane of 64 by 32 pixels with one amount.
func inkPlane(amount uint8) *image.Gray {
	plane := image.NewGray(image.Rect(0, 0, 64, 32))
	for i := range plane.Pix {
		plane.Pix[i] = amount
	}
	return plane
}

// keptPictures stores a set with the pages 1 and 3, on white paper in two full inks.
func keptPictures(t *testing.T, server *apitest.Server) preflightjob.File {
	t.Helper()
	var w pageimage.Writer
	for _, number := range []int{1, 3} {
		page := pageimage.Page{Number: number, Width: 128, Height: 64.5, Inks: []string{"Cyan", "Gold & Silver"}}
		if ok, err := w.Add(page, inkPlane(255), []*image.Gray{inkPlane(255), inkPlane(255)}); !ok || err != nil {
			t.Fatalf("w.Add = %t, %v", ok, err)
		}
	}
	set, err := w.Bytes()
	if err != nil {
		t.Fatalf("w.Bytes: %v", err)
	}
	file, err := server.Files.Keep(t.Context(), server.Tenant("acme-live"), preflightjob.PictureFile, bytes.NewReader(set), int64(len(set)))
	if err != nil {
		t.Fatalf("server.Files.Keep: %v", err)
	}
	return file
}

// picturedJob is a job that has ended with pictures; it returns its path.
func picturedJob(t *testing.T, server *apitest.Server) string {
	t.Helper()
	id := submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	begin(t, server, id)
	finish(t, server, id, preflightjob.Result{
		Report: stored, Verdict: preflightjob.Warn, Pictures: &preflightjob.Pictures{File: keptPictures(t, server), Pages: 2},
	})
	return "/api/v1/preflight/" + id
}

func TestJobReturnsThePicturesOfItsPages(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := picturedJob(t, server)
	var job struct{ Links map[string]string }
	get(t, server, "acme-live", path).Want(t, 200, "").Into(t, &job)
	if job.Links["pages"] != path+"/pages" {
		t.Errorf("links = %v, want the list of pages", job.Links)
	}
	list := get(t, server, "acme-live", path+"/pages").Want(t, 200, "")
	var got struct{ Pages []map[string]any }
	list.Into(t, &got)
	page := func(number float64, picture string) map[string]any {
		return map[string]any{
			"page": number, "width": 128.0, "height": 64.5, "pixelWidth": 64.0, "pixelHeight": 32.0,
			"inks": []any{"Cyan", "Gold & Silver"}, "links": map[string]any{"picture": path + picture},
		}
	}
	if diff := cmp.Diff([]map[string]any{page(1, "/pages/1.png"), page(3, "/pages/3.png")}, got.Pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}

	white, black := color.Gray{255}, color.Gray{0}
	tests := map[string]struct {
		query string
		size  image.Point
		want  color.Color
	}{
		"the page as it is printed":     {"", image.Pt(64, 32), white},
		"the page, by its name":         {"?layer=printed", image.Pt(64, 32), white},
		"the page in a smaller width":   {"?width=16", image.Pt(16, 8), white},
		"the page in a larger width":    {"?width=4000", image.Pt(64, 32), white},
		"an ink":                        {"?layer=Cyan", image.Pt(64, 32), black},
		"an ink with a special name":    {"?width=32&layer=" + url.QueryEscape("Gold & Silver"), image.Pt(32, 16), black},
		"the heat of 200 % of two inks": {"?layer=heat", image.Pt(64, 32), color.RGBA{0xff, 0xe0, 0x82, 0xff}},
	}
	tags := map[string]string{"the list": list.Header.Get("ETag")}
	for name, tc := range tests {
		target := path + "/pages/3.png" + tc.query
		a := server.Do(t, apitest.Request{Method: "GET", Path: target, Key: "acme-live", Header: map[string]string{"Accept": "image/*"}}).Want(t, 200, "")
		if a.Header.Get("Content-Type") != "image/png" || a.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: header %v, want a private image/png", name, a.Header)
		}
		small := server.Do(t, apitest.Request{Method: "GET", Path: path + "/pages/3.webp" + tc.query, Key: "acme-live", Header: map[string]string{"Accept": "image/webp"}}).Want(t, 200, "")
		if small.Header.Get("ETag") == a.Header.Get("ETag") {
			t.Errorf("%s: WebP has the ETag of PNG", name)
		}
		for format, body := range map[string][]byte{"png": a.Body, "webp": small.Body} {
			drawn, decoded, err := image.Decode(bytes.NewReader(body))
			if err != nil || decoded != format || drawn.Bounds().Size() != tc.size {
				t.Errorf("%s: %s %v, %v, want a picture of %v in %s", name, decoded, drawn, err, tc.size, format)
				continue
			}
			if got, want := color.RGBAModel.Convert(drawn.At(5, 5)), color.RGBAModel.Convert(tc.want); got != want {
				t.Errorf("%s: colour %v in %s, want %v", name, got, format, want)
			}
		}
		tag := a.Header.Get("ETag")
		for other, used := range tags {
			if tag == used && tc.query != "?layer=printed" && other != "the page, by its name" {
				t.Errorf("%s has the ETag of %s", name, other)
			}
		}
		tags[name] = tag
		server.Do(t, apitest.Request{Method: "GET", Path: target, Key: "acme-live", Header: map[string]string{"If-None-Match": tag}}).Want(t, 304, "")
		head := server.Do(t, apitest.Request{Method: "HEAD", Path: target, Key: "acme-live"})
		if head.Status != 200 || head.Header.Get("ETag") != tag {
			t.Errorf("HEAD of %s: %d, %v, want the header of GET", name, head.Status, head.Header)
		}
	}
	server.Do(t, apitest.Request{Method: "GET", Path: path + "/pages", Key: "acme-live", Header: map[string]string{"If-None-Match": list.Header.Get("ETag")}}).Want(t, 304, "")
}

func TestPicturesOfOthersAndUnknownPicturesAreNotFound(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := picturedJob(t, server)
	for _, stranger := range []string{"stark-live", "acme-test"} {
		for _, below := range []string{"/pages", "/pages/1.png"} {
			get(t, server, stranger, path+below).Want(t, 404, problem.CodeNotFound)
		}
	}
	tests := map[string]struct {
		path   string
		status int
		code   problem.Code
	}{
		"a page without a picture":            {path + "/pages/2.png", 404, problem.CodeNotFound},
		"page 0":                              {path + "/pages/0.png", 404, problem.CodeNotFound},
		"a page that is no number":            {path + "/pages/cover.png", 404, problem.CodeNotFound},
		"a picture in another format":         {path + "/pages/1.gif", 404, problem.CodeNotFound},
		"an ink that the page does not have":  {path + "/pages/1.png?layer=Magenta", 404, problem.CodeNotFound},
		"a width that is too small":           {path + "/pages/1.png?width=15", 400, problem.CodeInvalidRequest},
		"a width that is too large":           {path + "/pages/1.png?width=4001", 400, problem.CodeInvalidRequest},
		"a width that is no number":           {path + "/pages/1.png?width=wide", 400, problem.CodeInvalidRequest},
		"a width that is sent twice":          {path + "/pages/1.png?width=16&width=17", 400, problem.CodeInvalidRequest},
		"an unknown parameter":                {path + "/pages/1.png?height=16", 400, problem.CodeInvalidRequest},
		"pictures of a job without them":      {warned(t, server) + "/pages", 404, problem.CodeNotFound},
		"a picture of a job without pictures": {warned(t, server) + "/pages/1.png", 404, problem.CodeNotFound},
		"pictures of a job in the queue":      {"/api/v1/preflight/" + submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId") + "/pages", 409, problem.CodePreflightReportNotReady},
		"a picture of an unknown job":         {"/api/v1/preflight/pref_01KB0QXR80M4T7Q2C9W6H3JZVN/pages/1.png", 404, problem.CodeNotFound},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { get(t, server, "acme-live", tc.path).Want(t, tc.status, tc.code) })
	}
	server.Advance(preflightjob.Retention)
	get(t, server, "acme-live", path+"/pages").Want(t, 410, problem.CodeGone)
	get(t, server, "acme-live", path+"/pages/1.png").Want(t, 410, problem.CodeGone)
}

func TestPicturesAreNoUploadedFiles(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := picturedJob(t, server)
	id := names(t, server)[0]
	get(t, server, "acme-live", "/api/v1/files/"+id).Want(t, 404, problem.CodeNotFound)
	server.Do(t, apitest.Request{Method: "DELETE", Path: "/api/v1/files/" + id, Key: "acme-live"}).Want(t, 404, problem.CodeNotFound)
	a := submit(t, server, "", `{"fileId":"`+id+`","profile":"print_ready"}`).Want(t, 422, problem.CodePreflightInvalid)
	if !strings.Contains(string(a.Body), "#/fileId") {
		t.Errorf("submission of pictures: %s, want a violation of fileId", a.Body)
	}
	// A later job compares with the file of this one, which was fetched, and not with its pictures.
	body := `{"fileUrl":"https://files.example.com/a.pdf","profile":"print_ready","compareWith":"` + strings.TrimPrefix(path, "/api/v1/preflight/") + `"}`
	submit(t, server, "", body).Want(t, 422, problem.CodePreflightInvalid)
}

func TestPicturesAreRemovedWithTheirJob(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := picturedJob(t, server)
	purge := func() {
		t.Helper()
		if _, err := server.Files.Purge(t.Context(), 10); err != nil {
			t.Fatalf("server.Files.Purge: %v", err)
		}
	}
	server.Advance(preflightjob.Retention - 1)
	purge()
	get(t, server, "acme-live", path+"/pages").Want(t, 200, "")
	server.Advance(1)
	purge()
	if left := names(t, server); len(left) > 0 {
		t.Errorf("files: %v, want none", left)
	}
}

func TestLostAndDamagedPicturesAreReported(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		act    func(file string) error
		status int
		code   problem.Code
	}{
		"lost":    {os.Remove, 404, problem.CodeNotFound},
		"damaged": {func(file string) error { return os.WriteFile(file, []byte("PK"), 0o600) }, 500, problem.CodeInternalError},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			path := picturedJob(t, server)
			if err := filepath.WalkDir(server.FilesDir, func(file string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				return tc.act(file)
			}); err != nil {
				t.Fatalf("filepath.WalkDir: %v", err)
			}
			get(t, server, "acme-live", path+"/pages").Want(t, tc.status, tc.code)
			get(t, server, "acme-live", path+"/pages/1.png").Want(t, tc.status, tc.code)
			get(t, server, "acme-live", path+"/report").Want(t, 200, "")
		})
	}
}

func TestPictureHasTheFormatOfItsPath(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Do(t, apitest.Request{
		Method: "GET", Path: "/api/v1/preflight/pref_01KB0QXR80M4T7Q2C9W6H3JZVN/pages/1.webp", Key: "acme-live", Header: map[string]string{"Accept": "image/png"},
	}).Want(t, 406, problem.CodeNotAcceptable)
}
