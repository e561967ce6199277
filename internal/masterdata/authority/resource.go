// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"slices"

	"github.com/printmarket/printmarket/internal/money"
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
	// FamilyService and FamilyGangForm have no place in the interface specification, so
	// [Families] lacks them.
	FamilyService  Family = "service"
	FamilyGangForm Family = "gangForm"
)

// Families lists the families of the interface specification.
func Families() []Family {
	return []Family{
		FamilyMedia, FamilyDevice, FamilyInk, FamilyLamination, FamilyVarnish, FamilyPlate, FamilyAdhesive, FamilyElectricity, FamilyLabor,
	}
}

// Plural returns the name of the family's list in files and in stored content.
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

// Unit is the unit of a price.
type Unit string

// The units.
const (
	PerSheet          Unit = "Sheet"
	PerThousandSheets Unit = "ThousandSheets"
	PerKilogram       Unit = "Kilogram"
	PerSquareMetre    Unit = "SquareMetre"
	PerPiece          Unit = "Piece"
	PerMetre          Unit = "Metre"
	PerKilowattHour   Unit = "KilowattHour"
	PerHour           Unit = "Hour"
)

// Price is an amount in the snapshot's currency for one unit.
type Price struct {
	// Amount is at least 0.
	Amount money.Decimal `json:"amount"`
	Per    Unit          `json:"per"`
}

// Process is the process of a device, by its name in XJDF 2.2 (chapter 5).
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
	// Stitching is saddle stitching with inline collecting and trimming.
	Stitching Process = "Stitching"
	// CoverApplication is soft cover binding with inline gathering, spine preparation and
	// gluing.
	CoverApplication Process = "CoverApplication"
	// Trimming is the three-side trimming of bound products.
	Trimming     Process = "Trimming"
	HoleMaking   Process = "HoleMaking"
	ShapeCutting Process = "ShapeCutting"
	// Perforating and Embossing, which includes foil stamping, process flat pieces.
	Perforating Process = "Perforating"
	Embossing   Process = "Embossing"
	// LooseBinding is binding with wire or coils, with inline gathering and punching.
	LooseBinding Process = "LooseBinding"
	// CaseMaking makes the cases of hard covers from a printed sheet and boards.
	CaseMaking Process = "CaseMaking"
	// CasingIn is hard cover binding with inline gathering, gluing and trimming of the block,
	// and with end sheets.
	CasingIn Process = "CasingIn"
	// BoxFolding folds and glues die-cut blanks.
	BoxFolding Process = "BoxFolding"
	// ThreadSewing sews the folded sheets of a book.
	ThreadSewing Process = "ThreadSewing"
	// Jacketing folds a jacket around a hard cover.
	Jacketing Process = "Jacketing"
)

// Processes lists all processes.
func Processes() []Process {
	return []Process{
		ConventionalPrinting, DigitalPrinting, Cutting, Creasing, Folding, Laminating, Varnishing, Stitching, CoverApplication, Trimming, HoleMaking, ShapeCutting,
		Perforating, Embossing, LooseBinding, CaseMaking, CasingIn, BoxFolding, ThreadSewing, Jacketing,
	}
}

// Printing reports whether the device of the process is a press.
func (p Process) Printing() bool { return p == ConventionalPrinting || p == DigitalPrinting }

// Media is a printing sheet as bought.
type Media struct {
	// ID is the identifier in Media/@ID of a document.
	ID   string `json:"id"`
	Name string `json:"name"`
	// ProductCode is the manufacturer's number. It is a description, not an identifier.
	ProductCode  string `json:"productCode,omitempty"`
	Manufacturer string `json:"manufacturer,omitempty"`
	// MediaType is one of [MediaTypes].
	MediaType string `json:"mediaType"`
	// Width and Height are the size of the sheet, in mm.
	Width  money.Decimal `json:"width"`
	Height money.Decimal `json:"height"`
	// Weight is in g/m2, Thickness in micrometres.
	Weight    money.Decimal `json:"weight"`
	Thickness money.Decimal `json:"thickness"`
	// Grain is XDirection if the fibres run along the width, YDirection if they run along
	// the height, and empty if the direction is unknown or the medium has no fibres.
	Grain Grain `json:"grain,omitempty"`
	// Coating and BackCoating are values of the list Coating of XJDF 2.2.
	Coating     string `json:"coating,omitempty"`
	BackCoating string `json:"backCoating,omitempty"`
	// Price is per Sheet, ThousandSheets, Kilogram or SquareMetre.
	Price Price `json:"price"`
}

