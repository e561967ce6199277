// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// onlinePrinter returns the printer of the guide with gang forms, and with what hard covers,
// addressed postcards and boxes need.
func onlinePrinter() authority.Content { return printerWith(addOnline) }

func addOnline(c *authority.Content) {
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
		authority.Device{
			ID: "sewer", Name: "Thread sewing machine", Process: authority.ThreadSewing, MinSheet: size("75", "150"), MaxSheet: size("320", "460"), MinPages: 4, MaxPages: 32, Speed: dec("4000"), SetupMinutes: dec("30"),
			SetupWaste: 20, WastePercent: dec("0.5"), HourlyRate: dec("35"), Crew: dec("1"), Labor: "finisher", Power: dec("3"), Electricity: "grid",
		},
		authority.Device{
			ID: "jacketer", Name: "Jacketing machine", Process: authority.Jacketing, MinSheet: size("300", "120"), MaxSheet: size("900", "400"), Speed: dec("1000"), SetupMinutes: dec("20"),
			SetupWaste: 5, WastePercent: dec("1"), HourlyRate: dec("28"), Crew: dec("1"), Labor: "finisher", Power: dec("2"), Electricity: "grid", Adhesive: "jacket-glue",
		},
	)
	c.Adhesives = append(c.Adhesives, authority.Adhesive{ID: "jacket-glue", Name: "Cold glue for jackets", Consumption: dec("6"), Price: price("4", authority.PerKilogram)})
	c.Services = append(c.Services, []authority.Service{
		{ID: "board-2", Name: "Grey board 2 mm", Kind: authority.Board, Thickness: dec("2"), Weight: dec("1250"), Price: price("2.2", authority.PerSquareMetre)},
		{ID: "board-3", Name: "Grey board 3 mm", Kind: authority.Board, Thickness: dec("3"), Weight: dec("1870"), Price: price("3.1", authority.PerSquareMetre)},
		{ID: "end-sheet", Name: "White end sheet", Kind: authority.EndSheet, Thickness: dec("0.16"), Weight: dec("140"), Price: price("0.3", authority.PerSquareMetre)},
		{ID: "data", Name: "Preparation of addresses", Kind: authority.DataPreparation, Price: price("35", authority.PerPiece)},
		{ID: "address", Name: "Address", Kind: authority.VariableRecord, VariableType: "AddressField", Price: price("0.012", authority.PerPiece)},
		{ID: "die", Name: "Steel rule die", Kind: authority.CuttingDie, Price: price("14", authority.PerMetre)},
		{ID: "strip", Name: "Stripping by hand", Kind: authority.Stripping, Price: price("0.004", authority.PerPiece)},
		{ID: "glue-point", Name: "Point of glue", Kind: authority.GluePoint, Price: price("0.0006", authority.PerPiece)},
		{ID: "head-band", Name: "White head band", Kind: authority.HeadBand, Price: price("0.4", authority.PerMetre)},
		{ID: "ribbon-gold", Name: "Gold ribbon 6 mm", Kind: authority.Ribbon, RibbonColor: "Gold", Price: price("0.5", authority.PerMetre)},
		{ID: "ribbon-red", Name: "Red ribbon 4 mm", Kind: authority.Ribbon, RibbonColor: "Red", Price: price("0.3", authority.PerMetre)},
		{ID: "thread", Name: "Sewing thread", Kind: authority.Thread, Price: price("0.006", authority.PerMetre)},
	}...)
	c.GangForms = []authority.GangForm{
		{
			ID: "gang-cards", Name: "Cards on board-300", Press: "press-52", Media: "board-300", Columns: 2, Rows: 2, Position: size("92", "62"), Positions: 20,
			Runs: []int64{250, 500, 1000}, Front: cmyk, Back: cmyk,
		},
		{
			ID: "gang-flyers", Name: "A6 on gloss-135", Press: "press-100", Media: "gloss-135", Columns: 1, Rows: 1, Position: size("111", "154"), Positions: 28,
			Runs: []int64{1000, 2500}, Front: cmyk, Back: cmyk,
		},
		{
			ID: "gang-matt-cards", Name: "Cards on board-300, matt front", Press: "press-52", Media: "board-300", Columns: 2, Rows: 2, Position: size("92", "62"), Positions: 20,
			Runs: []int64{250, 500}, Front: cmyk, Back: cmyk, FrontFilm: "film-matte",
		},
	}
}

// onlineExamples maps the examples of the reference to their files.
func onlineExamples() map[string]string {
	return map[string]string{"shared-cards": "cards", "mailing": "mailing", "hard-cover": "hard-cover", "box": "box", "sewn-book": "sewn-book", "matt-cards": "matt-cards", "gift-book": "gift-book"}
}

func TestOnlineExamplesMatchHandCalculation(t *testing.T) {
	t.Parallel()
	validator := validate.New()
	for name, file := range onlineExamples() {
		body := example(t, "online/"+file)
		if report := validator.Validate(parse(t, body), validate.Options{Profile: validate.ProductIntent}); !report.Valid {
			t.Errorf("%s is not valid: %v", file, report.Findings)
		}
		result, reasons := reviewed(t, body, onlinePrinter())
		if reasons != nil {
			t.Fatalf("%s: reasons %q", name, reasons)
		}
		lines, total := handCalculated(t, name)
		if len(lines) == 0 {
			t.Fatalf("the reference has no lines for %s", name)
		}
		compareByHand(t, result, lines, total)
	}
}

