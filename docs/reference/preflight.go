// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// preflightRules has a heading for each rule, so that a link leads to it.
func preflightRules(profiles []profile.Profile) []byte {
	t := newText("Rules of preflight", "Every rule, by the categories of its ids: what it looks at, what to do, where it comes from, and what each profile makes of it. Ids do not change; there may be more.\nHow to read them is in [Preflight rules and profiles](../guides/preflight-rules.md), each profile by itself in [Profiles of preflight](preflight-profiles.md). The same is served as data at `/docs/api/preflight-rules.json`.")
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
	t.paragraph(fmt.Sprintf("%s. Usually %s. It looks at %s.", rule.Title, severityNames[string(rule.Severity)], rule.LooksAt()))
	if rule.Ref != "" {
		t.paragraph("After " + rule.Ref + ".")
	}
	if rule.FixHint != "" {
		t.paragraph("To do: " + rule.FixHint)
	}
	switch uses := usesOf(rule, profiles); {
	case rule.Always:
		t.paragraph("No profile leaves it out, or makes it lighter.")
	case len(uses) == 0:
		t.paragraph("No profile chooses it.")
	default:
		for _, one := range uses {
			t.item(one.setting + ": " + codes(one.profiles) + ".")
		}
		t.line("")
	}
	if rule.Ticket {
		t.paragraph("It is asked only of a job that says what was ordered.")
	}
}

// use is what some profiles make of a rule, all of them the same.
type use struct {
	setting  string
	profiles []string
}

// usesOf are the settings of a rule, in the order of the first profile of each.
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

// severityNames are severities as a reader knows them.
var severityNames = map[string]string{"error": "an error", "warning": "a warning", "info": "a remark"}

// settingInWords is "an error, >= 3 mm ± 0.1 (common practice)".
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
	t := newText("Profiles of preflight", "Every profile: which rules it chooses, how grave each is, and where its limits lie. `profile` of a preflight job names one; without a name it is "+code(profile.Default)+". Rules are explained, and limits have their sources, in [Rules of preflight](preflight-rules.md); those that no profile leaves out are not repeated here.")
	for i := range profiles {
		t.profile(&profiles[i])
	}
	return t.bytes()
}

func (t *text) profile(p *profile.Profile) {
	t.heading(2, code(p.Name))
	t.paragraph(p.Description)
	t.paragraph(fmt.Sprintf("Version %s, %d rules, digest `%.12s`.", p.Version, len(p.Rules), p.Digest))
	plain := map[string][]string{}
	var bounded [][]string
	for _, rule := range rules.All() {
		setting, selected := p.Rules[rule.ID]
		if !selected {
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
		if ids := plain[severity]; len(ids) > 0 {
			t.item(strings.ToUpper(severityNames[severity][:1]) + severityNames[severity][1:] + " without a limit: " + codes(ids) + ".")
		}
	}
	t.line("")
}

// ruleLink leads to a rule's heading, whose anchor has letters, digits, - and _ alone.
func ruleLink(id string) string {
	return fmt.Sprintf("[%s](preflight-rules.md#%s)", id, strings.ReplaceAll(id, ".", ""))
}
