// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// onlinePrinter returns the printer of the guide with gang forms, and with what hard covers,
// addressed postcards and boxes need.
func onlinePrinter() authority.Content {
	c := printer()
	cmyk := []string{"Cyan", "Magenta", "Yellow", "Black"}
	c.Policy.Case = authority.Case{Square: dec("3"), Joint: dec("7"), TurnIn: dec("15")}
	c.Devices[2].VariableSpeed = dec("1500")
	c.Devices = append(c.Devices,
		authority.Device{
			ID: "case-maker", Name: "Case maker", Process: authority.CaseMaking, MinSheet: size("200", "150"), MaxSheet: size("700", "450"), Speed: dec("600"), SetupMinutes: dec("30"),
			SetupWaste: 10, WastePercent: dec("1"), HourlyRate: dec("45"), Crew: dec("1"), Labor: "finisher", Power: dec("5"), Electricity: "grid",
		},
		authority.Device{
			ID: "casing-in", Name: "Casing-in line", Process: authority.CasingIn, MinSheet: size("100", "100"), MaxSheet: size("320", "360"), Speed: dec("400"), SetupMinutes: dec("60"),
			SetupWaste: 8, WastePercent: dec("2"), HourlyRate: dec("80"), Crew: dec("2"), Labor: "finisher", Power: dec("10"), Electricity: "grid", Adhesive: "hotmelt",
			Block: authority.Range{Min: dec("4"), Max: dec("60")},
		},
		authority.Device{
			ID: "die-cutter", Name: "Die cutter 102", Process: authority.ShapeCutting, MinSheet: size("400", "300"), MaxSheet: size("1020", "720"), Speed: dec("4000"), SetupMinutes: dec("60"),
			SetupWaste: 40, WastePercent: dec("1"), HourlyRate: dec("70"), Crew: dec("1"), Labor: "finisher", Power: dec("12"), Electricity: "grid", Shapes: []string{"Path"},
		},
		authority.Device{
			ID: "gluer", Name: "Folder-gluer", Process: authority.BoxFolding, MaxSheet: size("650", "600"), Speed: dec("10000"), SetupMinutes: dec("45"),
			SetupWaste: 50, WastePercent: dec("0.5"), HourlyRate: dec("50"), Crew: dec("2"), Labor: "finisher", Power: dec("6"), Electricity: "grid",
		},
	)
	c.Services = []authority.Service{
		{ID: "board-2", Name: "Grey board 2 mm", Kind: authority.Board, Thickness: dec("2"), Weight: dec("1250"), Price: price("2.2", authority.PerSquareMetre)},
		{ID: "board-3", Name: "Grey board 3 mm", Kind: authority.Board, Thickness: dec("3"), Weight: dec("1870"), Price: price("3.1", authority.PerSquareMetre)},
		{ID: "end-sheet", Name: "White end sheet", Kind: authority.EndSheet, Thickness: dec("0.16"), Weight: dec("140"), Price: price("0.3", authority.PerSquareMetre)},
		{ID: "data", Name: "Preparation of addresses", Kind: authority.DataPreparation, Price: price("35", authority.PerPiece)},
		{ID: "address", Name: "Address", Kind: authority.VariableRecord, VariableType: "AddressField", Price: price("0.012", authority.PerPiece)},
		{ID: "die", Name: "Steel rule die", Kind: authority.CuttingDie, Price: price("14", authority.PerMetre)},
		{ID: "strip", Name: "Stripping by hand", Kind: authority.Stripping, Price: price("0.004", authority.PerPiece)},
		{ID: "glue-point", Name: "Point of glue", Kind: authority.GluePoint, Price: price("0.0006", authority.PerPiece)},
	}
	c.GangForms = []authority.GangForm{
		{
			ID: "gang-cards", Name: "Cards on board-300", Press: "press-52", Media: "board-300", Columns: 2, Rows: 2, Position: size("92", "62"), Positions: 20,
			Runs: []int64{250, 500, 1000}, Front: cmyk, Back: cmyk,
		},
		{
			ID: "gang-flyers", Name: "A6 on gloss-135", Press: "press-100", Media: "gloss-135", Columns: 1, Rows: 1, Position: size("111", "154"), Positions: 28,
			Runs: []int64{1000, 2500}, Front: cmyk, Back: cmyk,
		},
	}
	return c
}
