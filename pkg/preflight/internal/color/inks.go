// SPDX-License-Identifier: Apache-2.0

package color

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxName bounds the name of a colorant, in characters. It exceeds the limit of the
// rules for names, so that they report longer names.
const maxName = 127

// tints reads a Separation or DeviceN space.
func (r *Resolver) tints(family string, names types.Array, alternate, transform types.Object, attributes types.Dict, depth int) *Space {
	if len(names) == 0 || len(names) > MaxComponents {
		return r.broken
	}
	s := &Space{Family: family, Components: len(names), kind: tints}
	colorants := r.file.Dict(attributes["Colorants"])
	for _, o := range names {
		name := r.file.Name(o)
		target, kind := slices.Index([]string{"Cyan", "Magenta", "Yellow", "Black"}, name), facts.Process
		switch {
		case target >= 0:
		case name == "None":
			target = none
		case name == "All":
			target, kind = all, facts.Registration
		default:
			target, kind = firstSpot+len(s.spots), facts.Spot
			s.spots = append(s.spots, cleanName(name))
		}
		s.targets = append(s.targets, target)
		if name == "None" {
			continue
		}
		ink := Ink{Name: cleanName(name), Kind: kind}
		if len(names) == 1 {
			r.define(&ink, alternate, transform, depth)
		} else if own := r.file.Array(colorants[name]); len(own) >= 4 {
			r.define(&ink, own[2], own[3], depth)
		}
		s.Inks = append(s.Inks, ink)
	}
	if len(names) > 1 {
		s.Alternate = r.resolve(alternate, depth-1).Family
	}
	return s
}

// cleanName makes a name fit for a report. It keeps blanks, because names that differ
// in blanks are different inks.
func cleanName(name string) string {
	runes := []rune(name) // invalid UTF-8 becomes U+FFFD
	for i, c := range runes {
		if !unicode.IsPrint(c) {
			runes[i] = unicode.ReplacementChar
		}
	}
	return string(runes[:min(len(runes), maxName)])
}

// define sets the appearance of a colorant. Its digest compares the half and the full
// tint in whole percent, so that it does not depend on how the file defines them.
func (r *Resolver) define(ink *Ink, alternate, transform types.Object, depth int) {
	space := r.resolve(alternate, depth-1)
	f, err := ParseFunction(r.file, transform, r.page)
	if err != nil || space.Family == "" || f.Inputs() != 1 || f.Outputs() < space.Components {
		return
	}
	ink.Space = space.Family
	ink.Full = f.Eval(nil, []float64{1})[:space.Components]
	var text strings.Builder
	text.WriteString(space.Family)
	for _, v := range append(f.Eval(nil, []float64{0.5})[:space.Components], ink.Full...) {
		fmt.Fprintf(&text, " %d", int64(math.Round(min(max(v, -1e6), 1e6)*100)))
	}
	sum := sha256.Sum256([]byte(text.String()))
	ink.Definition = hex.EncodeToString(sum[:16])
}
