// SPDX-License-Identifier: Apache-2.0

// Package render paints the marks of a page on planes of ink.
//
// The interpreter of package content calls a [Renderer] for each mark, with shapes in
// the default user space of the page. Everything is bounded: by the number of pixels
// of a page, by the pixels that are composited, and by the memory for images.
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
	// room takes bytes of samples from the budget of the document.
	room func(bytes int64) bool

	bitmaps map[bitmapKey]*planes.Bitmap
	bytes   int64
	glyphs  map[glyphKey]*raster.Mask

	page *document.Page
	// surface is what is painted on: the page, or the canvas of a mask or a pattern.
	surface *surface
	depth   int
	shape   geom.Path
	lines   geom.Path
	mark    uint32
	// erased counts what technical inks remove, by their plane.
	erased map[int]*planes.Erased
	// done is the work of the pages before, and around that of the canvases around the
	// surface.
	done, around int64
	// memory is the size of the masks and the cells of the page.
	memory int64
	// partial is set when a part of the page was not painted, exhausted when the rest of
	// it will not be.
	partial, exhausted bool
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
}

// New returns a renderer for a document with a number of pages. output converts colours
// to inks.
func New(file *document.File, pages int, output *color.Output) *Renderer {
	return &Renderer{
		file: file, output: output, pages: pages, room: file.Budget.Paint,
		bitmaps: map[bitmapKey]*planes.Bitmap{}, glyphs: map[glyphKey]*raster.Mask{},
	}
}

// Start begins a page.
func (r *Renderer) Start(page *document.Page) {
	media := page.Media
	inch := 72 / page.UserUnit
	area := media.Width() * media.Height() / (inch * inch)
	share := max(float64(allPixels)/float64(max(r.pages, 1)), leastResolution*leastResolution*area)
	pixels := min(usualResolution*usualResolution*area, share, pagePixels)
	scale := min(math.Sqrt(pixels/area)/inch, maxSide/max(media.Width(), media.Height()))
	width, height := int(math.Ceil(media.Width()*scale)), int(math.Ceil(media.Height()*scale))
	if r.surface != nil {
		r.done += r.surface.canvas.Work() + leastWork
	}
	r.page, r.depth, r.mark, r.memory, r.around = page, 0, 0, 0, 0
	r.erased = map[int]*planes.Erased{}
	r.exhausted = r.done > documentWork
	r.partial = r.exhausted
	clear(r.glyphs)
	spots := []string{}
	r.surface = &surface{
		canvas: planes.New(max(width, 1), max(height, 1)), spots: &spots,
		device: geom.Matrix{scale, 0, 0, -scale, -media[0] * scale, media[3] * scale},
	}
}

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
// clip, is not wholly transparent, and is not covered by later marks.
func (r *Renderer) Visible() func(mark uint32) bool {
	if r.exhausted {
		return func(uint32) bool { return true }
	}
	return r.surface.canvas.Visible()
}

// Unpainted records that a mark could not be painted, so that it counts as visible.
func (r *Renderer) Unpainted(mark uint32) {
	r.partial = true
	if r.depth == 0 {
		r.surface.canvas.Assume(mark)
	}
}

// spent reports whether the page has cost too much to go on.
func (r *Renderer) spent() bool {
	if r.around+r.surface.canvas.Work() > pageWork {
		r.partial, r.exhausted = true, true
	}
	return r.exhausted
}

// minCell is the side of a cell of the map of total ink, in millimetres.
const minCell = 2.0

// maxColumns bounds the columns and the rows of the map.
const maxColumns = 96

// Finish measures the page. With rgb, the page is blended in RGB: its colours are
// converted to RGB, and to inks again (ISO 32000-2, 11.4.7).
func (r *Renderer) Finish(rgb bool) *facts.InkMap {
	s := r.surface
	if r.done > documentWork {
		return nil
	}
	if rgb {
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
	for p, sum := range m.Sum {
		name, used := r.name(p)
		if !used || m.Pixels == 0 {
			continue
		}
		plane := facts.InkPlane{
			Name: name, Coverage: float64(sum) / 255 / float64(m.Pixels) * 100, Highest: float64(m.Highest[p]) / 255 * 100,
		}
		if e := r.erased[p]; e != nil && e.Pixels > 0 {
			plane.Erased = float64(e.Pixels) * mm * mm
			plane.ErasedBox = geom.Rect{
				r.page.Media[0] + float64(e.Box.Min.X)/scale, r.page.Media[3] - float64(e.Box.Max.Y)/scale,
				r.page.Media[0] + float64(e.Box.Max.X)/scale, r.page.Media[3] - float64(e.Box.Min.Y)/scale,
			}
		}
		out.Planes = append(out.Planes, plane)
	}
	return out
}

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
		r.partial = true
		return 0, false
	}
	*spots = append(*spots, name)
	return planes.FirstSpot + len(*spots) - 1, true
}

