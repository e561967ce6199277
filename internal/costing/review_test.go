// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// review is a case that leads to a review.
type review struct {
	name    string
	example string // flyer if empty
	change  func(object)
	owner   func(*authority.Content)
	request func(*costing.Request)
	codes   []costing.Code
	figures bool
}

func only(p ...authority.Process) func(*authority.Content) {
	return func(c *authority.Content) {
		var kept []authority.Device
		for _, d := range c.Devices {
			for _, one := range p {
				if d.Process == one {
					kept = append(kept, d)
				}
			}
		}
		c.Devices = kept
	}
}

func quantityReviews() []review {
	return []review{
		{name: "no amount", change: func(d object) { delete(product(d, 0), "Amount") }, codes: []costing.Code{costing.QuantityMissing}},
		{name: "amount of zero", change: func(d object) { product(d, 0)["Amount"] = 0 }, codes: []costing.Code{costing.QuantityMissing}},
		{name: "fractional amount", change: func(d object) { product(d, 0)["Amount"] = 10.5 }, codes: []costing.Code{costing.ValueUnreadable, costing.QuantityMissing}},
		{name: "amount above the supported maximum", change: func(d object) { product(d, 0)["Amount"] = 10_000_001 }, codes: []costing.Code{costing.QuantityAboveLimit}},
		{name: "lower bound above the amount", change: func(d object) { product(d, 0)["MinAmount"] = 6000 }, codes: []costing.Code{costing.ValueUnreadable}, figures: true},
		{name: "amount above the limit for unattended quotes", owner: func(c *authority.Content) { c.Policy.MaxQuantity = 4999 }, codes: []costing.Code{costing.QuantityAboveLimit}, figures: true},
		{name: "limits of zero", owner: func(c *authority.Content) { c.Policy.MaxQuantity, c.Policy.MaxTotal = 0, 0 }, codes: []costing.Code{costing.QuantityAboveLimit, costing.TotalAboveLimit}, figures: true},
		{name: "total one cent above the limit", owner: func(c *authority.Content) { c.Policy.MaxTotal = dec("104.97") }, codes: []costing.Code{costing.TotalAboveLimit}, figures: true},
		{
			name: "total above the largest amount", owner: func(c *authority.Content) {
				c.Media[0].Price = price("1000000", authority.PerSheet)
				c.Policy.MaxTotal = 0
			},
			change: func(d object) {
				product(d, 0)["Amount"] = 10_000_000
				intent(d, "LayoutIntent")["FinishedDimensions"] = []any{900, 1300, 0}
			},
			codes: []costing.Code{costing.FiguresBeyondCalculable},
		},
		{name: "master data that expire in less than a day", request: func(r *costing.Request) { r.Authority.Until = now.Add(24*time.Hour - time.Second) }, codes: []costing.Code{costing.AuthorityEnds}, figures: true},
		{name: "master data not yet in force", request: func(r *costing.Request) { r.Authority.From = now.Add(time.Second) }, codes: []costing.Code{costing.AuthorityEnds}, figures: true},
		{name: "a preview", request: func(r *costing.Request) { r.Mode = costing.PreviewMode }, codes: []costing.Code{costing.Preview}, figures: true},
	}
}

