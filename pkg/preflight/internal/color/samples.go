// SPDX-License-Identifier: Apache-2.0

package color

// Ink of images is measured on at most a quarter of a million evenly spread pixels.
// Only images whose colours are inks are measured (grey, CMYK, Separation, DeviceN
// and tables of those), in every depth and coding except JPEG 2000 and JBIG2.

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxPixels is the approximate number of pixels that are measured.
const maxPixels = 250_000

// maxSide bounds width and height.
const maxSide = 1 << 20

// Image is an image without its general filters.
type Image struct {
	Width, Height int
	// Bits of a component, 1, 2, 4, 8 or 16. A JPEG brings its own.
	Bits  int
	Space *Space
	// Decode is the array of that name, or nil.
	Decode []float64
	// JPEG reports whether Data is a JPEG.
	JPEG bool
	Data []byte
}

// MeasureImage returns the highest amount of each ink and the frequency of each total
// coverage. It returns false for an image that it cannot measure. It calls room with
// the number of bytes before it unpacks a JPEG and before it reads pixels, and stops
// when room returns false.
func MeasureImage(i Image, room func(bytes int64) bool) (facts.Paint, bool) {
	if i.Space == nil || !i.Space.Known() || i.Width <= 0 || i.Height <= 0 || i.Width > maxSide || i.Height > maxSide {
		return facts.Paint{}, false
	}
	if i.JPEG {
		unpacked, ok := unpackJPEG(i, room)
		if !ok {
			return facts.Paint{}, false
		}
		i = unpacked
	}
	switch i.Bits {
	case 1, 2, 4, 8, 16:
	default:
		return facts.Paint{}, false
	}
	if !room(min(int64(i.Width)*int64(i.Height), maxPixels)) {
		return facts.Paint{}, false
	}
	m := newMeter(i)
	if !m.sample() {
		return facts.Paint{}, false
	}
	p := facts.Paint{Space: i.Space.Family, Known: true, Coverage: &m.coverage, White: m.coverage.Max() < 0.1}
	copy(p.CMYK[:], m.highest)
	for k, name := range i.Space.Spots() {
		p.Spots = append(p.Spots, facts.Tint{Name: name, Amount: m.highest[4+k]})
	}
	return p, true
}

// meter measures the pixels of one image.
type meter struct {
	image Image
	n     int
	row   int
	// levels maps a sample, or the upper eight bits of one, to a value of its component.
	levels   [][]float64
	coverage facts.Coverage
	highest  []float64
}

func newMeter(i Image) *meter {
	m := &meter{image: i, n: i.Space.Components}
	m.row = (i.Width*m.n*i.Bits + 7) / 8
	m.highest = make([]float64, 4+len(i.Space.Spots()))
	depth := min(i.Bits, 8)
	for c := range m.n {
		low, high := 0.0, 1.0
		if i.Space.Indexed() {
			high = float64(uint(1)<<i.Bits - 1)
		}
		if len(i.Decode) >= 2*m.n {
			low, high = i.Decode[2*c], i.Decode[2*c+1]
		}
		levels := make([]float64, 1<<depth)
		for v := range levels {
			levels[v] = low + float64(v)*(high-low)/float64(len(levels)-1)
		}
		m.levels = append(m.levels, levels)
	}
	return m
}

// sample measures the pixels. It returns false when the data contains none of them.
func (m *meter) sample() bool {
	i := &m.image
	step := max(1, int(math.Ceil(math.Sqrt(float64(i.Width)*float64(i.Height)/maxPixels))))
	if i.Bits == 8 && i.Space.Process() {
		return m.sampleProcess(step)
	}
	seen := false
	var values [MaxComponents]float64
	amounts := make([]float64, 0, len(m.highest))
	for y := step / 2; y < i.Height; y += step {
		if (y+1)*m.row > len(i.Data) {
			break
		}
		row := i.Data[y*m.row : (y+1)*m.row]
		for x := step / 2; x < i.Width; x += step {
			for c := range m.n {
				values[c] = m.levels[c][m.at(row, x*m.n+c)]
			}
			amounts = i.Space.Amounts(amounts[:0], values[:m.n])
			total := 0.0
			for k, v := range amounts {
				total += v
				if v > m.highest[k] {
					m.highest[k] = v
				}
			}
			m.coverage.Add(total * 100)
			seen = true
		}
	}
	return seen
}

// at returns the k-th sample of a row, at most its upper eight bits.
func (m *meter) at(row []byte, k int) int {
	switch bits := m.image.Bits; bits {
	case 8:
		return int(row[k])
	case 16:
		return int(row[2*k])
	default:
		first := k * bits
		return int(row[first/8]>>(8-bits-first%8)) & (1<<bits - 1)
	}
}
