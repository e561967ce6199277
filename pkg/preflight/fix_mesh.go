// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The bounds of converted meshes: the pieces that have corners of their own, and the halvings of a range
// of colours.
const (
	maxPieces   = 100_000
	maxHalvings = 6
)

// meshTolerances are the differences of inks inside of a piece, as shares of full ink, that a mesh may
// have. The second one is for a mesh that would need too many pieces for the first one.
var meshTolerances = [...]float64{0.01, 0.025} // constant

// inkBits are the bits of an ink in a converted mesh.
const inkBits = 16

// converter converts the data of one mesh.
type converter struct {
	inks     func(*render.MeshColor) render.MeshColor
	from, to render.MeshFormat
	// halvings says how small the range of the colours of a piece is, and tolerance is the difference of
	// inks that it may have.
	halvings  int
	tolerance float64
	data      []byte
	out       []byte
	// before and after are the numbers of pieces.
	before, after int
	// bent is set if a piece differs more, and failed if the mesh cannot be converted.
	bent, failed bool
}

// mesh converts a mesh whose corners have colours. It changes entries of the dictionary, and returns the
// data of the stream. Colours are linear between corners. Where a line in RGB is not one in inks, the
// triangles and patches are divided.
func (c *conversion) mesh(o types.Object, dict types.Dict, space *color.Space) (string, bool) {
	from, ok := render.MeshOf(c.x.file, dict, space)
	if !ok {
		return "", false
	}
	if from.Indexed != nil {
		space = space.Under
	}
	start := converter{from: from, to: from, data: c.x.file.Decode(o, 0)}
	start.to.Indexed, start.to.Components, start.to.Component, start.to.Decode = nil, 4, inkBits, slices.Concat(from.Decode[:4], []float64{0, 1, 0, 1, 0, 1, 0, 1})
	start.inks = func(from *render.MeshColor) (out render.MeshColor) {
		inks := c.color(space, from[:space.Components])
		copy(out[:], inks[:])
		return out
	}
	m := &converter{bent: true}
	for i := 0; i < len(meshTolerances)*(maxHalvings+1) && (m.bent || m.failed); i++ {
		again := start
		m, again.tolerance, again.halvings = &again, meshTolerances[i/(maxHalvings+1)], i%(maxHalvings+1)
		if from.Kind < render.CoonsMesh {
			m.triangles()
		} else {
			m.patches()
		}
	}
	if m.bent || m.failed {
		return "", false
	}
	if m.after == m.before {
		// Convert the colours of the records, and keep all else.
		m.to.Kind, m.to.Coordinate, m.to.Flag = m.from.Kind, m.from.Coordinate, m.from.Flag
		m.out = nil
		m.from.Records(m.data, func(r *render.MeshRecord) bool {
			for i := range r.Colors {
				r.Colors[i] = m.inks(&r.Colors[i])
			}
			m.out = m.to.Append(m.out, r)
			return true
		})
	} else {
		c.changes = append(c.changes, report.ObjectChange{Name: "mesh", Before: pieces(m.before), After: pieces(m.after)})
		delete(dict, "VerticesPerRow")
	}
	var decode types.Array
	for _, v := range m.to.Decode {
		decode = append(decode, types.Float(v))
	}
	dict["ShadingType"], dict["BitsPerCoordinate"], dict["BitsPerComponent"] = types.Integer(m.to.Kind), types.Integer(m.to.Coordinate), types.Integer(inkBits)
	if m.to.Kind != render.LatticeMesh {
		dict["BitsPerFlag"] = types.Integer(m.to.Flag)
	}
	dict["Decode"], dict["Filter"] = decode, types.Name("FlateDecode")
	return compressed(m.out), true
}

func pieces(n int) string { return strconv.Itoa(n) + " pieces" }

// finer makes the coordinates finer, for points between those of the mesh, and returns the factor of its
// own points, which stay exact.
func (m *converter) finer() float64 {
	m.to.Flag = 8
	m.to.Coordinate = map[int]int{1: 32, 2: 32, 4: 32, 8: 32, 12: 24, 16: 32, 24: 24, 32: 32}[m.from.Coordinate]
	if m.to.Coordinate == 0 {
		m.failed = true
		return 0
	}
	return float64(uint64(1)<<m.to.Coordinate-1) / float64(uint64(1)<<m.from.Coordinate-1)
}