func productReviews() []review {
	return []review{
		{name: "no product", change: func(d object) { delete(d, "ProductList") }, codes: []costing.Code{costing.ProductStructure}},
		{name: "two products", change: func(d object) {
			list(d, "ProductList", "Product")[0].(object)["IsRoot"] = true
			d["ProductList"].(object)["Product"] = append(list(d, "ProductList", "Product"), object{"ID": "P2", "IsRoot": true, "ProductType": "Poster"})
		}, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "unreferenced product without IsRoot", change: func(d object) { another(d, nil) }, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "unreferenced product with IsRoot false", change: func(d object) { another(d, false) }, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "unreferenced product before the delivered one", change: func(d object) {
			another(d, nil)
			all := list(d, "ProductList", "Product")
			all[0], all[1] = all[1], all[0]
		}, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "product referenced by a part only", example: "booklet", change: func(d object) {
			another(d, false)
			product(d, 3)["Intent"] = []any{object{"Name": "BindingIntent", "BindingIntent": object{"BindingType": "SaddleStitch", "ChildRefs": []any{"COVER", "BODY"}}}}
		}, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "part with IsRoot", example: "booklet", change: func(d object) { product(d, 2)["IsRoot"] = true }, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "IsRoot on a part only", example: "booklet", change: func(d object) {
			delete(product(d, 0), "IsRoot")
			product(d, 1)["IsRoot"], product(d, 1)["Amount"] = true, 10
			intent(d, "LayoutIntent", 1)["Pages"] = 2
		}, codes: []costing.Code{costing.ProductAmbiguous, costing.MediaUnused}, figures: true},
		{name: "only product with IsRoot false", change: func(d object) { product(d, 0)["IsRoot"] = false }, codes: []costing.Code{costing.ProductAmbiguous}, figures: true},
		{name: "reference to an unknown part", example: "booklet", change: func(d object) { intent(d, "BindingIntent")["ChildRefs"] = []any{"COVER", "NO"} }, codes: []costing.Code{costing.ProductStructure}},
		{name: "product that references itself", example: "booklet", change: func(d object) { intent(d, "BindingIntent")["ChildRefs"] = []any{"COVER", "P1"} }, codes: []costing.Code{costing.ProductStructure}},
		{name: "two covers", example: "booklet", change: func(d object) { product(d, 2)["ProductType"] = "Cover" }, codes: []costing.Code{costing.ProductStructure}},
		{name: "soft cover binding without a cover", example: "book", change: func(d object) { product(d, 1)["ProductType"] = "Body"; intent(d, "LayoutIntent", 1)["Pages"] = 8 }, codes: []costing.Code{costing.ProductStructure}},
		{name: "part with an amount of two", example: "booklet", change: func(d object) { product(d, 2)["Amount"] = 2 }, codes: []costing.Code{costing.ProductStructure}},
		{name: "unsupported binding", example: "booklet", change: func(d object) { intent(d, "BindingIntent")["BindingType"] = "WireComb" }, codes: []costing.Code{costing.IntentNotCosted}},
		{name: "no size", change: func(d object) { delete(intent(d, "LayoutIntent"), "FinishedDimensions") }, codes: []costing.Code{costing.SizeMissing}},
		{name: "no layout", change: func(d object) { without(d, "LayoutIntent", 0) }, codes: []costing.Code{costing.SizeMissing}},
		{name: "width of zero", change: func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = []any{0, 595.276, 0} }, codes: []costing.Code{costing.SizeMissing}},
		{name: "invalid size", change: func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = []any{"A5"} }, codes: []costing.Code{costing.ValueUnreadable, costing.SizeMissing}},
		{name: "size in millimetres", change: func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = []any{148, 210, 0} }, codes: []costing.Code{costing.LengthNotInPoints}, figures: true},
		{name: "size in inches", change: func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = []any{36, 48, 0} }, codes: []costing.Code{costing.LengthNotInPoints}, figures: true},
		{name: "open size of a booklet in millimetres", example: "booklet", change: func(d object) { intent(d, "LayoutIntent", 1)["Dimensions"] = []any{297, 210} }, codes: []costing.Code{costing.LengthNotInPoints, costing.SizeConflict}, figures: true},
		{name: "bleed in millimetres", change: func(d object) { intent(d, "LayoutIntent")["Bleed"] = 3 }, codes: []costing.Code{costing.LengthNotInPoints}, figures: true},
		{name: "body without pages", example: "booklet", change: func(d object) { delete(intent(d, "LayoutIntent", 2), "Pages") }, codes: []costing.Code{costing.PagesMissing}},
		{name: "loose sheets", change: func(d object) { intent(d, "LayoutIntent")["Pages"] = 8 }, codes: []costing.Code{costing.PagesMissing}},
		{name: "pages that do not fill a sheet", example: "booklet", change: func(d object) { intent(d, "LayoutIntent", 2)["Pages"] = 14 }, codes: []costing.Code{costing.PagesUnbindable}, figures: true},
		{name: "fold of unknown flat size", example: "brochure", change: func(d object) { intent(d, "FoldingIntent")["FoldCatalog"] = "F6-3" }, codes: []costing.Code{costing.FoldUnknown}},
		{name: "Fold without a FoldCatalog", example: "brochure", change: func(d object) {
			delete(intent(d, "FoldingIntent"), "FoldCatalog")
			intent(d, "FoldingIntent")["Fold"] = []any{object{"From": "Left", "To": "Up", "Travel": 280}}
		}, codes: []costing.Code{costing.FoldUnknown}},
	}
}

