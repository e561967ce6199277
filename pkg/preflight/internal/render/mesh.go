// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// The bounds of a mesh, and the triangles that a patch is divided into.
const (
	maxTriangles = 200_000
	maxLattice   = 1 << 14
	triangleWork = 200
	patchSteps   = 8
)

// vertex is a corner of a triangle, in pixels, with the values of its colour.
type vertex struct {
	x, y   float64
	values [color.MaxComponents]float64
}

// mesh paints the triangles and the patches of a mesh on a bitmap of the region
// (8.7.4.5.5 to 8.7.4.5.8).
func (r *Renderer) mesh(sh *Shading, kind int, device geom.Matrix, region *raster.Clip) colored {
	n := sh.Space.Components
	if len(sh.Functions) > 0 {
		n = 1
	}
	b := meshReader{
		coordinate: r.file.Int(sh.Dict["BitsPerCoordinate"]), component: r.file.Int(sh.Dict["BitsPerComponent"]),
		flag: r.file.Int(sh.Dict["BitsPerFlag"]), n: n, device: device,
	}
	decode, ok := r.file.Numbers(sh.Dict["Decode"], 4+2*n)
	if !ok || b.coordinate < 1 || b.coordinate > 32 || b.component < 1 || b.component > 16 || b.flag < 0 || b.flag > 8 || n < 1 {
		return nil
	}
	b.decode, b.data = decode, r.file.Quietly(sh.Object)
	box := region.Box
	m := &triangles{
		box: box, n: n, alpha: make([]uint8, box.Dx()*box.Dy()), values: make([]float32, box.Dx()*box.Dy()*n),
		left: pageWork/2 - r.around - r.surface.canvas.Work(),
	}
	left := m.left
	if !r.room(int64(len(m.values)) * 4) {
		return nil
	}
	switch kind {
	case 4:
		b.free(m)
	case 5:
		b.lattice(m, r.file.Int(sh.Dict["VerticesPerRow"]))
	case 6:
		b.patches(m, 12)
	default:
		b.patches(m, 16)
	}
	if r.surface.canvas.Charge(left - m.left + 40*int64(len(m.alpha))); !m.room() {
		r.partial = true
	}
	// Convert the values to inks.
	out := &planes.Bitmap{Width: box.Dx(), Height: box.Dy(), Alpha: m.alpha}
	values := make([]float64, n)
	for i, alpha := range m.alpha {
		if alpha == 0 {
			continue
		}
		for k := range n {
			values[k] = float64(m.values[i*n+k])
		}
		var amounts planes.Amounts
		if len(sh.Functions) > 0 {
			amounts = r.parametric(sh, values[0])
		} else {
			amounts = r.Tone(sh.Space, values).amounts
		}
		for p, v := range amounts {
			if v != 0 && out.Amounts[p] == nil {
				out.Amounts[p] = make([]uint8, len(m.alpha))
			}
			if out.Amounts[p] != nil {
				out.Amounts[p][i] = v
			}
		}
	}
	return &planes.Sampler{Bitmap: out, Inverse: geom.Matrix{1, 0, 0, 1, -float64(box.Min.X), -float64(box.Min.Y)}}
}

// triangles is a bitmap of colour values.
type triangles struct {
	box    image.Rectangle
	n      int
	alpha  []uint8
	values []float32
	count  int
	// left is the work that may still be done, in about nanoseconds.
	left int64
}

// room reports whether another triangle may be painted.
func (m *triangles) room() bool { return m.count <= maxTriangles && m.left >= 0 }

// add paints a triangle, linear between its corners.
func (m *triangles) add(a, b, c *vertex) {
	if m.count++; !m.room() {
		return
	}
	area := (b.x-a.x)*(c.y-a.y) - (c.x-a.x)*(b.y-a.y)
	if !(math.Abs(area) > 1e-9) || !(math.Abs(area) < 1e12) {
		return
	}
	bounds := geom.Rect{min(a.x, b.x, c.x), min(a.y, b.y, c.y), max(a.x, b.x, c.x), max(a.y, b.y, c.y)}
	box := raster.Pixels(bounds).Intersect(m.box)
	m.left -= triangleWork + 5*int64(box.Dx())*int64(box.Dy())
	const edge = -0.02 // neighbours overlap a little, so that no pixel falls between
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			u := ((b.x-px)*(c.y-py) - (c.x-px)*(b.y-py)) / area
			v := ((c.x-px)*(a.y-py) - (a.x-px)*(c.y-py)) / area
			w := 1 - u - v
			if u < edge || v < edge || w < edge {
				continue
			}
			i := (y-m.box.Min.Y)*m.box.Dx() + x - m.box.Min.X
			m.alpha[i] = 255
			for k := range m.n {
				m.values[i*m.n+k] = float32(u*a.values[k] + v*b.values[k] + w*c.values[k])
			}
		}
	}
}

// meshReader reads the packed numbers of a mesh.
type meshReader struct {
	coordinate, component, flag, n int
	decode                         []float64
	data                           []byte
	at                             int
	device                         geom.Matrix
}

func (b *meshReader) take(n int) uint64 {
	v := uint64(0)
	for ; n > 0; n-- {
		v <<= 1
		if b.at/8 < len(b.data) {
			v |= uint64(b.data[b.at/8]>>(7-b.at%8)) & 1
		}
		b.at++
	}
	return v
}

// more reports whether a number of bits is left.
func (b *meshReader) more(n int) bool { return b.at+n <= 8*len(b.data) }

func (b *meshReader) align() { b.at = (b.at + 7) / 8 * 8 }

