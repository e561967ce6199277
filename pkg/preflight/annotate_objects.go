// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// objects writes objects as they stand in a file (ISO 32000-2, 7.3). The parser
// could write them, too, but rounds numbers and ends the process when it meets
// something that it does not know.
type objects struct {
	text bytes.Buffer
	// failed tells that an object cannot be written.
	failed bool
}

// maxDepth is how deep objects may stand in each other; the parser reads no
// deeper.
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
		w.number(float64(v))
	case types.Name:
		w.name(string(v))
	case types.StringLiteral:
		// The parser keeps it as it is written, escapes and all.
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

// number writes no exponent: PDF has none.
func (w *objects) number(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.failed = true
		return
	}
	w.text.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
}

// name writes what is not a regular character by its number (7.3.5).
func (w *objects) name(name string) {
	w.text.WriteByte('/')
	for _, c := range []byte(name) {
		if c <= ' ' || c > '~' || c == '#' || strings.IndexByte("()<>[]{}/%", c) >= 0 {
			w.text.WriteByte('#')
			w.text.WriteString(hex.EncodeToString([]byte{c}))
			continue
		}
		w.text.WriteByte(c)
	}
}