func colorReviews() []review {
	return []review{
		{name: "neither sides nor colours", change: func(d object) { without(d, "ColorIntent", 0); delete(intent(d, "LayoutIntent"), "Sides") }, codes: []costing.Code{costing.SidesUnknown}},
		{name: "one printed side with colours on both", change: func(d object) { intent(d, "LayoutIntent")["Sides"] = "OneSided" }, codes: []costing.Code{costing.SidesUnknown}, figures: true},
		{name: "sides without colours", change: func(d object) { without(d, "ColorIntent", 0) }, codes: []costing.Code{costing.ColorsUnknown}},
		{name: "printed side without colours", change: func(d object) { delete(surface(d, 1), "ColorsUsed") }, codes: []costing.Code{costing.ColorsUnknown}},
		{name: "colour without an ink", change: func(d object) { surface(d, 1)["ColorsUsed"] = []any{"Cyan", "PANTONE_300"} }, codes: []costing.Code{costing.ColorsUnknown}, figures: true},
		{name: "coverage in neither document nor policy", owner: func(c *authority.Content) { c.Policy.InkCoverage = 0 }, codes: []costing.Code{costing.CoverageUnknown}, figures: true},
		{name: "coverage above the maximum", change: func(d object) { surface(d, 0)["Coverage"] = 401 }, codes: []costing.Code{costing.ValueUnreadable}, figures: true},
		{name: "nothing printed", change: func(d object) { intent(d, "LayoutIntent")["Sides"] = "Unprinted"; without(d, "ColorIntent", 0) }, codes: []costing.Code{costing.IntentNotCosted}},
		{name: "varnish that the owner does not have", change: func(d object) { surface(d, 0)["Coatings"] = []any{"UV"} }, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "film that the owner does not have", change: func(d object) { want(d, "LaminatingIntent", object{"Surface": []any{"Front"}, "Texture": "Gloss"}) }, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "embossing", change: func(d object) {
			want(d, "EmbossingIntent", object{"EmbossingItem": []any{object{"EmbossingType": "Braille"}}})
		}, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "proofs", change: func(d object) {
			want(d, "ContentCheckIntent", object{"ProofItem": []any{object{"ColorType": "BasicColor"}}})
		}, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "perforation", example: "brochure", change: func(d object) { intent(d, "FoldingIntent")["Perforate"] = []any{object{}} }, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "variable data", change: func(d object) { want(d, "VariableIntent", object{"VariableType": "AddressField"}) }, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "paper supplied by the buyer", change: func(d object) { want(d, "MediaIntent", object{"MediaType": "Paper", "BuyerSupplied": true}) }, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "two media for one part", change: func(d object) { more(d, object{"Media": object{"MediaType": "Paper", "ID": "board-300"}}) }, codes: []costing.Code{costing.MediaAmbiguous}, figures: true},
		{name: "medium for another part only", change: func(d object) { resource(d, 0)["Part"] = []any{object{"Product": "P9"}} }, codes: []costing.Code{costing.MediaAmbiguous}},
		{name: "description of another medium", change: func(d object) { medium(d, 0)["Weight"] = 90 }, codes: []costing.Code{costing.MediaConflict}, figures: true},
	}
}

