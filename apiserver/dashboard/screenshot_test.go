// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/test/browsertest"
)

// TestGeneratedScreenshots takes the pictures of the README and the guide. With -update it
// writes the pictures; otherwise it checks that the pages can be drawn, because two browsers
// never draw the same pixels.
func TestGeneratedScreenshots(t *testing.T) {
	t.Parallel()
	d := fullDashboard(t, "")
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	browser := browsertest.Start(t)
	for _, picture := range []struct{ name, key, path string }{
		{"home", "acme-live", "/"},
		{"job", "acme-live", "/preflight/pref_succeeded.pdf"},
		{"posture", "platform-live", "/ops"},
	} {
		p := browser.Open(t)
		p.Go(server.URL + "/sign-in")
		p.Write("#key", d.Key(picture.key))
		p.Click(".sign-in button")
		p.Await(`location.pathname !== "/sign-in"`)
		p.Go(server.URL + picture.path)
		const width, height = 1440, 900
		shot := p.Screenshot(width, height)
		if config, err := png.DecodeConfig(bytes.NewReader(shot)); err != nil || config.Width != width || config.Height != height {
			t.Errorf("screenshot of %s: %d by %d pixels, error %v; want %d by %d", picture.path, config.Width, config.Height, err, width, height)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("..", "..", "docs", "images", picture.name+".png"), shot, 0o644); err != nil {
				t.Fatalf("write the picture: %v", err)
			}
		}
	}
}
