// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxUnknown bounds the unknown operators that are recorded.
const maxUnknown = 20

// operator executes an operator with the operands of the frame (ISO 32000-2,
// annex A). Operators that do not affect the recorded facts are skipped.
func (in *Interpreter) operator(f *frame, name []byte) {
	if in.pathOperator(f, name) || in.textOperator(f, name) || in.colorOperator(f, name) || in.markedOperator(f, name) {
		return
	}
	switch string(name) {
	case "q":
		if len(f.saved) >= in.limits.SavedStates {
			in.collector.Incomplete()
			in.incident(nil, "states", facts.Values{"limit": float64(in.limits.SavedStates)})
			return
		}
		f.saved = append(f.saved, f.state)
	case "Q":
		if n := len(f.saved); n > 0 {
			f.state = f.saved[n-1]
			f.saved = f.saved[:n-1]
		}
	case "cm":
		f.state.ctm = f.matrix().Then(f.state.ctm)
	case "w":
		f.state.lineWidth = f.number(0)
	case "gs":
		in.extGState(f)
	case "Do":
		in.xobject(f)
	case "sh":
		in.shadingFill(f)
	case "J":
		f.state.line.Cap = int(min(max(f.number(0), 0), 2))
	case "j":
		f.state.line.Join = int(min(max(f.number(0), 0), 2))
	case "M":
		f.state.line.MiterLimit = f.number(0)
	case "d":
		f.state.line.Dash, f.state.line.Phase = f.dash(), f.number(1)
	case "d0":
		f.advance, f.advanced = f.number(0), f.glyph
	case "d1":
		f.advance, f.advanced = f.number(0), f.glyph
		f.muted, f.silent = true, f.silent || f.glyph
		if f.glyph {
			// The lines of a shape have the colour of the text, as in other readers.
			f.state.stroke, f.state.strokeAlpha, f.state.overprintStroke = f.state.fill, f.state.fillAlpha, f.state.overprintFill
		}
	case "ri":
		if intent := string(f.last()); !knownIntent(intent) && !f.layers.hidden() {
			in.feature(facts.RenderingIntent, document.Clean(intent, maxName), nil, nil)
		}
	case "i", "MP", "DP", "ID", "EI":
	default:
		if in.unknown >= maxUnknown {
			return
		}
		in.unknown++
		// Between BX and EX readers ignore any operator; PDF/X allows none.
		kind := facts.UnknownOperator
		if f.compatible > 0 {
			kind = facts.BracketedOperator
		}
		in.feature(kind, document.Clean(string(name), 20), nil, nil)
	}
}
