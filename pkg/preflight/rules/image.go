// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// minEdge is the shortest edge, in pixels, of images that are judged: smaller images
// are lines, shadows and strips of fills.
const minEdge = 16

func images() []Rule {
	const (
		more  = "Place the image smaller, or replace it by one with more pixels; enlarging the pixels does not help."
		fewer = "Export with images reduced to the resolution that print needs; the file gets smaller and nothing is lost."
		again = "Save the image as TIFF or JPEG, place it again and export once more."
	)
	ppi := func(id string, severity report.Severity, title, op, hint, ref string, of func(*facts.Image) bool, worse string) Rule {
		return Rule{
			ID: id, Category: report.CategoryImage, Severity: severity, Title: title, Op: op, Unit: "ppi", Tolerance: "ppi", FixHint: hint, Ref: ref,
			judge: everyImage(resolution(of, worse)),
		}
	}
	plain := func(id string, severity report.Severity, title, hint, ref string, check placement) Rule {
		return Rule{ID: id, Category: report.CategoryImage, Severity: severity, Title: title, FixHint: hint, Ref: ref, judge: everyImage(check)}
	}
	quality := plain("image.jpeg_quality", report.Info, "Image is strongly compressed", "Replace the image by its original and export with maximum quality.", "ISO 32000-2 7.4.8", jpegQuality)
	quality.Op, quality.Unit = atLeast, "of 100"
	return []Rule{
		ppi("image.ppi_low", report.Error, "Image resolution is too low", atLeast, more, "GWG 2015 4.26", contone, ""),
		ppi("image.ppi_below_target", report.Warning, "Image resolution is below the target", atLeast, more, "GWG 2015 4.26", contone, "image.ppi_low"),
		ppi("image.ppi_high", report.Info, "Image resolution is higher than needed", atMost, fewer, "house rule", contone, ""),
		ppi("image.bitmap_ppi_low", report.Error, "Resolution of a one-bit image is too low", atLeast, more, "GWG 2015 4.27", bitmap, ""),
		ppi("image.bitmap_ppi_below_target", report.Warning, "Resolution of a one-bit image is below the target", atLeast, more, "GWG 2015 4.27", bitmap, "image.bitmap_ppi_low"),
		plain("image.16bit", report.Info, "Image has 16 bits for each colour", "Convert the image to 8 bits; print shows no difference.", "house rule",
			imageWith("has 16 bits for each colour; print needs 8", func(i *facts.Image) bool { return i.Bits == 16 })),
		plain("image.jpx", report.Warning, "Image is compressed with JPEG 2000", again, "ISO 32000-2 7.4.9",
			imageWith("is compressed with JPEG 2000, which some printers cannot read", func(i *facts.Image) bool { return i.Filter == "JPXDecode" })),
		plain("image.jbig2", report.Info, "Image is compressed with JBIG2", again, "ISO 32000-2 7.4.7",
			imageWith("is compressed with JBIG2, which may exchange letters that look alike", func(i *facts.Image) bool { return i.Filter == "JBIG2Decode" })),
		plain("image.interpolate", report.Info, "Image asks to be smoothed", again, "ISO 32000-2 8.9.5.3",
			imageWith("asks to be smoothed by the printer; each printer does it in its own way", func(i *facts.Image) bool { return i.Interpolate })),
		quality,
		featureRule("image.opi", report.Error, "Image is only a placeholder", "Export with the images themselves (no OPI).", "GWG 2015 4.1; ISO 32000-2 14.11.7",
			facts.OPI, "An image is only a placeholder for a file that is elsewhere (OPI)."),
		featureRule("image.alternate", report.Info, "Image has alternatives", "Export once more; current software writes no alternate images.", "ISO 32000-2 8.9.5.4",
			facts.Alternate, "An image has alternatives; which of them is printed depends on the printer."),
	}
}

func contone(i *facts.Image) bool { return !i.Bitonal() }

func bitmap(i *facts.Image) bool { return i.Bitonal() }

// placement checks one placement of an image. It returns the measured value, and a
// sentence for a fault.
type placement func(*input, *facts.Image) (float64, string)

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
		for n := range in.doc.Images {
			image := &in.doc.Images[n]
			if image.Hidden || image.Soft {
				continue
			}
			value, message := check(in, image)
			if message == "" {
				continue
			}
			k := key{image.Page, image.Object, image.Width, image.Height}
			i, known := index[k]
			if !known {
				i = len(out)
				index[k] = i
				out = append(out, observation{page: image.Page, object: image.Object, box: &image.Box, message: message})
				if in.rule.Op != "" {
					out[i].value = &value
				}
			}
			o := &out[i]
			o.count++
			if o.value != nil && worse(in.rule.Op, value, *o.value) {
				o.value, o.box, o.message = &value, &image.Box, message
			}
		}
		return out
	}
}

// resolution checks the resolution, rounded as in the report: 299.96 is 300.0. It
// skips images that break the limit of a graver rule.
func resolution(of func(*facts.Image) bool, graver string) placement {
	return func(in *input, i *facts.Image) (float64, string) {
		ppi := geom.Round(i.PPI(), 1)
		if !of(i) || i.Width < minEdge || i.Height < minEdge || !in.breaksLimit(ppi) {
			return 0, ""
		}
		if s := in.profile.Rules[graver]; s.Limit != nil && boundsOf(in.rule.Op, *s.Limit, s.Tolerance).broken(ppi) {
			return 0, ""
		}
		return ppi, fmt.Sprintf("%s of %d x %d pixels is printed at %.0f ppi.", kindOfImage(i), i.Width, i.Height, ppi)
	}
}

func kindOfImage(i *facts.Image) string {
	if i.Bitonal() {
		return "A one-bit image"
	}
	return "An image"
}

// imageWith reports images for which a condition holds, without a value.
func imageWith(what string, so func(*facts.Image) bool) placement {
	return func(_ *input, i *facts.Image) (float64, string) {
		return 0, when(so(i), fmt.Sprintf("%s of %d x %d pixels %s.", kindOfImage(i), i.Width, i.Height, what))
	}
}

func jpegQuality(in *input, i *facts.Image) (float64, string) {
	quality := float64(i.Quality)
	if i.Filter != "DCTDecode" || i.Quality <= 0 || i.Width < minEdge || i.Height < minEdge || !in.breaksLimit(quality) {
		return 0, ""
	}
	return quality, fmt.Sprintf("An image of %d x %d pixels is compressed strongly (JPEG quality about %d of 100); blocks may show.", i.Width, i.Height, i.Quality)
}
