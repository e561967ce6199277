// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The exit codes of an inspection: exitFail for a file with the verdict fail, so
// that scripts can tell it from exitUnread, which is that of our own failures.
const (
	exitUnread = exitError(1)
	exitFail   = exitError(2)
)

func preflightCommand() *cobra.Command {
	var o preflightOptions
	cmd := &cobra.Command{
		Use:   "preflight FILE...",
		Short: "Inspect PDFs as the platform would (exit code 2: verdict fail; 1: no report)",
		Example: `  printmarket preflight flyer.pdf
  printmarket preflight flyer.pdf --profile sheetfed_offset --trim-size 148x210 --process 4
  printmarket preflight flyer.pdf -o html -f report.html
  printmarket preflight flyer.pdf -o pdf -f commented.pdf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return o.run(cmd, files) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.profile, "profile", "print_ready", "inspection profile, of those that preflight profiles lists")
	choose(flags, &o.output, "output", "o", "form of the report: "+orList(outputNames()), outputNames()...)
	flags.StringVarP(&o.path, "output-file", "f", "", "write the report to this file, not to standard output")
	o.ticket.flags(flags)
	cmd.AddCommand(preflightProfilesCommand(), preflightRulesCommand())
	return cmd
}

// preflightOptions are the flags of an inspection.
type preflightOptions struct {
	profile, output, path string
	ticket                ticketFlags
}

// run inspects one file after the other. A file of which there is no report does
// not keep the others from having theirs.
func (o *preflightOptions) run(cmd *cobra.Command, files []string) error {
	in, err := o.inspection(cmd)
	if err != nil {
		return err
	}
	form, err := outputOf(o.output)
	if err != nil {
		return err
	}
	if len(files) > 1 && !form.several {
		return fmt.Errorf("output %s is of one file alone", form.name)
	}
	if err := notAnInput(o.path, files); err != nil {
		return err
	}
	if form.copy {
		return o.annotate(cmd.Context(), in, files[0])
	}
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

// inspection is what all files have in common.
type inspection struct {
	spec sandbox.Spec
	// progress is where the progress of a file is shown; nil for nowhere.
	progress func(file string) *progressBar
}

func (o *preflightOptions) inspection(cmd *cobra.Command) (*inspection, error) {
	if _, err := profile.Lookup(o.profile); err != nil {
		return nil, err
	}
	ordered, err := o.ticket.ticket(cmd.Flags())
	if err != nil {
		return nil, err
	}
	inspector, err := sandbox.Find(inspectorArg)
	if err != nil {
		return nil, err
	}
	in := &inspection{spec: sandbox.Spec{Inspector: inspector, Profile: o.profile, Ticket: ordered}}
	if width, terminal := terminalWidth(cmd.ErrOrStderr()); terminal {
		in.progress = func(file string) *progressBar {
			return &progressBar{out: cmd.ErrOrStderr(), width: width, name: file}
		}
	}
	return in, nil
}

// all inspects files and shows the reports. Its error is the worst exit code.
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
				_, _ = fmt.Fprintln(out) // as what follows
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
func (in *inspection) file(ctx context.Context, name string) (made report.Report, err error) {
	err = in.opened(name, func(spec sandbox.Spec) error {
		inspected, err := sandbox.Run(ctx, spec)
		made = inspected.Report
		return err
	})
	return made, err
}

// opened hands on what it takes to inspect a file.
func (in *inspection) opened(name string, use func(sandbox.Spec) error) error {
	// To open a pipe is to wait for its writer, and no signal ends that.
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
