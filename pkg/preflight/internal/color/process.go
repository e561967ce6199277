// SPDX-License-Identifier: Apache-2.0

package color

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// fine is the number of parts of a percent in which this file counts.
const fine = 100

// fullInk is the full amount of an ink, in parts of a percent.
const fullInk = 100 * fine

// sampleProcess is sample for the commonest of the large images, eight bits of
// cyan, magenta, yellow and black. It is a loop of whole numbers, several times as
// fast as the general one.
func (m *meter) sampleProcess(step int) bool {
	i := &m.image
	var inks [4][256]int32 // from a sample to the amount of its ink
	for c := range inks {
		for v, level := range m.levels[c] {
			if level > 0 {
				inks[c][v] = int32(math.Round(min(level, 1) * fullInk))
			}
		}
	}
	var highest [4]int32
	var counts [4*fullInk/fine + 1]uint32
	most, seen := int32(0), false
	for y := step / 2; y < i.Height && (y+1)*m.row <= len(i.Data); y += step {
		row := i.Data[y*m.row : (y+1)*m.row]
		for at := step / 2 * 4; at+4 <= len(row); at += step * 4 {
			pixel := row[at : at+4 : at+4]
			cyan, magenta, yellow, black := inks[0][pixel[0]], inks[1][pixel[1]], inks[2][pixel[2]], inks[3][pixel[3]]
			highest[0], highest[1] = max(highest[0], cyan), max(highest[1], magenta)
			highest[2], highest[3] = max(highest[2], yellow), max(highest[3], black)
			total := cyan + magenta + yellow + black
			most = max(most, total)
			counts[(max(total-noise, 0)+fine-1)/fine]++
			seen = true
		}
	}
	for c, v := range highest {
		m.highest[c] = float64(v) / fullInk
	}
	m.coverage.AddTotals(counts[:], float64(most)/fine)
	return seen
}

// noise is the noise of a [facts.Coverage], in parts of a percent.
const noise = int32(facts.InkNoise * fine)