func deviceReviews() []review {
	return []review{
		{name: "no press", owner: only(authority.Cutting), codes: []costing.Code{costing.ProcessNotOffered}},
		{name: "no guillotine", owner: only(authority.DigitalPrinting), codes: []costing.Code{costing.ProcessNotOffered}},
		{name: "no folder", example: "brochure", owner: only(authority.DigitalPrinting, authority.Cutting, authority.Varnishing), codes: []costing.Code{costing.ProcessNotOffered}},
		{name: "printing technology that is not offered", change: func(d object) { want(d, "ProductionIntent", object{"PrintProcess": []any{"Rotogravure"}}) }, codes: []costing.Code{costing.ProcessNotOffered}},
		{name: "holes without a drill", owner: only(authority.DigitalPrinting, authority.Cutting), change: func(d object) {
			want(d, "HoleMakingIntent", object{"HolePattern": []any{object{"Pattern": "R2-generic"}}})
		}, codes: []costing.Code{costing.ProcessNotOffered}},
		{name: "product larger than every sheet", change: func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = []any{3000, 3000, 0} }, codes: []costing.Code{costing.NoDevice}},
		{name: "more colours than any press has", change: func(d object) {
			surface(d, 0)["ColorsUsed"] = []any{"Cyan", "Magenta", "Yellow", "Black", "Orange", "Green"}
		}, codes: []costing.Code{costing.ColorsUnknown, costing.NoDevice}},
		{name: "die without blanks", example: "online/box", owner: func(c *authority.Content) { *c = onlinePrinter() }, change: func(d object) {
			delete(list(list(d, "ResourceSet")[1].(object), "Resource")[0].(object)["DieLayout"].(object), "Station")
		}, codes: []costing.Code{costing.DieUnknown}},
		{name: "medium heavier than any press accepts", owner: func(c *authority.Content) { c.Media[0].Weight = dec("900") }, codes: []costing.Code{costing.NoDevice}},
		{name: "grain direction across the spine on every sheet", example: "booklet", owner: func(c *authority.Content) { c.Media[1].Grain = authority.GrainUnknown }, codes: []costing.Code{costing.NoDevice}},
		{name: "more pages than the stitcher accepts", example: "booklet", change: func(d object) { intent(d, "LayoutIntent", 2)["Pages"] = 120 }, codes: []costing.Code{costing.NoDevice}},
		{name: "fold that no folder does", example: "brochure", change: func(d object) {
			intent(d, "FoldingIntent")["FoldCatalog"] = "F8-4"
			intent(d, "LayoutIntent")["Pages"] = 8
		}, codes: []costing.Code{costing.NoDevice}},
		{name: "more ways than are compared", owner: manyCutters, codes: []costing.Code{costing.PlansTruncated}, figures: true},
	}
}

// manyCutters adds two hundred guillotines and presses; the faster ones cost more.
func manyCutters(c *authority.Content) {
	cutter, press := c.Devices[3], c.Devices[1]
	for i := range 200 {
		suffix := string(rune('a'+i/26)) + string(rune('a'+i%26))
		cutter.Speed += money.One
		cutter.HourlyRate += money.One
		cutter.ID, press.ID = "cutter-"+suffix, "press-"+suffix
		c.Devices = append(c.Devices, cutter, press)
	}
}

func reviews() []review {
	all := append(quantityReviews(), productReviews()...)
	all = append(append(all, sizeReviews()...), colorReviews()...)
	all = append(append(all, droppedReviews()...), contradictedReviews()...)
	return append(append(all, mediaReviews()...), deviceReviews()...)
}

func TestCommentsOfAuditsAreNoRequests(t *testing.T) {
	t.Parallel()
	notification := object{"Class": "Event", "Comment": object{"Text": "printed"}}
	_, reasons := reviewed(t, edited(t, "flyer", func(d object) {
		d["AuditPool"] = object{"AuditNotification": []any{object{"Notification": notification}}}
	}), printer())
	if reasons != nil {
		t.Errorf("reasons %q", reasons)
	}
}

func TestUnknownProcessColorSuggestsItsName(t *testing.T) {
	t.Parallel()
	_, reasons := reviewed(t, edited(t, "flyer", func(d object) {
		surface(d, 1)["ColorsUsed"] = []any{"K", "PANTONE_300"}
	}), printer())
	want := []string{
		`COLORS_UNKNOWN no ink has the separation "K"; did you mean Black?`,
		`COLORS_UNKNOWN no ink has the separation "PANTONE_300"`,
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestReviewReasons(t *testing.T) {
	t.Parallel()
	for _, tc := range reviews() {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := printer()
			if tc.owner != nil {
				tc.owner(&c)
			}
			name := tc.example
			if name == "" {
				name = "flyer"
			}
			r := costing.Request{Document: parse(t, edited(t, name, tc.change)), Mode: costing.Authoritative, Authority: effective(t, c), Now: now}
			if tc.request != nil {
				tc.request(&r)
			}
			result, codes, err := outcomeOf(r)
			if err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if diff := cmp.Diff(tc.codes, codes); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
			if (result != nil) != tc.figures {
				t.Errorf("result has figures: %v, want %v", result != nil, tc.figures)
			}
			if result != nil && result.Outcome != costing.OutcomeManualReview {
				t.Errorf("outcome is %s, want %s", result.Outcome, costing.OutcomeManualReview)
			}
		})
	}
}

