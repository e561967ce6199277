// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestEveryEmbeddedProfileIsValidAndNamedAsItsFile(t *testing.T) {
	t.Parallel()
	names := profile.Names()
	want := []string{
		"book_cover", "book_interior", "carton", "digital_toner",
		"gwg2022_carton", "gwg2022_corrugated_display", "gwg2022_digital", "gwg2022_flexible", "gwg2022_label", "gwg2022_large_format",
		"gwg2022_magazine_ads_cmyk", "gwg2022_magazine_ads_rgb", "gwg2022_newspaper_ads_cmyk", "gwg2022_newspaper_ads_rgb",
		"gwg2022_packaging_flexo", "gwg2022_packaging_gravure", "gwg2022_packaging_offset", "gwg2022_sheet_cmyk", "gwg2022_sheet_rgb",
		"gwg2022_sheet_spot_cmyk", "gwg2022_sheet_spot_rgb", "gwg2022_web_cmyk", "gwg2022_web_news_cmyk", "gwg2022_web_news_rgb",
		"gwg2022_web_rgb", "gwg2022_web_spot_cmyk", "gwg2022_web_spot_rgb", "label", "large_format", "magazine_ad", "newspaper", "pdfx1a", "pdfx3", "pdfx4",
		"pdfx6", "photo_rgb", "print_ready", "sheetfed_offset", "sheetfed_offset_spot", "structure_only", "web_offset_heatset",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Contains(names, profile.Default) {
		t.Errorf("the default %s is not among them", profile.Default)
	}
	for _, name := range names {
		p, err := profile.Lookup(name)
		if err != nil {
			t.Fatalf("profile.Lookup(%q): %v", name, err)
		}
		if p.Name != name || len(p.Digest) != 64 || len(p.Rules) == 0 {
			t.Errorf("%s: name %q, digest %q, %d rules", name, p.Name, p.Digest, len(p.Rules))
		}
		for id, s := range p.Rules {
			if s.Source == "" || s.Severity == "" {
				t.Errorf("%s: %s has no source or severity", name, id)
			}
		}
	}
}