// Tone is a colour in inks.
type Tone struct {
	amounts planes.Amounts
	// named are the planes that the colour specifies.
	named planes.Set
	// direct is set for DeviceCMYK, whose zeros OPM 1 skips.
	direct bool
}

// Tone converts a colour to inks.
func (r *Renderer) Tone(space *color.Space, values []float64) Tone {
	var buffer [planes.FirstSpot + color.MaxComponents]float64
	if r.surface.mask {
		return Tone{amounts: complements(space, values), named: planes.All}
	}
	t := r.named(space)
	amounts := r.output.Amounts(buffer[:0], space, values)
	for p, v := range amounts[:planes.FirstSpot] {
		t.amounts[p] = eighth(v)
	}
	if space.Registration() {
		for i := range *r.surface.spots {
			t.amounts[planes.FirstSpot+i] = t.amounts[planes.Black]
		}
		return t
	}
	for i, name := range space.Spots() {
		if p, ok := r.spot(name); ok {
			t.amounts[p] = eighth(amounts[planes.FirstSpot+i])
		}
	}
	return t
}

// named returns a tone without amounts, with the planes that a space specifies.
func (r *Renderer) named(space *color.Space) Tone {
	t := Tone{named: planes.Process, direct: space.Family == color.DeviceCMYK && !space.Indexed()}
	if space.Registration() {
		t.named = planes.All
		return t
	}
	if inks := space.Named(); inks != nil {
		t.named = 0
		for _, ink := range inks {
			switch ink.Name {
			case "Cyan", "Magenta", "Yellow", "Black":
				for p := range planes.FirstSpot {
					if name, _ := r.name(p); name == ink.Name {
						t.named |= 1 << p
					}
				}
			default:
				if p, ok := r.spot(ink.Name); ok {
					t.named |= 1 << p
				}
			}
		}
	}
	return t
}

// paintOf returns the paint of an image or a shading that consists of several colours,
// with the highest amount of each ink.
func (r *Renderer) paintOf(space *color.Space, highest planes.Amounts) facts.Paint {
	p := facts.Paint{Space: space.Family, Known: space.Known()}
	if !p.Known {
		return p
	}
	p.White = highest == planes.Amounts{}
	for i := range p.CMYK {
		p.CMYK[i] = float64(highest[i]) / 255
	}
	for _, name := range space.Spots() {
		if plane, ok := r.spot(name); ok {
			p.Spots = append(p.Spots, facts.Tint{Name: name, Amount: float64(highest[plane]) / 255})
		}
	}
	return p
}

// complements converts a colour to the planes of a mask: complements of light, without
// a profile.
func complements(space *color.Space, values []float64) planes.Amounts {
	var buffer [4]float64
	inks := space.Light(buffer[:0], values)
	var out planes.Amounts
	for p, v := range inks {
		out[p] = eighth(v)
	}
	return out
}

