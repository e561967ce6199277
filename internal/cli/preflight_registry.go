// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/rules"
)

func preflightProfilesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "profiles",
		Short: "List the inspection profiles",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := profile.All()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "PROFILE\tVERSION\tRULES\tFOR") // Flush tells
			for _, p := range all {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", p.Name, p.Version, len(p.Rules), p.Description)
			}
			return w.Flush()
		},
	}
}

func preflightRulesCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules of a profile, with its severities and limits",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := profile.Lookup(name)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "RULE\tSEVERITY\tLIMIT\tTITLE") // Flush tells
			for _, rule := range rules.All() {
				if severity, limit, selected := inProfile(&rule, p); selected {
					_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", rule.ID, severity, limit, rule.Title)
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&name, "profile", "print_ready", "inspection profile")
	return cmd
}

// inProfile is what a profile makes of a rule. Some rules no profile leaves out.
func inProfile(rule *rules.Rule, p profile.Profile) (severity, limit string, selected bool) {
	setting, selected := p.Rules[rule.ID]
	if !selected {
		return string(rule.Severity), "-", rule.Always
	}
	limit = "-"
	if setting.Limit != nil {
		limit = fmt.Sprintf("%s %v %s", rule.Op, *setting.Limit, rule.Unit)
	}
	return string(setting.Severity), limit, true
}
