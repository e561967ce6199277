// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// shown formats the plans of a result for comparison.
func shown(r *costing.Result) string {
	var all []string
	for _, p := range r.Breaks[0].Plan {
		text := fmt.Sprintf("%s %s %s %dx%d up", p.Part, p.Press, p.WorkStyle, p.Sheets, p.Up)
		for _, g := range p.Grids {
			text += fmt.Sprintf(" %dx%d", g.Columns, g.Rows)
			if g.Turned {
				text += "t"
			}
		}
		for _, f := range p.Finishing {
			text += " " + f.Device
		}
		all = append(all, text)
	}
	for _, f := range r.Breaks[0].Finishing {
		all = append(all, f.Device)
	}
	return strings.Join(all, ", ")
}

// lone removes all presses except one, and changes it.
func lone(press string, change func(*authority.Device)) func(*authority.Content) {
	return func(c *authority.Content) {
		var kept []authority.Device
		for _, d := range c.Devices {
			if d.Process.Printing() && d.ID != press {
				continue
			}
			if d.ID == press && change != nil {
				change(&d)
			}
			kept = append(kept, d)
		}
		c.Devices = kept
	}
}

func points(mm ...float64) []any {
	all := make([]any, len(mm))
	for i := range mm {
		all[i] = mm[i] * 72 / 25.4
	}
	return all
}

func film(side ...any) object { return object{"Surface": side, "Texture": "Matte"} }

// cards requests two thousand pieces that fill a sheet best in two orientations.
func cards(d object) {
	product(d, 0)["Amount"] = 2000
	intent(d, "LayoutIntent")["FinishedDimensions"] = points(170, 100)
}

// small requests fifty copies.
func small(d object) { product(d, 0)["Amount"] = 50 }

