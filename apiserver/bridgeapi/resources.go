// SPDX-License-Identifier: Apache-2.0

package bridgeapi

// Costed resources (L4 of the master data) are written as resource sets of XJDF 2.2.
// Resource/@ID is the identifier of the master data, byte for byte. A value that the
// master data lack is left out. Sizes are written from explicit dimensions only. A
// value that is not a token of the standard becomes a GeneralID. Prices, rates,
// consumption and unverified claims (DeviceClass, ICSVersions) are never written.

import (
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// media writes a medium. It adds the attributes in alphabetical order, in which they are
// encoded, because that avoids a copy of each list; there may be very many media.
func media(r *xjdf.Node, m *authority.Media) {
	name(r, m.ID, m.Name)
	describe(r, "Manufacturer", m.Manufacturer)
	n := r.Add("Media")
	n.Attributes = make([]xjdf.Attribute, 0, 8)
	optional(n, "BackCoating", m.BackCoating)
	optional(n, "Coating", m.Coating)
	n.Set("Dimension", dimension(m.Width, m.Height))
	optional(n, "GrainDirection", string(m.Grain))
	n.Set("MediaType", m.MediaType).Set("MediaUnit", "Sheet").Set("Thickness", m.Thickness.String()).Set("Weight", m.Weight.String())
}

func device(r *xjdf.Node, d *authority.Device) {
	name(r, d.ID, d.Name)
	describe(r, "Process", string(d.Process))
	if !d.PrintArea.IsZero() {
		number(r, "PrintAreaWidth", points(d.PrintArea.Width))
		number(r, "PrintAreaHeight", points(d.PrintArea.Height))
	}
	if d.Weight != (authority.Range{}) {
		number(r, "MinWeight", d.Weight.Min)
		number(r, "MaxWeight", d.Weight.Max)
	}
	count(r, "MinPages", d.MinPages)
	count(r, "MaxPages", d.MaxPages)
	count(r, "Colors", d.Colors)
	flag(r, "Perfecting", d.Perfecting)
	flag(r, "Coater", d.Coater)
	for _, fold := range d.Folds {
		describe(r, "Fold", fold)
	}
	n := r.Add("Device").Set("DeviceID", d.ID).Set("MaxRunSpeed", d.Speed.String())
	optional(n, "Manufacturer", d.Manufacturer)
	optional(n, "DeviceType", d.Model)
}

func ink(r *xjdf.Node, i *authority.Ink) {
	name(r, i.ID, i.Name)
	if isToken(i.Separation) {
		r.Add("Part").Set("Separation", i.Separation)
	} else {
		describe(r, "Separation", i.Separation)
	}
	r.Add("Ink").Set("InkType", "Ink").Set("SpecificYield", i.Consumption.String())
}

func varnish(r *xjdf.Node, v *authority.Varnish) {
	const varnish = "Varnish"
	name(r, v.ID, v.Name)
	kinds := varnish
	switch {
	case v.Coating == varnish:
	case isToken(v.Coating):
		kinds += " " + v.Coating
	default:
		describe(r, "Coating", v.Coating)
	}
	r.Add("Ink").Set("InkType", kinds).Set("SpecificYield", v.Consumption.String())
}

func lamination(r *xjdf.Node, l *authority.Lamination) {
	name(r, l.ID, l.Name)
	number(r, "Thickness", l.Thickness)
	n := r.Add("MiscConsumable").Set("Type", "Laminate")
	if isToken(l.Texture) {
		n.Set("TypeDetails", l.Texture)
	} else {
		describe(r, "Texture", l.Texture)
	}
}

func plate(r *xjdf.Node, p *authority.Plate) {
	name(r, p.ID, p.Name)
	r.Add("Media").Set("MediaType", "Plate").Set("Dimension", dimension(p.Width, p.Height))
}

func adhesive(r *xjdf.Node, a *authority.Adhesive) {
	name(r, a.ID, a.Name)
	r.Add("MiscConsumable").Set("Type", "Glue")
}

func electricity(r *xjdf.Node, e *authority.Electricity) {
	name(r, e.ID, e.Name)
	r.Add("MiscConsumable").Set("Type", "Electricity")
}

// labor writes a trade. ManualLaborParams requires a token, so it is left out for other
// types.
func labor(r *xjdf.Node, l *authority.Labor) {
	name(r, l.ID, l.Name)
	if isToken(l.LaborType) {
		r.Add("ManualLaborParams").Set("LaborType", l.LaborType)
	} else {
		describe(r, "LaborType", l.LaborType)
	}
}

func name(r *xjdf.Node, id, text string) { r.Set("DescriptiveName", text).Set("ID", id) }

func optional(n *xjdf.Node, attribute, value string) {
	if value != "" {
		n.Set(attribute, value)
	}
}

// describe adds a GeneralID for a value for which the standard has no attribute (8.23).
func describe(n *xjdf.Node, usage, value string) {
	if value != "" {
		n.Add("GeneralID").Set("IDUsage", usage).Set("IDValue", value)
	}
}

func typed(n *xjdf.Node, usage, kind, value string) {
	n.Add("GeneralID").Set("DataType", kind).Set("IDUsage", usage).Set("IDValue", value)
}

func number(n *xjdf.Node, usage string, value money.Decimal) {
	typed(n, usage, "float", value.String())
}

// count writes a number unless it is 0.
func count(n *xjdf.Node, usage string, value int64) {
	if value != 0 {
		typed(n, usage, "integer", strconv.FormatInt(value, 10))
	}
}

func flag(n *xjdf.Node, usage string, set bool) {
	if set {
		typed(n, usage, "boolean", "true")
	}
}

func dimension(width, height money.Decimal) string {
	return points(width).String() + " " + points(height).String()
}

// points converts millimetres to points of 1/72 inch, rounded to a millionth.
func points(millimetres money.Decimal) money.Decimal {
	return money.Decimal(money.MulDiv(int64(millimetres), 360, 127))
}

// isToken reports whether a value is an NMTOKEN of ASCII characters.
func isToken(value string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:"
	return value != "" && strings.Trim(value, allowed) == ""
}
