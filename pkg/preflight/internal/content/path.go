// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

// point is a position on the page, in its default user space.
type point struct{ x, y float64 }

func cross(a, b point) float64 { return a.x*b.y - a.y*b.x }

// noExtent is the thinness of a filled shape without extent: printers print it as
// thin as they can.
const noExtent = 1e-4

// path is the current path. It keeps how thin its parts are.
type path struct {
	box   geom.Rect
	drawn bool
	// clips is set by W until the path is painted, evenOdd by W*.
	clips, evenOdd bool
	// shape holds the segments, for rendering.
	shape geom.Path

	start, at point
	open      bool
	// corners holds the first corners of the open part, which may be a rectangle.
	corners [5]point
	n       int
	curved  bool
	// twice is twice the area of the open part, with a sign; control points count as corners.
	twice float64
	// first is the index of the point that starts the open part, -1 without one.
	first int

	// thin is the smallest extent of a part that is a rectangle, and broad the largest of the
	// other parts.
	thin, broad float64
	shapeless   bool
	// flat is true after a part without extent. Beside other parts it is no line: programs write
	// borders of which some sides have no width.
	flat bool
}

func (p *path) reset() {
	p.shape.Reset()
	*p = path{box: geom.Nothing(), thin: math.MaxFloat64, first: -1, shape: p.shape}
}

func (p *path) move(to point) {
	p.finish()
	p.first = p.shape.Points()
	p.shape.Move(to.x, to.y)
	p.start, p.at = to, to
}

// begin starts a part with its first segment.
func (p *path) begin() {
	if p.open {
		return
	}
	p.open, p.drawn, p.curved, p.twice = true, true, false, 0
	p.corners[0], p.n = p.at, 1
	p.box = p.box.Add(p.at.x, p.at.y)
}

func (p *path) lineTo(to point) {
	p.shape.Line(to.x, to.y)
	p.begin()
	p.twice += cross(p.at, to)
	p.box = p.box.Add(to.x, to.y)
	if p.n < len(p.corners) {
		p.corners[p.n] = to
	}
	p.n++
	p.at = to
}

func (p *path) curveTo(b, c, d point) {
	p.shape.Curve(b.x, b.y, c.x, c.y, d.x, d.y)
	p.begin()
	a := p.at
	p.twice += cross(a, b) + cross(b, c) + cross(c, d)
	p.box = p.box.Add(d.x, d.y)
	// Add the extremes of a curve whose control points are outside of the box.
	if !p.box.Contains(geom.Rect{min(b.x, c.x), min(b.y, c.y), max(b.x, c.x), max(b.y, c.y)}, 0) {
		for _, t := range extremes(a.x, b.x, c.x, d.x) {
			x := bezier(t, a.x, b.x, c.x, d.x)
			p.box[0], p.box[2] = min(p.box[0], x), max(p.box[2], x)
		}
		for _, t := range extremes(a.y, b.y, c.y, d.y) {
			y := bezier(t, a.y, b.y, c.y, d.y)
			p.box[1], p.box[3] = min(p.box[1], y), max(p.box[3], y)
		}
	}
	p.curved = true
	p.at = d
}

// extremes returns the parameters at which one coordinate of the curve is extreme.
func extremes(a, b, c, d float64) [2]float64 {
	// The derivative is u t^2 + v t + w.
	u, v, w := d-a+3*(b-c), 2*(a-2*b+c), b-a
	if math.Abs(u) < 1e-12 {
		return [2]float64{-w / v, 0}
	}
	root := math.Sqrt(v*v - 4*u*w)
	return [2]float64{(-v + root) / (2 * u), (-v - root) / (2 * u)}
}

// bezier returns the curve at t, or its start for t outside 0 to 1.
func bezier(t, a, b, c, d float64) float64 {
	if !(t > 0 && t < 1) {
		return a
	}
	s := 1 - t
	return s*s*s*a + 3*s*s*t*b + 3*s*t*t*c + t*t*t*d
}

func (p *path) close() {
	p.shape.Close()
	p.finish()
	p.at = p.start
}

// finish ends a part. For filling, every part is closed.
func (p *path) finish() {
	if !p.open {
		return
	}
	p.open = false
	p.thinness(math.Abs(p.twice+cross(p.at, p.start)) / 2)
	p.first = -1
}

// thinness adds the smaller extent of a part.
func (p *path) thinness(area float64) {
	n := p.n
	if n > 1 && n <= len(p.corners) && near(p.corners[n-1], p.corners[0]) {
		n--
	}
	side := func(i, k int) float64 {
		return math.Hypot(p.corners[k].x-p.corners[i].x, p.corners[k].y-p.corners[i].y)
	}
	c := &p.corners
	if !p.curved && n == 4 && area > 0 && near(point{c[1].x - c[0].x, c[1].y - c[0].y}, point{c[2].x - c[3].x, c[2].y - c[3].y}) {
		if extent := area / max(side(0, 1), side(1, 2)); extent > noExtent {
			p.thin = min(p.thin, extent)
		} else {
			p.flat = true
		}
		return
	}
	breadth := p.breadth(area)
	if !p.curved && breadth <= noExtent {
		p.flat = true
		return
	}
	p.shapeless = true
	p.broad = max(p.broad, breadth)
}

// breadth returns the smaller extent of the open part, in any direction. Of a part that is
// surely wider than a sliver it returns the largest number.
func (p *path) breadth(area float64) float64 {
	if p.first < 0 || area > sliver*math.Hypot(p.box[2]-p.box[0], p.box[3]-p.box[1]) {
		return math.MaxFloat64
	}
	return max(p.shape.Breadth(p.first), noExtent)
}

