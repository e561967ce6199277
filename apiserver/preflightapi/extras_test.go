// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/test/apitest"
)

// update is what a fix appends to a file.
const update = "\nxref\nstartxref\n0\n%%EOF\n"

// comments is what an annotation appends to a file.
const comments = "\n% comments" + update

var simulatedEngine = report.Engine{Name: "printmarket-simulator", Version: "1.0.0", Parser: "none"}

// fixedResult acts as a worker that has fixed the file, and has compared it.
func fixedResult(t *testing.T, server *apitest.Server) preflightjob.Result {
	t.Helper()
	content := pdf + update
	file, err := server.Files.Keep(t.Context(), server.Tenant("acme-live"), preflightjob.PartnerFile, strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("w.Files.Keep: %v", err)
	}
	commented, err := server.Files.Keep(t.Context(), server.Tenant("acme-live"), preflightjob.PartnerFile, strings.NewReader(pdf+comments), int64(len(pdf+comments)))
	if err != nil {
		t.Fatalf("w.Files.Keep: %v", err)
	}
	before := report.File{SHA256: strings.Repeat("0f", 32), Bytes: int64(len(pdf))}
	none := report.Names{Removed: []string{}, Added: []string{}}
	return preflightjob.Result{
		Report: stored, Verdict: preflightjob.Warn,
		Annotated: &preflightjob.Annotated{File: &commented},
		Fixed: &preflightjob.Fixed{File: &file, Log: report.FixLog{
			Version: report.FixVersion, Engine: simulatedEngine, Before: before, After: report.File{SHA256: file.SHA256, Bytes: file.Bytes},
			Applied: []report.AppliedFix{{Fix: report.FixBleed, Changes: []report.ObjectChange{{Page: 1, Object: "3 0 R", Name: "BleedBox", After: "[0 0 1 1]"}}}},
			Skipped: []report.SkippedFix{{Fix: report.FixActions, Reason: report.FixFailed, Detail: "TIME_LIMIT"}},
		}},
		Comparison: &report.Comparison{
			Version: report.ComparisonVersion, Engine: simulatedEngine, Before: before, After: before, Complete: true, Pages: [2]int{1, 2},
			Document: []report.Change{{Name: "title", After: "Flyer"}}, Fonts: none, Colors: none, Inks: report.Names{Removed: []string{"Gold"}, Added: []string{}}, Layers: none,
			Changed: []report.PageChange{{
				Page: 1, Boxes: []report.Change{{Name: "TrimBox", Before: "[0 0 1 1]"}}, Inks: []report.InkChange{{Name: "Cyan", Area: 3, Most: 9}},
				Regions: []report.Region{{BBox: report.Rect{0, 0, 1, 1}, Area: 3}},
			}, {Page: 2, Only: "after", Boxes: []report.Change{}, Inks: []report.InkChange{}, Regions: []report.Region{}}},
		},
	}
}

// fixedJob is a job that has ended with a fixed file, a comparison and an annotated copy; it returns its
// path.
func fixedJob(t *testing.T, server *apitest.Server) string {
	t.Helper()
	file := uploaded(t, server)
	earlier := submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, file)).Want(t, 202, "").Text(t, "jobId")
	body := fmt.Sprintf(`{"fileId":%q,"profile":"print_ready","fix":["bleed","actions"],"compareWith":%q,"annotate":"de","output":{"profileFileId":%q,"condition":"FOGRA51","renderingIntent":"perceptual"}}`, file, earlier, file)
	id := submit(t, server, "", body).Want(t, 202, "").Text(t, "jobId")
	begin(t, server, id)
	finish(t, server, id, fixedResult(t, server))
	return "/api/v1/preflight/" + id
}