func TestPlanOfProduct(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		owner   func(*authority.Content)
		want    string
	}{
		"the same colours on both sides are turned": {
			example: "flyer", want: "flat press-52 workAndTurn 1x4 up 2x2t cutter",
		},
		"a film on one side cannot be turned": {
			example: "flyer", change: func(d object) { want(d, "LaminatingIntent", film("Front")) },
			want: "flat press-52 sheetwise 1x4 up 2x2t laminator cutter",
		},
		"a film on both sides can, and is cheaper on fewer and larger sheets": {
			example: "flyer", change: func(d object) { want(d, "LaminatingIntent", film("Front", "Back")) },
			want: "flat press-100 workAndTurn 1x18 up 6x3 laminator cutter",
		},
		"a perfecting press prints both sides in one pass": {
			example: "brochure", owner: lone("press-52", func(d *authority.Device) { d.Perfecting = true }),
			want: "flat press-52 perfecting 1x2 up 2x1t coater cutter folder",
		},
		"a press with a coater varnishes in line": {
			example: "brochure", owner: lone("press-100", nil), want: "flat press-100 sheetwise 1x4 up 2x2t cutter folder",
		},
		"heavy media are creased before they are folded": {
			example: "brochure", owner: func(c *authority.Content) { c.Media[0].Weight = dec("171") },
			want: "flat press-52 sheetwise 1x2 up 2x1t coater cutter creaser folder",
		},
		"few copies of a book are printed digitally, in leaves": {
			example: "book", change: small, want: "cover COVER digital-48 oneSided 1x1 up 1x1 laminator cutter, body BODY digital-48 perfecting 84x2 up 2x1 cutter, binder, trimmer",
		},
		"few booklets are printed digitally, and folded": {
			example: "booklet", change: small, want: "cover COVER digital-48 perfecting 1x1 up 1x1 cutter, body BODY digital-48 perfecting 4x1 up 1x1 cutter folder, stitcher",
		},
		"a document that requests offset is printed offset": {
			example: "business-cards", change: func(d object) { want(d, "ProductionIntent", object{"PrintProcess": []any{"OffsetLithography"}}) },
			want: "flat press-52 sheetwise 1x8 up 4x2t laminator cutter",
		},
		"a perfecting press with a coater varnishes both sides in two passes": {
			example: "brochure", owner: lone("press-100", func(d *authority.Device) { d.Perfecting = true }),
			change: func(d object) {
				surface(d, 1)["Coatings"] = []any{"Aqueous"}
				surface(d, 1)["ColorsUsed"] = []any{"Black"}
			},
			want: "flat press-100 sheetwise 1x4 up 2x2t cutter folder",
		},
		"of equal presses the first is taken": {
			example: "flyer", owner: func(c *authority.Content) {
				one := c.Devices[1]
				one.ID = "a-press"
				c.Devices = append(c.Devices, one)
			},
			want: "flat a-press workAndTurn 1x4 up 2x2t cutter",
		},
		"the sheet includes the margin that is milled off the spine": {
			example: "book", owner: func(c *authority.Content) { c.Policy.SpineMilling = dec("40"); lone("press-100", nil)(c) },
			want: "cover COVER press-100 oneSided 1x8 up 4x2t laminator cutter, body BODY press-100 workAndTurn 21x2 up 2x1t cutter folder, binder, trimmer",
		},
		"the sheet includes the trimmed margin": {
			example: "book", owner: func(c *authority.Content) { c.Policy.Bleed = dec("19"); lone("press-100", nil)(c) },
			want: "cover COVER press-100 oneSided 1x8 up 4x2t laminator cutter, body BODY press-100 sheetwise 10x1 up 1x1t cutter folder, body BODY press-100 workAndTurn 1x2 up 1x2t cutter folder, binder, trimmer",
		},
		"holes are drilled in the finished product": {
			example: "flyer", change: func(d object) {
				want(d, "HoleMakingIntent", object{"HolePattern": []any{object{"Pattern": "R2-generic"}}})
			},
			want: "flat press-52 workAndTurn 1x4 up 2x2t cutter, drill",
		},
		"one cut separates two grids": {
			example: "poster", owner: func(c *authority.Content) { c.Policy.Gutter = dec("2") },
			change: func(d object) { cards(d) },
			want:   "flat digital-48 oneSided 1x6 up 2x1 4x1t cutter",
		},
		"a grain across the fold forbids two orientations": {
			example: "poster", owner: func(c *authority.Content) { c.Policy.Gutter = dec("2") },
			change: func(d object) {
				cards(d)
				want(d, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "YDirection"})
			},
			want: "flat digital-48 oneSided 1x4 up 4x1t cutter",
		},
		"a fixed orientation of the pieces forbids two orientations": {
			example: "poster", owner: func(c *authority.Content) { c.Policy.Gutter = dec("2") },
			change: func(d object) {
				cards(d)
				want(d, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "SameDirection"})
			},
			want: "flat digital-48 oneSided 1x4 up 2x2 cutter",
		},
		"a booklet may have its cover of the same paper": {
			example: "booklet", change: selfCover, want: "body P1 press-100 workAndTurn 1x2 up 2x1t cutter folder, stitcher",
		},
		"parts have the intents of the whole": {
			example: "booklet", change: func(d object) {
				for _, name := range []string{"LayoutIntent", "ColorIntent"} {
					want(d, name, intent(d, name, 2))
					without(d, name, 1)
					without(d, name, 2)
				}
			},
			want: "cover COVER press-52 workAndTurn 1x2 up 2x1t cutter, body BODY press-100 workAndTurn 1x2 up 2x1t cutter folder, stitcher",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := printer()
			if tc.owner != nil {
				tc.owner(&c)
			}
			result, codes, err := outcome(t, edited(t, tc.example, tc.change), c)
			if err != nil || len(codes) > 0 {
				t.Fatalf("calculation failed: codes %v, error %v", codes, err)
			}
			if diff := cmp.Diff(tc.want, shown(result)); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWasteOfAStepIncreasesEarlierSteps(t *testing.T) {
	t.Parallel()
	c := printer()
	c.Devices[3].SetupWaste, c.Devices[3].WastePercent = 10, dec("2")
	result, codes, err := outcome(t, example(t, "flyer"), c)
	if err != nil || result == nil {
		t.Fatalf("calculation failed: codes %v, error %v", codes, err)
	}
	// Cutting: 1250 / 0.98 = 1276 and 10. Second pass: 1286 / 0.99 = 1299. First pass:
	// 1299 / 0.99 = 1313 and 50. Dividing: 1363 / 0.98 = 1391 and 10, four to a sheet.
	p := result.Breaks[0].Plan[0]
	if diff := cmp.Diff([]int64{1286, 77, 351}, []int64{p.Good, p.Waste, p.Bought}); diff != "" {
		t.Errorf("good, waste, bought: %s", diff)
	}
}

func TestCheapestInkOfSeparationIsUsed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		other authority.Ink
		want  string
	}{
		"a cheaper one":                         {ink("cyan-2", "Cyan", "11"), "cyan-2"},
		"a dearer one":                          {ink("a-cyan", "Cyan", "13"), "cyan"},
		"a dearer one of which less is used":    {authority.Ink{ID: "z", Name: "Z", Separation: "Cyan", Consumption: dec("1"), Price: price("13", authority.PerKilogram)}, "z"},
		"an equal one, that comes after":        {ink("cyan-2", "Cyan", "12"), "cyan"},
		"a cheaper one of another separation":   {ink("a-cyan", "cyan", "1"), "cyan"},
		"a cheaper one, of which more is used ": {authority.Ink{ID: "a", Name: "A", Separation: "Cyan", Consumption: dec("3"), Price: price("7", authority.PerKilogram)}, "cyan"},
	} {
		c := printer()
		c.Inks = append(c.Inks, tc.other)
		result, _, err := outcome(t, example(t, "flyer"), c)
		if err != nil {
			t.Fatalf("cannot calculate the example: %v", err)
		}
		for _, l := range result.Breaks[0].Lines {
			if l.Item == costing.ItemInk {
				if l.Resource.ID != tc.want {
					t.Errorf("%s: %s is used", name, l.Resource.ID)
				}
				break
			}
		}
	}
}

