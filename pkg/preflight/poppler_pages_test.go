// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// popplerPage returns a page as poppler draws it, without its rotation, as a mask: 255 where
// it is not white.
func popplerPage(t *testing.T, file string, page, rotate int, resolution float64) (*image.Gray, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	number := fmt.Sprint(page)
	out, err := exec.CommandContext(ctx, "pdftoppm", "-r", fmt.Sprint(resolution), "-f", number, "-l", number, "-png", file).Output()
	if err != nil {
		return nil, fmt.Errorf("pdftoppm: %w", err)
	}
	drawn, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("decode the page of pdftoppm: %w", err)
	}
	rgba := image.NewRGBA(drawn.Bounds())
	draw.Draw(rgba, rgba.Rect, drawn, drawn.Bounds().Min, draw.Src)
	mask := image.NewGray(rgba.Rect)
	for i := range mask.Pix {
		if p := rgba.Pix[4*i:]; min(p[0], p[1], p[2]) < 255-visibleTint {
			mask.Pix[i] = 255
		}
	}
	return unrotated(mask, rotate), nil
}

// visibleTint is an amount of ink, of 255, that shows in both drawings.
const visibleTint = 20

// misplaced compares where a page has ink with where poppler draws something. It returns the
// share of pixels, in percent, where only one of both does, farther than a pixel from the ink of
// the other; and the share of the page that poppler draws.
func misplaced(t *testing.T, file string, page int) (share, drawn float64, err error) {
	t.Helper()
	opened, err := openToRender(t, file)
	if err != nil {
		return 0, 0, err
	}
	ink, err := opened.render(t.Context(), page)
	if err != nil {
		return 0, 0, err
	}
	if ink == nil || !ink.Complete {
		return 0, 0, io.EOF
	}
	theirs, err := popplerPage(t, file, page+1, opened.pages[page].Rotate, ink.Resolution)
	if err != nil {
		return 0, 0, err
	}
	ours := image.NewGray(theirs.Rect)
	for _, plane := range ink.Planes {
		amounts, stride := opened.renderer.Plane(plane.Name)
		for y := range min(theirs.Rect.Dy(), len(amounts)/max(stride, 1)) {
			for x := range min(theirs.Rect.Dx(), stride) {
				if amounts[y*stride+x] > visibleTint {
					ours.SetGray(x, y, color.Gray{Y: 255})
				}
			}
		}
	}
	seen := raster.Pixels(opened.renderer.Device().Rect(opened.pages[page].Visible())).Inset(1).Intersect(theirs.Rect)
	near := func(m *image.Gray, x, y int) bool {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if m.GrayAt(x+dx, y+dy).Y != 0 {
					return true
				}
			}
		}
		return false
	}
	wrong, all := 0, 0
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		for x := seen.Min.X; x < seen.Max.X; x++ {
			our, their := ours.GrayAt(x, y).Y != 0, theirs.GrayAt(x, y).Y != 0
			if their {
				all++
			}
			if our && !near(theirs, x, y) || their && !near(ours, x, y) {
				wrong++
			}
		}
	}
	area := float64(max(seen.Dx()*seen.Dy(), 1)) / 100
	return float64(wrong) / area, float64(all) / area, nil
}

// TestInkIsWherePopplerDrawsIt compares the places of text, lines, images and everything else
// with the drawing of poppler.
func TestInkIsWherePopplerDrawsIt(t *testing.T) {
	t.Parallel()
	all := compositions(t)
	delete(all, "a knockout group with a part without opacity") // poppler does not knock out
	// Ghostscript uses this mask as a stencil.
	all["a mask of an image that is no stencil"] = composition{content: "1 0 0 0 k q 400 0 0 400 100 200 cm /I Do Q", resources: func(b *pdftest.Builder) string {
		mask := b.Stream("/Type /XObject /Subtype /Image /Width 8 /Height 2 /BitsPerComponent 1 /ColorSpace /DeviceGray", []byte{0x3c, 0x07})
		return fmt.Sprintf("/XObject << /I %s >> ", b.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /Mask %s", mask), []byte{0x40}))
	}}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			file := filepath.Join(t.TempDir(), "page.pdf")
			page := pdftest.Print(c.content, c.resources(&b))
			page.Extra = c.extra
			if err := os.WriteFile(file, b.Document(page), 0o600); err != nil {
				t.Fatal(err)
			}
			share, drawn, err := misplaced(t, file, 0)
			if err != nil {
				t.Fatal(err)
			}
			if share > 0.1 || drawn == 0 {
				t.Errorf("%.2f %% of the page is misplaced, want at most 0.1; poppler draws %.2f %%", share, drawn)
			}
		})
	}
}

// TestPagesAgainstPoppler compares the first pages of files of other programs. With
// PRINTMARKET_PDFS, a pattern, it prints the differences of all files that match.
func TestPagesAgainstPoppler(t *testing.T) {
	files, allAgree := filesOfOthers(t)
	same, different := 0, 0
	for _, file := range files {
		share, drawn, err := misplaced(t, file, 0)
		switch {
		case errors.Is(err, io.EOF):
		case err != nil:
			t.Logf("%s: %v", filepath.Base(file), err)
		case share <= 0.5:
			same++
		default:
			different++
			t.Logf("%-44s %.2f %% misplaced; poppler draws %.2f %%", filepath.Base(file), share, drawn)
		}
	}
	t.Logf("%d files agree, %d differ", same, different)
	if allAgree && same < len(files) {
		t.Errorf("%d of %d files agree with poppler, want all", same, len(files))
	}
}
