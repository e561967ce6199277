// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/fixed"
)

// Family is a kind of costed resources (interface specification, section 4.4).
type Family string

// The families, in the order in which they are listed.
const (
	FamilyMedia       Family = "media"
	FamilyDevice      Family = "device"
	FamilyInk         Family = "ink"
	FamilyLamination  Family = "lamination"
	FamilyVarnish     Family = "varnish"
	FamilyPlate       Family = "plate"
	FamilyAdhesive    Family = "adhesive"
	FamilyElectricity Family = "electricity"
	FamilyLabor       Family = "labor"
)

// Families lists them.
func Families() []Family {
	return []Family{
		FamilyMedia, FamilyDevice, FamilyInk, FamilyLamination, FamilyVarnish, FamilyPlate, FamilyAdhesive, FamilyElectricity, FamilyLabor,
	}
}

// Plural is the family's list in files and in the content of a snapshot.
func (f Family) Plural() string {
	switch f {
	case FamilyMedia, FamilyElectricity, FamilyLabor:
		return string(f)
	case FamilyVarnish:
		return "varnishes"
	default:
		return string(f) + "s"
	}
}

// ParseFamily finds a family by name; unknown names report false.
func ParseFamily(name string) (Family, bool) {
	f := Family(name)
	return f, slices.Contains(Families(), f)
}

// Unit is what a price is for.
type Unit string

// The units.
const (
	PerSheet          Unit = "Sheet"
	PerThousandSheets Unit = "ThousandSheets"
	PerKilogram       Unit = "Kilogram"
	PerSquareMetre    Unit = "SquareMetre"
	PerPiece          Unit = "Piece"
	PerKilowattHour   Unit = "KilowattHour"
	PerHour           Unit = "Hour"
)

// Price is an amount in the snapshot's currency for one unit.
type Price struct {
	// Amount is at least 0.
	Amount fixed.Decimal `json:"amount"`
	Per    Unit          `json:"per"`
}

// Process is what a device does, by the name of XJDF 2.2 (chapter 5).
type Process string

// The processes that can be calculated.
const (
	ConventionalPrinting Process = "ConventionalPrinting"
	DigitalPrinting      Process = "DigitalPrinting"
	Cutting              Process = "Cutting"
	Creasing             Process = "Creasing"
	Folding              Process = "Folding"
	Laminating           Process = "Laminating"
	Varnishing           Process = "Varnishing"
	// Stitching is saddle stitching with the collecting and trimming in line.
	Stitching Process = "Stitching"
	// CoverApplication is soft cover binding with gathering, spine preparation and
	// gluing in line.
	CoverApplication Process = "CoverApplication"
	// Trimming is that of bound products on three sides.
	Trimming     Process = "Trimming"
	HoleMaking   Process = "HoleMaking"
	ShapeCutting Process = "ShapeCutting"
)

// Processes lists them.
func Processes() []Process {
	return []Process{
		ConventionalPrinting, DigitalPrinting, Cutting, Creasing, Folding, Laminating, Varnishing, Stitching, CoverApplication, Trimming, HoleMaking, ShapeCutting,
	}
}

// Printing reports whether the process is that of a press.
func (p Process) Printing() bool { return p == ConventionalPrinting || p == DigitalPrinting }

// Media is a printing sheet as it is bought.
type Media struct {
	// ID is what a document names it by, in Media/@ID.
	ID   string `json:"id"`
	Name string `json:"name"`
	// ProductCode is the maker's number. It identifies nothing here.
	ProductCode  string `json:"productCode,omitempty"`
	Manufacturer string `json:"manufacturer,omitempty"`
	// MediaType is one of [MediaTypes].
	MediaType string `json:"mediaType"`
	// Width and Height are of the sheet, in mm.
	Width  fixed.Decimal `json:"width"`
	Height fixed.Decimal `json:"height"`
	// Weight is in g/m2, Thickness in micrometres.
	Weight    fixed.Decimal `json:"weight"`
	Thickness fixed.Decimal `json:"thickness"`
	// Grain is XDirection where the fibres run along the width, YDirection along
	// the height; empty: unknown, or there are none.
	Grain Grain `json:"grain,omitempty"`
	// Coating and BackCoating are of the list Coating of XJDF 2.2.
	Coating     string `json:"coating,omitempty"`
	BackCoating string `json:"backCoating,omitempty"`
	// Price is per Sheet, ThousandSheets, Kilogram or SquareMetre.
	Price Price `json:"price"`
}