func TestJobReturnsItsFixesItsComparisonAndItsCopies(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := fixedJob(t, server)
	var job struct {
		Fix        []string
		Fixed      struct{ Applied, Skipped []string }
		Comparison map[string]any
		Annotated  struct{ FileID, Reason string }
		Annotate   string
		Output     map[string]string
		Links      map[string]string
	}
	get(t, server, "acme-live", path).Want(t, 200, "").Into(t, &job)
	if diff := cmp.Diff([]string{"bleed", "actions"}, job.Fix); diff != "" {
		t.Errorf("fix (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(struct{ Applied, Skipped []string }{[]string{"bleed"}, []string{"actions"}}, job.Fixed); diff != "" {
		t.Errorf("fixed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"same": false, "complete": true, "pages": 2.0}, job.Comparison); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
	if printing := job.Output; printing["condition"] != "FOGRA51" || printing["renderingIntent"] != "perceptual" || !strings.HasPrefix(printing["profileFileId"], "file_") {
		t.Errorf("output = %v, want the submitted condition", printing)
	}
	if job.Annotate != "de" || !strings.HasPrefix(job.Annotated.FileID, "file_") || job.Annotated.Reason != "" {
		t.Errorf("annotated = %+v in %q, want the copy in German", job.Annotated, job.Annotate)
	}
	want := map[string]string{
		"annotated": path + "/annotated.pdf",
		"self":      path, "events": path + "/events", "report": path + "/report",
		"fixes": path + "/fixes", "fixedFile": path + "/fixed.pdf", "comparison": path + "/comparison",
	}
	if diff := cmp.Diff(want, job.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	for link, begins := range map[string]string{"fixes": `{"fixVersion":"1.0"`, "comparison": `{"comparisonVersion":"1.0"`, "fixedFile": pdf + update, "annotated": pdf + comments} {
		a := get(t, server, "acme-live", job.Links[link]).Want(t, 200, "")
		if !strings.HasPrefix(string(a.Body), begins) || a.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %q, Cache-Control %s", link, a.Body, a.Header.Get("Cache-Control"))
		}
		again := server.Do(t, apitest.Request{Method: "GET", Path: job.Links[link], Key: "acme-live", Header: map[string]string{"If-None-Match": a.Header.Get("ETag")}})
		again.Want(t, 304, "")
		head := server.Do(t, apitest.Request{Method: "HEAD", Path: job.Links[link], Key: "acme-live"})
		if head.Status != 200 || head.Header.Get("ETag") != a.Header.Get("ETag") || head.Header.Get("Content-Length") != fmt.Sprint(len(a.Body)) {
			t.Errorf("HEAD %s: %d, %v, want the header of GET", link, head.Status, head.Header)
		}
		for _, stranger := range []string{"stark-live", "acme-test"} {
			get(t, server, stranger, job.Links[link]).Want(t, 404, problem.CodeNotFound)
		}
	}
	id := strings.TrimPrefix(path, "/api/v1/preflight/")
	for link, name := range map[string]string{"fixedFile": id + "-fixed.pdf", "annotated": id + "-annotated.pdf"} {
		a := get(t, server, "acme-live", job.Links[link])
		for field, want := range map[string]string{"Content-Type": "application/pdf", "Content-Disposition": `attachment; filename="` + name + `"`} {
			if got := a.Header.Get(field); got != want {
				t.Errorf("%s of %s = %q, want %q", field, link, got, want)
			}
		}
	}
}

func TestFixedFileIsAnUploadedFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		act func(t *testing.T, server *apitest.Server, fileID string)
	}{
		"that expires": {func(_ *testing.T, server *apitest.Server, _ string) { server.Advance(24 * time.Hour) }},
		"that can be deleted": {func(t *testing.T, server *apitest.Server, fileID string) {
			server.Do(t, apitest.Request{Method: "DELETE", Path: "/api/v1/files/" + fileID, Key: "acme-live"}).Want(t, 204, "")
		}},
		"whose bytes an erasure removes": {func(t *testing.T, server *apitest.Server, _ string) {
			if err := server.Files.RemoveBytes(t.Context(), server.Tenant("acme-live")); err != nil {
				t.Fatalf("w.Files.RemoveBytes: %v", err)
			}
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			path := fixedJob(t, server)
			var job struct{ Fixed struct{ FileID string } }
			get(t, server, "acme-live", path).Into(t, &job)
			id := job.Fixed.FileID
			if got := get(t, server, "acme-live", "/api/v1/files/"+id).Want(t, 200, "").Text(t, "fileId"); got != id {
				t.Errorf("fileId = %s, want %s", got, id)
			}
			submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, id)).Want(t, 202, "")
			tc.act(t, server, id)
			get(t, server, "acme-live", path+"/fixed.pdf").Want(t, 410, problem.CodeGone)
			get(t, server, "acme-live", path+"/fixes").Want(t, 200, "")
		})
	}
}

