// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// Results are the reports of several files with XJDF, XJMF, packages and PrintTalk, in their
// order.
type Results struct {
	Documents []Result `json:"documents"`
	Summary   Summary  `json:"summary"`
}

// Result is the report of a document.
type Result struct {
	// File is the name of the file, and Document that of the document in a package or in
	// PrintTalk.
	File     string          `json:"file"`
	Document string          `json:"document,omitempty"`
	Report   validate.Report `json:"report"`
}

// Summary counts documents and findings.
type Summary struct {
	Documents int `json:"documents"`
	Valid     int `json:"valid"`
	Invalid   int `json:"invalid"`
	// Unread counts the files that could not be read. The caller sets it.
	Unread   int `json:"unread"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

// Profiles returns the profiles of [Results.Add]: those of documents, and that of PrintTalk, which
// validates PrintTalk and the documents within it.
func Profiles() []validate.Profile { return append(validate.Profiles(), printtalk.Profile) }

// Add validates the documents and messages of a file. Those of a package may refer to its files only. A document
// that cannot be parsed has a report; an error is about the file and begins with its name.
func (r *Results) Add(name string, body []byte, profile validate.Profile, limits xjdf.Limits) error {
	if !Is(body) {
		document, err := xjdf.Parse(body, limits)
		var fault *xjdf.Error
		if err != nil && !errors.As(err, &fault) {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.judge(name, Document{Body: body, Document: document, Fault: fault}, validate.Options{Profile: profile})
		return nil
	}
	packed := DefaultLimits
	packed.Document = limits
	found, err := Read(body, packed)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.AddPackage(name, found, validate.Options{Profile: profile})
	return nil
}

// AddPackage validates the documents and messages of a package that was read from a file. They may refer
// to its files only, which replace those of the options.
func (r *Results) AddPackage(name string, found *Package, options validate.Options) {
	options.Files = append([]string{}, found.Files...)
	for _, d := range found.Documents {
		r.judge(name, d, options)
	}
}

// judge validates a document or message, and in PrintTalk each document within it.
func (r *Results) judge(file string, d Document, options validate.Options) {
	talk := options.Profile == printtalk.Profile
	if talk {
		options.Profile = validate.ProductIntent
	}
	switch v := validate.New(); {
	case d.Fault != nil:
		encoding := xjdf.CanonicalJSON
		if xjdf.IsXML(d.Body) {
			encoding = xjdf.XML
		}
		r.count(Result{file, d.Name, v.Unreadable(d.Fault, encoding, options.Profile)})
	case d.Document.Root.Name.Local == "XJMF":
		r.count(Result{file, d.Name, v.ValidateMessage(d.Document, options)})
	case !talk || d.Document.Root.Name.Local == "XJDF":
		r.count(Result{file, d.Name, v.Validate(d.Document, options)})
	default:
		found := printtalk.Validate(d.Document, options)
		r.count(Result{file, d.Name, found.Report})
		for _, job := range found.Jobs {
			r.count(Result{file, job.Path, job.Report})
		}
	}
}

func (r *Results) count(d Result) {
	r.Documents = append(r.Documents, d)
	r.Summary.Documents++
	if d.Report.Valid {
		r.Summary.Valid++
	} else {
		r.Summary.Invalid++
	}
	r.Summary.Errors += d.Report.Summary.Errors
	r.Summary.Warnings += d.Report.Summary.Warnings
	r.Summary.Infos += d.Report.Summary.Infos
}

// Lines returns the findings of each document as text, and a summary of several documents.
func (r *Results) Lines() []string {
	var lines []string
	for i := range r.Documents {
		d := &r.Documents[i]
		verdict, name := "valid", d.File
		if !d.Report.Valid {
			verdict = "invalid"
		}
		if d.Document != "" {
			name += " " + d.Document
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s, profile %s)", name, verdict, d.Report.Encoding, d.Report.Profile))
		for _, f := range d.Report.Findings {
			lines = append(lines, fmt.Sprintf("  %d:%d %s %s: %s", f.Line, f.Column, f.Severity, f.Code, f.Message), "    "+f.Path)
			if f.Suggestion != "" {
				lines = append(lines, "    fix: "+f.Suggestion)
			}
		}
		if n := d.Report.Summary.Omitted; n > 0 {
			lines = append(lines, fmt.Sprintf("  %d findings are not listed", n))
		}
	}
	if s := r.Summary; len(r.Documents) != 1 || s.Unread > 0 {
		lines = append(lines, fmt.Sprintf("%d documents: %d valid, %d invalid; %d files not read; %d errors, %d warnings, %d infos",
			s.Documents, s.Valid, s.Invalid, s.Unread, s.Errors, s.Warnings, s.Infos))
	}
	return lines
}
