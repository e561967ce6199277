// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// listedProfile is a profile as programs read it.
type listedProfile struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Rules       int    `json:"rules"`
	Description string `json:"description"`
}

func preflightProfilesCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "List the inspection profiles",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := profile.All()
			if err != nil {
				return err
			}
			var listed []listedProfile
			for _, p := range all {
				listed = append(listed, listedProfile{p.Name, p.Version, len(p.Rules), p.Description})
			}
			return printOutput(cmd, output, listed, func(w io.Writer) {
				_, _ = fmt.Fprintln(w, "PROFILE\tVERSION\tRULES\tFOR") // Flush tells
				for _, p := range listed {
					_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", p.Name, p.Version, p.Rules, p.Description)
				}
			})
		},
	}
	chooseOutput(cmd.Flags(), &output, "table", "json")
	return cmd
}

// listedRule is a rule of a profile as programs read it. A rule without a limit has
// none.
type listedRule struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Limit    string `json:"limit,omitempty"`
	Title    string `json:"title"`
}

func preflightRulesCommand() *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules of a profile, with its severities and limits",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := profile.Lookup(name)
			if err != nil {
				return err
			}
			var listed []listedRule
			for _, rule := range rules.All() {
				if severity, limit, selected := inProfile(&rule, p); selected {
					listed = append(listed, listedRule{rule.ID, severity, limit, rule.Title})
				}
			}
			return printOutput(cmd, output, listed, func(w io.Writer) {
				_, _ = fmt.Fprintln(w, "RULE\tSEVERITY\tLIMIT\tTITLE") // Flush tells
				for _, r := range listed {
					_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Rule, r.Severity, cmp.Or(r.Limit, "-"), r.Title)
				}
			})
		},
	}
	chooseOutput(cmd.Flags(), &output, "table", "json")
	cmd.Flags().StringVar(&name, "profile", "print_ready", "inspection profile")
	return cmd
}

// inProfile is what a profile makes of a rule. Some rules no profile leaves out.
func inProfile(rule *rules.Rule, p profile.Profile) (severity, limit string, selected bool) {
	setting, selected := p.Rules[rule.ID]
	if !selected {
		return string(rule.Severity), "", rule.Always
	}
	return string(setting.Severity), rule.Bounds(setting), true
}
