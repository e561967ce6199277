// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
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
			reading, err := o.read(cmd.Context())
			if err != nil {
				return err
			}
			return printPosture(cmd, reading, o.now(), output)
		},
	}
	o.register(cmd)
	chooseOutput(cmd.Flags(), &output, "table", "wide", "yaml", "json")
	cmd.AddCommand(postureDiffCommand(), postureExplainCommand())
	return cmd
}

// postureOptions name the source of the posture and the time of the evaluation.
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
	i.Time, err = time.Parse(time.RFC3339, text)
	return err
}

// Type implements [pflag.Value].
func (*instantFlag) Type() string { return "time" }

// read reads a directory of manifests, or the cluster.
func (o *postureOptions) read(ctx context.Context) (explain.Reading, error) {
	if o.from != "" {
		return readManifests(ctx, o.from, o.now())
	}
	return o.readCluster(ctx)
}

func readManifests(ctx context.Context, dir string, now time.Time) (explain.Reading, error) {
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return explain.Reading{}, err
	}
	inputs, err := admission.Read(ctx, dir, now)
	return explain.Reading{Inputs: inputs}, err
}

func (o *postureOptions) readCluster(ctx context.Context) (explain.Reading, error) {
	config, namespace, err := o.load(telemetry.Discard())
	if err != nil {
		return explain.Reading{}, err
	}
	return kubesource.Read(ctx, config, namespace, o.now())
}

// postureDocument is the report with what is unknown.
type postureDocument struct {
	posture.Report
	Unknown []string `json:"unknown,omitempty"`
}

func printPosture(cmd *cobra.Command, reading explain.Reading, now time.Time, output string) error {
	snapshot := posture.Compile(reading.Inputs)
	report := reading.Report(snapshot, now)
	err := printOutput(cmd, output, postureDocument{report, unknown(reading)}, func(w io.Writer) {
		m := explain.NewMatrix(snapshot, now)
		if output == "wide" {
			printPostureList(w, explain.New(reading.Inputs), m, now)
		} else {
			printPostureMatrix(w, m)
		}
	})
	if err != nil || output == "yaml" || output == "json" {
		return err
	}
	return printUnknown(cmd.ErrOrStderr(), reading)
}

// unknown returns sentences about what the user's rights do not reach.
func unknown(r explain.Reading) []string {
	if len(r.Unread) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"your rights do not reach these Secrets: %s. Whether callbacks of their senders are accepted, and webhooks signed, is unknown; everything else is judged in full.",
		strings.Join(r.Unread, ", "))}
}

func printUnknown(w io.Writer, r explain.Reading) error {
	for _, sentence := range unknown(r) {
		if _, err := fmt.Fprintln(w, "note:", sentence); err != nil {
			return err
		}
	}
	return nil
}

// printPostureMatrix prints a row for each partner and a column for each granted
// capability, with the names of the manifests.
func printPostureMatrix(w io.Writer, m explain.Matrix) {
	head := []any{"PARTNER"}
	for _, c := range m.Capabilities {
		head = append(head, c)
	}
	line(w, head...)
	for _, row := range m.Rows {
		cells := []any{row.Name}
		for _, c := range m.Capabilities {
			cells = append(cells, row.Cell(c))
		}
		line(w, cells...)
	}
}

// printPostureList prints a row for each pair of a partner and a granted capability.
func printPostureList(w io.Writer, p *explain.Prober, m explain.Matrix, now time.Time) {
	line(w, "PARTNER", "CAPABILITY", "STAGE", "POSTURE", "KEYS", "REASON", "OPENS", "QUOTA")
	for _, row := range m.Rows {
		for c := range posture.Capabilities() {
			of := row.Cell(c)
			if !of.Granted {
				continue
			}
			live := p.Decide(row.Partner, tenant.Live, c, false, now)
			line(w, row.Name, c, live.Posture.Stage(), of.Posture, cmp.Or(strings.ToLower(strings.Join(of.KeyKinds, ",")), "-"), cmp.Or(of.Reason, "-"),
				cmp.Or(explain.Instant(live.Opens), "-"), explain.Quota(live.Quota))
		}
	}
}
