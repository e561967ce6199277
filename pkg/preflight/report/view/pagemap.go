// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
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
	mapWidth  = 680.0
	mapHeight = 820.0
)

// maxShapes bounds how many shapes of a kind one map draws.
const maxShapes = 300

// pageMap is a drawing of one page. Its coordinates are those of SVG: the origin
// is at the top left, y goes down.
type pageMap struct {
	*report.Page
	in            *texts.Language
	Width, Height float64
	// Line is the width of a hairline of the drawing in its own units.
	Line float64
	// Media is the MediaBox, drawn below everything else; Boxes are the other boxes.
	Media  shape
	Boxes  []shape
	Text   []shape
	Images []shape
	// Picture holds the pictures of the page; nil draws the boxes of its content.
	Picture *picture
	Pins    []pin
	// Margin is the width beside the page on each side for pins, and Top the height above it. The
	// drawing ends at Bottom.
	Margin, Top, Bottom float64
	// Heat are the areas with much ink, lighter first; empty for a page without a heat map.
	Heat []area
	// Findings are the findings whose first page is this one.
	Findings []located
	// Address is where the page is drawn.
	Address string
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
type area struct {
	Class  string
	Shapes []shape
}

// path returns the rectangles as one path of SVG.
func (a *area) path() string {
	var out strings.Builder
	for _, s := range a.Shapes {
		fmt.Fprintf(&out, "M%s %sh%sv%sh-%sz", coordinate(s.X), coordinate(s.Y), coordinate(s.W), coordinate(s.H), coordinate(s.W))
	}
	return out.String()
}

// pin is the number of a finding, beside the page or above it.
type pin struct {
	Number           int
	Severity         report.Severity
	Message, Address string
	// X and Y are the middle of the pin's disc, R its radius.
	X, Y, R float64
	// Place is nil for a finding about the whole page. The line to it ends at ToX and ToY.
	Place    *shape
	ToX, ToY float64
}

// newMap draws a page. safe is the width of the zone inside the trim edges that should have no content
// that matters, in millimetres; 0 if it is unknown.
func newMap(in *texts.Language, page *report.Page, images []report.Image, findings []located, safe float64) pageMap {
	view := geom.View(geom.Rect(page.Boxes.Media), page.Rotate, page.UserUnit)
	media := view.Rect(geom.Rect(page.Boxes.Media))
	m := pageMap{Page: page, in: in, Width: media.Width(), Height: media.Height(), Findings: findings, Address: fmt.Sprintf("#p%d", page.Number)}
	scale := min(mapWidth/m.Width, mapHeight/m.Height)
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
	if trim := page.Boxes.Trim; trim != nil && safe > 0 {
		zone := view.Rect(geom.Rect(*trim)).Grow(-safe / geom.Millimetres(1))
		if !zone.Empty() {
			m.Boxes = append(m.Boxes, m.shape(zone, "safe", in.Report("legendSafe", "value", safe)))
		}
	}
	for _, r := range page.Text[:min(len(page.Text), maxShapes)] {
		m.Text = append(m.Text, m.shape(geom.Rect(r), "text", ""))
	}
	m.addImages(images)
	m.addPins()
	if page.Ink != nil && page.Ink.HeatMap != nil {
		m.addHeat(page.Ink.HeatMap)
	}
	return m
}

// heatSteps are the totals of inks in percent at which the heat map has another colour.
func heatSteps() []int { return []int{200, 240, 280, 320, 360} }

// heatClass returns the class of the colour that begins at a step.
func heatClass(step int) string { return fmt.Sprintf("heat h%d", step) }

// addHeat adds an area for each colour. Neighbouring cells of a row are one rectangle.
func (m *pageMap) addHeat(heat *report.HeatMap) {
	steps := heatSteps()
	step := func(total int) int {
		at, exact := slices.BinarySearch(steps, total)
		if !exact {
			at--
		}
		return at
	}
	areas := make([]area, len(steps))
	height := (heat.Box[3] - heat.Box[1]) / float64(len(heat.Cells))
	for row, cells := range heat.Cells {
		width := (heat.Box[2] - heat.Box[0]) / float64(len(cells))
		for from := 0; from < len(cells); {
			until := from + 1
			for until < len(cells) && step(cells[until]) == step(cells[from]) {
				until++
			}
			if at := step(cells[from]); at >= 0 {
				areas[at].Shapes = append(areas[at].Shapes, m.shape(geom.Rect{
					heat.Box[0] + float64(from)*width, heat.Box[3] - float64(row+1)*height,
					heat.Box[0] + float64(until)*width, heat.Box[3] - float64(row)*height,
				}, "", ""))
			}
			from = until
		}
	}
	for at := range areas {
		if len(areas[at].Shapes) > 0 {
			m.Heat = append(m.Heat, area{heatClass(steps[at]), areas[at].Shapes})
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

const (
	// pinRadius is the radius of a pin, and pinStep the least distance of the middles of two, in CSS
	// pixels.
	pinRadius = 11
	pinStep   = 25
)

// addPins numbers the findings: beside the page at the height of their place, or in rows above the page
// for those about all of it. Pins never overlap each other or the page.
func (m *pageMap) addPins() {
	radius, step := pinRadius*m.Line, pinStep*m.Line
	m.Bottom = m.Height + m.Line
	var sides [2][]pin
	var above []pin
	for _, f := range m.Findings[:min(len(m.Findings), maxShapes)] {
		k := pin{Number: f.Number, Severity: f.Severity, Message: f.Message, Address: f.Address, R: geom.Round(radius, 2)}
		if f.BBox == nil {
			above = append(above, k)
			continue
		}
		place := m.shape(geom.Rect(*f.BBox), "place", "")
		k.Place, k.ToX, k.ToY = &place, place.X, geom.Round(place.Y+place.H/2, 2)
		side := 0
		if place.X+place.W/2 > m.Width/2 {
			side, k.ToX = 1, geom.Round(place.X+place.W, 2)
		}
		sides[side] = append(sides[side], k)
	}
	perColumn := max(int((m.Height-2*radius)/step)+1, 1)
	for side := range sides {
		pins := sides[side]
		slices.SortStableFunc(pins, func(a, b pin) int { return cmp.Compare(a.ToY, b.ToY) })
		columns := (len(pins) + perColumn - 1) / perColumn
		for column := range columns {
			x := -step * (float64(column) + 0.6)
			if side == 1 {
				x = m.Width - x
			}
			var inColumn []*pin
			for i := column; i < len(pins); i += columns {
				pins[i].X = geom.Round(x, 2)
				inColumn = append(inColumn, &pins[i])
			}
			spread(inColumn, step, radius, m.Height-radius)
			m.Bottom = max(m.Bottom, inColumn[len(inColumn)-1].Y+radius+m.Line)
		}
		m.Margin = max(m.Margin, geom.Round(step*(float64(columns)+0.1), 2))
		m.Pins = append(m.Pins, pins...)
	}
	perRow := max(int(m.Width/step), 1)
	for i := range above {
		above[i].X, above[i].Y = geom.Round(step*(float64(i%perRow)+0.5), 2), geom.Round(-step*(float64(i/perRow)+0.6), 2)
	}
	if len(above) > 0 {
		m.Top = geom.Round(step*(float64((len(above)-1)/perRow)+1.1), 2)
		m.Margin = max(m.Margin, geom.Round(step-m.Width, 2))
	}
	m.Pins = append(m.Pins, above...)
}

// spread sets the heights of pins, which are in the order of their places, so that they are close to
// their places and at least a step apart. Pins that do not fit go beyond the lower end.
func spread(pins []*pin, step, from, to float64) {
	low := from
	for _, k := range pins {
		k.Y = max(k.ToY, low)
		low = k.Y + step
	}
	high := max(to, from+step*float64(len(pins)-1))
	for _, k := range slices.Backward(pins) {
		k.Y = min(k.Y, high)
		high = k.Y - step
	}
	for _, k := range pins {
		k.Y = geom.Round(k.Y, 2)
	}
}

// viewBox returns the part of the drawing that is shown: the page, and the pins around it.
func (m *pageMap) viewBox() string {
	return coordinates(-m.Margin, -m.Top, m.Width+2*m.Margin, m.Bottom+m.Top)
}

// shownWidth is the width of the drawing on the screen in CSS pixels.
func (m *pageMap) shownWidth() string { return coordinate((m.Width + 2*m.Margin) / m.Line) }

// closeUp is a part of a page around the place of a finding.
type closeUp struct {
	Page *pageMap
	// X, Y, W and H are the part. It reaches beyond a page of other proportions.
	X, Y, W, H float64
	// Place is the outline of the finding, or nil for the whole page.
	Place *shape
	// Fine is a picture of the part that is finer than that of the page, or nil.
	Fine *finePart
}

// viewBox returns the part of the drawing.
func (c *closeUp) viewBox() string { return coordinates(c.X, c.Y, c.W, c.H) }

// closeUp returns the part of the page around a place, or the whole page.
func (m *pageMap) closeUp(place *report.Rect) *closeUp {
	if place == nil {
		return &closeUp{Page: m, W: m.Width, H: m.Height}
	}
	s := m.shape(geom.Rect(*place), "place", "")
	part := geom.CloseUp(geom.Rect{s.X, s.Y, s.X + s.W, s.Y + s.H}, m.Width, m.Height)
	// The outline leaves the place itself to be seen.
	const gap = 0.015
	s.X, s.Y, s.W, s.H = s.X-gap*part.Height(), s.Y-gap*part.Height(), s.W+2*gap*part.Height(), s.H+2*gap*part.Height()
	c := &closeUp{Page: m, X: part[0], Y: part[1], W: part.Width(), H: part.Height(), Place: &s}
	if m.Picture != nil {
		c.Fine = m.Picture.finer(part)
	}
	return c
}
