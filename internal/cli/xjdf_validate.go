// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// printTalkProfile validates PrintTalk, and the documents within it.
const printTalkProfile = string(printtalk.Profile)

func xjdfProfiles() []string {
	var names []string
	for _, p := range validate.AllProfiles() {
		names = append(names, string(p))
	}
	return append(names, printTalkProfile)
}

// validated is the report of a document.
type validated struct {
	// File is the name of the file, and Document that of the document in a package or in
	// PrintTalk.
	File     string          `json:"file"`
	Document string          `json:"document,omitempty"`
	Report   validate.Report `json:"report"`
}

// validation is the JSON output of a batch.
type validation struct {
	Documents []validated       `json:"documents"`
	Summary   validationSummary `json:"summary"`
}

type validationSummary struct {
	Documents int `json:"documents"`
	Valid     int `json:"valid"`
	Invalid   int `json:"invalid"`
	// Unread counts the files that could not be read.
	Unread   int `json:"unread"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

type xjdfValidateOptions struct{ profile, output, path string }

func xjdfValidateCommand() *cobra.Command {
	var o xjdfValidateOptions
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Validate documents (exit code 2: one has an error; 1: one cannot be read)",
		Long: `Validate documents, with the rules of the service. Every document of a package is
validated, and the files to which it refers must be in the package. Exit code 2 means
that a document has an error, 1 that a file cannot be read.`,
		Example: `  printmarket xjdf validate flyer.json
  printmarket xjdf validate --profile process press.xjdf folding.xjdf
  printmarket xjdf validate -o sarif -f findings.sarif tickets/*.xjdf
  curl -s "$URL" | printmarket xjdf validate -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return o.run(cmd, files) },
	}
	o.flags(cmd.Flags())
	return cmd
}

func (o *xjdfValidateOptions) flags(f *pflag.FlagSet) {
	choose(f, &o.profile, "profile", "", "profile: "+orList(xjdfProfiles()), xjdfProfiles()...)
	choose(f, &o.output, "output", "o", "form of the report: text, json or sarif", "text", "json", "sarif")
	f.StringVarP(&o.path, "output-file", "f", "", "write the report to this file instead of standard output")
}

func (o *xjdfValidateOptions) run(cmd *cobra.Command, files []string) error {
	if err := cmp.Or(oneStandardInput(files), notAnInput(o.path, files)); err != nil {
		return err
	}
	batch := validation{Documents: []validated{}}
	for _, name := range files {
		found, err := o.file(cmd, name)
		if err != nil {
			batch.Summary.Unread++
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %v\n", err)
			continue
		}
		batch.Documents = append(batch.Documents, found...)
	}
	batch.count()
	write := func(w io.Writer) error {
		switch o.output {
		case "json":
			return encodeJSON(w, batch)
		case "sarif":
			return batch.sarif(w)
		default:
			return batch.text(w)
		}
	}
	var err error
	if o.path == "" {
		err = write(cmd.OutOrStdout())
	} else {
		err = replaceFile(o.path, write)
	}
	switch {
	case err != nil:
		return err
	case batch.Summary.Unread > 0:
		return exitUnread
	case batch.Summary.Invalid > 0:
		return exitFail
	default:
		return nil
	}
}

// file validates the documents of one file. An error begins with the name of the file.
func (o *xjdfValidateOptions) file(cmd *cobra.Command, name string) ([]validated, error) {
	body, err := readDocument(cmd, name, mostPackage)
	if err != nil {
		return nil, err
	}
	if !pack.Is(body) {
		document, err := xjdf.Parse(body, documentLimits)
		var fault *xjdf.Error
		if err != nil && !errors.As(err, &fault) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return o.judge(name, pack.Document{Body: body, Document: document, Fault: fault}, nil), nil
	}
	limits := pack.DefaultLimits
	limits.Document = documentLimits
	found, err := pack.Read(body, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var all []validated
	for _, d := range found.Documents {
		if d.Document != nil && d.Document.Root.Name.Local == "XJMF" {
			continue // the message about the job tickets
		}
		all = append(all, o.judge(name, d, append([]string{}, found.Files...))...)
	}
	return all, nil
}

// judge validates a document, and in PrintTalk each document within it.
func (o *xjdfValidateOptions) judge(file string, d pack.Document, files []string) []validated {
	v := validate.New()
	profile := validate.Profile(o.profile)
	if o.profile == printTalkProfile {
		profile = validate.ProductIntent
	}
	if d.Fault != nil {
		encoding := xjdf.CanonicalJSON
		if xjdf.IsXML(d.Body) {
			encoding = xjdf.XML
		}
		return []validated{{file, d.Name, v.Unreadable(d.Fault, encoding, profile)}}
	}
	options := validate.Options{Profile: profile, Files: files}
	if o.profile != printTalkProfile || d.Document.Root.Name.Local == "XJDF" {
		return []validated{{file, d.Name, v.Validate(d.Document, options)}}
	}
	found := printtalk.Validate(d.Document, options)
	all := []validated{{file, d.Name, found.Report}}
	for _, job := range found.Jobs {
		all = append(all, validated{file, job.Path, job.Report})
	}
	return all
}

func (v *validation) count() {
	for i := range v.Documents {
		r := &v.Documents[i].Report
		v.Summary.Documents++
		if r.Valid {
			v.Summary.Valid++
		} else {
			v.Summary.Invalid++
		}
		v.Summary.Errors += r.Summary.Errors
		v.Summary.Warnings += r.Summary.Warnings
		v.Summary.Infos += r.Summary.Infos
	}
}

// text writes the findings of each document, and a summary of several.
func (v *validation) text(w io.Writer) error {
	for i := range v.Documents {
		d := &v.Documents[i]
		verdict := "valid"
		if !d.Report.Valid {
			verdict = "invalid"
		}
		name := printable(d.File)
		if d.Document != "" {
			name += " " + printable(d.Document)
		}
		_, _ = fmt.Fprintf(w, "%s: %s (%s, profile %s)\n", name, verdict, d.Report.Encoding, d.Report.Profile)
		for _, f := range d.Report.Findings {
			_, _ = fmt.Fprintf(w, "  %d:%d %s %s: %s\n    %s\n", f.Line, f.Column, f.Severity, f.Code, printable(f.Message), printable(f.Path))
			if f.Suggestion != "" {
				_, _ = fmt.Fprintf(w, "    fix: %s\n", printable(f.Suggestion))
			}
		}
		if n := d.Report.Summary.Omitted; n > 0 {
			_, _ = fmt.Fprintf(w, "  %d findings are not listed\n", n)
		}
	}
	if len(v.Documents) == 1 && v.Summary.Unread == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%d documents: %d valid, %d invalid; %d files not read; %d errors, %d warnings, %d infos\n",
		v.Summary.Documents, v.Summary.Valid, v.Summary.Invalid, v.Summary.Unread, v.Summary.Errors, v.Summary.Warnings, v.Summary.Infos)
	return err
}

// sarif writes the findings for code scanning and editors.
func (v *validation) sarif(w io.Writer) error {
	var results []sarifResult
	used := map[string]bool{}
	for i := range v.Documents {
		d := &v.Documents[i]
		for _, f := range d.Report.Findings {
			used[f.Code] = true
			text := f.Message
			if f.Suggestion != "" {
				text += " " + f.Suggestion
			}
			path := f.Path
			if d.Document != "" && !strings.HasPrefix(path, d.Document) {
				path = d.Document + "#" + path // a document of a package
			}
			results = append(results, sarifFinding(f.Code, string(f.Severity), text, d.File, f.Line, f.Column, path))
		}
	}
	var rules []sarifRule
	for _, r := range slices.Concat(validate.Rules(), printtalk.Rules()) {
		if used[r.Code] {
			rules = append(rules, sarifRule{ID: r.Code, Short: sarifText{r.Summary}, Full: sarifText{r.Summary + " " + r.Reference}, Help: sarifText{r.Fix}})
		}
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return cmp.Compare(a.ID, b.ID) })
	return writeSARIF(w, "printmarket xjdf validate", rules, results)
}
