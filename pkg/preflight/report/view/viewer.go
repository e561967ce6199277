// SPDX-License-Identifier: Apache-2.0

package view

import (
	_ "embed"

	"github.com/a-h/templ"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// ViewerStyle is the style sheet of a [Viewer]. It uses the variables ink, paper, line, quiet and link of
// the page.
//
//go:embed viewer.css
var ViewerStyle string // constant

// Viewer returns a part of a page of HTML: the drawing of one page of a file with its findings, layers
// and controls, as in [HTML]. It needs no script. Each pin links to its finding on the page of the report,
// whose address is details. address returns the address of a layer as [pageimage.Set.JPEG] returns it.
func Viewer(r report.Report, pictured pageimage.Page, details string, address func(layer string) string) templ.Component {
	v := view{Report: r, in: texts.In(r.Language), Safe: safeZone(r)}
	v.group()
	for i := range r.Pages {
		page := &r.Pages[i]
		if page.Number != pictured.Number {
			continue
		}
		m := newMap(v.in, page, r.Images, v.byPage()[page.Number], v.Safe)
		m.Details, m.Picture = details, &picture{Page: pictured}
		m.layer(layer{Name: v.in.Report("layerPrinted"), Address: address(pageimage.Printed)})
		m.addHeatLayer()
		for _, ink := range pictured.Inks[:min(len(pictured.Inks), maxLayers-len(m.Picture.Layers))] {
			m.layer(layer{Name: ink, Address: address(ink)})
		}
		v.Maps = append(v.Maps, m)
	}
	return viewer(v)
}
