// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

func postureCommand() *cobra.Command {
	var o postureOptions
	var output string
	cmd := &cobra.Command{
		Use:   "posture",
		Short: "Print who may do what, and why not, from a directory of manifests or a cluster",
		Long: `Print who may do what, and why not: from a directory of manifests with --from,
else from the cluster. What is printed is judged here, by the code of the gates;
no server is asked but kube-apiserver.

A cell of the table is what a key with every scope of its partner is answered:
"open", "test" where only test keys are, "closed", and why live keys are not;
"-" stands for what the partner was not granted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			world, err := o.read(cmd.Context())
			if err != nil {
				return err
			}
			return printPosture(cmd, world, o.now(), output)
		},
	}
	o.register(cmd)
	chooseOutput(cmd.Flags(), &output, "table", "wide", "yaml", "json")
	cmd.AddCommand(postureDiffCommand(), postureExplainCommand())
	return cmd
}

// postureOptions say whose posture is meant, and when.
type postureOptions struct {
	from string
	at   instantFlag
	clusterOptions
}

func (o *postureOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.from, "from", "", "directory of manifests; without it the cluster is read")
	o.registerCluster(cmd)
}

func (o *postureOptions) registerCluster(cmd *cobra.Command) {
	o.registerFinding(cmd.Flags())
	cmd.Flags().Var(&o.at, "at", "judge as of a time, such as 2026-12-01T00:00:00Z (default: now)")
}

// now is the time that is judged.
func (o *postureOptions) now() time.Time {
	if !o.at.IsZero() {
		return o.at.Time
	}
	return time.Now()
}

// instantFlag is a time of RFC 3339; zero until it is set.
type instantFlag struct{ time.Time }

func (i *instantFlag) String() string {
	if i.IsZero() {
		return ""
	}
	return i.Format(time.RFC3339)
}

// Set reads the time.
func (i *instantFlag) Set(text string) (err error) {
	i.Time, err = time.Parse(time.RFC3339, text)
	return err
}

// Type is what the help shows for the value.
func (*instantFlag) Type() string { return "time" }

// postureDocument is the report with what could not be known.
type postureDocument struct {
	posture.Report
	Unknown []string `json:"unknown,omitempty"`
}

func printPosture(cmd *cobra.Command, world postureWorld, now time.Time, output string) error {
	snapshot := posture.Compile(world.inputs)
	report := snapshot.Report(now)
	world.forgetUnread(&report)
	err := printOutput(cmd, output, postureDocument{report, world.unknown()}, func(w io.Writer) {
		m := explain.NewMatrix(snapshot, now)
		if output == "wide" {
			printPostureList(w, newProber(world), m, now)
		} else {
			printPostureMatrix(w, m)
		}
	})
	if err != nil || output == "yaml" || output == "json" {
		return err
	}
	return tellUnknown(cmd.ErrOrStderr(), world)
}

// tellUnknown says what the rights of the user did not reach.
func tellUnknown(w io.Writer, world postureWorld) error {
	for _, line := range world.unknown() {
		if _, err := fmt.Fprintln(w, "note:", line); err != nil {
			return err
		}
	}
	return nil
}
