// SPDX-License-Identifier: Apache-2.0

package rules

import "github.com/printmarket/printmarket/pkg/preflight/report"

// reading returns the rules about reading the file. They report the incidents of
// reading.
func reading() []Rule {
	const (
		again   = "Export the file once more from the application that made it, and send the new file."
		simpler = "Simplify or flatten the artwork, or split the document, and export it once more."
	)
	row := func(id string, category report.Category, title, hint, ref string) Rule {
		return Rule{ID: id, Category: category, Severity: report.Error, Title: title, Always: true, FixHint: hint, Ref: ref, judge: incidents}
	}
	return []Rule{
		row("file.empty", report.CategoryFile, "File is empty", "Send the file again; it arrived without content.", ""),
		row("file.not_pdf", report.CategoryFile, "File is not a PDF", "Export the document as PDF and send that file.", "ISO 32000-2 7.5.2"),
		row("limits.annotations", report.CategoryLimits, "Too many annotations", "Remove comments and form fields, or split the document.", ""),
		row("limits.content_bytes", report.CategoryLimits, "Too many drawing instructions", simpler, ""),
		row("limits.decoded_bytes", report.CategoryLimits, "Compressed data unpacks to too much", again, ""),
		row("limits.file_size", report.CategoryLimits, "File is too large", "Reduce the resolution of images to what print needs, or split the document.", ""),
		row("limits.fonts", report.CategoryLimits, "Too many fonts", simpler, ""),
		row("limits.image_bytes", report.CategoryLimits, "Images unpack to too much", "Reduce the resolution of images to what print needs, or split the document.", ""),
		row("limits.images", report.CategoryLimits, "Too many images", simpler, ""),
		row("limits.inks", report.CategoryLimits, "Too many inks", "Replace spot colours that are not printed as such by process colours.", ""),
		row("limits.nesting", report.CategoryLimits, "Drawings nested too deep or in themselves", simpler, "ISO 32000-2 annex C"),
		row("limits.operators", report.CategoryLimits, "Too many drawing operators", simpler, ""),
		row("limits.pages", report.CategoryLimits, "Too many pages", "Split the document.", ""),
		row("limits.structure", report.CategoryLimits, "Structure is too large", "Save the document under a new name, so that old versions are dropped, or split it.", ""),
		row("security.password_required", report.CategorySecurity, "File needs a password", "Save the document without a password and send that file.", "ISO 32000-2 7.6"),
		row("structure.page_tree", report.CategoryStructure, "Page tree is damaged", again, "ISO 32000-2 7.7.3"),
		row("structure.parser_panic", report.CategoryStructure, "Structure is damaged beyond reading", again, ""),
		row("structure.stream_unreadable", report.CategoryStructure, "Compressed data is damaged", again, "ISO 32000-2 7.3.8"),
		row("structure.unreadable", report.CategoryStructure, "File cannot be opened", again, "ISO 32000-2 7.5"),
		{
			ID: "structure.repaired", Category: report.CategoryStructure, Severity: report.Warning, Title: "Structure had to be repaired",
			FixHint: again + " It may have been cut or changed on its way.", Ref: "ISO 32000-2 7.5", judge: incidents,
		},
		{
			ID: "security.encrypted", Category: report.CategorySecurity, Severity: report.Error, Title: "File is encrypted",
			FixHint: "Save the document without security settings and send that file.", Ref: "ISO 15930-7", judge: incidents,
		},
		{
			ID: "security.print_denied", Category: report.CategorySecurity, Severity: report.Error, Title: "Permissions forbid printing",
			FixHint: "Save the document without security settings and send that file.", Ref: "ISO 32000-2 table 22",
			judge: once(func(in *input) string {
				return when(in.doc.PrintDenied, "The permissions of the file forbid printing, or printing in full quality.")
			}),
		},
	}
}

// incidents reports the incidents with the id of the rule.
func incidents(in *input) []observation {
	var out []observation
	for _, incident := range in.doc.Incidents {
		if incident.Rule == in.rule.ID {
			out = append(out, observation{page: incident.Page, object: incident.Object, message: incident.Detail})
		}
	}
	return out
}
