// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"html/template"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

var update = flag.Bool("update", false, "write the registry")

// The registry lists the rules and profiles, for people and for programs. Every server
// shows it. The names of members of the data never change.
const (
	registryPage = "../../../docs/api/preflight-rules.html"
	registryData = "../../../docs/api/preflight-rules.json"
)

// registry is the data.
type registry struct {
	Rules    []rules.Rule   `json:"rules"`
	Profiles []namedProfile `json:"profiles"`
}

type namedProfile struct {
	profile.Profile
	Digest string `json:"digest"`
}

func readRegistry(t *testing.T) registry {
	t.Helper()
	all, err := profile.All()
	if err != nil {
		t.Fatalf("profile.All: %v", err)
	}
	r := registry{Rules: rules.All()}
	for _, p := range all {
		r.Profiles = append(r.Profiles, namedProfile{Profile: p, Digest: p.Digest})
	}
	return r
}

// A rule that a profile selects judges by a clause of a standard or by a rule of
// our own, which the report shows.
func TestEveryJudgingRuleNamesItsClause(t *testing.T) {
	t.Parallel()
	for _, rule := range rules.All() {
		// The rule only lists what the file claims.
		if rule.Ref == "" && !rule.Always && rule.ID != "document.standards" {
			t.Errorf("rule %s has no Ref, want the clause that it comes from", rule.ID)
		}
	}
}

func TestGeneratedRuleRegistry(t *testing.T) {
	// Not parallel: with -update it writes the files that the parallel tests read.
	r := readRegistry(t)
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		t.Fatalf("encoder.Encode: %v", err)
	}
	golden(t, registryData, data.Bytes())
	golden(t, registryPage, writeRegistry(t, r))
}

// golden compares a published file with the expected content, or writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", path, err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is stale, update with -update (-file +tables):\n%s", path, diff)
	}
}

// section is a category with its rules.
type section struct {
	Category report.Category
	Rules    []ruleEntry
}

type ruleEntry struct {
	rules.Rule
	// When states when the rule applies, Compared the value that it compares.
	When, Compared string
	// Default is its row of the default profile, nil if that profile does not select it.
	Default *settingEntry
	// Settings are the settings of all profiles; equal ones are joined.
	Settings []sharedSetting
}

type settingEntry struct {
	Rule, Title, Limit string
	profile.Setting
}

type sharedSetting struct {
	settingEntry
	Profiles []string
}

type profileEntry struct {
	namedProfile
	Settings []settingEntry
}

func writeRegistry(t *testing.T, r registry) []byte {
	t.Helper()
	page, err := template.ParseFiles("testdata/registry.tmpl")
	if err != nil {
		t.Fatalf(`template.ParseFiles("testdata/registry.tmpl"): %v`, err)
	}
	var sections []section
	for _, category := range categories() {
		s := section{Category: category}
		for _, rule := range r.Rules {
			if rule.Category == category {
				s.Rules = append(s.Rules, entryOf(rule, r.Profiles))
			}
		}
		sections = append(sections, s)
	}
	var profiles []profileEntry
	for _, p := range r.Profiles {
		entry := profileEntry{namedProfile: p}
		for _, rule := range r.Rules {
			if setting, selected := p.Rules[rule.ID]; selected {
				entry.Settings = append(entry.Settings, settingOf(rule, setting))
			}
		}
		profiles = append(profiles, entry)
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{"Sections": sections, "Profiles": profiles, "Count": len(r.Rules), "Default": profile.Default})
	if err != nil {
		t.Fatalf("page.Execute: %v", err)
	}
	return out.Bytes()
}

func entryOf(r rules.Rule, profiles []namedProfile) ruleEntry {
	entry := ruleEntry{Rule: r, Compared: compared(r)}
	switch {
	case r.Ticket:
		entry.When = "applies when the job has an order; profiles cannot change it"
	case r.Always:
		entry.When = "applies to every file; profiles cannot omit it"
	}
	for _, p := range profiles {
		setting, selected := p.Rules[r.ID]
		if !selected {
			continue
		}
		one := settingOf(r, setting)
		if p.Name == profile.Default {
			entry.Default = &one
		}
		same := func(s sharedSetting) bool { return s.Severity == one.Severity && s.Limit == one.Limit }
		if i := slices.IndexFunc(entry.Settings, same); i >= 0 {
			entry.Settings[i].Profiles = append(entry.Settings[i].Profiles, p.Name)
			continue
		}
		entry.Settings = append(entry.Settings, sharedSetting{settingEntry: one, Profiles: []string{p.Name}})
	}
	return entry
}

func settingOf(r rules.Rule, s profile.Setting) settingEntry {
	return settingEntry{Rule: r.ID, Title: r.Title, Limit: r.Bounds(s), Setting: s}
}

// compared describes the value that a rule compares with its limit.
func compared(r rules.Rule) string {
	var parts []string
	if r.Op != "" {
		parts = append(parts, "a value in "+r.Unit+", required "+r.Op+" the limit")
	}
	if r.Tolerance != "" {
		parts = append(parts, "with a tolerance in "+r.Tolerance)
	}
	if r.Area {
		parts = append(parts, "for a minimum area in mm2")
	}
	if len(parts) == 0 {
		return "no value"
	}
	return strings.Join(parts, ", ")
}

func TestLinksOfTheRegistryResolve(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(registryPage)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	anchors := map[string]bool{}
	for _, match := range regexp.MustCompile(` id="([^"]+)"`).FindAllSubmatch(page, -1) {
		if anchors[string(match[1])] {
			t.Errorf("the anchor %s is not unique", match[1])
		}
		anchors[string(match[1])] = true
	}
	for _, match := range regexp.MustCompile(`href="#([^"]+)"`).FindAllSubmatch(page, -1) {
		if !anchors[string(match[1])] {
			t.Errorf("there is no anchor %s", match[1])
		}
	}
	for _, rule := range rules.All() {
		if !anchors[rule.ID] {
			t.Errorf("the rule %s has no anchor", rule.ID)
		}
	}
	for _, name := range profile.Names() {
		if !anchors["profile."+name] {
			t.Errorf("the profile %s has no anchor", name)
		}
	}
}

// categories in the order of the id of their first rule.
func categories() []report.Category {
	var out []report.Category
	for _, r := range rules.All() {
		if !slices.Contains(out, r.Category) {
			out = append(out, r.Category)
		}
	}
	return out
}