func TestDocumentsThatDoNotExistHaveTheProblemOfTheirJob(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := func(body string) string {
		return "/api/v1/preflight/" + submit(t, server, "", body).Want(t, 202, "").Text(t, "jobId")
	}
	end := func(path string, result preflightjob.Result) string {
		id := strings.TrimPrefix(path, "/api/v1/preflight/")
		begin(t, server, id)
		finish(t, server, id, result)
		return path
	}
	const fixing = `{"fileUrl":"https://files.example.com/a.pdf","profile":"print_ready","fix":"auto"}`
	const annotating = `{"fileUrl":"https://files.example.com/a.pdf","profile":"print_ready","annotate":"en"}`
	uncommented := preflightjob.Result{Report: stored, Verdict: preflightjob.Warn, Annotated: &preflightjob.Annotated{Reason: "the file is encrypted"}}
	nothing := preflightjob.Result{Report: stored, Verdict: preflightjob.Warn, Fixed: &preflightjob.Fixed{Log: report.FixLog{Version: report.FixVersion}}}
	tests := map[string]struct {
		path   string
		status int
		code   problem.Code
		detail string
	}{
		"a fix log that was not requested":    {warned(t, server) + "/fixes", 404, problem.CodeNotFound, "without `fix`"},
		"a comparison that was not requested": {warned(t, server) + "/comparison", 404, problem.CodeNotFound, "without `compareWith`"},
		"a fixed file that was not requested": {warned(t, server) + "/fixed.pdf", 404, problem.CodeNotFound, "without `fix`"},
		"a fixed file without an applied fix": {end(path(fixing), nothing) + "/fixed.pdf", 404, problem.CodeNotFound, "No fix was applied"},
		"a copy that was not requested":       {warned(t, server) + "/annotated.pdf", 404, problem.CodeNotFound, "without `annotate`"},
		"a copy without a comment":            {end(path(annotating), uncommented) + "/annotated.pdf", 404, problem.CodeNotFound, "no annotated copy: the file is encrypted."},
		"a copy of an older worker":           {end(path(annotating), preflightjob.Result{Report: stored, Verdict: preflightjob.Warn}) + "/annotated.pdf", 404, problem.CodeNotFound, "earlier release"},
		"a fix log of an older worker":        {end(path(fixing), preflightjob.Result{Report: stored, Verdict: preflightjob.Warn}) + "/fixes", 404, problem.CodeNotFound, "earlier release"},
		"a fix log of a job in the queue":     {path(fixing) + "/fixes", 409, problem.CodePreflightReportNotReady, "not ended"},
		"a fixed file of a job in the queue":  {path(fixing) + "/fixed.pdf", 409, problem.CodePreflightReportNotReady, "not ended"},
		"a fix log of a failed job":           {end(path(fixing), preflightjob.Result{Failure: preflightjob.FileTooLarge}) + "/fixes", 409, problem.CodePreflightReportMissing, "failed"},
		"a comparison of an unknown job":      {"/api/v1/preflight/pref_01KB0QXR80M4T7Q2C9W6H3JZVN/comparison", 404, problem.CodeNotFound, ""},
	}
	for name, tc := range tests {
		if a := get(t, server, "acme-live", tc.path).Want(t, tc.status, tc.code); !strings.Contains(a.Text(t, "detail"), tc.detail) {
			t.Errorf("%s: %s, want the detail %q", name, a.Body, tc.detail)
		}
	}
	old := end(path(fixing), nothing)
	server.Advance(preflightjob.Retention)
	get(t, server, "acme-live", old+"/fixes").Want(t, 410, problem.CodeGone)
}

