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

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report/html"
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

// TestGeneratedScreenshot renders a report as the picture of the README. With -update-pictures it
// writes the picture. Otherwise it checks only that the report can be rendered, because two
// browsers never render the same pixels.
func TestGeneratedScreenshot(t *testing.T) {
	t.Parallel()
	pdf := leaflet()
	p, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatalf(`Lookup("print_ready"): %v`, err)
	}
	r, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{})
	if err != nil {
		t.Fatalf("Inspect: %v", err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := html.Write(w, r); err != nil {
			t.Errorf("write the report: %v", err)
		}
	}))
	t.Cleanup(server.Close)
	tab := browsertest.Start(t).Open(t)
	tab.Go(server.URL)
	const width, height = 1200, 800
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
