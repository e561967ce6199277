// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// table lists the resources of one kind.
type table struct {
	ID, Title string
	Columns   []column
	Rows      [][]string
	// More states how many rows are left out; empty for none.
	More string
}

// column is the heading of a column. Number aligns its cells as figures.
type column struct {
	Name   string
	Number bool
}

// tables returns the resources of the file. A kind without resources has no table.
func (v *view) tables() []table {
	inks := table{ID: "inks", Title: v.in.Report("inksHeading"), Columns: v.columns("name", "kind", "role", "alternate", "#definitions", "pagesHeading")}
	for _, ink := range v.Inks {
		inks.Rows = append(inks.Rows, []string{ink.Name, v.in.Term("inkKind", ink.Kind), v.in.Term("role", string(ink.Role)), ink.Space, strconv.Itoa(ink.Definitions), list(ink.Pages)})
	}
	colors := table{ID: "colors", Title: v.in.Report("colorsHeading"), Columns: v.columns("space", "pagesHeading")}
	for _, color := range v.Colors {
		colors.Rows = append(colors.Rows, []string{color.Space, list(color.Pages)})
	}
	layers := table{ID: "layers", Title: v.in.Report("layersHeading"), Columns: v.columns("name", "printed", "step", "role", "pagesHeading")}
	if v.Document != nil {
		for _, layer := range v.Document.Layers {
			layers.Rows = append(layers.Rows, []string{layer.Name, v.yesNo(layer.Printed), layer.ProcessingStep, v.in.Term("role", string(layer.Role)), list(layer.Pages)})
		}
	}
	codes := table{ID: "codes", Title: v.in.Report("codesHeading"), Columns: v.columns("#pageColumn", "symbology", "content", "#module", "#magnification", "#quietZone", "#contrast", "inksHeading")}
	for _, code := range v.Codes {
		magnification := ""
		if code.Magnification != 0 { // only EAN and UPC have one
			magnification = v.in.Number(code.Magnification, 0) + " %"
		}
		codes.Rows = append(codes.Rows, []string{
			strconv.Itoa(code.Page), code.Symbology, code.Text, v.in.Number(code.Module, 3) + " mm", magnification,
			v.in.Number(code.QuietZone[0], 1) + " / " + v.in.Number(code.QuietZone[1], 1), v.in.Number(code.Contrast, 0) + " %", strings.Join(code.Inks, ", "),
		})
	}
	fonts := table{ID: "fonts", Title: v.in.Report("fontsHeading"), Columns: v.columns("name", "type", "embedded", "subset", "usedOn"), More: v.more("moreFonts", v.Omitted.Fonts)}
	for _, font := range v.Fonts {
		pages := v.in.Report("unused")
		if font.Used {
			pages = list(font.Pages)
		}
		fonts.Rows = append(fonts.Rows, []string{font.Name, font.Type, v.yesNo(font.Embedded), v.yesNo(font.Subset), pages})
	}
	images := table{ID: "images", Title: v.in.Report("imagesHeading"), Columns: v.columns("#pageColumn", "objectColumn", "#pixels", "#ppi", "#bits", "color", "compression"), More: v.more("moreImages", v.Omitted.Images)}
	for i := range v.Images {
		image := &v.Images[i]
		compression := image.Filter
		if image.Quality != 0 {
			compression += ", " + v.in.Report("quality", "quality", image.Quality)
		}
		images.Rows = append(images.Rows, []string{
			strconv.Itoa(image.Page), image.Object, strconv.Itoa(image.Pixels[0]) + " x " + strconv.Itoa(image.Pixels[1]),
			v.in.Number(image.PPI[0], 1) + " x " + v.in.Number(image.PPI[1], 1), strconv.Itoa(image.BitsPerComponent), v.colorFacts(image), compression,
		})
	}
	return slices.DeleteFunc([]table{inks, colors, layers, codes, fonts, images}, func(t table) bool { return len(t.Rows) == 0 })
}

// columns returns the headings of a table; a # before an ID marks figures.
func (v *view) columns(ids ...string) []column {
	out := make([]column, len(ids))
	for i, id := range ids {
		id, number := strings.CutPrefix(id, "#")
		out[i] = column{v.in.Report(id), number}
	}
	return out
}

func (v *view) colorFacts(image *report.Image) string {
	text := image.ColorSpace
	if image.Mask {
		text += " " + v.in.Report("stencil")
	}
	if image.Soft {
		text += " " + v.in.Report("softMask")
	}
	if image.Hidden {
		text += " " + v.in.Report("hidden")
	}
	return text
}

func (v *view) yesNo(b bool) string {
	if b {
		return v.in.Term("yesNo", "yes")
	}
	return v.in.Term("yesNo", "no")
}