func TestSubmissionWithInvalidFixesOrComparisonIsRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	file := uploaded(t, server)
	known := submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, file)).Want(t, 202, "").Text(t, "jobId")
	fetched := submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	deleted := uploaded(t, server)
	without := submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, deleted)).Want(t, 202, "").Text(t, "jobId")
	server.Do(t, apitest.Request{Method: "DELETE", Path: "/api/v1/files/" + deleted, Key: "acme-live"}).Want(t, 204, "")
	tests := map[string]struct {
		key, member, pointer, detail string
	}{
		"an unknown fix":                       {"acme-live", `"fix":["sharpen"]`, "#/fix/0", "attachments"},
		"an unknown word":                      {"acme-live", `"fix":"all"`, "#/fix", `must be \"auto\"`},
		"no fix":                               {"acme-live", `"fix":[]`, "#/fix", ""},
		"a fix twice":                          {"acme-live", `"fix":["bleed","bleed"]`, "#/fix", ""},
		"two fixes that make the same bleed":   {"acme-live", `"fix":["bleed","actions","stretch"]`, "#/fix/2", "bleed and stretch make the same bleed"},
		"a bleed that the order excludes":      {"acme-live", `"fix":["trim","stretch"],"product":{"bleed":0}`, "#/fix/1", "the order has a bleed of 0"},
		"auto in a list":                       {"acme-live", `"fix":["auto"]`, "#/fix/0", "attachments"},
		"a number":                             {"acme-live", `"fix":1`, "#/fix", "must be a string or an array"},
		"a language that comments lack":        {"acme-live", `"annotate":"fr"`, "#/annotate", "de"},
		"an empty printing condition":          {"acme-live", `"fix":"auto","output":{}`, "#/output", ""},
		"a printing condition without fixes":   {"acme-live", `"output":{"condition":"FOGRA51"}`, "#/output", "must be absent without `fix`"},
		"an unknown rendering intent":          {"acme-live", `"fix":"auto","output":{"renderingIntent":"absolute"}`, "#/output/renderingIntent", "relative"},
		"a condition with a line break":        {"acme-live", `"fix":"auto","output":{"condition":"a\nb"}`, "#/output/condition", "control characters"},
		"an unknown ICC profile":               {"acme-live", `"fix":"auto","output":{"profileFileId":"x"}`, "#/output/profileFileId", "must be the id of one of your files"},
		"a stranger's file as ICC profile":     {"stark-live", `"fix":"auto","output":{"profileFileId":"` + file + `"}`, "#/output/profileFileId", "must be the id of one of your files"},
		"a deleted file as ICC profile":        {"acme-live", `"fix":"auto","output":{"profileFileId":"` + deleted + `"}`, "#/output/profileFileId", "must be the id of one of your files"},
		"a simulated job with an annotation":   {"acme-test", `"annotate":"en","profile":"sim:succeeded:pass"`, "#/annotate", "simulated profile"},
		"an unknown job":                       {"acme-live", `"compareWith":"pref_01KB0QXR80M4T7Q2C9W6H3JZVN"`, "#/compareWith", "must be the id of one of your jobs"},
		"no id":                                {"acme-live", `"compareWith":"x"`, "#/compareWith", "must be the id of one of your jobs"},
		"a job of another organization":        {"stark-live", `"compareWith":"` + known + `"`, "#/compareWith", "must be the id of one of your jobs"},
		"a job of the other kind of key":       {"acme-test", `"compareWith":"` + known + `"`, "#/compareWith", "must be the id of one of your jobs"},
		"a job whose file was fetched":         {"acme-live", `"compareWith":"` + fetched + `"`, "#/compareWith", "the file of job " + fetched + " was fetched and is not stored"},
		"a job whose file was deleted":         {"acme-live", `"compareWith":"` + without + `"`, "#/compareWith", "has expired or was deleted"},
		"a simulated job with fixes":           {"acme-test", `"fix":"auto","profile":"sim:succeeded:pass"`, "#/fix", "simulated profile"},
		"a simulated job that compares a file": {"acme-test", `"compareWith":"` + known + `","profile":"sim:succeeded:pass"`, "#/compareWith", "simulated profile"},
	}
	for name, tc := range tests {
		member := tc.member
		if !strings.Contains(member, `"profile"`) {
			member += `,"profile":"print_ready"`
		}
		a := submitAs(t, server, tc.key, "", `{"fileUrl":"https://files.example.com/a.pdf",`+member+`}`).Want(t, 422, problem.CodePreflightInvalid)
		if body := string(a.Body); !strings.Contains(body, `"pointer":"`+tc.pointer+`"`) || !strings.Contains(body, tc.detail) {
			t.Errorf("%s: %s, want %s with %q", name, body, tc.pointer, tc.detail)
		}
	}
	server.Advance(24 * time.Hour)
	a := submit(t, server, "", `{"fileUrl":"https://files.example.com/a.pdf","profile":"print_ready","compareWith":"`+known+`"}`).Want(t, 422, problem.CodePreflightInvalid)
	if !strings.Contains(string(a.Body), "has expired or was deleted") {
		t.Errorf("an expired file: %s", a.Body)
	}
}

