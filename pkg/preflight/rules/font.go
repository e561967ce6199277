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
		row("font.damaged", report.Error, "ISO 32000-2 9.9", func(f *facts.Font) bool { return f.Damaged && f.Uses.Count > 0 }),
		row("font.embedding_restricted", report.Warning, "OpenType OS/2 fsType", func(f *facts.Font) bool {
			return f.Restricted && f.Uses.Count > 0
		}),
		row("font.subset_of_subset", report.Info, "ISO 32000-2 9.9.2", func(f *facts.Font) bool { return f.Resubset && f.Uses.Count > 0 }),
		{
			ID: "font.glyph_missing", Category: report.CategoryFont, Severity: report.Error, Ref: "ISO 32000-2 9.7.6.3; ISO 15930-7",
			judge: glyphFaults(func(_ *input, f *facts.Font) *facts.GlyphFault { return &f.Missing }),
		},
		{
			ID: "font.width_mismatch", Category: report.CategoryFont, Severity: report.Warning, Ref: "ISO 32000-2 9.2.4; ISO 15930-7",
			Op: atMost, Unit: "1/1000 em",
			judge: glyphFaults(func(in *input, f *facts.Font) *facts.GlyphFault {
				if !in.breaksLimit(f.Width.Worst) {
					return nil
				}
				return &f.Width
			}),
		},
	}
}

// glyphFaults returns a rule about glyphs that pages show: of selects the fault of a font, or nil.
func glyphFaults(of func(*input, *facts.Font) *facts.GlyphFault) judge {
	return func(in *input) []observation {
		var out []observation
		for _, font := range in.doc.Fonts {
			fault := of(in, font)
			if fault == nil || fault.Count == 0 || font.Uses.Count == 0 {
				continue
			}
			v := values{"font": font.Name, "glyphs": float64(fault.Count), "codes": fault.Codes}
			if over := fault.Count - len(fault.Codes); over > 0 {
				v["codesOmitted"] = float64(over)
			}
			o := observation{page: fault.Page, box: &fault.Box, object: font.Object, message: message{values: v}}
			if in.rule.Op != "" {
				o.value = measured(fault.Worst, 0)
			}
			out = append(out, o)
		}
		return out
	}
}
