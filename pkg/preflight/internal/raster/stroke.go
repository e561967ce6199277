// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// Join is the shape of a line's corners, and Cap that of its ends (ISO 32000-2,
// tables 53 and 54).
type Join int

// The joins and caps.
const (
	Miter Join = iota
	Round
	Bevel
)

// Cap is the shape of the ends of a line.
type Cap int

// The caps.
const (
	Butt Cap = iota
	RoundCap
	Square
)

// Style describes a line.
type Style struct {
	// Width is the width before Pen is applied.
	Width float64
	// Pen maps the space of Width and Dash to pixels; its translation is ignored.
	Pen   geom.Matrix
	Cap   Cap
	Join  Join
	Miter float64
	// Least is the least width of a line in pixels: printers print the thinnest line that
	// they can.
	Least float64
	// Dash holds the lengths of dashes and gaps, Phase where the line starts in them.
	Dash  []float64
	Phase float64
}

// The bounds of a line: its dashes, and the segments of its shape.
const (
	maxDashes   = 20_000
	maxSegments = 300_000
)

// Stroker converts lines with a width to shapes. It keeps its buffers between calls and is not safe for concurrent
// use. The zero value is ready.
type Stroker struct {
	out   *geom.Path
	style Style
	half  float64
	// toPage is the pen without its translation, toPen its inverse, and greatest its largest stretch. A pen is usable
	// if it has an extent.
	toPage, toPen geom.Matrix
	greatest      float64
	usable        bool
	// line holds the points of a subpath in the space of the pen.
	line   []geom.Point
	dashes int
}

// pen sets the pen.
func (s *Stroker) pen(pen geom.Matrix) {
	pen[4], pen[5] = 0, 0
	if pen == s.toPage {
		return
	}
	toPen, ok := pen.Invert()
	_, greatest := pen.Stretch()
	s.toPage, s.toPen, s.greatest = pen, toPen, greatest
	s.usable = ok && greatest > 1e-9 && greatest < 1e9
}

// Stroke appends the shape of a path's lines to out, for filling with the nonzero
// rule. It appends nothing when the pen has no extent. It returns false when the shape
// has too many dashes or segments; out then has the first of them.
func (s *Stroker) Stroke(out, p *geom.Path, style Style) bool {
	s.pen(style.Pen)
	if !s.usable {
		return true
	}
	s.out, s.style, s.dashes, s.line = out, style, 0, s.line[:0]
	s.half = max(math.Abs(style.Width), style.Least/s.greatest, 1e-9) / 2
	total := 0.0
	for _, d := range style.Dash {
		if !(d >= 0) {
			total = 0
			break
		}
		total += d
	}
	if !(total*s.greatest > 0.05) {
		s.style.Dash = nil // dashes that no press resolves, or none
	}
	var at geom.Point
	inPen := func(q geom.Point) geom.Point {
		x, y := s.toPen.Point(q.X, q.Y)
		return geom.Point{X: x, Y: y}
	}
	p.Each(func(v geom.Verb, to []geom.Point) {
		switch v {
		case geom.MoveTo:
			s.finish(false)
			at = to[0]
			s.line = append(s.line, inPen(at))
		case geom.LineTo:
			at = to[0]
			s.line = append(s.line, inPen(at))
		case geom.CurveTo:
			flatten(at, to[0], to[1], to[2], func(q geom.Point) { s.line = append(s.line, inPen(q)) })
			at = to[2]
		default:
			if len(s.line) == 0 {
				return
			}
			first := s.line[0]
			s.finish(true)
			x, y := s.toPage.Point(first.X, first.Y)
			at = geom.Point{X: x, Y: y}
			s.line = append(s.line, first)
		}
	})
	s.finish(false)
	return s.dashes <= maxDashes && out.Len() <= maxSegments
}

// finish ends a subpath.
func (s *Stroker) finish(closed bool) {
	line := s.line
	// Points without distance have no direction.
	n := 0
	for _, q := range line {
		q = near(q)
		if n == 0 || math.Hypot(q.X-line[n-1].X, q.Y-line[n-1].Y) > 1e-6*s.half {
			line[n] = q
			n++
		}
	}
	single := n == 1 && (closed || len(line) > 1)
	line = line[:n]
	if closed && n > 1 && math.Hypot(line[0].X-line[n-1].X, line[0].Y-line[n-1].Y) <= 1e-6*s.half {
		line = line[:n-1]
	}
	switch {
	case single && s.style.Cap == RoundCap:
		s.circle(line[0])
	case single && s.style.Cap == Square:
		s.box(geom.Point{X: line[0].X - s.half, Y: line[0].Y}, geom.Point{X: line[0].X + s.half, Y: line[0].Y})
	case len(line) < 2:
	case s.style.Dash != nil:
		if closed {
			line = append(line, line[0])
		}
		s.dashed(line)
	default:
		s.solid(line, closed)
	}
	s.line = s.line[:0]
}

// dashed strokes the dashes of a line.
func (s *Stroker) dashed(line []geom.Point) {
	dash := s.style.Dash
	i, rest := 0, s.style.Phase
	total := 0.0
	for _, d := range dash {
		total += d
	}
	if len(dash)%2 == 1 {
		total *= 2
	}
	if rest = math.Mod(rest, total); rest < 0 {
		rest += total
	}
	for rest > 0 && rest >= dash[i%len(dash)] && i < 2*len(dash) {
		rest -= dash[i%len(dash)]
		i++
	}
	left := dash[i%len(dash)] - rest
	piece := []geom.Point{line[0]}
	for k := 1; k < len(line); k++ {
		a, b := line[k-1], line[k]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		for done := 0.0; ; {
			if length-done < left {
				left -= length - done
				break
			}
			done += left
			at := geom.Point{X: a.X + (b.X-a.X)*done/length, Y: a.Y + (b.Y-a.Y)*done/length}
			if i%2 == 0 {
				piece = append(piece, at)
				s.piece(piece)
			}
			if s.dashes++; s.dashes > maxDashes || s.out.Len() > maxSegments {
				return
			}
			piece = append(piece[:0], at)
			i++
			left = dash[i%len(dash)]
		}
		if i%2 == 0 {
			piece = append(piece, b)
		}
	}
	if i%2 == 0 {
		s.piece(piece)
	}
}

