// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Fingerprint is the SHA-256 of the canonical form of a value that [DecodeJSON]
// returned. Two texts have the same fingerprint exactly if they mean the same:
// members in any order, 5e2 for 500. It panics on other Go types.
func Fingerprint(value any) [sha256.Size]byte {
	h := sha256.New()
	digest(h, value)
	return [sha256.Size]byte(h.Sum(nil))
}

// digest writes a type tag, a length and the content, so that no two values
// have the same stream.
func digest(h hash.Hash, value any) {
	switch v := value.(type) {
	case nil:
		write(h, 'z', "")
	case bool:
		write(h, 'b', strconv.FormatBool(v))
	case string:
		write(h, 's', v)
	case json.Number:
		write(h, 'n', canonicalNumber(string(v)))
	case []any:
		open(h, 'a', len(v))
		for _, element := range v {
			digest(h, element)
		}
	case map[string]any:
		open(h, 'o', len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			write(h, 'k', name)
			digest(h, v[name])
		}
	default:
		panic(fmt.Sprintf("gate: %T is not a decoded value", value))
	}
}

func open(h hash.Hash, tag byte, length int) {
	header := binary.BigEndian.AppendUint64([]byte{tag}, uint64(length))
	_, _ = h.Write(header) // a hash never fails
}

func write(h hash.Hash, tag byte, text string) {
	open(h, tag, len(text))
	_, _ = h.Write([]byte(text))
}

// canonicalNumber spells a JSON number as its significant digits and a power
// of ten, without evaluating it: 1e999999999 stays short.
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