// selfCover turns the booklet into one product without a separate cover.
func selfCover(d object) {
	for _, name := range []string{"LayoutIntent", "ColorIntent"} {
		want(d, name, intent(d, name, 2))
	}
	delete(intent(d, "BindingIntent"), "ChildRefs")
	d["ProductList"].(object)["Product"] = list(d, "ProductList", "Product")[:1]
	set := list(d, "ResourceSet")[0].(object)
	set["Resource"] = list(set, "Resource")[1:]
	resource(d, 0)["Part"] = []any{object{"Product": "P1"}}
}

func TestPartSize(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		example string
		change  func(object)
		part    int
		want    string
	}{
		"a fold of the catalogue multiplies the finished size": {"brochure", nil, 0, "297 x 210"},
		"dimensions of the document win over the catalogue":    {"brochure", func(d object) { intent(d, "LayoutIntent")["Dimensions"] = points(295, 210) }, 0, "295 x 210"},
		"an unfolded product needs only its dimensions": {"flyer", func(d object) {
			l := intent(d, "LayoutIntent")
			l["Dimensions"] = points(100, 150)
			delete(l, "FinishedDimensions")
		}, 0, "100 x 150"},
		"a fold that is not in the table needs the dimensions": {"brochure", func(d object) {
			intent(d, "FoldingIntent")["FoldCatalog"] = "F6-1"
			intent(d, "LayoutIntent")["Dimensions"] = points(300, 210)
		}, 0, "300 x 210"},
		"a soft cover has a spine of half the pages":              {"book", nil, 0, "306.08 x 210"},
		"a stitched cover has none":                               {"booklet", nil, 0, "296 x 210"},
		"a cover may say its flat size":                           {"book", func(d object) { intent(d, "LayoutIntent", 1)["Dimensions"] = points(308, 210) }, 0, "308 x 210"},
		"bound at the head, a cover is as long as two pages high": {"booklet", func(d object) { intent(d, "BindingIntent")["BindingSide"] = "Top" }, 0, "420 x 148"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, codes, err := outcome(t, edited(t, tc.example, tc.change), printer())
			if err != nil || result == nil {
				t.Fatalf("calculation failed: codes %v, error %v", codes, err)
			}
			flat := result.Product.Parts[tc.part].Flat
			if got := fmt.Sprintf("%s x %s", flat.Width, flat.Height); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAlternativesGiveCostOrReason(t *testing.T) {
	t.Parallel()
	result, err := calculate(t, edited(t, "flyer", func(d object) {
		want(d, "ProductionIntent", object{"PrintProcess": []any{"OffsetLithography"}})
	}))
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
	}
	var got []string
	for _, a := range result.Breaks[0].Alternatives {
		text := a.Press + " " + a.Reason
		if a.Total != nil {
			text += a.Total.String()
		}
		got = append(got, text)
	}
	want := []string{"digital-48 the document requests another printing process", "press-100 155.97 EUR"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
}

func TestPolicyValuesAreListedAsAssumptions(t *testing.T) {
	t.Parallel()
	result, err := calculate(t, edited(t, "flyer", func(d object) {
		delete(intent(d, "LayoutIntent"), "Bleed")
		delete(intent(d, "LayoutIntent"), "Sides")
	}))
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
	}
	var got []costing.AssumptionCode
	for _, a := range result.Assumptions {
		got = append(got, a.Code)
	}
	if diff := cmp.Diff([]costing.AssumptionCode{costing.AssumedBleed, costing.AssumedSides, costing.AssumedCoverage}, got); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
}

func TestResultNamesItsMasterData(t *testing.T) {
	t.Parallel()
	in := effective(t, printer())
	result, err := costing.Calculate(costing.Request{Document: parse(t, example(t, "flyer")), Mode: costing.Authoritative, Authority: in, Now: now})
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
	}
	s := result.Snapshot
	if s.ID != in.Value.ID() || s.Approval != "apr_test" || s.Currency != "EUR" || !s.ApprovedAt.Equal(in.ApprovedAt) || !s.EffectiveFrom.Equal(in.From) || s.EffectiveTo != nil {
		t.Errorf("got %+v", s)
	}
	for _, l := range result.Breaks[0].Lines {
		if !known(in.Value, l.Resource) {
			t.Errorf("%s is not of the master data", l.Resource.ID)
		}
	}
}

