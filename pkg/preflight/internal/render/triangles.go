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
	triangleWork = 200
	patchSteps   = 8
	// stepSize is the least size of a step, in pixels.
	stepSize = 2
)

// vertex is a corner of a triangle, in pixels, with the values of its colour.
type vertex struct {
	x, y   float64
	values [color.MaxComponents]float64
}

// mesh paints the triangles and the patches of a mesh on a bitmap of the region
// (8.7.4.5.5 to 8.7.4.5.8).
func (r *Renderer) mesh(sh *Shading, device geom.Matrix, region *raster.Clip) colored {
	space := sh.Space
	if len(sh.Functions) > 0 {
		space = nil
	}
	f, ok := MeshOf(r.file, sh.Dict, space)
	if !ok {
		return nil
	}
	if f.Indexed != nil {
		space = space.Under
	}
	n := f.Components
	data := r.file.Quietly(sh.Object)
	box := region.Box
	m := &triangles{
		box: box, n: n, alpha: make([]uint8, box.Dx()*box.Dy()), values: make([]float32, box.Dx()*box.Dy()*n),
		left: pageWork/2 - r.around - r.surface.canvas.Work(),
	}
	left := m.left
	if !r.room(int64(len(m.values)) * 4) {
		return nil
	}
	if f.Kind < CoonsMesh {
		f.Triangles(data, func(a, b, c *MeshVertex) bool {
			m.add(corner(&f, *a, device), corner(&f, *b, device), corner(&f, *c, device))
			return m.room()
		})
	} else {
		f.Patches(data, func(p *MeshPatch) bool {
			m.patch(&f, p, device)
			return m.room()
		})
	}
	if r.surface.canvas.Charge(left - m.left + 40*int64(len(m.alpha))); !m.room() {
		r.cut()
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
		if space == nil {
			amounts = r.parametric(sh, values[0])
		} else {
			amounts = r.Tone(space, values).amounts
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

// corner returns a corner of a triangle in pixels.
func corner(f *MeshFormat, at MeshVertex, device geom.Matrix) *vertex {
	v := &vertex{values: at.Color}
	v.x, v.y = device.Point(f.Place(at.Point))
	return v
}

// patch divides a patch into triangles, fewer if it is small.
func (m *triangles) patch(f *MeshFormat, p *MeshPatch, device geom.Matrix) {
	var points [4][4]vertex
	low, high := geom.Point{X: math.Inf(1), Y: math.Inf(1)}, geom.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for i := range points {
		for k := range points[i] {
			v := &points[i][k]
			v.x, v.y = device.Point(f.Place(p.Points[i][k]))
			low, high = geom.Point{X: min(low.X, v.x), Y: min(low.Y, v.y)}, geom.Point{X: max(high.X, v.x), Y: max(high.Y, v.y)}
		}
	}
	size := math.Hypot(high.X-low.X, high.Y-low.Y) // of the points in pixels
	steps := int(min(max(math.Ceil(size/stepSize), 1), patchSteps))
	var grid [patchSteps + 1][patchSteps + 1]vertex
	weights := func(t float64) [4]float64 {
		s := 1 - t
		return [4]float64{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}
	}
	for i := range steps + 1 {
		u := float64(i) / float64(steps)
		wu := weights(u)
		for k := range steps + 1 {
			v := float64(k) / float64(steps)
			wv := weights(v)
			at := &grid[i][k]
			for a := range 4 {
				for b := range 4 {
					w := wu[a] * wv[b]
					at.x += w * points[a][b].x
					at.y += w * points[a][b].y
				}
			}
			at.values = p.At(u, v, m.n)
		}
	}
	for i := range steps {
		for k := range steps {
			m.add(&grid[i][k], &grid[i+1][k], &grid[i][k+1])
			m.add(&grid[i+1][k], &grid[i][k+1], &grid[i+1][k+1])
		}
	}
}
