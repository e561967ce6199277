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
	for _, field := range []struct {
		name  string
		set   bool
		kinds []ServiceKind
	}{
		{"colorType", s.ColorType != "" || s.Contract, []ServiceKind{Proof}},
		{"embossingType", s.EmbossingType != "", []ServiceKind{EmbossingTool}},
		{"foilColor", s.FoilColor != "", []ServiceKind{Foil}},
		{"ribbonColor", s.RibbonColor != "", []ServiceKind{Ribbon}},
		{"bindingType", s.BindingType != "" || s.MaxThickness != 0 || s.MaxLength != 0, []ServiceKind{BindingElement}},
		{"thickness", s.Thickness != 0 || s.Weight != 0, []ServiceKind{Board, EndSheet}},
		{"variableType", s.VariableType != "", []ServiceKind{VariableRecord}},
		{"countries", len(s.Countries) > 0, []ServiceKind{Freight}},
	} {
		if field.set && !slices.Contains(field.kinds, s.Kind) {
			k.fault(field.name, fmt.Sprintf("means nothing to %.40q", string(s.Kind)))
		}
	}
	if i := slices.IndexFunc(s.Countries, func(code string) bool { return !country.MatchString(code) }); i >= 0 || len(s.Countries) > maxCountries {
		k.fault("countries", fmt.Sprintf("at most %d codes of two letters, such as DE", maxCountries))
	}
	oneOf(k, "kind", s.Kind, ServiceKinds())
	switch s.Kind {
	case BindingElement:
		oneOf(k, "bindingType", s.BindingType, LooseBindingTypes())
		k.positive("maxThickness", s.MaxThickness, maxSide)
		k.positive("maxLength", s.MaxLength, maxSide)
	case EmbossingTool:
		oneOf(k, "embossingType", s.EmbossingType, EmbossingTypes())
	case Foil:
		k.text("foilColor", s.FoilColor, true)
	case Ribbon:
		k.text("ribbonColor", s.RibbonColor, true)
	case Board, EndSheet:
		k.positive("thickness", s.Thickness, maxSmall)
		k.positive("weight", s.Weight, maxBoard)
	case VariableRecord:
		oneOf(k, "variableType", s.VariableType, VariableTypes())
	case Proof:
		oneOf(k, "colorType", s.ColorType, []string{"Monochrome", "BasicColor", "MatchedColor"})
	case Packing, Freight, DataPreparation, CuttingDie, Stripping, GluePoint, HeadBand, Thread:
	}
	if slices.Contains(ServiceKinds(), s.Kind) {
		k.price(s.Price, s.Kind.units()...)
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
	k.upTo("variableSpeed", d.VariableSpeed, d.Speed)
	if d.Block.Min < 0 || d.Block.Min > d.Block.Max || d.Block.Max > maxSide {
		k.fault("block", fmt.Sprintf("min is at least 0, max at least min and at most %s", maxSide))
	}
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
		{"adhesive", d.Adhesive != "", d.Process == CoverApplication || d.Process == CasingIn || d.Process == Jacketing, d.Process == CoverApplication || d.Process == CasingIn},
		{"folds", len(d.Folds) > 0, d.Process == Folding, false},
		{"shapes", len(d.Shapes) > 0, d.Process == ShapeCutting, false},
		{"strips", d.Strips, slices.Contains(d.Shapes, "Path"), false},
		{"variableSpeed", d.VariableSpeed > 0, d.Process == DigitalPrinting, false},
		{"block", d.Block != Range{}, d.Process == CasingIn, d.Process == CasingIn},
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

// gangForm checks a gang form without its references.
func (k *checker) gangForm(f *GangForm) {
	for _, count := range []struct {
		field       string
		value, most int64
	}{{"columns", f.Columns, maxDivisions}, {"rows", f.Rows, maxDivisions}, {"positions", f.Positions, maxPieces}} {
		if count.value < 1 || count.value > count.most {
			k.fault(count.field, fmt.Sprintf("%d is not between 1 and %d", count.value, count.most))
		}
	}
	k.positive("position.width", f.Position.Width, maxSide)
	k.positive("position.height", f.Position.Height, maxSide)
	if len(f.Runs) == 0 || len(f.Runs) > maxSteps {
		k.fault("runs", fmt.Sprintf("a form has 1 to %d runs", maxSteps))
	}
	for i, run := range f.Runs {
		if run < 1 || run > MaxQuantity || i > 0 && run <= f.Runs[i-1] {
			k.fault("runs", fmt.Sprintf("the numbers ascend from 1 to %d", MaxQuantity))
		}
	}
	if len(f.Front) == 0 {
		k.fault("front", "a form has colours on the front")
	}
	for _, side := range []struct {
		field  string
		colors []string
	}{{"front", f.Front}, {"back", f.Back}} {
		for i, color := range side.colors {
			if slices.Contains(side.colors[:i], color) {
				k.fault(side.field, fmt.Sprintf("%.40q occurs twice", color))
			}
			k.text(side.field, color, true)
		}
	}
}

// gangFormFits checks the press, the medium and the coatings of a gang form, and that its
// positions fit.
func (k *checker) gangFormFits(f *GangForm) {
	press := slices.IndexFunc(k.content.Devices, func(d Device) bool { return d.ID == f.Press && d.Process == ConventionalPrinting })
	if press < 0 {
		k.fault("press", fmt.Sprintf("there is no device %.60q for %s", f.Press, ConventionalPrinting))
	}
	media := slices.IndexFunc(k.content.Media, func(m Media) bool { return m.ID == f.Media })
	if media < 0 {
		k.fault("media", fmt.Sprintf("there is no medium %.60q", f.Media))
	}
	if press < 0 || media < 0 || f.Columns < 1 || f.Rows < 1 || f.Position.Width <= 0 || f.Position.Height <= 0 {
		return
	}
	d, m := &k.content.Devices[press], &k.content.Media[media]
	if d.Weight.Max > 0 && (m.Weight < d.Weight.Min || m.Weight > d.Weight.Max) {
		k.fault("media", fmt.Sprintf("%s has %s g/m2; the press prints %s to %s g/m2", m.ID, m.Weight, d.Weight.Min, d.Weight.Max))
	}
	if most := max(len(f.Front), len(f.Back)); int64(most) > d.Colors {
		k.fault("front", fmt.Sprintf("%d colours on a side; the press prints %d", most, d.Colors))
	}
	if columns, rows := f.Grid(d, m); f.Positions > columns*rows {
		k.fault("positions", fmt.Sprintf("%d of them; %d x %d fit on the sheet in the press", f.Positions, columns, rows))
	}
	for _, c := range []struct {
		field, id string
		family    Family
		process   Process
		inline    bool
	}{
		{"frontVarnish", f.FrontVarnish, FamilyVarnish, Varnishing, d.Coater},
		{"backVarnish", f.BackVarnish, FamilyVarnish, Varnishing, d.Coater && len(f.Back) > 0},
		{"frontFilm", f.FrontFilm, FamilyLamination, Laminating, false},
		{"backFilm", f.BackFilm, FamilyLamination, Laminating, false},
	} {
		switch {
		case c.id == "":
		case k.families[c.id] != c.family:
			k.fault(c.field, fmt.Sprintf("there is no %s %.60q", c.family, c.id))
		case !c.inline && !slices.ContainsFunc(k.content.Devices, func(d Device) bool { return d.Process == c.process }):
			k.fault(c.field, fmt.Sprintf("there is no device for %s", c.process))
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
	for i := range k.content.GangForms {
		f := &k.content.GangForms[i]
		k.at = Fault{Family: FamilyGangForm, Index: i, ID: shown(f.ID)}
		k.gangFormFits(f)
	}
}
