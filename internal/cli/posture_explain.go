// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

func postureExplainCommand() *cobra.Command {
	var o postureOptions
	var kind, access, output string
	cmd := &cobra.Command{
		Use:   "explain PARTNER CAPABILITY",
		Short: "Print which rules let a partner through, which one stops it, and what would have to change",
		Long: `Print the rules of the decision table in their order: which let the partner
through, which one stops it, and which would stop it next, once that was changed.
Without --keys and --access the first request that is closed is explained, of live
keys before test keys, of reads before writes. Answers have the time since when they
are so, as far as that is known.

What is proposed has been tried on a copy of the objects, with the gates' code.`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return capabilityNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := parseRequest(args[1], kind, access)
			if err != nil {
				return err
			}
			reading, err := o.read(cmd.Context())
			if err != nil {
				return err
			}
			found := explain.New(reading.Inputs).Explain(args[0], question, o.now())
			if found == nil {
				return fmt.Errorf("there is no PartnerEntitlement %q", args[0])
			}
			return printOutput(cmd, output, found, func(w io.Writer) { printExplanation(w, found) })
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&kind, "keys", "", "explain requests of live or of test keys")
	f.StringVar(&access, "access", "", "explain read or write requests")
	chooseOutput(f, &output, "table", "yaml", "json")
	return cmd
}

func parseRequest(capability, kind, access string) (explain.Question, error) {
	c, known := posture.ParseCapability(capability)
	if !known {
		return explain.Question{}, fmt.Errorf("there is no capability %q", capability)
	}
	if kind != "" && kind != "live" && kind != "test" {
		return explain.Question{}, fmt.Errorf("--keys %q is neither live nor test", kind)
	}
	if access != "" && access != "read" && access != "write" {
		return explain.Question{}, fmt.Errorf("--access %q is neither read nor write", access)
	}
	return explain.Question{Capability: c, Keys: kind, Access: access}, nil
}

// printExplanation writes an explanation for people: the answers, the rules, what to do, and
// what happens without anybody's doing.
func printExplanation(w io.Writer, x *explain.Explanation) {
	line(w, fmt.Sprintf("%s, %s, at %s", x.Partner, x.Capability, explain.Instant(x.At)))
	line(w)
	line(w, "KEYS", "ACCESS", "ANSWER", "SINCE")
	for _, a := range x.Answers {
		line(w, a.Keys, cmp.Or(a.Access, "-"), a.Reason, cmp.Or(a.Since.String(), "-"))
	}
	requests := x.Keys + " keys"
	if x.Access != "" {
		requests += ", " + x.Access
	}
	line(w)
	line(w, "The rules for "+requests+":")
	line(w)
	line(w, "PHASE", "RULE", "OUTCOME", "REASON")
	for _, one := range x.Rules {
		line(w, one.Phase, one.Asks, one.Outcome, one.Reason)
	}
	line(w)
	printRemedies(w, x)
}

func printRemedies(w io.Writer, x *explain.Explanation) {
	var remedies []string
	for _, one := range x.Rules {
		if one.Remedy != "" {
			remedies = append(remedies, fmt.Sprintf("%d. %s: %s.", len(remedies)+1, one.Reason, one.Remedy))
		}
	}
	switch {
	case len(remedies) == 0:
		line(w, "The request is let through.")
	case x.Possible:
		line(w, "To let it through:")
	default:
		line(w, "It cannot be let through, or not before somebody has looked:")
	}
	line(w)
	for _, remedy := range remedies {
		line(w, remedy)
	}
	if len(remedies) > 0 {
		line(w)
	}
	if x.Next != nil {
		line(w, fmt.Sprintf("Without an edit the answer is %s from %s.", x.Next.Reason, explain.Instant(x.Next.At)))
	} else {
		line(w, "Without an edit the answer stays as it is.")
	}
}