func known(s *authority.Snapshot, r costing.Resource) bool {
	found := map[authority.Family]func(string) bool{
		authority.FamilyMedia:       func(id string) bool { _, ok := s.Media(id); return ok },
		authority.FamilyDevice:      func(id string) bool { _, ok := s.Device(id); return ok },
		authority.FamilyInk:         func(id string) bool { _, ok := s.Ink(id); return ok },
		authority.FamilyPlate:       func(id string) bool { _, ok := s.Plate(id); return ok },
		authority.FamilyLabor:       func(id string) bool { _, ok := s.Labor(id); return ok },
		authority.FamilyElectricity: func(id string) bool { _, ok := s.Electricity(id); return ok },
	}[r.Family]
	return found != nil && found(r.ID)
}

func TestConcurrentCalculationsShareSnapshot(t *testing.T) {
	t.Parallel()
	in := effective(t, printer())
	var all sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		d := parse(t, example(t, "book"))
		all.Go(func() {
			result, err := costing.Calculate(costing.Request{Document: d, Mode: costing.Authoritative, Authority: in, Now: now})
			if err != nil {
				t.Errorf("cannot calculate the example: %v", err)
				return
			}
			results[i] = string(written(t, result))
		})
	}
	all.Wait()
	for _, one := range results {
		if diff := cmp.Diff(results[0], one); diff != "" {
			t.Fatalf("results of one document differ:\n%s", diff)
		}
	}
}

