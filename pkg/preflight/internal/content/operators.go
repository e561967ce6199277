// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxStrange bounds the unknown operators that are told of.
const maxStrange = 20

// operator executes one with the operands of the frame (ISO 32000-2, annex A).
// Those that change nothing that we keep are known and skipped.
func (in *Interpreter) operator(f *frame, name []byte) {
	switch {
	case in.pathOperator(f, name), in.textOperator(f, name), in.stateOperator(f, name), in.colorOperator(f, name), in.markedOperator(f, name):
		return
	}
	switch string(name) {
	case "Do":
		in.xobject(f)
	case "sh":
		in.shadingFill(f)
	case "d1":
		f.muted, f.silent = true, f.silent || f.glyph
	case "J", "j", "M", "d", "ri", "i", "MP", "DP", "d0", "ID", "EI":
	default:
		in.unknown(f, name)
	}
}

// unknown notes an operator that no PDF has. Between BX and EX it may be there.
func (in *Interpreter) unknown(f *frame, name []byte) {
	if f.compatible > 0 || in.strange >= maxStrange {
		return
	}
	in.strange++
	in.feature(facts.UnknownOperator, document.Clean(string(name), 20), nil, nil)
}

// stateOperator executes those of 8.4.4.
func (in *Interpreter) stateOperator(f *frame, name []byte) bool {
	switch string(name) {
	case "q":
		in.save(f)
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
	default:
		return false
	}
	return true
}

func (in *Interpreter) save(f *frame) {
	if len(f.saved) >= in.limits.SavedStates {
		in.collector.Incomplete()
		in.incident(nil, "The graphics state is saved too deep; colours and sizes after that may be wrong.")
		return
	}
	f.saved = append(f.saved, f.state)
}
