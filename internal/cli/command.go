// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// command describes a command that makes one call and prints the result. T is the
// result. The methods local, onPlatform and onQueue add the call.
type command[T any] struct {
	use, short, long, example string
	// args is NoArgs by default.
	args  cobra.PositionalArgs
	flags func(*pflag.FlagSet)
	// required names the flags that must be set.
	required []string
	// outputs begins with the default of --output: text, or table if it is nil. Every command
	// also prints yaml and json, and one with a table wide.
	outputs []string
	// wait is the longest time for which the call waits for others; nil if it does not wait.
	wait *time.Duration
	// check rejects flags before anything is opened.
	check func() error
	// names completes the arguments of a command on the platform API, and jobs those of one on
	// the queue. args are the arguments before the one to complete.
	names func(ctx context.Context, r request) ([]string, error)
	jobs  func(ctx context.Context, q *queue.Queue, args []string) ([]string, error)
	// print prints the result as a table.
	print func(io.Writer, T)
}

// resultError is the error of a call that has a result to print all the same.
type resultError struct{ error }

// Unwrap returns the error.
func (e resultError) Unwrap() error { return e.error }

// request holds one invocation of a command on the platform API.
type request struct {
	*platformapi.Client
	cmd  *cobra.Command
	args []string
}

// group returns a command that only holds other commands.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long}
	cmd.AddCommand(commands...)
	return cmd
}

// local returns the command with a call that needs nothing else.
func (c command[T]) local(call func(cmd *cobra.Command, args []string) (T, error)) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: c.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.check != nil {
				if err := c.check(); err != nil {
					return err
				}
			}
			stop := c.waiting(cmd)
			found, err := call(cmd, args)
			stop()
			var printed resultError
			if err != nil && !errors.As(err, &printed) {
				return err
			}
			return errors.Join(err, printOutput(cmd, output, found, func(w io.Writer) { c.print(w, found) }))
		},
	}
	if c.args == nil {
		cmd.Args = cobra.NoArgs
	}
	forms := []string{"table", "wide", "yaml", "json"}
	if c.outputs != nil && c.outputs[0] != "table" {
		forms = []string{c.outputs[0], "yaml", "json"}
	}
	chooseOutput(cmd.Flags(), &output, forms...)
	if c.flags != nil {
		c.flags(cmd.Flags())
	}
	for _, flag := range c.required {
		_ = cmd.MarkFlagRequired(flag) // the flag exists
	}
	return cmd
}

// waiting shows on a terminal for how long the call has waited, until the returned function is
// called.
func (c command[T]) waiting(cmd *cobra.Command) (stop func()) {
	show, erase := progressOn(cmd, "s", "waiting")
	if show == nil || c.wait == nil || *c.wait <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	var shown sync.WaitGroup
	shown.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for began := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				show(int(now.Sub(began)/time.Second), int(*c.wait/time.Second))
			}
		}
	})
	return func() {
		cancel()
		shown.Wait()
		erase()
	}
}

// onPlatform returns the command with a call of the platform API.
func (c command[T]) onPlatform(call func(context.Context, request) (T, error)) *cobra.Command {
	var access platformAccess
	cmd := c.local(func(cmd *cobra.Command, args []string) (found T, err error) {
		client, err := access.open()
		if err != nil {
			return found, err
		}
		return call(cmd.Context(), request{client, cmd, args})
	})
	access.register(cmd.Flags())
	completing := func(names func(ctx context.Context, r request) ([]string, error)) cobra.CompletionFunc {
		return completion(func(ctx context.Context, args []string) ([]string, error) {
			client, err := access.open()
			if err != nil {
				return nil, err
			}
			return names(ctx, request{client, cmd, args})
		})
	}
	if c.names != nil {
		cmd.ValidArgsFunction = completing(c.names)
	}
	if cmd.Flags().Lookup("organization") != nil {
		_ = cmd.RegisterFlagCompletionFunc("organization", completing(organizationNames)) // the flag exists
	}
	return cmd
}

// onQueue returns the command with a call of the queue of preflight jobs.
func (c command[T]) onQueue(call func(ctx context.Context, q *queue.Queue, args []string) (T, error)) *cobra.Command {
	var o process.Redis
	cmd := c.local(func(cmd *cobra.Command, args []string) (T, error) {
		return withQueue(&o, func(q *queue.Queue) (T, error) { return call(cmd.Context(), q, args) })
	})
	o.AddFlags(cmd.Flags())
	if c.jobs != nil {
		cmd.ValidArgsFunction = completion(func(ctx context.Context, args []string) ([]string, error) {
			return withQueue(&o, func(q *queue.Queue) ([]string, error) { return c.jobs(ctx, q, args) })
		})
	}
	return cmd
}

// withQueue makes a call with the queue whose address the flags give.
func withQueue[T any](o *process.Redis, call func(*queue.Queue) (T, error)) (found T, err error) {
	client, q, err := o.Open()
	if err != nil {
		return found, err
	}
	defer func() { _ = client.Close() }()
	return call(q)
}

// completionTime limits a completion by a server: a person waits for it.
const completionTime = 2 * time.Second

// completions limits the records among which a shell completes.
const completions = 50

// labels returns the completion of each record: its name, or its name, a tab and a description.
func labels[T any](records []T, label func(*T) string) []string {
	made := make([]string, len(records))
	for i := range records {
		made[i] = label(&records[i])
	}
	return made
}

// completion completes arguments with names that a server knows. Without the server, there are
// none. A shell shows what follows the tab of a name as its description.
func completion(names func(ctx context.Context, args []string) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		found, err := names(ctx, args)
		if err != nil {
			cobra.CompDebugln(err.Error(), false)
		}
		for i := range found {
			name, description, described := strings.Cut(found[i], "\t")
			if found[i] = name; described {
				found[i] += "\t" + printable(description)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// choice holds the value of a flag that takes one of a few words; empty until it is set, if it has
// no default. It implements [pflag.Value], and shells complete it.
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

// chooseAny registers a flag that takes one of the words, without a default.
func chooseAny(f *pflag.FlagSet, chosen *string, name, usage string, words ...string) {
	f.Var(choice{chosen, words}, name, usage)
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

// instant holds the value of a flag that takes a time of RFC 3339; zero until it is set. It
// implements [pflag.Value].
type instant struct{ time.Time }

// orNow returns the time, or the current time for none.
func (i *instant) orNow() time.Time {
	if i.IsZero() {
		return time.Now()
	}
	return i.Time
}

func (i *instant) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Format(time.RFC3339Nano)
}

// Set implements [pflag.Value].
func (i *instant) Set(text string) (err error) {
	if i.Time, err = time.Parse(time.RFC3339, text); err != nil {
		return errors.New("must be a time such as 2026-12-01T00:00:00Z")
	}
	return nil
}

// Type implements [pflag.Value].
func (*instant) Type() string { return "time" }

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
