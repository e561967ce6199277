// SPDX-License-Identifier: Apache-2.0

package barcode

import (
	"image"
	"math"
	"slices"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// scanRows is the number of rows of a region that are read. leastRows of them must agree.
const (
	scanRows  = 32
	leastRows = 4
)

// row is a row of a region as a list of runs, dark and light in turn.
type row struct {
	y int
	// edges are the places where runs begin, and the end of the last one. The first run is light
	// and may be empty.
	edges []float64
}

func (r *row) width(run int) float64 { return r.edges[run+1] - r.edges[run] }

// runs returns the number of runs.
func (r *row) runs() int { return len(r.edges) - 1 }

// reading is a code in one row: the runs from the first to the last bar.
type reading struct {
	symbology, text string
	row             *row
	first, last     int
	// module is the width of a module in pixels.
	module float64
	// reversed reports whether the code begins on the right.
	reversed bool
}

// readBars reads upright bars. Rows vote for their content; those of the winner are measured.
func readBars(m Image) (Symbol, bool) {
	votes := map[string][]reading{}
	var best, structures []reading
	// What is near the code takes part in the runs if its quiet zone is short: try without it then.
	for _, trims := range [...]int{0, maxTrims} {
		if len(best) >= leastRows {
			break
		}
		for i := 0; i < scanRows; i += 1 + trims {
			line, ok := split(m, m.Height*(2*i+1)/(2*scanRows))
			if !ok {
				continue
			}
			found, ok := line.decode(trims)
			if !ok {
				if found, ok = line.structure(); ok && trims == 0 {
					structures = append(structures, found)
				}
				continue
			}
			key := found.symbology + " " + found.text
			votes[key] = append(votes[key], found)
			if len(votes[key]) > len(best) {
				best = votes[key]
			}
		}
	}
	switch {
	case len(best) >= leastRows:
		return measure(m, best), true
	case len(structures) >= scanRows/4:
		return measure(m, structures), true
	}
	return Symbol{}, false
}

// split returns the runs of a row, or false for a row without contrast. Edges are between pixels,
// where the reflectance is in the middle between dark and light of the middle third of the row:
// what is beside the quiet zones may be lighter or darker.
func split(m Image, y int) (*row, bool) {
	pixels := m.Row(y)
	third := pixels[len(pixels)/3 : len(pixels)-len(pixels)/3]
	if len(third) == 0 {
		return nil, false
	}
	low, high := slices.Min(third), slices.Max(third)
	if high-low < 26 {
		return nil, false
	}
	threshold := (float64(low) + float64(high)) / 2
	out := &row{y: y, edges: []float64{0}}
	dark := false
	for x, v := range pixels {
		if (float64(v) < threshold) == dark {
			continue
		}
		dark = !dark
		edge := float64(x)
		if x > 0 {
			before := float64(pixels[x-1])
			edge = float64(x) - 0.5 + (threshold-before)/(float64(v)-before)
		}
		out.edges = append(out.edges, edge)
	}
	out.edges = append(out.edges, float64(len(pixels)))
	return out, out.runs() > 20
}

// bits returns the dark runs from one to another as bits, with light around them. Decoders need
// quiet zones, which are measured later.
func (r *row) bits(first, last int) *gozxing.BitArray {
	const scale = 2 // of pixels, so that edges between them count
	margin := 0
	for run := first; run <= last; run++ {
		margin = max(margin, int(r.width(run)*scale)*6)
	}
	origin := r.edges[first] - float64(margin)/scale
	place := func(edge float64) int { return int(math.Round((edge - origin) * scale)) }
	out := gozxing.NewBitArray(place(r.edges[last+1]) + margin)
	for run := first; run <= last; run += 2 {
		if to := place(r.edges[run+1]); to > place(r.edges[run]) {
			_ = out.SetRange(place(r.edges[run]), to) // the range is inside by construction
		}
	}
	return out
}

// spans returns the candidates for the first and the last bar of a code: wide light runs, and the
// ends of the row, separate it from what is beside it.
func (r *row) spans() [][2]int {
	widths := make([]float64, 0, r.runs())
	for run := 1; run < r.runs()-1; run++ {
		widths = append(widths, r.width(run))
	}
	slices.Sort(widths)
	gap := 7 * widths[len(widths)/4]
	var out [][2]int
	first := 1
	for run := 2; run <= r.runs(); run += 2 {
		// A light run, or the end.
		if run < r.runs()-1 && r.width(run) < gap {
			continue
		}
		if last := run - 1; last-first >= 20 && last < r.runs() {
			out = append(out, [2]int{first, last})
		}
		first = run + 1
	}
	return out
}

// maxTrims is the number of bars at each end that may belong to something else.
const maxTrims = 3

// decode reads the codes of a row in both directions, and returns the first one. It leaves out up
// to a number of bars at both ends.
func (r *row) decode(trims int) (reading, bool) {
	for _, span := range r.spans() {
		for n := range (trims + 1) * (trims + 1) {
			found, ok := r.decodeSpan(span[0]+2*(n%(trims+1)), span[1]-2*(n/(trims+1)))
			if ok {
				return found, true
			}
		}
	}
	return reading{}, false
}

// decodeSpan reads the code from one bar to another in both directions.
func (r *row) decodeSpan(first, last int) (reading, bool) {
	if last-first < 20 {
		return reading{}, false
	}
	bits := r.bits(first, last)
	for _, reversed := range [...]bool{false, true} {
		if reversed {
			bits.Reverse()
		}
		for _, decode := range [...]func(*gozxing.BitArray) (string, string, bool){decodeEAN, decode128, decodeITF} {
			symbology, text, ok := decode(bits)
			found := reading{symbology: symbology, text: text, row: r, first: first, last: last, reversed: reversed}
			if ok && found.fit() {
				return found, true
			}
		}
	}
	return reading{}, false
}

// scan decodes a row. A panic of the library, which reads any bits, is a row without a code.
func scan(reader gozxing.Reader, bits *gozxing.BitArray) (result *gozxing.Result) {
	defer func() {
		if recover() != nil {
			result = nil
		}
	}()
	decoder, ok := reader.(oned.RowDecoder)
	if !ok {
		return nil
	}
	result, err := decoder.DecodeRow(0, bits, nil)
	if err != nil {
		return nil
	}
	return result
}

func decodeEAN(bits *gozxing.BitArray) (symbology, text string, ok bool) {
	if result := scan(oned.NewEAN13Reader(), bits); result != nil {
		if text := result.GetText(); text[0] == '0' {
			return facts.UPCA, text[1:], true
		}
		return facts.EAN13, result.GetText(), true
	}
	if result := scan(oned.NewEAN8Reader(), bits); result != nil {
		return facts.EAN8, result.GetText(), true
	}
	return "", "", false
}

func decode128(bits *gozxing.BitArray) (symbology, text string, ok bool) {
	result := scan(oned.NewCode128Reader(), bits)
	switch {
	case result == nil || result.GetText() == "":
		return "", "", false
	case result.GetResultMetadata()[gozxing.ResultMetadataType_SYMBOLOGY_IDENTIFIER] == "]C1":
		return facts.GS1128, result.GetText(), true
	}
	return facts.C128, result.GetText(), true
}

func decodeITF(bits *gozxing.BitArray) (symbology, text string, ok bool) {
	result := scan(oned.NewITFReader(), bits)
	switch {
	case result == nil || len(result.GetText()) < 6:
		return "", "", false
	case len(result.GetText()) == 14 && checked(result.GetText()):
		return facts.ITF14, result.GetText(), true
	}
	return facts.ITF, result.GetText(), true
}

// checked reports whether the last digit is the check digit of GS1.
func checked(digits string) bool {
	sum := 0
	for i := range len(digits) {
		weight := 1
		if (len(digits)-1-i)%2 == 1 {
			weight = 3
		}
		sum += weight * int(digits[i]-'0')
	}
	return sum%10 == 0
}

// fit sets the module of a reading, and reports whether the bars and spaces are those of the
// symbology: as many, and each close to a whole number of modules. Noise and hatching are not.
func (f *reading) fit() bool {
	runs := f.last - f.first + 1
	total := f.row.edges[f.last+1] - f.row.edges[f.first]
	switch f.symbology {
	case facts.EAN13, facts.UPCA:
		f.module = total / 95
		return runs == 59 && f.even()
	case facts.EAN8:
		f.module = total / 67
		return runs == 43 && f.even()
	case facts.C128, facts.GS1128:
		f.module = total / float64(11*(runs-7)/6+13)
		return runs >= 25 && (runs-7)%6 == 0 && f.even()
	default:
		return runs == 7+5*len(f.text) && f.narrow()
	}
}

// unevenness is the largest mean deviation from a whole number of modules.
const unevenness = 0.2

// even reports whether the widths are whole numbers of modules. All bars may be wider by the same
// amount.
func (f *reading) even() bool {
	var deviation [2]float64
	var count [2]float64
	gain := [2]float64{}
	for pass := range 2 {
		for run := f.first; run <= f.last; run++ {
			side := (run - f.first) % 2
			width := f.row.width(run)/f.module - gain[side]
			off := width - math.Round(width)
			if pass == 0 {
				deviation[side] += off
				count[side]++
			} else {
				deviation[side] += math.Abs(off)
			}
		}
		if pass == 0 {
			gain = [2]float64{deviation[0] / count[0], deviation[1] / count[1]}
			deviation = [2]float64{}
		}
	}
	return deviation[0]/count[0] < unevenness && deviation[1]/count[1] < unevenness
}

// narrow sets the module of an facts.ITF code, the mean of narrow bars and spaces, and reports whether
// narrow and wide ones are distinct.
func (f *reading) narrow() bool {
	var mean [2]float64
	for side := range 2 {
		var widths []float64
		for run := f.first + side; run <= f.last; run += 2 {
			widths = append(widths, f.row.width(run))
		}
		slices.Sort(widths)
		// Each digit has three narrow and two wide elements; start and stop have narrow ones more.
		middle := (widths[0] + widths[len(widths)-1]) / 2
		at, _ := slices.BinarySearch(widths, middle)
		if at == 0 || at == len(widths) || widths[at] < 1.4*widths[at-1] {
			return false
		}
		for _, w := range widths[:at] {
			mean[side] += w / float64(at)
		}
	}
	f.module = (mean[0] + mean[1]) / 2
	return true
}

// structure reports whether a row that does not decode has the guard bars of an EAN code, and as
// many bars: its check digit is wrong, or its bars are.
func (r *row) structure() (reading, bool) {
	for _, span := range r.spans() {
		f := reading{symbology: facts.EAN13, row: r, first: span[0], last: span[1]}
		if f.last-f.first+1 == 43 {
			f.symbology = facts.EAN8
		}
		if !f.fit() {
			continue
		}
		guards := []int{f.first, f.first + 1, f.first + 2, f.last - 2, f.last - 1, f.last}
		for i := range 5 {
			guards = append(guards, (f.first+f.last)/2-2+i)
		}
		if !slices.ContainsFunc(guards, func(run int) bool { return math.Abs(r.width(run)/f.module-1) > 0.4 }) {
			return f, true
		}
	}
	return reading{}, false
}

// measure returns the symbol of readings of different rows.
func measure(m Image, found []reading) Symbol {
	s := Symbol{Symbology: found[0].symbology, Text: found[0].text, Quiet: [2]float64{math.Inf(1), math.Inf(1)}}
	var modules []float64
	for i := range found {
		f := &found[i]
		r := f.row
		modules = append(modules, f.module)
		quiet := [2]float64{r.width(f.first - 1)}
		if f.last+1 < r.runs() {
			quiet[1] = r.width(f.last + 1)
		}
		if f.reversed {
			quiet[0], quiet[1] = quiet[1], quiet[0]
		}
		for side, width := range quiet {
			s.Quiet[side] = min(s.Quiet[side], width/f.module)
		}
		half := m.Height / scanRows / 2
		s.Box = s.Box.Union(image.Rect(int(r.edges[f.first]), max(r.y-half, 0), int(math.Ceil(r.edges[f.last+1])), min(r.y+half+1, m.Height)))
		for run := f.first; run <= f.last; run++ {
			at := r.y*m.Width + int((r.edges[run]+r.edges[run+1])/2)
			if (run-f.first)%2 == 0 {
				s.Bars = append(s.Bars, at)
			} else {
				s.Spaces = append(s.Spaces, at)
			}
		}
	}
	slices.Sort(modules)
	s.Module = modules[len(modules)/2]
	return s
}
