// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// now is the time of all calculations in the tests.
var now = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func dec(text string) money.Decimal {
	d, err := money.ParseDecimal(text)
	if err != nil {
		panic(text)
	}
	return d
}

func size(width, height string) authority.Area {
	return authority.Area{Width: dec(width), Height: dec(height)}
}

func price(amount string, per authority.Unit) authority.Price {
	return authority.Price{Amount: dec(amount), Per: per}
}

// printerWith returns the printer of the guide with additions.
func printerWith(additions ...func(*authority.Content)) authority.Content {
	c := printer()
	for _, add := range additions {
		add(&c)
	}
	return c
}

// smallShop returns the printer with everything that the guides add to it: a set to start from.
func smallShop() authority.Content { return printerWith(addFinishing, addServices, addOnline) }

// printer returns the master data of the guide: a small commercial printer.
func printer() authority.Content {
	return authority.Content{
		Owner: "org_acme01", Currency: "EUR",
		Policy: authority.Policy{
			Bleed: dec("3"), Gutter: dec("0"), InkCoverage: dec("20"), SpineMilling: dec("3"), GrainAlongSpine: true,
			QuantityBreaks: []int64{500, 1000, 2500, 5000, 10_000}, MaxQuantity: 100_000, MaxTotal: dec("50000"),
		},
		Media: []authority.Media{
			paper("gloss-135", "1000", "700", "135", "105", "Gloss", authority.GrainX, price("90", authority.PerThousandSheets)),
			paper("matt-115", "1000", "700", "115", "100", "Matte", authority.GrainX, price("1.2", authority.PerKilogram)),
			paper("offset-90", "1000", "700", "90", "120", "None", authority.GrainX, price("1", authority.PerKilogram)),
			paper("board-300", "1000", "700", "300", "350", "Matte", authority.GrainX, price("0.25", authority.PerSheet)),
			paper("sra3-170", "450", "320", "170", "150", "Gloss", authority.GrainX, price("0.5", authority.PerSquareMetre)),
		},
		Devices: []authority.Device{
			{
				ID: "press-100", Name: "Sheetfed offset 70 x 100", Process: authority.ConventionalPrinting,
				MinSheet: size("480", "340"), MaxSheet: size("1020", "720"), PrintArea: size("1010", "700"), Weight: authority.Range{Min: dec("60"), Max: dec("400")},
				Speed: dec("10000"), SetupMinutes: dec("12"), SetupWaste: 100, WastePercent: dec("1"), HourlyRate: dec("180"), Crew: dec("2"), Labor: "printer",
				Power: dec("60"), Electricity: "grid", Colors: 5, Coater: true, Plate: "plate-100",
			},
			{
				ID: "press-52", Name: "Sheetfed offset 36 x 52", Process: authority.ConventionalPrinting,
				MinSheet: size("210", "148"), MaxSheet: size("520", "360"), PrintArea: size("510", "345"), Weight: authority.Range{Min: dec("60"), Max: dec("350")},
				Speed: dec("8000"), SetupMinutes: dec("6"), SetupWaste: 50, WastePercent: dec("1"), HourlyRate: dec("60"), Crew: dec("1"), Labor: "printer",
				Power: dec("15"), Electricity: "grid", Colors: 4, Plate: "plate-52",
			},
			{
				ID: "digital-48", Name: "Digital 33 x 48", Process: authority.DigitalPrinting,
				MinSheet: size("182", "140"), MaxSheet: size("488", "330"), PrintArea: size("478", "320"), Weight: authority.Range{Min: dec("60"), Max: dec("350")},
				Speed: dec("2000"), SetupMinutes: dec("3"), SetupWaste: 2, WastePercent: dec("0.5"), HourlyRate: dec("30"), Crew: dec("0.5"), Labor: "printer",
				Power: dec("3"), Electricity: "grid", Colors: 4, Perfecting: true, ClickColor: dec("0.04"), ClickMono: dec("0.008"),
			},
			{
				ID: "cutter", Name: "Guillotine 115", Process: authority.Cutting, MaxSheet: size("1150", "1150"), Speed: dec("120"), SetupMinutes: dec("3"),
				HourlyRate: dec("18"), Crew: dec("1"), Labor: "finisher", Power: dec("4"), Electricity: "grid", StackHeight: dec("100"),
			},
			{
				ID: "creaser", Name: "Creaser 52", Process: authority.Creasing, MaxSheet: size("520", "900"), Speed: dec("3000"), SetupMinutes: dec("6"), SetupWaste: 5,
				HourlyRate: dec("15"), Crew: dec("1"), Labor: "finisher",
			},
			{
				ID: "folder", Name: "Folder 78", Process: authority.Folding, MaxSheet: size("1120", "780"), Speed: dec("6000"), SetupMinutes: dec("12"), SetupWaste: 20, WastePercent: dec("1"),
				HourlyRate: dec("30"), Crew: dec("1"), Labor: "finisher", Power: dec("3"), Electricity: "grid", Folds: []string{"F4-1", "F6-1", "F6-4", "F8-7", "F16-6"},
			},
			{
				ID: "laminator", Name: "Laminator 76", Process: authority.Laminating, MaxSheet: size("1080", "760"), Speed: dec("1500"), SetupMinutes: dec("15"), SetupWaste: 10, WastePercent: dec("1"),
				HourlyRate: dec("25"), Crew: dec("1"), Labor: "finisher", Power: dec("10"), Electricity: "grid",
			},
			{
				ID: "coater", Name: "UV coater 76", Process: authority.Varnishing, MaxSheet: size("1080", "760"), Speed: dec("3000"), SetupMinutes: dec("20"), SetupWaste: 20, WastePercent: dec("1"),
				HourlyRate: dec("60"), Crew: dec("1"), Labor: "finisher", Power: dec("30"), Electricity: "grid",
			},
			{
				ID: "stitcher", Name: "Gatherer and stitcher", Process: authority.Stitching, MinSheet: size("100", "80"), MaxSheet: size("480", "330"), MinPages: 8, MaxPages: 96,
				Speed: dec("5000"), SetupMinutes: dec("30"), SetupWaste: 40, WastePercent: dec("2"), HourlyRate: dec("80"), Crew: dec("2"), Labor: "finisher", Power: dec("12"), Electricity: "grid",
			},
			{
				ID: "binder", Name: "Perfect binder", Process: authority.CoverApplication, MinSheet: size("140", "100"), MaxSheet: size("420", "320"), MinPages: 40, MaxPages: 900,
				Speed: dec("2000"), SetupMinutes: dec("45"), SetupWaste: 30, WastePercent: dec("2"), HourlyRate: dec("90"), Crew: dec("3"), Labor: "finisher", Power: dec("25"), Electricity: "grid", Adhesive: "hotmelt",
			},
			{
				ID: "trimmer", Name: "Three-knife trimmer", Process: authority.Trimming, MaxSheet: size("420", "320"), Speed: dec("3000"), SetupMinutes: dec("15"), WastePercent: dec("0.5"), SetupWaste: 5,
				HourlyRate: dec("40"), Crew: dec("1"), Labor: "finisher", Power: dec("6"), Electricity: "grid",
			},
			{
				ID: "drill", Name: "Paper drill", Process: authority.HoleMaking, MaxSheet: size("500", "500"), Speed: dec("4000"), SetupMinutes: dec("6"), SetupWaste: 2,
				HourlyRate: dec("10"), Crew: dec("1"), Labor: "finisher",
			},
		},
		Inks: []authority.Ink{
			ink("cyan", "Cyan", "12"), ink("magenta", "Magenta", "12"), ink("yellow", "Yellow", "12"), ink("black", "Black", "10"), ink("spot-orange", "Orange", "30"),
		},
		Laminations: []authority.Lamination{{ID: "film-matte", Name: "Matte film", Texture: "Matte", Thickness: dec("24"), Price: price("0.2", authority.PerSquareMetre)}},
		Varnishes:   []authority.Varnish{{ID: "aqueous", Name: "Dispersion", Coating: "Aqueous", Consumption: dec("2"), Price: price("4", authority.PerKilogram)}},
		Plates: []authority.Plate{
			{ID: "plate-100", Name: "Plate 103 x 79", Width: dec("1030"), Height: dec("790"), Price: price("10", authority.PerPiece)},
			{ID: "plate-52", Name: "Plate 52 x 46", Width: dec("525"), Height: dec("459"), Price: price("5", authority.PerPiece)},
		},
		Adhesives:   []authority.Adhesive{{ID: "hotmelt", Name: "Hotmelt", Consumption: dec("20"), Price: price("5", authority.PerKilogram)}},
		Electricity: []authority.Electricity{{ID: "grid", Name: "Grid", Price: price("0.2", authority.PerKilowattHour)}},
		Labor: []authority.Labor{
			{ID: "printer", Name: "Printer", LaborType: "PressOperator", Price: price("30", authority.PerHour)},
			{ID: "finisher", Name: "Finisher", LaborType: "Finishing", Price: price("25", authority.PerHour)},
		},
	}
}