// Grain is a grain direction (XJDF 2.2, A.2.28).
type Grain string

// The directions.
const (
	GrainUnknown Grain = ""
	GrainX       Grain = "XDirection"
	GrainY       Grain = "YDirection"
)

// Area is a rectangle in mm.
type Area struct {
	Width  money.Decimal `json:"width"`
	Height money.Decimal `json:"height"`
}

// IsZero reports whether the area is missing.
func (a Area) IsZero() bool { return a == Area{} }

// Range is a closed interval.
type Range struct {
	Min money.Decimal `json:"min"`
	Max money.Decimal `json:"max"`
}

// Device is a machine or a workplace with its hourly cost.
type Device struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Manufacturer string `json:"manufacturer,omitempty"`
	Model        string `json:"model,omitempty"`
	// Process is the only process of the device.
	Process Process `json:"process"`

	// MinSheet and MaxSheet bound the accepted sheets, in mm. A sheet is turned if that
	// makes it fit.
	MinSheet Area `json:"minSheet,omitzero"`
	MaxSheet Area `json:"maxSheet"`
	// PrintArea is the printable part of MaxSheet. The rest is gripper and margins, which
	// smaller sheets need as well. Only presses have a print area.
	PrintArea Area `json:"printArea,omitzero"`
	// Weight bounds the accepted media, in g/m2; zero means any weight.
	Weight Range `json:"weight,omitzero"`
	// MinPages and MaxPages bound the pages of bound products or of folded signatures;
	// zero means any number.
	MinPages int64 `json:"minPages,omitempty"`
	MaxPages int64 `json:"maxPages,omitempty"`

	// Speed is the output per hour: sheets printed on one side (on both sides for a
	// perfecting press), cuts, sheets folded, sewn, laminated or varnished, or products bound.
	Speed money.Decimal `json:"speed"`
	// SetupMinutes is the time for each form, job or sort of sheets.
	SetupMinutes money.Decimal `json:"setupMinutes"`
	// SetupWaste is the number of pieces that a set-up wastes, WastePercent the share that
	// the run wastes (0 to 50).
	SetupWaste   int64         `json:"setupWaste,omitempty"`
	WastePercent money.Decimal `json:"wastePercent,omitempty"`
	// WasteThen are shares that replace WastePercent for the pieces beyond the numbers of
	// WasteFrom, which ascend: of 5000 pieces with WasteFrom 1000, the first 1000 waste
	// WastePercent and the other 4000 the first of WasteThen.
	WasteFrom []int64         `json:"wasteFrom,omitempty"`
	WasteThen []money.Decimal `json:"wasteThen,omitempty"`

	// HourlyRate is the cost of an hour without labour and power.
	HourlyRate money.Decimal `json:"hourlyRate"`
	// Crew is the number of people of the trade Labor, which may be a fraction.
	Crew  money.Decimal `json:"crew,omitempty"`
	Labor string        `json:"labor,omitempty"`
	// Power is the consumption in kW at the tariff Electricity.
	Power       money.Decimal `json:"power,omitempty"`
	Electricity string        `json:"electricity,omitempty"`

	// Colors is the number of separations that a press prints on a side in one pass.
	Colors int64 `json:"colors,omitempty"`
	// Perfecting presses print both sides in one pass.
	Perfecting bool `json:"perfecting,omitempty"`
	// Coater reports whether the press has an inline varnishing unit.
	Coater bool `json:"coater,omitempty"`
	// Plate is the plate of each separation of a form, for ConventionalPrinting.
	Plate string `json:"plate,omitempty"`
	// ClickColor and ClickMono are the prices of one printed side of a sheet, toner
	// included, for DigitalPrinting.
	ClickColor money.Decimal `json:"clickColor,omitempty"`
	ClickMono  money.Decimal `json:"clickMono,omitempty"`
	// StackHeight is the height that Cutting cuts at once, in mm.
	StackHeight money.Decimal `json:"stackHeight,omitempty"`
	// Adhesive is the glue of CoverApplication, or of the spines of CasingIn.
	Adhesive string `json:"adhesive,omitempty"`
	// Folds lists the entries of the FoldCatalog that Folding supports, such as F4-1; an
	// empty list means all folds with a known flat size.
	Folds []string `json:"folds,omitempty"`
	// Shapes lists the values of ShapeCut/@ShapeType that ShapeCutting supports, such as
	// RoundedRectangle for round corners; an empty list means all but Path. A device with
	// Path cuts sheets with a die; its speed is in sheets.
	Shapes []string `json:"shapes,omitempty"`
	// Strips reports whether a device that cuts with a die removes the waste in line.
	Strips bool `json:"strips,omitempty"`
	// VariableSpeed replaces Speed for variable data, in sheets per hour; zero means that a
	// DigitalPrinting device cannot print them.
	VariableSpeed money.Decimal `json:"variableSpeed,omitempty"`
	// Block bounds the thickness of the blocks of CasingIn, in mm.
	Block Range `json:"block,omitzero"`
	// EmbossingTypes lists the values of EmbossingItem/@EmbossingType that Embossing
	// supports, such as FoilStamping.
	EmbossingTypes []string `json:"embossingTypes,omitempty"`
	// BindingTypes lists the values of BindingIntent/@BindingType that LooseBinding supports.
	BindingTypes []string `json:"bindingTypes,omitempty"`
}

