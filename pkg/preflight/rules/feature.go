// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// features returns the rules about parts of the imaging model that printers treat
// differently.
func features() []Rule {
	const again = "Export once more from current software with a preset for PDF/X."
	unknown := featureRule("structure.unknown_operator", report.Warning, "Unknown drawing operator", again, "ISO 32000-2 7.8.2",
		facts.UnknownOperator, "The page contains an instruction that no PDF has (%s); something may be missing in print.")
	unknown.Category = report.CategoryStructure
	return []Rule{
		unknown,
		featureRule("feature.postscript", report.Error, "PostScript inside the PDF", again, "ISO 32000-2 8.8.2; ISO 15930-7",
			facts.PostScript, "The file contains PostScript, which most printers ignore."),
		featureRule("feature.transfer_function", report.Warning, "Transfer function", "Remove transfer functions when exporting; they change all tones.", "ISO 32000-2 10.5; ISO 15930-7",
			facts.TransferFunction, "A transfer function changes the tones that are printed."),
		featureRule("feature.halftone", report.Warning, "Screening is fixed", "Remove screening when exporting; the printer chooses it for the press.", "ISO 32000-2 10.6; ISO 15930-7",
			facts.Halftone, "The file fixes the screening (halftone), which the printer would choose."),
		featureRule("feature.black_generation", report.Info, "Black generation is fixed", again, "ISO 32000-2 10.4.2.4",
			facts.BlackGeneration, "The file says how black is made of other colours, which the printer would choose."),
		featureRule("feature.private_data", report.Info, "Data of an application", "Export without the editing capabilities of the application; the file gets smaller.", "ISO 32000-2 14.5",
			facts.PrivateData, "The file contains data that only the application that made it can use."),
		featureRule("feature.reference_xobject", report.Error, "Content is in another file", "Export with all placed files inside.", "ISO 32000-2 8.10.4; ISO 15930-7",
			facts.ReferenceXObject, "Part of the page is in another file and would not be printed."),
	}
}

// featureRule returns a rule about one kind of feature. Its category is the first
// part of its id.
func featureRule(id string, severity report.Severity, title, hint, ref string, kind facts.FeatureKind, message string) Rule {
	category, _, _ := strings.Cut(id, ".")
	return Rule{
		ID: id, Category: report.Category(category), Severity: severity, Title: title, FixHint: hint, Ref: ref,
		judge: featureDetail(kind, message),
	}
}

// featureDetail returns an observation of each use of a kind of feature, with its
// detail in place of %s.
func featureDetail(kind facts.FeatureKind, message string) judge {
	return func(in *input) []observation {
		var out []observation
		for _, f := range in.doc.Features {
			if f.Kind == kind {
				out = append(out, used(&f.Uses, f.First, f.Object, filled(message, f.Detail)))
			}
		}
		return out
	}
}

// filled replaces %s, if any, by a word.
func filled(message, word string) string { return strings.Replace(message, "%s", word, 1) }
