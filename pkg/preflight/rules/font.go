// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func fonts() []Rule {
	const embed = "Embed all fonts when exporting, or convert the text to outlines."
	row := func(id string, severity report.Severity, title, hint, ref string, check func(*facts.Font) string) Rule {
		judge := func(in *input) []observation {
			var out []observation
			for _, font := range in.doc.Fonts {
				if message := check(font); message != "" {
					out = append(out, used(&font.Uses, nil, font.Object, message))
				}
			}
			return out
		}
		return Rule{ID: id, Category: report.CategoryFont, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: judge}
	}
	return []Rule{
		row("font.not_embedded", report.Error, "Font is not embedded", embed, "GWG 2015 4.1; ISO 15930-7; ISO 32000-2 9.9", func(f *facts.Font) string {
			return when(!f.Embedded && f.Type != "Type3" && f.Uses.Count > 0,
				fmt.Sprintf("The font %s (%s) is used on %s but is not in the file; the printer would have to guess its shapes.", f.Name, f.Type, pagesInWords(f.Uses.Count)))
		}),
		row("font.declared_unused", report.Info, "Unused font is not embedded", "Nothing has to be done for print; exporting once more removes fonts that are not used.",
			"ISO 32000-2 9.9", func(f *facts.Font) string {
				return when(!f.Embedded && f.Type != "Type3" && f.Uses.Count == 0,
					fmt.Sprintf("The font %s (%s) is declared but neither in the file nor used.", f.Name, f.Type))
			}),
		row("font.type3", report.Info, "Type 3 font is used", "Replace the font by a TrueType or OpenType font if its text looks coarse.", "ISO 32000-2 9.6.4", func(f *facts.Font) string {
			return when(f.Type == "Type3" && f.Uses.Count > 0,
				fmt.Sprintf("The Type 3 font %s is used on %s; its letters are drawings, and may be images.", f.Name, pagesInWords(f.Uses.Count)))
		}),
		row("font.courier", report.Warning, "Courier is used", "Check whether another font was meant: programs fall back to Courier when a font is missing.",
			"GWG 2015 4.14", func(f *facts.Font) string {
				return when(strings.HasPrefix(f.Name, "Courier") && f.Uses.Count > 0,
					fmt.Sprintf("The font %s is used on %s; it often stands in for a font that was missing.", f.Name, pagesInWords(f.Uses.Count)))
			}),
		row("font.not_subset", report.Info, "Font is embedded as a whole", "Export with fonts as subsets to make the file smaller.", "ISO 32000-2 9.9.2", func(f *facts.Font) string {
			return when(f.Embedded && !f.Subset && f.Type != "Type3" && f.Uses.Count > 0,
				fmt.Sprintf("The font %s is in the file with all its letters, used or not.", f.Name))
		}),
	}
}
