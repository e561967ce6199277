// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// Outcome is the permitted use of a result.
type Outcome string

// The outcomes.
const (
	OutcomeAuthoritative Outcome = "authoritative"
	OutcomeManualReview  Outcome = "manualReview"
)

// Result is the cost of a product. Equal requests have equal results, byte for byte.
type Result struct {
	Mode     Mode     `json:"mode"`
	Outcome  Outcome  `json:"outcome"`
	Snapshot Snapshot `json:"snapshot"`
	Product  Product  `json:"product"`
	// Breaks are in the order of their quantities, and include the document's amount.
	Breaks []Break `json:"breaks"`
	// Assumptions lists the values that the policy or this package supplied.
	Assumptions []Assumption `json:"assumptions"`
	// Rounding describes how amounts were rounded.
	Rounding string `json:"rounding"`
}

// Rounding is the statement of [Result.Rounding].
const Rounding = "A quantity is rounded half away from zero to 4 places, its product with the rate half away from zero to the smallest unit of the currency; the total is the sum of these amounts; numbers of pieces and sheets are rounded up."

// Snapshot names the master data of a result.
type Snapshot struct {
	ID            string     `json:"id"`
	Approval      string     `json:"approval,omitempty"`
	Currency      string     `json:"currency"`
	ApprovedAt    *time.Time `json:"approvedAt,omitempty"`
	EffectiveFrom *time.Time `json:"effectiveFrom,omitempty"`
	EffectiveTo   *time.Time `json:"effectiveTo,omitempty"`
}

// Size is in mm.
type Size struct {
	Width  money.Decimal `json:"width"`
	Height money.Decimal `json:"height"`
}

func sizeOf(r rectangle) Size { return Size{millimetres(r.x), millimetres(r.y)} }

// Product is the calculated product.
type Product struct {
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Quantity int64  `json:"quantity"`
	Finished Size   `json:"finished"`
	// Pages is the number of pages of a bound product, cover included.
	Pages   int64             `json:"pages,omitempty"`
	Binding authority.Process `json:"binding,omitempty"`
	Parts   []Part            `json:"parts"`
}

// Part is a component of the product that is printed on one medium.
type Part struct {
	ID   string `json:"id,omitempty"`
	Role string `json:"role"`
	// Media is the identifier in the master data.
	Media string `json:"media"`
	Flat  *Size  `json:"flat,omitempty"`
	Pages int64  `json:"pages,omitempty"`
	// Front and Back are the separations of each side.
	Front []string `json:"front"`
	Back  []string `json:"back"`
}

// Break is the cost of one quantity.
type Break struct {
	Quantity int64       `json:"quantity"`
	Total    money.Money `json:"total"`
	// UnitCost is the total for one piece, rounded to 6 places. No other figure is
	// calculated from it.
	UnitCost     money.Money   `json:"unitCost"`
	Lines        []Line        `json:"lines"`
	Plan         []Plan        `json:"plan"`
	Finishing    []Use         `json:"finishing"`
	Alternatives []Alternative `json:"alternatives"`
}

// Item is the kind of cost of a line.
type Item string

// The items.
const (
	ItemMedia    Item = "media"
	ItemPlates   Item = "plates"
	ItemInk      Item = "ink"
	ItemClicks   Item = "clicks"
	ItemVarnish  Item = "varnish"
	ItemFilm     Item = "film"
	ItemAdhesive Item = "adhesive"
	ItemMachine  Item = "machine"
	ItemLabor    Item = "labor"
	ItemPower    Item = "power"
	ItemProofs   Item = "proofs"
	ItemPacking  Item = "packing"
	ItemFreight  Item = "freight"
	ItemFoil     Item = "foil"
	ItemTools    Item = "tools"
	ItemElements Item = "elements"

	ItemBoards      Item = "boards"
	ItemEndSheets   Item = "endSheets"
	ItemStripping   Item = "stripping"
	ItemPreparation Item = "preparation"
	ItemRecords     Item = "records"
	ItemThread      Item = "thread"
	ItemHeadBands   Item = "headBands"
	ItemRibbons     Item = "ribbons"
)

// PerClick is the unit of printed sides of sheets.
const PerClick authority.Unit = "Click"

// Line is a quantity of one resource at its rate.
type Line struct {
	// Step is the process of the line.
	Step authority.Process `json:"step"`
	Item Item              `json:"item"`
	// Part is the role and, if it has one, the identifier of the part; empty for the
	// whole product.
	Part string `json:"part,omitempty"`
	// SheetPages distinguishes the sheets of one part, as in [Plan].
	SheetPages  int64          `json:"sheetPages,omitempty"`
	Description string         `json:"description"`
	Resource    Resource       `json:"resource"`
	Quantity    string         `json:"quantity"`
	Unit        authority.Unit `json:"unit"`
	Rate        string         `json:"rate"`
	Amount      money.Money    `json:"amount"`
}

// Resource identifies an entry of the master data.
type Resource struct {
	Family authority.Family `json:"family"`
	ID     string           `json:"id"`
}

