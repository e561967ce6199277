// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
)

func postureCommand() *cobra.Command {
	var dir, output string
	cmd := &cobra.Command{
		Use:   "posture --from DIR",
		Short: "Print who may do what, and why not, from a directory of manifests",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			admission, err := dirsource.NewAdmission()
			if err != nil {
				return err
			}
			now := time.Now()
			inputs, err := admission.Read(cmd.Context(), dir, now)
			if err != nil {
				return err
			}
			return printPosture(cmd, posture.Compile(inputs).Report(now), output)
		},
	}
	cmd.Flags().StringVar(&dir, "from", "", "directory of manifests")
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or yaml")
	_ = cmd.MarkFlagRequired("from") // the flag exists
	return cmd
}

func printPosture(cmd *cobra.Command, report posture.Report, output string) error {
	if output == "yaml" {
		text, err := yaml.Marshal(report)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "PARTNER\tCAPABILITY\tPOSTURE\tREASON")
	for _, partner := range report.Partners {
		for _, capability := range partner.Capabilities {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", partner.Name, capability.Name, capability.Posture, capability.Reason)
		}
	}
	return w.Flush()
}