// sliver is a thinness, in points, that no limit for thin shapes reaches.
const sliver = 2.0

// grazed is the extent, in points, of a part inside a clip that only touches it: programs round.
const grazed = 0.02

// lines reports whether a filled path has only parts without an extent. Printers paint them as the
// thinnest line (10.7.4).
func (p *path) lines() bool { return p.flat && !p.shapeless && p.thin == math.MaxFloat64 }

// painted returns the smaller extent of what a filled path paints inside a box, 0 if it is
// surely no sliver.
func (p *path) painted(box geom.Rect) float64 {
	thin := p.thin
	switch {
	case p.shapeless:
		thin = p.broad
	case p.flat && thin == math.MaxFloat64:
		thin = noExtent
	}
	if inside := min(box[2]-box[0], box[3]-box[1]); inside > grazed {
		thin = min(thin, inside)
	}
	if thin > sliver {
		return 0
	}
	return thin
}

func near(a, b point) bool { return math.Abs(a.x-b.x) < 1e-3 && math.Abs(a.y-b.y) < 1e-3 }

// pathOperator executes the operators of 8.5.
func (in *Interpreter) pathOperator(f *frame, name []byte) bool {
	switch string(name) {
	case "m":
		f.path.move(f.point(0))
	case "l":
		f.path.lineTo(f.point(0))
	case "c":
		f.path.curveTo(f.point(0), f.point(2), f.point(4))
	case "v":
		f.path.curveTo(f.path.at, f.point(0), f.point(2))
	case "y":
		f.path.curveTo(f.point(0), f.point(2), f.point(2))
	case "h":
		f.path.close()
	case "re":
		x, y, w, h := f.number(0), f.number(1), f.number(2), f.number(3)
		corner := func(x, y float64) point { px, py := f.state.ctm.Point(x, y); return point{px, py} }
		f.path.move(corner(x, y))
		f.path.lineTo(corner(x+w, y))
		f.path.lineTo(corner(x+w, y+h))
		f.path.lineTo(corner(x, y+h))
		f.path.close()
	case "W", "W*":
		f.path.clips, f.path.evenOdd = true, len(name) == 2
	case "n":
		in.paintPath(f, painting{})
	case "f", "F":
		in.paintPath(f, painting{fill: true})
	case "f*":
		in.paintPath(f, painting{fill: true, evenOdd: true})
	case "S":
		in.paintPath(f, painting{stroke: true})
	case "s":
		in.paintPath(f, painting{stroke: true, close: true})
	case "B":
		in.paintPath(f, painting{fill: true, stroke: true})
	case "B*":
		in.paintPath(f, painting{fill: true, stroke: true, evenOdd: true})
	case "b":
		in.paintPath(f, painting{fill: true, stroke: true, close: true})
	case "b*":
		in.paintPath(f, painting{fill: true, stroke: true, close: true, evenOdd: true})
	default:
		return false
	}
	return true
}

// point returns the position on the page that two operands give.
func (f *frame) point(i int) point {
	x, y := f.state.ctm.Point(f.number(i), f.number(i+1))
	return point{x, y}
}

// painting selects the effects of a painting operator on the path.
type painting struct{ fill, stroke, close, evenOdd bool }

// paintPath ends a path: it paints the path first and clips to it afterwards.
func (in *Interpreter) paintPath(f *frame, how painting) {
	p := &f.path
	if how.close {
		p.close()
	}
	p.finish()
	if p.drawn {
		if how.fill {
			in.fillPath(f, how.evenOdd)
		}
		if how.stroke {
			in.strokePath(f)
		}
	}
	// A path of points alone clips everything.
	if p.clips && p.shape.Points() > 0 {
		f.state.clip = f.state.clip.Intersect(p.box)
		in.clipInk(f, &p.shape, p.evenOdd)
	}
	p.reset()
}

func (in *Interpreter) fillPath(f *frame, evenOdd bool) {
	if in.startMark(f) {
		in.fillShape(f, &f.path.shape, evenOdd)
		if with := &f.state.fill; f.path.lines() && !with.space.Pattern() && with.space.Paints() {
			in.renderer.Stroke(&f.path.shape, render.Line{Pen: f.state.ctm}, f.state.region, with.tone, in.style(f, false))
		}
	}
	m := in.begin(f, facts.Path, f.path.box)
	if m == nil {
		return
	}
	m.Thin, m.Shape = f.path.painted(m.Box)*in.page.UserUnit, &f.path.shape
	in.paint(f, &f.state.fill, m)
}

func (in *Interpreter) strokePath(f *frame) {
	if in.startMark(f) {
		in.strokeShape(f, &f.path.shape)
	}
	least, greatest := f.state.ctm.Stretch()
	width := math.Abs(f.state.lineWidth)
	m := in.begin(f, facts.Path, f.path.box.Grow(width*greatest/2))
	if m == nil {
		return
	}
	m.Stroked, m.Shape = true, &f.path.shape
	// A clip may leave a part of the width.
	if m.Width = width * least; min(m.Box[2]-m.Box[0], m.Box[3]-m.Box[1]) > grazed {
		m.Width = min(m.Width, m.Box[2]-m.Box[0], m.Box[3]-m.Box[1])
	}
	m.Width *= in.page.UserUnit
	in.paint(f, &f.state.stroke, m)
}
