// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
	columns: []any{"PROFILE", "VERSION", "RULES", "FOR"},
	cells:   func(p *listedProfile) []any { return []any{p.Name, p.Version, p.Rules, p.Description} },
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
	columns: []any{"RULE", "SEVERITY", "LIMIT", "TITLE"},
	cells:   func(r *listedRule) []any { return []any{r.Rule, r.Severity, cmp.Or(r.Limit, "-"), r.Title} },
}

func preflightRulesCommand() *cobra.Command {
	var name, language string
	return command[[]listedRule]{
		use: "rules", short: "List the rules of a profile, with its severities and limits", print: ruleTable.list,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&name, "profile", "print_ready", "inspection profile, or the path of your own (.yaml)")
			choose(f, &language, "lang", "", "language of the titles: "+orList(report.Languages()), report.Languages()...)
		},
	}.local(func(*cobra.Command, []string) (listed []listedRule, err error) {
		p, _, err := readProfile(name)
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

// readProfile returns an embedded profile by its name, or the profile of a file, with its text.
func readProfile(name string) (p profile.Profile, text string, err error) {
	if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
		p, err = profile.Lookup(name)
		return p, "", err
	}
	file, err := os.Open(name)
	if err != nil {
		return p, "", err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, profile.MaxText+1))
	if err != nil {
		return p, "", err
	}
	if p, err = rules.Parse(data); err != nil {
		return p, "", fmt.Errorf("%s: %w", name, err)
	}
	return p, string(data), nil
}

func preflightSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of your own profiles, for editors",
		Example: "  printmarket preflight schema >preflight-profile.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(rules.Schema())
			return err
		},
	}
}
