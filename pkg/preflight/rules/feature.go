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
	return []Rule{
		featureRule("structure.unknown_operator", report.Warning, "ISO 32000-2 7.8.2", facts.UnknownOperator, "operator"),
		featureRule("feature.postscript", report.Error, "ISO 32000-2 8.8.2; ISO 15930-7", facts.PostScript, ""),
		featureRule("feature.transfer_function", report.Warning, "ISO 32000-2 10.5; ISO 15930-7", facts.TransferFunction, ""),
		featureRule("feature.halftone", report.Warning, "ISO 32000-2 10.6; ISO 15930-7", facts.Halftone, ""),
		featureRule("feature.black_generation", report.Info, "ISO 32000-2 10.4.2.4", facts.BlackGeneration, ""),
		featureRule("feature.private_data", report.Info, "ISO 32000-2 14.5", facts.PrivateData, ""),
		featureRule("feature.reference_xobject", report.Error, "ISO 32000-2 8.10.4; ISO 15930-7", facts.ReferenceXObject, ""),
	}
}

// featureRule returns a rule about one kind of feature. Its category is the first
// part of its id. A name of the detail makes it a parameter of the message.
func featureRule(id string, severity report.Severity, ref string, kind facts.FeatureKind, detail string) Rule {
	category, _, _ := strings.Cut(id, ".")
	return Rule{ID: id, Category: report.Category(category), Severity: severity, Ref: ref, judge: featureDetail(kind, detail)}
}

// featureDetail returns an observation of each use of a kind of feature, with its
// detail as a parameter of that name, if any.
func featureDetail(kind facts.FeatureKind, name string) judge {
	return func(in *input) []observation {
		var out []observation
		for _, f := range in.doc.Features {
			if f.Kind != kind {
				continue
			}
			var m message
			if name != "" {
				m.values = values{name: f.Detail}
			}
			out = append(out, used(&f.Uses, f.First, f.Object, m))
		}
		return out
	}
}