// Case holds the measures of a hard cover, in mm.
type Case struct {
	// Square is the width by which the boards extend beyond three sides of the block.
	Square money.Decimal `json:"square"`
	// Joint is the distance between a board and the spine board.
	Joint money.Decimal `json:"joint"`
	// TurnIn is the width of the cover sheet that is turned in around the boards.
	TurnIn money.Decimal `json:"turnIn"`
}

// GangForm is a form of a press that is shared by the flat products of several customers.
type GangForm struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Press is the ConventionalPrinting device, Media the medium.
	Press string `json:"press"`
	Media string `json:"media"`
	// Columns and Rows divide a bought sheet into printed sheets.
	Columns int64 `json:"columns"`
	Rows    int64 `json:"rows"`
	// Position is the size of a position with its bleed, in mm.
	Position Area `json:"position"`
	// Positions is the number of positions that share the cost of the form. It is below the
	// number that fit if some usually stay empty.
	Positions int64 `json:"positions"`
	// Runs lists the numbers of good sheets of a form, in ascending sequence.
	Runs []int64 `json:"runs"`
	// Front and Back list the separations of each side. Products may have fewer.
	Front []string `json:"front"`
	Back  []string `json:"back,omitempty"`
	// FrontVarnish and BackVarnish are varnishes, FrontFilm and BackFilm films of the whole
	// form; empty means none. Products have the same.
	FrontVarnish string `json:"frontVarnish,omitempty"`
	BackVarnish  string `json:"backVarnish,omitempty"`
	FrontFilm    string `json:"frontFilm,omitempty"`
	BackFilm     string `json:"backFilm,omitempty"`
}

// Grid returns the columns and rows of positions that fit on a printed sheet, in the better
// orientation of the sheet in the press. It returns 0 if the press does not accept the sheet.
func (f *GangForm) Grid(press *Device, m *Media) (columns, rows int64) {
	sheet := Area{m.Width / money.Decimal(f.Columns), m.Height / money.Decimal(f.Rows)}
	margin := Area{press.MaxSheet.Width - press.PrintArea.Width, press.MaxSheet.Height - press.PrintArea.Height}
	largest, smallest := press.MaxSheet, press.MinSheet
	for range 2 {
		accepted := sheet.Width <= largest.Width && sheet.Height <= largest.Height && sheet.Width >= smallest.Width && sheet.Height >= smallest.Height
		across, along := int64((sheet.Width-margin.Width)/f.Position.Width), int64((sheet.Height-margin.Height)/f.Position.Height)
		if accepted && across*along > columns*rows {
			columns, rows = across, along
		}
		// Turn the press instead of the sheet, so that the positions stay upright.
		largest, smallest = Area{largest.Height, largest.Width}, Area{smallest.Height, smallest.Width}
		margin = Area{margin.Height, margin.Width}
	}
	return columns, rows
}

// Ink is an ink of ConventionalPrinting.
type Ink struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Separation is the colour, such as Cyan or the name of a spot colour.
	Separation string `json:"separation"`
	// Consumption is in g/m2 of solid area.
	Consumption money.Decimal `json:"consumption"`
	// Price is per Kilogram.
	Price Price `json:"price"`
}

