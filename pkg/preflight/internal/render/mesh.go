// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// The types of mesh shadings.
const (
	FreeMesh    = 4
	LatticeMesh = 5
	CoonsMesh   = 6
	TensorMesh  = 7
)

// maxLatticeColumns bounds the vertices of a row of a lattice.
const maxLatticeColumns = 1 << 14

// MeshFormat describes how the data of a mesh is packed (ISO 32000-2, 8.7.4.5.5 to 8.7.4.5.8): in records of
// flags, points and colours, which form triangles or patches.
type MeshFormat struct {
	// Kind is the type of the shading.
	Kind int
	// Coordinate, Component and Flag are the bits of a coordinate, a component of a colour, and a flag.
	Coordinate, Component, Flag int
	// Columns is the number of vertices in a row of a lattice.
	Columns int
	// Components is the number of components of a colour.
	Components int
	// Decode holds the ranges of x, y and each component.
	Decode []float64
	// Indexed is the space of colours that the data has as indices in the range Indices. Components and Decode
	// are then those of its base. It is nil for other meshes.
	Indexed *color.Space
	Indices [2]float64
}

// MeshPoint is a point in units of the data: from 0 to the greatest coordinate.
type MeshPoint [2]float64

// MeshColor is a colour with as many components as its mesh has.
type MeshColor [color.MaxComponents]float64

// MeshVertex is a corner of a triangle.
type MeshVertex struct {
	Point MeshPoint
	Color MeshColor
}

// MeshPatch is a tensor-product patch: points in rows and columns, and colours at the corners (0,0), (0,3),
// (3,3) and (3,0).
type MeshPatch struct {
	Points [4][4]MeshPoint
	Colors [4]MeshColor
}

// MeshRecord is one vertex, or one patch as the data has it.
type MeshRecord struct {
	Flag   int
	Points []MeshPoint
	Colors []MeshColor
}

// MeshOf returns the format of a shading in a space, or of one whose colours are parameters of a function if
// the space is nil. It returns false for an invalid one. Indices are colours of the base before anything else
// (ISO 32000-2, 8.7.4.4).
func MeshOf(file *document.File, dict types.Dict, space *color.Space) (MeshFormat, bool) {
	components := 1
	if space != nil {
		components = space.Components
	}
	f := MeshFormat{
		Kind: file.Int(dict["ShadingType"]), Coordinate: file.Int(dict["BitsPerCoordinate"]), Component: file.Int(dict["BitsPerComponent"]),
		Flag: file.Int(dict["BitsPerFlag"]), Columns: file.Int(dict["VerticesPerRow"]), Components: components,
	}
	if f.Kind == LatticeMesh {
		f.Flag = 0
	}
	decode, ok := file.Numbers(dict["Decode"], 4+2*components)
	if f.Decode = decode; ok && space != nil && space.Indexed() {
		f.Indexed, f.Indices, f.Components, f.Decode = space, [2]float64(decode[4:]), space.Under.Components, decode[:4:4]
		for range f.Components {
			f.Decode = append(f.Decode, 0, 1)
		}
	}
	return f, ok && f.Kind >= FreeMesh && f.Kind <= TensorMesh && f.Coordinate >= 1 && f.Coordinate <= 32 && f.Component >= 1 && f.Component <= 16 &&
		f.Flag >= 0 && f.Flag <= 8 && components >= 1 && (f.Kind != LatticeMesh || f.Columns >= 2 && f.Columns <= maxLatticeColumns)
}

// Place returns a point in the space of the shading.
func (f *MeshFormat) Place(p MeshPoint) (x, y float64) {
	most := float64(uint64(1)<<f.Coordinate - 1)
	return f.Decode[0] + p[0]/most*(f.Decode[1]-f.Decode[0]), f.Decode[2] + p[1]/most*(f.Decode[3]-f.Decode[2])
}

