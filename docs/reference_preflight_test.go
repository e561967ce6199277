// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// preflightRules has a heading for each rule, so that a link leads to it.
func preflightRules(profiles []profile.Profile) []byte {
	t := newText("Rules of preflight", "All rules by category: the subject of each rule, the fix, the clause behind the rule, and its setting in each profile. Ids never change; later versions may add rules.\n[Preflight rules and profiles](../guides/preflight-rules.md) explains the terms, and [Profiles of preflight](preflight-profiles.md) lists each profile. The API serves the same data at `/docs/api/preflight-rules.json`, and titles and fixes in English or German at `/api/v1/preflight/rules`.")
	category := ""
	for _, rule := range rules.All() {
		if string(rule.Category) != category {
			category = string(rule.Category)
			t.heading(2, category)
		}
		t.rule(&rule, profiles)
	}
	return t.bytes()
}

func (t *text) rule(rule *rules.Rule, profiles []profile.Profile) {
	t.heading(3, code(rule.ID))
	t.paragraph(fmt.Sprintf("%s. By default %s. The rule examines %s.", rule.Title, severityNames[string(rule.Severity)], rule.LooksAt()))
	if rule.Ref != "" {
		t.paragraph("Source: " + rule.Ref + ".")
	}
	if rule.FixHint != "" {
		t.paragraph("Fix: " + rule.FixHint)
	}
	switch uses := usesOf(rule, profiles); {
	case rule.Always:
		t.paragraph("This rule applies with every profile, always with this severity.")
	case len(uses) == 0:
		t.paragraph("No profile selects this rule.")
	default:
		for _, one := range uses {
			t.item(one.setting + ": " + families(one.profiles, profiles) + ".")
		}
		t.line("")
	}
	if rule.Ticket {
		t.paragraph("This rule applies only to jobs with an order.")
	}
}

// use is a setting of a rule and the profiles that have it.
type use struct {
	setting  string
	profiles []string
}

// family is the beginning of the names of the profiles of GWG 2022.
const family = "gwg2022_"

// families formats names of profiles, those of GWG 2022 together if all of them are listed.
func families(names []string, all []profile.Profile) string {
	count := 0
	for i := range all {
		if strings.HasPrefix(all[i].Name, family) {
			count++
		}
	}
	var others []string
	for _, name := range names {
		if strings.HasPrefix(name, family) {
			count--
		} else {
			others = append(others, name)
		}
	}
	if count > 0 {
		return codes(names)
	}
	return strings.TrimPrefix(codes(others)+", all of "+code(family+"..."), ", ")
}

// usesOf returns the settings of a rule, in the order of the first profile of each.
func usesOf(rule *rules.Rule, profiles []profile.Profile) []use {
	var uses []use
	for i := range profiles {
		setting, selected := profiles[i].Rules[rule.ID]
		if !selected {
			continue
		}
		described := settingInWords(rule, setting)
		at := slices.IndexFunc(uses, func(u use) bool { return u.setting == described })
		if at < 0 {
			at, uses = len(uses), append(uses, use{setting: described})
		}
		uses[at].profiles = append(uses[at].profiles, profiles[i].Name)
	}
	return uses
}

// severityNames are the severities in words.
var severityNames = map[string]string{"error": "an error", "warning": "a warning", "info": "a remark"}

// settingInWords returns a setting such as "an error, >= 3 mm ± 0.1 (common practice)".
func settingInWords(rule *rules.Rule, setting profile.Setting) string {
	words := severityNames[string(setting.Severity)]
	if bounds := rule.Bounds(setting); bounds != "" {
		words += ", " + code(bounds)
	}
	if setting.Source != "" {
		words += " (" + setting.Source + ")"
	}
	return words
}

// preflightProfiles has a heading for each profile.
func preflightProfiles(profiles []profile.Profile) []byte {
	t := newText("Profiles of preflight", "All profiles with the rules that they select, the severity of each rule and its limit. The member `profile` of a preflight job selects a profile; the default is "+code(profile.Default)+". [Rules of preflight](preflight-rules.md) describes the rules and the sources of the limits. Rules that apply with every profile are not repeated here.")
	first := slices.IndexFunc(profiles, func(p profile.Profile) bool { return p.Name == familyBase })
	for i := range profiles {
		var base *profile.Profile
		if first >= 0 && i != first && strings.HasPrefix(profiles[i].Name, family) {
			base = &profiles[first]
		}
		t.profile(&profiles[i], base)
	}
	return t.bytes()
}

// familyBase is the profile of GWG 2022 with which the others are compared.
const familyBase = family + "magazine_ads_cmyk"

// profile lists the rules of a profile, or those that differ from a base.
func (t *text) profile(p, base *profile.Profile) {
	t.heading(2, code(p.Name))
	t.paragraph(p.Description)
	t.paragraph(fmt.Sprintf("Version %s, %d rules, digest `%.12s`.", p.Version, len(p.Rules), p.Digest))
	var dropped []string
	same := func(profile.Setting, *rules.Rule) bool { return false }
	if base != nil {
		t.paragraph("The settings are those of " + code(base.Name) + ", with these differences:")
		same = func(s profile.Setting, rule *rules.Rule) bool {
			other, selected := base.Rules[rule.ID]
			return selected && s.Severity == other.Severity && rule.Bounds(s) == rule.Bounds(other)
		}
	}
	plain := map[string][]string{}
	var bounded [][]string
	for _, rule := range rules.All() {
		setting, selected := p.Rules[rule.ID]
		if base != nil && !selected && base.Rules[rule.ID].Severity != "" {
			dropped = append(dropped, rule.ID)
		}
		if !selected || same(setting, &rule) {
			continue
		}
		bounds := rule.Bounds(setting)
		if bounds == "" {
			plain[string(setting.Severity)] = append(plain[string(setting.Severity)], rule.ID)
			continue
		}
		bounded = append(bounded, []string{ruleLink(rule.ID), string(setting.Severity), bounds})
	}
	if len(bounded) > 0 {
		t.table([]string{"rule", "severity", "limit"}, bounded)
	}
	for _, severity := range []string{"error", "warning", "info"} {
		name := strings.ToUpper(severityNames[severity][:1]) + severityNames[severity][1:]
		for ids := range slices.Chunk(plain[severity], maxListed) {
			t.item(name + " without a limit: " + codes(ids) + ".")
		}
	}
	if len(dropped) > 0 {
		t.item("Not selected: " + codes(dropped) + ".")
	}
	t.line("")
}

// maxListed bounds the rules of one list, so that it stays readable.
const maxListed = 30

// ruleLink returns a link to the heading of a rule. Anchors contain only letters, digits,
// - and _.
func ruleLink(id string) string {
	return fmt.Sprintf("[%s](preflight-rules.md#%s)", id, strings.ReplaceAll(id, ".", ""))
}
