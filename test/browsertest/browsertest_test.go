// SPDX-License-Identifier: Apache-2.0

package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/browsertest"
)

// served returns the address of a server of one page.
func served(t *testing.T, page string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const frame = `<!doctype html><html lang="en"><head><title>A page</title></head><body><main><h1>A page</h1>%s</main></body></html>`

func TestConsoleErrorsOfAPageFailTheTest(t *testing.T) {
	t.Parallel()
	tab := browsertest.Start(t).Open(t)
	url := served(t, fmt.Sprintf(frame, "<p>Quiet.</p>"))
	tab.Go(url)
	tab.WantNoErrors(url, 1)
	for sentence, act := range map[string]string{
		"a word in the console":        "console.error('x')",
		"a dialog":                     "setTimeout(() => alert(1))",
		"an error of a script":         "setTimeout(() => { throw new Error('x') })",
		"a file that cannot be loaded": "new Image().src = 'https://elsewhere.example/x.png'",
	} {
		before := tab.Errors()
		var done bool
		tab.Eval(act+"; true", &done)
		for deadline := time.Now().Add(2 * time.Minute); tab.Errors() == before; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is not noticed", sentence)
			}
		}
	}
}

func TestViolationsReportsABrokenRule(t *testing.T) {
	t.Parallel()
	axe := browsertest.Axe(t)
	b := browsertest.Start(t)
	for sentence, test := range map[string]struct{ part, want string }{
		"nothing is wrong":                     {`<p>Dark on light.</p>`, ""},
		"text that can hardly be read":         {`<p style="color: #bbb; background: #fff">Pale.</p>`, "color-contrast"},
		"a field without a label":              {`<input name="x">`, "label"},
		"a level of headings that is left out": {`<h4>Skipped</h4>`, "heading-order"},
		"an image without words":               {`<img src="/x.png">`, "image-alt"},
		"buttons too small and too close":      {`<button style="width: 9px; height: 9px; padding: 0; border: 0" aria-label="a"></button><button style="width: 9px; height: 9px; padding: 0; border: 0" aria-label="b"></button>`, "target-size"},
	} {
		t.Run(sentence, func(t *testing.T) {
			tab := b.Open(t)
			tab.Go(served(t, fmt.Sprintf(frame, test.part)))
			var found []string
			for _, violation := range tab.Violations(axe) {
				found = append(found, violation.ID)
			}
			if test.want == "" && len(found) > 0 || test.want != "" && !slices.Contains(found, test.want) {
				t.Errorf("found %v, want %q", found, test.want)
			}
		})
	}
}
