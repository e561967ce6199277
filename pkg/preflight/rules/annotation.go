// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// annotations returns the rules about content for viewers only: comments, forms,
// actions and attached files.
func annotations() []Rule {
	row := func(id string, category report.Category, severity report.Severity, ref string, j judge) Rule {
		return Rule{ID: id, Category: category, Severity: severity, Ref: ref, judge: j}
	}
	return []Rule{
		row("annotation.in_trim", report.CategoryAnnotation, report.Error, "GWG 2015 4.1; ISO 15930-7", annotationInTrim),
		row("annotation.present", report.CategoryAnnotation, report.Info, "ISO 32000-2 12.5", annotationPresent),
		row("annotation.multimedia", report.CategoryAnnotation, report.Error, "ISO 32000-2 13", func(in *input) []observation {
			kinds := []string{"Movie", "Sound", "Screen", "3D", "RichMedia"}
			return everyAnnotation(in, func(a *facts.Annotation) bool { return slices.Contains(kinds, a.Subtype) })
		}),
		row("form.field", report.CategoryForm, report.Warning, "ISO 32000-2 12.7", once(func(in *input) *message {
			if in.doc.Form.XFA {
				return &message{variant: "xfa"}
			}
			return when(in.doc.Form.Fields > 0, values{"fields": float64(in.doc.Form.Fields)})
		})),
		row("form.signature", report.CategoryForm, report.Info, "ISO 32000-2 12.8", once(func(in *input) *message {
			return when(in.doc.Form.Signatures > 0, nil)
		})),
		row("action.javascript", report.CategoryAction, report.Error, "ISO 15930-7; ISO 32000-2 12.6.4.17",
			actionsOf(func(t string) bool { return t == "JavaScript" })),
		row("action.other", report.CategoryAction, report.Warning, "ISO 15930-7; ISO 32000-2 12.6", actionsOf(func(t string) bool {
			navigation := []string{"GoTo", "GoToR", "GoToE", "GoToDp", "URI", "Named", "Thread"}
			return t != "JavaScript" && !slices.Contains(navigation, t)
		})),
		row("file.attachment", report.CategoryFile, report.Warning, "ISO 32000-2 7.11.4", once(func(in *input) *message {
			return when(len(in.doc.Attachments) > 0, listed("files", in.doc.Attachments))
		})),
	}
}

// annotationInTrim skips annotations without artwork: links, pop-ups and printer's
// marks.
func annotationInTrim(in *input) []observation {
	harmless := []string{"Link", "Popup", "PrinterMark", "TrapNet"}
	return everyAnnotation(in, func(a *facts.Annotation) bool {
		page := a.Page - 1
		if !a.Printed || slices.Contains(harmless, a.Subtype) || page < 0 || page >= len(in.doc.Pages) {
			return false
		}
		return a.Box.Touches(in.doc.Pages[page].Finished())
	})
}

func everyAnnotation(in *input, check func(*facts.Annotation) bool) []observation {
	var out []observation
	for i := range in.doc.Annotations {
		a := &in.doc.Annotations[i]
		if check(a) {
			out = append(out, observation{
				page: a.Page, object: a.Object, box: &a.Box, message: message{values: values{"type": a.Subtype}},
			})
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
		out = append(out, observation{page: a.Page, count: 1})
	}
	return out
}

// actionsOf returns a rule with an observation for each page with such actions.
func actionsOf(of func(string) bool) judge {
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
			o.message.values = listed("actions", kinds[page])
			out = append(out, o)
		}
		return out
	}
}
