// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/test/browsertest"
)

// TestGeneratedScreenshots takes the pictures of the README and the guide. With -update it
// writes the pictures; otherwise it checks that the pages can be drawn, because two browsers
// never draw the same pixels.
func TestGeneratedScreenshots(t *testing.T) {
	t.Parallel()
	d, jobs := fullDashboard(t, ""), newDashboard(t)
	job := "/preflight/" + jobs.flawed(t)
	browser := browsertest.Start(t)
	for _, picture := range []struct {
		*testDashboard
		name, key, path, scheme string
		width, height           int
	}{
		{d, "home", "acme-live", "/", "light", 1440, 900},
		{jobs, "job", "acme-live", job, "light", 1440, 900},
		{d, "posture", "platform-live", "/ops", "light", 1440, 900},
		{d, "home-phone", "acme-live", "/", "light", 390, 844},
		{d, "preflight-phone", "acme-live", "/preflight", "dark", 390, 844},
		{d, "posture-tablet", "platform-live", "/ops", "dark", 1024, 768},
		{d, "rollout-tablet", "platform-live", "/ops/rollouts/rfq-create", "light", 1024, 768},
	} {
		server := httptest.NewServer(picture.handler)
		t.Cleanup(server.Close)
		p := browser.Open(t)
		p.Go(server.URL + "/sign-in")
		p.Write("#key", picture.Key(picture.key))
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

// flawed submits a job that ends with the report and the pictures of the flawed file of the demo.
func (d *testDashboard) flawed(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	if err := demo.WriteSamples(directory); err != nil {
		t.Fatalf("demo.WriteSamples: %v", err)
	}
	pdf, err := os.ReadFile(filepath.Join(directory, demo.FlawedFile))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	p, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatalf("profile.Lookup: %v", err)
	}
	var pictures pageimage.Writer
	made, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), p, preflight.Options{Pictures: &pictures})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	return d.inspected(t, demo.FlawedFile, made, &pictures)
}
