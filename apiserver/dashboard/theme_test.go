// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestVisitorsChooseTheColoursOfPages(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		theme, referer, cookie, location string
		status                           int
	}{
		"dark, and back to the page":      {"dark", "https://dash.example/ops/denials?within=7d", "printmarket-theme=dark;", "/ops/denials?within=7d", http.StatusSeeOther},
		"light, on the documentation":     {"light", "https://dash.example/docs/guides/dev.html", "printmarket-theme=light;", "/docs/guides/dev.html", http.StatusSeeOther},
		"the system again":                {"system", "https://dash.example/", "printmarket-theme=;", "/", http.StatusSeeOther},
		"no page before":                  {"dark", "", "printmarket-theme=dark;", "/", http.StatusSeeOther},
		"a page of another origin before": {"dark", "https://evil.example/x", "printmarket-theme=dark;", "/", http.StatusSeeOther},
		"a path that is another origin":   {"dark", "https://dash.example//evil.example/x", "printmarket-theme=dark;", "/", http.StatusSeeOther},
		"a path with a backslash":         {"dark", `https://dash.example/%5Cevil.example`, "printmarket-theme=dark;", "/", http.StatusSeeOther},
		"unknown colours":                 {"blue", "https://dash.example/", "", "", http.StatusBadRequest},
		"no colours":                      {"", "https://dash.example/", "", "", http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://dash.example/theme", strings.NewReader(url.Values{"theme": {tc.theme}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			r.Header.Set("Referer", tc.referer)
			rec := httptest.NewRecorder()
			d.handler.ServeHTTP(rec, r)
			if rec.Code != tc.status || rec.Header().Get("Location") != tc.location || !strings.HasPrefix(rec.Header().Get("Set-Cookie"), tc.cookie) {
				t.Errorf("status %d, Location %q, Set-Cookie %q", rec.Code, rec.Header().Get("Location"), rec.Header().Get("Set-Cookie"))
			}
		})
	}
}

func TestPagesHaveTheChosenColours(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	for cookie, want := range map[string]string{
		"": `<html lang="en">`, "printmarket-theme=dark": `<html lang="en" data-theme="dark">`, "printmarket-theme=light": `<html lang="en" data-theme="light">`,
		"printmarket-theme=x": `<html lang="en">`,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/capabilities", nil)
		r.Header.Set("Cookie", cookie)
		rec := httptest.NewRecorder()
		d.handler.ServeHTTP(rec, r)
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("cookie %q: the page lacks %s", cookie, want)
		}
	}
}
