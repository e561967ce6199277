// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func fonts() []Rule {
	row := func(id string, severity report.Severity, ref string, wrong func(*facts.Font) bool) Rule {
		judge := func(in *input) []observation {
			var out []observation
			for _, font := range in.doc.Fonts {
				if wrong(font) {
					v := values{"font": font.Name, "type": font.Type, "pages": float64(font.Uses.Count)}
					out = append(out, used(&font.Uses, nil, font.Object, message{values: v}))
				}
			}
			return out
		}
		return Rule{ID: id, Category: report.CategoryFont, Severity: severity, Ref: ref, judge: judge}
	}
	return []Rule{
		row("font.not_embedded", report.Error, "GWG 2015 4.1; ISO 15930-7; ISO 32000-2 9.9", func(f *facts.Font) bool {
			return !f.Embedded && f.Type != "Type3" && f.Uses.Count > 0
		}),
		row("font.declared_unused", report.Info, "ISO 32000-2 9.9", func(f *facts.Font) bool {
			return !f.Embedded && f.Type != "Type3" && f.Uses.Count == 0
		}),
		row("font.type3", report.Info, "ISO 32000-2 9.6.4", func(f *facts.Font) bool { return f.Type == "Type3" && f.Uses.Count > 0 }),
		row("font.courier", report.Warning, "GWG 2015 4.14", func(f *facts.Font) bool {
			return strings.HasPrefix(f.Name, "Courier") && f.Uses.Count > 0
		}),
		row("font.not_subset", report.Info, "ISO 32000-2 9.9.2", func(f *facts.Font) bool {
			return f.Embedded && !f.Subset && f.Type != "Type3" && f.Uses.Count > 0
		}),
	}
}