// Plan describes how the sheets of one sort are made.
type Plan struct {
	Part string `json:"part"`
	// SheetPages is the number of pages of a sheet, and Sheets the number of different
	// sheets in one product.
	SheetPages int64  `json:"sheetPages"`
	Sheets     int64  `json:"sheets"`
	Press      string `json:"press"`
	Media      string `json:"media"`
	// Sheet is the size of a printed sheet. A bought sheet is cut into Columns by Rows.
	Sheet   Size  `json:"sheet"`
	Columns int64 `json:"columns"`
	Rows    int64 `json:"rows"`
	// Up is the number of pieces on a sheet, in one grid or two.
	Up        int64     `json:"up"`
	Grids     []Grid    `json:"grids"`
	WorkStyle WorkStyle `json:"workStyle"`
	Forms     int64     `json:"forms"`
	// Good is the number of printed sheets that are needed, Waste the number printed in
	// addition, and Bought the number of bought sheets.
	Good      int64 `json:"good"`
	Waste     int64 `json:"waste"`
	Bought    int64 `json:"bought"`
	Finishing []Use `json:"finishing"`
	// Gang is set if the product shares a gang form. Good, Waste and Bought are then those of
	// the whole form, and a product on several runs has a plan for each.
	Gang *Gang `json:"gang,omitempty"`
}

// Gang is the share of a product in a gang form.
type Gang struct {
	// Form is the identifier in the master data, and Run the number of good sheets of the form.
	Form string `json:"form"`
	Run  int64  `json:"run"`
	// Positions of the Of positions of the form are used by the product.
	Positions int64 `json:"positions"`
	Of        int64 `json:"of"`
}

// Grid is a grid of pieces on a sheet.
type Grid struct {
	Columns int64 `json:"columns"`
	Rows    int64 `json:"rows"`
	Turned  bool  `json:"turned"`
}

// Use is a device that is used.
type Use struct {
	Process authority.Process `json:"process"`
	Device  string            `json:"device"`
}

// Alternative is the cost of the product if another press printed a part, alone or on a gang
// form, or the reason why that press cannot print it.
type Alternative struct {
	Part  string `json:"part"`
	Press string `json:"press"`
	// GangForm is the identifier of the gang form; empty for sheets of the product alone.
	GangForm string `json:"gangForm,omitempty"`
	// Total is null if the press cannot print the part.
	Total  *money.Money `json:"total"`
	Reason string       `json:"reason,omitempty"`
}

// Assumption is a value that the document does not give and the calculation uses.
type Assumption struct {
	Code   AssumptionCode `json:"code"`
	Detail string         `json:"detail"`
}

// AssumptionCode is the kind of an [Assumption].
type AssumptionCode string

// The codes of assumptions. They never change their meaning.
const (
	AssumedBleed          AssumptionCode = "BLEED"
	AssumedCoverage       AssumptionCode = "COVERAGE"
	AssumedSharedCoverage AssumptionCode = "COVERAGE_SHARED"
	AssumedSides          AssumptionCode = "SIDES"
	AssumedFlatSize       AssumptionCode = "FLAT_SIZE"
	AssumedSpine          AssumptionCode = "SPINE"
	AssumedGrain          AssumptionCode = "GRAIN"
	AssumedCheapest       AssumptionCode = "CHEAPEST"
	AssumedQuantities     AssumptionCode = "QUANTITIES"
	AssumedMeasured       AssumptionCode = "COVERAGE_MEASURED"
	AssumedEndSheets      AssumptionCode = "END_SHEETS"
	AssumedBoard          AssumptionCode = "BOARD"
	AssumedDie            AssumptionCode = "DIE"
	AssumedDate           AssumptionCode = "DELIVERY_DATE"
)

// AssumptionMeaning is a line of the table of assumptions.
type AssumptionMeaning struct {
	Code    AssumptionCode
	Meaning string
}

// Assumptions returns the table of assumptions, in the order of the reference.
func Assumptions() []AssumptionMeaning {
	return []AssumptionMeaning{
		{AssumedBleed, "the bleed of the policy"},
		{AssumedCoverage, "the coverage of the policy, for each colour"},
		{AssumedSharedCoverage, "the coverage of the document is the same for each colour of a side"},
		{AssumedMeasured, "the coverage of each colour that was measured, as the request states"},
		{AssumedSides, "the sides that have colours are printed"},
		{AssumedFlatSize, "the flat size that follows from the fold"},
		{AssumedSpine, "the spine that follows from medium and pages"},
		{AssumedGrain, "fibres along the spine, by the policy"},
		{AssumedCheapest, "the cheapest plan, regardless of `PrintPreference`"},
		{AssumedQuantities, "the quantities of the request, instead of those of the document"},
		{AssumedEndSheets, "two end sheets in a hard cover"},
		{AssumedBoard, "the cheapest board, in a hard cover without `Thickness`"},
		{AssumedDie, "the die of a box exists, because the document has an available Tool `CutDie`"},
		{AssumedDate, "the dates of the delivery can be met and cost nothing"},
	}
}
