// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// objects writes objects in the syntax of a file (ISO 32000-2, 7.3). The parser's
// writer rounds numbers and ends the process at an unknown object.
type objects struct {
	text bytes.Buffer
	// failed reports whether an object cannot be written.
	failed bool
}

// maxDepth bounds the nesting of objects, like the parser.
const maxDepth = 200

// object writes one object. It stops writing when the update is too long.
func (w *objects) object(o types.Object, depth int) {
	if depth > maxDepth {
		w.failed = true
	}
	if w.failed || w.text.Len() > report.MaxUpdate {
		return
	}
	switch v := o.(type) {
	case nil:
		w.text.WriteString("null")
	case types.Boolean:
		w.text.WriteString(strconv.FormatBool(bool(v)))
	case types.Integer:
		w.text.WriteString(strconv.Itoa(int(v)))
	case types.Float:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			w.failed = true
			return
		}
		w.text.WriteString(strconv.FormatFloat(float64(v), 'f', -1, 64)) // PDF has no exponents
	case types.Name:
		w.name(string(v))
	case types.StringLiteral:
		// The parser keeps its source text with all escapes.
		w.text.WriteString("(" + string(v) + ")")
	case types.HexLiteral:
		w.text.WriteString("<" + string(v) + ">")
	case types.IndirectRef:
		w.text.WriteString(v.PDFString())
	case types.Array:
		w.text.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				w.text.WriteByte(' ')
			}
			w.object(element, depth+1)
		}
		w.text.WriteByte(']')
	case types.Dict:
		// Write the entries in the order of their keys.
		w.text.WriteString("<<")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.text.WriteByte(' ')
			w.name(key)
			w.text.WriteByte(' ')
			w.object(v[key], depth+1)
		}
		w.text.WriteString(" >>")
	default:
		w.failed = true
	}
}

func (w *objects) name(name string) { w.text.WriteString("/" + lexer.EscapeName([]byte(name))) }
