// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

func postureExplainCommand() *cobra.Command {
	var o postureOptions
	var kind, access string
	cmd := command[*explain.Explanation]{
		use:   "explain PARTNER CAPABILITY",
		short: "Print which rules let a partner through, which one stops it, and what would have to change",
		long: `Print the rules of the decision table in their order: which let the partner
through, which one stops it, and which would stop it next, once that was changed.
Without --keys and --access the first request that is closed is explained, of live
keys before test keys, of reads before writes. Answers have the time since when they
are so, as far as that is known.

What is proposed has been tried on a copy of the objects, with the gates' code.`,
		args:    cobra.ExactArgs(2),
		outputs: []string{"table", "yaml", "json"},
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			f.StringVar(&kind, "keys", "", "explain requests of live or of test keys")
			f.StringVar(&access, "access", "", "explain read or write requests")
		},
		print: func(w io.Writer, x *explain.Explanation) { rows(w, x.Table()) },
	}.local(func(cmd *cobra.Command, args []string) (*explain.Explanation, error) {
		question, err := parseRequest(args[1], kind, access)
		if err != nil {
			return nil, err
		}
		reading, err := o.read(cmd.Context())
		if err != nil {
			return nil, err
		}
		found := explain.New(reading.Inputs).Explain(args[0], question, o.now())
		if found == nil {
			return nil, fmt.Errorf("there is no PartnerEntitlement %q", args[0])
		}
		return found, nil
	})
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return capabilityNames(), cobra.ShellCompDirectiveNoFileComp
	}
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
