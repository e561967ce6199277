// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/money"
)

// foldCatalog is the form of FoldingIntent/@FoldCatalog (XJDF 2.2).
var foldCatalog = regexp.MustCompile(`^F[0-9]{1,3}-([0-9]{1,3}|X)$`)

func (k *checker) media(m *Media) {
	k.text("productCode", m.ProductCode, false)
	k.text("manufacturer", m.Manufacturer, false)
	oneOf(k, "mediaType", m.MediaType, MediaTypes())
	k.positive("width", m.Width, maxSide)
	k.positive("height", m.Height, maxSide)
	k.positive("weight", m.Weight, maxWeight)
	k.positive("thickness", m.Thickness, maxThickness)
	oneOf(k, "grain", m.Grain, []Grain{GrainUnknown, GrainX, GrainY})
	oneOf(k, "coating", m.Coating, append(Coatings(), ""))
	oneOf(k, "backCoating", m.BackCoating, append(Coatings(), ""))
	k.price(m.Price, PerSheet, PerThousandSheets, PerKilogram, PerSquareMetre)
}

func (k *checker) service(s *Service) {
	k.count("maxPieces", s.MaxPieces, MaxQuantity)
	k.upTo("maxWeight", s.MaxWeight, maxPackage)
	limited := s.MaxPieces > 0 || s.MaxWeight > 0
	if s.Kind != Packing && limited || s.Kind == Packing && !limited {
		k.fault("maxPieces", "maxPieces or maxWeight is required for Packing, and applies to nothing else")
	}
	if s.Kind != Proof && (s.ColorType != "" || s.Contract) {
		k.fault("colorType", "colorType and contract apply to Proof alone")
	}
	if s.Kind != EmbossingTool && s.EmbossingType != "" {
		k.fault("embossingType", "applies to EmbossingTool alone")
	}
	if s.Kind != Foil && s.FoilColor != "" {
		k.fault("foilColor", "applies to Foil alone")
	}
	if s.Kind != BindingElement && (s.BindingType != "" || s.MaxThickness != 0 || s.MaxLength != 0) {
		k.fault("bindingType", "bindingType, maxThickness and maxLength apply to BindingElement alone")
	}
	switch s.Kind {
	case BindingElement:
		oneOf(k, "bindingType", s.BindingType, LooseBindingTypes())
		k.positive("maxThickness", s.MaxThickness, maxSide)
		k.positive("maxLength", s.MaxLength, maxSide)
		k.price(s.Price, PerPiece)
	case EmbossingTool:
		oneOf(k, "embossingType", s.EmbossingType, EmbossingTypes())
		k.price(s.Price, PerPiece)
	case Foil:
		k.text("foilColor", s.FoilColor, true)
		k.price(s.Price, PerSquareMetre)
	case Packing:
		k.price(s.Price, PerPiece)
	case Freight:
		k.price(s.Price, PerPiece, PerKilogram)
	case Proof:
		oneOf(k, "colorType", s.ColorType, []string{"Monochrome", "BasicColor", "MatchedColor"})
		k.price(s.Price, PerPiece)
	default:
		oneOf(k, "kind", s.Kind, []ServiceKind{Packing, Freight, Proof, EmbossingTool, Foil, BindingElement})
	}
}

// policyServices checks the services that the policy names.
func (k *checker) policyServices() {
	k.at = Fault{}
	find := func(id string) *Service {
		for i := range k.content.Services {
			if k.content.Services[i].ID == id {
				return &k.content.Services[i]
			}
		}
		return &Service{}
	}
	p := &k.content.Policy
	if p.Packing != "" && find(p.Packing).Kind != Packing {
		k.fault("policy.packing", fmt.Sprintf("there is no service %.60q of the kind Packing", p.Packing))
	}
	freight := find(p.Freight)
	switch {
	case p.Freight == "":
	case freight.Kind != Freight:
		k.fault("policy.freight", fmt.Sprintf("there is no service %.60q of the kind Freight", p.Freight))
	case freight.Price.Per == PerPiece && p.Packing == "":
		k.fault("policy.freight", "a freight for each package requires policy.packing")
	}
}

// wasteSteps checks the waste by quantity.
func (k *checker) wasteSteps(d *Device) {
	if len(d.WasteFrom) != len(d.WasteThen) || len(d.WasteFrom) > maxSteps {
		k.fault("wasteThen", fmt.Sprintf("wasteFrom and wasteThen have the same number of values, at most %d", maxSteps))
		return
	}
	for i, from := range d.WasteFrom {
		if from < 1 || from > MaxQuantity || i > 0 && from <= d.WasteFrom[i-1] {
			k.fault("wasteFrom", fmt.Sprintf("the numbers ascend from 1 to %d", MaxQuantity))
		}
		k.upTo("wasteThen", d.WasteThen[i], maxWaste)
	}
}

