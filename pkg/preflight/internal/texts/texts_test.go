// SPDX-License-Identifier: Apache-2.0

package texts

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// each calls check for every text of the catalogue, named by its place.
func each(check func(place string, t text)) {
	for _, r := range all() {
		check(r.id+" title", r.title)
		check(r.id+" fix", r.fix)
		for variant, t := range r.messages {
			check(MessageID(r.id, variant), t)
		}
	}
	for id, t := range reports() {
		check("report "+id, t)
	}
	for name, forms := range groups() {
		for token, t := range forms {
			check("group "+name+" "+token, t)
		}
	}
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func TestLanguagesHaveTheSameTextsAndParameters(t *testing.T) {
	t.Parallel()
	each(func(place string, x text) {
		if (x.en == "") != (x.de == "") {
			t.Errorf("%s: en %q, de %q: one language is missing", place, x.en, x.de)
		}
		en, de := placeholder.FindAllString(x.en, -1), placeholder.FindAllString(x.de, -1)
		slices.Sort(en)
		slices.Sort(de)
		if diff := cmp.Diff(en, de); diff != "" {
			t.Errorf("%s: parameters (-en +de):\n%s", place, diff)
		}
	})
}

func TestTextsNameKnownGroups(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)
	each(func(place string, x text) {
		_, parameters := parts(x.en)
		for _, p := range parameters {
			known := p.group == "" || p.group == "quoted" || p.group == "version" || groups()[p.group] != nil
			if !name.MatchString(p.name) || !known {
				t.Errorf("%s: parameter %q of the group %q", place, p.name, p.group)
			}
		}
		if open, closed := strings.Count(x.en, "{"), strings.Count(x.en, "}"); open != closed || strings.Contains(x.en+x.de, "${") {
			t.Errorf("%s: %q has unbalanced or reserved brackets", place, x.en)
		}
	})
}

func TestPluralsHaveTheFormsOfBothLanguages(t *testing.T) {
	t.Parallel()
	for name, forms := range groups() {
		_, other := forms["other"]
		_, one := forms["one"]
		if other != one || other && len(forms) != 2 {
			t.Errorf("group %s has the forms %v, want one and other", name, forms)
		}
	}
	for _, tc := range []struct {
		code string
		n    int
		want string
	}{{English, 0, "0 pages"}, {English, 1, "1 page"}, {English, 2, "2 pages"}, {German, 0, "0 Seiten"}, {German, 1, "1 Seite"}, {German, 21, "21 Seiten"}} {
		if got := In(tc.code).Plural("pages", tc.n); got != tc.want {
			t.Errorf("%s %d: got %q, want %q", tc.code, tc.n, got, tc.want)
		}
	}
}

func TestTextsAreOneSentence(t *testing.T) {
	t.Parallel()
	each(func(place string, x text) {
		for _, s := range []string{x.en, x.de} {
			if strings.Contains(s, "  ") {
				t.Errorf("%s: %q contains consecutive spaces", place, s)
			}
		}
	})
	for _, r := range all() {
		sentences := []text{r.fix}
		for _, m := range r.messages {
			sentences = append(sentences, m)
		}
		for _, s := range sentences {
			for _, got := range []string{s.en, s.de} {
				if !strings.HasSuffix(got, ".") || strings.Contains(strings.ReplaceAll(got, "1.7", ""), ". ") {
					t.Errorf("rule %s: %q is not one sentence", r.id, got)
				}
			}
		}
		for _, title := range []string{r.title.en, r.title.de} {
			if title == "" || strings.HasSuffix(title, ".") {
				t.Errorf("rule %s: title %q is empty or a sentence", r.id, title)
			}
		}
	}
}

func TestRulesAppearOnce(t *testing.T) {
	t.Parallel()
	ids := Messages()
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			t.Errorf("message %s appears twice", ids[i])
		}
	}
}

