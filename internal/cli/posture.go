// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/telemetry"
)

func postureCommand() *cobra.Command {
	var o postureOptions
	var reading explain.Reading
	var warnings []string
	cmd := command[postureReport]{
		use:   "posture",
		short: "Print the effective access of partners, from a directory of manifests or a cluster",
		long: `Print the effective access of each partner to each capability, with the reason if it
is closed: from a directory of manifests with --from, otherwise from the cluster. The
command evaluates the objects itself, with the code of the gates. It contacts no server
except kube-apiserver.

A cell of the table shows the access of the keys of a partner: "open" if a live key can use
the capability, "test" if only a test key can, or "closed", and the reason. A key can use a
capability if the gates accept it and it has the scopes of the requests that write. "-"
means that the capability is not granted. A terminal that is too narrow for the table gets
a line for each granted capability of each partner.`,
		flags: o.register,
		print: func(w io.Writer, r postureReport) {
			if overflows(w, r.table) {
				r.table = r.pairs
			}
			rows(w, r.table)
		},
	}.local(func(cmd *cobra.Command, _ []string) (r postureReport, err error) {
		if reading, err = o.read(cmd); err != nil {
			return r, err
		}
		snapshot, now := posture.Compile(reading.Inputs), o.now()
		r = postureReport{Report: reading.Report(snapshot, now), Unknown: reading.Unknown()}
		warnings = explain.UnknownNames(r.Rollouts)
		matrix := explain.NewMatrix(snapshot, now)
		r.pairs = matrix.Pairs()
		if r.table = matrix.Table(); cmd.Flag("output").Value.String() == "wide" {
			r.table = matrix.List(explain.New(reading.Inputs), now)
		}
		return r, nil
	})
	cmd.PostRunE = func(cmd *cobra.Command, _ []string) error {
		if output := cmd.Flag("output").Value.String(); output == "yaml" || output == "json" {
			return nil
		}
		return printUnknown(cmd.ErrOrStderr(), reading, warnings...)
	}
	cmd.AddCommand(postureDiffCommand(), postureExplainCommand())
	return cmd
}

// postureReport is the JSON output of printmarket posture, with its table.
type postureReport struct {
	posture.Report
	Unknown []string `json:"unknown,omitempty"`
	// pairs replaces a table that is wider than the terminal.
	table, pairs explain.Table
}

// postureOptions names the source of the posture and the time of the evaluation.
type postureOptions struct {
	from string
	at   instant
	process.Cluster
}

func (o *postureOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.from, "from", "", "directory or file of manifests, or - for standard input; without it, the cluster is read")
	o.registerCluster(f)
}

func (o *postureOptions) registerCluster(f *pflag.FlagSet) {
	o.AddFlags(f)
	f.Var(&o.at, "at", "evaluate at this time, such as 2026-12-01T00:00:00Z (default: now)")
}

// now returns the time of the evaluation.
func (o *postureOptions) now() time.Time { return o.at.orNow() }

// read reads manifests, or the cluster.
func (o *postureOptions) read(cmd *cobra.Command) (explain.Reading, error) {
	if o.from != "" {
		return o.readManifests(cmd, o.from, o.Namespace)
	}
	return o.readCluster(cmd.Context())
}

// readManifests reads manifests, of which those without a namespace are in the given one.
func (o *postureOptions) readManifests(cmd *cobra.Command, path, namespace string) (explain.Reading, error) {
	admission, files, err := openManifests(cmd, path, namespace)
	if err != nil {
		return explain.Reading{}, err
	}
	inputs, err := admission.Read(cmd.Context(), files, o.now())
	positions := sync.OnceValue(func() dirsource.Positions { return files.Positions(namespace) })
	return explain.Reading{Inputs: inputs, Locate: func(kind string, name posture.ObjectName, field string) (string, int) {
		return positions().Find(kind, name, field)
	}}, err
}

func openManifests(cmd *cobra.Command, path, namespace string) (*dirsource.Admission, dirsource.Manifests, error) {
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return nil, nil, err
	}
	admission.Namespace = namespace
	files, err := dirsource.Open(path, cmd.InOrStdin())
	return admission, files, err
}

func (o *postureOptions) readCluster(ctx context.Context) (explain.Reading, error) {
	config, namespace, err := o.Load(telemetry.Discard())
	if err != nil {
		return explain.Reading{}, err
	}
	return kubesource.Read(ctx, config, namespace, o.now())
}

func printUnknown(w io.Writer, r explain.Reading, more ...string) error {
	for _, sentence := range append(r.Unknown(), more...) {
		if _, err := fmt.Fprintln(w, "note:", sentence); err != nil {
			return err
		}
	}
	return nil
}

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
