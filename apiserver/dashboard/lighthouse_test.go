// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/browsertest"
)

// maxPageBytes limits a page with all its files, without pictures.
const maxPageBytes = 150_000

// TestSoakPagesPassLighthouse audits one page of each kind. The score of performance depends on the load
// of the machine, so it is logged only; `make lighthouse` prints the figures, and with WRITE=1 writes them.
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
	axe, tab := browsertest.Axe(t), browsertest.Start(t).Open(t)
	var rows []string
	for _, visitor := range []struct {
		key   string
		pages []string
	}{{"acme-live", []string{"/", "/preflight", "/preflight/pref_succeeded.pdf", "/requests"}}, {"platform-live", []string{"/ops", "/ops/rollouts"}}} {
		cookie := session(visitor.key)
		tab.Go(server.URL + "/sign-in")
		tab.Write("#key", d.Key(visitor.key))
		tab.Click(".sign-in button")
		tab.Await("location.pathname !== '/sign-in'")
		for _, path := range visitor.pages {
			got := browsertest.Lighthouse(t, server.URL+path, cookie)
			tab.Go(server.URL + path)
			broken := tab.Violations(axe)
			row := fmt.Sprintf("| `%s` | %d | %d | %d | %d | %.1f s | %.0f kB |", path, got.Performance, got.Accessibility, got.BestPractices, len(broken), got.FirstPaint/1000, got.Bytes/1000)
			rows = append(rows, row)
			t.Log(row)
			for _, failed := range got.Failed {
				t.Errorf("%s: %s", path, failed)
			}
			if len(broken) > 0 || got.Accessibility < 100 || got.BestPractices < 100 || got.Bytes == 0 || got.Bytes > maxPageBytes {
				t.Errorf("%s: %+v, violations %v; want full scores, no violation and at most %d bytes", path, got, broken, maxPageBytes)
			}
		}
	}
	writeFigures(t, "| page | performance |", rows)
}

// writeFigures replaces the rows of a table of docs/performance with -update. The table is found by the
// beginning of its head.
func writeFigures(tb testing.TB, head string, rows []string) {
	tb.Helper()
	if !*update {
		return
	}
	file := filepath.Join("..", "..", "docs", "performance", "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	before, table, found := strings.Cut(string(text), "\n"+head)
	lines := strings.SplitAfter(table, "\n")
	end := slices.IndexFunc(lines[1:], func(line string) bool { return !strings.HasPrefix(line, "|") }) + 1
	if !found || end < 2 {
		tb.Fatalf("%s has no table that begins with %q", file, head)
	}
	written := before + "\n" + head + lines[0] + lines[1] + strings.Join(rows, "\n") + "\n" + strings.Join(lines[end:], "")
	if err := os.WriteFile(file, []byte(written), 0o644); err != nil {
		tb.Fatal(err)
	}
}