// TestOnlineExamplesMatchIndependentArithmetic calculates the amounts that are new in the examples
// again, with floating point and from the measures of the products.
func TestOnlineExamplesMatchIndependentArithmetic(t *testing.T) {
	t.Parallel()
	fed := func(good, percent, setup float64) float64 { return math.Ceil(good/(1-percent/100)-1e-9) + setup }
	second := fed(1000, 1, 50)
	form := fed(second, 1, 50)
	cased := fed(100, 2, 8)
	cases := fed(cased, 1, 10)
	glued := fed(5000, 0.5, 50)
	cut := fed(glued/12, 1, 40)
	spine := 84*0.120 + 4*0.160 + 2*2
	books, jackets, matt := fed(500, 2, 8), fed(500, 1, 5), fed(250, 1, 10)
	sewn := fed(10*books, 0.5, 20)
	ends := fed(2*books, 1, 20)
	endSheets := fed(math.Ceil(ends/2), 1, 50)
	for name, want := range map[string]map[string]float64{
		"cards": {
			"board-300 media":  math.Ceil(form/4) * 0.25 / 20,
			"plate-52 plates":  8 * 5 / 20.0,
			"press-52 machine": (2*6/60.0 + (form+second)/8000) * 60 / 20,
		},
		"mailing": {"data preparation": 35, "address records": 1000 * 0.012, "digital-48 machine": (3/60.0 + fed(167, 0.5, 2)/1500) * 30},
		"hard-cover": {
			"board-2 boards":      cases * (2*(148+3-7) + spine) * (210 + 2*3) / 1e6 * 2.2,
			"end-sheet endSheets": cased * 4 * (148 + 3) * (210 + 2*3) / 1e6 * 0.3,
			"case-maker machine":  (0.5 + cases/600) * 45,
			"casing-in machine":   (1 + cased/400) * 80,
		},
		"sewn-book": {
			"thread thread": sewn * 0.21 * 0.006, "sewer machine": (0.5 + sewn/4000) * 35, "folder machine": (0.2 + fed(sewn, 1, 20)/6000) * 30,
			"head-band headBands": books * 2 * (80*0.12 + 4*0.16) / 1000 * 0.4, "jacketer machine": (20/60.0 + jackets/1000) * 28,
			"film-matte film": fed(math.Ceil(jackets/4), 1, 10) * 0.7 * 0.2,
		},
		"gift-book": {
			"ribbon-red ribbons": 2 * books * 0.3 * 0.3, "jacket-glue adhesive": jackets * (210 + 2*3) / 1000 * 6 / 1000 * 4, "head-band headBands": books * 2 * (80*0.12 + 4*0.1) / 1000 * 0.4,
			"matt-115 media": math.Ceil(endSheets/4) * 0.7 * 0.115 * 1.2, "plate-52 plates": 5, "press-52 machine": (6/60.0 + endSheets/8000) * 60,
			"folder machine": (2*12/60.0 + (fed(sewn, 1, 20)+ends)/6000) * 30, "cyan ink": (242*4*0.482*0.222 + endSheets*2*0.302*0.216) * 0.2 * 1.5 / 1000 * 12,
			"board-2 boards": fed(books, 1, 10) * (2*(148+3-7) + 14) * (210 + 2*3) / 1e6 * 2.2,
		},
		"matt-cards": {"film-matte film": matt * 0.5 * 0.35 * 0.2 / 20, "laminator machine": (0.25 + matt/1500) * 25 / 20},
		"box": {
			"die tools": 21.6 * 14, "strip stripping": glued * 0.004, "glue-point adhesive": glued * 2 * 0.0006,
			"die-cutter machine": (1 + cut/4000) * 70, "gluer machine": (0.75 + glued/10_000) * 50,
		},
	} {
		result, _ := reviewed(t, example(t, "online/"+name), onlinePrinter())
		compareAmounts(t, name, &result.Breaks[0], want)
	}
}

// amount sets the amount of the first product.
func amount(copies int) func(object) {
	return func(d object) { product(d, 0)["Amount"] = copies }
}

