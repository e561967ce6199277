// SPDX-License-Identifier: Apache-2.0

package color

import (
	"slices"
	"strings"
	"unicode"
)

// technicalWords are the words in the names of inks that are printed below or above the
// artwork, or that a machine follows: white, varnish, foil, cutting and creasing.
var technicalWords = []string{
	"white", "weiss", "weiß", "blanc", "blanco", "underprint", "primer", "varnish", "lack", "vernis", "uv", "gloss", "matt",
	"foil", "folie", "emboss", "deboss", "cut", "cutcontour", "kisscut", "thrucut", "cutter", "die", "dieline", "diecut",
	"stanze", "stanzkontur", "stanzlinie", "crease", "rill", "rillen", "fold", "falz", "perf", "perforation", "perfcut",
} // constant

// Technical reports whether the name of a spot colour is that of a technical ink, such as
// "White", "Spot UV" or "CutContour".
func Technical(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(technicalWords, word) })
}
