// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// listedProfile is the JSON output of a profile.
type listedProfile struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Rules       int    `json:"rules"`
	Description string `json:"description"`
}

var profileTable = table[listedProfile]{
	[]any{"PROFILE", "VERSION", "RULES", "FOR"},
	func(p *listedProfile) []any { return []any{p.Name, p.Version, p.Rules, p.Description} },
}

func preflightProfilesCommand() *cobra.Command {
	return command[[]listedProfile]{
		use: "profiles", short: "List the inspection profiles", print: profileTable.list,
	}.local(func(*cobra.Command, []string) (listed []listedProfile, err error) {
		all, err := profile.All()
		for _, p := range all {
			listed = append(listed, listedProfile{p.Name, p.Version, len(p.Rules), p.Description})
		}
		return listed, err
	})
}

// listedRule is the JSON output of a rule of a profile.
type listedRule struct {
	Rule     string          `json:"rule"`
	Severity report.Severity `json:"severity"`
	Limit    string          `json:"limit,omitempty"`
	Title    string          `json:"title"`
}

var ruleTable = table[listedRule]{
	[]any{"RULE", "SEVERITY", "LIMIT", "TITLE"},
	func(r *listedRule) []any { return []any{r.Rule, r.Severity, cmp.Or(r.Limit, "-"), r.Title} },
}

func preflightRulesCommand() *cobra.Command {
	var name, language string
	return command[[]listedRule]{
		use: "rules", short: "List the rules of a profile, with its severities and limits", print: ruleTable.list,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&name, "profile", "print_ready", "inspection profile")
			choose(f, &language, "lang", "", "language of the titles: "+orList(report.Languages()), report.Languages()...)
		},
	}.local(func(*cobra.Command, []string) (listed []listedRule, err error) {
		p, err := profile.Lookup(name)
		if err != nil {
			return nil, err
		}
		for _, rule := range rules.In(language) {
			if severity, limit, applied := rule.In(p); applied {
				listed = append(listed, listedRule{rule.ID, severity, limit, rule.Title})
			}
		}
		return listed, nil
	})
}
