// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// documents returns the rules about the properties of the document.
func documents() []Rule {
	row := func(id string, severity report.Severity, ref string, check func(*input) *message) Rule {
		return Rule{ID: id, Category: report.CategoryDocument, Severity: severity, Ref: ref, judge: once(check)}
	}
	return []Rule{
		{
			ID: "document.version_above", Category: report.CategoryDocument, Severity: report.Warning,
			Op: atMost, Unit: "PDF version", Ref: "ISO 32000-2 7.5.2", judge: versionAbove,
		},
		row("document.pdfx_missing", report.Info, "GWG 2015 4.1", func(in *input) *message {
			return when(len(claims(in.doc)) == 0, nil)
		}),
		row("document.not_pdfx4", report.Error, "ISO 15930-7", notStandard("PDF/X-4")),
		row("document.not_pdfx1a", report.Error, "ISO 15930-4", notStandard("PDF/X-1a")),
		row("document.not_pdfx3", report.Error, "ISO 15930-6", notStandard("PDF/X-3")),
		row("document.not_pdfx6", report.Error, "ISO 15930-9", notStandard("PDF/X-6")),
		row("document.standard_conflict", report.Warning, "ISO 15930-7", func(in *input) *message {
			found := claims(in.doc)
			return when(len(found) > 1, listed("standards", found))
		}),
		row("document.standards", report.Info, "", func(in *input) *message {
			var found []string
			for _, s := range in.doc.Standards {
				if !slices.Contains(found, s.Version) {
					found = append(found, s.Version)
				}
			}
			return when(len(found) > 0, listed("standards", found))
		}),
		row("document.trapped", report.Warning, "ISO 32000-2 14.11.6", func(in *input) *message {
			return when(in.doc.Trapped == "True", nil)
		}),
		row("document.trapped_missing", report.Info, "ISO 15930-7; ISO 32000-2 14.11.6", func(in *input) *message {
			return when(in.doc.Trapped != "True" && in.doc.Trapped != "False", nil)
		}),
		row("document.id_missing", report.Info, "ISO 32000-2 14.4", func(in *input) *message { return when(!in.doc.HasID, nil) }),
		row("document.dates_missing", report.Info, "ISO 15930-7; ISO 32000-2 14.3.3", func(in *input) *message {
			var missing []string
			if in.doc.Created == "" {
				missing = append(missing, "created")
			}
			if in.doc.Modified == "" {
				missing = append(missing, "modified")
			}
			return when(len(missing) > 0, values{"dates": missing})
		}),
		row("document.title_missing", report.Info, "ISO 15930-7", func(in *input) *message { return when(in.doc.Title == "", nil) }),
	}
}

func versionAbove(in *input) []observation {
	version, err := strconv.ParseFloat(in.doc.PDFVersion, 64)
	if err != nil || !in.breaksLimit(version) {
		return nil
	}
	return []observation{{
		value:   measured(version, 1),
		message: message{values: values{"version": in.doc.PDFVersion}},
	}}
}

// claims returns the versions of PDF/X that the file claims.
func claims(doc *facts.Document) []string {
	var out []string
	for _, s := range doc.Standards {
		if s.Family == "PDF/X" && !slices.Contains(out, s.Version) {
			out = append(out, s.Version)
		}
	}
	return out
}

// notStandard requires a known version of PDF/X, of any year.
func notStandard(version string) func(*input) *message {
	return func(in *input) *message {
		found := claims(in.doc)
		if slices.ContainsFunc(versions, func(s standard) bool {
			return slices.Contains(found, s.name) && (s.name == version || strings.HasPrefix(s.name, version+":") || s.name == version+"p")
		}) {
			return nil
		}
		v := values{"required": version}
		if len(found) == 0 {
			return &message{values: v}
		}
		return &message{variant: "other", values: v.list("standards", found)}
	}
}