func paper(id, width, height, weight, thickness, coating string, grain authority.Grain, p authority.Price) authority.Media {
	return authority.Media{
		ID: id, Name: id + " of the catalogue", MediaType: "Paper", Width: dec(width), Height: dec(height), Weight: dec(weight), Thickness: dec(thickness),
		Coating: coating, BackCoating: coating, Grain: grain, Price: p,
	}
}

func ink(id, separation, amount string) authority.Ink {
	return authority.Ink{ID: id, Name: separation + " ink", Separation: separation, Consumption: dec("1.5"), Price: price(amount, authority.PerKilogram)}
}

// effective returns master data in force with the given content.
func effective(tb testing.TB, c authority.Content) authority.Effective {
	tb.Helper()
	s, err := authority.New(c)
	if err != nil {
		tb.Fatalf("authority.New: %v", err)
	}
	return authority.Effective{Value: s, From: now.Add(-time.Hour), Approval: "apr_test", ApprovedAt: now.Add(-2 * time.Hour)}
}

func parse(tb testing.TB, body []byte) *xjdf.Document {
	tb.Helper()
	d, err := xjdf.Parse(body, xjdf.Limits{})
	if err != nil {
		tb.Fatalf("xjdf.Parse: %v", err)
	}
	return d
}

// calculate calculates a document with the master data of the guide.
func calculate(tb testing.TB, body []byte) (*costing.Result, error) {
	tb.Helper()
	return costing.Calculate(costing.Request{Document: parse(tb, body), Mode: costing.Authoritative, Authority: effective(tb, printer()), Now: now})
}
