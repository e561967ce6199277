// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func transparencies() []Rule {
	return []Rule{
		{
			ID: "transparency.blend_space", Category: report.CategoryTransparency, Severity: report.Error,
			Ref: "GWG 2022 R0030; ISO 32000-2 11.4.7", judge: func(in *input) []observation {
				var out []observation
				for _, f := range in.doc.Features {
					if f.Kind == facts.GroupSpace && f.Detail != "DeviceCMYK" {
						out = append(out, used(&f.Uses, f.First, f.Object, message{values: values{"space": f.Detail}}))
					}
				}
				return out
			},
		},
		{
			ID: "transparency.used", Category: report.CategoryTransparency, Severity: report.Info,
			Ref: "GWG 2015 4.24; ISO 32000-2 11.1", judge: transparencyUsed,
		},
		{
			ID: "transparency.blend_space_rgb", Category: report.CategoryTransparency, Severity: report.Warning,
			Ref: "GWG 2015 4.25; ISO 32000-2 11.3.4", judge: everyPage(func(_ *input, page *facts.Page) (observation, bool) {
				if !page.Transparent || page.Group == nil || !slices.Contains([]string{"DeviceRGB", "CalRGB", "ICCBased-RGB"}, page.Group.Space) {
					return observation{}, false
				}
				return observation{message: message{values: values{"space": page.Group.Space}}}, true
			}),
		},
	}
}

// transparencyUsed returns one observation for all kinds: prepress needs to know
// whether and where, not how often each kind is used.
func transparencyUsed(in *input) []observation {
	var kinds []string
	var all facts.Uses
	var o observation
	for _, f := range in.doc.Features {
		if f.Kind != facts.Transparency {
			continue
		}
		kinds = append(kinds, f.Detail)
		if all.Count == 0 || f.Uses.Count > all.Count {
			all = f.Uses
			o = used(&f.Uses, f.First, f.Object, message{})
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	slices.Sort(kinds)
	o.message.values = listed("kinds", slices.Compact(kinds))
	return []observation{o}
}