func TestValuesAtTheLimitsAreSafeToQuote(t *testing.T) {
	t.Parallel()
	c := printer()
	c.Policy.MaxQuantity, c.Policy.MaxTotal = 5000, dec("104.98")
	in := effective(t, c)
	in.From, in.Until = now, now.Add(24*time.Hour)
	result, err := costing.Calculate(costing.Request{Document: parse(t, example(t, "flyer")), Mode: costing.Authoritative, Authority: in, Now: now})
	if err != nil || result.Outcome != costing.OutcomeAuthoritative {
		t.Fatalf("unexpected error: %v", err)
	}
}

func TestEveryCodeHasAReview(t *testing.T) {
	t.Parallel()
	seen := map[costing.Code]bool{costing.MediaAuthority: true} // only in a preview: TestUnknownMediaAreRejected
	figures := map[costing.Code]bool{}
	for _, tc := range reviews() {
		for _, code := range tc.codes {
			seen[code] = true
		}
		if len(tc.codes) == 1 && tc.figures {
			figures[tc.codes[0]] = true
		}
	}
	for _, one := range costing.Codes() {
		if !seen[one.Code] {
			t.Errorf("no review leads to code %s", one.Code)
		}
		if figures[one.Code] && !one.Figures {
			t.Errorf("code %s has figures, but the table of codes excludes them", one.Code)
		}
		delete(seen, one.Code)
	}
	for code := range seen {
		t.Errorf("code %s is not in the table of codes", code)
	}
}

func TestNoDeviceListsReasonOfEachDevice(t *testing.T) {
	t.Parallel()
	_, err := calculate(t, edited(t, "flyer", func(d object) { intent(d, "LayoutIntent")["FinishedDimensions"] = []any{2100, 2100, 0} }))
	var refused *costing.ReviewError
	if !errors.As(err, &refused) {
		t.Fatalf("unexpected error: %v", err)
	}
	for _, want := range []string{"press-100: the pieces do not fit", "press-52: the pieces do not fit", "digital-48: the pieces do not fit"} {
		if !strings.Contains(refused.Reasons[0].Detail, want) {
			t.Errorf("detail %q does not contain %q", refused.Reasons[0].Detail, want)
		}
	}
}

func TestReasonHasPlaceOfAttribute(t *testing.T) {
	t.Parallel()
	_, err := calculate(t, edited(t, "flyer", func(d object) { medium(d, 0)["Weight"] = 90 }))
	var refused *costing.ReviewError
	if !errors.As(err, &refused) || len(refused.Reasons) != 1 {
		t.Fatalf("unexpected error: %v", err)
	}
	r := refused.Reasons[0]
	if r.Pointer != "#/ResourceSet/0/Resource/0/Media/Weight" || r.XPath != "XJDF/ResourceSet/Resource/Media/@Weight" || r.Node == nil || r.Attribute != "Weight" {
		t.Errorf("reason has pointer %q and XPath %q", r.Pointer, r.XPath)
	}
}

func TestInvalidRequestIsRejected(t *testing.T) {
	t.Parallel()
	d := parse(t, example(t, "flyer"))
	if _, err := costing.Calculate(costing.Request{Document: d, Mode: costing.Authoritative, Now: now}); !errors.Is(err, costing.ErrNoAuthority) {
		t.Errorf("without master data the error is %v, want ErrNoAuthority", err)
	}
	if _, err := costing.Calculate(costing.Request{Document: d, Mode: "guess", Authority: effective(t, printer()), Now: now}); !errors.Is(err, costing.ErrMode) {
		t.Errorf("with an unknown mode the error is %v, want ErrMode", err)
	}
}
