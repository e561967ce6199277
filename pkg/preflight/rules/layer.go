// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func layers() []Rule {
	row := func(id string, severity report.Severity, ref string, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryLayer, Severity: severity, Ref: ref, judge: j}
	}
	return []Rule{
		row("layer.present", report.Info, "GWG 2015 4.29; ISO 32000-2 8.11", once(func(in *input) *message {
			var names []string
			for _, l := range in.doc.Layers {
				names = append(names, l.Name)
			}
			return when(len(names) > 0, listed("layers", names))
		})),
		row("layer.configurations", report.Warning, "GWG 2022 R0034; ISO 32000-2 table 98", once(func(in *input) *message {
			return when(slices.ContainsFunc(in.doc.Features, func(f *facts.Feature) bool { return f.Kind == facts.LayerConfigurations }), nil)
		})),
		// Processing steps are not meant to be printed.
		row("layer.hidden", report.Warning, "GWG 2015 4.29; ISO 32000-2 8.11.4", everyLayer(func(l *facts.Layer) *message {
			return when(!l.Printed && l.Uses.Count > 0 && l.Group == "", values{"layer": l.Name, "pages": float64(l.Uses.Count)})
		})),
		row("layer.processing_step", report.Info, "ISO 19593-1", everyLayer(func(l *facts.Layer) *message {
			step := l.Group
			if l.Type != "" {
				step += ", " + l.Type
			}
			return when(l.Group != "", values{"layer": l.Name, "step": step})
		})),
	}
}

func everyLayer(check func(*facts.Layer) *message) judge {
	return func(in *input) []observation {
		var out []observation
		for _, l := range in.doc.Layers {
			if m := check(l); m != nil {
				out = append(out, used(&l.Uses, nil, l.Object, *m))
			}
		}
		return out
	}
}
