// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The flags of annotations (ISO 32000-2, table 167). Print is never among them.
const (
	noZoom   = 1 << 3
	noRotate = 1 << 4
)

// The square around a finding, in units of the page: the width of its line, and its
// least width and height, so that it is visible around a hairline.
const (
	lineWidth = 1.5
	leastSize = 8.0
)

// noteSize is the edge of a note in its appearance.
const noteSize = 18.0

// annotationWriter writes annotations and their appearances. Notes of one severity
// share an appearance.
type annotationWriter struct {
	update *update
	notes  map[report.Severity]types.IndirectRef
}

// annotation writes one comment: a frame around its finding, or a note.
func (l *annotationWriter) annotation(c report.Comment, s *sheet) types.IndirectRef {
	color := report.SeverityColor(c.Severity)
	annot := types.Dict{
		"Type": types.Name("Annot"), "P": s.ref, "NM": text(c.Name), "T": text(report.CommentAuthor), "Subj": text(c.Subject),
		"Contents": text(c.Contents), "C": types.Array{component(color[0]), component(color[1]), component(color[2])},
	}
	if c.Located {
		// Draw a frame whose outer edge is the rectangle.
		r := around(c.Rect, s.page)
		annot["Subtype"], annot["Rect"] = types.Name("Square"), rectangle(r)
		annot["BS"] = types.Dict{"W": types.Float(lineWidth), "S": types.Name("S")}
		width, height := roundedNumber(r.Width()), roundedNumber(r.Height())
		line := min(lineWidth, width/2, height/2)
		annot["AP"] = types.Dict{"N": l.form(width, height, fmt.Sprintf("%s RG %s w %s %s %s %s re S",
			operands(c.Severity), decimal(line), decimal(line/2), decimal(line/2), decimal(width-line), decimal(height-line)))}
	} else {
		// Draw a sheet of paper with lines.
		annot["Subtype"], annot["Rect"] = types.Name("Text"), rectangle(pinned(c.Rect, s.page.Rotate))
		annot["Name"], annot["F"] = types.Name("Comment"), types.Integer(noZoom|noRotate)
		if _, drawn := l.notes[c.Severity]; !drawn {
			if l.notes == nil {
				l.notes = map[report.Severity]types.IndirectRef{}
			}
			l.notes[c.Severity] = l.form(noteSize, noteSize, operands(c.Severity)+" rg 1 1 16 16 re f 1 G 1.5 w 4 12.5 m 14 12.5 l 4 9 m 14 9 l 4 5.5 m 10 5.5 l S")
		}
		annot["AP"] = types.Dict{"N": l.notes[c.Severity]}
	}
	return l.update.add(annot)
}

// form writes an appearance stream (12.5.5).
func (l *annotationWriter) form(width, height float64, content string) types.IndirectRef {
	return l.update.stream(types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Form"), "Resources": types.Dict{},
		"BBox": types.Array{types.Integer(0), types.Integer(0), types.Float(width), types.Float(height)},
	}, content)
}

// around returns the frame of a finding, clipped to the visible part of the page.
func around(r geom.Rect, page *document.Page) geom.Rect {
	if !r.Finite() {
		r = page.Media
	}
	x, y := max(lineWidth, (leastSize-r.Width())/2), max(lineWidth, (leastSize-r.Height())/2)
	r = geom.Rect{r[0] - x, r[1] - y, r[2] + x, r[3] + y}
	seen := page.Media
	if page.Crop != nil && !seen.Intersect(*page.Crop).Empty() {
		seen = seen.Intersect(*page.Crop)
	}
	if part := r.Intersect(seen); part.Width() >= leastSize/2 && part.Height() >= leastSize/2 {
		return part
	}
	return r
}

// pinned returns the rectangle of a note that is upright on a rotated page. Viewers
// pin the upper left corner of the rectangle on the page without its rotation, and
// draw the note to the right of and below that corner (12.5.3, NoRotate).
func pinned(r geom.Rect, rotate int) geom.Rect {
	x, y := r[0], r[3]
	switch rotate {
	case 90:
		x, y = r[0], r[1]
	case 180:
		x, y = r[2], r[1]
	case 270:
		x, y = r[2], r[3]
	}
	return geom.Rect{x, y - r.Height(), x + r.Width(), y}
}

// text returns a text string in UTF-16 (7.9.2.2), whose paragraphs end with a carriage
// return (12.5.6.2).
func text(s string) types.HexLiteral {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '\r'
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
	out := []byte{0xFE, 0xFF}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = append(out, byte(unit>>8), byte(unit))
	}
	return types.HexLiteral(hex.EncodeToString(out))
}

// operands returns the colour of a severity as operands of rg and RG.
func operands(severity report.Severity) string {
	color := report.SeverityColor(severity)
	parts := make([]string, len(color))
	for i, c := range color {
		parts[i] = decimal(float64(component(c)))
	}
	return strings.Join(parts, " ")
}

func component(c uint8) types.Float { return types.Float(roundedNumber(float64(c) / 255)) }

func rectangle(r geom.Rect) types.Array {
	out := make(types.Array, len(r))
	for i, v := range r {
		out[i] = types.Float(roundedNumber(v))
	}
	return out
}

func roundedNumber(v float64) float64 { return geom.Round(v, 3) }

func decimal(v float64) string { return geom.Decimal(v, 3) }