// Grain is a direction of fibres (XJDF 2.2, A.2.28).
type Grain string

// The directions.
const (
	GrainUnknown Grain = ""
	GrainX       Grain = "XDirection"
	GrainY       Grain = "YDirection"
)

// Area is a rectangle in mm.
type Area struct {
	Width  fixed.Decimal `json:"width"`
	Height fixed.Decimal `json:"height"`
}

// IsZero reports whether nothing was said.
func (a Area) IsZero() bool { return a == Area{} }

// Range is a closed interval.
type Range struct {
	Min fixed.Decimal `json:"min"`
	Max fixed.Decimal `json:"max"`
}

// Device is a machine, or a place of work, with what an hour of it costs.
type Device struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Manufacturer string `json:"manufacturer,omitempty"`
	Model        string `json:"model,omitempty"`
	// Process is the one thing that it does here.
	Process Process `json:"process"`

	// MinSheet and MaxSheet bound what it takes, in mm, the long side along the
	// width or not: a sheet is turned if that makes it fit.
	MinSheet Area `json:"minSheet,omitzero"`
	MaxSheet Area `json:"maxSheet"`
	// PrintArea is how much of MaxSheet a press prints on; the rest is gripper and
	// margins, which smaller sheets need as well. Presses alone have one.
	PrintArea Area `json:"printArea,omitzero"`
	// Weight is of the media that it takes, in g/m2; zero: any.
	Weight Range `json:"weight,omitzero"`
	// MinPages and MaxPages are of the products that it binds, or of the signatures
	// that it folds; zero: any.
	MinPages int64 `json:"minPages,omitempty"`
	MaxPages int64 `json:"maxPages,omitempty"`

	// Speed is what is made in an hour: sheets printed on one side (a perfecting
	// press: on both), cuts, sheets folded, laminated, varnished, products bound.
	Speed fixed.Decimal `json:"speed"`
	// SetupMinutes are for each form, job or sort of sheets.
	SetupMinutes fixed.Decimal `json:"setupMinutes"`
	// SetupWaste is how many pieces a set-up spoils, WastePercent how many of a
	// hundred the run spoils (0 to 50).
	SetupWaste   int64         `json:"setupWaste,omitempty"`
	WastePercent fixed.Decimal `json:"wastePercent,omitempty"`

	// HourlyRate is what an hour costs without people and power.
	HourlyRate fixed.Decimal `json:"hourlyRate"`
	// Crew is how many people of the trade Labor it takes, of which there may be
	// parts.
	Crew  fixed.Decimal `json:"crew,omitempty"`
	Labor string        `json:"labor,omitempty"`
	// Power is in kW, by the tariff Electricity.
	Power       fixed.Decimal `json:"power,omitempty"`
	Electricity string        `json:"electricity,omitempty"`

	// Colors is how many separations a press prints in one pass of a side.
	Colors int64 `json:"colors,omitempty"`
	// Perfecting presses print both sides in one pass.
	Perfecting bool `json:"perfecting,omitempty"`
	// Coater is a varnishing unit in line.
	Coater bool `json:"coater,omitempty"`
	// Plate is what each separation of a form of ConventionalPrinting needs.
	Plate string `json:"plate,omitempty"`
	// ClickColor and ClickMono are the prices of one printed side of a sheet, toner
	// included, of DigitalPrinting.
	ClickColor fixed.Decimal `json:"clickColor,omitempty"`
	ClickMono  fixed.Decimal `json:"clickMono,omitempty"`
	// StackHeight is what Cutting cuts through at once, in mm.
	StackHeight fixed.Decimal `json:"stackHeight,omitempty"`
	// Adhesive is what CoverApplication binds with.
	Adhesive string `json:"adhesive,omitempty"`
	// Folds are the entries of the FoldCatalog that Folding does, such as F4-1;
	// empty: all of which the flat size is known.
	Folds []string `json:"folds,omitempty"`
}

