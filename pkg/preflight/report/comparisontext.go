// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
)

// WriteComparison writes a comparison as text, in one of [Languages].
func WriteComparison(w io.Writer, c Comparison, language string) error {
	in := texts.In(language)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(columns ...string) { _, _ = fmt.Fprintln(table, strings.Join(columns, "\t")) } // Flush returns the error
	switch {
	case c.Failure != "":
		line(in.Report("compare/unknown"), in.Report("compare/failed", "failure", c.Failure))
	case !c.Same:
		line(in.Report("compare/differs"), in.Report("compare/pages", "changed", len(c.Changed)+c.Omitted, "before", c.Pages[0], "after", c.Pages[1]))
	case c.Complete:
		line(in.Report("compare/same"), in.Plural("pages", c.Pages[0]))
	default:
		line(in.Report("compare/unknown"), in.Plural("pages", c.Pages[0]))
	}
	if !c.Complete && c.Failure == "" {
		line("", in.Report("compare/incomplete"))
	}
	if c.Failure == "" {
		line(in.Report("compare/before"), in.Plural("bytes", int(c.Before.Bytes))+", SHA-256 "+c.Before.SHA256)
		line(in.Report("compare/after"), in.Plural("bytes", int(c.After.Bytes))+", SHA-256 "+c.After.SHA256)
	}
	none := in.Report("compare/none")
	for _, change := range c.Document {
		line(in.Report("document"), change.Name+": "+cmp.Or(change.Before, none)+" -> "+cmp.Or(change.After, none))
	}
	for _, list := range []struct {
		name  string
		names Names
	}{{"compare/fonts", c.Fonts}, {"compare/colors", c.Colors}, {"compare/inks", c.Inks}, {"compare/layers", c.Layers}} {
		for _, name := range list.names.Removed {
			line(in.Report(list.name), "- "+name)
		}
		for _, name := range list.names.Added {
			line(in.Report(list.name), "+ "+name)
		}
	}
	for i := range c.Changed {
		p := &c.Changed[i]
		first := in.Report("page", "pages", strconv.Itoa(p.Page))
		row := func(text string) {
			line(first, text)
			first = ""
		}
		if p.Only != "" {
			row(in.Report("compare/only_" + p.Only))
		}
		for _, box := range p.Boxes {
			row(box.Name + ": " + cmp.Or(box.Before, none) + " -> " + cmp.Or(box.After, none))
		}
		for _, ink := range p.Inks {
			row(in.Report("compare/ink", "ink", ink.Name, "area", ink.Area/100, "most", ink.Most, "before", ink.Before, "after", ink.After))
		}
		for _, region := range p.Regions {
			b := region.BBox
			row(in.Report("at", "left", b[0], "bottom", b[1], "right", b[2], "top", b[3]))
		}
	}
	if c.Omitted > 0 {
		line("", in.Report("compare/omitted", "pages", c.Omitted))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}
