// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
	"github.com/printmarket/printmarket/test/apitest"
)

// warned is a job that has succeeded with the verdict warn; it returns its path.
func warned(t *testing.T, server *apitest.Server) string {
	t.Helper()
	id := submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	begin(t, server, id)
	finish(t, server, id, preflightjob.Result{Report: stored, Verdict: preflightjob.Warn})
	return "/api/v1/preflight/" + id
}

func TestReportHasTheRequestedMediaType(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path := warned(t, server) + "/report"
	tests := map[string]struct {
		accept, mediaType, begins, policy string
	}{
		"no preference":               {"", "application/json", `{"reportVersion"`, ""},
		"any media type":              {"*/*", "application/json", `{"reportVersion"`, ""},
		"JSON":                        {"application/json", "application/json", `{"reportVersion"`, ""},
		"as a browser requests":       {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html;charset=utf-8", "<!doctype html>", view.Policy()},
		"comments for the PDF":        {"application/vnd.adobe.xfdf", "application/vnd.adobe.xfdf", `<?xml version="1.0"`, ""},
		"a PDF":                       {"application/pdf", "application/pdf", "%PDF-1.", ""},
		"comments rather than a page": {"text/html;q=0.2, application/vnd.adobe.xfdf", "application/vnd.adobe.xfdf", `<?xml version="1.0"`, ""},
	}
	tags := map[string]string{}
	for name, tc := range tests {
		a := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"Accept": tc.accept}})
		if a.Status != 200 || a.Header.Get("Content-Type") != tc.mediaType || !strings.HasPrefix(string(a.Body), tc.begins) {
			t.Errorf("%s: %d %s %.40q", name, a.Status, a.Header.Get("Content-Type"), a.Body)
		}
		if tc.policy != "" && a.Header.Get("Content-Security-Policy") != tc.policy {
			t.Errorf("%s: policy %q", name, a.Header.Get("Content-Security-Policy"))
		}
		if !strings.Contains(a.Header.Get("Vary"), "Accept") {
			t.Errorf("%s: Vary: %s", name, a.Header.Get("Vary"))
		}
		tags[a.Header.Get("ETag")] = tc.mediaType
		again := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"Accept": tc.accept, "If-None-Match": a.Header.Get("ETag")}})
		if again.Status != 304 {
			t.Errorf("%s: revalidated: %d", name, again.Status)
		}
	}
	if len(tags) != 4 {
		t.Errorf("validators %v, want one for each form", tags)
	}
}

// bleeding is a stored report with one finding that has parameters.
func bleeding(t *testing.T) []byte {
	t.Helper()
	made, err := report.Decode(preflightapi.SimulatedReport(preflightjob.Warn))
	if err != nil {
		t.Fatalf("report.Decode: %v", err)
	}
	made.Findings[0] = report.Finding{
		Rule: "box.bleed_short", MessageID: "box.bleed_short", Severity: report.Warning, Category: report.CategoryBox, Page: 1, Count: 1,
		Parameters: report.Parameters{"edges": []string{"top"}, "value": 1.5, "limit": 3.0},
		Message:    "The bleed is too small at the top: 1.5 mm at the narrowest edge; the minimum is 3 mm.", FixHint: "Extend the artwork.",
	}
	data, err := report.Encode(made)
	if err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	return data
}