// deviceAlone checks a device without its references.
func (k *checker) deviceAlone(d *Device) {
	k.text("manufacturer", d.Manufacturer, false)
	k.text("model", d.Model, false)
	oneOf(k, "process", d.Process, Processes())
	k.positive("maxSheet.width", d.MaxSheet.Width, maxSide)
	k.positive("maxSheet.height", d.MaxSheet.Height, maxSide)
	if d.MinSheet.Width < 0 || d.MinSheet.Height < 0 || d.MinSheet.Width > d.MaxSheet.Width || d.MinSheet.Height > d.MaxSheet.Height {
		k.fault("minSheet", "negative, or more than maxSheet")
	}
	if d.Weight.Min < 0 || d.Weight.Max > maxWeight || d.Weight.Min > d.Weight.Max {
		k.fault("weight", fmt.Sprintf("min is at least 0, max at least min and at most %s", maxWeight))
	}
	k.count("minPages", d.MinPages, maxPages)
	k.count("maxPages", d.MaxPages, maxPages)
	if d.MaxPages > 0 && d.MinPages > d.MaxPages {
		k.fault("minPages", "more than maxPages")
	}
	k.positive("speed", d.Speed, maxSpeed)
	k.upTo("setupMinutes", d.SetupMinutes, maxSetup)
	k.count("setupWaste", d.SetupWaste, maxPieces)
	k.upTo("wastePercent", d.WastePercent, maxWaste)
	k.wasteSteps(d)
	k.upTo("hourlyRate", d.HourlyRate, maxRate)
	k.upTo("crew", d.Crew, maxCrew)
	k.upTo("power", d.Power, maxPower)
	k.upTo("clickColor", d.ClickColor, maxRate)
	k.upTo("clickMono", d.ClickMono, maxRate)
	k.upTo("stackHeight", d.StackHeight, 1_000*money.One)
	k.count("colors", d.Colors, 16)
	k.together("labor", "crew", d.Labor != "", d.Crew > 0)
	k.together("electricity", "power", d.Electricity != "", d.Power > 0)
	k.deviceMeaning(d)
}

// together reports one of two fields that occur only together.
func (k *checker) together(one, other string, hasOne, hasOther bool) {
	if hasOne != hasOther {
		k.fault(one, fmt.Sprintf("%s and %s go together", one, other))
	}
}

// deviceMeaning checks that a device has the fields that its process requires, and no field
// that only applies to other processes.
func (k *checker) deviceMeaning(d *Device) {
	press := d.Process.Printing()
	if press {
		k.positive("printArea.width", d.PrintArea.Width, d.MaxSheet.Width)
		k.positive("printArea.height", d.PrintArea.Height, d.MaxSheet.Height)
	}
	for _, field := range []struct {
		name string
		set  bool
		of   bool // the field applies to the process
		must bool // the process requires the field
	}{
		{"printArea", !d.PrintArea.IsZero(), press, press},
		{"colors", d.Colors > 0, press, press},
		{"perfecting", d.Perfecting, press, false},
		{"coater", d.Coater, d.Process == ConventionalPrinting, false},
		{"plate", d.Plate != "", d.Process == ConventionalPrinting, d.Process == ConventionalPrinting},
		{"clickColor", d.ClickColor > 0, d.Process == DigitalPrinting, false},
		{"clickMono", d.ClickMono > 0, d.Process == DigitalPrinting, false},
		{"stackHeight", d.StackHeight > 0, d.Process == Cutting, d.Process == Cutting},
		{"adhesive", d.Adhesive != "", d.Process == CoverApplication, d.Process == CoverApplication},
		{"folds", len(d.Folds) > 0, d.Process == Folding, false},
		{"shapes", len(d.Shapes) > 0, d.Process == ShapeCutting, false},
		{"embossingTypes", len(d.EmbossingTypes) > 0, d.Process == Embossing, d.Process == Embossing},
		{"bindingTypes", len(d.BindingTypes) > 0, d.Process == LooseBinding, d.Process == LooseBinding},
	} {
		if field.set && !field.of {
			k.fault(field.name, fmt.Sprintf("means nothing to %s", d.Process))
		}
		if field.must && !field.set {
			k.fault(field.name, fmt.Sprintf("%s needs it", d.Process))
		}
	}
	k.eachOneOf("shapes", d.Shapes, ShapeTypes())
	k.eachOneOf("bindingTypes", d.BindingTypes, LooseBindingTypes())
	k.eachOneOf("embossingTypes", d.EmbossingTypes, EmbossingTypes())
	if len(d.Folds) > maxFolds {
		k.fault("folds", fmt.Sprintf("%d of them; at most %d are taken", len(d.Folds), maxFolds))
		return
	}
	for _, fold := range d.Folds {
		if !foldCatalog.MatchString(fold) {
			k.fault("folds", fmt.Sprintf("%.20q is no entry of the FoldCatalog, such as F4-1", fold))
		}
	}
}

// eachOneOf checks a list of different values.
func (k *checker) eachOneOf(field string, values, known []string) {
	for i, value := range values {
		if !slices.Contains(known, value) || slices.Contains(values[:i], value) {
			k.fault(field, fmt.Sprintf("%.40q is unknown or occurs twice; known are %s", value, strings.Join(known, ", ")))
			return
		}
	}
}

// references checks that the resources that a device refers to exist.
func (k *checker) references() {
	for i := range k.content.Devices {
		d := &k.content.Devices[i]
		k.at = Fault{Family: FamilyDevice, Index: i, ID: shown(d.ID)}
		for _, r := range []struct {
			field, id string
			family    Family
		}{
			{"labor", d.Labor, FamilyLabor},
			{"electricity", d.Electricity, FamilyElectricity},
			{"plate", d.Plate, FamilyPlate},
			{"adhesive", d.Adhesive, FamilyAdhesive},
		} {
			if r.id == "" {
				continue
			}
			if k.families[r.id] != r.family {
				k.fault(r.field, fmt.Sprintf("there is no %s %.60q", r.family, r.id))
			}
		}
	}
}
