// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// The exit codes of an inspection: exitFail for a file with the verdict fail, and
// exitUnread for failures of the command.
const (
	exitUnread = exitError(1)
	exitFail   = exitError(2)
)

func preflightCommand() *cobra.Command {
	var o inspectionFlags
	var output, path string
	cmd := &cobra.Command{
		Use:   "preflight FILE...",
		Short: "Inspect PDFs like the platform (exit code 2: verdict fail; 1: no report)",
		Example: `  printmarket preflight flyer.pdf
  printmarket preflight flyer.pdf --profile sheetfed_offset --trim-size 148x210 --process 4
  printmarket preflight flyer.pdf --profile house.yaml
  printmarket preflight flyer.pdf --lang de -o html -f report.html
  printmarket preflight flyer.pdf -o pdf -f commented.pdf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
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
			form := outputs[slices.Index(outputNames(), output)] // the flag takes no other name
			if len(files) > 1 && !form.several {
				return fmt.Errorf("output %s supports one file only: give one FILE", form.name)
			}
			if err := notAnInput(path, files); err != nil {
				return err
			}
			if form.copy {
				return in.annotate(cmd.Context(), files[0], path)
			}
			in.spec.Pictures = form.pictures
			if path == "" {
				return in.all(cmd, files, form, cmd.OutOrStdout())
			}
			var kept bytes.Buffer
			outcome := in.all(cmd, files, form, &kept)
			if kept.Len() > 0 {
				if err := replaceFile(path, func(w io.Writer) error { _, err := kept.WriteTo(w); return err }); err != nil {
					return err
				}
			}
			return outcome
		},
	}
	flags := cmd.Flags()
	o.flags(flags, "report")
	choose(flags, &output, "output", "o", "form of the report: "+orList(outputNames()), outputNames()...)
	flags.StringVarP(&path, "output-file", "f", "", "write the report to this file instead of standard output")
	cmd.AddCommand(preflightCompareCommand(), preflightFixCommand(),
		command[[]listedProfile]{
			use: "profiles", short: "List the inspection profiles", print: profileTable.list,
		}.local(func(*cobra.Command, []string) (listed []listedProfile, err error) {
			all, err := profile.All()
			for _, p := range all {
				listed = append(listed, listedProfile{p.Name, p.Version, len(p.Rules), p.Description})
			}
			return listed, err
		}),
		preflightRulesCommand(),
		&cobra.Command{
			Use: "schema", Short: "Print the JSON Schema of your own profiles, for editors",
			Example: "  printmarket preflight schema >preflight-profile.schema.json",
			Args:    cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				_, err := cmd.OutOrStdout().Write(rules.Schema())
				return err
			},
		})
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
	selected, err := readProfile(o.profile)
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
	return &inspection{spec: sandbox.Spec{Inspector: inspector, Profile: selected, Ticket: ordered, Language: o.language}}, nil
}

// output is a form of a report.
type output struct {
	name  string
	write func(io.Writer, inspected) error
	// pictures is set for a form that shows the pages.
	pictures bool
	// several is set if the reports of several files can follow each other, and titled
	// if each of them then needs the name of its file.
	several, titled bool
	// copy is set for a copy of the PDF, which the inspector makes; write is nil then.
	copy bool
}

// inspected is the report of a file, with pictures of its pages or nil.
type inspected struct {
	report.Report
	name     string
	pictures *pageimage.Set
}

var outputs = []output{
	{name: "text", several: true, titled: true, write: func(w io.Writer, made inspected) error {
		var layout report.Layout
		if width, terminal := terminalWidth(w); terminal {
			layout = report.Layout{Width: width, Color: colorful(os.Getenv)}
		}
		return layout.Write(w, made.Report)
	}},
	{name: "json", write: func(w io.Writer, made inspected) error { return writeEncoded(w, report.Encode, made.Report) }, several: true},
	{name: "html", write: func(w io.Writer, made inspected) error { return view.HTML(w, made.Report, made.options()) }, pictures: true},
	{name: "xfdf", write: func(w io.Writer, made inspected) error { return report.XFDF(w, made.Report) }},
	{name: "pdf", copy: true},
	{name: "pdf-report", write: func(w io.Writer, made inspected) error { return view.PDF(w, made.Report, made.options()) }, pictures: true},
}

func outputNames() []string {
	names := make([]string, len(outputs))
	for i, form := range outputs {
		names[i] = form.name
	}
	return names
}

func (i *inspected) options() view.Options {
	return view.Options{Name: filepath.Base(i.name), Pictures: i.pictures}
}

// writeEncoded writes a value as its package encodes it.
func writeEncoded[T any](w io.Writer, encode func(T) ([]byte, error), value T) error {
	encoded, err := encode(value)
	if err == nil {
		_, err = w.Write(encoded)
	}
	return err
}

// colorful reports whether colours are wanted (no-color.org).
func colorful(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
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

// listedProfile is the JSON output of a profile.
type listedProfile struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Rules       int    `json:"rules"`
	Description string `json:"description"`
}

var profileTable = table[listedProfile]{
	columns: []any{"PROFILE", "VERSION", "RULES", "FOR"},
	cells:   func(p *listedProfile) []any { return []any{p.Name, p.Version, p.Rules, p.Description} },
}

// listedRule is the JSON output of a rule of a profile.
type listedRule struct {
	Rule     string          `json:"rule"`
	Severity report.Severity `json:"severity"`
	Limit    string          `json:"limit,omitempty"`
	Title    string          `json:"title"`
}

var ruleTable = table[listedRule]{
	columns: []any{"RULE", "SEVERITY", "LIMIT", "TITLE"},
	cells:   func(r *listedRule) []any { return []any{r.Rule, r.Severity, cmp.Or(r.Limit, "-"), r.Title} },
}

func preflightRulesCommand() *cobra.Command {
	var name, language string
	return command[[]listedRule]{
		use: "rules", short: "List the rules of a profile, with its severities and limits", print: ruleTable.list,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&name, "profile", "print_ready", "inspection profile, or the path of your own (.yaml)")
			choose(f, &language, "lang", "", "language of the titles: "+orList(report.Languages()), report.Languages()...)
		},
	}.local(func(*cobra.Command, []string) (listed []listedRule, err error) {
		p, err := readProfile(name)
		if err != nil {
			return nil, err
		}
		for _, rule := range rules.In(language) {
			if severity, limit, applied := rule.In(p); applied {
				listed = append(listed, listedRule{rule.ID, severity, limit, rule.Title})
			}
		}
		return listed, nil
	})
}

// readProfile returns an embedded profile by its name, or the profile of a file.
func readProfile(name string) (p profile.Profile, err error) {
	if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
		return profile.Lookup(name)
	}
	data, err := readFile(name, profile.MaxText, "profile")
	if err != nil {
		return p, err
	}
	if p, err = rules.Parse(data); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}
