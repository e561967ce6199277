// SPDX-License-Identifier: Apache-2.0

package color

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"
)

// scenery is a JPEG with slopes and edges.
func scenery(tb testing.TB, width, height int, gray bool) []byte {
	tb.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{R: uint8(x * 255 / width), G: uint8(y * 255 / height), B: uint8(128 + 100*math.Sin(float64(x+y)/9)), A: 255}
			if (x-width/2)*(x-width/2)+(y-height/2)*(y-height/2) < width*height/9 {
				c.R, c.G = 255-c.R, c.G/2
			}
			if gray {
				c.R, c.B = c.G, c.G
			}
			picture.SetRGBA(x, y, c)
		}
	}
	var source image.Image = picture
	if gray {
		g := image.NewGray(picture.Rect)
		for i := range g.Pix {
			g.Pix[i] = picture.Pix[4*i+1]
		}
		source = g
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, source, &jpeg.Options{Quality: 90}); err != nil {
		tb.Fatalf("jpeg.Encode: %v", err)
	}
	return out.Bytes()
}

func TestPartsOfAnImageHaveItsRows(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 71*3*53*2)
	for i := range noise {
		noise[i] = byte(i * 7919 >> 3)
	}
	rgb := &Space{Components: 3}
	for name, i := range map[string]Image{
		"a JPEG":             {Width: 71, Height: 53, Bits: 8, Codec: JPEG, Space: rgb, Data: scenery(t, 71, 53, false)},
		"eight bits":         {Width: 71, Height: 53, Bits: 8, Space: rgb, Data: noise[:71*3*53]},
		"sixteen bits":       {Width: 71, Height: 53, Bits: 16, Space: rgb, Data: noise},
		"four bits":          {Width: 71, Height: 53, Bits: 4, Space: rgb, Data: noise},
		"rows are missing":   {Width: 71, Height: 53, Bits: 8, Space: rgb, Data: noise[:71*3*20+5]},
		"rows in order only": {Width: 71, Height: 53, Bits: 8, Space: rgb, Rows: bytes.NewReader(noise)},
	} {
		rows := func(split bool) (out []byte) {
			plain, ok := Unpack(i, 71, 53, func(int64) bool { return true })
			if !ok {
				t.Fatalf("%s: Unpack failed", name)
			}
			if i.Rows != nil {
				plain.Rows = bytes.NewReader(noise)
			}
			readers := []*Reader{NewReader(plain)}
			if split {
				readers = readers[0].Parts(3, 4)
			}
			for _, r := range readers {
				for row := r.Next(); row != nil; row = r.Next() {
					out = append(out, row...)
				}
			}
			return out
		}
		if want, got := rows(false), rows(true); len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: parts have %d bytes, want the same %d", name, len(got), len(want))
		}
	}
}

func TestReducedJPEGHasTheMeansOfItsPixels(t *testing.T) {
	t.Parallel()
	const width, height = 403, 298 // no multiples of a block
	for _, gray := range []bool{false, true} {
		i := Image{Width: width, Height: height, Bits: 8, Codec: JPEG, Space: &Space{Components: 3}, Data: scenery(t, width, height, gray)}
		if gray {
			i.Space = &Space{Components: 1}
		}
		n := i.Space.Components
		room := func(int64) bool { return true }
		whole, ok := unpackWhole(i, room)
		if !ok {
			t.Fatal("unpackWhole failed")
		}
		pixels := make([]byte, width*height*n)
		for y := range height {
			if _, err := whole.Rows.Read(pixels[y*width*n:][:width*n]); err != nil {
				t.Fatalf("Read: %v", err)
			}
		}
		for _, side := range []int{2, 4} {
			got, ok := unpackBlocks(i, side, room)
			if want := [2]int{ceil(width*side, 8), ceil(height*side, 8)}; !ok || got.Width != want[0] || got.Height != want[1] {
				t.Fatalf("%d samples: %d x %d, %t, want %v", side, got.Width, got.Height, ok, want)
			}
			step, sum, count := 8/side, 0.0, 0
			row := make([]byte, got.Width*n)
			for y := range height / step {
				if _, err := got.Rows.Read(row); err != nil {
					t.Fatalf("Read: %v", err)
				}
				for x := range width / step {
					for c := range n {
						mean := 0
						for k := range step * step {
							mean += int(pixels[((y*step+k/step)*width+x*step+k%step)*n+c])
						}
						sum += math.Abs(float64(row[x*n+c]) - float64(mean)/float64(step*step))
						count++
					}
				}
			}
			if difference := sum / float64(count); difference > 2 {
				t.Errorf("%d samples, grey %t: the mean difference is %.2f, want at most 2", side, gray, difference)
			}
		}
	}
}

// BenchmarkJPEG compares a JPEG of six megapixels as a whole with reduced ones.
func BenchmarkJPEG(b *testing.B) {
	i := Image{Width: 2450, Height: 2450, Bits: 8, Codec: JPEG, Space: &Space{Components: 3}, Data: scenery(b, 2450, 2450, false)}
	room := func(int64) bool { return true }
	b.Run("whole", func(b *testing.B) {
		row := make([]byte, 3*i.Width)
		for b.Loop() {
			whole, _ := unpackWhole(i, room)
			for range i.Height {
				_, _ = whole.Rows.Read(row)
			}
		}
	})
	for _, side := range []int{4, 2, 1} {
		b.Run(string(rune('0'+side))+" samples", func(b *testing.B) {
			for b.Loop() {
				reduced, _ := unpackBlocks(i, side, room)
				row := make([]byte, 3*reduced.Width)
				for range reduced.Height {
					_, _ = reduced.Rows.Read(row)
				}
			}
		})
	}
}
