// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// clusterSide stands for the objects in the cluster.
const clusterSide = "cluster"

// The exit codes of a comparison, as those of diff and of kubectl diff.
const (
	exitDiffers exitError = 1
	exitTrouble exitError = 2
)

func postureDiffCommand() *cobra.Command {
	var o postureDiffOptions
	cmd := &cobra.Command{
		Use:   "diff OLD NEW | diff cluster --overlay FILE",
		Short: "Print the access that a change of manifests opens and closes",
		Long: `Print the access that a change opens and closes, for each partner and capability. OLD
and NEW are directories or files of manifests, - for standard input, or "cluster" for
the objects in the cluster. The comparison fails if a cluster would reject the change,
for example a stage that is skipped or a reused ticket.

With --overlay, the change is a part of the manifests, such as the output of helm
template. The server applies them to the objects in the cluster in a dry run, with the
rules of server-side apply: fields of other managers stay, such as an engaged kill
switch. This needs permission to patch the objects and changes nothing. An object that
the manifests no longer contain stays.

Both are evaluated now and at each time at which either changes without an edit. A
schedule that opens a capability next week is therefore listed with its time. A request
that is accepted before and rejected after the change "closes"; the reverse "opens".
Other changes, such as limits, "alter" the access; a limit opens access only if it was
zero.

Exit codes: 0 if the comparison succeeds; 1 with --exit-code or --opens-only if it
lists a change; 2 if an error occurs.`,
		Args: func(cmd *cobra.Command, args []string) error {
			err := cobra.ExactArgs(2)(cmd, args)
			if o.overlay != "" {
				err = cobra.ExactArgs(1)(cmd, args)
				if err == nil && args[0] != clusterSide {
					err = fmt.Errorf("--overlay changes the cluster: use posture diff %s --overlay %s", clusterSide, o.overlay)
				}
			}
			if err != nil {
				return trouble(cmd, err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := o.run(cmd, args)
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
	f.StringVar(&o.overlay, "overlay", "", "directory or file of manifests, or - for standard input, to apply to the cluster in a dry run")
	f.StringVar(&o.manager, "field-manager", "helm", "field manager that will apply the manifests of --overlay: helm, or kubectl for kubectl apply --server-side")
	f.BoolVar(&o.force, "force-conflicts", false, "take over fields of other managers in --overlay, as with the flag of kubectl and helm")
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
	// overlay is the path of manifests to apply to the cluster in a dry run by a manager.
	overlay, manager string
	force            bool
}

func (o *postureDiffOptions) run(cmd *cobra.Command, args []string) error {
	before, after, err := o.readBoth(cmd, args)
	if err != nil {
		return err
	}
	for _, reading := range []explain.Reading{before, after} {
		if err := printUnknown(cmd.ErrOrStderr(), reading); err != nil {
			return err
		}
	}
	found, err := explain.Compare(cmd.Context(), before, after, o.now())
	if err != nil {
		return err
	}
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

// readBoth reads both sides of the comparison, and checks that a cluster would accept the
// change.
func (o *postureDiffOptions) readBoth(cmd *cobra.Command, args []string) (before, after explain.Reading, err error) {
	namespace := o.Namespace
	if slices.Contains(args, clusterSide) {
		// Manifests without a namespace are in the namespace of the cluster's side.
		if _, namespace, err = o.Load(telemetry.Discard()); err != nil {
			return before, after, err
		}
	}
	if o.overlay != "" {
		return o.readOverlay(cmd, namespace)
	}
	read := func(side string) (explain.Reading, error) {
		if side == clusterSide {
			return o.readCluster(cmd.Context())
		}
		reading, err := o.readManifests(cmd, side, namespace)
		if err != nil {
			return reading, fmt.Errorf("%s: %w", side, err)
		}
		return reading, nil
	}
	if before, err = read(args[0]); err != nil {
		return before, after, err
	}
	if after, err = read(args[1]); err != nil {
		return before, after, err
	}
	if len(after.Inputs.Partners) == 0 {
		return before, after, fmt.Errorf("%s: contains no PartnerEntitlement, so everything would close; to compare a part of the manifests, use: posture diff cluster --overlay %[1]s", args[1])
	}
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return before, after, err
	}
	if err := admission.Changes(cmd.Context(), before.Inputs, after.Inputs); err != nil {
		return before, after, fmt.Errorf("a cluster would reject the change: %w", err)
	}
	return before, after, nil
}

// readOverlay reads the cluster, and the cluster with the manifests applied in a dry run.
func (o *postureDiffOptions) readOverlay(cmd *cobra.Command, namespace string) (before, after explain.Reading, err error) {
	admission, files, err := openManifests(cmd, o.overlay, namespace)
	if err != nil {
		return before, after, fmt.Errorf("%s: %w", o.overlay, err)
	}
	overlay := kubesource.Overlay{Manager: o.manager, Force: o.force}
	var ignored int
	if overlay.Objects, overlay.Secrets, ignored, err = admission.Overlay(files); err != nil {
		return before, after, fmt.Errorf("%s: %w", o.overlay, err)
	}
	if len(overlay.Objects)+len(overlay.Secrets) == 0 {
		return before, after, fmt.Errorf("%s: contains no object of %s and no Secret", o.overlay, v1alpha1.GroupVersion)
	}
	if ignored > 0 {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "note: ignored %d objects of other kinds\n", ignored)
	}
	config, namespace, err := o.Load(telemetry.Discard())
	if err != nil {
		return before, after, err
	}
	return kubesource.ReadWith(cmd.Context(), config, namespace, overlay, o.now())
}
