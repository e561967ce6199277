// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
)

// maxVertices bounds the vertices of a mesh whose colours are read.
const maxVertices = 4096

// The types of mesh (8.7.4.5.5 to 8.7.4.5.8).
const (
	freeTriangles = 4
	lattice       = 5
	coonsPatches  = 6
	tensorPatches = 7
)

// mesh adds the colours of the vertices. A mesh with a function may use all colours
// of the function.
func (in *Interpreter) mesh(o types.Object, dict types.Dict, c *colors) {
	if len(c.functions) > 0 {
		c.line(c.functions[0].Domain(0))
		return
	}
	kind := in.file.Int(dict["ShadingType"])
	r := vertices{
		coordinate: in.file.Int(dict["BitsPerCoordinate"]), component: in.file.Int(dict["BitsPerComponent"]),
		flag: in.file.Int(dict["BitsPerFlag"]), n: c.space.Components,
	}
	decode, ok := in.file.Numbers(dict["Decode"], 4+2*r.n)
	plausible := r.coordinate >= 1 && r.coordinate <= 32 && r.component >= 1 && r.component <= 16 && r.flag >= 0 && r.flag <= 8 && r.n >= 1
	if !ok || !plausible {
		return
	}
	r.decode = decode[4:]
	r.data = in.file.Decode(o, in.page.Number)
	switch kind {
	case freeTriangles:
		r.each(c, func(int) (points, corners int) { return 1, 1 })
	case lattice:
		r.flag = 0
		r.each(c, func(int) (points, corners int) { return 1, 1 })
	case coonsPatches:
		r.each(c, patch(12))
	case tensorPatches:
		r.each(c, patch(16))
	}
}

// patch returns a function from the flag of a patch to the number of its points and
// colours. A patch that continues at an edge of the previous patch shares four
// points and two colours with it.
func patch(points int) func(flag int) (int, int) {
	return func(flag int) (int, int) {
		if flag == 0 {
			return points, 4
		}
		return points - 4, 2
	}
}

// vertices reads the packed numbers of a mesh.
type vertices struct {
	coordinate, component, flag, n int
	decode                         []float64
	data                           []byte
	bit                            int
}

// each adds the colours of the vertices, up to maxVertices.
func (r *vertices) each(c *colors, shape func(flag int) (points, corners int)) {
	var values [color.MaxComponents]float64
	for seen := 0; seen < maxVertices; {
		flag := int(r.take(r.flag)) & 3
		points, corners := shape(flag)
		if r.bit+points*2*r.coordinate+corners*r.n*r.component > 8*len(r.data) {
			return
		}
		r.bit += points * 2 * r.coordinate
		for range corners {
			for k := range r.n {
				v := float64(r.take(r.component)) / float64(uint(1)<<r.component-1)
				values[k] = r.decode[2*k] + v*(r.decode[2*k+1]-r.decode[2*k])
			}
			c.add(values[:r.n])
		}
		seen += corners
		// Each vertex, and each patch, begins on a byte.
		r.bit = (r.bit + 7) / 8 * 8
	}
}

// take reads the next bits; bits beyond the data are zero.
func (r *vertices) take(bits int) uint32 {
	v := uint32(0)
	for ; bits > 0; bits-- {
		v <<= 1
		if r.bit/8 < len(r.data) {
			v |= uint32(r.data[r.bit/8]>>(7-r.bit%8)) & 1
		}
		r.bit++
	}
	return v
}