func (b *meshReader) value(n, pair int) float64 {
	low, high := b.decode[2*pair], b.decode[2*pair+1]
	return low + float64(b.take(n))/float64(uint64(1)<<n-1)*(high-low)
}

func (b *meshReader) point(v *vertex) {
	x := b.value(b.coordinate, 0)
	v.x, v.y = b.device.Point(x, b.value(b.coordinate, 1))
}

func (b *meshReader) color(v *vertex) {
	for k := range b.n {
		v.values[k] = b.value(b.component, 2+k)
	}
}

// free reads a free-form mesh of triangles.
func (b *meshReader) free(m *triangles) {
	var corners [3]vertex
	read := func(v *vertex) int {
		flag := int(b.take(b.flag)) & 3 // #nosec G115 -- at most 8 bits
		b.point(v)
		b.color(v)
		b.align()
		return flag
	}
	size := b.flag + 2*b.coordinate + b.n*b.component
	for m.room() && b.more(size) {
		var next vertex
		switch read(&next) {
		case 1:
			corners = [3]vertex{corners[1], corners[2], next}
		case 2:
			corners = [3]vertex{corners[0], corners[2], next}
		default:
			if !b.more(2 * size) {
				return
			}
			corners[0] = next
			read(&corners[1])
			read(&corners[2])
		}
		m.add(&corners[0], &corners[1], &corners[2])
	}
}

// lattice reads a mesh of rows.
func (b *meshReader) lattice(m *triangles, columns int) {
	if columns < 2 || columns > maxLattice {
		return
	}
	var above []vertex
	for m.room() && b.more(columns*(2*b.coordinate+b.n*b.component)) {
		row := make([]vertex, columns)
		for i := range row {
			b.point(&row[i])
			b.color(&row[i])
			b.align()
		}
		for i := 1; i < columns && above != nil; i++ {
			m.add(&above[i-1], &above[i], &row[i-1])
			m.add(&above[i], &row[i-1], &row[i])
		}
		above = row
	}
}

// patch is a tensor-product patch: points in rows and columns, colours at the corners
// (0,0), (0,3), (3,3) and (3,0).
type patch struct {
	points [4][4]vertex
	colors [4]vertex
}

// boundary lists the positions of the points of a patch in the order of the data, the
// four inner ones last (figure 45).
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

// patches reads Coons patches of 12 points or tensor-product patches of 16.
func (b *meshReader) patches(m *triangles, points int) {
	var last patch
	for m.room() && b.more(b.flag) {
		flag := int(b.take(b.flag)) & 3 // #nosec G115 -- at most 8 bits
		var p patch
		first, corner := 0, 0
		if flag > 0 {
			// The first edge is an edge of the patch before.
			first, corner = 4, 2
			for k := range 4 {
				from := boundary[(3*flag+k)%12]
				p.points[0][k] = last.points[from[0]][from[1]]
			}
			p.colors[0], p.colors[1] = last.colors[flag], last.colors[(flag+1)%4]
		}
		if !b.more((points-first)*2*b.coordinate + (4-corner)*b.n*b.component) {
			return
		}
		for k := first; k < points; k++ {
			at := boundary[k]
			b.point(&p.points[at[0]][at[1]])
		}
		for k := corner; k < 4; k++ {
			b.color(&p.colors[k])
		}
		b.align()
		if points == 12 {
			p.coons()
		}
		p.paint(m, b.n)
		last = p
	}
}

// coons sets the inner points of a Coons patch (8.7.4.5.8).
func (p *patch) coons() {
	inner := func(i, k, ci, ck int) {
		// ci and ck are the corner next to the point, oi and ok the one across.
		oi, ok := 3-ci, 3-ck
		mix := func(of func(*vertex) float64) float64 {
			at := func(i, k int) float64 { return of(&p.points[i][k]) }
			return (-4*at(ci, ck) + 6*(at(ci, k)+at(i, ck)) - 2*(at(ci, ok)+at(oi, ck)) + 3*(at(oi, k)+at(i, ok)) - at(oi, ok)) / 9
		}
		p.points[i][k].x = mix(func(v *vertex) float64 { return v.x })
		p.points[i][k].y = mix(func(v *vertex) float64 { return v.y })
	}
	inner(1, 1, 0, 0)
	inner(1, 2, 0, 3)
	inner(2, 1, 3, 0)
	inner(2, 2, 3, 3)
}

// paint divides a patch into triangles.
func (p *patch) paint(m *triangles, n int) {
	var grid [patchSteps + 1][patchSteps + 1]vertex
	weights := func(t float64) [4]float64 {
		s := 1 - t
		return [4]float64{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}
	}
	for i := range grid {
		u := float64(i) / patchSteps
		wu := weights(u)
		for k := range grid[i] {
			v := float64(k) / patchSteps
			wv := weights(v)
			at := &grid[i][k]
			for a := range 4 {
				for b := range 4 {
					w := wu[a] * wv[b]
					at.x += w * p.points[a][b].x
					at.y += w * p.points[a][b].y
				}
			}
			for c := range n {
				at.values[c] = (1-u)*((1-v)*p.colors[0].values[c]+v*p.colors[1].values[c]) + u*((1-v)*p.colors[3].values[c]+v*p.colors[2].values[c])
			}
		}
	}
	for i := range patchSteps {
		for k := range patchSteps {
			m.add(&grid[i][k], &grid[i+1][k], &grid[i][k+1])
			m.add(&grid[i+1][k], &grid[i][k+1], &grid[i+1][k+1])
		}
	}
}
