// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// minEdge is the shortest edge, in pixels, of pictures that are judged: smaller ones are lines,
// shadows and parts of fills.
const minEdge = 16

func images() []Rule {
	row := func(id string, severity report.Severity, ref string, check placement) Rule {
		return Rule{ID: id, Category: report.CategoryImage, Severity: severity, Ref: ref, judge: everyImage(check)}
	}
	ppi := func(id string, severity report.Severity, op, ref string, of func(*input, *facts.Image) bool, graver string) Rule {
		// The resolution is rounded as in the report: 299.96 is 300.0. Images of one colour, and
		// images that break the limit of a graver rule, are skipped.
		r := row(id, severity, ref, func(in *input, i *facts.Image) (float64, bool) {
			ppi := geom.Round(i.PPI(), 1)
			if !of(in, i) || i.Flat || i.Width < minEdge || i.Height < minEdge || !in.breaksLimit(ppi) {
				return 0, false
			}
			if s := in.profile.Rules[graver]; s.Limit != nil && boundsOf(in.rule.Op, *s.Limit, s.Tolerance).broken(ppi) {
				return 0, false
			}
			return ppi, true
		})
		r.Op, r.Unit, r.Tolerance = op, "ppi", "ppi"
		return r
	}
	quality := row("image.jpeg_quality", report.Info, "ISO 32000-2 7.4.8", func(in *input, i *facts.Image) (float64, bool) {
		quality := float64(i.Quality)
		return quality, i.Filter == "DCTDecode" && i.Quality > 0 && i.Width >= minEdge && i.Height >= minEdge && in.breaksLimit(quality)
	})
	quality.Op, quality.Unit = atLeast, "of 100"
	return []Rule{
		ppi("image.ppi_low", report.Error, atLeast, "GWG 2015 4.26", contone, ""),
		ppi("image.ppi_below_target", report.Warning, atLeast, "GWG 2015 4.26", contone, "image.ppi_low"),
		ppi("image.ppi_high", report.Info, atMost, "house rule", contone, ""),
		ppi("image.bitmap_ppi_low", report.Error, atLeast, "GWG 2015 4.27", bitmap, ""),
		ppi("image.bitmap_ppi_below_target", report.Warning, atLeast, "GWG 2015 4.27", bitmap, "image.bitmap_ppi_low"),
		ppi("image.page_ppi_low", report.Error, atLeast, "GWG 2022 R0033", rasterized, ""),
		ppi("image.page_ppi_below_target", report.Warning, atLeast, "GWG 2022 R0033", rasterized, "image.page_ppi_low"),
		row("image.16bit", report.Info, "house rule", imageWith(func(i *facts.Image) bool { return i.Bits == 16 })),
		row("image.jpx", report.Warning, "ISO 32000-2 7.4.9", imageWith(func(i *facts.Image) bool { return i.Filter == "JPXDecode" })),
		row("image.jbig2", report.Info, "ISO 32000-2 7.4.7", imageWith(func(i *facts.Image) bool { return i.Filter == "JBIG2Decode" })),
		row("image.interpolate", report.Info, "ISO 32000-2 8.9.5.3", imageWith(func(i *facts.Image) bool { return i.Interpolate })),
		quality,
		featureRule("image.opi", report.Error, "GWG 2015 4.1; ISO 32000-2 14.11.7", facts.OPI, ""),
		featureRule("image.alternate", report.Info, "ISO 32000-2 8.9.5.4", facts.Alternate, ""),
	}
}

// contone excludes images that are whole pages, if the profile has a limit for them.
func contone(in *input, i *facts.Image) bool {
	return !i.Bitonal() && (!in.selects("image.page_ppi_low") || !rasterized(in, i))
}

func bitmap(_ *input, i *facts.Image) bool { return i.Bitonal() }

// rasterized reports whether an image is all that a page shows, and covers it.
func rasterized(in *input, i *facts.Image) bool {
	page := &in.doc.Pages[i.Page-1]
	return !i.Bitonal() && page.Painted == 1 && i.Box.Contains(page.Finished(), 1)
}

// placement checks one placement of an image. It returns the measured value, and
// whether the placement breaks the rule.
type placement func(*input, *facts.Image) (float64, bool)

// everyImage returns a rule with one observation for all placements of an image on a
// page: the worst, with their count. It skips soft masks, which have no resolution of
// their own, and hidden images.
func everyImage(check placement) judge {
	type key struct {
		page   int
		object string
		width  int
		height int
	}
	return func(in *input) []observation {
		var out []observation
		index := map[key]int{}
		for n := range in.pictures {
			image := &in.pictures[n]
			if image.Hidden || image.Soft {
				continue
			}
			value, wrong := check(in, image)
			if !wrong {
				continue
			}
			k := key{image.Page, image.Object, image.Width, image.Height}
			i, known := index[k]
			if !known {
				i = len(out)
				index[k] = i
				out = append(out, observation{page: image.Page, object: image.Object, box: &image.Box, message: imageMessage(image)})
				if in.rule.Op != "" {
					out[i].value = &value
				}
			}
			o := &out[i]
			o.count++
			if o.value != nil && worse(in.rule.Op, value, *o.value) {
				o.value, o.box = &value, &image.Box
			}
		}
		return out
	}
}

// imageMessage describes an image by its kind and its pixels.
func imageMessage(i *facts.Image) message {
	kind := "image"
	if i.Bitonal() {
		kind = "bitmap"
	}
	return message{values: values{"image": kind, "width": float64(i.Width), "height": float64(i.Height)}}
}

// imageWith reports images for which a condition holds, without a value.
func imageWith(so func(*facts.Image) bool) placement {
	return func(_ *input, i *facts.Image) (float64, bool) { return 0, so(i) }
}
