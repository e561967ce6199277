// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// The exit codes of an inspection: exitFail for a file with the verdict fail, and
// exitUnread for failures of the command.
const (
	exitUnread = exitError(1)
	exitFail   = exitError(2)
)

func preflightCommand() *cobra.Command {
	var o preflightOptions
	cmd := &cobra.Command{
		Use:   "preflight FILE...",
		Short: "Inspect PDFs like the platform (exit code 2: verdict fail; 1: no report)",
		Example: `  printmarket preflight flyer.pdf
  printmarket preflight flyer.pdf --profile sheetfed_offset --trim-size 148x210 --process 4
  printmarket preflight flyer.pdf --profile house.yaml
  printmarket preflight flyer.pdf --lang de -o html -f report.html
  printmarket preflight flyer.pdf -o pdf -f commented.pdf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return o.run(cmd, files) },
	}
	flags := cmd.Flags()
	o.flags(flags, "report")
	choose(flags, &o.output, "output", "o", "form of the report: "+orList(outputNames()), outputNames()...)
	flags.StringVarP(&o.path, "output-file", "f", "", "write the report to this file instead of standard output")
	cmd.AddCommand(preflightCompareCommand(), preflightFixCommand(), preflightProfilesCommand(), preflightRulesCommand(), preflightSchemaCommand())
	return cmd
}

// inspectionFlags hold what a file is compared with, and the language of the result.
type inspectionFlags struct {
	profile, language string

	ticket ticketFlags
}

func (o *inspectionFlags) flags(flags *pflag.FlagSet, result string) {
	flags.StringVar(&o.profile, "profile", "print_ready", "inspection profile, or the path of your own (.yaml); preflight profiles lists all")
	choose(flags, &o.language, "lang", "", "language of the "+result+": "+orList(report.Languages()), report.Languages()...)
	o.ticket.flags(flags)
}

// inspection returns the settings of the flags.
func (o *inspectionFlags) inspection(flags *pflag.FlagSet) (*inspection, error) {
	_, custom, err := readProfile(o.profile)
	if err != nil {
		return nil, err
	}
	ordered, err := o.ticket.ticket(flags)
	if err != nil {
		return nil, err
	}
	inspector, err := sandbox.Find(sandbox.InspectorArg)
	if err != nil {
		return nil, err
	}
	return &inspection{spec: sandbox.Spec{Inspector: inspector, Profile: o.profile, ProfileText: custom, Ticket: ordered, Language: o.language}}, nil
}

// preflightOptions holds the flags of an inspection.
type preflightOptions struct {
	inspectionFlags

	output, path string
}

// run inspects one file after the other. A file without a report does not stop the
// others.
func (o *preflightOptions) run(cmd *cobra.Command, files []string) error {
	in, err := o.inspection(cmd.Flags())
	if err != nil {
		return err
	}
	if width, terminal := terminalWidth(cmd.ErrOrStderr()); terminal {
		begun := 0
		in.progress = func(file string) *progressBar {
			if begun++; len(files) > 1 {
				file = fmt.Sprintf("file %d of %d: %s", begun, len(files), file)
			}
			return &progressBar{out: cmd.ErrOrStderr(), width: width, name: file}
		}
	}
	form := outputs[slices.Index(outputNames(), o.output)] // the flag takes no other name
	if len(files) > 1 && !form.several {
		return fmt.Errorf("output %s supports one file only: give one FILE", form.name)
	}
	if err := notAnInput(o.path, files); err != nil {
		return err
	}
	if form.copy {
		return in.annotate(cmd.Context(), files[0], o.path)
	}
	in.spec.Pictures = form.pictures
	out := cmd.OutOrStdout()
	var kept bytes.Buffer
	if o.path != "" {
		out = &kept
	}
	outcome := in.all(cmd, files, form, out)
	if o.path != "" && kept.Len() > 0 {
		if err := replaceFile(o.path, func(w io.Writer) error { _, err := kept.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return outcome
}

// inspection holds the settings of all files.
type inspection struct {
	spec sandbox.Spec
	// progress shows the progress of a file; nil shows nothing.
	progress func(file string) *progressBar
}

// all inspects files and writes the reports. Its error is the worst exit code.
func (in *inspection) all(cmd *cobra.Command, files []string, form output, out io.Writer) error {
	unread, failed := false, false
	for i, file := range files {
		made, err := in.file(cmd.Context(), file)
		if err != nil && (len(files) == 1 || cmd.Context().Err() != nil) {
			return err
		}
		if err != nil {
			unread = true
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %s: %v\n", file, err)
			continue
		}
		if form.titled && len(files) > 1 {
			if i > 0 {
				_, _ = fmt.Fprintln(out) // write returns the error
			}
			_, _ = fmt.Fprintf(out, "%s\n", file)
		}
		if err := form.write(out, made); err != nil {
			return err
		}
		failed = failed || made.Verdict == report.Fail
	}
	switch {
	case unread:
		return exitUnread
	case failed:
		return exitFail
	default:
		return nil
	}
}

// file inspects one file.
func (in *inspection) file(ctx context.Context, name string) (made inspected, err error) {
	err = in.open(name, func(spec sandbox.Spec) error {
		got, err := sandbox.Run(ctx, spec)
		if err != nil {
			return err
		}
		made = inspected{Report: report.Localize(got.Report, in.spec.Language), name: name}
		if got.Pictures != nil {
			made.pictures, err = pageimage.Open(bytes.NewReader(got.Pictures), int64(len(got.Pictures)))
		}
		return err
	})
	return made, err
}

// open opens a regular file for use. It does not open a pipe: that would wait for the
// writer, and no signal ends the wait.
func (in *inspection) open(name string, use func(sandbox.Spec) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("%s is not a regular file", name), err)
	}
	spec := in.spec
	spec.File = file
	if in.progress != nil {
		bar := in.progress(name)
		spec.Progress = bar.show
		defer bar.clear()
	}
	return use(spec)
}

// annotate writes a copy of a PDF that shows the findings as comments. Its exit code is
// that of the report.
func (in *inspection) annotate(ctx context.Context, name, path string) error {
	if path == "" {
		return errors.New("output pdf requires --output-file, the path of the copy with comments")
	}
	made, err := in.file(ctx, name)
	if err != nil {
		return err
	}
	err = in.open(name, func(spec sandbox.Spec) error {
		update, err := sandbox.Annotate(ctx, spec)
		if err != nil {
			return err
		}
		return replaceFile(path, func(w io.Writer) error { return spec.WriteCopy(w, update) })
	})
	if err == nil && made.Verdict == report.Fail {
		return exitFail
	}
	return err
}