func TestReportHasThePreferredLanguage(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	begin(t, server, id)
	finish(t, server, id, preflightjob.Result{Report: bleeding(t), Verdict: preflightjob.Warn})
	path := "/api/v1/preflight/" + id + "/report"
	const german, english = "an der schmalsten Kante 1,5 mm", "1.5 mm at the narrowest edge"
	tags := map[string]string{}
	for _, mediaType := range []string{"application/json", "text/html", "application/vnd.adobe.xfdf"} {
		for field, want := range map[string]string{
			"": "en", "de": "de", "de-DE,de;q=0.9,en;q=0.5": "de", "en, de;q=0.5": "en", "fr": "en", "fr, de;q=0.1": "de", "de;q=0": "en",
			"*": "en", "\x01;;q=garbage,,": "en", strings.Repeat("de-", 500): "en",
		} {
			header := map[string]string{"Accept": mediaType, "Accept-Language": field}
			a := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: header})
			sentence := map[string]string{"en": english, "de": german}[want]
			if linked := strings.Contains(string(a.Body), `<a href="?lang=de" lang="de" hreflang="de"`); linked != (mediaType == "text/html") {
				t.Errorf("%s links the report in German: %t", mediaType, linked)
			}
			if a.Status != 200 || a.Header.Get("Content-Language") != want || !strings.Contains(string(a.Body), sentence) {
				t.Errorf("%s, Accept-Language %.30q: status %d, Content-Language %s, want %s with %q:\n%.300s",
					mediaType, field, a.Status, a.Header.Get("Content-Language"), want, sentence, a.Body)
			}
			if vary := a.Header.Get("Vary"); !strings.Contains(vary, "Accept, Accept-Language") {
				t.Errorf("%s: Vary %q, want Accept and Accept-Language", mediaType, vary)
			}
			tag := a.Header.Get("ETag")
			if known, ok := tags[mediaType+want]; ok && known != tag {
				t.Errorf("%s in %s: ETags %s and %s, want one", mediaType, want, known, tag)
			}
			tags[mediaType+want] = tag
		}
		for lang, want := range map[string]int{"en": 200, "de": 200, "": 400, "fr": 400, "DE": 400, "en&lang=de": 400} {
			header := map[string]string{"Accept": mediaType, "Accept-Language": "de"}
			a := server.Do(t, apitest.Request{Method: "GET", Path: path + "?lang=" + lang, Key: "acme-live", Header: header})
			if a.Status != want || want == 200 && a.Header.Get("ETag") != tags[mediaType+lang] {
				t.Errorf("%s, lang %q: %d, ETag %s, want %d, %s", mediaType, lang, a.Status, a.Header.Get("ETag"), want, tags[mediaType+lang])
			}
		}
		if tags[mediaType+"en"] == tags[mediaType+"de"] {
			t.Errorf("%s: English and German have the same ETag %s", mediaType, tags[mediaType+"de"])
		}
		for _, tc := range []struct {
			language, tag string
			want          int
		}{{"de", tags[mediaType+"de"], 304}, {"en", tags[mediaType+"en"], 304}, {"de", tags[mediaType+"en"], 200}, {"en", tags[mediaType+"de"], 200}} {
			header := map[string]string{"Accept": mediaType, "Accept-Language": tc.language, "If-None-Match": tc.tag}
			if a := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: header}); a.Status != tc.want {
				t.Errorf("%s in %s with the ETag %s: status %d, want %d", mediaType, tc.language, tc.tag, a.Status, tc.want)
			}
		}
	}
}

func TestResultOfAJobHasThePreferredLanguage(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := submit(t, server, "", flyer).Want(t, 202, "").Text(t, "jobId")
	read := func(language, tag string) apitest.Answer {
		t.Helper()
		return server.Do(t, apitest.Request{
			Method: "GET", Path: "/api/v1/preflight/" + id, Key: "acme-live",
			Header: map[string]string{"Accept-Language": language, "If-None-Match": tag},
		})
	}
	if queued := read("de", ""); queued.Status != 200 || queued.Header.Get("Content-Language") != "en" {
		t.Errorf("a job without a result: status %d, Content-Language %q, want 200 and en", queued.Status, queued.Header.Get("Content-Language"))
	}
	begin(t, server, id)
	finish(t, server, id, preflightjob.Result{Report: bleeding(t), Verdict: preflightjob.Warn})
	english, german := read("en", ""), read("de", "")
	for language, got := range map[string]apitest.Answer{"en": english, "de": german} {
		sentence := map[string]string{"en": "1.5 mm at the narrowest edge", "de": "an der schmalsten Kante 1,5 mm"}[language]
		if got.Status != 200 || got.Header.Get("Content-Language") != language || !strings.Contains(string(got.Body), sentence) {
			t.Errorf("%s: status %d, Content-Language %q, want %q in %.300s", language, got.Status, got.Header.Get("Content-Language"), sentence, got.Body)
		}
	}
	if a := read("de", german.Header.Get("ETag")); a.Status != 304 {
		t.Errorf("German with its ETag: status %d, want 304", a.Status)
	}
	if a := read("de", english.Header.Get("ETag")); a.Status != 200 {
		t.Errorf("German with the ETag of English: status %d, want 200", a.Status)
	}
}

func TestEnglishJSONIsTheStoredReport(t *testing.T) {
	t.Parallel()
	data := bleeding(t)
	if got, err := preflightapi.Represent(data, preflightapi.MediaJSON, "en", view.Options{}); err != nil || string(got.Body) != string(data) {
		t.Errorf("error %v, got %s, want the stored bytes", err, got.Body)
	}
	// A report of a later release has members that this one cannot read.
	later := []byte(strings.Replace(string(data), `"verdict"`, `"later":1,"verdict"`, 1))
	if got, err := preflightapi.Represent(later, preflightapi.MediaJSON, "de", view.Options{}); err != nil || string(got.Body) != string(later) || got.Language != "en" {
		t.Errorf("error %v, got %s in %s, want the stored bytes", err, got.Body, got.Language)
	}
	if _, err := preflightapi.Represent(later, preflightapi.MediaHTML, "de", view.Options{}); err == nil {
		t.Error("a page of a report that cannot be read: no error")
	}
}