func TestLookupOfAnUnknownNameListsTheKnownOnes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "PRINT_READY", "../print_ready", "print_ready.yaml", strings.Repeat("x", 1000)} {
		_, err := profile.Lookup(name)
		if !errors.Is(err, profile.ErrUnknown) || !strings.Contains(err.Error(), "print_ready, sheetfed_offset,") || len(err.Error()) > 1200 {
			t.Errorf("Lookup(%.20q) = %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const head = "name: x\nversion: '1'\ntitle: T\ndescription: D\n"
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"a profile without rules":                      {head, true},
		"a rule with everything":                       {head + "rules: {a.b: {severity: info, limit: 3, tolerance: 0.1, source: s}}", true},
		"an unknown member is refused":                 {head + "extra: 1", false},
		"an unknown severity is refused":               {head + "rules: {a.b: {severity: fatal, source: s}}", false},
		"a missing severity is refused":                {head + "rules: {a.b: {source: s}}", false},
		"a missing source":                             {head + "rules: {a.b: {severity: info}}", true},
		"a negative limit is refused":                  {head + "rules: {a.b: {severity: info, limit: -1, source: s}}", false},
		"a negative tolerance is refused":              {head + "rules: {a.b: {severity: info, tolerance: -1, source: s}}", false},
		"a rule that stands twice":                     {head + "rules:\n  a.b: {severity: info, source: s}\n  a.b: {severity: error, source: s}", false},
		"a missing name is refused":                    {"version: '1'\ntitle: T\ndescription: D", false},
		"invalid YAML is refused":                      {"\x00{", false},
		"a profile that is too long is refused":        {head + "#" + strings.Repeat("x", 1<<20), false},
		"a limit that is text is refused":              {head + "rules: {a.b: {severity: info, limit: many, source: s}}", false},
		"a missing title and description":              {"name: x\nversion: '1'\n", true},
		"a missing version is refused":                 {"name: x\ntitle: T\n", false},
		"an alias is refused":                          {head + "rules: {a.b: &x {severity: info}, a.c: *x}", false},
		"an empty text is refused":                     {"", false},
		"a severity in capitals is refused":            {head + "rules: {a.b: {severity: ERROR, source: s}}", false},
		"a severity of true is refused":                {head + "rules: {a.b: {severity: true, source: s}}", false},
		"an area":                                      {head + "rules: {a.b: {severity: info, limit: 3, area: 15, source: s}}", true},
		"a negative area is refused":                   {head + "rules: {a.b: {severity: info, area: -1, source: s}}", false},
		"a limit without end is refused":               {head + "rules: {a.b: {severity: info, limit: .inf, source: s}}", false},
		"a limit beyond reason is refused":             {head + "rules: {a.b: {severity: info, limit: 1e300, source: s}}", false},
		"a rule that is not on cannot be switched off": {head + "rules: {a.b: {severity: off, source: s}}", false},
		"an embedded profile is extended":              {head + "extends: print_ready\nrules: {color.rgb: {severity: off, source: s}}", true},
		"an unknown one cannot be extended":            {head + "extends: no_such_profile", false},
		"a path cannot be extended":                    {head + "extends: ../profile", false},
		"roles of inks":                                {head + "inks: {Form 7: cut, Silk White: artwork}", true},
		"an unknown role is refused":                   {head + "inks: {Form 7: laser}", false},
		"an ink that stands twice":                     {head + "inks: {A: cut, A: white}", false},
		"an ink that stands twice in another case":     {head + "inks: {Form 7: cut, FORM-7: white}", false},
		"a process ink has no role":                    {head + "inks: {Cyan: cut}", false},
		"a second document is refused":                 {head + "---\n" + head, false},
		"an ink without a role is refused":             {head + "inks: {A: }", false},
		"an ink without a name is refused":             {head + "inks: {' ': cut}", false},
		"an ink with a long name is refused":           {head + "inks: {" + strings.Repeat("x", 200) + ": cut}", false},
		"inks in a list are refused":                   {head + "inks: [cut]", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := profile.Parse([]byte(tc.text), nil)
			if (err == nil) != tc.ok || err != nil && !errors.Is(err, profile.ErrInvalid) {
				t.Errorf("error = %v, want ok %t", err, tc.ok)
			}
		})
	}
}

func TestLongTextsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for field, most := range map[string]int{"name": 63, "version": 32, "title": 120, "description": 500} {
		texts := map[string]string{"name": "x", "version": "1", field: strings.Repeat("\u00fc", most)}
		text := func() []byte {
			out := fmt.Sprintf("# A comment\n%s: %s\n", field, texts[field])
			for _, required := range []string{"name", "version"} {
				if required != field {
					out += fmt.Sprintf("%s: '%s'\n", required, texts[required])
				}
			}
			return []byte(out)
		}
		if _, err := profile.Parse(text(), nil); err != nil {
			t.Errorf("%s of %d characters: error %v", field, most, err)
		}
		texts[field] += "x"
		want := fmt.Sprintf("line 2: %s: the text has %d characters; at most %d are allowed", field, most+1, most)
		if _, err := profile.Parse(text(), nil); err == nil || err.Error() != want {
			t.Errorf("%s of %d characters: error %v, want %s", field, most+1, err, want)
		}
	}
}

// library returns the texts of profiles that extend each other.
func library(texts map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := texts[name]
		if !ok {
			return nil, errors.New("none")
		}
		return []byte(named(name) + text), nil
	}
}

func named(name string) string {
	return "name: " + name + "\nversion: '1'\ntitle: T\ndescription: D\n"
}

