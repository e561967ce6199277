// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// choice holds the value of a flag that takes one of a few words. It implements
// [pflag.Value], and shells complete it.
type choice struct {
	chosen *string
	words  []string
}

// chooseOutput registers --output. The first word is the default.
func chooseOutput(f *pflag.FlagSet, output *string, words ...string) {
	choose(f, output, "output", "o", orList(words), words...)
}

// choose registers a flag that takes one of the words. The first word is the default.
func choose(f *pflag.FlagSet, chosen *string, name, shorthand, usage string, words ...string) {
	*chosen = words[0]
	f.VarP(choice{chosen, words}, name, shorthand, usage)
}

// Set implements [pflag.Value].
func (c choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("must be %s", orList(c.words))
	}
	*c.chosen = word
	return nil
}

func (c choice) String() string {
	if c.chosen == nil {
		return "" // pflag calls String on the zero value
	}
	return *c.chosen
}

// Type implements [pflag.Value].
func (choice) Type() string { return "string" }

// orList returns "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// words maps the names of flags to the words that they take in every command.
var words = map[string]func() []string{
	"profile":    profile.Names,
	"capability": capabilityNames,
	"scopes":     func() []string { return namesOf(posture.AllScopes()) },
	"fixes":      fixWords,
	"kind":       func() []string { return []string{"test", "live"} },
}

func capabilityNames() []string { return namesOf(posture.Capabilities()) }

func namesOf[T fmt.Stringer](values iter.Seq[T]) (names []string) {
	for value := range values {
		names = append(names, value.String())
	}
	return names
}

// partnerNames completes the name of a partner, from the cluster or the manifests that the
// flags of the command select.
func partnerNames(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return completion(func(ctx context.Context, _ []string) (names []string, err error) {
		var o postureOptions
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		o.register(flags)
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if flags.Lookup(f.Name) != nil {
				err = errors.Join(err, flags.Set(f.Name, f.Value.String()))
			}
		})
		if err != nil {
			return nil, err
		}
		var found explain.Reading
		if o.from != "" {
			found, err = o.readManifests(cmd, o.from, o.Namespace)
		} else {
			found, err = o.readCluster(ctx)
		}
		for _, p := range found.Inputs.Partners {
			names = append(names, p.Name+"\t"+p.Spec.DisplayName)
		}
		return names, err
	})(cmd, nil, word)
}

// completionOf completes fixed words.
func completionOf(words func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

// firstArgument completes the first argument only.
func firstArgument(names cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(cmd, args, word)
	}
}

// complete lets shells complete the flags with a fixed set of words, of a command and of
// all commands below it.
func complete(cmd *cobra.Command) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		known := words[f.Name]
		if c, isChoice := f.Value.(choice); isChoice {
			known = func() []string { return c.words }
		}
		if f.Name == "partner" {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, partnerNames) // the flag exists
		}
		if known != nil {
			// It fails only for a missing flag, or a flag that is completed already.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, completionOf(known))
		}
	})
	for _, below := range cmd.Commands() {
		complete(below)
	}
}
