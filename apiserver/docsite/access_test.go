// SPDX-License-Identifier: Apache-2.0

package docsite_test

import (
	"net/http/httptest"
	"testing"

	"github.com/printmarket/printmarket/apiserver/docsite"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/test/browsertest"
)

// TestEachKindOfPageKeepsTheRulesOfAccessibility checks pages on a computer and on a phone, and their
// contrast in both colour schemes.
func TestEachKindOfPageKeepsTheRulesOfAccessibility(t *testing.T) {
	t.Parallel()
	axe := browsertest.Axe(t)
	site, err := docsite.Build(docsite.Source{Files: docs.Pages, Version: "v1"})
	if err != nil {
		t.Fatalf("docsite.Build: %v", err)
	}
	server := httptest.NewServer(site.Handler("/"))
	t.Cleanup(server.Close)
	tab := browsertest.Start(t).Open(t)
	for name, page := range map[string]struct{ path, shown string }{
		"home":                 {"/", "true"},
		"a guide":              {"/guides/dashboard.html", "true"},
		"a guide with code":    {"/guides/webhooks.html", "true"},
		"a decision":           {"/adr/0001-record-decisions.html", "true"},
		"a reference":          {"/reference/problem-codes.html", "true"},
		"wide tables":          {"/architecture.html", "true"},
		"a search":             {"/search.html?q=webhook", "document.querySelector('#found a')"},
		"a search for nothing": {"/search.html?q=nowhereatall", "true"},
	} {
		tab.Go(server.URL + page.path)
		tab.Await(page.shown)
		check := func(scheme string, width int, violations func(string) []browsertest.Violation) {
			tab.Scheme(scheme)
			tab.Size(width, 844)
			for _, violation := range violations(axe) {
				t.Errorf("%s, %s, %d pixels: %s", name, scheme, width, violation)
			}
		}
		check("dark", 1280, tab.ContrastViolations)
		check("light", 1280, tab.Violations)
		check("light", 390, tab.Violations)
	}
	tab.WantNoErrors(server.URL, 8)
}
