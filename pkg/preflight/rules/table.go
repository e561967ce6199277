// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"fmt"
	"slices"

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
		inks(), overprints(), lines(), transparencies(), layers(), annotations(), features(), pdfx(), orders(),
	)
	in := texts.In(language)
	for i := range all {
		all[i].Title, all[i].FixHint = in.Title(all[i].ID), in.Fix(all[i].ID)
	}
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Check validates a profile against the rules: every id must be known and
// selectable, a limit must be set exactly for rules that compare, and a tolerance or
// an area only for rules that have one.
func Check(p profile.Profile) error {
	known := map[string]Rule{}
	for _, rule := range All() {
		known[rule.ID] = rule
	}
	for id, setting := range p.Rules {
		rule, ok := known[id]
		if !ok {
			return fmt.Errorf("%w: there is no rule %q", profile.ErrInvalid, id)
		}
		if fault := rule.misfit(setting); fault != "" {
			return fmt.Errorf("%w: rule %s: %s", profile.ErrInvalid, id, fault)
		}
	}
	return nil
}

// misfit returns the fault of a setting, or "".
func (r *Rule) misfit(s profile.Setting) string {
	switch {
	case r.Always:
		return "it cannot be set by a profile"
	case (r.Op != "") != (s.Limit != nil):
		return "a limit is needed exactly where the rule compares"
	case r.Tolerance == "" && s.Tolerance != 0:
		return "it has no tolerance"
	case !r.Area && s.Area != 0:
		return "it has no area"
	case r.Op == multiple && *s.Limit < 1:
		return "a multiple of less than one page makes no sense"
	}
	return ""
}
