// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/tiff"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

// ghostscriptCMYK is the profile that Ghostscript converts to when it has no other.
const ghostscriptCMYK = "/usr/share/color/icc/ghostscript/default_cmyk.icc"

// separation is one page of Ghostscript's tiffsep: the planes by the name of their ink.
type separation map[string]*image.Gray

var planeName = regexp.MustCompile(`^p(\d+)\((.*)\)\.tif$`)

// separations renders pages of a file with Ghostscript, at four times the resolution
// and reduced, so that edges are means like ours.
func separations(t *testing.T, file string, pages int, resolution float64) (map[int]separation, error) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-dPDFSTOPONERROR=false",
		"-sDEVICE=tiffsep", "-sCompression=none", fmt.Sprintf("-r%g", resolution*4), "-dDownScaleFactor=4", "-dMaxSpots=12",
		fmt.Sprintf("-dLastPage=%d", pages), "-dPrinted=true", "-sOutputFile="+filepath.Join(dir, "p%d.tif"), file)
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, output[:min(len(output), 400)])
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[int]separation{}
	for _, entry := range entries {
		match := planeName.FindStringSubmatch(entry.Name())
		if match == nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		picture, err := tiff.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		gray, ok := picture.(*image.Gray)
		if !ok {
			return nil, fmt.Errorf("%s is %T", entry.Name(), picture)
		}
		var number int
		fmt.Sscan(match[1], &number)
		if out[number] == nil {
			out[number] = separation{}
		}
		out[number][match[2]] = gray
	}
	return out, nil
}

// difference is the comparison of one plane.
type difference struct {
	page int
	ink  string
	// mean is the mean difference of the amounts, in percent.
	mean        float64
	ours, other float64 // mean amounts in percent
}

// compared is the comparison of one file.
type compared struct {
	planes []difference
	// total is the greatest difference of the highest total of a page, in percent.
	total    float64
	partial  bool
	highest  [2]float64
	duration time.Duration
}

// comparePlanes renders the first pages of a file with both and compares them.
func comparePlanes(t *testing.T, file string, most int) (compared, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return compared{}, err
	}
	profile, err := os.ReadFile(ghostscriptCMYK)
	if err != nil {
		return compared{}, err
	}
	collector := facts.NewCollector(nil)
	doc, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil || doc == nil {
		return compared{}, fmt.Errorf("open: %w", err)
	}
	pages := doc.Pages()
	if doc.Opaque() || len(pages) == 0 {
		return compared{}, io.EOF
	}
	output, err := color.NewOutput(doc, profile, "ghostscript")
	if err != nil {
		return compared{}, err
	}
	renderer := render.New(doc, 1, output)
	interpreter := content.New(doc, collector, document.DefaultLimits(), renderer)
	var out compared
	for i := range pages[:min(len(pages), most)] {
		start := time.Now()
		if err := interpreter.Page(t.Context(), &pages[i]); err != nil {
			return compared{}, err
		}
		out.duration += time.Since(start)
		ink := collector.Document().Pages[i].Ink
		if !ink.Complete {
			out.partial = true
		}
		theirs, err := separationOf(t, file, i+1, ink.Resolution)
		if err != nil {
			return compared{}, err
		}
		for name, plane := range theirs {
			theirs[name] = unrotated(plane, pages[i].Rotate)
		}
		width, height := 0, 0
		for _, plane := range theirs {
			width, height = plane.Rect.Dx(), plane.Rect.Dy()
		}
		seen := raster.Pixels(renderer.Device().Rect(pages[i].Visible()))
		totals, others := make([]int, width*height), make([]int, width*height)
		for _, plane := range ink.Planes {
			amounts, stride := renderer.Plane(plane.Name)
			other := theirs[plane.Name]
			d := difference{page: i + 1, ink: plane.Name}
			n := 0
			for y := range height {
				for x := range width {
					if !(image.Pt(x, y).In(seen)) {
						continue
					}
					ours, their := 0, 0
					if at := y*stride + x; x < stride && at < len(amounts) {
						ours = int(amounts[at])
					}
					if other != nil {
						their = 255 - int(other.GrayAt(x, y).Y)
					}
					totals[y*width+x] += ours
					others[y*width+x] += their
					d.mean += math.Abs(float64(ours - their))
					d.ours += float64(ours)
					d.other += float64(their)
					n++
				}
			}
			if n > 0 {
				d.mean, d.ours, d.other = d.mean/float64(n)/2.55, d.ours/float64(n)/2.55, d.other/float64(n)/2.55
			}
			out.planes = append(out.planes, d)
		}
		a, b := most9(totals), most9(others)
		if math.Abs(a-b) > out.total {
			out.total, out.highest = math.Abs(a-b), [2]float64{a, b}
		}
		if dir := os.Getenv("PRINTMARKET_PLANES"); dir != "" {
			dump(t, dir, file, i+1, renderer, ink, theirs)
		}
	}
	return out, nil
}

