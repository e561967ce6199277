// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
	"github.com/printmarket/printmarket/test/browsertest"
)

var pictures = flag.Bool("update-pictures", false, "write the picture of the README")

// leaflet returns a page with faults that customers' files often have: a coarse RGB image,
// artwork without bleed at one edge, a font that is not embedded, and a hairline.
func leaflet() []byte {
	var b pdftest.Builder
	photo := b.Image(pdftest.Image{Width: 200, Height: 150, Space: "/DeviceRGB", Components: 3})
	font := b.StandardFont("Helvetica")
	mm := pdftest.MM
	content := fmt.Sprintf("0.2 0.1 0 0 k %g %g %g %g re f\n", mm(10), mm(247), mm(210), mm(63)) +
		pdftest.Place("Photo", mm(30), mm(130), mm(120), mm(90)) +
		fmt.Sprintf("0 0 0 1 k BT /Body 11 Tf %g %g Td (Spring offers, valid until 31 March) Tj ET\n", mm(30), mm(110)) +
		fmt.Sprintf("0 0 0 1 K 0.1 w %g %g m %g %g l S\n", mm(30), mm(105), mm(200), mm(105))
	return b.Document(pdftest.Print(content, fmt.Sprintf("/XObject << /Photo %s >> /Font << /Body %s >>", photo, font)))
}

// served returns the address of a report with pictures.
func served(t *testing.T, pdf []byte) string {
	t.Helper()
	r, set := pictured(t, pdf)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := view.HTML(w, r, view.Options{Name: "spring-offers.pdf", Pictures: set}); err != nil {
			t.Errorf("write the report: %v", err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestGeneratedScreenshot renders a report as the picture of the README. With -update-pictures it
// writes the picture. Otherwise it checks only that the report can be rendered, because two
// browsers never render the same pixels.
func TestGeneratedScreenshot(t *testing.T) {
	t.Parallel()
	tab := browsertest.Start(t).Open(t)
	tab.Go(served(t, leaflet()))
	const width, height = 1200, 900
	shot := tab.Screenshot(width, height)
	if config, err := png.DecodeConfig(bytes.NewReader(shot)); err != nil || config.Width != width || config.Height != height {
		t.Errorf("screenshot of the report: %d by %d pixels, error %v; want %d by %d", config.Width, config.Height, err, width, height)
	}
	if *pictures {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "images", "report.png"), shot, 0o644); err != nil {
			t.Fatalf("write the picture: %v", err)
		}
	}
}

func TestControlsOfTheReportNeedNoScript(t *testing.T) {
	t.Parallel()
	tab := browsertest.Start(t).Open(t)
	tab.Size(1200, 900)
	tab.Go(served(t, leaflet()))
	shown := func(selector string) bool {
		var display string
		tab.Eval(fmt.Sprintf("getComputedStyle(document.querySelector(%q)).display", selector), &display)
		return display != "none"
	}
	for _, step := range []struct {
		click       string
		shown, gone []string
	}{
		{"", []string{".layer.k0", ".pins", ".sheet .trim"}, []string{".layer.k1", ".sheet .safe"}},
		{"input.k1", []string{".layer.k1"}, []string{".layer.k0", ".layer.k2"}},
		{"input.k2", []string{".layer.k2"}, []string{".layer.k0", ".layer.k1"}},
		{"input.k0", []string{".layer.k0"}, []string{".layer.k1", ".layer.k2"}},
		{"input.show-pins", nil, []string{".pins"}},
		{"input.show-boxes", nil, []string{".sheet .trim", ".sheet .bleed"}},
		{"input.show-safe", []string{".sheet .safe"}, nil},
	} {
		if step.click != "" {
			tab.Click(step.click)
		}
		for _, selector := range step.shown {
			if !shown(selector) {
				t.Errorf("after a click on %q, %s is hidden", step.click, selector)
			}
		}
		for _, selector := range step.gone {
			if shown(selector) {
				t.Errorf("after a click on %q, %s is shown", step.click, selector)
			}
		}
	}
	width := func() (pixels float64) {
		tab.Eval("document.querySelector('.sheet').getBoundingClientRect().width", &pixels)
		return pixels
	}
	whole := width()
	for _, step := range []struct {
		percent string
		scale   float64
	}{{"200", 2}, {"400", 4}, {"100", 1}} {
		tab.Click("input.zoom" + step.percent)
		if scale := width() / whole; scale < 0.7*step.scale || scale > 1.3*step.scale {
			t.Errorf("with %s %%, the drawing is %.2f times as wide, want about %.0f times", step.percent, scale, step.scale)
		}
	}
}

func TestReportWithPicturesIsAccessible(t *testing.T) {
	t.Parallel()
	axe := browsertest.Axe(t)
	tab := browsertest.Start(t).Open(t)
	tab.Go(served(t, leaflet()))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1440, 1024, 390} {
			tab.Scheme(scheme)
			tab.Size(width, 844)
			for _, violation := range tab.Violations(axe) {
				t.Errorf("%s, %d pixels: %s", scheme, width, violation)
			}
			var beyond float64
			tab.Eval("document.documentElement.scrollWidth - innerWidth", &beyond)
			if beyond > 0 {
				t.Errorf("%s: the page is %.0f pixels wider than the window of %d", scheme, beyond, width)
			}
		}
	}
}
