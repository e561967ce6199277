// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
)

func TestStaticFilesAreServed(t *testing.T) {
	t.Parallel()
	b := &browser{dashboard: newDashboard(t)}
	for path, want := range map[string][2]string{
		"/design.css": {"text/css; charset=utf-8", ":root"}, "/design.js": {"text/javascript; charset=utf-8", "clipboard"},
		"/icons.svg": {"image/svg+xml", "<svg"}, "/progress.js": {"text/javascript; charset=utf-8", "EventSource"},
		"/tour.js": {"text/javascript; charset=utf-8", "DOMParser"},
	} {
		first := b.get(t, path).want(t, 200, want[1])
		if kind, keep := first.Header().Get("Content-Type"), first.Header().Get("Cache-Control"); kind != want[0] || keep != "no-cache" {
			t.Errorf("%s: %q, %q", path, kind, keep)
		}
	}
}

// TestEveryTableAndFieldIsNamed checks the names that screen readers need.
func TestEveryTableAndFieldIsNamed(t *testing.T) {
	t.Parallel()
	d, works := newDashboard(t), newDashboard(t, func(c *dashboard.Config) { c.Jobs = everyKind(t) })
	d.fillOverview(t)
	d.keep(t, logged(1, 404, "NOT_FOUND", ""))
	pages := map[string]string{}
	for from, paths := range map[*testDashboard][]string{
		d: {"/", "/rfqs", "/requests", "/requests/req_00001", "/capabilities", "/sign-in"}, works: {"/preflight", "/preflight/pref_processing.pdf", "/preflight/pref_succeeded.pdf"},
	} {
		b := from.signedIn(t, "acme-live")
		for _, path := range paths {
			pages[path] = b.get(t, path).want(t, 200, "").text
		}
	}
	for path, page := range pages {
		if bare := regexp.MustCompile(`<th[ >]`).FindAllString(page, -1); len(bare) != strings.Count(page, `<th scope="`) {
			t.Errorf("%s has heads of a table without a scope", path)
		}
		if strings.Count(page, "<table>") != strings.Count(page, `role="region" aria-labelledby="`) {
			t.Errorf("%s has a table without a name", path)
		}
		for _, name := range regexp.MustCompile(`(?:aria-labelledby|for)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			if strings.Count(page, ` id="`+name[1]+`"`) != 1 {
				t.Errorf("%s refers to %s, which is there %d times", path, name[1], strings.Count(page, ` id="`+name[1]+`"`))
			}
		}
		if bars := regexp.MustCompile(`<(?:meter|progress)[^>]*>`).FindAllString(page, -1); slices.ContainsFunc(bars, func(bar string) bool { return !strings.Contains(bar, ` aria-label="`) }) {
			t.Errorf("%s has a bar without a name: %v", path, bars)
		}
		if fields := regexp.MustCompile(`<(select|input id)`).FindAllString(page, -1); len(fields) != strings.Count(page, "<label for=") {
			t.Errorf("%s has fields without a label", path)
		}
	}
}

func TestPagesAreCompressedForClientsThatAcceptIt(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	request := httptest.NewRequest(http.MethodGet, "/capabilities", nil)
	plain, zipped := httptest.NewRecorder(), httptest.NewRecorder()
	d.handler.ServeHTTP(plain, request)
	request.Header.Set("Accept-Encoding", "br, gzip")
	d.handler.ServeHTTP(zipped, request)
	sent := zipped.Body.Len()
	reader, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatalf("gzip.NewReader: %v", err)
	}
	text, err := io.ReadAll(reader)
	if err != nil || string(text) != plain.Body.String() {
		t.Errorf("the compressed page differs from the plain one: %v", err)
	}
	if got := zipped.Header().Get("Content-Encoding"); got != "gzip" || 2*sent > len(text) {
		t.Errorf("Content-Encoding %q with %d bytes, want gzip and less than half of %d bytes", got, sent, len(text))
	}
}