func TestExtendingProfileContainsTheDifferences(t *testing.T) {
	t.Parallel()
	base := library(map[string]string{
		"middle": "extends: base\nrules:\n  a.one: {limit: 7, source: middle}\n  a.two: {severity: off, source: middle}\n  a.three: {severity: info, source: middle}",
		"base":   "rules:\n  a.one: {severity: error, limit: 3, tolerance: 0.5, area: 2, source: base}\n  a.two: {severity: error, source: base}\n  a.four: {severity: error, source: base}",
	})
	p, err := profile.Resolve([]byte(named("own")+"extends: middle\nrules:\n  a.four: {severity: 'off', source: own}\n  a.one: {severity: warning, tolerance: 0, source: own}"), nil, base)
	if err != nil {
		t.Fatalf("profile.Resolve: %v", err)
	}
	seven := 7.0
	want := map[string]profile.Setting{
		"a.one":   {Severity: report.Warning, Limit: &seven, Area: 2, Source: "own"},
		"a.three": {Severity: report.Info, Source: "middle"},
	}
	if diff := cmp.Diff(want, p.Rules); diff != "" || p.Name != "own" {
		t.Errorf("%s (-want +got):\n%s", p.Name, diff)
	}
}

func TestEndlessChainOfProfilesIsRejected(t *testing.T) {
	t.Parallel()
	base := library(map[string]string{"a": "extends: b", "b": "extends: a", "self": "extends: self"})
	for _, name := range []string{"a", "self"} {
		if _, err := profile.Resolve([]byte(named("own")+"extends: "+name), nil, base); !errors.Is(err, profile.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDigestDependsOnSettingsOnly(t *testing.T) {
	t.Parallel()
	digest := func(text string, base map[string]string) string {
		t.Helper()
		p, err := profile.Resolve([]byte(named("own")+text), nil, library(base))
		if err != nil {
			t.Fatalf("profile.Resolve: %v", err)
		}
		return p.Digest
	}
	rule := "rules: {a.b: {severity: info, limit: 3, source: s}, a.c: {severity: error, source: s}}"
	first := digest(rule, nil)
	if got := digest("# a remark\nrules:\n  a.c: {source: s, severity: error}\n  a.b: {limit: 3.0, severity: info, source: s}", nil); got != first {
		t.Error("order and remarks change the digest")
	}
	if got := digest("extends: base", map[string]string{"base": rule}); got != first {
		t.Error("where a setting stands changes the digest")
	}
	if got := digest("extends: base", map[string]string{"base": strings.Replace(rule, "3", "4", 1)}); got == first {
		t.Error("a limit of the extended profile does not change the digest")
	}
	cut := digest(rule+"\ninks: {A: cut}", nil)
	if got := digest("extends: base", map[string]string{"base": rule + "\ninks: {A: cut}"}); got != cut || cut == first {
		t.Error("the role of an ink does not change the digest, or changes it where it stands")
	}
	if got := digest("extends: base\ninks: {a: cut}", map[string]string{"base": rule + "\ninks: {A: white}"}); got != digest(rule+"\ninks: {a: cut}", nil) {
		t.Error("a profile cannot replace the role of an ink that has capitals")
	}
	if got := digest("extends: base\ninks: {A: white}", map[string]string{"base": rule + "\ninks: {A: cut}"}); got == cut {
		t.Error("a profile cannot replace the role of an ink")
	}
}

func TestFaultOfAnInkNamesItsPlace(t *testing.T) {
	t.Parallel()
	_, err := profile.Parse([]byte(named("own")+"inks:\n  Form 7: laser\n"), nil)
	if want := `line 6: inks.Form 7: unknown role "laser"; choose one of artwork, cut, `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s...", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("name: x\nversion: '1'\ntitle: T\ndescription: D\nrules: {a.b: {severity: info, limit: 3, source: s}}"))
	f.Add([]byte(named("x") + "extends: label\nrules: {color.rgb: {severity: off, source: s}, ink.tac: {limit: 200, area: 1, source: s}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := profile.Parse(text, nil)
		if err != nil {
			return
		}
		for id, s := range p.Rules {
			if _, err := report.ParseSeverity(string(s.Severity)); s.Source == "" || err != nil {
				t.Errorf("rule %s was let through without source or severity", id)
			}
		}
		again, err := profile.Parse(text, nil)
		if err != nil || again.Digest != p.Digest || len(p.Digest) != 64 {
			t.Errorf("digest %q, then %q, %v", p.Digest, again.Digest, err)
		}
	})
}
