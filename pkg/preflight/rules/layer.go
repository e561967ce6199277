// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func layers() []Rule {
	row := func(id string, severity report.Severity, title, hint, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryLayer, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: j}
	}
	return []Rule{
		row("layer.present", report.Info, "Layers are used", "Nothing has to be done if all layers are meant to be printed.", "GWG 2015 4.29; ISO 32000-2 8.11",
			once(func(in *input) string {
				var names []string
				for _, l := range in.doc.Layers {
					names = append(names, l.Name)
				}
				return when(len(names) > 0, fmt.Sprintf("The file has layers: %s.", listed(names)))
			})),
		// Processing steps are not meant to be printed.
		row("layer.hidden", report.Warning, "Layer is not printed", "Delete the layer, or switch it on, and export once more.", "GWG 2015 4.29; ISO 32000-2 8.11.4",
			everyLayer(func(l *facts.Layer) string {
				return when(!l.Printed && l.Uses.Count > 0 && l.Group == "",
					fmt.Sprintf("The layer %s has content on %s but is switched off; it is not printed.", l.Name, pagesInWords(l.Uses.Count)))
			})),
		row("layer.processing_step", report.Info, "Layer for a processing step", "Nothing has to be done if the step was ordered.", "ISO 19593-1",
			everyLayer(func(l *facts.Layer) string {
				step := l.Group
				if l.Type != "" {
					step += ", " + l.Type
				}
				return when(l.Group != "", fmt.Sprintf("The layer %s is for a processing step: %s.", l.Name, step))
			})),
	}
}

func everyLayer(check func(*facts.Layer) string) judge {
	return func(in *input) []observation {
		var out []observation
		for _, l := range in.doc.Layers {
			if message := check(l); message != "" {
				out = append(out, used(&l.Uses, nil, l.Object, message))
			}
		}
		return out
	}
}
