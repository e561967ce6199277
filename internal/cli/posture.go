// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
means that the capability is not granted.`,
		flags: o.register,
		print: func(w io.Writer, r postureReport) { rows(w, r.table) },
	}.local(func(cmd *cobra.Command, _ []string) (r postureReport, err error) {
		if reading, err = o.read(cmd); err != nil {
			return r, err
		}
		snapshot, now := posture.Compile(reading.Inputs), o.now()
		r = postureReport{Report: reading.Report(snapshot, now), Unknown: reading.Unknown()}
		warnings = explain.UnknownNames(r.Rollouts)
		matrix := explain.NewMatrix(snapshot, now)
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
	table   explain.Table
}

// postureOptions names the source of the posture and the time of the evaluation.
type postureOptions struct {
	from string
	at   instantFlag
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
func (o *postureOptions) now() time.Time {
	if !o.at.IsZero() {
		return o.at.Time
	}
	return time.Now()
}

// instantFlag holds a time of RFC 3339; zero until it is set.
type instantFlag struct{ time.Time }

func (i *instantFlag) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Format(time.RFC3339)
}

// Set implements [pflag.Value].
func (i *instantFlag) Set(text string) (err error) {
	if i.Time, err = time.Parse(time.RFC3339, text); err != nil {
		return errors.New("must be a time such as 2026-12-01T00:00:00Z")
	}
	return nil
}

// Type implements [pflag.Value].
func (*instantFlag) Type() string { return "time" }

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