func TestMessageFormatsByLanguage(t *testing.T) {
	t.Parallel()
	values := map[string]any{"image": "bitmap", "width": 1200.0, "height": 800.0, "value": 149.5, "limit": 550.0, "tolerance": 1.0}
	for code, want := range map[string]string{
		English: "A 1-bit image of 1200 x 800 pixels is placed at 149.5 ppi; the minimum is 550 ppi (tolerance ±1 ppi).",
		German:  "Ein 1-Bit-Bild mit 1200 x 800 Pixeln hat 149,5 ppi; nötig sind mindestens 550 ppi (Toleranz ±1 ppi).",
	} {
		if got, fits := In(code).Message("image.bitmap_ppi_low", values); !fits || got != want {
			t.Errorf("%s: got %q, %t, want %q", code, got, fits, want)
		}
	}
	delete(values, "tolerance")
	if got, _ := In(English).Message("image.bitmap_ppi_low", values); !strings.HasSuffix(got, "the minimum is 550 ppi.") {
		t.Errorf("without tolerance: got %q", got)
	}
}

func TestMessageKeepsValuesOfHostileFilesLiteral(t *testing.T) {
	t.Parallel()
	const name = "%s %[2]d ${x} {edges:edge} <b>"
	want := "The spot colours " + name + " and " + name + " appear to be the same ink; they would produce two plates."
	got, fits := In(English).Message("ink.spot_name.duplicate", map[string]any{"first": name, "ink": name})
	if !fits || got != want {
		t.Errorf("got %q, %t, want %q", got, fits, want)
	}
	got, fits = In(German).Message("ink.spot_name.edges", map[string]any{"ink": " G\n"})
	if want := `Der Name der Sonderfarbe " G\n" beginnt oder endet mit einem Leerzeichen.`; !fits || got != want {
		t.Errorf("got %q, %t, want %q", got, fits, want)
	}
}

func TestMessageRejectsParametersThatDoNotFit(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		id     string
		values map[string]any
	}{
		"unknown message":        {"box.unknown", nil},
		"text of the report":     {"report:pass", nil},
		"missing parameter":      {"layer.present", nil},
		"unknown token":          {"box.bleed_short", map[string]any{"edges": []string{"inside"}, "value": 1.0, "limit": 3.0}},
		"empty list of tokens":   {"box.bleed_short", map[string]any{"edges": []string{}, "value": 1.0, "limit": 3.0}},
		"text instead of number": {"page.count", map[string]any{"value": "seven", "limit": 3.0}},
		"fraction of a page":     {"page.count", map[string]any{"value": 1.5, "limit": 3.0}},
		"huge count":             {"page.count", map[string]any{"value": 1e300, "limit": 3.0}},
		"unknown type":           {"layer.present", map[string]any{"layers": true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, code := range Codes() {
				if got, fits := In(code).Message(tc.id, tc.values); fits {
					t.Errorf("%s: %s with %v gives %q, want a rejection", code, tc.id, tc.values, got)
				}
			}
		})
	}
}

func TestListsNameTheNumberOfOmittedNames(t *testing.T) {
	t.Parallel()
	values := map[string]any{"layers": []string{"A", "B"}, "layersOmitted": 3.0}
	if got, _ := In(English).Message("layer.present", values); got != "The file has layers: A, B and 3 more." {
		t.Errorf("en: got %q", got)
	}
	if got, _ := In(German).Message("layer.present", values); got != "Die Datei enthält Ebenen: A, B und 3 weitere." {
		t.Errorf("de: got %q", got)
	}
}

func TestMatchSelectsALanguage(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"": English, "de": German, "de-DE,de;q=0.9,en;q=0.5": German, "de-AT": German, "DE": German,
		"en-GB,de;q=0.5": English, "en;q=0.1, de;q=0.9": German, "fr, de;q=0.2": German, "fr": English, "*": English,
		"de;q=0": English, "de;q=0, *": English, "xx;;;q=w": English, "\x00\xff": English, strings.Repeat("de,", 400): English,
	} {
		if got := Match(field); got != want {
			t.Errorf("Accept-Language %.40q selects %s, want %s", field, got, want)
		}
	}
}

func TestUnknownCodeSelectsEnglish(t *testing.T) {
	t.Parallel()
	if got := In("fr").Code(); got != English {
		t.Errorf("got %s, want %s", got, English)
	}
}

func BenchmarkMessage(b *testing.B) {
	l := In(German)
	values := map[string]any{"edges": []string{"top", "left"}, "value": 1.5, "limit": 3.0, "tolerance": 0.1}
	b.ReportAllocs()
	for b.Loop() {
		l.Message("box.bleed_short", values)
	}
}
