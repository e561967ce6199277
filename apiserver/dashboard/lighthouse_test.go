// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/browsertest"
)

// maxPageBytes limits a page with all its files, without pictures.
const maxPageBytes = 150_000

// TestSoakPagesPassLighthouse audits one page of each kind. The score of performance depends on the load
// of the machine, so it is logged only; `make lighthouse` prints the figures.
func TestSoakPagesPassLighthouse(t *testing.T) {
	if testing.Short() {
		t.Skip("Lighthouse needs a quiet machine: make lighthouse")
	}
	d := fullDashboard(t, "")
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	session := func(key string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/sign-in", strings.NewReader(url.Values{"key": {d.Key(key)}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		rec := httptest.NewRecorder()
		d.handler.ServeHTTP(rec, r)
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("sign-in of %s: status %d with %d cookies, want one", key, rec.Code, len(cookies))
		}
		return cookies[0].Name + "=" + cookies[0].Value
	}
	partner, operator := session("acme-live"), session("platform-live")
	for path, cookie := range map[string]string{
		"/": partner, "/preflight": partner, "/preflight/pref_succeeded.pdf": partner, "/requests": partner, "/ops": operator,
	} {
		got := browsertest.Lighthouse(t, server.URL+path, cookie)
		t.Logf("%-30s performance %3d, accessibility %d, best practices %d, first paint %4.0f ms, %3.0f kB",
			path, got.Performance, got.Accessibility, got.BestPractices, got.FirstPaint, got.Bytes/1000)
		for _, failed := range got.Failed {
			t.Errorf("%s: %s", path, failed)
		}
		if got.Accessibility < 100 || got.BestPractices < 100 || got.Bytes == 0 || got.Bytes > maxPageBytes {
			t.Errorf("%s: %+v, want full scores and at most %d bytes", path, got, maxPageBytes)
		}
	}
}