// Lamination is a film.
type Lamination struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Texture is a value of LaminatingIntent/@Texture, such as Gloss or Matte.
	Texture string `json:"texture"`
	// Thickness is in micrometres.
	Thickness money.Decimal `json:"thickness"`
	// Price is per SquareMetre of one side.
	Price Price `json:"price"`
}

// Varnish is a coating that is applied after all colours.
type Varnish struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Coating is a value of SurfaceColor/@Coatings, such as Varnish, UV or Aqueous.
	Coating string `json:"coating"`
	// Consumption is in g/m2.
	Consumption money.Decimal `json:"consumption"`
	// Price is per Kilogram.
	Price Price `json:"price"`
}

// Plate is a printing plate.
type Plate struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Width  money.Decimal `json:"width"`
	Height money.Decimal `json:"height"`
	// Price is per Piece, exposed.
	Price Price `json:"price"`
}

// Adhesive is a glue.
type Adhesive struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Consumption is in g/m of spine.
	Consumption money.Decimal `json:"consumption"`
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
	// LaborType is a value of ManualLaborParams/@LaborType.
	LaborType string `json:"laborType"`
	// Price is per Hour.
	Price Price `json:"price"`
}

// Service is work, carriage or a consumable that is paid by the piece, weight or area.
type Service struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind determines the other fields.
	Kind ServiceKind `json:"kind"`
	// MaxPieces and MaxWeight, in kg, bound the products in one package of Packing. Zero
	// means any number or weight; one of them is required.
	MaxPieces int64         `json:"maxPieces,omitempty"`
	MaxWeight money.Decimal `json:"maxWeight,omitempty"`
	// ColorType is a value of ProofItem/@ColorType, for Proof.
	ColorType string `json:"colorType,omitempty"`
	// Contract marks a Proof that is binding for the colours.
	Contract bool `json:"contract,omitempty"`
	// EmbossingType is a value of EmbossingItem/@EmbossingType, for EmbossingTool.
	EmbossingType string `json:"embossingType,omitempty"`
	// FoilColor is a value of EmbossingItem/@FoilColor, for Foil.
	FoilColor string `json:"foilColor,omitempty"`
	// RibbonColor is a value of RegisterRibbon/@RibbonColor, for Ribbon.
	RibbonColor string `json:"ribbonColor,omitempty"`
	// BindingType is a value of BindingIntent/@BindingType, for BindingElement. The element
	// binds a block of at most MaxThickness with a spine of at most MaxLength, in mm.
	BindingType  string        `json:"bindingType,omitempty"`
	MaxThickness money.Decimal `json:"maxThickness,omitempty"`
	MaxLength    money.Decimal `json:"maxLength,omitempty"`
	// Thickness, in mm, and Weight, in g/m2, are those of Board and EndSheet.
	Thickness money.Decimal `json:"thickness,omitempty"`
	Weight    money.Decimal `json:"weight,omitempty"`
	// VariableType is a value of VariableIntent/@VariableType, for VariableRecord.
	VariableType string `json:"variableType,omitempty"`
	// Countries lists the countries in which Freight delivers to addresses that name one, by the two
	// letters of ISO 3166.
	Countries []string `json:"countries,omitempty"`
	// Price is for the unit of the kind.
	Price Price `json:"price"`
}

// ServiceKind is the kind of a [Service].
type ServiceKind string

// The kinds.
const (
	Packing ServiceKind = "Packing"
	Freight ServiceKind = "Freight"
	Proof   ServiceKind = "Proof"
	// EmbossingTool is a tool that is made for one EmbossingItem of a job.
	EmbossingTool ServiceKind = "EmbossingTool"
	Foil          ServiceKind = "Foil"
	// BindingElement is the wire or the coil of one product.
	BindingElement ServiceKind = "BindingElement"
	// Board and EndSheet are materials of hard covers. The rate of a square metre includes
	// offcuts and glue.
	Board    ServiceKind = "Board"
	EndSheet ServiceKind = "EndSheet"
	// HeadBand is a band at the head or the foot of a spine, by its length. Thread is paid by
	// the length of the spine of each sewn sheet; the rate includes all stitches.
	HeadBand ServiceKind = "HeadBand"
	Thread   ServiceKind = "Thread"
	// Ribbon is a register ribbon, by its length. The rate includes the work.
	Ribbon ServiceKind = "Ribbon"
	// DataPreparation is paid once for the variable data of a job, VariableRecord for each
	// product with data.
	DataPreparation ServiceKind = "DataPreparation"
	VariableRecord  ServiceKind = "VariableRecord"
	// CuttingDie is a die by the metre of its knives.
	CuttingDie ServiceKind = "CuttingDie"
	// Stripping removes the waste of a blank by hand, and GluePoint is one point of glue.
	Stripping ServiceKind = "Stripping"
	GluePoint ServiceKind = "GluePoint"
)