func TestGangFormIsUsedIfTheProductFits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		owner   func(*authority.Content)
		want    string
		// form is the gang form of the reason.
		form, reason string
	}{
		"few cards share the shortest run":             {"online/cards", amount(200), nil, "1 of 20, 250 sheets", "", ""},
		"many cards need several positions":            {"online/cards", amount(2500), nil, "1 of 20, 500 sheets; 2 of 20, 1000 sheets", "", ""},
		"one card more than a run needs a short run":   {"online/cards", amount(1001), nil, "1 of 20, 250 sheets; 1 of 20, 1000 sheets", "", ""},
		"a flyer of twice the position needs two":      {"flyer", amount(1000), nil, "2 of 28, 1000 sheets", "", ""},
		"a quantity beyond the form has its own sheet": {"online/cards", amount(36_000), nil, "", "gang-cards", "the quantity needs more positions than the form has"},
		"another medium": {
			"online/cards", func(d object) { resource(d, 0)["Media"].(object)["ID"] = "sra3-170" }, nil, "", "gang-cards", "the form has the medium board-300",
		},
		"a film": {"business-cards", nil, nil, "1 of 20, 500 sheets", "gang-cards", "the form has no varnish and no film"},
		"a spot colour": {
			"online/cards", func(d object) { surface(d, 0)["ColorsUsed"] = []any{"Orange"} }, nil, "", "gang-cards", `the form does not have the colour "Orange" on its Front`,
		},
		"a form with one side": {
			"online/cards", nil, func(c *authority.Content) { c.GangForms[0].Back = nil }, "", "gang-cards", `the form does not have the colour "Black" on its Back`,
		},
		"digital printing": {
			"online/cards", func(d object) { want(d, "ProductionIntent", object{"PrintProcess": []any{"Electrophotography"}}) }, nil, "", "gang-cards", "the document requests another printing process",
		},
		"a poster": {
			"flyer", func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = points(900, 640) }, nil, "", "gang-flyers",
			"the piece is larger than the form, or its grain would have the wrong direction",
		},
		"a film on one side of two": {
			"business-cards", nil, func(c *authority.Content) { c.GangForms[2].BackFilm = "film-matte" }, "", "gang-matt-cards", "the form has another varnish or another film",
		},
		"a form with a film": {"online/cards", nil, nil, "1 of 20, 1000 sheets", "gang-matt-cards", "the form has another varnish or another film"},
		"a box":              {"online/box", nil, nil, "", "gang-cards", "only flat products without a die fit on a gang form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := onlinePrinter()
			if tc.owner != nil {
				tc.owner(&c)
			}
			result, reasons := reviewed(t, edited(t, tc.example, tc.change), c)
			if result == nil {
				t.Fatalf("there are no figures: %q", reasons)
			}
			var shares []string
			for _, p := range result.Breaks[0].Plan {
				if g := p.Gang; g != nil {
					shares = append(shares, fmt.Sprintf("%d of %d, %d sheets", g.Positions, g.Of, g.Run))
				}
			}
			if got := strings.Join(shares, "; "); got != tc.want {
				t.Errorf("gang form: got %q, want %q", got, tc.want)
			}
			for _, a := range result.Breaks[0].Alternatives {
				if tc.form != "" && a.GangForm == tc.form && (a.Reason != tc.reason || a.Total != nil) {
					t.Errorf("%s: got the reason %q, want %q", tc.form, a.Reason, tc.reason)
				}
			}
		})
	}
}

// TestRunsOfAGangFormAreCombinedAtTheLowestCost compares the cost of cards with that of every set of
// runs. A set costs the sum of its runs alone, since cards have no work but that on the form.
func TestRunsOfAGangFormAreCombinedAtTheLowestCost(t *testing.T) {
	t.Parallel()
	const form, most = "gang-cards", 6
	cost := func(runs []int64, quantities []int64) map[int64]int64 {
		c := onlinePrinter()
		c.GangForms = c.GangForms[:1]
		c.GangForms[0].Runs, c.GangForms[0].Positions = runs, most
		result, err := costing.Calculate(costing.Request{
			Document: parse(t, example(t, "online/cards")), Mode: costing.Authoritative, Authority: effective(t, c), Now: now, Quantities: quantities,
		})
		if err != nil {
			t.Fatalf("costing.Calculate: %v", err)
		}
		all := map[int64]int64{}
		for _, b := range result.Breaks {
			total := b.Total
			for _, a := range b.Alternatives {
				if a.GangForm == form {
					total = *a.Total
				}
			}
			all[b.Quantity] = cents(t, total)
		}
		return all
	}
	runs := []int64{180, 500, 1000}
	var alone [3][most + 1]int64
	for i, run := range runs {
		var quantities []int64
		for copies := range int64(most) {
			quantities = append(quantities, run*(copies+1))
		}
		for quantity, total := range cost([]int64{run}, quantities) {
			alone[i][quantity/run] = total
		}
	}
	tested := []int64{1, 180, 181, 360, 361, 500, 501, 680, 999, 1001, 1180, 1181, 1500, 2001, 2361, 3333, 4999, 6001, 7777, 9999, 10_080}
	for quantity, got := range cost(runs, tested) {
		want := int64(math.MaxInt64)
		for a := range int64(most + 1) {
			for b := range int64(most + 1) {
				for c := range int64(most + 1) {
					if a*runs[0]+b*runs[1]+c*runs[2] >= quantity {
						want = min(want, alone[0][a]+alone[1][b]+alone[2][c])
					}
				}
			}
		}
		if got != want {
			t.Errorf("%d cards cost %d cents on the form, want %d", quantity, got, want)
		}
	}
}

