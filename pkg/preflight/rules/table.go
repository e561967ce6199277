// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"slices"
	"sync"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// All lists the rules in alphabetical order of their ids, in English.
func All() []Rule { return In(texts.English) }

// In lists the rules in alphabetical order of their ids, with the titles and hints of a
// language: one of [report.Languages]. Unknown languages fall back to English.
func In(language string) []Rule {
	all := slices.Concat(
		reading(), documents(), outputIntents(), pages(), boxes(), fonts(), textRules(), safetyRules(), images(), colors(),
		inks(), overprints(), lines(), transparencies(), layers(), annotations(), barcodes(), features(), packagings(), pdfx(), orders(),
	)
	in := texts.In(language)
	for i := range all {
		all[i].Title, all[i].FixHint = in.Title(all[i].ID), in.Fix(all[i].ID)
	}
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Parse reads a profile in YAML, which may extend an embedded one, and checks its rules, limits and
// units. Faults are of type [*profile.Fault].
func Parse(yamlText []byte) (profile.Profile, error) { return profile.Parse(yamlText, catalog()) }

// catalog makes the specs once: the posture compiles every custom profile again after each change.
var catalog = sync.OnceValue(specs) // constant

// specs returns the specs of all rules.
func specs() profile.Catalog {
	known := map[string]profile.Spec{}
	for _, rule := range All() {
		spec := profile.Spec{Limit: rule.Unit, Tolerance: rule.Tolerance, Area: rule.Area, Fixed: rule.Always}
		if rule.Op == "" {
			spec.Limit = ""
		}
		if rule.Op == multiple {
			spec.Least = 1
		}
		known[rule.ID] = spec
	}
	return func(id string) (profile.Spec, bool) {
		spec, ok := known[id]
		return spec, ok
	}
}
