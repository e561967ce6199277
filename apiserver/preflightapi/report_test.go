// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/report/html"
	"github.com/printmarket/printmarket/test/apitest"
)

// warned is a job that has succeeded with the verdict warn; it returns its path.
func warned(t *testing.T, w *apitest.Server) string {
	t.Helper()
	id := submit(t, w, "", flyer).Want(t, 202, "").Text(t, "jobId")
	begin(t, w, id)
	finish(t, w, id, preflightjob.Result{Report: stored, Verdict: preflightjob.Warn})
	return "/api/v1/preflight/" + id
}

func TestAReportIsShownInTheFormThatIsAskedFor(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, apitest.Options{})
	path := warned(t, w) + "/report"
	tests := map[string]struct {
		accept, mediaType, begins, policy string
	}{
		"nothing is asked for":        {"", "application/json", `{"reportVersion"`, ""},
		"anything is good":            {"*/*", "application/json", `{"reportVersion"`, ""},
		"JSON":                        {"application/json", "application/json", `{"reportVersion"`, ""},
		"what a browser asks for":     {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html;charset=utf-8", "<!doctype html>", html.Policy()},
		"comments for the PDF":        {"application/vnd.adobe.xfdf", "application/vnd.adobe.xfdf", `<?xml version="1.0"`, ""},
		"comments rather than a page": {"text/html;q=0.2, application/vnd.adobe.xfdf", "application/vnd.adobe.xfdf", `<?xml version="1.0"`, ""},
	}
	tags := map[string]string{}
	for name, tc := range tests {
		a := w.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"Accept": tc.accept}})
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
		again := w.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"Accept": tc.accept, "If-None-Match": a.Header.Get("ETag")}})
		if again.Status != 304 {
			t.Errorf("%s: revalidated: %d", name, again.Status)
		}
	}
	if len(tags) != 3 {
		t.Errorf("validators %v, want one for each form", tags)
	}
}
