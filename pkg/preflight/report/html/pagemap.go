// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// mapWidth and mapHeight are the largest size of a map in CSS pixels.
const (
	mapWidth  = 420.0
	mapHeight = 460.0
)

// maxShapes bounds what one map draws of a kind.
const maxShapes = 300

// pageMap is a drawing of one page. Its coordinates are those of SVG: the origin
// is at the top left, y goes down.
type pageMap struct {
	*report.Page
	Width, Height float64
	// PixelWidth and PixelHeight are its size on the screen.
	PixelWidth, PixelHeight float64
	// Line is the width of a hairline of the drawing in its own units.
	Line    float64
	Boxes   []shape
	Text    []shape
	Images  []shape
	Markers []marker
	// Findings are those that are found on this page first.
	Findings []located
}

// shape is a rectangle.
type shape struct {
	X, Y, W, H float64
	// Class says how it is painted.
	Class string
	// Title is what a pointer that rests on it is told.
	Title string
}

// marker is the number of a finding at its place.
type marker struct {
	shape
	Number int
	// CX and CY are the middle of the number's disc, R its radius.
	CX, CY, R float64
	// Located is false for a finding about the whole page.
	Located bool
}

func newMap(page *report.Page, images []report.Image, findings []located) pageMap {
	view := geom.View(geom.Rect(page.Boxes.Media), page.Rotate, page.UserUnit)
	media := view.Rect(geom.Rect(page.Boxes.Media))
	m := pageMap{Page: page, Width: media.Width(), Height: media.Height(), Findings: findings}
	scale := min(mapWidth/m.Width, mapHeight/m.Height)
	m.PixelWidth, m.PixelHeight = m.Width*scale, m.Height*scale
	m.Line = 1 / scale
	m.boxes(view)
	for _, r := range page.Text[:min(len(page.Text), maxShapes)] {
		m.Text = append(m.Text, m.shape(geom.Rect(r), "text", ""))
	}
	m.images(images, findings)
	m.markers(findings)
	return m
}

// shape turns a rectangle of the page over and keeps it on the page.
func (m *pageMap) shape(r geom.Rect, class, title string) shape {
	r = r.Intersect(geom.Rect{0, 0, m.Width, m.Height})
	return shape{
		X: geom.Round(r[0], 2), Y: geom.Round(m.Height-r[3], 2),
		W: geom.Round(math.Max(r.Width(), m.Line), 2), H: geom.Round(math.Max(r.Height(), m.Line), 2),
		Class: class, Title: title,
	}
}

func (m *pageMap) boxes(view geom.Matrix) {
	m.Boxes = append(m.Boxes, shape{W: m.Width, H: m.Height, Class: "media", Title: "MediaBox"})
	for _, b := range []struct {
		box         *report.Rect
		class, name string
	}{
		{m.Page.Boxes.Crop, "crop", "CropBox"},
		{m.Page.Boxes.Bleed, "bleed", "BleedBox"},
		{m.Page.Boxes.Art, "art", "ArtBox"},
		{m.Page.Boxes.Trim, "trim", "TrimBox"},
	} {
		if b.box != nil {
			m.Boxes = append(m.Boxes, m.shape(view.Rect(geom.Rect(*b.box)), b.class, b.name))
		}
	}
}

// images colours each placement by the worst that was found about it.
func (m *pageMap) images(images []report.Image, findings []located) {
	for i := range images {
		image := &images[i]
		if image.Page != m.Number || image.Hidden || image.Soft || len(m.Images) >= maxShapes {
			continue
		}
		title := fmt.Sprintf("%d x %d pixels, %s ppi, %s", image.Pixels[0], image.Pixels[1], number(min(image.PPI[0], image.PPI[1])), image.ColorSpace)
		m.Images = append(m.Images, m.shape(geom.Rect(image.BBox), "image "+worst(image, findings), title))
	}
}

func worst(image *report.Image, findings []located) string {
	class := "good"
	for i := range findings {
		f := &findings[i]
		if !strings.HasPrefix(f.Rule, "image.") || f.Object != image.Object {
			continue
		}
		switch f.Severity {
		case report.Error:
			return "bad"
		case report.Warning:
			class = "fair"
		case report.Info:
		}
	}
	return class
}

// markers numbers the findings: at their place, or in a row at the top for those
// about the whole page.
func (m *pageMap) markers(findings []located) {
	row := 0
	radius := 8 * m.Line
	for _, f := range findings[:min(len(findings), maxShapes)] {
		k := marker{Number: f.Number, R: geom.Round(radius, 2)}
		if f.BBox != nil {
			k.shape, k.Located = m.shape(geom.Rect(*f.BBox), string(f.Severity), f.Message), true
			k.CX, k.CY = k.X, k.Y
		} else {
			k.shape = shape{Class: string(f.Severity), Title: f.Message}
			k.CX, k.CY = radius*(1.5+float64(2*row)), radius*1.5
			row++
		}
		k.CX = geom.Round(min(max(k.CX, radius), m.Width-radius), 2)
		k.CY = geom.Round(min(max(k.CY, radius), m.Height-radius), 2)
		m.Markers = append(m.Markers, k)
	}
	// What is graver is drawn later, above the rest.
	slices.SortStableFunc(m.Markers, func(a, b marker) int {
		return weight(report.Severity(b.Class)) - weight(report.Severity(a.Class))
	})
}
