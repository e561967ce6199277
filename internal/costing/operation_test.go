// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// finishingPrinter returns the printer of the guide with devices, tools and foil for finishing.
func finishingPrinter() authority.Content { return printerWith(addFinishing) }

func addFinishing(c *authority.Content) {
	c.Devices = append(c.Devices,
		authority.Device{
			ID: "perforator", Name: "Rotary perforator", Process: authority.Perforating, MaxSheet: size("520", "900"), Speed: dec("4000"), SetupMinutes: dec("9"),
			SetupWaste: 10, WastePercent: dec("1"), HourlyRate: dec("15"), Crew: dec("1"), Labor: "finisher",
		},
		authority.Device{
			ID: "foiler", Name: "Platen for hot foil", Process: authority.Embossing, MaxSheet: size("520", "360"), Speed: dec("1500"), SetupMinutes: dec("45"),
			SetupWaste: 20, WastePercent: dec("2"), HourlyRate: dec("40"), Crew: dec("1"), Labor: "finisher", EmbossingTypes: []string{"BlindEmbossing", "FoilStamping"},
		},
		authority.Device{
			ID: "closer", Name: "Gather, punch and close", Process: authority.LooseBinding, MaxSheet: size("360", "360"), MinPages: 8, MaxPages: 300, Speed: dec("300"), SetupMinutes: dec("10"),
			SetupWaste: 2, WastePercent: dec("1"), HourlyRate: dec("12"), Crew: dec("1"), Labor: "finisher", BindingTypes: []string{"WireComb"},
		},
		authority.Device{
			ID: "rounder", Name: "Corner rounder", Process: authority.ShapeCutting, MaxSheet: size("500", "500"), Speed: dec("6000"), SetupMinutes: dec("6"),
			SetupWaste: 5, WastePercent: dec("0.5"), HourlyRate: dec("10"), Crew: dec("1"), Labor: "finisher", Shapes: []string{"RoundedRectangle"},
		},
	)
	c.Services = append(c.Services, []authority.Service{
		{ID: "tool-foil", Name: "Foil block", Kind: authority.EmbossingTool, EmbossingType: "FoilStamping", Price: price("80", authority.PerPiece)},
		{ID: "tool-blind", Name: "Die and counter-die", Kind: authority.EmbossingTool, EmbossingType: "BlindEmbossing", Price: price("95", authority.PerPiece)},
		{ID: "foil-gold", Name: "Gold foil", Kind: authority.Foil, FoilColor: "Gold", Price: price("1.5", authority.PerSquareMetre)},
		{ID: "wire-5", Name: "Twin wire for 5 mm", Kind: authority.BindingElement, BindingType: "WireComb", MaxThickness: dec("5"), MaxLength: dec("297"), Price: price("0.06", authority.PerPiece)},
		{ID: "wire-8", Name: "Twin wire for 8 mm", Kind: authority.BindingElement, BindingType: "WireComb", MaxThickness: dec("8"), MaxLength: dec("297"), Price: price("0.09", authority.PerPiece)},
	}...)
}

// stamped returns an EmbossingItem of 60 x 40 mm in gold, with changes.
func stamped(changes object) object {
	item := object{"EmbossingType": "FoilStamping", "FoilColor": "Gold", "ImageSize": []any{170.079, 113.386}}
	for name, value := range changes {
		if item[name] = value; value == nil {
			delete(item, name)
		}
	}
	return item
}

func embossed(items ...any) func(object) {
	return func(d object) { want(d, "EmbossingIntent", object{"EmbossingItem": items}) }
}

func perforated(lines ...any) func(object) {
	return func(d object) { want(d, "FoldingIntent", object{"Perforate": lines}) }
}

// reviewed calculates a document and returns the reasons for a review.
func reviewed(tb testing.TB, body []byte, c authority.Content) (*costing.Result, []string) {
	tb.Helper()
	result, err := costing.Calculate(costing.Request{Document: parse(tb, body), Mode: costing.Authoritative, Authority: effective(tb, c), Now: now})
	var review *costing.ReviewError
	if !errors.As(err, &review) {
		if err != nil {
			tb.Fatalf("costing.Calculate: %v", err)
		}
		return result, nil
	}
	var reasons []string
	for _, reason := range review.Reasons {
		reasons = append(reasons, string(reason.Code)+" "+reason.Detail)
	}
	return review.Result, reasons
}

