// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// annotations returns the rules about content for viewers only: comments, forms,
// actions and attached files.
func annotations() []Rule {
	row := func(id string, category report.Category, severity report.Severity, title, hint, ref string, j judge) Rule {
		return Rule{ID: id, Category: category, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: j}
	}
	const flatten = "Remove comments and form fields, or print the file to a new PDF that has none."
	return []Rule{
		row("annotation.in_trim", report.CategoryAnnotation, report.Error, "Annotation is printed on the page", flatten, "GWG 2015 4.1; ISO 15930-7", annotationInTrim),
		row("annotation.present", report.CategoryAnnotation, report.Info, "Annotations", flatten, "ISO 32000-2 12.5", annotationPresent),
		row("annotation.multimedia", report.CategoryAnnotation, report.Error, "Film, sound or 3D", "Replace it by an image.", "ISO 32000-2 13", annotationMultimedia),
		row("form.field", report.CategoryForm, report.Warning, "Form fields", flatten, "ISO 32000-2 12.7", once(formField)),
		row("form.signature", report.CategoryForm, report.Info, "Digital signature", "Nothing has to be done; a printer that changes the file breaks the signature.",
			"ISO 32000-2 12.8", once(func(in *input) string { return when(in.doc.Form.Signatures > 0, "The file is digitally signed.") })),
		row("action.javascript", report.CategoryAction, report.Error, "JavaScript", "Remove the scripts of the file, or print it to a new PDF.", "ISO 15930-7; ISO 32000-2 12.6.4.17",
			actionsOf(func(t string) bool { return t == "JavaScript" }, "The file contains JavaScript, which print does not run.")),
		row("action.other", report.CategoryAction, report.Warning, "Actions", "Remove the actions of the file, or print it to a new PDF.", "ISO 15930-7; ISO 32000-2 12.6",
			actionsOf(func(t string) bool {
				navigation := []string{"GoTo", "GoToR", "GoToE", "GoToDp", "URI", "Named", "Thread"}
				return t != "JavaScript" && !slices.Contains(navigation, t)
			}, "The file contains actions (%s), which print does not run.")),
		row("file.attachment", report.CategoryFile, report.Warning, "Files are attached", "Send each file by itself.", "ISO 32000-2 7.11.4", once(func(in *input) string {
			return when(len(in.doc.Attachments) > 0, fmt.Sprintf("Files are attached to the document: %s.", listed(in.doc.Attachments)))
		})),
	}
}

// annotationInTrim skips annotations without artwork: links, pop-ups and printer's
// marks.
func annotationInTrim(in *input) []observation {
	harmless := []string{"Link", "Popup", "PrinterMark", "TrapNet"}
	return everyAnnotation(in, func(a *facts.Annotation) string {
		page := a.Page - 1
		if !a.Printed || slices.Contains(harmless, a.Subtype) || page < 0 || page >= len(in.doc.Pages) {
			return ""
		}
		return when(a.Box.Touches(in.doc.Pages[page].Finished()), fmt.Sprintf("An annotation (%s) is on the page and would be printed.", a.Subtype))
	})
}

func annotationMultimedia(in *input) []observation {
	kinds := []string{"Movie", "Sound", "Screen", "3D", "RichMedia"}
	return everyAnnotation(in, func(a *facts.Annotation) string {
		return when(slices.Contains(kinds, a.Subtype), fmt.Sprintf("Film, sound or 3D (%s) is on the page; print cannot show it.", a.Subtype))
	})
}

func everyAnnotation(in *input, check func(*facts.Annotation) string) []observation {
	var out []observation
	for i := range in.doc.Annotations {
		a := &in.doc.Annotations[i]
		if message := check(a); message != "" {
			out = append(out, observation{page: a.Page, object: a.Object, box: &a.Box, message: message})
		}
	}
	return out
}

// annotationPresent returns one observation for each page.
func annotationPresent(in *input) []observation {
	var out []observation
	for i := range in.doc.Annotations {
		a := &in.doc.Annotations[i]
		if n := len(out); n > 0 && out[n-1].page == a.Page {
			out[n-1].count++
			continue
		}
		out = append(out, observation{page: a.Page, count: 1, message: "The page has annotations, for example comments, links or form fields."})
	}
	return out
}

func formField(in *input) string {
	switch form := in.doc.Form; {
	case form.XFA:
		return "The file is a dynamic form (XFA); print shows something else than a viewer."
	case form.Fields > 0:
		return fmt.Sprintf("The file has %d form fields.", form.Fields)
	}
	return ""
}

// actionsOf returns a rule with an observation for each page with such actions, and
// their types in place of %s.
func actionsOf(of func(string) bool, message string) judge {
	return func(in *input) []observation {
		var order []int
		kinds := map[int][]string{}
		first := map[int]observation{}
		for _, a := range in.doc.Actions {
			if !of(a.Type) {
				continue
			}
			o, known := first[a.Page]
			if !known {
				order = append(order, a.Page)
				o = observation{page: a.Page, object: a.Object}
			}
			o.count++
			first[a.Page] = o
			if !slices.Contains(kinds[a.Page], a.Type) {
				kinds[a.Page] = append(kinds[a.Page], a.Type)
			}
		}
		var out []observation
		for _, page := range order {
			o := first[page]
			o.message = filled(message, listed(kinds[page]))
			out = append(out, o)
		}
		return out
	}
}