// distance returns the greatest difference of an ink.
func distance(a *render.MeshColor, b render.MeshColor) float64 {
	most := 0.0
	for i := range 4 {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// mix returns the colour of n components at a share of the way from a to b.
func mix(a, b *render.MeshColor, t float64, n int) (out render.MeshColor) {
	for i := range n {
		out[i] = a[i] + t*(b[i]-a[i])
	}
	return out
}

// tip is a corner of a triangle with its inks.
type tip struct {
	render.MeshVertex
	inks render.MeshColor
}

// bends reports whether the inks at a share of the way from a to b are not on a line.
func (m *converter) bends(a, b *tip, t float64) bool {
	return distance(&m.between(a, b, t).inks, mix(&a.inks, &b.inks, t, 4)) > m.tolerance
}

// between returns the point of an edge at a share of the way.
func (m *converter) between(a, b *tip, t float64) *tip {
	out := &tip{}
	for i := range out.Point {
		out.Point[i] = a.Point[i] + t*(b.Point[i]-a.Point[i])
	}
	out.Color = mix(&a.Color, &b.Color, t, m.from.Components)
	out.inks = m.inks(&out.Color)
	return out
}

// triangles writes the triangles of a mesh, divided where their edges bend.
func (m *converter) triangles() {
	factor := m.finer()
	m.to.Kind = render.FreeMesh
	m.from.Triangles(m.data, func(a, b, c *render.MeshVertex) bool {
		m.before++
		var tips [3]tip
		for i, v := range [3]*render.MeshVertex{a, b, c} {
			tips[i] = tip{MeshVertex: *v, inks: m.inks(&v.Color)}
			tips[i].Point[0] *= factor
			tips[i].Point[1] *= factor
		}
		m.divide(&tips[0], &tips[1], &tips[2])
		return !m.failed && !m.bent
	})
}

// length returns the distance of the colours of two corners, as a share of the range of a component.
func (m *converter) length(a, b *tip) float64 {
	most := 0.0
	for i := range m.from.Components {
		if low, high := m.from.Decode[4+2*i], m.from.Decode[5+2*i]; low != high {
			most = max(most, math.Abs((a.Color[i]-b.Color[i])/(high-low)))
		}
	}
	return most
}

// divide writes a triangle, or divides it at its longest edge. The corners of an edge alone decide whether
// it is divided, so that neighbours agree and no gap appears between them.
func (m *converter) divide(a, b, c *tip) {
	if m.failed || m.bent {
		return
	}
	most := 1 / float64(int(1)<<m.halvings)
	var first, second, third *tip
	for _, edge := range [...][3]*tip{{a, b, c}, {b, c, a}, {c, a, b}} {
		if length := m.length(edge[0], edge[1]); length > most {
			most, first, second, third = length, edge[0], edge[1], edge[2]
		}
	}
	if first != nil {
		half := m.between(first, second, 0.5)
		m.divide(first, half, third)
		m.divide(half, second, third)
		return
	}
	m.bent = m.bends(a, b, 0.5) || m.bends(b, c, 0.25) || m.bends(b, c, 0.5) || m.bends(b, c, 0.75) || m.bends(c, a, 0.5) || m.bends(m.between(a, b, 0.5), c, 1.0/3)
	if m.after++; m.after > maxPieces {
		m.failed = true
		return
	}
	for _, v := range [...]*tip{a, b, c} {
		m.out = m.to.Append(m.out, &render.MeshRecord{Points: []render.MeshPoint{v.Point}, Colors: []render.MeshColor{v.inks}})
	}
}

// patches writes the patches of a mesh. All are divided equally, so that neighbours agree.
func (m *converter) patches() {
	factor := m.finer()
	m.from.Patches(m.data, func(p *render.MeshPatch) bool {
		m.before++
		m.failed = m.failed || m.before<<(2*m.halvings) > maxPieces
		m.bent = m.bent || !m.failed && m.warps(p, 1<<m.halvings)
		return !m.bent && !m.failed
	})
	if m.after = m.before << (2 * m.halvings); m.bent || m.failed || m.halvings == 0 {
		return
	}
	most := float64(uint64(1)<<m.to.Coordinate-1) + 0.5
	m.from.Patches(m.data, func(p *render.MeshPatch) bool {
		parts := []render.MeshPatch{*p}
		for range 2 * m.halvings {
			var halves []render.MeshPatch
			for i := range parts {
				low, high := parts[i].Split(m.from.Components)
				halves = append(halves, low.Transposed(), high.Transposed())
			}
			parts = halves
		}
		for i := range parts {
			r := parts[i].Record(m.to.Kind)
			for k := range r.Points {
				for d := range r.Points[k] {
					r.Points[k][d] *= factor
					// An inner point of a Coons patch may be outside of the range.
					m.failed = m.failed || r.Points[k][d] < -0.5 || r.Points[k][d] > most
				}
			}
			for k := range r.Colors {
				r.Colors[k] = m.inks(&r.Colors[k])
			}
			m.out = m.to.Append(m.out, r)
		}
		return !m.failed
	})
}

// warps reports whether the inks inside of the cells of a patch, so many in each direction, differ from
// those of cells with the inks of their corners.
func (m *converter) warps(p *render.MeshPatch, side int) bool {
	at := func(column, row float64) render.MeshColor {
		from := p.At(column/float64(side), row/float64(side), m.from.Components)
		return m.inks(&from)
	}
	for i := range side * side {
		u, v := float64(i%side), float64(i/side)
		cell := render.MeshPatch{Colors: [4]render.MeshColor{at(u, v), at(u, v+1), at(u+1, v+1), at(u+1, v)}}
		for _, place := range [...][2]float64{{0.5, 0.5}, {0, 0.5}, {0.5, 0}, {1, 0.5}, {0.5, 1}} {
			want, got := at(u+place[0], v+place[1]), cell.At(place[0], place[1], 4)
			if distance(&want, got) > m.tolerance {
				return true
			}
		}
	}
	return false
}