// Ink is an ink of ConventionalPrinting.
type Ink struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Separation is the colour, such as Cyan or the name of a spot colour.
	Separation string `json:"separation"`
	// Consumption is in grams for a square metre of solid.
	Consumption fixed.Decimal `json:"consumption"`
	// Price is per Kilogram.
	Price Price `json:"price"`
}

// Lamination is a film.
type Lamination struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Texture is as in LaminatingIntent/@Texture, such as Gloss or Matte.
	Texture string `json:"texture"`
	// Thickness is in micrometres.
	Thickness fixed.Decimal `json:"thickness"`
	// Price is per SquareMetre of one side.
	Price Price `json:"price"`
}

// Varnish is a coating that is put on when all colours are printed.
type Varnish struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Coating is as in SurfaceColor/@Coatings, such as Varnish, UV or Aqueous.
	Coating string `json:"coating"`
	// Consumption is in grams for a square metre.
	Consumption fixed.Decimal `json:"consumption"`
	// Price is per Kilogram.
	Price Price `json:"price"`
}

// Plate is a printing plate.
type Plate struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Width  fixed.Decimal `json:"width"`
	Height fixed.Decimal `json:"height"`
	// Price is per Piece, exposed.
	Price Price `json:"price"`
}

// Adhesive is a glue.
type Adhesive struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Consumption is in grams for a metre of spine.
	Consumption fixed.Decimal `json:"consumption"`
	// Price is per Kilogram.
	Price Price `json:"price"`
}

// Electricity is a tariff.
type Electricity struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Price is per KilowattHour.
	Price Price `json:"price"`
}

// Labor is a trade.
type Labor struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// LaborType is as in ManualLaborParams/@LaborType.
	LaborType string `json:"laborType"`
	// Price is per Hour.
	Price Price `json:"price"`
}

// Policy is how an owner calculates, and what it lets be quoted without anybody
// looking.
type Policy struct {
	// Bleed is in mm, for products that do not say theirs.
	Bleed fixed.Decimal `json:"bleed"`
	// Gutter is in mm, between two pieces with their bleed.
	Gutter fixed.Decimal `json:"gutter"`
	// InkCoverage is in percent of the printed area for each separation, for
	// products that do not say theirs; zero: such products need a review.
	InkCoverage fixed.Decimal `json:"inkCoverage,omitempty"`
	// SpineMilling is in mm, what soft cover binding takes off the spine.
	SpineMilling fixed.Decimal `json:"spineMilling,omitempty"`
	// GrainAlongSpine refuses sheets whose fibres would run across the spine.
	GrainAlongSpine bool `json:"grainAlongSpine,omitempty"`
	// QuantityBreaks are calculated beside the quantity asked for, as far as they
	// lie between its bounds.
	QuantityBreaks []int64 `json:"quantityBreaks,omitempty"`
	// MaxQuantity and MaxTotal are what may be quoted unattended; zero: nothing.
	MaxQuantity int64         `json:"maxQuantity,omitempty"`
	MaxTotal    fixed.Decimal `json:"maxTotal,omitempty"`
}

// MediaTypes are the types of media that can be costed, of the list MediaType of
// XJDF 2.2 (A.2.29).
func MediaTypes() []string {
	return []string{"Paper", "SelfAdhesive", "CorrugatedBoard", "Vinyl", "Textile", "Transparency"}
}

// Coatings are those of media (XJDF 2.2, A.2.10).
func Coatings() []string { return []string{"Coated", "Gloss", "Matte", "None", "Satin"} }
