// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
)

// palettes are the colours of a style sheet, by scheme and name.
func palettes(t *testing.T, sheet string) [2]map[string]string {
	t.Helper()
	blocks := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(sheet, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of colours, want those of the light and of the dark scheme", len(blocks))
	}
	var schemes [2]map[string]string
	for i, block := range blocks {
		schemes[i] = map[string]string{}
		for _, pair := range regexp.MustCompile(`--(\w+): (#[0-9a-f]+);`).FindAllStringSubmatch(block[1], -1) {
			schemes[i][pair[1]] = pair[2]
		}
	}
	return schemes
}

func sheet(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile %v: %v", path, err)
	}
	return string(text)
}

func TestColoursMatchTheDocumentation(t *testing.T) {
	t.Parallel()
	ours, theirs := palettes(t, sheet(t, "dashboard.css")), palettes(t, sheet(t, "../../apiserver/docsite/assets/site.css"))
	if got, want := fmt.Sprint(ours), fmt.Sprint(theirs); got != want || len(ours[0]) != 6 {
		t.Errorf("colours %s, of the documentation %s", got, want)
	}
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	digits := strings.TrimPrefix(colour, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatalf("strconv.ParseUint: %v", err)
		}
		channel := float64(value) / 255
		if channel <= 0.04045 {
			channel /= 12.92
		} else {
			channel = math.Pow((channel+0.055)/1.055, 2.4)
		}
		sum += weight * channel
	}
	return sum
}

func TestTextCanBeReadInBothSchemes(t *testing.T) {
	t.Parallel()
	for i, colours := range palettes(t, sheet(t, "dashboard.css")) {
		for _, text := range []string{"ink", "link", "quiet"} {
			for _, ground := range []string{"paper", "soft"} {
				one, other := luminance(t, colours[text]), luminance(t, colours[ground])
				if ratio := (max(one, other) + 0.05) / (min(one, other) + 0.05); ratio < 4.5 {
					t.Errorf("scheme %d: %s on %s has the contrast %.2f, want 4.5", i, text, ground, ratio)
				}
			}
		}
	}
}

// TestColoursComeFromTheSchemes: a colour outside of the schemes would fit only one of them.
func TestColoursComeFromTheSchemes(t *testing.T) {
	t.Parallel()
	text := sheet(t, "dashboard.css")
	rest := regexp.MustCompile(`:root \{[^}]*\}`).ReplaceAllString(text, "")
	if found := regexp.MustCompile(`#[0-9a-f]{3,8}\b|rgb|hsl`).FindString(rest); found != "" {
		t.Errorf("%s is a colour outside of the schemes", found)
	}
	for _, rule := range []string{"prefers-reduced-motion", "@media print", ":focus-visible", "max-width: 36rem"} {
		if !strings.Contains(text, rule) {
			t.Errorf("no rule for %s", rule)
		}
	}
}

func TestTheStyleSheetMayBeKeptUntilItChanges(t *testing.T) {
	t.Parallel()
	b := &browser{dashboard: newDashboard(t)}
	first := b.get(t, "/dashboard.css").want(t, 200, ":root")
	if kind, keep := first.Header().Get("Content-Type"), first.Header().Get("Cache-Control"); kind != "text/css; charset=utf-8" || keep != "no-cache" {
		t.Errorf("%q, %q", kind, keep)
	}
	again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/dashboard.css", nil)
	again.Header.Set("If-None-Match", first.Header().Get("ETag"))
	b.send(t, again).want(t, 304, "")
	if posted := b.post(t, "/dashboard.css", nil).want(t, 405, ""); posted.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow %q", posted.Header().Get("Allow"))
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
