// SPDX-License-Identifier: Apache-2.0

package view

import (
	_ "embed"
	"slices"

	"github.com/a-h/templ"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// ViewerStyle is the style sheet of [Parts]. It uses the variables ink, paper, line, quiet, link, canvas,
// error, warning, info, pass and on of the page.
//
//go:embed viewer.css
var ViewerStyle string // constant

// Parts are parts of the page that [HTML] writes, for other pages. They need no script.
type Parts struct {
	// Viewer is the drawing of one page of the file with its findings, layers and controls; nil without
	// pictures. The close-ups of the findings need it on the same page.
	Viewer templ.Component
	// Groups hold the findings by the kind of work that they require. Groups without findings are left out.
	Groups []Group
}

// Group holds the findings that require the same kind of work, the gravest first.
type Group struct {
	// Title and Note name the kind of work and explain it, in the language of the report.
	Title, Note string
	// Findings are the first findings, each with a close-up if its page has a picture. More counts the
	// others.
	Findings []templ.Component
	More     int
}

// Page selects what [NewParts] shows, and where the links and pictures of the parts lead.
type Page struct {
	// Pages are the pages with pictures, and Drawn is the number of the page that the viewer draws.
	Pages []pageimage.Page
	Drawn int
	// Findings bounds the findings of each group. Report is the address of the page that has all of them.
	Findings int
	Report   string
	// Drawing returns the address where a page is drawn.
	Drawing func(page int) string
	// Layer returns the address of a layer of the drawn page as [pageimage.Set.JPEG] returns it, Preview
	// that of a smaller picture of another page, which only close-ups show, and CloseUp that of a close-up of
	// a page by its index, as [pageimage.Set.CloseUp] returns it.
	Layer   func(layer string) string
	Preview func(page int) string
	CloseUp func(page, i int) string
}

// NewParts returns the parts of a report for another page.
func NewParts(r report.Report, p Page) Parts {
	v := view{Report: r, in: texts.In(r.Language), Safe: safeZone(r)}
	v.group()
	listed := map[int]bool{p.Drawn: true} // by page
	for _, g := range v.Groups {
		for i := range g.Findings {
			f := &g.Findings[i]
			if i < p.Findings {
				listed[f.Page] = true
			} else {
				f.Address = p.Report + f.Address
			}
		}
	}
	found := v.byPage()
	drawn := v
	for i := range r.Pages {
		page := &r.Pages[i]
		at := slices.IndexFunc(p.Pages, func(pictured pageimage.Page) bool { return pictured.Number == page.Number })
		if at < 0 || !listed[page.Number] {
			continue
		}
		m := newMap(v.in, page, r.Images, found[page.Number], v.Safe)
		m.Address, m.Picture = p.Drawing(page.Number), &picture{Page: p.Pages[at]}
		if page.Number == p.Drawn {
			m.layer(layer{Name: v.in.Report("layerPrinted"), Address: p.Layer(pageimage.Printed)})
			m.addHeatLayer()
			for _, ink := range m.Picture.Inks[:min(len(m.Picture.Inks), maxLayers-len(m.Picture.Layers))] {
				m.layer(layer{Name: ink, Address: p.Layer(ink)})
			}
			drawn.Maps = []pageMap{m}
		} else {
			m.layer(layer{Address: p.Preview(page.Number)})
		}
		for k := range m.Picture.CloseUps {
			m.Picture.Parts = append(m.Picture.Parts, layer{Address: p.CloseUp(page.Number, k)})
		}
		v.Maps = append(v.Maps, m)
	}
	v.linkMaps()
	var parts Parts
	if len(p.Pages) > 0 {
		parts.Viewer = viewer(v.Maps, drawn)
	}
	for _, g := range v.Groups {
		shown := min(len(g.Findings), p.Findings)
		group := Group{Title: v.in.Report("group/" + g.ID), Note: v.in.Report("group/" + g.ID + "/note"), More: len(g.Findings) - shown}
		for i := range g.Findings[:shown] {
			group.Findings = append(group.Findings, finding(g.Findings[i]))
		}
		parts.Groups = append(parts.Groups, group)
	}
	return parts
}
