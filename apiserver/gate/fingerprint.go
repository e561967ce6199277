// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Fingerprint returns the SHA-256 of the canonical form of a value that [DecodeJSON]
// returned. Two texts have the same fingerprint exactly if they have the same meaning:
// the order of members and the spelling of numbers do not matter. It panics on other Go
// types.
func Fingerprint(value any) [sha256.Size]byte {
	return sha256.Sum256(appendCanonical(make([]byte, 0, 512), value))
}

// appendCanonical appends the canonical form of a value: a type tag, a length and the
// content, so that no two values have the same form.
func appendCanonical(form []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return appendTagged(form, 'z', "")
	case bool:
		return appendTagged(form, 'b', strconv.FormatBool(v))
	case string:
		return appendTagged(form, 's', v)
	case json.Number:
		return appendTagged(form, 'n', canonicalNumber(string(v)))
	case []any:
		form = binary.BigEndian.AppendUint64(append(form, 'a'), uint64(len(v)))
		for _, element := range v {
			form = appendCanonical(form, element)
		}
		return form
	case map[string]any:
		form = binary.BigEndian.AppendUint64(append(form, 'o'), uint64(len(v)))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			form = appendCanonical(appendTagged(form, 'k', name), v[name])
		}
		return form
	default:
		panic(fmt.Sprintf("gate: %T is not a decoded value", value))
	}
}

func appendTagged(form []byte, tag byte, text string) []byte {
	return append(binary.BigEndian.AppendUint64(append(form, tag), uint64(len(text))), text...)
}

// canonicalNumber writes a JSON number as its significant digits and a power of ten, without
// evaluating it, so that 1e999999999 stays short.
func canonicalNumber(text string) string {
	mantissa, exponent := text, new(big.Int)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent.SetString(strings.TrimPrefix(text[i+1:], "+"), 10)
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	significant := strings.TrimRight(digits, "0")
	shift := int64(len(digits) - len(significant) - len(fraction))
	return sign + significant + "e" + exponent.Add(exponent, big.NewInt(shift)).String()
}
