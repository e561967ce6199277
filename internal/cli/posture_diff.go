// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/posture/explain"
)

// The exit codes of a comparison, as those of diff and of kubectl diff.
const (
	exitDiffers exitError = 1
	exitTrouble exitError = 2
)

func postureDiffCommand() *cobra.Command {
	var o postureDiffOptions
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Print the access that a change of manifests opens and closes",
		Long: `Print the access that a change opens and closes, for each partner and capability. OLD
and NEW are directories of manifests, or "cluster" for the objects in the cluster.

Both are evaluated now and at each time at which either changes without an edit. A
schedule that opens a capability next week is therefore listed with its time. A request
that is accepted before and rejected after the change "closes"; the reverse "opens".
Other changes, such as limits, "alter" the access; a limit opens access only if it was
zero.

Exit codes: 0 if the comparison succeeds; 1 with --exit-code or --opens-only if it
lists a change; 2 if an error occurs.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.ExactArgs(2)(cmd, args); err != nil {
				return trouble(cmd, err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := o.run(cmd, args[0], args[1])
			var code exitError
			if err != nil && !errors.As(err, &code) {
				return trouble(cmd, err)
			}
			return err
		},
	}
	f := cmd.Flags()
	o.registerCluster(f)
	chooseOutput(f, &o.output, "table", "yaml", "json")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if anything changes")
	f.BoolVar(&o.opensOnly, "opens-only", false, "print only changes that open access, and exit with 1 if there is one; use it as a gate in CI")
	cmd.SetFlagErrorFunc(trouble)
	return cmd
}

// trouble prints an error and returns the exit code of failed comparisons.
func trouble(cmd *cobra.Command, err error) error {
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %v\n", err)
	return exitTrouble
}

type postureDiffOptions struct {
	postureOptions
	output              string
	exitCode, opensOnly bool
}

func (o *postureDiffOptions) run(cmd *cobra.Command, before, after string) error {
	var sides [2]explain.Reading
	for i, name := range []string{before, after} {
		var reading explain.Reading
		var err error
		if name == "cluster" {
			reading, err = o.readCluster(cmd.Context())
		} else {
			reading, err = readManifests(cmd.Context(), name, o.now())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := printUnknown(cmd.ErrOrStderr(), reading); err != nil {
			return err
		}
		sides[i] = reading
	}
	found := explain.Compare(sides[0], sides[1], o.now())
	if o.opensOnly {
		found.Changes = slices.DeleteFunc(found.Changes, func(c explain.Change) bool { return c.Effect != explain.EffectOpens })
	}
	if err := printOutput(cmd, o.output, found, func(w io.Writer) { rows(w, found.Table()) }); err != nil {
		return err
	}
	if len(found.Changes) > 0 && (o.exitCode || o.opensOnly) {
		return exitDiffers
	}
	return nil
}
