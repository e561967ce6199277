// SPDX-License-Identifier: Apache-2.0

package geom

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Path is a list of subpaths of lines and cubic Bézier curves (ISO 32000-2, 8.5.2).
// The zero value is an empty path.
type Path struct {
	verbs  []Verb
	points []Point
}

// Verb is a segment of a path.
type Verb uint8

// The segments, which take one, one, three and no points.
const (
	MoveTo Verb = iota
	LineTo
	CurveTo
	Closed
)

// Point is a position.
type Point struct{ X, Y float64 }

// Reset removes all segments and keeps the memory.
func (p *Path) Reset() { p.verbs, p.points = p.verbs[:0], p.points[:0] }

// Empty reports whether the path has no segments.
func (p *Path) Empty() bool { return len(p.verbs) == 0 }

// Len returns the number of segments.
func (p *Path) Len() int { return len(p.verbs) }

// Points returns the number of points.
func (p *Path) Points() int { return len(p.points) }

// Breadth returns the smallest distance between two parallel lines that enclose the points from
// an index on, control points included. It is 0 for points on a line.
func (p *Path) Breadth(from int) float64 {
	if len(p.points)-from < 3 {
		return 0
	}
	hull := hull(p.points[from:])
	if len(hull) < 3 {
		return 0
	}
	// The narrowest strip lies along an edge of the hull. The farthest point from the edges
	// moves around the hull as the edges do.
	breadth, far := math.MaxFloat64, 1
	for i, a := range hull {
		b := hull[(i+1)%len(hull)]
		distance := func(k int) float64 {
			q := hull[k%len(hull)]
			return ((b.X-a.X)*(q.Y-a.Y) - (b.Y-a.Y)*(q.X-a.X)) / math.Hypot(b.X-a.X, b.Y-a.Y)
		}
		for distance(far+1) > distance(far) {
			far++
		}
		breadth = min(breadth, distance(far))
	}
	return breadth
}

// hull returns the corners of the convex hull of points, counterclockwise (Andrew's monotone
// chain).
func hull(points []Point) []Point {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	sorted = slices.Compact(sorted)
	chain := func(corners []Point, points iter.Seq2[int, Point]) []Point {
		first := len(corners)
		for _, q := range points {
			for n := len(corners); n > first+1 && turn(corners[n-2], corners[n-1], q) <= 0; n-- {
				corners = corners[:n-1]
			}
			corners = append(corners, q)
		}
		return corners[:max(first, len(corners)-1)] // the last point starts the other chain
	}
	corners := chain(nil, slices.All(sorted))
	return chain(corners, slices.Backward(sorted))
}

// turn is positive if a, b and c turn counterclockwise.
func turn(a, b, c Point) float64 { return (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X) }

// Move starts a subpath.
func (p *Path) Move(x, y float64) {
	p.verbs, p.points = append(p.verbs, MoveTo), append(p.points, Point{x, y})
}

// Line adds a straight line. It starts a subpath in an empty path.
func (p *Path) Line(x, y float64) {
	if len(p.verbs) == 0 {
		p.Move(x, y)
		return
	}
	p.verbs, p.points = append(p.verbs, LineTo), append(p.points, Point{x, y})
}

// Curve adds a cubic Bézier curve with two control points and an end.
func (p *Path) Curve(x1, y1, x2, y2, x3, y3 float64) {
	if len(p.verbs) == 0 {
		p.Move(x1, y1)
	}
	p.verbs, p.points = append(p.verbs, CurveTo), append(p.points, Point{x1, y1}, Point{x2, y2}, Point{x3, y3})
}

// Quad adds a quadratic Bézier curve, the curves of TrueType, as a cubic one.
func (p *Path) Quad(x1, y1, x2, y2 float64) {
	at := Point{x1, y1}
	if n := len(p.points); n > 0 {
		at = p.points[n-1]
	}
	p.Curve(at.X+(x1-at.X)*2/3, at.Y+(y1-at.Y)*2/3, x2+(x1-x2)*2/3, y2+(y1-y2)*2/3, x2, y2)
}

// Close closes the current subpath. The next segment without a Move starts where the
// closed subpath started.
func (p *Path) Close() {
	if n := len(p.verbs); n > 0 && p.verbs[n-1] != Closed {
		p.verbs = append(p.verbs, Closed)
	}
}

// Rect adds a rectangle as a closed subpath.
func (p *Path) Rect(r Rect) {
	p.Move(r[0], r[1])
	p.Line(r[2], r[1])
	p.Line(r[2], r[3])
	p.Line(r[0], r[3])
	p.Close()
}

// Append adds the segments of another path, transformed by m.
func (p *Path) Append(o *Path, m Matrix) {
	p.verbs = append(p.verbs, o.verbs...)
	for _, q := range o.points {
		x, y := m.Point(q.X, q.Y)
		p.points = append(p.points, Point{x, y})
	}
}

// Store adds the segments of another path, and returns them as a path of their own, which is valid until p is
// reset.
func (p *Path) Store(o *Path) Path {
	v, n := len(p.verbs), len(p.points)
	p.verbs, p.points = append(p.verbs, o.verbs...), append(p.points, o.points...)
	return Path{verbs: p.verbs[v:len(p.verbs):len(p.verbs)], points: p.points[n:len(p.points):len(p.points)]}
}

// Bounds returns the box around all points, control points included, or
// [Nothing] for an empty path.
func (p *Path) Bounds() Rect {
	box := Nothing()
	left, bottom, right, top := box[0], box[1], box[2], box[3]
	for _, q := range p.points {
		left, bottom = min(left, q.X), min(bottom, q.Y)
		right, top = max(right, q.X), max(top, q.Y)
	}
	return Rect{left, bottom, right, top}
}

// Each calls visit for each segment with its points: one for MoveTo and LineTo, three for
// CurveTo, none for Closed. The slice is valid during the call.
func (p *Path) Each(visit func(v Verb, to []Point)) {
	at := 0
	for _, v := range p.verbs {
		n := 1
		switch v {
		case CurveTo:
			n = 3
		case Closed:
			n = 0
		default:
		}
		visit(v, p.points[at:at+n])
		at += n
	}
}