func TestLargeGangFormIsBounded(t *testing.T) {
	t.Parallel()
	c := onlinePrinter()
	c.GangForms = c.GangForms[:1]
	f := &c.GangForms[0]
	f.Columns, f.Rows, f.Position, f.Positions, f.Runs = 1, 1, size("10", "10"), 400, []int64{101, 211, 307, 401, 503, 601, 701, 809, 907, 1009}
	c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "press-52" })].MaxSheet = size("1020", "720")
	c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "press-52" })].PrintArea = size("1010", "700")
	result, reasons := reviewed(t, edited(t, "online/cards", func(d object) {
		amount(100_000)(d)
		intent(d, "LayoutIntent")["FinishedDimensions"], intent(d, "LayoutIntent")["Bleed"] = points(10, 10), 0
	}), c)
	if diff := cmp.Diff([]string{
		"LENGTH_NOT_IN_POINTS 28.34645669291339 28.34645669291339 looks like inches; the calculation reads points",
		"PLANS_TRUNCATED not all ways of production were compared",
	}, reasons); diff != "" || result == nil {
		t.Errorf("figures %t, reasons (-want +got):\n%s", result != nil, diff)
	}
}

func TestQuantityBeyondTheOnlyGangFormIsRefused(t *testing.T) {
	t.Parallel()
	c := onlinePrinter()
	// Sheets of a product alone are at most 4 x 4 in a bought sheet, and therefore too large here.
	for i := range c.Devices {
		if d := &c.Devices[i]; d.Process.Printing() {
			d.MinSheet, d.MaxSheet, d.PrintArea = authority.Area{}, size("210", "150"), size("200", "140")
		}
	}
	c.GangForms = c.GangForms[:1]
	c.GangForms[0].Columns, c.GangForms[0].Rows, c.GangForms[0].Positions = 5, 5, 4
	result, reasons := reviewed(t, edited(t, "online/cards", amount(30_000)), c)
	want := []string{"NO_DEVICE 30000 copies need more positions than a gang form has, and no press can print them on sheets of their own"}
	if diff := cmp.Diff(want, reasons); diff != "" || result != nil {
		t.Errorf("reasons with figures %t (-want +got):\n%s", result != nil, diff)
	}
}

// TestVarnishOfAGangFormIsShared calculates the varnish of both sides with floating point. 8 x 4
// positions of 111 x 154 mm fit on the form, 28 of them share the cost, and a flyer takes two.
func TestVarnishOfAGangFormIsShared(t *testing.T) {
	t.Parallel()
	fed := func(good, setup float64) float64 { return math.Ceil(good/0.99-1e-9) + setup }
	second := fed(1000, 100)
	inline := fed(second, 100) + second
	back := fed(1000, 20)
	front := fed(back, 20)
	for name, tc := range map[string]struct {
		coater bool
		sheets float64
		step   authority.Process
	}{
		"by the press":      {true, inline, authority.ConventionalPrinting},
		"by another coater": {false, front + back, authority.Varnishing},
	} {
		c := onlinePrinter()
		c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "press-100" })].Coater = tc.coater
		c.GangForms = c.GangForms[1:2]
		c.GangForms[0].FrontVarnish, c.GangForms[0].BackVarnish = "aqueous", "aqueous"
		result, reasons := reviewed(t, edited(t, "flyer", func(d object) {
			amount(1000)(d)
			for _, side := range list(intent(d, "ColorIntent"), "SurfaceColor") {
				side.(object)["Coatings"] = []any{"Aqueous"}
			}
		}), c)
		if reasons != nil || result.Breaks[0].Plan[0].Gang == nil {
			t.Fatalf("%s: reasons %q, or no gang form", name, reasons)
		}
		kilograms := 0.0
		for _, l := range result.Breaks[0].Lines {
			if l.Item == costing.ItemVarnish && l.Step == tc.step {
				quantity, _ := strconv.ParseFloat(l.Quantity, 64)
				kilograms += quantity
			}
		}
		if want := tc.sheets * 32 * 0.111 * 0.154 * 2 / 1000 * 2 / 28; math.Abs(kilograms-want) > 0.0001 {
			t.Errorf("%s: %v kg of varnish, want %v", name, kilograms, want)
		}
	}
}

func TestGrainTurnsPiecesOnGangForms(t *testing.T) {
	t.Parallel()
	// The grain of board-300 runs along the width of a position. A card whose grain runs along its
	// short side lies across two columns and two rows of positions.
	result, reasons := reviewed(t, edited(t, "online/cards", func(d object) {
		want(d, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "YDirection"})
		want(d, "ProductionIntent", object{"PrintProcess": []any{"OffsetLithography"}})
		amount(200)(d)
	}), onlinePrinter())
	if reasons != nil {
		t.Fatalf("reasons %q", reasons)
	}
	if g := result.Breaks[0].Plan[0].Gang; g == nil || g.Positions != 2 {
		t.Errorf("got the share %+v, want two positions", g)
	}
}