// dump writes the planes of both side by side, for a look at a difference.
func dump(t *testing.T, dir, file string, page int, renderer *render.Renderer, ink *facts.InkMap, theirs separation) {
	t.Helper()
	for _, plane := range ink.Planes {
		other := theirs[plane.Name]
		if other == nil {
			continue
		}
		w, h := other.Rect.Dx(), other.Rect.Dy()
		amounts, stride := renderer.Plane(plane.Name)
		var out bytes.Buffer
		fmt.Fprintf(&out, "P5 %d %d 255\n", 2*w+4, h)
		for y := range h {
			for x := range w {
				v := byte(255)
				if at := y*stride + x; x < stride && at < len(amounts) {
					v = 255 - amounts[at]
				}
				out.WriteByte(v)
			}
			out.Write([]byte{128, 128, 128, 128})
			for x := range w {
				out.WriteByte(other.GrayAt(x, y).Y)
			}
		}
		name := fmt.Sprintf("%s-%d-%s.pgm", strings.TrimSuffix(filepath.Base(file), ".pdf"), page, strings.ReplaceAll(plane.Name, "/", "_"))
		if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// unrotated undoes the rotation of a page, in degrees clockwise.
func unrotated(p *image.Gray, degrees int) *image.Gray {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if degrees%180 != 0 {
		w, h = h, w
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := x, y
			switch degrees {
			case 90:
				u, v = h-1-y, x
			case 180:
				u, v = w-1-x, h-1-y
			case 270:
				u, v = y, w-1-x
			}
			out.SetGray(x, y, p.GrayAt(u, v))
		}
	}
	return out
}

func separationOf(t *testing.T, file string, page int, resolution float64) (separation, error) {
	t.Helper()
	all, err := separations(t, file, page, resolution)
	if err != nil {
		return nil, err
	}
	return all[page], nil
}

// most9 returns the total that 99.9 % of the inked pixels do not exceed, in percent: single
// pixels at edges differ.
func most9(totals []int) float64 {
	var counts [16*255 + 1]int
	n := 0
	for _, v := range totals {
		if v > 2 {
			counts[v]++
			n++
		}
	}
	left := n / 1000
	for v := len(counts) - 1; v > 0; v-- {
		if left -= counts[v]; left < 0 {
			return float64(v) / 2.55
		}
	}
	return 0
}

// TestPlanesAgainstGhostscript compares the planes of the files of a folder.
func TestPlanesAgainstGhostscript(t *testing.T) {
	pattern := os.Getenv("PRINTMARKET_PDFS")
	if pattern == "" {
		t.Skip("PRINTMARKET_PDFS is not set")
	}
	files, _ := filepath.Glob(pattern)
	for _, file := range files {
		got, err := comparePlanes(t, file, 1)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		var worst difference
		for _, d := range got.planes {
			if d.mean >= worst.mean {
				worst = d
			}
		}
		verdict := "ok"
		if worst.mean > 2 || got.total > 4 {
			verdict = "DIFFERS"
		}
		t.Logf("%-8s %-44s %.2f %% page %d %s (%.2f, %.2f); total %.0f (%.0f, %.0f) partial %t %v", verdict, filepath.Base(file), worst.mean, worst.page, worst.ink, worst.ours, worst.other,
			got.total, got.highest[0], got.highest[1], got.partial, got.duration.Round(time.Millisecond))
	}
}
