// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
)

// TestPixelsOfABitmapAreMeans compares with means that are computed one by one. Images of this size are
// reduced in several parts where there are several cores.
func TestPixelsOfABitmapAreMeans(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	var identity, inverse [256]uint8
	for v := range identity {
		identity[v], inverse[v] = uint8(v), uint8(255-v)
	}
	for _, n := range []int{1, 3, 4} {
		for _, step := range [][2]int{{1, 1}, {2, 1}, {3, 2}, {1, 4}, {17, 16}} {
			for name, table := range map[string]*[256]uint8{"the values": &identity, "their complements": &inverse} {
				const width, height = 401, 503
				data := make([]byte, width*height*n)
				for i := range data {
					data[i] = byte(random.Uint32())
				}
				space := &color.Space{Components: n}
				reader := color.NewReader(color.Image{Width: width, Height: height, Bits: 8, Space: space, Data: data})
				out := &planes.Bitmap{Width: (width + step[0] - 1) / step[0], Height: (height + step[1] - 1) / step[1]}
				w := reduction{out: out, stepX: step[0], stepY: step[1], reader: reader, n: n}
				for c := range n {
					w.add(c, table, &out.Amounts[c])
				}
				w.run()
				if fault := firstWrong(out, data, table, width, height, n, step); fault != "" || w.uniform {
					t.Errorf("%d components, steps %v, %s: %s, uniform %t", n, step, name, fault, w.uniform)
				}
			}
		}
	}
}

// firstWrong describes the first pixel of a bitmap that is not the mean of its pixels.
func firstWrong(b *planes.Bitmap, data []byte, table *[256]uint8, width, height, n int, step [2]int) string {
	for c := range n {
		for i, got := range b.Amounts[c] {
			sum, count := 0, 0
			for y := i / b.Width * step[1]; y < min((i/b.Width+1)*step[1], height); y++ {
				for x := i % b.Width * step[0]; x < min((i%b.Width+1)*step[0], width); x++ {
					sum += int(table[data[(y*width+x)*n+c]])
					count++
				}
			}
			if want := uint8((sum + count/2) / count); got != want {
				return fmt.Sprintf("pixel %d of component %d is %d, want %d", i, c, got, want)
			}
		}
	}
	return ""
}
