// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/profile"
)

func pageCount(doc *facts.Document, _ profile.Profile, s profile.Setting) []observation {
	count := float64(len(doc.Pages))
	if !doc.Opened || s.Limit == nil || count >= *s.Limit {
		return nil
	}
	return []observation{{message: fmt.Sprintf("The number of pages is %d; at least %.0f must be there.", len(doc.Pages), *s.Limit), value: &count}}
}

// everyPage makes a rule of a question to each page.
func everyPage(ask func(*facts.Page, profile.Setting) (observation, bool)) judge {
	return func(doc *facts.Document, _ profile.Profile, s profile.Setting) []observation {
		var out []observation
		for i := range doc.Pages {
			page := &doc.Pages[i]
			if o, wrong := ask(page, s); wrong {
				o.page = page.Number
				out = append(out, o)
			}
		}
		return out
	}
}

func trimMissing(doc *facts.Document, p profile.Profile, s profile.Setting) []observation {
	return everyPage(func(page *facts.Page, _ profile.Setting) (observation, bool) {
		return observation{message: "The page does not say where it will be cut: it has neither TrimBox nor ArtBox."},
			page.Trim == nil && page.Art == nil
	})(doc, p, s)
}

// nesting compares boxes that the file declares; a CropBox may be anything
// inside or outside, because viewers cut it to the MediaBox.
func nesting(doc *facts.Document, p profile.Profile, s profile.Setting) []observation {
	return everyPage(func(page *facts.Page, s profile.Setting) (observation, bool) {
		slack := s.Tolerance / geom.Millimetres(page.UserUnit)
		media := &page.Media
		for _, pair := range []struct {
			inner, outer         *geom.Rect
			innerName, outerName string
		}{
			{page.Trim, page.Bleed, "TrimBox", "BleedBox"},
			{page.Trim, media, "TrimBox", "MediaBox"},
			{page.Bleed, media, "BleedBox", "MediaBox"},
			{page.Art, page.Bleed, "ArtBox", "BleedBox"},
			{page.Art, media, "ArtBox", "MediaBox"},
		} {
			if pair.inner != nil && pair.outer != nil && !pair.outer.Contains(*pair.inner, slack) {
				return observation{
					box:     pair.inner,
					message: fmt.Sprintf("The %s is not inside the %s.", pair.innerName, pair.outerName),
				}, true
			}
		}
		return observation{}, false
	})(doc, p, s)
}

func bleedMissing(doc *facts.Document, p profile.Profile, s profile.Setting) []observation {
	return everyPage(func(page *facts.Page, s profile.Setting) (observation, bool) {
		bleed := page.BleedEdges()
		widest := max(bleed.Top, bleed.Right, bleed.Bottom, bleed.Left)
		return observation{message: "The page has no bleed: nothing extends beyond the edge where it will be cut."},
			widest <= s.Tolerance
	})(doc, p, s)
}

// bleedShort leaves pages without any bleed to box.bleed_missing.
func bleedShort(doc *facts.Document, p profile.Profile, s profile.Setting) []observation {
	none := p.Rules["box.bleed_missing"].Tolerance
	return everyPage(func(page *facts.Page, s profile.Setting) (observation, bool) {
		bleed := page.BleedEdges()
		edges := []struct {
			name string
			mm   float64
		}{{"top", bleed.Top}, {"right", bleed.Right}, {"bottom", bleed.Bottom}, {"left", bleed.Left}}
		var short []string
		least, widest := edges[0].mm, edges[0].mm
		for _, edge := range edges {
			least, widest = min(least, edge.mm), max(widest, edge.mm)
			if s.Limit != nil && edge.mm < *s.Limit-s.Tolerance {
				short = append(short, edge.name)
			}
		}
		if len(short) == 0 || widest <= none {
			return observation{}, false
		}
		value, area := geom.Round(least, 2), page.BleedArea()
		return observation{
			box: &area, value: &value,
			message: fmt.Sprintf("The bleed is only %.1f mm; it is too small at: %s.", value, strings.Join(short, ", ")),
		}, true
	})(doc, p, s)
}
