// SPDX-License-Identifier: Apache-2.0

package view

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// ErrProduct means that the document does not state which product the PDF is for.
var ErrProduct = errors.New("no such product")

// ErrValue means that a value of the order cannot be read.
var ErrValue = errors.New("unreadable value")

// millimetre is the length of a point, the unit of XJDF.
const millimetre = 25.4 / 72

// Ticket returns the order of a product, in the form that preflight compares a PDF with
// (XJDF 2.2, chapter 4: Product and its intents). id selects it; it may be empty if the document has one
// product with a layout. A part of a bound product inherits the intents of the whole. Errors wrap
// [ErrProduct] or [ErrValue].
func Ticket(root *xjdf.Node, id string) (*jobticket.Ticket, error) {
	var products []*xjdf.Node
	if list := root.Child("ProductList"); list != nil {
		products = slices.Collect(list.All("Product"))
	}
	product, err := choose(products, id)
	if err != nil {
		return nil, err
	}
	bound := boundProduct(products, product)
	r := reader{ticket: &jobticket.Ticket{}}
	r.layout(product, bound)
	r.colors(intent("ColorIntent", product, bound))
	if media := intent("MediaIntent", product, bound); media != nil {
		stock := jobticket.Stock{Weight: r.number(media, "Weight"), Surface: surface(text(media, "Coating"), text(media, "ISOPaperSubstrate"))}
		if stock != (jobticket.Stock{}) {
			r.ticket.Stock = &stock
		}
	}
	if binding := intent("BindingIntent", product, bound); binding != nil {
		if kind := jobticket.Binding(text(binding, "BindingType")); slices.Contains(jobticket.Bindings(), kind) {
			r.ticket.Binding = kind
		}
	}
	switch text(product, "ProductType") {
	case "Cover":
		r.ticket.Part = jobticket.Cover
	case "Body":
		r.ticket.Part = jobticket.Body
	}
	if r.ticket.Part == jobticket.Cover && r.ticket.Spine == 0 {
		r.spine(products, bound)
	}
	amount := product
	if bound != nil {
		amount = bound
	}
	r.ticket.Quantity = r.count(amount, "Amount", jobticket.MaxQuantity)
	if r.fault != nil {
		return nil, r.fault
	}
	return r.ticket, r.ticket.Check()
}

