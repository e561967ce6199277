// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/profile"
)

// notEmbedded looks at fonts that show text; merely declared ones do no harm.
func notEmbedded(doc *facts.Document, _ profile.Profile, _ profile.Setting) []observation {
	var out []observation
	for _, font := range doc.Fonts {
		if font.Embedded || font.Uses.Count == 0 {
			continue
		}
		out = append(out, observation{
			page: font.Uses.Pages[0], object: font.Object, count: font.Uses.Count,
			message: fmt.Sprintf("The font %s (%s) is used on %s but is not in the file; the printer would have to guess its shapes.",
				font.Name, font.Type, pagesInWords(font.Uses.Count)),
		})
	}
	return out
}

func pagesInWords(n int) string {
	if n == 1 {
		return "one page"
	}
	return fmt.Sprintf("%d pages", n)
}

// minEdge is the shortest edge of an image in pixels that is worth judging:
// smaller ones are lines, shadows and fills cut into strips.
const minEdge = 16

func resolutionLow(doc *facts.Document, _ profile.Profile, s profile.Setting) []observation {
	if s.Limit == nil {
		return nil
	}
	return resolution(doc, func(i *facts.Image, ppi float64) bool { return ppi < *s.Limit })
}

// resolutionBelowTarget leaves what is too low to image.ppi_low, and images of
// one bit, which have targets of their own.
func resolutionBelowTarget(doc *facts.Document, p profile.Profile, s profile.Setting) []observation {
	if s.Limit == nil {
		return nil
	}
	low := 0.0
	if limit := p.Rules["image.ppi_low"].Limit; limit != nil {
		low = *limit
	}
	return resolution(doc, func(i *facts.Image, ppi float64) bool {
		return ppi < *s.Limit && ppi >= low && i.Bits != 1
	})
}

// resolution makes one observation of all placements of an image on one page:
// the worst, with their count.
func resolution(doc *facts.Document, wrong func(*facts.Image, float64) bool) []observation {
	type key struct {
		page   int
		object string
		width  int
		height int
	}
	var out []observation
	index := map[key]int{}
	for n := range doc.Images {
		image := &doc.Images[n]
		// What the report shows is what is compared: 299.96 is 300.0.
		ppi := geom.Round(image.PPI(), 1)
		if image.Hidden || image.Width < minEdge || image.Height < minEdge || !wrong(image, ppi) {
			continue
		}
		k := key{image.Page, image.Object, image.Width, image.Height}
		i, known := index[k]
		if !known {
			i = len(out)
			index[k] = i
			out = append(out, observation{page: image.Page, object: image.Object})
		}
		o := &out[i]
		o.count++
		if o.value == nil || ppi < *o.value {
			o.value, o.box = &ppi, &image.Box
			o.message = fmt.Sprintf("An image of %d x %d pixels is printed at %.0f ppi.", image.Width, image.Height, ppi)
		}
	}
	return out
}

func rgb(doc *facts.Document, _ profile.Profile, _ profile.Setting) []observation {
	var out []observation
	for _, color := range doc.Colors {
		if !isRGB(color.Space) {
			continue
		}
		out = append(out, observation{
			page: color.Uses.Pages[0], box: color.First[0], count: color.Uses.Count,
			message: fmt.Sprintf("Colours made of red, green and blue (%s) are used on %s; presses print other colours.",
				color.Space, pagesInWords(color.Uses.Count)),
		})
	}
	return out
}

func isRGB(space string) bool {
	return space == "DeviceRGB" || space == "CalRGB" || space == "ICCBased-RGB"
}
