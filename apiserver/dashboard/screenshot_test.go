// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/test/browsertest"
)

// TestGeneratedScreenshot takes the picture of the operators' view for the README. With
// -update it writes the picture; otherwise it checks that the page can be drawn, because two
// browsers never draw the same pixels.
func TestGeneratedScreenshot(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps, func(c *dashboard.Config) { c.Plain = true })
	d.fillOps("")
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Open(t)
	p.Go(server.URL + "/sign-in?next=/ops")
	p.Write("#key", d.Key("platform-live"))
	p.Click(".sign-in button")
	p.Await(`location.pathname === "/ops"`)
	const width, height = 1200, 800
	shot := p.Screenshot(width, height)
	if config, err := png.DecodeConfig(bytes.NewReader(shot)); err != nil || config.Width != width || config.Height != height {
		t.Errorf("screenshot of /ops: %d by %d pixels, error %v; want %d by %d", config.Width, config.Height, err, width, height)
	}
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "images", "operators.png"), shot, 0o644); err != nil {
			t.Fatalf("write the picture: %v", err)
		}
	}
}
