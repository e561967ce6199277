// SPDX-License-Identifier: Apache-2.0

package docsite_test

import (
	"net/http/httptest"
	"testing"

	"github.com/printmarket/printmarket/apiserver/docsite"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/test/browsertest"
)

// TestEachKindOfPageKeepsTheRulesOfAccessibility looks at the documentation as people
// have it: in both colour schemes, on a computer and on a phone.
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
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int{1280, 390} {
				tab.Scheme(scheme)
				tab.Size(width, 844)
				for _, violation := range tab.Violations(axe) {
					t.Errorf("%s, %s, %d pixels: %s", name, scheme, width, violation)
				}
			}
		}
	}
	tab.WantNoErrors(server.URL, 8)
}