func TestOnlineProductsNeverGetCheaperWithMoreCopies(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int64{"cards": 240, "mailing": 990, "hard-cover": 95, "box": 4990, "matt-cards": 240, "sewn-book": 495, "gift-book": 495} {
		var quantities []int64
		for i := range int64(costing.MaxQuantities) {
			quantities = append(quantities, from+i)
		}
		quantities = append(quantities[:20], 2*from, 10*from, 20*from)
		result, err := costing.Calculate(costing.Request{
			Document: parse(t, example(t, "online/"+name)), Mode: costing.Authoritative, Authority: effective(t, onlinePrinter()), Now: now, Quantities: quantities,
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := 1; i < len(result.Breaks); i++ {
			if before, after := result.Breaks[i-1], result.Breaks[i]; cents(t, after.Total) < cents(t, before.Total) {
				t.Errorf("%s: %d copies cost %s, and %d cost %s", name, before.Quantity, before.Total, after.Quantity, after.Total)
			}
		}
	}
}

func TestOnlineProductsThatAreNotOfferedAreRefusedByName(t *testing.T) {
	t.Parallel()
	dropService := func(id string) func(*authority.Content) {
		return func(c *authority.Content) {
			c.Services = slices.DeleteFunc(c.Services, func(s authority.Service) bool { return s.ID == id })
		}
	}
	device := func(id string, change func(*authority.Device)) func(*authority.Content) {
		return func(c *authority.Content) {
			change(&c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == id })])
		}
	}
	dropDevice := func(id string) func(*authority.Content) {
		return func(c *authority.Content) {
			c.Devices = slices.DeleteFunc(c.Devices, func(d authority.Device) bool { return d.ID == id })
		}
	}
	binding := func(name string, value any) func(object) {
		return func(d object) {
			details := intent(d, "BindingIntent")["HardCoverBinding"].(object)
			if details[name] = value; value == nil {
				delete(details, name)
			}
		}
	}
	set := func(number int) func(object) object {
		return func(d object) object { return list(list(d, "ResourceSet")[number].(object), "Resource")[0].(object) }
	}
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		owner   func(*authority.Content)
		want    []string
	}{
		"no case maker": {
			"hard-cover", nil, dropDevice("case-maker"), []string{`INTENT_NOT_COSTED the owner has no device for CaseMaking of the binding "HardCover"`},
		},
		"no measures of cases": {
			"hard-cover", nil, func(c *authority.Content) { c.Policy.Case = authority.Case{} }, []string{"PROCESS_NOT_OFFERED the policy of the owner has no measures of cases"},
		},
		"boards of 4 mm": {"hard-cover", binding("Thickness", 11.34), nil, []string{"NO_DEVICE the owner offers no board with the requested thickness"}},
		"no end sheets":  {"hard-cover", nil, dropService("end-sheet"), []string{"NO_DEVICE the owner offers no end sheets"}},
		"a block that is too thick": {
			"hard-cover", nil, device("casing-in", func(d *authority.Device) { d.Block.Max = dec("10.7") }),
			[]string{"NO_DEVICE CasingIn casing-in: it does not support a block of 10.72 mm"},
		},
		"a case that is too wide": {
			"hard-cover", nil, device("case-maker", func(d *authority.Device) { d.MaxSheet = size("352", "300") }),
			[]string{"NO_DEVICE digital-48: no device can process the pieces; press-100: no device can process the pieces; " +
				"press-52: no device can process the pieces; CaseMaking case-maker: the piece or sheet exceeds its maximum size"},
		},
		"a jacket that is no part": {
			"hard-cover", binding("Jacket", "Loose"), nil, []string{"INTENT_NOT_COSTED a jacket that is no product of its own is not included in the figures"},
		},
		"a jacket that is attached in no way": {"sewn-book", binding("Jacket", nil), nil, []string{"INTENT_NOT_COSTED the jacket is calculated as a loose one"}},
		"no machine that glues jackets": {
			"gift-book", nil, device("jacketer", func(d *authority.Device) { d.Adhesive = "" }),
			[]string{"INTENT_NOT_COSTED the owner has no device for Jacketing with an adhesive; the jacket is calculated as a loose one"},
		},
		"a ribbon without a length": {
			"sewn-book", binding("RegisterRibbon", []any{object{"RibbonColor": "Red"}}), nil, []string{"INTENT_NOT_COSTED a ribbon requires its length; it is not included in the figures"},
		},
		"a ribbon of 11 m": {
			"sewn-book", binding("RegisterRibbon", []any{object{"LengthOverall": 31_200}}), nil, []string{"INTENT_NOT_COSTED a ribbon requires its length; it is not included in the figures"},
		},
		"a blue ribbon with a knot": {
			"sewn-book", binding("RegisterRibbon", []any{object{"LengthOverall": 850, "RibbonColor": "Blue", "RibbonEnd": "Knot", "Material": "Silk"}}), nil,
			[]string{
				`INTENT_NOT_COSTED "Material" is not included in the figures`,
				"INTENT_NOT_COSTED only ribbons that are cut are included in the figures",
				`INTENT_NOT_COSTED the owner offers no ribbon with the colour "Blue"; it is not included in the figures`,
			},
		},
		"the colour of head bands": {
			"sewn-book", binding("HeadBandColor", "Red"), nil, []string{`INTENT_NOT_COSTED "HeadBandColor" is not included in the figures`},
		},
		"one printed end sheet": {
			"gift-book", func(d object) { product(d, 3)["Amount"] = 500 }, nil,
			[]string{"PRODUCT_STRUCTURE a hard cover with printed end sheets requires two of them: two products, or one with twice the Amount"},
		},
		"three times a printed end sheet": {
			"gift-book", func(d object) { product(d, 3)["Amount"] = 1500 }, nil, []string{
				"PRODUCT_STRUCTURE a part must occur once in each product",
				"PRODUCT_STRUCTURE a hard cover with printed end sheets requires two of them: two products, or one with twice the Amount",
			},
		},
		"end sheets of eight pages": {
			"gift-book", func(d object) { intent(d, "LayoutIntent", 3)["Pages"] = 8 }, nil, []string{"PAGES_MISSING one sheet with this fold has 4 pages"},
		},
		"printed end sheets of another size": {
			"gift-book", func(d object) { intent(d, "LayoutIntent", 3)["Dimensions"] = points(290, 210) }, nil, []string{"SIZE_CONFLICT the end sheet is 296 x 210 mm, which is calculated"},
		},
		"printed end sheets for a book without them": {
			"gift-book", binding("EndSheets", false), nil, []string{"INTENT_NOT_COSTED the figures include the end sheets that are products of their own"},
		},
		"no folder for printed end sheets": {
			"gift-book", nil, device("folder", func(d *authority.Device) { d.Folds = []string{"F16-X"} }),
			[]string{"NO_DEVICE digital-48: no device can process the pieces; press-100: no device can process the pieces; press-52: no device can process the pieces; Folding folder: it does not support this fold"},
		},
		"a jacket without flaps":  {"sewn-book", binding("JacketFoldingWidth", 0), nil, []string{"SIZE_MISSING a jacket requires the width of its flaps"}},
		"a jacket and no details": {"sewn-book", func(d object) { delete(intent(d, "BindingIntent"), "HardCoverBinding") }, nil, []string{"SIZE_MISSING a jacket requires the width of its flaps"}},
		"a machine for small jackets": {"sewn-book", nil, device("jacketer", func(d *authority.Device) { d.MaxSheet = size("400", "300") }), []string{
			"NO_DEVICE digital-48: no device can process the pieces; press-100: no device can process the pieces; press-52: no device can process the pieces; Jacketing jacketer: the piece or sheet exceeds its maximum size",
		}},
		"no machine for jackets": {"sewn-book", nil, dropDevice("jacketer"), []string{"PROCESS_NOT_OFFERED the owner has no device for Jacketing"}},
		"two jackets": {
			"sewn-book", func(d object) {
				intent(d, "BindingIntent")["ChildRefs"] = []any{"JACKET", "COVER", "BODY", "J2"}
				second := maps.Clone(product(d, 1))
				second["ID"] = "J2"
				d["ProductList"].(object)["Product"] = append(list(d, "ProductList", "Product"), second)
			}, nil, []string{"PRODUCT_STRUCTURE a bound product requires a body and one cover; the cover is optional for saddle stitching"},
		},
		"an open size of another jacket": {
			"sewn-book", func(d object) { intent(d, "LayoutIntent", 1)["Dimensions"] = points(400, 216) }, nil,
			[]string{"SIZE_CONFLICT the jacket is 476.24 x 216 mm, which is calculated"},
		},
		"no head bands": {"sewn-book", nil, dropService("head-band"), []string{"INTENT_NOT_COSTED the owner offers no head bands, which are not included in the figures"}},
		"no thread": {
			"sewn-book", nil, dropService("thread"), []string{"INTENT_NOT_COSTED the owner has no device for ThreadSewing, or no thread, which are not included in the figures"},
		},
		"no sewing machine": {
			"sewn-book", nil, dropDevice("sewer"), []string{"INTENT_NOT_COSTED the owner has no device for ThreadSewing, or no thread, which are not included in the figures"},
		},
		"a sewing machine for small sections": {"sewn-book", nil, device("sewer", func(d *authority.Device) { d.MinPages, d.MaxPages = 0, 2 }), []string{
			"NO_DEVICE digital-48: no device can process the pieces; press-100: no device can process the pieces; press-52: no device can process the pieces; ThreadSewing sewer: it does not support this number of pages; Folding folder: it does not support this fold",
		}},
		"sewn pages that fill no sheet": {
			"sewn-book", func(d object) { intent(d, "LayoutIntent", 3)["Pages"] = 158 }, nil, []string{"PAGES_UNBINDABLE 158 pages are calculated as 160"},
		},
		"an open size of another case": {
			"hard-cover", func(d object) { intent(d, "LayoutIntent", 1)["Dimensions"] = points(300, 210) }, nil,
			[]string{"SIZE_CONFLICT the cover sheet of the case is 346.72 x 246 mm, which is calculated"},
		},
		"variable data on an offset press": {
			"mailing", func(d object) { want(d, "ProductionIntent", object{"PrintProcess": []any{"OffsetLithography"}}) }, nil,
			[]string{"NO_DEVICE digital-48: the document requests another printing process; press-100: it does not print variable data; press-52: it does not print variable data; " +
				"gang-cards: it does not print variable data; gang-flyers: it does not print variable data; gang-matt-cards: it does not print variable data"},
		},
		"variable data of another type": {
			"mailing", func(d object) { intent(d, "VariableIntent")["VariableType"] = "Area" }, nil,
			[]string{`INTENT_NOT_COSTED the owner offers no preparation, or no record, for variable data of the type "Area"`},
		},
		"several copies of a record": {
			"mailing", func(d object) { intent(d, "VariableIntent")["NumberOfCopies"] = 2 }, nil, []string{"INTENT_NOT_COSTED several copies of a record are not included in the figures"},
		},
		"variable data of a whole book": {
			"hard-cover", func(d object) { want(d, "VariableIntent", object{"VariableType": "AddressField"}) }, nil,
			[]string{"INTENT_NOT_COSTED variable data is included in the figures for flat products, covers and single leaves alone"},
		},
		"no die":      {"box", nil, dropService("die"), []string{"INTENT_NOT_COSTED the owner offers no die, which is not included in the figures"}},
		"no gluer":    {"box", nil, dropDevice("gluer"), []string{"PROCESS_NOT_OFFERED the owner has no device for BoxFolding"}},
		"no glue":     {"box", nil, dropService("glue-point"), []string{"PROCESS_NOT_OFFERED the owner offers no points of glue"}},
		"no stripper": {"box", nil, dropService("strip"), []string{"NO_DEVICE digital-48: the pieces do not fit on the sheet; press-100: no device can cut, laminate or varnish its sheets; press-52: the pieces do not fit on the sheet; gang-cards: only flat products without a die fit on a gang form; gang-flyers: only flat products without a die fit on a gang form; gang-matt-cards: only flat products without a die fit on a gang form; ShapeCutting die-cutter: it does not strip blanks, and the owner offers no stripping"}},
		"a die without knives": {
			"box", func(d object) { delete(set(1)(d)["DieLayout"].(object), "RuleLength") }, nil, []string{"DIE_UNKNOWN the die has no length of its knives"},
		},
		"a die without blanks": {
			"box", func(d object) { delete(set(1)(d)["DieLayout"].(object), "Station") }, nil, []string{"DIE_UNKNOWN the die has 0 blanks; it must have 1 to 1000"},
		},
		"a blank without a size": {
			"box", func(d object) { delete(intent(d, "LayoutIntent"), "Dimensions") }, nil, []string{"SIZE_MISSING a blank requires its flat size"},
		},
		"a box that is not glued": {
			"box", func(d object) { d["ResourceSet"] = list(d, "ResourceSet")[:2] }, nil, []string{`INTENT_NOT_COSTED "FlatBox" does not match the described product, which is calculated`},
		},
		"a shape without a die": {
			"box", func(d object) { d["ResourceSet"] = list(d, "ResourceSet")[:1] }, nil,
			[]string{
				"INTENT_NOT_COSTED the tool of a shape, or a perforation, is not included in the figures",
				`INTENT_NOT_COSTED "FlatBox" does not match the described product, which is calculated`,
				"SIZE_CONFLICT 220 x 200 mm does not give 60 x 120 mm with this fold",
				"SIZE_CONFLICT its media are 0.35 mm thick instead of 40",
				"NO_DEVICE ShapeCutting die-cutter: it cuts sheets with a die",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := onlinePrinter()
			if tc.owner != nil {
				tc.owner(&c)
			}
			_, got := reviewed(t, edited(t, "online/"+tc.example, tc.change), c)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetailsOfOnlineProductsChangeTheLines(t *testing.T) {
	t.Parallel()
	existing := func(status string) func(object) {
		return func(d object) {
			d["ResourceSet"] = append(list(d, "ResourceSet"), object{"Name": "Tool", "Usage": "Input", "Resource": []any{object{"Status": status, "Tool": object{"ToolType": "CutDie"}}}})
		}
	}
	hard := func(name string, value any) func(object) {
		return func(d object) {
			details := intent(d, "BindingIntent")["HardCoverBinding"].(object)
			if details[name] = value; value == nil {
				delete(details, name)
			}
		}
	}
	strips := func(c *authority.Content) {
		c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "die-cutter" })].Strips = true
	}
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		owner   func(*authority.Content)
		// want lists the services, and assumed an assumption.
		want    string
		assumed costing.AssumptionCode
	}{
		"a new die":                         {"box", nil, nil, "die strip glue-point", ""},
		"a die that exists":                 {"box", existing("Available"), nil, "strip glue-point", costing.AssumedDie},
		"a die that does not exist":         {"box", existing("Unavailable"), nil, "die strip glue-point", ""},
		"a die cutter that strips":          {"box", nil, strips, "die glue-point", ""},
		"a book without end sheets":         {"hard-cover", hard("EndSheets", false), nil, "board-2", ""},
		"end sheets by default":             {"hard-cover", hard("EndSheets", nil), nil, "board-2 end-sheet", costing.AssumedEndSheets},
		"thicker boards":                    {"hard-cover", hard("Thickness", 8.504), nil, "board-3 end-sheet", ""},
		"printed end sheets are not bought": {"gift-book", nil, nil, "board-2 thread head-band ribbon-red ribbon-red", ""},
		"a ribbon of any colour":            {"sewn-book", hard("RegisterRibbon", []any{object{"LengthOverall": 850}}), nil, "board-2 thread end-sheet head-band ribbon-red", ""},
		"ribbons of two colours": {
			"sewn-book", hard("RegisterRibbon", []any{object{"LengthOverall": 850, "RibbonColor": "Gold"}, object{"LengthOverall": 850, "RibbonColor": "Red"}}), nil,
			"board-2 thread end-sheet head-band ribbon-gold ribbon-red", "",
		},
		"the cheapest board":         {"hard-cover", hard("Thickness", nil), nil, "board-2 end-sheet", costing.AssumedBoard},
		"a mailing prepares once":    {"mailing", nil, nil, "data address", ""},
		"cards that are not mailed ": {"cards", nil, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := onlinePrinter()
			if tc.owner != nil {
				tc.owner(&c)
			}
			result, reasons := reviewed(t, edited(t, "online/"+tc.example, tc.change), c)
			if reasons != nil {
				t.Fatalf("reasons %q", reasons)
			}
			var got []string
			for _, l := range result.Breaks[0].Lines {
				if l.Resource.Family == authority.FamilyService {
					got = append(got, l.Resource.ID)
				}
			}
			if diff := cmp.Diff(strings.Fields(tc.want), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("services (-want +got):\n%s", diff)
			}
			if tc.assumed != "" && !slices.ContainsFunc(result.Assumptions, func(a costing.Assumption) bool { return a.Code == tc.assumed }) {
				t.Errorf("assumptions are %v, want %s", result.Assumptions, tc.assumed)
			}
		})
	}
}

