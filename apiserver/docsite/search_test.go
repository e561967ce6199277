// SPDX-License-Identifier: Apache-2.0

package docsite_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/test/browsertest"
)

// shown loads a page in Chromium and returns it as it is once its script has run.
func shown(t *testing.T, url string) string {
	t.Helper()
	profile, err := os.MkdirTemp("", "printmarket-chromium-*") //nolint:usetesting // processes of the browser may still write to it
	if err != nil {
		t.Fatalf("os.MkdirTemp  printmarket-chromium-*: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(profile) })
	args := []string{
		"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
		"--user-data-dir=" + profile, "--virtual-time-budget=5000", "--dump-dom", url,
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // which it refuses to build as root
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, browsertest.Program(t), args...).Output()
	if err != nil {
		t.Fatalf("Output: %v", err)
	}
	return string(out)
}

// TestTheSearchFindsPagesAndHeadings runs the script in a browser, under the policy
// with which it is served.
func TestTheSearchFindsPagesAndHeadings(t *testing.T) {
	t.Parallel()
	site := build(t, fstest.MapFS{
		"README.md":   file("# Home\n\n## Guides\n\n- [Zebra](z.md)\n"),
		"a.md":        file("# Alpha\n\nleases end `<img src=y>`\n"),
		"z.md":        file("# Zebra\n\n## Leases and <b>fences</b>\n\nA lease ends.\n"),
		"adr/0001.md": file("# Hostile\n\n## <img src=x onerror=alert(1)>\n\nonerror\n"),
	})
	server := httptest.NewServer(site.Handler("/"))
	t.Cleanup(server.Close)
	hit := regexp.MustCompile(`<li><a href="([^"]+)">([^<]*)</a>(?:<p>(.*?)</p>)?</li>`)
	const ends = "A <mark>lease</mark> ends."
	tests := map[string]struct {
		query string
		// want has the address, the title and the excerpt of each result.
		want [][3]string
	}{
		"a word of two pages and a heading": {"lease", [][3]string{{"z.html#leases-and-bfencesb", "Zebra: Leases and fences", ends}, {"z.html", "Zebra", ends}, {"a.html", "Alpha", "<mark>lease</mark>s end &lt;img src=y&gt;"}}},
		"two words of one page":             {"LEASE+fences", [][3]string{{"z.html#leases-and-bfencesb", "Zebra: Leases and fences", ends}, {"z.html", "Zebra", ends}}},
		"a title":                           {"alpha", [][3]string{{"a.html", "Alpha", ""}}},
		"nothing":                           {"nowhere", nil},
		"too short":                         {"a", nil},
		"what would be a script is text":    {"hostile", [][3]string{{"adr/0001.html", "Hostile", ""}}},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			page := shown(t, server.URL+"/search.html?q="+test.query)
			_, list, _ := strings.Cut(page, `<ol id="found">`)
			list, _, _ = strings.Cut(list, "</ol>")
			var got [][3]string
			for _, match := range hit.FindAllStringSubmatch(list, -1) {
				got = append(got, [3]string{match[1], match[2], match[3]})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +found:\n%s", diff)
			}
		})
	}
}
