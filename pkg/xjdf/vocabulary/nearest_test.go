// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	candidates := []string{"Gloss", "Matte", "Satin", "SoftCover", "HardCover", "Front", "Face", "F6"}
	for sentence, tc := range map[string]struct{ word, want string }{
		"another case is looked for first":                    {"gloss", "Gloss"},
		"a letter too few":                                    {"Glos", "Gloss"},
		"a letter too many":                                   {"Mattte", "Matte"},
		"another letter in its place":                         {"Saten", "Satin"},
		"two letters in the wrong order":                      {"Fornt", "Front"},
		"two slips in a long word":                            {"SoftKovr", "SoftCover"},
		"two slips are too many for a short word":             {"Fcre", ""},
		"a word of two letters is not guessed at":             {"F5", ""},
		"three slips are too many":                            {"SftKvr", ""},
		"of two at the same distance the first wins":          {"ardCover", "HardCover"},
		"another word altogether":                             {"Aluminium", ""},
		"no word is like none of the names":                   {"", ""},
		"a word that is longer than any name of the standard": {strings.Repeat("Gloss", 40), ""},
		"letters outside ASCII":                               {"Gl\u00f6ss", "Gloss"},
		"letters that grow when they are made small":          {strings.Repeat("\u0130", 32), ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got, ok := vocabulary.Nearest(tc.word, candidates)
			if got != tc.want || ok != (tc.want != "") {
				t.Errorf("Nearest(%q) = %q, %v, want %q", tc.word, got, ok, tc.want)
			}
		})
	}
}

func TestNearestPrefersTheSmallestDistance(t *testing.T) {
	t.Parallel()
	if got, _ := vocabulary.Nearest("LayoutIntend", []string{"LayoutInten", "LayoutIntent"}); got != "LayoutInten" {
		t.Errorf("got %q: both are one slip away, so the first wins", got)
	}
	if got, _ := vocabulary.Nearest("MediaIntnt", []string{"MediaInt", "MediaIntent"}); got != "MediaIntent" {
		t.Errorf("got %q: one slip is better than two", got)
	}
}

func TestSuggestionsComeFromTheRightNames(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	suggest := map[string]func(string) (string, bool){
		"element": v.SuggestElement, "intent": v.SuggestIntent,
		"resource": v.SuggestResource, "process": v.SuggestProcess,
		"attribute of Product":       v.Element("Product").NearestAttribute,
		"child of ColorIntent":       v.Element("ColorIntent").NearestChild,
		"value of ProductType":       v.List("ProductType").Nearest,
		"value of DeviceStatus":      v.List("DeviceStatus").Nearest,
		"value of NamedColor":        v.List("NamedColor").Nearest,
		"attribute of BindingIntent": v.Element("BindingIntent").NearestAttribute,
	}
	for _, tc := range []struct{ among, word, want string }{
		{"element", "productlist", "ProductList"},
		{"intent", "ColourIntent", "ColorIntent"},
		{"resource", "NodeInfos", "NodeInfo"},
		{"process", "ConventionalPrintng", "ConventionalPrinting"},
		{"process", "DigitalPrintingParam", ""},
		{"attribute of Product", "Amuont", "Amount"},
		{"child of ColorIntent", "SurfaceColour", "SurfaceColor"},
		{"value of ProductType", "Flyer", "Leaflet"},
		{"value of DeviceStatus", "Running", "Production"},
		{"value of NamedColor", "gray", "Gray"},
		{"attribute of BindingIntent", "BindingEdge", ""},
	} {
		got, _ := suggest[tc.among](tc.word)
		if got != tc.want {
			t.Errorf("%s %q: got %q, want %q", tc.among, tc.word, got, tc.want)
		}
	}
}
