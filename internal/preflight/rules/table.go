// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
)

// All lists the rules in alphabetical order of their ids.
func All() []Rule {
	all := slices.Concat(reading(), security(), pages(), fonts(), images(), colors())
	slices.SortFunc(all, func(a, b Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}

// reading is about the file as a file. These rules only repeat what was noted
// while it was read.
func reading() []Rule {
	const (
		again   = "Export the file once more from the application that made it, and send the new file."
		simpler = "Simplify or flatten the artwork, or split the document, and export it once more."
	)
	row := func(id string, category report.Category, title, hint, ref string) Rule {
		return Rule{ID: id, Category: category, Severity: report.Error, Title: title, Always: true, FixHint: hint, Ref: ref, judge: incidents(id)}
	}
	return []Rule{
		row("file.empty", report.CategoryFile, "File is empty", "Send the file again; it arrived without content.", ""),
		row("file.not_pdf", report.CategoryFile, "File is not a PDF", "Export the document as PDF and send that file.", "ISO 32000-2 7.5.2"),
		row("limits.content_bytes", report.CategoryLimits, "Too many drawing instructions", simpler, ""),
		row("limits.decoded_bytes", report.CategoryLimits, "Compressed data unpacks to too much", again, ""),
		row("limits.file_size", report.CategoryLimits, "File is too large", "Reduce the resolution of images to what print needs, or split the document.", ""),
		row("limits.fonts", report.CategoryLimits, "Too many fonts", simpler, ""),
		row("limits.images", report.CategoryLimits, "Too many images", simpler, ""),
		row("limits.nesting", report.CategoryLimits, "Drawings nested too deep or in themselves", simpler, "ISO 32000-2 annex C"),
		row("limits.operators", report.CategoryLimits, "Too many drawing operators", simpler, ""),
		row("limits.pages", report.CategoryLimits, "Too many pages", "Split the document.", ""),
		row("security.password_required", report.CategorySecurity, "File needs a password", "Save the document without a password and send that file.", "ISO 32000-2 7.6"),
		row("structure.page_tree", report.CategoryStructure, "Page tree is damaged", again, "ISO 32000-2 7.7.3"),
		row("structure.parser_panic", report.CategoryStructure, "Structure is damaged beyond reading", again, ""),
		row("structure.stream_unreadable", report.CategoryStructure, "Compressed data is damaged", again, "ISO 32000-2 7.3.8"),
		row("structure.unreadable", report.CategoryStructure, "File cannot be opened", again, "ISO 32000-2 7.5"),
	}
}

func security() []Rule {
	return []Rule{{
		ID: "security.encrypted", Category: report.CategorySecurity, Severity: report.Error,
		Title:   "File is encrypted",
		FixHint: "Save the document without security settings and send that file.",
		Ref:     "ISO 15930-7 6.2.1",
		judge:   incidents("security.encrypted"),
	}}
}

func pages() []Rule {
	boxes := func(id string, severity report.Severity, title, op, hint string, j judge) Rule {
		rule := Rule{ID: id, Category: report.CategoryBox, Severity: severity, Title: title, Op: op, FixHint: hint, Ref: "ISO 32000-2 14.11.2; ISO 15930-7 6.13", judge: j}
		if id == "box.bleed_short" {
			rule.Unit = "mm"
		}
		return rule
	}
	const bleed = "Let backgrounds and images run over the edge of the page, and export with a bleed of 3 mm on every side."
	return []Rule{
		{
			ID: "page.count", Category: report.CategoryPage, Severity: report.Error, Title: "Number of pages",
			Op: ">=", Unit: "pages", FixHint: "Export the document with its pages.", judge: pageCount,
		},
		boxes("box.trim_missing", report.Warning, "TrimBox is missing", "", "Export as PDF/X, which writes the size of the finished page (TrimBox) into the file.", trimMissing),
		boxes("box.nesting", report.Error, "Page boxes do not lie in each other", "", "Set TrimBox inside BleedBox and BleedBox inside MediaBox, most easily by exporting as PDF/X.", nesting),
		boxes("box.bleed_missing", report.Error, "No bleed", "", bleed, bleedMissing),
		boxes("box.bleed_short", report.Error, "Bleed is too small", ">=", bleed, bleedShort),
	}
}

func fonts() []Rule {
	return []Rule{{
		ID: "font.not_embedded", Category: report.CategoryFont, Severity: report.Error,
		Title:   "Font is not embedded",
		FixHint: "Embed all fonts when exporting, or convert the text to outlines.",
		Ref:     "ISO 15930-7 6.2.2; GWG2022 R0014",
		judge:   notEmbedded,
	}}
}

func images() []Rule {
	const hint = "Place the image smaller, or replace it by one with more pixels; enlarging the pixels does not help."
	const ref = "GWG2022 R0031"
	return []Rule{
		{ID: "image.ppi_low", Category: report.CategoryImage, Severity: report.Error, Title: "Image resolution is too low", Op: ">=", Unit: "ppi", FixHint: hint, Ref: ref, judge: resolutionLow},
		{ID: "image.ppi_below_target", Category: report.CategoryImage, Severity: report.Warning, Title: "Image resolution is below the target", Op: ">=", Unit: "ppi", FixHint: hint, Ref: ref, judge: resolutionBelowTarget},
	}
}

func colors() []Rule {
	return []Rule{{
		ID: "color.rgb", Category: report.CategoryColor, Severity: report.Warning,
		Title:   "RGB colour is used",
		FixHint: "Convert to CMYK with the profile that your printer names, and check the colours, or let the printer convert.",
		Ref:     "GWG2022 R0027",
		judge:   rgb,
	}}
}

// incidents repeats what was noted under the rule's own id.
func incidents(id string) judge {
	return func(doc *facts.Document, _ profile.Profile, _ profile.Setting) []observation {
		var out []observation
		for _, in := range doc.Incidents {
			if in.Rule == id {
				out = append(out, observation{page: in.Page, object: in.Object, message: in.Detail})
			}
		}
		return out
	}
}