// TestSewnBlockIsFoldedAndNotMilled sews a soft cover of 168 pages in sheets of 16 and 8 pages.
func TestSewnBlockIsFoldedAndNotMilled(t *testing.T) {
	t.Parallel()
	// With this milling, sheets of 16 pages would be too large for the presses.
	c := onlinePrinter()
	c.Policy.SpineMilling = dec("30")
	result, reasons := reviewed(t, edited(t, "book", func(d object) {
		intent(d, "BindingIntent")["SoftCoverBinding"] = object{"BlockThreadSewing": true}
	}), c)
	if reasons != nil {
		t.Fatalf("reasons %q", reasons)
	}
	sections := int64(0)
	for _, p := range result.Breaks[0].Plan {
		if p.Part != "body BODY" {
			continue
		}
		if sections += p.Sheets; p.SheetPages == 2 || !slices.Contains(p.Finishing, costing.Use{Process: authority.ThreadSewing, Device: "sewer"}) {
			t.Errorf("%d sheets of %d pages are finished by %v, want folded and sewn ones", p.Sheets, p.SheetPages, p.Finishing)
		}
	}
	if sections != 11 {
		t.Errorf("the block has %d sheets, want 11", sections)
	}
}

// TestFreightOfHardCoversIncludesBoardsAndJackets weighs books: leaves, cover sheet, boards, end
// sheets and jacket.
func TestFreightOfHardCoversIncludesBoardsAndJackets(t *testing.T) {
	t.Parallel()
	c := onlinePrinter()
	c.Services = append(c.Services, authority.Service{ID: "carriage", Name: "Carriage", Kind: authority.Freight, Price: price("1", authority.PerKilogram)})
	c.Policy.Freight = "carriage"
	for name, want := range map[string]float64{
		"hard-cover": 100 * (84*148*210*90 + 346.72*246*135 + 302.72*216*1250 + 4*148*210*140) / 1e9,
		"sewn-book":  500 * (80*148*210*90 + 346.24*246*135 + 302.24*216*1250 + 4*148*210*140 + 476.24*216*135) / 1e9,
		"gift-book":  500 * (80*148*210*90 + 346*246*135 + 302*216*1250 + 2*296*210*115 + 476*216*135) / 1e9,
	} {
		result, reasons := reviewed(t, example(t, "online/"+name), c)
		if reasons != nil {
			t.Fatalf("%s: reasons %q", name, reasons)
		}
		for _, l := range result.Breaks[0].Lines {
			if got, _ := strconv.ParseFloat(l.Quantity, 64); l.Item == costing.ItemFreight && math.Abs(got-want) > 0.0001 {
				t.Errorf("%s: the books weigh %v kg, want %v", name, got, want)
			}
		}
	}
}