func creased(lines ...any) func(object) {
	return func(d object) { want(d, "FoldingIntent", object{"Crease": lines}) }
}

// heavyFold requests a fold of board-300.
func heavyFold(fold string) func(object) {
	return func(d object) {
		want(d, "FoldingIntent", object{"FoldCatalog": fold})
		delete(intent(d, "LayoutIntent"), "Pages")
		medium(d, 0)["ID"] = "board-300"
	}
}

// holed requests a pattern of holes, and cutting round corners, with attributes.
func holed(pattern object) func(object) {
	return func(d object) { want(d, "HoleMakingIntent", object{"HolePattern": []any{pattern}}) }
}

func cutting(attributes object) func(object) {
	attributes["ShapeType"] = "RoundedRectangle"
	return func(d object) { want(d, "ShapeCuttingIntent", object{"ShapeCut": []any{attributes}}) }
}

// box returns a rectangle in points, from its edges in mm.
func box(left, bottom, right, top float64) []any {
	return append(points(left, bottom), points(right, top)...)
}

// TestFinishedFlyerMatchesIndependentArithmetic calculates the example of the guide again, in
// whole pieces, ten-thousandths of hours, and square millimetres.
func TestFinishedFlyerMatchesIndependentArithmetic(t *testing.T) {
	t.Parallel()
	result, reasons := reviewed(t, example(t, "finishing/flyer"), finishingPrinter())
	if reasons != nil {
		t.Fatalf("reasons %q", reasons)
	}
	ceil := func(a, b int) int { return (a + b - 1) / b }
	rounded := ceil(5000*1000, 995) + 5
	lined := ceil(rounded*100, 99) + 10
	foiled := ceil(lined*100, 98) + 20
	second := ceil(ceil(foiled, 4)*100, 99)
	fed := ceil(second*100, 99) + 50
	hours := func(minutes, pieces, speed int) int { return minutes*10_000/60 + (2*pieces*10_000+speed)/(2*speed) }
	amount := func(quantity, rate int) int { return (2*quantity*rate + 10_000) / 20_000 } // of a rate in cents
	decimals := func(n int) string { return strings.TrimRight(fmt.Sprintf("%d.%04d", n/10_000, n%10_000), "0") }
	// The size in the document is in points, so it is 60.000 x 40.000 mm after rounding.
	foil := (2*foiled*60*40*10_000 + 1_000_000) / 2_000_000
	want := map[string]string{
		"gloss-135":       fmt.Sprintf("0.%03d = %.2f", ceil(fed, 4), float64(ceil(fed, 4)*9)/100),
		"tool-foil tools": "1 = 80.00",
		"foil-gold foil":  decimals(foil) + fmt.Sprintf(" = %d.%02d", amount(foil, 150)/100, amount(foil, 150)%100),
		"foiler machine":  "", "perforator machine": "", "rounder machine": "",
	}
	want["gloss-135 media"] = want["gloss-135"]
	delete(want, "gloss-135")
	for id, run := range map[string][4]int{"foiler machine": {45, foiled, 1500, 4000}, "perforator machine": {9, lined, 4000, 1500}, "rounder machine": {6, rounded, 6000, 1000}} {
		h := hours(run[0], run[1], run[2])
		want[id] = decimals(h) + fmt.Sprintf(" = %d.%02d", amount(h, run[3])/100, amount(h, run[3])%100)
	}
	got := map[string]string{}
	for _, l := range result.Breaks[0].Lines {
		if key := l.Resource.ID + " " + string(l.Item); want[key] != "" {
			got[key] = l.Quantity + " = " + l.Amount.Amount()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestFinishedFlyerMatchesHandCalculation(t *testing.T) {
	t.Parallel()
	result, _ := reviewed(t, example(t, "finishing/flyer"), finishingPrinter())
	lines, total := handCalculated(t, "finished-flyer")
	compareByHand(t, result, lines, total)
}

func TestFinishingIsTheSameInXML(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"finishing/flyer", "finishing/notebook"} {
		want, _ := reviewed(t, example(t, name), finishingPrinter())
		var markup bytes.Buffer
		if err := xjdf.WriteXML(&markup, parse(t, example(t, name)).Root); err != nil {
			t.Fatalf("xjdf.WriteXML: %v", err)
		}
		got, reasons := reviewed(t, markup.Bytes(), finishingPrinter())
		if diff := cmp.Diff(string(written(t, want)), string(written(t, got))); diff != "" || reasons != nil {
			t.Errorf("%s: reasons %q, difference:\n%s", name, reasons, diff)
		}
	}
}

func TestFinishingThatIsNotOfferedIsRefusedByName(t *testing.T) {
	t.Parallel()
	line := func(x, y float64) object { return object{"WorkingPath": []any{x, y}} }
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		owner   func(*authority.Content)
		want    []string
	}{
		"no perforator": {
			change: perforated(line(0, 100)), owner: func(c *authority.Content) { *c = printer() },
			want: []string{"INTENT_NOT_COSTED the owner has no device for Perforating, which is not included in the figures"},
		},
		"no embossing": {
			change: embossed(stamped(nil)), owner: func(c *authority.Content) { *c = printer() },
			want: []string{`INTENT_NOT_COSTED the owner has no device for "FoilStamping", which is not included in the figures`},
		},
		"another type of embossing": {
			change: embossed(object{"EmbossingType": "Braille"}),
			want:   []string{`INTENT_NOT_COSTED the owner has no device for "Braille", which is not included in the figures`},
		},
		"no tool": {
			change: embossed(stamped(nil)), owner: func(c *authority.Content) { c.Services = c.Services[1:] },
			want: []string{`INTENT_NOT_COSTED the owner offers no tool for "FoilStamping", which is not included in the figures`},
		},
		"a foil of another colour": {
			change: embossed(stamped(object{"FoilColor": "Silver"})),
			want:   []string{`INTENT_NOT_COSTED the owner offers no foil with the colour "Silver"; the item is not included in the figures`},
		},
		"a foil without a size": {
			change: embossed(stamped(object{"ImageSize": nil})),
			want:   []string{"INTENT_NOT_COSTED the size of a foil is required; the item is not included in the figures"},
		},
		"a foil larger than the product": {
			change: embossed(stamped(object{"ImageSize": []any{600, 600}})),
			want:   []string{"INTENT_NOT_COSTED the EmbossingItem extends beyond the surface of 148 x 210 mm"},
		},
		"a foil outside of the product": {
			change: embossed(stamped(object{"Position": points(1000, 20)})), want: []string{"INTENT_NOT_COSTED the EmbossingItem extends beyond the surface of 148 x 210 mm"},
		},
		"a foil below the product": {
			change: embossed(stamped(object{"Position": points(10, -20)})), want: []string{"INTENT_NOT_COSTED the EmbossingItem extends beyond the surface of 148 x 210 mm"},
		},
		"a perforation longer than the product": {
			change: perforated(object{"WorkingPath": points(0, 900)}), want: []string{"INTENT_NOT_COSTED the Perforate extends beyond the surface of 148 x 210 mm"},
		},
		"a perforation that leaves the product": {
			change: perforated(object{"StartPosition": points(50, 100), "WorkingPath": points(0, -150)}), want: []string{"INTENT_NOT_COSTED the Perforate extends beyond the surface of 148 x 210 mm"},
		},
		"rectangular holes": {
			change: holed(object{"Shape": "Rectangular", "Extent": points(6, 6)}), want: []string{"INTENT_NOT_COSTED holes other than round ones are not included in the figures"},
		},
		"holes of 30 mm": {
			change: holed(object{"Extent": points(30, 30)}), want: []string{"INTENT_NOT_COSTED a hole of 30 x 30 mm is not included in the figures; drills are at most 14 mm wide"},
		},
		"holes that are longer than wide": {
			change: holed(object{"Extent": points(6, 8)}), want: []string{"INTENT_NOT_COSTED a hole of 6 x 8 mm is not included in the figures; drills are at most 14 mm wide"},
		},
		"holes outside of the product": {
			change: holed(object{"Center": points(400, 0)}), want: []string{"INTENT_NOT_COSTED Center leaves the product of 148 x 210 mm"},
		},
		"holes for a comb": {
			change: holed(object{"Pattern": "P16_9i-rect-0t"}), want: []string{`INTENT_NOT_COSTED the pattern "P16_9i-rect-0t" is punched, which is not included in the figures`},
		},
		"a window": {
			change: cutting(object{"CutOut": true, "CutBox": box(50, 50, 90, 90)}),
			want:   []string{"INTENT_NOT_COSTED a window is not included in the figures", "INTENT_NOT_COSTED a cut of 40 x 40 mm within 148 x 210 mm is not included in the figures"},
		},
		"a cut along a path": {
			change: cutting(object{"CutPath": "0 0 m 10 10 l"}), want: []string{"INTENT_NOT_COSTED the tool for a path is not included in the figures"},
		},
		"details of a shape": {
			change: cutting(object{"ShapeTypeDetails": "Star"}), want: []string{`INTENT_NOT_COSTED "ShapeTypeDetails" is not included in the figures`},
		},
		"a depth of a crease": {
			change: creased(object{"Depth": 100}),
			want:   []string{`INTENT_NOT_COSTED "Depth" is not included in the figures`},
		},
		"a shade of a colour": {
			change: embossed(stamped(object{"FoilColorDetails": "Antique"})), want: []string{`INTENT_NOT_COSTED "FoilColorDetails" is not included in the figures`},
		},
		"a tool for both directions": {
			change: embossed(stamped(object{"Direction": "Both"})), want: []string{"INTENT_NOT_COSTED a tool for both directions is not included in the figures"},
		},
		"two perforations without a direction": {
			change: perforated(line(0, 100), object{}), want: []string{"INTENT_NOT_COSTED one of several perforations must run along an edge; it is not included in the figures"},
		},
		"a heavy fold outside of the table": {
			change: func(d object) {
				heavyFold("F12-7")(d)
				intent(d, "LayoutIntent")["Dimensions"] = points(444, 420)
			},
			owner: func(c *authority.Content) {
				folder := slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "folder" })
				c.Devices[folder].Folds = nil // every fold with a flat size
			},
			want: []string{`INTENT_NOT_COSTED the directions of the folds of "F12-7" are unknown; the figures include two runs of creases`},
		},
		"a diagonal crease among others": {
			change: creased(line(0, 100), line(3, 3)), want: []string{"INTENT_NOT_COSTED one of several creases must run along an edge; it is not included in the figures"},
		},
		"a diagonal perforation among others": {
			change: perforated(line(0, 100), line(3, 3)), want: []string{"INTENT_NOT_COSTED one of several perforations must run along an edge; it is not included in the figures"},
		},
		"more runs than the limit": {
			change: embossed(slices.Repeat([]any{stamped(nil)}, 9)...), want: []string{`INTENT_NOT_COSTED "P1" has 9 embossings; the limit is 8`},
		},
		"more runs of both sorts than the limit": {
			change: func(d object) { embossed(slices.Repeat([]any{stamped(nil)}, 8)...)(d); perforated(object{})(d) },
			want:   []string{`INTENT_NOT_COSTED "P1" needs 9 runs to emboss and perforate it; the limit is 8`},
		},
		"foil for blind embossing": {
			change: embossed(object{"EmbossingType": "BlindEmbossing", "FoilColor": "Gold"}), want: []string{"INTENT_NOT_COSTED BlindEmbossing uses no foil, so that its colour is ignored"},
		},
		"a piece too large for the platen": {
			change: embossed(stamped(nil)), owner: func(c *authority.Content) { c.Devices[len(c.Devices)-3].MaxSheet = size("100", "100") },
			want: []string{"NO_DEVICE digital-48: no device can process the pieces; press-100: no device can process the pieces; " +
				"press-52: no device can process the pieces; Embossing foiler: the piece or sheet exceeds its maximum size"},
		},
		"a shape that the rounder does not cut": {
			change: func(d object) { want(d, "ShapeCuttingIntent", object{"ShapeCut": []any{object{"ShapeType": "Round"}}}) },
			want:   []string{`NO_DEVICE ShapeCutting rounder: it does not support the shape "Round"`},
		},
		"embossing of a whole book": {
			example: "book", change: embossed(stamped(nil)), want: []string{"INTENT_NOT_COSTED embossing is included in the figures for flat products, covers and single leaves alone"},
		},
		"perforation of a body": {
			example: "booklet", change: func(d object) {
				p := product(d, 2)
				p["Intent"] = append(list(p, "Intent"), object{"Name": "FoldingIntent", "FoldingIntent": object{"Perforate": []any{line(0, 100)}}})
			}, want: []string{"INTENT_NOT_COSTED perforating is included in the figures for flat products, covers and single leaves alone"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, of := finishingPrinter(), tc.example
			if tc.owner != nil {
				tc.owner(&c)
			}
			if of == "" {
				of = "flyer"
			}
			_, got := reviewed(t, edited(t, of, tc.change), c)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEachRunOfAnOperationIsALine(t *testing.T) {
	t.Parallel()
	line := func(x, y float64) object { return object{"WorkingPath": []any{x, y}} }
	cover := func(d object) {
		p := product(d, 1)
		p["Intent"] = append(list(p, "Intent"), object{"Name": "EmbossingIntent", "EmbossingIntent": object{"EmbossingItem": []any{stamped(nil)}}})
	}
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		want    string
	}{
		"parallel perforations are one run": {"flyer", perforated(line(0, 100), line(0, 90)), "perforator"},
		"crossing perforations are two":     {"flyer", perforated(line(0, 100), line(90, 0)), "perforator perforator"},
		"one perforation of any direction":  {"flyer", perforated(object{}), "perforator"},
		"parallel creases are one run":      {"flyer", creased(line(0, 100), line(0, 90)), "creaser"},
		"crossing creases are two":          {"flyer", creased(line(0, 100), line(0, 90), line(80, 0)), "creaser creaser"},
		"one crease of any direction":       {"flyer", creased(object{}), "creaser"},
		"a heavy fold has one crease":       {"flyer", heavyFold("F4-1"), "creaser"},
		"heavy folds that cross have two":   {"flyer", heavyFold("F8-7"), "creaser creaser"},
		"two images are two runs and tools": {"flyer", embossed(stamped(nil), object{"EmbossingType": "BlindEmbossing"}), "tool-foil tool-blind foiler foiler"},
		"a foil in the bleed":               {"flyer", embossed(stamped(object{"Position": points(-2, 20)})), "tool-foil foiler"},
		"a perforation from the head":       {"flyer", perforated(object{"StartPosition": points(50, 210), "WorkingPath": points(0, -210)}), "perforator"},
		"round holes of 8 mm":               {"flyer", holed(object{"Extent": points(8, 8), "Center": points(10, 0), "Shape": "Round"}), ""},
		"round corners of the product":      {"flyer", cutting(object{"CutBox": box(0, 0, 148, 210), "CutOut": false}), ""},
		"foil on the cover of a book":       {"book", cover, "tool-foil foiler"},
		"foil on the front of a notebook":   {"finishing/notebook", cover, "tool-foil foiler"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, reasons := reviewed(t, edited(t, tc.example, tc.change), finishingPrinter())
			if reasons != nil {
				t.Fatalf("reasons %q", reasons)
			}
			var got []string
			for _, l := range result.Breaks[0].Lines {
				if (l.Step == authority.Perforating || l.Step == authority.Creasing || l.Step == authority.Embossing) && (l.Item == costing.ItemMachine || l.Item == costing.ItemTools) {
					got = append(got, l.Resource.ID)
				}
			}
			slices.Sort(got)
			wanted := strings.Fields(tc.want)
			slices.Sort(wanted)
			if diff := cmp.Diff(wanted, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFinishingNeverMakesMoreCopiesCheaper(t *testing.T) {
	t.Parallel()
	body := example(t, "finishing/flyer")
	var quantities []int64
	for i := range int64(costing.MaxQuantities) {
		quantities = append(quantities, 990+i)
	}
	result, err := costing.Calculate(costing.Request{
		Document: parse(t, body), Mode: costing.Authoritative, Authority: effective(t, finishingPrinter()), Now: now, Quantities: quantities,
	})
	if err != nil {
		t.Fatalf("costing.Calculate: %v", err)
	}
	for i := 1; i < len(result.Breaks); i++ {
		if before, after := result.Breaks[i-1], result.Breaks[i]; cents(t, after.Total) < cents(t, before.Total) {
			t.Errorf("%d copies cost %s, and %d cost %s", before.Quantity, before.Total, after.Quantity, after.Total)
		}
	}
}

func TestManyDevicesForManyOperationsAreBounded(t *testing.T) {
	t.Parallel()
	c := finishingPrinter()
	foiler := c.Devices[slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "foiler" })]
	for i := range 60 {
		one := foiler
		// No device is as good as another in every figure.
		one.ID, one.Speed, one.HourlyRate = fmt.Sprintf("foiler-%d", i), dec(strconv.Itoa(1000+i)), dec(strconv.Itoa(20+i))
		c.Devices = append(c.Devices, one)
	}
	result, reasons := reviewed(t, edited(t, "flyer", embossed(slices.Repeat([]any{stamped(nil)}, 8)...)), c)
	if diff := cmp.Diff([]string{"PLANS_TRUNCATED not all ways of production were compared"}, reasons); diff != "" || result == nil {
		t.Errorf("result %v, reasons (-want +got):\n%s", result, diff)
	}
}