// piece strokes one dash.
func (s *Stroker) piece(line []geom.Point) {
	if len(line) > 1 && line[0] != line[len(line)-1] || len(line) > 2 {
		s.solid(line, false)
	} else if s.style.Cap == RoundCap {
		s.circle(line[0])
	}
}

// solid adds the segments, the joins between them and the caps. All parts run in the
// same direction, so that overlaps do not cancel each other.
func (s *Stroker) solid(line []geom.Point, closed bool) {
	n := len(line)
	segments := n - 1
	if closed {
		segments = n
	}
	for i := range segments {
		if s.out.Len() > maxSegments {
			return
		}
		a, b := line[i], line[(i+1)%n]
		from, to := a, b
		if !closed && s.style.Cap == Square {
			length := math.Hypot(b.X-a.X, b.Y-a.Y)
			dx, dy := (b.X-a.X)/length*s.half, (b.Y-a.Y)/length*s.half
			if i == 0 {
				from = geom.Point{X: a.X - dx, Y: a.Y - dy}
			}
			if i == segments-1 {
				to = geom.Point{X: b.X + dx, Y: b.Y + dy}
			}
		}
		s.box(from, to)
		if i+1 < segments || closed {
			s.join(a, b, line[(i+2)%n])
		}
	}
	if !closed && s.style.Cap == RoundCap {
		s.circle(line[0])
		s.circle(line[n-1])
	}
}

// box adds the rectangle around a segment.
func (s *Stroker) box(a, b geom.Point) {
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if !(length > 0) {
		return
	}
	nx, ny := -(b.Y-a.Y)/length*s.half, (b.X-a.X)/length*s.half
	s.polygon(
		geom.Point{X: a.X - nx, Y: a.Y - ny}, geom.Point{X: b.X - nx, Y: b.Y - ny},
		geom.Point{X: b.X + nx, Y: b.Y + ny}, geom.Point{X: a.X + nx, Y: a.Y + ny},
	)
}

// join adds the corner at b.
func (s *Stroker) join(a, b, c geom.Point) {
	in := geom.Point{X: b.X - a.X, Y: b.Y - a.Y}
	out := geom.Point{X: c.X - b.X, Y: c.Y - b.Y}
	lengthIn, lengthOut := math.Hypot(in.X, in.Y), math.Hypot(out.X, out.Y)
	if !(lengthIn > 0) || !(lengthOut > 0) {
		return
	}
	turn := (in.X*out.Y - in.Y*out.X) / (lengthIn * lengthOut)
	cosine := (in.X*out.X + in.Y*out.Y) / (lengthIn * lengthOut)
	if math.Abs(turn) < 1e-6 && cosine > 0 {
		return
	}
	// At the small angles of a flattened curve, all joins look the same.
	if s.style.Join == Round && (math.Abs(turn) > 0.3 || cosine < 0) {
		s.circle(b)
		return
	}
	side := s.half
	if turn > 0 {
		side = -side
	}
	p := geom.Point{X: b.X - in.Y/lengthIn*side, Y: b.Y + in.X/lengthIn*side}
	q := geom.Point{X: b.X - out.Y/lengthOut*side, Y: b.Y + out.X/lengthOut*side}
	// The miter's length over the width is 1/sin(half the angle between the lines).
	sine := math.Sqrt(max(0, (1+cosine)/2)) // of half the inner angle, which is pi minus the turn
	if s.style.Join == Miter && sine > 1e-6 && 1/sine <= max(s.style.Miter, 1) {
		mx, my := p.X+q.X-2*b.X, p.Y+q.Y-2*b.Y
		if length := math.Hypot(mx, my); length > 0 {
			reach := s.half / sine / length
			s.oriented(b, p, geom.Point{X: b.X + mx*reach, Y: b.Y + my*reach}, q)
			return
		}
	}
	s.oriented(b, p, q)
}

// oriented adds a polygon in the direction of all others.
func (s *Stroker) oriented(points ...geom.Point) {
	area := 0.0
	for i, p := range points {
		q := points[(i+1)%len(points)]
		area += p.X*q.Y - p.Y*q.X
	}
	if area < 0 {
		for i, k := 0, len(points)-1; i < k; i, k = i+1, k-1 {
			points[i], points[k] = points[k], points[i]
		}
	}
	s.polygon(points...)
}

func (s *Stroker) circle(at geom.Point) {
	arc := 2 * math.Acos(1-min(tolerance/max(s.half*s.greatest, tolerance), 1)) // of one step
	n := max(4, int(math.Ceil(2*math.Pi/max(arc, 0.05))))
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		x, y := s.toPage.Point(at.X+cos*s.half, at.Y+sin*s.half)
		if i == 0 {
			s.out.Move(x, y)
		} else {
			s.out.Line(x, y)
		}
	}
	s.out.Close()
}

func (s *Stroker) polygon(points ...geom.Point) {
	for i, p := range points {
		x, y := s.toPage.Point(p.X, p.Y)
		if i == 0 {
			s.out.Move(x, y)
		} else {
			s.out.Line(x, y)
		}
	}
	s.out.Close()
}
