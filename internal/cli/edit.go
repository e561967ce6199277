// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/posture/edit"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// editOptions holds the flags of commands that change a custom resource.
type editOptions struct {
	process.Cluster
	from   string
	dryRun bool
	wait   time.Duration
}

func (o *editOptions) register(f *pflag.FlagSet) {
	o.AddFlags(f)
	f.StringVar(&o.from, "from", "", "directory of manifests to change; without it, the cluster is changed")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the change without making it; the cluster or the rules of the manifests still check it")
	f.DurationVar(&o.wait, "timeout", 30*time.Second, "time to wait until every replica enforces the change in the cluster; 0s does not wait")
}

func (o *editOptions) open() (edit.Store, error) {
	if o.from != "" {
		return edit.OpenDirectory(o.from)
	}
	config, namespace, err := o.Load(telemetry.Discard())
	if err != nil {
		return nil, err
	}
	return edit.OpenCluster(config, namespace)
}

// edit patches an object, and waits until every replica enforces the change. It returns the zero
// Change if nothing was changed because of an error.
func (o *editOptions) edit(ctx context.Context, store edit.Store, id edit.ID, patch edit.Patch) (edit.Change, error) {
	change, err := store.Edit(ctx, id, patch, o.dryRun)
	if err != nil {
		return edit.Change{}, err
	}
	cluster, isCluster := store.(*edit.Cluster)
	if !isCluster || o.dryRun || o.wait <= 0 {
		return change, nil
	}
	ctx, cancel := context.WithTimeout(ctx, o.wait)
	defer cancel()
	if err := cluster.Await(ctx, id); err != nil {
		return change, resultError{err}
	}
	return change, nil
}

// editCommand describes a command that patches one object.
type editCommand struct {
	use, short, long, example string
	flags                     func(*pflag.FlagSet)
	required                  []string
	check                     func() error
	id                        func(name string) edit.ID
	patch                     func() edit.Patch
	complete                  func() []string
}

func (c editCommand) command() *cobra.Command {
	var o editOptions
	cmd := command[edit.Change]{
		use: c.use, short: c.short, long: c.long, example: c.example, args: cobra.ExactArgs(1), wait: &o.wait,
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			if c.flags != nil {
				c.flags(f)
			}
		},
		required: c.required, check: c.check, print: printChange,
	}.local(func(cmd *cobra.Command, args []string) (edit.Change, error) {
		store, err := o.open()
		if err != nil {
			return edit.Change{}, err
		}
		return o.edit(cmd.Context(), store, c.id(args[0]), c.patch())
	})
	cmd.ValidArgsFunction = firstArgument(partnerNames)
	if c.complete != nil {
		cmd.ValidArgsFunction = completionOf(c.complete)
	}
	return cmd
}

func printChange(w io.Writer, c edit.Change) {
	if len(c.Fields) == 0 {
		line(w, fmt.Sprintf("%s in %s has these values already.", c.Object, c.Place))
		return
	}
	line(w, "FIELD", "BEFORE", "AFTER")
	for _, f := range c.Fields {
		line(w, f.Path, cell(f.Before), cell(f.After))
	}
	line(w)
	verb := "Changed"
	if c.DryRun {
		verb = "Dry run, nothing is changed:"
	}
	line(w, fmt.Sprintf("%s %s in %s.", verb, c.Object, c.Place))
	if c.Command != "" {
		line(w, "The same with kubectl:")
		line(w, "  "+c.Command)
	}
}

// cell prints a value of a field: a dash for none, and a text without quotes.
func cell(value any) string {
	switch value := value.(type) {
	case nil:
		return "-"
	case string:
		return value
	default:
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Sprint(value)
		}
		return string(text)
	}
}