// units returns the units of the price of each kind.
func (k ServiceKind) units() []Unit {
	switch k {
	case Freight:
		return []Unit{PerPiece, PerKilogram}
	case Foil, Board, EndSheet:
		return []Unit{PerSquareMetre}
	case CuttingDie, HeadBand, Thread, Ribbon:
		return []Unit{PerMetre}
	default:
		return []Unit{PerPiece}
	}
}

// ServiceKinds lists all kinds.
func ServiceKinds() []ServiceKind {
	return []ServiceKind{
		Packing, Freight, Proof, EmbossingTool, Foil, BindingElement, Board, EndSheet, DataPreparation, VariableRecord, CuttingDie, Stripping, GluePoint, HeadBand, Thread, Ribbon,
	}
}

// VariableTypes lists the types of variable data (XJDF 2.2, 4.14).
func VariableTypes() []string {
	return []string{"AddressField", "Area", "IdentificationField", "OneLine"}
}

// Policy holds an owner's rules for calculations and its limits for unattended quotes.
type Policy struct {
	// Bleed is in mm, for products without a bleed of their own.
	Bleed money.Decimal `json:"bleed"`
	// Gutter is in mm, between two pieces with their bleed.
	Gutter money.Decimal `json:"gutter"`
	// InkCoverage is in percent of the printed area for each separation, for products
	// without a coverage of their own. With zero, such products need a review.
	InkCoverage money.Decimal `json:"inkCoverage,omitempty"`
	// SpineMilling is the width in mm that soft cover binding mills off the spine.
	SpineMilling money.Decimal `json:"spineMilling,omitempty"`
	// GrainAlongSpine excludes sheets whose fibres would run across the spine.
	GrainAlongSpine bool `json:"grainAlongSpine,omitempty"`
	// QuantityBreaks are calculated in addition to the requested quantity if they lie
	// between its bounds.
	QuantityBreaks []int64 `json:"quantityBreaks,omitempty"`
	// MaxQuantity and MaxTotal limit unattended quotes; zero allows none.
	MaxQuantity int64         `json:"maxQuantity,omitempty"`
	MaxTotal    money.Decimal `json:"maxTotal,omitempty"`
	// Packing and Freight are the services for every product; empty means that costs do not
	// include them.
	Packing string `json:"packing,omitempty"`
	Freight string `json:"freight,omitempty"`
	// Case describes hard covers; zero means that they are not offered.
	Case Case `json:"case,omitzero"`
}

// MediaTypes lists the types of media that can be costed, from the list MediaType of XJDF
// 2.2 (A.2.29).
func MediaTypes() []string {
	return []string{"Paper", "SelfAdhesive", "CorrugatedBoard", "Vinyl", "Textile", "Transparency"}
}

// EmbossingTypes lists the types of embossing (XJDF 2.2, EmbossType).
func EmbossingTypes() []string {
	return []string{"BlindEmbossing", "Braille", "EmbossedFinish", "FoilEmbossing", "FoilStamping"}
}

// LooseBindingTypes lists the types of LooseBinding that can be costed (XJDF 2.2, A.2.7).
func LooseBindingTypes() []string { return []string{"CoilBinding", "WireComb"} }

// ShapeTypes lists the shapes that can be costed; a Path needs a die.
func ShapeTypes() []string {
	return []string{"Line", "Path", "Rectangular", "Round", "RoundedRectangle"}
}

// Coatings lists the coatings of media (XJDF 2.2, A.2.10).
func Coatings() []string { return []string{"Coated", "Gloss", "Matte", "None", "Satin"} }
