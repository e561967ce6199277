// SPDX-License-Identifier: Apache-2.0

package lexer

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// word reads a number, a boolean, null or an operator.
func word(o *Object, text []byte) {
	if v, ok := number(text); ok {
		o.Kind, o.Value = Number, v
		return
	}
	switch string(text) {
	case "true":
		o.Kind, o.Value = Bool, 1
	case "false":
		o.Kind = Bool
	case "null":
		o.Kind = Null
	default:
		o.Kind, o.Text = Keyword, text
	}
}

// number reads a PDF number: signs, digits, one point, no exponent. Like other
// readers it accepts repeated signs and stops at a sign or point in the wrong place,
// so that "12-34" is 12.
func number(text []byte) (float64, bool) {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return 0, false
		}
	}
	i, sign := 0, 1.0
	for ; i < len(text) && (text[i] == '+' || text[i] == '-'); i++ {
		if text[i] == '-' {
			sign = -1
		}
	}
	v := 0.0
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		v = v*10 + float64(text[i]-'0')
	}
	if i < len(text) && text[i] == '.' {
		scale := 1.0
		for i++; i < len(text) && text[i] >= '0' && text[i] <= '9' && scale < 1e15; i++ {
			v = v*10 + float64(text[i]-'0')
			scale *= 10
		}
		v /= scale
	}
	if !(v <= math.MaxFloat64) {
		return 0, true
	}
	return sign * v, true
}

// unescapeName decodes #xx. It copies only a name with an escape.
func unescapeName(text []byte) []byte {
	i := bytes.IndexByte(text, '#')
	if i < 0 {
		return text
	}
	out := append([]byte(nil), text[:i]...)
	for ; i < len(text); i++ {
		if text[i] == '#' && i+2 < len(text) {
			hi, lo := hexDigit(text[i+1]), hexDigit(text[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

// Numbers returns numbers as they are written, with at most six decimals and without exponents
// (7.3.3).
func Numbers(values ...float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = geom.Decimal(v, 6)
	}
	return strings.Join(out, " ")
}

// EscapeName returns a name as it is written after its slash: with escapes for other than regular
// characters (7.3.5).
func EscapeName(name []byte) string {
	var out []byte
	for _, c := range name {
		if c <= ' ' || c > '~' || c == '#' || classes[c] != regular {
			out = append(append(out, '#'), hex.EncodeToString([]byte{c})...)
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