// TestEqualEndSheetsCostLessThanDifferentOnes prints the two end sheets of a book as one product and
// as two, whose sheets are equal in number and need a form each.
func TestEqualEndSheetsCostLessThanDifferentOnes(t *testing.T) {
	t.Parallel()
	plates := func(change func(object)) (lines []string) {
		result, reasons := reviewed(t, edited(t, "online/gift-book", change), onlinePrinter())
		if reasons != nil {
			t.Fatalf("reasons %q", reasons)
		}
		for _, l := range result.Breaks[0].Lines {
			if l.Item == costing.ItemPlates && strings.HasPrefix(l.Part, "endSheet") {
				lines = append(lines, l.Part+": "+l.Quantity)
			}
		}
		return lines
	}
	different := plates(func(d object) {
		intent(d, "BindingIntent")["ChildRefs"] = []any{"JACKET", "COVER", "ENDS", "BODY", "BACK"}
		back := maps.Clone(product(d, 3))
		back["ID"], back["Amount"], product(d, 3)["Amount"] = "BACK", 1, 1
		d["ProductList"].(object)["Product"] = append(list(d, "ProductList", "Product"), back)
		media := list(list(d, "ResourceSet")[0].(object), "Resource")[1].(object)
		media["Part"] = append(list(media, "Part"), object{"Product": "BACK"})
	})
	if diff := cmp.Diff([]string{"endSheet ENDS: 1"}, plates(func(d object) { product(d, 3)["Amount"] = 2 })); diff != "" {
		t.Errorf("equal end sheets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"endSheet ENDS: 1", "endSheet BACK: 1"}, different); diff != "" {
		t.Errorf("different end sheets (-want +got):\n%s", diff)
	}
}
