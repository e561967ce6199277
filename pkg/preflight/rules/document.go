// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// documents returns the rules about the properties of the document.
func documents() []Rule {
	const asX = "Export as PDF/X, best PDF/X-4, with the printing condition that your printer names."
	row := func(id string, severity report.Severity, title, hint, ref string, check func(*input) string) Rule {
		return Rule{ID: id, Category: report.CategoryDocument, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: once(check)}
	}
	return []Rule{
		{
			ID: "document.version_above", Category: report.CategoryDocument, Severity: report.Warning, Title: "PDF version is newer than allowed",
			Op: atMost, Unit: "PDF version", FixHint: "Export with an older version of PDF; the settings of PDF/X choose the right one.",
			Ref: "ISO 32000-2 7.5.2", judge: versionAbove,
		},
		row("document.pdfx_missing", report.Info, "File is no PDF/X", asX, "GWG 2015 4.1", func(in *input) string {
			return when(len(claims(in.doc, "PDF/X")) == 0, "The file does not say that it is a PDF/X, the PDF for print.")
		}),
		row("document.not_pdfx4", report.Error, "File is no PDF/X-4", "Export as PDF/X-4.", "ISO 15930-7", notStandard("PDF/X-4")),
		row("document.not_pdfx1a", report.Error, "File is no PDF/X-1a", "Export as PDF/X-1a.", "ISO 15930-4", notStandard("PDF/X-1a")),
		row("document.standard_conflict", report.Warning, "File names two versions of PDF/X",
			"Export the file once more as one version of PDF/X; a later edit changed one of the two marks.", "ISO 15930-7", func(in *input) string {
				found := claims(in.doc, "PDF/X")
				return when(len(found) > 1, fmt.Sprintf("The file says that it is %s; it can be only one.", listed(found)))
			}),
		row("document.standards", report.Info, "Standards that the file claims", "Nothing has to be done; the claim itself is not checked by this rule.", "", standards),
		row("document.trapped", report.Warning, "File is trapped already", "Export without trapping; the printer traps for the press and the material.",
			"ISO 32000-2 14.11.6", func(in *input) string {
				return when(in.doc.Trapped == "True", "The file says that it is trapped already.")
			}),
		row("document.trapped_missing", report.Info, "File does not say whether it is trapped", "Export as PDF/X, which says so (Trapped).",
			"ISO 15930-7; ISO 32000-2 14.11.6", func(in *input) string {
				return when(in.doc.Trapped != "True" && in.doc.Trapped != "False", "The file does not say whether it is trapped.")
			}),
		row("document.id_missing", report.Info, "File has no identifier", "Export the file once more; current software writes the identifier.",
			"ISO 32000-2 14.4", func(in *input) string { return when(!in.doc.HasID, "The file has no identifier (ID in its trailer).") }),
		row("document.dates_missing", report.Info, "Dates are missing", "Export the file once more; current software writes both dates.",
			"ISO 15930-7; ISO 32000-2 14.3.3", datesMissing),
		row("document.title_missing", report.Info, "Title is missing", "Give the document a title in its properties and export it once more.",
			"ISO 15930-7", func(in *input) string { return when(in.doc.Title == "", "The file has no title.") }),
	}
}

// when returns the sentence if the condition holds, or "".
func when(condition bool, sentence string) string {
	if condition {
		return sentence
	}
	return ""
}

func versionAbove(in *input) []observation {
	version, err := strconv.ParseFloat(in.doc.PDFVersion, 64)
	if err != nil || !in.breaksLimit(version) {
		return nil
	}
	return []observation{{
		value:   measured(version, 1),
		message: fmt.Sprintf("The file is PDF %s; the newest version that is allowed is %.1f.", in.doc.PDFVersion, *in.setting.Limit),
	}}
}

// claims returns the versions of a family of standards that the file claims.
func claims(doc *facts.Document, family string) []string {
	var out []string
	for _, s := range doc.Standards {
		if s.Family == family && !slices.Contains(out, s.Version) {
			out = append(out, s.Version)
		}
	}
	return out
}

// notStandard requires a version of PDF/X, of any year.
func notStandard(version string) func(*input) string {
	return func(in *input) string {
		found := claims(in.doc, "PDF/X")
		if slices.ContainsFunc(found, func(v string) bool { return v == version || strings.HasPrefix(v, version+":") || v == version+"p" }) {
			return ""
		}
		if len(found) == 0 {
			return fmt.Sprintf("The file does not say that it is %s.", version)
		}
		return fmt.Sprintf("The file says that it is %s, not %s.", listed(found), version)
	}
}

func standards(in *input) string {
	var found []string
	for _, s := range in.doc.Standards {
		if !slices.Contains(found, s.Version) {
			found = append(found, s.Version)
		}
	}
	return when(len(found) > 0, fmt.Sprintf("The file says that it is %s.", listed(found)))
}

func datesMissing(in *input) string {
	var missing []string
	if in.doc.Created == "" {
		missing = append(missing, "when it was made")
	}
	if in.doc.Modified == "" {
		missing = append(missing, "when it was changed")
	}
	return when(len(missing) > 0, fmt.Sprintf("The file does not say %s.", listed(missing)))
}