// Records calls yield with each record of the data, until it returns false. The record is valid during
// the call.
func (f *MeshFormat) Records(data []byte, yield func(*MeshRecord) bool) {
	b := bitReader{data: data}
	points, colors := 1, 1
	if f.Kind == CoonsMesh || f.Kind == TensorMesh {
		points, colors = 12+4*(f.Kind-CoonsMesh), 4
	}
	most, span, components := 1/float64(uint64(1)<<f.Component-1), f.Decode[4:], f.Components
	if f.Indexed != nil {
		span, components = f.Indices[:], 1
	}
	r := MeshRecord{Points: make([]MeshPoint, 0, points), Colors: make([]MeshColor, colors)}
	for b.more(f.Flag + 1) {
		r.Flag = int(b.take(f.Flag)) & 3 // #nosec G115 -- at most 8 bits
		r.Points, r.Colors = r.Points[:points], r.Colors[:colors]
		if points > 1 && r.Flag > 0 {
			// The first edge is an edge of the patch before.
			r.Points, r.Colors = r.Points[:points-4], r.Colors[:2]
		}
		if !b.more(2*len(r.Points)*f.Coordinate + len(r.Colors)*components*f.Component) {
			return
		}
		for i := range r.Points {
			r.Points[i][0] = float64(b.take(f.Coordinate))
			r.Points[i][1] = float64(b.take(f.Coordinate))
		}
		for i := range r.Colors {
			for k := range components {
				low, high := span[2*k], span[2*k+1]
				r.Colors[i][k] = low + float64(b.take(f.Component))*most*(high-low)
			}
			if f.Indexed != nil {
				index := r.Colors[i]
				r.Colors[i] = MeshColor{}
				f.Indexed.Entry(index[:1], r.Colors[i][:0])
			}
		}
		b.at = (b.at + 7) / 8 * 8 // the next record begins at a byte
		if !yield(&r) {
			return
		}
	}
}

// Append appends a record to data. Points are rounded, and limited to the range of the format.
func (f *MeshFormat) Append(data []byte, r *MeshRecord) []byte {
	w := bitWriter{data: data}
	w.put(uint64(r.Flag), f.Flag) // #nosec G115 -- not negative
	limited := func(v float64, n int) uint64 { return uint64(min(max(v, 0), float64(uint64(1)<<n-1)) + 0.5) }
	for _, p := range r.Points {
		w.put(limited(p[0], f.Coordinate), f.Coordinate)
		w.put(limited(p[1], f.Coordinate), f.Coordinate)
	}
	most := float64(uint64(1)<<f.Component - 1)
	for i := range r.Colors {
		for k := range f.Components {
			low, high := f.Decode[4+2*k], f.Decode[5+2*k]
			w.put(limited((r.Colors[i][k]-low)/(high-low)*most, f.Component), f.Component)
		}
	}
	return w.data
}

// Triangles calls yield with the triangles of a mesh of vertices, until it returns false.
func (f *MeshFormat) Triangles(data []byte, yield func(a, b, c *MeshVertex) bool) {
	if f.Kind == LatticeMesh {
		f.lattice(data, yield)
		return
	}
	// New triangles have three vertices, and wait is the number of those that lack.
	var a, b, c MeshVertex
	wait := 0
	f.Records(data, func(r *MeshRecord) bool {
		next := MeshVertex{r.Points[0], r.Colors[0]}
		switch {
		case wait == 2:
			b, wait = next, 1
			return true
		case wait == 1:
			c, wait = next, 0
		case r.Flag == 1:
			a, b, c = b, c, next
		case r.Flag == 2:
			b, c = c, next
		default:
			a, wait = next, 2
			return true
		}
		return yield(&a, &b, &c)
	})
}

// lattice reads a mesh of rows.
func (f *MeshFormat) lattice(data []byte, yield func(a, b, c *MeshVertex) bool) {
	var above, row []MeshVertex
	f.Records(data, func(r *MeshRecord) bool {
		if row = append(row, MeshVertex{r.Points[0], r.Colors[0]}); len(row) < f.Columns {
			return true
		}
		for i := 1; i < len(row) && above != nil; i++ {
			if !yield(&above[i-1], &above[i], &row[i-1]) || !yield(&above[i], &row[i-1], &row[i]) {
				return false
			}
		}
		above, row = row, above[:0]
		return true
	})
}

// boundary lists the positions of the points of a patch in the order of the data, the four inner ones
// last (figure 45).
var boundary = [16][2]int{
	{0, 0},
	{0, 1},
	{0, 2},
	{0, 3},
	{1, 3},
	{2, 3},
	{3, 3},
	{3, 2},
	{3, 1},
	{3, 0},
	{2, 0},
	{1, 0},
	{1, 1},
	{1, 2},
	{2, 2},
	{2, 1},
} // constant

