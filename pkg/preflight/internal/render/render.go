// SPDX-License-Identifier: Apache-2.0

// Package render paints the marks of a page on planes of ink.
//
// The interpreter of package content calls a [Renderer] for each mark, with shapes in
// the default user space of the page. Everything is bounded: by the number of pixels
// of a page, by the estimated time of painting, and by the memory for images.
package render

import (
	"image"
	"math"
	"math/bits"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// The resolution of planes, in pixels per inch on paper.
const (
	usualResolution = 100
	// pagePixels bounds the pixels of one page: an A4 page at the usual resolution has
	// 967,000.
	pagePixels = 2_000_000
	// allPixels bounds the pixels of all pages, for the resolution of long documents,
	// down to leastResolution.
	allPixels       = 100_000_000
	leastResolution = 50
	// maxSide bounds the pixels of a side, for pages that are very long and narrow.
	maxSide = 1 << 14
)

// The bounds of the work for one page and for the whole document, in about nanoseconds,
// and of the bytes of the masks and pattern cells of one page.
const (
	pageWork     = 1_500_000_000
	documentWork = 10_000_000_000
	maxSurface   = 160 << 20
	// leastWork is the least work of a page, and segmentWork that of a segment of a line.
	leastWork   = 2_000_000
	segmentWork = 40
)

// Renderer paints the pages of one document, one after the other. It is not safe for
// concurrent use.
type Renderer struct {
	file   *document.File
	output *color.Output
	pages  int
	// means is set to measure means of ink.
	means bool
	// most bounds the resolution of the next pages, in pixels per inch; 0 does not.
	most float64
	// room takes bytes of samples from the budget of the document.
	room func(bytes int64) bool

	bitmaps map[bitmapKey]*picture
	bytes   int64
	glyphs  map[glyphKey]*raster.Mask

	page *document.Page
	// surface is what is painted on: the page, or the canvas of a mask or a pattern.
	surface *surface
	depth   int
	shape   geom.Path
	lines   geom.Path
	stroker raster.Stroker
	mark    uint32
	// erased counts what technical inks remove, by their plane.
	erased map[int]*planes.Erased
	// wanted holds what technical inks paint, by their plane.
	wanted map[int]*planes.Wanted
	// roles are those of the inks by their names.
	roles facts.Roles
	// done is the work of the pages before, and around that of the canvases around the
	// surface.
	done, around int64
	// zoomed is the work of zooms, and zooming is set while the surface is one.
	zoomed  int64
	zooming bool
	// memory is the size of the masks and the cells of the page.
	memory int64
	// partial is set when a part of the page was not painted, limited when that is because of a limit, and
	// exhausted when the rest of the page will not be.
	partial, limited, exhausted bool
}

// surface is a canvas with its place on the page.
type surface struct {
	canvas *planes.Canvas
	// device maps the default user space of the page to pixels.
	device geom.Matrix
	// spots are the names of the planes after those of the process inks.
	spots *[]string
	// mask is set for the canvas of a soft mask, whose planes hold complements of
	// light.
	mask bool
	// light is the space of the group that is painted, if it blends in RGB: the planes of cyan, magenta and
	// yellow then hold complements of red, green and blue. It is nil for inks. lights holds the spaces
	// around the groups that have begun.
	light  *color.Space
	lights []*color.Space
}

// New returns a renderer for a document with a number of pages. output converts colours
// to inks.
func New(file *document.File, pages int, output *color.Output) *Renderer {
	return &Renderer{
		file: file, output: output, pages: pages, room: file.Budget.Paint,
		bitmaps: map[bitmapKey]*picture{}, glyphs: map[glyphKey]*raster.Mask{},
	}
}

// Start begins a page.
func (r *Renderer) Start(page *document.Page) {
	media := page.Media
	scale := r.Resolution(page) * page.UserUnit / 72
	width, height := r.Size(page)
	r.leave()
	r.page, r.depth, r.mark, r.memory, r.around = page, 0, 0, 0, 0
	r.erased, r.wanted = map[int]*planes.Erased{}, map[int]*planes.Wanted{}
	r.exhausted = r.done > documentWork
	r.partial, r.limited = r.exhausted, r.exhausted
	clear(r.glyphs)
	spots := []string{}
	r.surface = &surface{
		canvas: planes.New(width, height), spots: &spots,
		device: geom.Matrix{scale, 0, 0, -scale, -media[0] * scale, media[3] * scale},
	}
}

// Resolution returns the resolution in which a page is rendered, in pixels per inch of paper.
func (r *Renderer) Resolution(page *document.Page) float64 {
	media := page.Media
	inch := 72 / page.UserUnit
	area := media.Width() * media.Height() / (inch * inch)
	share := max(float64(allPixels)/float64(max(r.pages, 1)), leastResolution*leastResolution*area)
	pixels := min(usualResolution*usualResolution*area, share, pagePixels)
	resolution := min(math.Sqrt(pixels/area), maxSide*inch/max(media.Width(), media.Height()))
	if r.most > 0 {
		resolution = min(resolution, r.most)
	}
	return resolution
}

// Size returns the pixels of a rendered page.
func (r *Renderer) Size(page *document.Page) (width, height int) {
	scale := r.Resolution(page) * page.UserUnit / 72
	return max(int(math.Ceil(page.Media.Width()*scale)), 1), max(int(math.Ceil(page.Media.Height()*scale)), 1)
}

// Limit bounds the resolution of the next pages, in pixels per inch of paper; 0 does not.
func (r *Renderer) Limit(resolution float64) { r.most = resolution }

// Inks returns the names of the inks of the page.
func (r *Renderer) Inks() []string {
	var out []string
	for p := range planes.Max {
		if name, used := r.name(p); used {
			out = append(out, name)
		}
	}
	return out
}

// Roles sets the roles by which the next pages find technical inks.
func (r *Renderer) Roles(t facts.Roles) { r.roles = t }

// Region returns the whole surface as a clip.
func (r *Renderer) Region() *raster.Clip { return raster.NewClip(r.surface.canvas.Box()) }

// Mark starts another mark of the page, and returns its number. It returns 0, the mark
// that is always visible, for the marks of masks and patterns.
func (r *Renderer) Mark() uint32 {
	if r.depth > 0 {
		return 0
	}
	r.mark++
	return r.mark
}

// Visible reports for each mark of the page whether it can be seen: it is inside the
// clip, is not wholly transparent, and is not covered by later marks. The rectangle, in the
// default user space, contains the pixels that the mark paints; it is [geom.Everything] if
// they are not known.
func (r *Renderer) Visible() func(mark uint32) (geom.Rect, bool) {
	if r.exhausted {
		return func(uint32) (geom.Rect, bool) { return geom.Everything(), true }
	}
	visible := r.surface.canvas.Visible()
	page, _ := r.surface.device.Invert()
	return func(mark uint32) (geom.Rect, bool) {
		box, seen := visible(mark)
		if box.Empty() || !box.In(r.surface.canvas.Box()) {
			return geom.Everything(), seen
		}
		return page.Rect(geom.Rect{float64(box.Min.X), float64(box.Min.Y), float64(box.Max.X), float64(box.Max.Y)}), seen
	}
}

// Unpainted records that a mark could not be painted, so that it counts as visible.
func (r *Renderer) Unpainted(mark uint32) {
	r.partial = true
	if r.depth == 0 {
		r.surface.canvas.Assume(mark)
	}
}

// Charge adds work that was done for the surface elsewhere, in about nanoseconds.
func (r *Renderer) Charge(work int64) { r.surface.canvas.Charge(work) }

// spent reports whether the page has cost too much to go on.
func (r *Renderer) spent() bool {
	if r.around+r.surface.canvas.Work() > pageWork {
		r.exhausted = true
		r.cut()
	}
	return r.exhausted
}

// cut records that a part of the page is not painted because of a limit.
func (r *Renderer) cut() { r.partial, r.limited = true, true }

// Limited reports whether a part of the page was not painted because of a limit.
func (r *Renderer) Limited() bool { return r.limited }

// minCell is the side of a cell of the map of total ink, in millimetres.
const minCell = 2.0

// maxColumns bounds the columns and the rows of the map.
const maxColumns = 96

// Blend makes the page that has been started blend in RGB, in a space.
func (r *Renderer) Blend(space *color.Space) { r.surface.light = space }

// Finish measures the page. With rgb, the page is in RGB (ISO 32000-2, 11.4.7): unless it was blended
// in RGB, its colours are converted to RGB, and to inks again.
func (r *Renderer) Finish(rgb bool) *facts.InkMap {
	s := r.surface
	if r.done > documentWork {
		return nil
	}
	if blended := r.Settle(); rgb && !blended {
		s.canvas.Convert(func(inks [planes.FirstSpot]uint8) [planes.FirstSpot]uint8 {
			var in [4]float64
			for p, v := range inks {
				in[p] = float64(v) / 255
			}
			var out [planes.FirstSpot]uint8
			for p, v := range r.output.ThroughRGB(in) {
				out[p] = eighth(v)
			}
			return out
		})
	}
	area := s.device.Rect(r.page.BleedArea().Union(r.page.Finished()).Intersect(r.page.Media))
	box := raster.Pixels(geom.Rect{area[0] + 0.5, area[1] + 0.5, area[2] - 0.5, area[3] - 0.5})
	scale := math.Abs(s.device[0])
	mm := geom.Millimetres(1/scale) * r.page.UserUnit // of a pixel
	side := max(int(math.Ceil(minCell/mm)), (max(box.Dx(), box.Dy())+maxColumns-1)/maxColumns, 1)
	m := s.canvas.Measure(box, side)
	out := &facts.InkMap{
		Resolution: scale * 72 / r.page.UserUnit, Area: float64(m.Pixels) * mm * mm, Complete: !r.partial, Profiled: r.output.Profiled(),
		Columns: m.Columns, Rows: m.Rows, Totals: m.Totals, Cells: m.Cells,
		Left: r.page.Media[0] + float64(box.Min.X)/scale, Top: r.page.Media[3] - float64(box.Min.Y)/scale, Side: float64(side) / scale,
	}
	out.Edges = r.edges(mm)
	if r.means {
		out.Mean, out.MeanProcess = r.mean(box, mm, planes.Max), r.mean(box, mm, planes.FirstSpot)
	}
	for p, sum := range m.Sum {
		name, used := r.name(p)
		if !used || m.Pixels == 0 {
			continue
		}
		plane := facts.InkPlane{
			Name: name, Coverage: float64(sum) / 255 / float64(m.Pixels) * 100, Highest: float64(m.Highest[p]) / 255 * 100,
		}
		if e := r.erased[p]; e != nil && e.Pixels > 0 {
			plane.Erased, plane.ErasedBox = float64(e.Pixels)*mm*mm, r.onPage(e.Box)
		}
		if w := r.wanted[p]; w != nil {
			pixels, box := s.canvas.Removed(w)
			plane.Removed, plane.RemovedBox = pixels*mm*mm, r.onPage(box)
		}
		out.Planes = append(out.Planes, plane)
	}
	return out
}

// onPage returns a box of pixels in the default user space of the page.
func (r *Renderer) onPage(box image.Rectangle) geom.Rect {
	inverse, _ := r.surface.device.Invert()
	return inverse.Rect(geom.Rect{float64(box.Min.X), float64(box.Min.Y), float64(box.Max.X), float64(box.Max.Y)})
}

// Settle converts the planes of a page that blends in RGB to inks, and reports whether it does. It must
// follow the last mark of the page.
func (r *Renderer) Settle() bool {
	space := r.surface.light
	if space == nil {
		return false
	}
	r.surface.light = nil
	r.surface.canvas.Convert(func(from [planes.FirstSpot]uint8) [planes.FirstSpot]uint8 { return r.inked(from, space) })
	return true
}

// mean measures the highest mean of the first inks in a box. A pixel has so many millimetres.
func (r *Renderer) mean(box image.Rectangle, mm float64, inks int) facts.MeanInk {
	s := r.surface
	percent, square := s.canvas.Mean(box, max(int(facts.MeanSide/mm+0.5), 1), inks)
	s.canvas.Charge(4 * int64(box.Dx()) * int64(box.Dy()))
	return facts.MeanInk{Percent: percent, Box: r.onPage(square)}
}

// Means makes the next pages measure [facts.InkMap.Mean].
func (r *Renderer) Means() { r.means = true }

// name returns the name of a plane, and whether the page has it.
func (r *Renderer) name(p int) (string, bool) {
	if p < planes.FirstSpot {
		return [...]string{"Cyan", "Magenta", "Yellow", "Black"}[p], true
	}
	if p -= planes.FirstSpot; p < len(*r.surface.spots) {
		return (*r.surface.spots)[p], true
	}
	return "", false
}

// Device returns the matrix from the default user space of the page to pixels.
func (r *Renderer) Device() geom.Matrix { return r.surface.device }

// Plane returns the amounts of an ink on the page, row by row from the top, with the
// width of a row. It returns nil for an ink that was not painted.
func (r *Renderer) Plane(name string) (amounts []uint8, width int) {
	for p := range planes.Max {
		if known, used := r.name(p); used && known == name {
			return r.surface.canvas.Plane(p), r.surface.canvas.Box().Dx()
		}
	}
	return nil, r.surface.canvas.Box().Dx()
}

// spot returns the plane of a spot colour, or false when there are too many.
func (r *Renderer) spot(name string) (int, bool) {
	spots := r.surface.spots
	for i, known := range *spots {
		if known == name {
			return planes.FirstSpot + i, true
		}
	}
	if len(*spots) >= planes.Max-planes.FirstSpot {
		r.cut()
		return 0, false
	}
	*spots = append(*spots, name)
	return planes.FirstSpot + len(*spots) - 1, true
}

// Style is the part of the graphics state that compositing uses.
type Style struct {
	Alpha     float64
	Blend     string
	Overprint bool
	// Mode is the overprint mode, 0 or 1.
	Mode int
	Soft *planes.Soft
	// Mark is the number of the mark, of [Renderer.Mark].
	Mark uint32
}

// paint returns the paint of a tone (ISO 32000-2, 11.7.4.3).
func (r *Renderer) paint(t Tone, s Style, flat bool) planes.Paint {
	t = r.suited(t)
	p := planes.Paint{Amounts: t.amounts, Planes: planes.All, Alpha: eighth(s.Alpha), Blend: planes.BlendOf(s.Blend), Soft: s.Soft, Mark: s.Mark}
	if r.depth > 0 {
		p.Mark = 0
	}
	if plane, ok := r.technical(t); ok && r.depth == 0 && !r.zooming {
		r.track(&p, plane, s.Overprint)
	}
	if s.Overprint && !r.surface.mask {
		p.Planes = t.named
		if t.direct && flat && s.Mode == 1 {
			for i := range planes.FirstSpot {
				if t.amounts[i] == 0 {
					p.Planes &^= 1 << i
				}
			}
		}
	}
	return p
}

// technical returns the plane of a tone of a technical ink alone.
func (r *Renderer) technical(t Tone) (plane int, ok bool) {
	if t.named == 0 || t.named&planes.Process != 0 || t.named&(t.named-1) != 0 {
		return 0, false
	}
	plane = bits.TrailingZeros32(uint32(t.named))
	name, used := r.name(plane)
	return plane, used && r.roles.Of(name) != ""
}

// track makes the page count what a paint of a technical ink removes, unless it overprints, and keep what it paints.
func (r *Renderer) track(p *planes.Paint, plane int, overprint bool) {
	if r.wanted[plane] == nil {
		r.erased[plane], r.wanted[plane] = &planes.Erased{Own: 1 << plane}, &planes.Wanted{Plane: plane}
	}
	if p.Wanted = r.wanted[plane]; !overprint {
		p.Erased = r.erased[plane]
	}
}

// toDevice returns a path of the page in pixels. It is valid until the next call.
func (r *Renderer) toDevice(p *geom.Path) *geom.Path {
	r.shape.Reset()
	r.shape.Append(p, r.surface.device)
	return &r.shape
}

// Clip returns the part of a region inside a path.
func (r *Renderer) Clip(region *raster.Clip, p *geom.Path, evenOdd bool) *raster.Clip {
	if region.Empty() || r.spent() {
		return region
	}
	return r.intersect(region, r.toDevice(p), evenOdd)
}

// intersect returns the part of a region inside a path in pixels.
func (r *Renderer) intersect(region *raster.Clip, p *geom.Path, evenOdd bool) *raster.Clip {
	out := region.Intersect(r.surface.canvas.Rasterizer(), p, evenOdd)
	r.surface.canvas.Charge(2 * int64(out.Box.Dx()) * int64(out.Box.Dy()))
	return out
}

// Fill fills a path.
func (r *Renderer) Fill(p *geom.Path, evenOdd bool, region *raster.Clip, t Tone, s Style) {
	if region.Empty() || r.spent() {
		return
	}
	paint := r.paint(t, s, true)
	r.surface.canvas.Fill(r.toDevice(p), evenOdd, region, &paint)
}

// Begin starts a transparency group inside a region. An isolated group blends in its space, which may be
// nil: in light for RGB, in inks for CMYK. Other groups blend as what is around them.
func (r *Renderer) Begin(region *raster.Clip, isolated, knockout bool, space *color.Space) {
	s := r.surface
	s.lights = append(s.lights, s.light)
	if r.spent() {
		s.canvas.Flatten()
		return
	}
	if !s.canvas.Begin(planes.Group{Box: region.Box, Isolated: isolated, Knockout: knockout}) {
		r.cut()
		return
	}
	switch {
	case !isolated || space == nil || s.mask:
	case space.RGB():
		s.light = space
	case space.Process():
		s.light = nil
	}
}

// End composites the group with what is below it.
func (r *Renderer) End(region *raster.Clip, s Style) {
	r.leaveLight()
	r.surface.canvas.End(region, r.paint(Tone{}, Style{Alpha: s.Alpha, Blend: s.Blend, Soft: s.Soft}, false))
}

// Knockout reports whether the current group is a knockout group.
func (r *Renderer) Knockout() bool { return r.surface.canvas.Knockout() }

// Light reports whether the current group blends in RGB.
func (r *Renderer) Light() bool { return r.surface.light != nil }

// leaveLight ends the space of a group, and converts the group to the space around it.
func (r *Renderer) leaveLight() {
	s := r.surface
	outer, inner := s.lights[len(s.lights)-1], s.light
	s.lights, s.light = s.lights[:len(s.lights)-1], outer
	if (inner == nil) == (outer == nil) {
		return
	}
	s.canvas.Charge(litWork * s.canvas.ConvertGroup(func(from [planes.FirstSpot]uint8) [planes.FirstSpot]uint8 {
		if inner == nil {
			return r.lit(from)
		}
		return r.inked(from, inner)
	}))
}

// draw paints a source inside a shape on the page.
func (r *Renderer) draw(source planes.Source, shape *geom.Path, evenOdd bool, region *raster.Clip, paint *planes.Paint) {
	if shape == nil {
		r.surface.canvas.Draw(source, nil, region, paint)
		return
	}
	if evenOdd {
		region = r.intersect(region, r.toDevice(shape), true)
		r.surface.canvas.Draw(source, nil, region, paint)
		return
	}
	r.surface.canvas.Draw(source, r.toDevice(shape), region, paint)
}