func TestCalculateDoesNotChangeDocument(t *testing.T) {
	t.Parallel()
	d := parse(t, example(t, "booklet"))
	count := func() (n int) {
		for node := range d.Root.Descendants() {
			n += 1 + len(node.Attributes)
		}
		return n
	}
	before := count()
	c := printer()
	c.Policy.MaxTotal = money.One
	if _, err := costing.Calculate(costing.Request{Document: d, Mode: costing.PreviewMode, Authority: effective(t, c), Now: now}); err == nil {
		t.Error("a preview returned no error, want a ReviewError")
	}
	if after := count(); after != before {
		t.Errorf("the document has %d nodes and attributes after the calculation, want %d", after, before)
	}
}

func TestDeviceWorseInOneFigureDisplacesNoOther(t *testing.T) {
	t.Parallel()
	plain, err := calculate(t, example(t, "book"))
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
	}
	for name, worse := range map[string]func(c *authority.Content, d *authority.Device){
		"slower":               func(_ *authority.Content, d *authority.Device) { d.Speed = money.One },
		"slower to set up":     func(_ *authority.Content, d *authority.Device) { d.SetupMinutes *= 9 },
		"spoils more":          func(_ *authority.Content, d *authority.Device) { d.WastePercent = 40 * money.One },
		"spoils more at first": func(_ *authority.Content, d *authority.Device) { d.SetupWaste += 900 },
		"dearer":               func(_ *authority.Content, d *authority.Device) { d.HourlyRate *= 9 },
		"takes more people":    func(_ *authority.Content, d *authority.Device) { d.Crew *= 9 },
		"takes more power":     func(_ *authority.Content, d *authority.Device) { d.Power *= 90 },
		"cuts lower stacks":    func(_ *authority.Content, d *authority.Device) { d.StackHeight /= 9 },
		"takes dearer people": func(c *authority.Content, d *authority.Device) {
			c.Labor = append(c.Labor, authority.Labor{ID: "expert", Name: "Expert", LaborType: "Finishing", Price: price("250", authority.PerHour)})
			d.Labor = "expert"
		},
		"takes dearer power": func(c *authority.Content, d *authority.Device) {
			c.Electricity = append(c.Electricity, authority.Electricity{ID: "diesel", Name: "Diesel", Price: price("20", authority.PerKilowattHour)})
			d.Electricity = "diesel"
		},
		"takes dearer glue": func(c *authority.Content, d *authority.Device) {
			c.Adhesives = append(c.Adhesives, authority.Adhesive{ID: "pur", Name: "PUR", Consumption: dec("20"), Price: price("50", authority.PerKilogram)})
			d.Adhesive = "pur"
		},
		"takes more glue": func(c *authority.Content, d *authority.Device) {
			c.Adhesives = append(c.Adhesives, authority.Adhesive{ID: "pur", Name: "PUR", Consumption: dec("90"), Price: price("5", authority.PerKilogram)})
			d.Adhesive = "pur"
		},
	} {
		for process, place := range map[authority.Process]int{authority.Cutting: 3, authority.CoverApplication: 9} {
			c := printer()
			one := c.Devices[place]
			if worse(&c, &one); process == authority.Cutting && one.Adhesive != "" || cmp.Equal(one, c.Devices[place]) {
				continue // the field has no effect on the process
			}
			one.ID = "a-device"
			c.Devices = append(c.Devices, one)
			result, _, err := outcome(t, example(t, "book"), c)
			if err != nil || result == nil {
				t.Fatalf("cannot calculate the example: %v", err)
			}
			if diff := cmp.Diff(string(written(t, plain.Breaks)), string(written(t, result.Breaks))); diff != "" {
				t.Errorf("%s, %s: %s", name, process, diff)
			}
		}
	}
}
