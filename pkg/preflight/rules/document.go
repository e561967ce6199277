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

// documents is about what the file says of itself.
func documents() []Rule {
	const asX = "Export as PDF/X, best PDF/X-4, with the printing condition that your printer names."
	row := func(id string, severity report.Severity, title, hint, ref string, ask func(*question) string) Rule {
		return Rule{ID: id, Category: report.CategoryDocument, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: once(ask)}
	}
	return []Rule{
		{
			ID: "document.version_above", Category: report.CategoryDocument, Severity: report.Warning, Title: "PDF version is newer than allowed",
			Op: atMost, Unit: "PDF version", FixHint: "Export with an older version of PDF; the settings of PDF/X choose the right one.",
			Ref: "ISO 32000-2 7.5.2", judge: versionAbove,
		},
		row("document.pdfx_missing", report.Info, "File is no PDF/X", asX, "GWG 2015 4.1", pdfxMissing),
		row("document.not_pdfx4", report.Error, "File is no PDF/X-4", "Export as PDF/X-4.", "ISO 15930-7", notStandard("PDF/X-4")),
		row("document.not_pdfx1a", report.Error, "File is no PDF/X-1a", "Export as PDF/X-1a.", "ISO 15930-4", notStandard("PDF/X-1a")),
		row("document.standard_conflict", report.Warning, "File names two versions of PDF/X",
			"Export the file once more as one version of PDF/X; a later edit changed one of the two marks.", "ISO 15930-7", standardConflict),
		row("document.standards", report.Info, "Standards that the file claims", "Nothing has to be done; the claim itself is not checked by this rule.", "", standards),
		row("document.trapped", report.Warning, "File is trapped already", "Export without trapping; the printer traps for the press and the material.",
			"ISO 32000-2 14.11.6", trapped),
		row("document.trapped_missing", report.Info, "File does not say whether it is trapped", "Export as PDF/X, which says so (Trapped).",
			"ISO 15930-7; ISO 32000-2 14.11.6", trappedMissing),
		row("document.id_missing", report.Info, "File has no identifier", "Export the file once more; current software writes the identifier.",
			"ISO 32000-2 14.4", func(q *question) string { return when(!q.doc.HasID, "The file has no identifier (ID in its trailer).") }),
		row("document.dates_missing", report.Info, "Dates are missing", "Export the file once more; current software writes both dates.",
			"ISO 15930-7; ISO 32000-2 14.3.3", datesMissing),
		row("document.title_missing", report.Info, "Title is missing", "Give the document a title in its properties and export it once more.",
			"ISO 15930-7", func(q *question) string { return when(q.doc.Title == "", "The file has no title.") }),
	}
}

// when is a sentence if something is so.
func when(so bool, sentence string) string {
	if so {
		return sentence
	}
	return ""
}

func versionAbove(q *question) []observation {
	version, err := strconv.ParseFloat(q.doc.PDFVersion, 64)
	if err != nil || !q.wrong(version) {
		return nil
	}
	return []observation{{
		value:   measured(version, 1),
		message: fmt.Sprintf("The file is PDF %s; the newest version that is allowed is %.1f.", q.doc.PDFVersion, *q.setting.Limit),
	}}
}

// claims are the versions of a family that the file claims.
func claims(doc *facts.Document, family string) []string {
	var out []string
	for _, s := range doc.Standards {
		if s.Family == family && !slices.Contains(out, s.Version) {
			out = append(out, s.Version)
		}
	}
	return out
}

func pdfxMissing(q *question) string {
	return when(len(claims(q.doc, "PDF/X")) == 0, "The file does not say that it is a PDF/X, the PDF for print.")
}

// notStandard asks for a version of PDF/X, whose later years are as good.
func notStandard(version string) func(*question) string {
	return func(q *question) string {
		found := claims(q.doc, "PDF/X")
		if slices.ContainsFunc(found, func(v string) bool { return v == version || strings.HasPrefix(v, version+":") || v == version+"p" }) {
			return ""
		}
		if len(found) == 0 {
			return fmt.Sprintf("The file does not say that it is %s.", version)
		}
		return fmt.Sprintf("The file says that it is %s, not %s.", listed(found), version)
	}
}

func standardConflict(q *question) string {
	found := claims(q.doc, "PDF/X")
	return when(len(found) > 1, fmt.Sprintf("The file says that it is %s; it can be only one.", listed(found)))
}

func standards(q *question) string {
	var found []string
	for _, s := range q.doc.Standards {
		if !slices.Contains(found, s.Version) {
			found = append(found, s.Version)
		}
	}
	return when(len(found) > 0, fmt.Sprintf("The file says that it is %s.", listed(found)))
}

func trapped(q *question) string {
	return when(q.doc.Trapped == "True", "The file says that it is trapped already.")
}

func trappedMissing(q *question) string {
	return when(q.doc.Trapped != "True" && q.doc.Trapped != "False", "The file does not say whether it is trapped.")
}

func datesMissing(q *question) string {
	var missing []string
	if q.doc.Created == "" {
		missing = append(missing, "when it was made")
	}
	if q.doc.Modified == "" {
		missing = append(missing, "when it was changed")
	}
	return when(len(missing) > 0, fmt.Sprintf("The file does not say %s.", listed(missing)))
}
