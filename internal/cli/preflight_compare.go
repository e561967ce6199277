// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

func preflightCompareCommand() *cobra.Command {
	var output, language string
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two versions of a PDF (exit code 1: they differ; 2: no result)",
		Long: `Compare two versions of a PDF, for example a file and its correction.

The command compares pages with the same number: their boxes, and the inks that they put on paper,
aligned at the upper left corner of the trim area. Differences of up to a pixel, about 0.25 mm, are
not reported. It also compares fonts, colours, inks, layers, the output intent and properties of the
document.`,
		Example: `  printmarket preflight compare flyer.pdf flyer-corrected.pdf
  printmarket preflight compare flyer.pdf flyer-corrected.pdf -o json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, files []string) error {
			made, err := compareFiles(cmd.Context(), files[0], files[1])
			if err == nil {
				if output == "json" {
					err = writeEncoded(cmd.OutOrStdout(), report.EncodeComparison, made)
				} else {
					err = report.WriteComparison(cmd.OutOrStdout(), made, language)
				}
			}
			switch {
			case err != nil:
				return trouble(cmd, err)
			case !made.Same:
				return exitDiffers
			case !made.Complete:
				return exitTrouble
			}
			return nil
		},
	}
	choose(cmd.Flags(), &output, "output", "o", "text or json", "text", "json")
	choose(cmd.Flags(), &language, "lang", "", "language of the text: "+orList(report.Languages()), report.Languages()...)
	return cmd
}

func compareFiles(ctx context.Context, before, after string) (made report.Comparison, err error) {
	inspector, err := sandbox.Find(sandbox.InspectorArg)
	if err != nil {
		return made, err
	}
	in := &inspection{spec: sandbox.Spec{Inspector: inspector}}
	err = in.open(before, func(spec sandbox.Spec) error {
		return in.open(after, func(other sandbox.Spec) (err error) {
			spec.Other = other.File
			made, err = sandbox.Compare(ctx, spec)
			return err
		})
	})
	return made, err
}