// choose returns the product with an id, or the only one with a layout.
func choose(products []*xjdf.Node, id string) (*xjdf.Node, error) {
	var found []*xjdf.Node
	var names []string
	for _, p := range products {
		if id != "" && text(p, "ID") == id {
			return p, nil
		}
		if intent("LayoutIntent", p) != nil {
			found = append(found, p)
			names = append(names, strings.TrimSpace(text(p, "ID")+" "+text(p, "ProductType")))
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%w: no product has a LayoutIntent", ErrProduct)
	case id != "":
		return nil, fmt.Errorf("%w: %.64q; choose one of %s", ErrProduct, id, strings.Join(names, ", "))
	case len(found) > 1:
		return nil, fmt.Errorf("%w: several products have a layout; choose one of %s", ErrProduct, strings.Join(names, ", "))
	}
	return found[0], nil
}

// boundProduct returns the product whose binding holds a part, or nil.
func boundProduct(products []*xjdf.Node, part *xjdf.Node) *xjdf.Node {
	for _, p := range products {
		if p != part && slices.Contains(strings.Fields(text(intent("BindingIntent", p), "ChildRefs")), text(part, "ID")) {
			return p
		}
	}
	return nil
}

// intent returns the intent of a name from the first product that has it.
func intent(name string, products ...*xjdf.Node) *xjdf.Node {
	for _, product := range products {
		if product == nil {
			continue
		}
		for i := range product.All("Intent") {
			if found := i.Child(name); found != nil {
				return found
			}
		}
	}
	return nil
}

// reader fills a ticket, and keeps the first fault.
type reader struct {
	ticket *jobticket.Ticket
	fault  error
}

func (r *reader) fail(n *xjdf.Node, name string) {
	if r.fault == nil {
		r.fault = fmt.Errorf("%w: %s/@%s %.64q", ErrValue, n.Name.Local, name, text(n, name))
	}
}

// layout reads size, pages, bleed, spine and the printed sides.
func (r *reader) layout(product, bound *xjdf.Node) {
	layout := intent("LayoutIntent", product, bound)
	if layout == nil {
		return
	}
	switch size := r.lengths(layout, "FinishedDimensions"); len(size) {
	case 0:
	case 2, 3:
		r.ticket.TrimSize = &jobticket.Size{Width: size[0], Height: size[1]}
	default:
		r.fail(layout, "FinishedDimensions")
	}
	// The third dimension of the whole is its thickness, and so the width of its spine.
	for _, of := range []*xjdf.Node{layout, intent("LayoutIntent", bound)} {
		if of == nil {
			continue
		}
		if size := r.lengths(of, "FinishedDimensions"); len(size) == 3 && size[2] > 0 && text(product, "ProductType") == "Cover" {
			r.ticket.Spine = size[2]
		}
	}
	r.ticket.Pages = r.count(layout, "Pages", jobticket.MaxPages)
	if bleed := r.lengths(layout, "Bleed"); len(bleed) == 1 {
		r.ticket.Bleed = &bleed[0]
	}
	if text(layout, "Sides") == "OneSided" {
		r.ticket.BackColors = &jobticket.Colors{}
	}
}

// spine computes the width of the spine of a cover that is glued, from the leaves of the other parts.
func (r *reader) spine(products []*xjdf.Node, bound *xjdf.Node) {
	if r.ticket.Binding != jobticket.SoftCover && r.ticket.Binding != jobticket.HardCover {
		return
	}
	width := 0.0
	for _, id := range strings.Fields(text(intent("BindingIntent", bound), "ChildRefs")) {
		for _, part := range products {
			if text(part, "ID") != id || text(part, "ProductType") == "Cover" {
				continue
			}
			layout, media := intent("LayoutIntent", part), intent("MediaIntent", part, bound)
			if layout == nil || media == nil {
				return
			}
			pages, thickness := r.count(layout, "Pages", jobticket.MaxPages), r.number(media, "Thickness")
			if pages == 0 || thickness == 0 {
				return // a part of unknown thickness
			}
			width += float64((pages+1)/2) * thickness / 1000 // micrometres
		}
	}
	r.ticket.Spine = math.Round(width*10) / 10
}

// surface returns the surface of a coating, or else that of a substrate of ISO 12647-2.
func surface(coating, substrate string) jobticket.Surface {
	switch coating {
	case "Coated", "Gloss", "Matte", "Satin":
		return jobticket.Coated
	case "None":
		return jobticket.Uncoated
	}
	switch substrate {
	case "PS1", "PS2", "PS3", "PS4", "LWCPlus", "LWCStandard":
		return jobticket.Coated
	case "PS5", "PS6", "PS7", "PS8", "NewsPlus", "SCPlus", "SCStandard", "SNP":
		return jobticket.Uncoated
	}
	return ""
}

// varnishes are the names of InkCoating (XJDF 2.2, A.3.9) for what covers a whole side after the inks.
var varnishes = []string{"Aqueous", "Gloss", "Matte", "RubResistant", "Satin", "Silicone", "UV", "Varnish", "WaterResistant"} // constant

// colors reads the inks and the varnish of both sides. Names other than those of the process inks
// are spot colours.
func (r *reader) colors(intent *xjdf.Node) {
	if intent == nil {
		return
	}
	var front, back *jobticket.Colors
	for surface := range intent.All("SurfaceColor") {
		inks := &jobticket.Colors{}
		for _, name := range strings.Fields(text(surface, "ColorsUsed")) {
			switch name {
			case "Cyan", "Magenta", "Yellow":
				inks.Process = 4
			case "Black":
				inks.Process = max(inks.Process, 1)
			default:
				inks.Spots = append(inks.Spots, name)
			}
		}
		for _, name := range strings.Fields(text(surface, "Coatings")) {
			if slices.Contains(varnishes, name) {
				r.ticket.Varnish = jobticket.FullVarnish
			}
		}
		switch text(surface, "Surface") {
		case "Front":
			front = inks
		case "Back":
			back = inks
		case "Both":
			front, back = inks, inks
		}
	}
	if front == nil {
		return
	}
	r.ticket.Colors = front
	if back != nil {
		r.ticket.BackColors = back
	}
}

// lengths reads numbers in points, and returns them in millimetres, rounded to a hundredth.
func (r *reader) lengths(n *xjdf.Node, name string) []float64 {
	var out []float64
	for _, word := range strings.Fields(text(n, name)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1e6 {
			r.fail(n, name)
			return nil
		}
		out = append(out, math.Round(v*millimetre*100)/100)
	}
	return out
}

// number reads a number that is not negative, 0 if there is none.
func (r *reader) number(n *xjdf.Node, name string) float64 {
	text := text(n, name)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v < 1e6) {
		r.fail(n, name)
		return 0
	}
	return v
}

// count reads a whole number of at least 1.
func (r *reader) count(n *xjdf.Node, name string, most int) jobticket.Count {
	text := text(n, name)
	if text == "" {
		return 0
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 || v > most {
		r.fail(n, name)
		return 0
	}
	return jobticket.Count(v)
}
