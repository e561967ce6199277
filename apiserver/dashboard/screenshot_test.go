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
	for _, picture := range []struct {
		name, key, path, scheme string
		width, height           int
	}{
		{"home", "acme-live", "/", "light", 1440, 900},
		{"job", "acme-live", "/preflight/pref_succeeded.pdf", "light", 1440, 900},
		{"posture", "platform-live", "/ops", "light", 1440, 900},
		{"home-phone", "acme-live", "/", "light", 390, 844},
		{"preflight-phone", "acme-live", "/preflight", "dark", 390, 844},
		{"posture-tablet", "platform-live", "/ops", "dark", 1024, 768},
		{"rollout-tablet", "platform-live", "/ops/rollouts/rfq-create", "light", 1024, 768},
	} {
		p := browser.Open(t)
		p.Go(server.URL + "/sign-in")
		p.Write("#key", d.Key(picture.key))
		p.Click(".sign-in button")
		p.Await(`location.pathname !== "/sign-in"`)
		p.Scheme(picture.scheme)
		p.Size(picture.width, picture.height)
		p.Go(server.URL + picture.path)
		shot := p.Screenshot(picture.width, picture.height)
		if config, err := png.DecodeConfig(bytes.NewReader(shot)); err != nil || config.Width != picture.width || config.Height != picture.height {
			t.Errorf("screenshot of %s: %d by %d pixels, error %v; want %d by %d", picture.path, config.Width, config.Height, err, picture.width, picture.height)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("..", "..", "docs", "images", picture.name+".png"), shot, 0o644); err != nil {
				t.Fatalf("write the picture: %v", err)
			}
		}
	}
}
