// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// annotations is about what only a viewer makes use of: comments, forms,
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
			"ISO 32000-2 12.8", once(formSignature)),
		row("action.javascript", report.CategoryAction, report.Error, "JavaScript", "Remove the scripts of the file, or print it to a new PDF.", "ISO 15930-7; ISO 32000-2 12.6.4.17",
			actionsOf(func(t string) bool { return t == "JavaScript" }, "The file contains JavaScript, which print does not run.")),
		row("action.other", report.CategoryAction, report.Warning, "Actions", "Remove the actions of the file, or print it to a new PDF.", "ISO 15930-7; ISO 32000-2 12.6",
			actionsOf(unusualAction, "The file contains actions (%s), which print does not run.")),
		row("file.attachment", report.CategoryFile, report.Warning, "Files are attached", "Send each file by itself.", "ISO 32000-2 7.11.4", once(attachment)),
	}
}

// annotationInTrim lets annotations pass that are no artwork: links, pop-ups and
// those that are made for print.
func annotationInTrim(q *question) []observation {
	harmless := []string{"Link", "Popup", "PrinterMark", "TrapNet"}
	return everyAnnotation(q, func(a *facts.Annotation) string {
		page := a.Page - 1
		if !a.Printed || slices.Contains(harmless, a.Subtype) || page < 0 || page >= len(q.doc.Pages) {
			return ""
		}
		return when(a.Box.Touches(q.doc.Pages[page].Finished()), fmt.Sprintf("An annotation (%s) is on the page and would be printed.", a.Subtype))
	})
}

func annotationMultimedia(q *question) []observation {
	kinds := []string{"Movie", "Sound", "Screen", "3D", "RichMedia"}
	return everyAnnotation(q, func(a *facts.Annotation) string {
		return when(slices.Contains(kinds, a.Subtype), fmt.Sprintf("Film, sound or 3D (%s) is on the page; print cannot show it.", a.Subtype))
	})
}

func everyAnnotation(q *question, ask func(*facts.Annotation) string) []observation {
	var out []observation
	for i := range q.doc.Annotations {
		a := &q.doc.Annotations[i]
		if message := ask(a); message != "" {
			out = append(out, observation{page: a.Page, object: a.Object, box: &a.Box, message: message})
		}
	}
	return out
}

// annotationPresent is one observation for each page.
func annotationPresent(q *question) []observation {
	var out []observation
	for i := range q.doc.Annotations {
		a := &q.doc.Annotations[i]
		if n := len(out); n > 0 && out[n-1].page == a.Page {
			out[n-1].count++
			continue
		}
		out = append(out, observation{page: a.Page, count: 1, message: "The page has annotations, for example comments, links or form fields."})
	}
	return out
}

func formField(q *question) string {
	switch form := q.doc.Form; {
	case form.XFA:
		return "The file is a dynamic form (XFA); print shows something else than a viewer."
	case form.Fields > 0:
		return fmt.Sprintf("The file has %d form fields.", form.Fields)
	}
	return ""
}

func formSignature(q *question) string {
	return when(q.doc.Form.Signatures > 0, "The file is digitally signed.")
}

// unusualAction leaves out what moves about in documents.
func unusualAction(kind string) bool {
	return !slices.Contains([]string{"JavaScript", "GoTo", "GoToR", "GoToE", "GoToDp", "URI", "Named", "Thread"}, kind)
}

// actionsOf makes an observation for each page that has such actions, with the
// kinds in place of %s.
func actionsOf(of func(string) bool, message string) judge {
	return func(q *question) []observation {
		var order []int
		kinds := map[int][]string{}
		first := map[int]observation{}
		for _, a := range q.doc.Actions {
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

func attachment(q *question) string {
	return when(len(q.doc.Attachments) > 0, fmt.Sprintf("Files are attached to the document: %s.", listed(q.doc.Attachments)))
}
