// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/posture/explain"
)

func postureExplainCommand() *cobra.Command {
	var o postureOptions
	var kind, access string
	cmd := command[*explain.Explanation]{
		use:   "explain PARTNER CAPABILITY",
		short: "Explain which rules allow or stop a partner's requests, and how to open them",
		long: `Print the rules of the decision table in order: the rules that the partner passes, the
rule that stops it, and the rules that would stop it after that is fixed. Without --keys
and --access, the command explains the first closed request: live keys before test keys,
reads before writes. If it is known, each answer has the time since which it applies. Each
rule that stops the request names the field that decides, with its file and line for --from.

Each proposed change was tried on a copy of the objects with the code of the gates.`,
		args:    cobra.ExactArgs(2),
		outputs: []string{"table", "yaml", "json"},
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			f.StringVar(&kind, "keys", "", "explain requests of live or test keys")
			f.StringVar(&access, "access", "", "explain read or write requests")
		},
		print: func(w io.Writer, x *explain.Explanation) { rows(w, x.Table()) },
	}.local(func(cmd *cobra.Command, args []string) (*explain.Explanation, error) {
		question, err := explain.ParseQuestion(args[1], kind, access)
		if err != nil {
			return nil, err
		}
		reading, err := o.read(cmd)
		if err != nil {
			return nil, err
		}
		found := explain.New(reading.Inputs).Explain(args[0], question, o.now())
		if found == nil {
			return nil, fmt.Errorf("PartnerEntitlement %q does not exist", args[0])
		}
		found.Locate(reading.Locate)
		return found, nil
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return firstArgument(partnerNames)(cmd, args, word)
		}
		return capabilityNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}
