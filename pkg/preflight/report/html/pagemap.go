// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// mapWidth and mapHeight are the largest size of a map in CSS pixels.
const (
	mapWidth  = 420.0
	mapHeight = 460.0
)

// maxShapes bounds how many shapes of a kind one map draws.
const maxShapes = 300

// pageMap is a drawing of one page. Its coordinates are those of SVG: the origin
// is at the top left, y goes down.
type pageMap struct {
	*report.Page
	in            *texts.Language
	Width, Height float64
	// PixelWidth and PixelHeight are its size on the screen.
	PixelWidth, PixelHeight float64
	// Line is the width of a hairline of the drawing in its own units.
	Line float64
	// Media is the MediaBox, drawn below everything else; Boxes are the other boxes.
	Media   shape
	Boxes   []shape
	Text    []shape
	Images  []shape
	Markers []marker
	// Heat are the areas with much ink, lighter first; empty for a page without a heat map.
	Heat []area
	// Findings are the findings whose first page is this one.
	Findings []located
}

// shape is a rectangle.
type shape struct {
	X, Y, W, H float64
	// Class is the class of the style sheet that paints it.
	Class string
	// Title is the tooltip; empty for none.
	Title string
}

// area is a set of rectangles with one colour.
type area struct{ Class, Path string }

// marker is the number of a finding at its place.
type marker struct {
	Number   int
	Severity report.Severity
	Message  string
	// X and Y are the middle of the number's disc, R its radius.
	X, Y, R float64
	// Place is nil for a finding about the whole page.
	Place *shape
}

func newMap(in *texts.Language, page *report.Page, images []report.Image, findings []located) pageMap {
	view := geom.View(geom.Rect(page.Boxes.Media), page.Rotate, page.UserUnit)
	media := view.Rect(geom.Rect(page.Boxes.Media))
	m := pageMap{Page: page, in: in, Width: media.Width(), Height: media.Height(), Findings: findings}
	scale := min(mapWidth/m.Width, mapHeight/m.Height)
	m.PixelWidth, m.PixelHeight = m.Width*scale, m.Height*scale
	m.Line = 1 / scale
	m.Media = shape{W: m.Width, H: m.Height, Class: "media"}
	for _, b := range []struct {
		box         *report.Rect
		class, name string
	}{
		{page.Boxes.Crop, "crop", "CropBox"},
		{page.Boxes.Bleed, "bleed", "BleedBox"},
		{page.Boxes.Art, "art", "ArtBox"},
		{page.Boxes.Trim, "trim", "TrimBox"},
	} {
		if b.box != nil {
			m.Boxes = append(m.Boxes, m.shape(view.Rect(geom.Rect(*b.box)), b.class, b.name))
		}
	}
	for _, r := range page.Text[:min(len(page.Text), maxShapes)] {
		m.Text = append(m.Text, m.shape(geom.Rect(r), "text", ""))
	}
	m.addImages(images)
	m.addMarkers()
	if page.Ink != nil && page.Ink.HeatMap != nil {
		m.addHeat(page.Ink.HeatMap)
	}
	return m
}

// heatSteps are the totals of inks in percent at which the heat map has another colour.
func heatSteps() []int { return []int{200, 240, 280, 320, 360} }

// heatClass returns the class of the colour that begins at a step.
func heatClass(step int) string { return fmt.Sprintf("heat h%d", step) }

// addHeat draws one path for each colour. Neighbouring cells of a row are one rectangle.
func (m *pageMap) addHeat(heat *report.HeatMap) {
	steps := heatSteps()
	step := func(total int) int {
		at, exact := slices.BinarySearch(steps, total)
		if !exact {
			at--
		}
		return at
	}
	paths := make([]strings.Builder, len(steps))
	height := (heat.Box[3] - heat.Box[1]) / float64(len(heat.Cells))
	for row, cells := range heat.Cells {
		width := (heat.Box[2] - heat.Box[0]) / float64(len(cells))
		for from := 0; from < len(cells); {
			until := from + 1
			for until < len(cells) && step(cells[until]) == step(cells[from]) {
				until++
			}
			if at := step(cells[from]); at >= 0 {
				s := m.shape(geom.Rect{
					heat.Box[0] + float64(from)*width, heat.Box[3] - float64(row+1)*height,
					heat.Box[0] + float64(until)*width, heat.Box[3] - float64(row)*height,
				}, "", "")
				fmt.Fprintf(&paths[at], "M%s %sh%sv%sh-%sz", coordinate(s.X), coordinate(s.Y), coordinate(s.W), coordinate(s.H), coordinate(s.W))
			}
			from = until
		}
	}
	for at := range paths {
		if paths[at].Len() > 0 {
			m.Heat = append(m.Heat, area{heatClass(steps[at]), paths[at].String()})
		}
	}
}

// shape converts a rectangle of the page to SVG and clips it to the page.
func (m *pageMap) shape(r geom.Rect, class, title string) shape {
	r = r.Intersect(geom.Rect{0, 0, m.Width, m.Height})
	return shape{
		X: geom.Round(r[0], 2), Y: geom.Round(m.Height-r[3], 2),
		W: geom.Round(math.Max(r.Width(), m.Line), 2), H: geom.Round(math.Max(r.Height(), m.Line), 2),
		Class: class, Title: title,
	}
}

// addImages colours each placement by the gravest finding about its image.
func (m *pageMap) addImages(images []report.Image) {
	for i := range images {
		image := &images[i]
		if image.Page != m.Number || image.Hidden || image.Soft || len(m.Images) >= maxShapes {
			continue
		}
		class := "image good"
		for _, f := range m.Findings {
			if !strings.HasPrefix(f.Rule, "image.") || f.Object != image.Object {
				continue
			}
			if f.Severity == report.Error {
				class = "image bad"
				break
			}
			if f.Severity == report.Warning {
				class = "image fair"
			}
		}
		title := m.in.Report("imageTitle", "width", image.Pixels[0], "height", image.Pixels[1], "ppi", geom.Round(min(image.PPI[0], image.PPI[1]), 1), "space", image.ColorSpace)
		m.Images = append(m.Images, m.shape(geom.Rect(image.BBox), class, title))
	}
}

// addMarkers numbers the findings: at their place, or in a row at the top for those
// about the whole page.
func (m *pageMap) addMarkers() {
	row := 0
	radius := 8 * m.Line
	for _, f := range m.Findings[:min(len(m.Findings), maxShapes)] {
		k := marker{Number: f.Number, Severity: f.Severity, Message: f.Message, R: geom.Round(radius, 2)}
		if f.BBox != nil {
			place := m.shape(geom.Rect(*f.BBox), "place", "")
			k.Place, k.X, k.Y = &place, place.X, place.Y
		} else {
			k.X, k.Y = radius*(1.5+float64(2*row)), radius*1.5
			row++
		}
		k.X = geom.Round(min(max(k.X, radius), m.Width-radius), 2)
		k.Y = geom.Round(min(max(k.Y, radius), m.Height-radius), 2)
		m.Markers = append(m.Markers, k)
	}
	// Graver findings are drawn later, above the others.
	slices.SortStableFunc(m.Markers, func(a, b marker) int { return weight(b.Severity) - weight(a.Severity) })
}
