// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

func preflightFixCommand() *cobra.Command {
	var o fixOptions
	var names strings.Builder
	names.WriteString("Fixes:\n")
	for _, fix := range report.Fixes() {
		fmt.Fprintf(&names, "  %-12s %s\n", fix, report.FixTitle(fix, report.Languages()[0]))
	}
	cmd := &cobra.Command{
		Use:   "fix FILE",
		Short: "Fix faults of a PDF in a copy (exit code 1: the file, or a given fault, cannot be fixed)",
		Long: `Fix faults of a PDF, and write the fixed copy and the list of all changes.

The command applies the fixes for which an inspection has findings, or those of --fixes, which are
applied either all or not at all. Without --output-file it only lists what it would change.

The copy is the file with an update at its end. The command inspects the copy, and compares its inks
with those of the file: a fix that leaves its fault, or changes artwork inside of the trim edges, is
not applied. Signed, encrypted and damaged files are not fixed.

The fixes scale and stretch are applied only if --fixes names them. The fixes colors and intent need a printing
condition: that of the file, or the one of --output-profile.

` + names.String(),
		Example: `  printmarket preflight fix flyer.pdf
  printmarket preflight fix flyer.pdf --trim-size 148x210 -f flyer-fixed.pdf
  printmarket preflight fix flyer.pdf --fixes bleed,actions -f flyer-fixed.pdf -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return o.run(cmd, files[0]) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.fixes, "fixes", []string{autoFixes}, "fixes to apply; auto applies those for which the inspection has findings")
	o.flags(flags, "list")
	choose(flags, &o.output, "output", "o", "form of the list: text or json", "text", "json")
	flags.StringVar(&o.printing, "output-profile", "", "ICC profile for CMYK of the printing condition, for files that state none")
	flags.StringVar(&o.condition, "output-condition", "", "identifier of the printing condition, such as FOGRA51; default: the description of the profile")
	choose(flags, &o.intent, "rendering-intent", "", "rendering intent of conversions: "+orList(report.Intents()), report.Intents()...)
	flags.StringVarP(&o.path, "output-file", "f", "", "write the fixed copy to this file")
	return cmd
}

// autoFixes stands for the fixes for which the inspection has findings.
const autoFixes = "auto"

// fixOptions holds the flags of preflight fix.
type fixOptions struct {
	inspectionFlags

	fixes                       []string
	printing, condition, intent string
	output, path                string
}

func (o *fixOptions) run(cmd *cobra.Command, file string) error {
	var fixes []report.Fix // none for all with findings
	for _, name := range o.fixes {
		if name == autoFixes && len(o.fixes) > 1 {
			return errors.New("--fixes auto takes no other fix with it")
		}
		if name == autoFixes {
			break
		}
		if !slices.Contains(report.Fixes(), report.Fix(name)) {
			return fmt.Errorf("fix %s is unknown: must be %s", name, orList(fixWords()))
		}
		fixes = append(fixes, report.Fix(name))
	}
	if err := notAnInput(o.path, []string{file}); err != nil {
		return err
	}
	in, err := o.inspection(cmd.Flags())
	if err != nil {
		return err
	}
	if _, reason := report.ContraryFix(fixes, in.spec.Ticket); reason != "" {
		return errors.New("--fixes: " + reason)
	}
	printing := &report.Output{Condition: o.condition, Intent: o.intent}
	if o.printing != "" {
		if printing.Profile, err = readFile(o.printing, report.MaxProfile, "the ICC profile"); err != nil {
			return err
		}
	}
	return in.open(file, func(spec sandbox.Spec) error {
		spec.Output = printing
		update, log, err := sandbox.Fix(cmd.Context(), spec, fixes)
		if err != nil {
			return err
		}
		impossible := len(fixes) > 0 && len(log.Skipped) > 0
		if o.path != "" && !impossible && !log.Refused() {
			if err := replaceFile(o.path, func(w io.Writer) error { return spec.WriteCopy(w, update) }); err != nil {
				return err
			}
		}
		if o.output == "json" {
			err = writeEncoded(cmd.OutOrStdout(), report.EncodeFixLog, log)
		} else {
			err = report.WriteFix(cmd.OutOrStdout(), log, o.language)
		}
		switch {
		case err != nil:
			return err
		case log.Refused():
			return errors.New("nothing was fixed, because the file cannot be changed")
		case impossible:
			return errors.New("nothing was fixed, because a given fix is not possible")
		}
		return nil
	})
}

func fixWords() []string {
	words := []string{autoFixes}
	for _, fix := range report.Fixes() {
		words = append(words, string(fix))
	}
	return words
}

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

// compareFiles compares two files. It is an error if one of them has no page that can be read.
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
			for i, path := range []string{before, after} {
				if err == nil && made.Pages[i] == 0 {
					err = fmt.Errorf("%s has no page that can be read; an inspection explains why: printmarket preflight", path)
				}
			}
			return err
		})
	})
	return made, err
}
