// SPDX-License-Identifier: Apache-2.0

package design

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/printmarket/printmarket/apiserver/respond"
)

// palettes are the colours of the style sheet, by scheme and name.
func palettes(t *testing.T) [2]map[string]string {
	t.Helper()
	blocks := regexp.MustCompile(`:root(?::not\(\S+\))? \{([^}]*)\}`).FindAllStringSubmatch(sheet(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of colours, want those of the light and of the dark scheme", len(blocks))
	}
	var schemes [2]map[string]string
	for i, block := range blocks {
		schemes[i] = map[string]string{}
		for _, pair := range regexp.MustCompile(`--(\w+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block[1], -1) {
			schemes[i][pair[1]] = pair[2]
		}
	}
	return schemes
}

// sheet returns our own part of the style sheet.
func sheet(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("assets/" + StyleFile)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return string(text)
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) != len("#rrggbb") {
		t.Fatalf("colour %q", colour)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
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

// TestTextCanBeReadInBothSchemes checks each pair of colours that the style sheet combines.
func TestTextCanBeReadInBothSchemes(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{{"paper", "link"}, {"paper", "ink"}}
	for _, text := range []string{"ink", "link", "quiet"} {
		for _, ground := range []string{"ground", "paper", "soft"} {
			pairs = append(pairs, [2]string{text, ground})
		}
	}
	for _, kind := range []string{"ok", "attention", "danger", "info", "neutral"} {
		pairs = append(pairs, [2]string{kind, kind + "ground"})
	}
	for i, colours := range palettes(t) {
		for _, pair := range pairs {
			one, other := luminance(t, colours[pair[0]]), luminance(t, colours[pair[1]])
			if ratio := (max(one, other) + 0.05) / (min(one, other) + 0.05); ratio < 4.5 {
				t.Errorf("scheme %d: %s on %s has the contrast %.2f, want 4.5", i, pair[0], pair[1], ratio)
			}
		}
	}
}

// TestColoursComeFromTheSchemes: a colour outside of the schemes would fit only one of them.
func TestColoursComeFromTheSchemes(t *testing.T) {
	t.Parallel()
	rest := regexp.MustCompile(`:root(?::not\(\S+\))? \{[^}]*\}`).ReplaceAllString(sheet(t), "")
	if found := regexp.MustCompile(`#[0-9a-f]{3,8}\b|rgb|hsl`).FindString(rest); found != "" {
		t.Errorf("%s is a colour outside of the schemes", found)
	}
	for _, rule := range []string{"prefers-reduced-motion", "@media print", ":focus-visible", "max-width: 40rem"} {
		if !strings.Contains(rest, rule) {
			t.Errorf("no rule for %s", rule)
		}
	}
}

func source(extra map[string]string) fstest.MapFS {
	files := fstest.MapFS{"assets/design.css": {Data: []byte("body { margin: 0; }")}, "assets/design.js": {Data: []byte("// script")}, "assets/favicon.svg": {}}
	for name, text := range extra {
		files["assets/dist/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func TestABuildWithoutFetchedFilesHasItsOwnStyleOnly(t *testing.T) {
	t.Parallel()
	files, err := build(source(nil))
	if err != nil || string(files[StyleFile]) != "body { margin: 0; }" || len(files) != 4 {
		t.Errorf("files %s, error %v; want the own style alone", files, err)
	}
}

func TestFetchedFilesAreALayerAndASprite(t *testing.T) {
	t.Parallel()
	files, err := build(source(map[string]string{
		"pico.css": `@charset "UTF-8";a{color:red}`, "lucide-license.txt": "ISC -- free",
		"icons/house.svg": "<!-- notice -->\n<svg width=\"24\">\n<path/></svg>\n", "icons/key.svg": "<svg width=\"24\"><circle/></svg>\n",
	}))
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	style := string(files[StyleFile])
	if !strings.HasPrefix(style, "@layer pico {\na{color:red}\n}\nbody { margin: 0; }\n:root { --i-house: 0; --i-key: 1; }\n") || !strings.Contains(style, "mask: url(icons.svg)") {
		t.Errorf("style\n%s", style)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 48">
<!--
ISC == free
-->
<svg y="0" width="24">
<path/></svg>
<svg y="24" width="24"><circle/></svg>
</svg>
`
	if got := string(files[IconsFile]); got != want {
		t.Errorf("sprite\n%s\nwant\n%s", got, want)
	}
}

// TestStyleAndIconsAreLight bounds what a browser loads besides a page, which has up to
// 130 kB.
func TestStyleAndIconsAreLight(t *testing.T) {
	t.Parallel()
	sum := 0
	for name, content := range Files() {
		zipped := len(respond.Gzip(content, gzip.BestCompression))
		t.Logf("%s: %d bytes, compressed %d", name, len(content), zipped)
		if name != IconsFile && name != BrandFile { // a picture
			sum += zipped
		}
	}
	if sum > 24_000 {
		t.Errorf("style and script have %d compressed bytes, want at most 24,000", sum)
	}
}

func TestAFileMayBeKeptUntilItChanges(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	Register(mux)
	send := func(method string, header map[string]string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "/"+StyleFile, nil)
		for name, value := range header {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w
	}
	for sentence, coding := range map[string]string{"compressed": "gzip", "not compressed": ""} {
		first := send(http.MethodGet, map[string]string{"Accept-Encoding": coding})
		got := fmt.Sprint(first.Code, first.Header().Get("Content-Type"), first.Header().Get("Cache-Control"), first.Header().Get("Content-Encoding"))
		if want := fmt.Sprint(200, "text/css; charset=utf-8", "no-cache", coding); got != want {
			t.Errorf("%s: %s, want %s", sentence, got, want)
		}
		again := send(http.MethodGet, map[string]string{"Accept-Encoding": coding, "If-None-Match": first.Header().Get("ETag")})
		if again.Code != http.StatusNotModified {
			t.Errorf("%s: status %d with the ETag, want 304", sentence, again.Code)
		}
		if coding == "" {
			continue
		}
		reader, err := gzip.NewReader(first.Body)
		if err != nil {
			t.Fatalf("gzip.NewReader: %v", err)
		}
		if text, err := io.ReadAll(reader); err != nil || string(text) != string(Files()[StyleFile]) {
			t.Errorf("the compressed style sheet has %d bytes, error %v", len(text), err)
		}
	}
	if posted := send(http.MethodPost, nil); posted.Code != http.StatusMethodNotAllowed || posted.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: status %d, Allow %q", posted.Code, posted.Header().Get("Allow"))
	}
}

// TestChosenThemeHasTheColoursOfItsScheme compares the generated rule with the one for systems
// with a dark scheme.
func TestChosenThemeHasTheColoursOfItsScheme(t *testing.T) {
	t.Parallel()
	style := string(Files()[StyleFile])
	_, rest, found := strings.Cut(style, `:root[data-theme="dark"] {`)
	if !found {
		t.Fatal("the style sheet has no rule for the dark theme")
	}
	rule, _, _ := strings.Cut(rest, "}")
	for name, colour := range palettes(t)[1] {
		if !strings.Contains(rule, "--"+name+": "+colour+";") {
			t.Errorf("the dark theme lacks --%s: %s", name, colour)
		}
	}
}

func TestThemeIsReadFromTheCookie(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]Theme{
		"": "", "printmarket-theme=dark": Dark, "printmarket-theme=light": Light, "printmarket-theme=system": "", "printmarket-theme=\"><script>": "", "other=dark": "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Cookie", sent)
		if got := ThemeOf(r); got != want {
			t.Errorf("cookie %q: theme %q, want %q", sent, got, want)
		}
	}
	for theme, want := range map[Theme]string{
		Dark: "printmarket-theme=dark; Path=/; Max-Age=31536000; Secure; SameSite=Lax", "": "printmarket-theme=; Path=/; Max-Age=0; Secure; SameSite=Lax",
	} {
		header := http.Header{}
		if SetTheme(header, theme, true); header.Get("Set-Cookie") != want {
			t.Errorf("theme %q: %s, want %s", theme, header.Get("Set-Cookie"), want)
		}
	}
}
