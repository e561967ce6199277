// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/view"
)

// ticketFlags hold the order.
type ticketFlags struct {
	size            string
	pages, quantity int
	process, back   int
	spots           []string
	binding, part   string
	bleed, spine    float64
	surface         string
	weight          float64
	varnish         string
	xjdf, product   string
}

func (t *ticketFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&t.size, "trim-size", "", "ordered trim size in mm, for example 148x210")
	flags.IntVar(&t.pages, "pages", 0, "ordered number of pages of a copy")
	flags.IntVar(&t.process, "process", 0, "ordered process inks: 4 (CMYK), 1 (black) or 0")
	flags.StringArrayVar(&t.spots, "spot", nil, "name of an ordered spot colour; may be repeated")
	flags.IntVar(&t.quantity, "quantity", 0, "ordered number of copies")
	flags.IntVar(&t.back, "back-process", 0, "ordered process inks of the back: 4, 1, or 0 for a back without ink")
	flags.Float64Var(&t.bleed, "bleed", 0, "ordered bleed in mm; 0 for none")
	chooseAny(flags, &t.binding, "binding", "ordered binding: "+orList(names(jobticket.Bindings())), names(jobticket.Bindings())...)
	chooseAny(flags, &t.part, "part", "part of a bound product in the file: cover or body", string(jobticket.Cover), string(jobticket.Body))
	flags.Float64Var(&t.spine, "spine", 0, "ordered width of the spine in mm")
	chooseAny(flags, &t.surface, "stock-surface", "ordered surface of the stock: coated or uncoated", string(jobticket.Coated), string(jobticket.Uncoated))
	flags.Float64Var(&t.weight, "stock-weight", 0, "ordered weight of the stock in g/m2")
	chooseAny(flags, &t.varnish, "varnish", "ordered varnish: "+orList(names(jobticket.Varnishes())), names(jobticket.Varnishes())...)
	flags.StringVar(&t.xjdf, "xjdf", "", "read the order from an XJDF file; other flags replace its values")
	flags.StringVar(&t.product, "product", "", "ID of the product in the XJDF file that the PDF is for")
}

func names[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// ticket returns the order of the XJDF file and of the flags; nil if there is none.
func (t *ticketFlags) ticket(flags *pflag.FlagSet) (*jobticket.Ticket, error) {
	made := &jobticket.Ticket{}
	if t.xjdf != "" {
		body, err := readFile(t.xjdf, int64(xjdf.DefaultLimits.Bytes), "XJDF file")
		if err != nil {
			return nil, err
		}
		document, err := xjdf.Parse(body, xjdf.DefaultLimits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.xjdf, err)
		}
		if made, err = view.Ticket(document.Root, t.product); err != nil {
			return nil, fmt.Errorf("%s: %w", t.xjdf, err)
		}
	} else if t.product != "" {
		return nil, errors.New("--product requires --xjdf")
	}
	if t.size != "" {
		size, err := jobticket.ParseSize(t.size)
		if err != nil {
			return nil, err
		}
		made.TrimSize = &size
	}
	if len(t.spots) > 0 && made.Colors == nil && !flags.Changed("process") {
		return nil, errors.New("--spot requires --process: state the number of process inks, 4, 1 or 0")
	}
	if len(t.spots) > 0 || flags.Changed("process") {
		colors := jobticket.Colors{Spots: t.spots}
		if made.Colors != nil {
			colors = *made.Colors
		}
		if flags.Changed("process") {
			colors.Process = jobticket.Count(t.process)
		}
		if len(t.spots) > 0 {
			colors.Spots = t.spots
		}
		made.Colors = &colors
	}
	if flags.Changed("back-process") {
		if made.Colors == nil {
			return nil, errors.New("--back-process requires --process, the process inks of the front")
		}
		made.BackColors = &jobticket.Colors{Process: jobticket.Count(t.back)}
	}
	made.Pages, made.Quantity = cmp.Or(jobticket.Count(t.pages), made.Pages), cmp.Or(jobticket.Count(t.quantity), made.Quantity)
	if flags.Changed("bleed") {
		made.Bleed = &t.bleed
	}
	made.Spine = cmp.Or(t.spine, made.Spine)
	made.Binding, made.Part = cmp.Or(jobticket.Binding(t.binding), made.Binding), cmp.Or(jobticket.Part(t.part), made.Part)
	made.Varnish = cmp.Or(jobticket.Varnish(t.varnish), made.Varnish)
	if t.surface != "" || t.weight != 0 {
		stock := jobticket.Stock{}
		if made.Stock != nil {
			stock = *made.Stock
		}
		stock.Surface, stock.Weight = cmp.Or(jobticket.Surface(t.surface), stock.Surface), cmp.Or(t.weight, stock.Weight)
		made.Stock = &stock
	}
	for _, name := range []string{"pages", "quantity", "stock-weight"} {
		if flags.Changed(name) && flags.Lookup(name).Value.String() == "0" {
			return nil, fmt.Errorf("--%s must be more than 0; omit it if the order does not state it", name)
		}
	}
	if made.Empty() {
		return nil, nil
	}
	return made, made.Check()
}