func TestFixesAndComparisonBelongToTheIdempotentBody(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	file := uploaded(t, server)
	earlier := submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, file)).Want(t, 202, "").Text(t, "jobId")
	body := func(more string) string { return fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"%s}`, file, more) }
	full := body(`,"fix":"auto","compareWith":"` + earlier + `"`)
	first := submit(t, server, "k1", full).Want(t, 202, "")
	if got := first.Text(t, "fix"); got != "auto" || first.Text(t, "compareWith") != earlier {
		t.Errorf("job %s, want the fix and the earlier job", first.Body)
	}
	if again := submit(t, server, "k1", full).Want(t, 202, ""); !bytes.Equal(again.Body, first.Body) {
		t.Errorf("replay %s, want %s", again.Body, first.Body)
	}
	for _, other := range []string{body(""), body(`,"fix":"auto"`), body(`,"fix":"auto","annotate":"en","compareWith":"` + earlier + `"`), body(`,"fix":["bleed"],"compareWith":"` + earlier + `"`)} {
		submit(t, server, "k1", other).Want(t, 422, problem.CodeIdempotencyKeyReused)
	}
	// A replay needs neither the earlier job's file nor its own.
	if err := os.RemoveAll(server.FilesDir); err != nil {
		t.Fatalf("os.RemoveAll: %v", err)
	}
	submit(t, server, "k1", full).Want(t, 202, "")
}

func TestInstallationWithoutFilesRejectsFixesAndComparisons(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{NoFiles: true})
	earlier := submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	for pointer, member := range map[string]string{"#/fix": `"fix":"auto"`, "#/annotate": `"annotate":"en"`, "#/compareWith": `"compareWith":"` + earlier + `"`} {
		a := submit(t, server, "", `{"fileUrl":"https://files.example.com/a.pdf","profile":"print_ready",`+member+`}`).Want(t, 422, problem.CodePreflightInvalid)
		if body := string(a.Body); !strings.Contains(body, pointer) || !strings.Contains(body, "stores no files") {
			t.Errorf("%s: %s", pointer, body)
		}
	}
}

func TestContractListsTheFixesOfTheEngine(t *testing.T) {
	t.Parallel()
	text, err := docs.API.ReadFile("api/preflight-openapi.yaml")
	if err != nil {
		t.Fatalf("docs.API.ReadFile: %v", err)
	}
	var contract struct {
		Components struct {
			Schemas map[string]struct {
				Enum        []report.Fix `json:"enum"`
				Description string       `json:"description"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := yaml.Unmarshal(text, &contract); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	name := contract.Components.Schemas["FixName"]
	if diff := cmp.Diff(report.Fixes(), name.Enum); diff != "" {
		t.Errorf("the fixes of FixName in the contract (-engine +contract):\n%s", diff)
	}
	for _, fix := range report.Fixes() {
		if !strings.Contains(name.Description, "`"+string(fix)+"`") {
			t.Errorf("the description of FixName does not describe %s", fix)
		}
	}
	for _, reason := range report.FixReasons() {
		if !strings.Contains(string(text), "`"+string(reason)+"`") {
			t.Errorf("the contract does not name the reason %s", reason)
		}
	}
}
