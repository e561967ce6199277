// SPDX-License-Identifier: Apache-2.0

package rules

import "github.com/printmarket/printmarket/pkg/preflight/report"

// reading returns the rules about reading the file. They report the incidents of
// reading.
func reading() []Rule {
	row := func(id string, category report.Category, ref string) Rule {
		return Rule{ID: id, Category: category, Severity: report.Error, Always: true, Ref: ref, judge: incidents}
	}
	return []Rule{
		row("file.empty", report.CategoryFile, ""),
		row("file.not_pdf", report.CategoryFile, "ISO 32000-2 7.5.2"),
		row("limits.annotations", report.CategoryLimits, ""),
		row("limits.content_bytes", report.CategoryLimits, ""),
		row("limits.decoded_bytes", report.CategoryLimits, ""),
		row("limits.file_size", report.CategoryLimits, ""),
		row("limits.fonts", report.CategoryLimits, ""),
		// Only ink is not measured; everything else is judged.
		{ID: "limits.image_bytes", Category: report.CategoryLimits, Severity: report.Warning, Always: true, judge: incidents},
		row("limits.images", report.CategoryLimits, ""),
		row("limits.inks", report.CategoryLimits, ""),
		row("limits.nesting", report.CategoryLimits, "ISO 32000-2 annex C"),
		row("limits.operators", report.CategoryLimits, ""),
		row("limits.pages", report.CategoryLimits, ""),
		// As with images.
		{ID: "limits.painting", Category: report.CategoryLimits, Severity: report.Warning, Always: true, judge: incidents},
		row("limits.structure", report.CategoryLimits, ""),
		row("security.password_required", report.CategorySecurity, "ISO 32000-2 7.6"),
		row("structure.page_tree", report.CategoryStructure, "ISO 32000-2 7.7.3"),
		row("structure.parser_panic", report.CategoryStructure, ""),
		row("structure.stream_unreadable", report.CategoryStructure, "ISO 32000-2 7.3.8"),
		row("structure.unreadable", report.CategoryStructure, "ISO 32000-2 7.5"),
		{ID: "structure.repaired", Category: report.CategoryStructure, Severity: report.Warning, Ref: "ISO 32000-2 7.5", judge: incidents},
		{ID: "security.encrypted", Category: report.CategorySecurity, Severity: report.Error, Ref: "ISO 15930-7", judge: incidents},
		{
			ID: "security.print_denied", Category: report.CategorySecurity, Severity: report.Error, Ref: "ISO 32000-2 table 22",
			judge: once(func(in *input) *message { return when(in.doc.PrintDenied, nil) }),
		},
	}
}

// incidents reports the incidents with the id of the rule.
func incidents(in *input) []observation {
	var out []observation
	for _, incident := range in.doc.Incidents {
		if incident.Rule == in.rule.ID {
			out = append(out, observation{
				page: incident.Page, object: incident.Object,
				message: message{variant: incident.Variant, values: incident.Parameters},
			})
		}
	}
	return out
}