// eighth converts a share to eight bits.
func eighth(v float64) uint8 {
	if v > 0 {
		return uint8(min(v, 1)*255 + 0.5)
	}
	return 0
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
	p := planes.Paint{Amounts: t.amounts, Planes: planes.All, Alpha: eighth(s.Alpha), Blend: planes.BlendOf(s.Blend), Soft: s.Soft, Mark: s.Mark}
	if r.depth > 0 {
		p.Mark = 0
	}
	if !s.Overprint && r.depth == 0 {
		p.Erased = r.technical(t)
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

// technical returns the count of what a tone removes, when it is the tone of a technical
// ink alone, else nil.
func (r *Renderer) technical(t Tone) *planes.Erased {
	if t.named == 0 || t.named&planes.Process != 0 || t.named&(t.named-1) != 0 {
		return nil
	}
	p := bits.TrailingZeros32(uint32(t.named))
	if name, used := r.name(p); !used || !color.Technical(name) {
		return nil
	}
	if r.erased[p] == nil {
		r.erased[p] = &planes.Erased{Own: t.named}
	}
	return r.erased[p]
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

// Line describes a stroke; Pen maps the user space in which Width and Dash are given
// to the page.
type Line struct {
	Width      float64
	Pen        geom.Matrix
	Cap, Join  int
	MiterLimit float64
	Dash       []float64
	Phase      float64
}

// leastLine is the width of the thinnest line that is printed, in points.
const leastLine = 0.1

// outline returns the shape of the lines of a path, in pixels. It is valid until the
// next call.
func (r *Renderer) outline(p *geom.Path, l Line) *geom.Path {
	r.lines.Reset()
	whole := raster.Stroke(&r.lines, r.toDevice(p), raster.Style{
		Width: l.Width, Pen: l.Pen.Then(r.surface.device), Cap: raster.Cap(l.Cap), Join: raster.Join(l.Join), Miter: l.MiterLimit,
		Dash: l.Dash, Phase: l.Phase, Least: leastLine * math.Abs(r.surface.device[0]) / r.page.UserUnit,
	})
	r.partial = r.partial || !whole
	r.surface.canvas.Charge(segmentWork * int64(r.lines.Len()))
	return &r.lines
}

// ClipStroke returns the part of a region inside the lines of a path.
func (r *Renderer) ClipStroke(region *raster.Clip, p *geom.Path, l Line) *raster.Clip {
	if region.Empty() || r.spent() {
		return region
	}
	return r.intersect(region, r.outline(p, l), false)
}

// Stroke strokes a path.
func (r *Renderer) Stroke(p *geom.Path, l Line, region *raster.Clip, t Tone, s Style) {
	if region.Empty() || r.spent() {
		return
	}
	paint := r.paint(t, s, true)
	r.surface.canvas.Fill(r.outline(p, l), false, region, &paint)
}

// glyphKey identifies the coverage of a glyph: by its outline, its size and the
// fraction of a pixel at which it stands.
type glyphKey struct {
	outline    *geom.Path
	a, b, c, d float32
	x, y       int8
}

// The bounds of the cache of glyphs, and the parts of a pixel that are distinguished.
const (
	maxGlyphs    = 4096
	maxGlyphSide = 64
	parts        = 4
)

// Glyph fills the outline of a glyph; m maps it to the page.
func (r *Renderer) Glyph(outline *geom.Path, m geom.Matrix, region *raster.Clip, t Tone, s Style) {
	if region.Empty() || r.spent() {
		return
	}
	paint := r.paint(t, s, true)
	m = m.Then(r.surface.device)
	left, top := math.Floor(m[4]), math.Floor(m[5])
	if !(math.Abs(left) < 1<<20) || !(math.Abs(top) < 1<<20) {
		return
	}
	x, y := int8((m[4]-left)*parts), int8((m[5]-top)*parts)
	key := glyphKey{outline, float32(m[0]), float32(m[1]), float32(m[2]), float32(m[3]), x, y}
	mask := r.glyphs[key]
	if mask == nil {
		local := m
		local[4], local[5] = (float64(x)+0.5)/parts, (float64(y)+0.5)/parts
		r.shape.Reset()
		r.shape.Append(outline, local)
		box := raster.Pixels(r.shape.Bounds())
		if box.Dx() > maxGlyphSide || box.Dy() > maxGlyphSide {
			r.shape.Reset()
			r.shape.Append(outline, m)
			r.surface.canvas.Fill(&r.shape, false, region, &paint)
			return
		}
		mask = raster.NewMask(box)
		r.surface.canvas.Rasterizer().Fill(&r.shape, false, box, func(y, x int, cover []uint8) { copy(mask.Row(y)[x-box.Min.X:], cover) })
		if len(r.glyphs) >= maxGlyphs {
			clear(r.glyphs)
		}
		r.glyphs[key] = mask
	}
	r.surface.canvas.FillMask(mask, image.Pt(int(left), int(top)), region, &paint)
}

// Begin starts a transparency group inside a region.
func (r *Renderer) Begin(region *raster.Clip, isolated, knockout bool) {
	if r.spent() {
		r.surface.canvas.Flatten()
		return
	}
	if !r.surface.canvas.Begin(planes.Group{Box: region.Box, Isolated: isolated, Knockout: knockout}) {
		r.partial = true
	}
}

// End composites the group with what is below it.
func (r *Renderer) End(region *raster.Clip, s Style) {
	r.surface.canvas.End(region, r.paint(Tone{}, Style{Alpha: s.Alpha, Blend: s.Blend, Soft: s.Soft}, false))
}

// maxSurfaces bounds the nesting of masks and patterns.
const maxSurfaces = 8

// Mask paints a soft mask by calling content, and returns it. With luminosity, the
// backdrop is the colour of the group's space below it; else the opacity counts
// (ISO 32000-2, 11.5). transfer maps the values, when it is not nil. It returns nil
// when masks are nested too deeply.
func (r *Renderer) Mask(region *raster.Clip, luminosity bool, space *color.Space, backdrop []float64, transfer func(float64) float64, content func()) *planes.Soft {
	outer := r.surface
	cell := r.within(region.Box, outer.device, true, content)
	if cell == nil {
		return nil
	}
	soft := &planes.Soft{Mask: cell.Opacity()}
	if luminosity {
		below := planes.Amounts{planes.Black: 255}
		if space != nil {
			below = complements(space, backdrop)
		}
		soft.Mask = cell.Luminosity(below)
		soft.Outside = planes.Light([planes.FirstSpot]uint8(below[:planes.FirstSpot]))
	}
	if transfer != nil {
		var table [256]uint8
		for i := range table {
			table[i] = eighth(transfer(float64(i) / 255))
		}
		for i, v := range soft.Mask.Pix {
			soft.Mask.Pix[i] = table[v]
		}
		soft.Outside = table[soft.Outside]
	}
	return soft
}

// within calls content with a canvas of its own as the surface, and returns the canvas,
// or nil when there are too many canvases.
func (r *Renderer) within(box image.Rectangle, device geom.Matrix, mask bool, content func()) *planes.Canvas {
	size := int64(box.Dx()) * int64(box.Dy()) * 5
	if r.depth >= maxSurfaces || r.spent() || r.memory+size > maxSurface {
		r.partial = true
		return nil
	}
	r.memory += size
	outer := r.surface
	cell := planes.NewCell(box)
	r.surface = &surface{canvas: cell, device: device, spots: outer.spots, mask: mask}
	r.around += outer.canvas.Work()
	r.depth++
	content()
	r.depth--
	r.around -= outer.canvas.Work()
	outer.canvas.Charge(cell.Work() + size)
	r.surface = outer
	return cell
}

// Pattern is the cell of a tiling pattern in inks.
type Pattern struct {
	bitmap *planes.Bitmap
	// inverse maps the page to the pixels of the cell.
	inverse geom.Matrix
}

// The sides of the bitmap of a cell in pixels, and the number of neighbours that may
// reach into a cell.
const (
	leastCell  = 16
	mostCell   = 1024
	maxOverlap = 64
)

// Tile paints the cell of a tiling pattern by calling content with the matrix of the
// pattern, and returns it. box is the cell's box and x and y are the steps, in the space
// of the pattern. It returns nil for a cell that cannot be painted.
func (r *Renderer) Tile(matrix geom.Matrix, box geom.Rect, x, y float64, content func(shift geom.Matrix, region *raster.Clip)) *Pattern {
	x, y = math.Abs(x), math.Abs(y)
	whole := matrix.Then(r.surface.device)
	sx, sy := whole.Scale()
	side := func(step, scale float64) int { return int(min(max(math.Ceil(step*scale), leastCell), mostCell)) }
	width, height := side(x, sx), side(y, sy)
	if !(x > 0) || !(y > 0) || !(sx > 0) || !(sy > 0) {
		return nil
	}
	// The cell from (0, 0) to (x, y) of the lattice contains parts of the neighbours.
	toCell := geom.Matrix{float64(width) / x, 0, 0, float64(height) / y, 0, 0}
	inverse, ok := matrix.Invert()
	if !ok {
		return nil
	}
	left, right := int(math.Floor(box[0]/x)), int(math.Ceil(box[2]/x))
	low, high := int(math.Floor(box[1]/y)), int(math.Ceil(box[3]/y))
	if (right-left)*(high-low) > maxOverlap {
		r.partial = true
		left, right, low, high = 0, 1, 0, 1
	}
	cell := r.within(image.Rect(0, 0, width, height), inverse.Then(toCell), r.surface.mask, func() {
		for row := low; row < high; row++ {
			for column := left; column < right; column++ {
				content(geom.Matrix{1, 0, 0, 1, -float64(column) * x, -float64(row) * y}, r.Region())
			}
		}
	})
	if cell == nil {
		return nil
	}
	return &Pattern{bitmap: cell.Bitmap(), inverse: inverse.Then(toCell)}
}

// FillTiles fills a shape, or a whole region when it is nil, with a pattern.
func (r *Renderer) FillTiles(p *Pattern, shape *geom.Path, evenOdd bool, region *raster.Clip, s Style) {
	if region.Empty() || p == nil || r.spent() {
		return
	}
	back, ok := r.surface.device.Invert()
	if !ok {
		return
	}
	paint := r.paint(Tone{named: planes.All}, s, false)
	r.draw(&planes.Sampler{Bitmap: p.bitmap, Inverse: back.Then(p.inverse), Repeat: true}, shape, evenOdd, region, &paint)
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