// Patches calls yield with the patches of a mesh of patches, until it returns false.
func (f *MeshFormat) Patches(data []byte, yield func(*MeshPatch) bool) {
	var last MeshPatch
	f.Records(data, func(r *MeshRecord) bool {
		var p MeshPatch
		first, corner := 0, 0
		if r.Flag > 0 {
			first, corner = 4, 2
			for k := range 4 {
				from := boundary[(3*r.Flag+k)%12]
				p.Points[0][k] = last.Points[from[0]][from[1]]
			}
			p.Colors[0], p.Colors[1] = last.Colors[r.Flag], last.Colors[(r.Flag+1)%4]
		}
		for k, point := range r.Points {
			at := boundary[first+k]
			p.Points[at[0]][at[1]] = point
		}
		copy(p.Colors[corner:], r.Colors)
		if f.Kind == CoonsMesh {
			p.coons()
		}
		last = p
		return yield(&p)
	})
}

// coons sets the inner points of a Coons patch (8.7.4.5.8).
func (p *MeshPatch) coons() {
	inner := func(i, k, ci, ck int) {
		// ci and ck are the corner next to the point, oi and ok the one across.
		oi, ok := 3-ci, 3-ck
		for d := range 2 {
			at := func(i, k int) float64 { return p.Points[i][k][d] }
			p.Points[i][k][d] = (-4*at(ci, ck) + 6*(at(ci, k)+at(i, ck)) - 2*(at(ci, ok)+at(oi, ck)) + 3*(at(oi, k)+at(i, ok)) - at(oi, ok)) / 9
		}
	}
	inner(1, 1, 0, 0)
	inner(1, 2, 0, 3)
	inner(2, 1, 3, 0)
	inner(2, 2, 3, 3)
}

// Record returns the patch as the data has a patch that shares no edge.
func (p *MeshPatch) Record(kind int) *MeshRecord {
	r := &MeshRecord{Colors: p.Colors[:]}
	for _, at := range boundary[:12+4*(kind-CoonsMesh)] {
		r.Points = append(r.Points, p.Points[at[0]][at[1]])
	}
	return r
}

// At returns the colour of n components at a place from 0 to 1, which is bilinear between the corners.
func (p *MeshPatch) At(u, v float64, n int) (out MeshColor) {
	for c := range n {
		out[c] = (1-u)*((1-v)*p.Colors[0][c]+v*p.Colors[1][c]) + u*((1-v)*p.Colors[3][c]+v*p.Colors[2][c])
	}
	return out
}

// Split returns the two halves of the rows of a patch (the algorithm of de Casteljau). Their colours
// have n components.
func (p *MeshPatch) Split(n int) (low, high MeshPatch) {
	middle := func(a, b MeshPoint) MeshPoint { return MeshPoint{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2} }
	for k := range 4 {
		a, b, c := middle(p.Points[0][k], p.Points[1][k]), middle(p.Points[1][k], p.Points[2][k]), middle(p.Points[2][k], p.Points[3][k])
		left, right := middle(a, b), middle(b, c)
		center := middle(left, right)
		for i, point := range [4]MeshPoint{p.Points[0][k], a, left, center} {
			low.Points[i][k] = point
		}
		for i, point := range [4]MeshPoint{center, right, c, p.Points[3][k]} {
			high.Points[i][k] = point
		}
	}
	first, last := p.At(0.5, 0, n), p.At(0.5, 1, n)
	low.Colors = [4]MeshColor{p.Colors[0], p.Colors[1], last, first}
	high.Colors = [4]MeshColor{first, last, p.Colors[2], p.Colors[3]}
	return low, high
}

// Transposed returns the patch with its rows as columns.
func (p *MeshPatch) Transposed() (out MeshPatch) {
	for i := range 4 {
		for k := range 4 {
			out.Points[k][i] = p.Points[i][k]
		}
	}
	out.Colors = [4]MeshColor{p.Colors[0], p.Colors[3], p.Colors[2], p.Colors[1]}
	return out
}
