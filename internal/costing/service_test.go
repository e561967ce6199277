// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// servicePrinter returns the printer of the guide with proofs, packing, freight, and a press that
// wastes less after 1000 sheets.
func servicePrinter() authority.Content { return printerWith(addServices) }

func addServices(c *authority.Content) {
	c.Services = append(c.Services, []authority.Service{
		{ID: "proof-matched", Name: "Contract proof", Kind: authority.Proof, ColorType: "MatchedColor", Contract: true, Price: price("18", authority.PerPiece)},
		{ID: "box-a4", Name: "Box of 10 kg", Kind: authority.Packing, MaxWeight: dec("10"), Price: price("1.2", authority.PerPiece)},
		{ID: "carriage", Name: "Carriage", Kind: authority.Freight, Price: price("0.45", authority.PerKilogram)},
	}...)
	c.Policy.Packing, c.Policy.Freight = "box-a4", "carriage"
	i := slices.IndexFunc(c.Devices, func(d authority.Device) bool { return d.ID == "press-52" })
	c.Devices[i].WasteFrom, c.Devices[i].WasteThen = []int64{1000}, []money.Decimal{dec("0.2")}
}

// proofed requests a proof.
func proofed(item object) func(object) {
	return func(d object) { want(d, "ContentCheckIntent", object{"ProofItem": []any{item}}) }
}

// served calculates an example with services.
func served(tb testing.TB, name string, change func(object), owner func(*authority.Content)) (*costing.Result, error) {
	tb.Helper()
	c := servicePrinter()
	if owner != nil {
		owner(&c)
	}
	body := example(tb, name)
	if change != nil {
		body = edited(tb, name, change)
	}
	return costing.Calculate(costing.Request{Document: parse(tb, body), Mode: costing.Authoritative, Authority: effective(tb, c), Now: now})
}

// whole is a DropItem with all flyers.
var whole = object{"Amount": 5000, "ItemRef": "P1"}

// delivery adds a DeliveryParams with attributes and DropItems.
func delivery(terms object, items ...any) func(object) {
	params := object{}
	maps.Copy(params, terms)
	if len(items) > 0 {
		params["DropItem"] = items
	}
	return resourceOf("DeliveryParams", params, nil)
}

// addressed adds a Contact of a type with an address.
func addressed(kind string, address object) func(object) {
	return resourceOf("Contact", object{"Address": address}, object{"ContactType": kind})
}

// resourceOf adds a set with a resource.
func resourceOf(name string, value, part object) func(object) {
	one := object{name: value}
	if part != nil {
		one["Part"] = []any{part}
	}
	return func(d object) {
		d["ResourceSet"] = append(list(d, "ResourceSet"), object{"Name": name, "Usage": "Input", "Resource": []any{one}})
	}
}

// TestServicesAndWasteStepsMatchIndependentArithmetic calculates the example of the guide again,
// in whole milligrams, cents and sheets.
func TestServicesAndWasteStepsMatchIndependentArithmetic(t *testing.T) {
	t.Parallel()
	result, err := served(t, "flyer", proofed(object{"ColorType": "MatchedColor", "Contract": true}), nil)
	if err != nil {
		t.Fatalf("costing.Calculate: %v", err)
	}
	got := map[string]string{}
	for _, l := range result.Breaks[0].Lines {
		if l.Item != costing.ItemMachine && l.Item != costing.ItemLabor && l.Item != costing.ItemPower {
			got[l.Resource.ID] = l.Quantity + " x " + l.Rate + " = " + l.Amount.Amount()
		}
	}
	// Sheets: of 100 fed ones 99 are good up to the thousandth good one, then 998 of 1000.
	feed := func(good int) int { return (1000*100+98)/99 + ((good-1000)*1000+997)/998 }
	second := feed(5000 / 4)
	first := feed(second) + 50
	bought := (first + 3) / 4
	milligrams := 148 * 210 * 135 * 5000 / 1000
	each := 10_000_000 * 1000 / (148 * 210 * 135)
	boxes := (5000 + each - 1) / each
	for id, want := range map[string]string{
		"gloss-135":     fmt.Sprintf("0.%d x 90 = %d.%02d", bought, bought*9/100, bought*9%100),
		"box-a4":        fmt.Sprintf("%d x 1.2 = %d.%02d", boxes, boxes*120/100, boxes*120%100),
		"carriage":      fmt.Sprintf("%d.%03d x 0.45 = %d.%02d", milligrams/1_000_000, milligrams/1000%1000, milligrams*45/100/1_000_000, milligrams*45/1_000_000%100),
		"proof-matched": "2 x 18 = 36.00",
	} {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
}

func TestWasteStepsNeverMakeMoreCopiesCheaper(t *testing.T) {
	t.Parallel()
	for quantity := int64(3980); quantity < 4060; quantity += costing.MaxQuantities {
		var all []int64
		for i := range int64(costing.MaxQuantities) {
			all = append(all, quantity+i)
		}
		result := costs(t, "flyer", func(c *authority.Content) { *c = servicePrinter() }, all...)
		for i := 1; i < len(result.Breaks); i++ {
			if before, after := result.Breaks[i-1], result.Breaks[i]; cents(t, after.Total) < cents(t, before.Total) {
				t.Errorf("%d copies cost %s, and %d cost %s", before.Quantity, before.Total, after.Quantity, after.Total)
			}
		}
	}
}

func TestDatesOfADeliveryAreAssumedToBePossible(t *testing.T) {
	t.Parallel()
	for _, date := range []string{"Earliest", "Required"} {
		result, err := served(t, "flyer", delivery(object{date: "2027-01-05T12:00:00Z"}, whole), nil)
		if err != nil {
			t.Fatalf("%s: %v", date, err)
		}
		if !slices.ContainsFunc(result.Assumptions, func(a costing.Assumption) bool { return a.Code == costing.AssumedDate }) {
			t.Errorf("%s: assumptions %v lack DELIVERY_DATE", date, result.Assumptions)
		}
	}
}

func TestServicesThatAreNotOfferedAreRefusedByName(t *testing.T) {
	t.Parallel()
	deliveries := delivery(nil, object{"Amount": 2000, "ItemRef": "P1"}, object{"Amount": 3000, "ItemRef": "P1"})
	noFreight := func(c *authority.Content) { c.Policy.Freight = "" }
	for name, test := range map[string]struct {
		change func(object)
		owner  func(*authority.Content)
		want   string
	}{
		"a proof of another type": {change: proofed(object{"ColorType": "Monochrome"}), want: `INTENT_NOT_COSTED the owner offers no proof with the ColorType "Monochrome"`},
		"a proof without a type":  {change: proofed(object{}), want: `INTENT_NOT_COSTED the owner offers no proof with the ColorType ""`},
		"a proof of some pages":   {change: proofed(object{"ColorType": "MatchedColor", "PageIndex": "0 0"}), want: `INTENT_NOT_COSTED "PageIndex" is not included in the figures`},
		"no proofs":               {change: proofed(object{"ColorType": "MatchedColor", "Amount": 0}), want: "VALUE_UNREADABLE a number of proofs must be from 1 to 10000"},
		"two deliveries":          {change: deliveries, want: "INTENT_NOT_COSTED packing and freight of several deliveries are not included in the figures"},
		"an express courier": {
			change: delivery(object{"Method": "ExpressCourier"}, whole), want: `INTENT_NOT_COSTED delivery by "ExpressCourier" is not included in the figures`,
		},
		"an account of a buyer": {change: delivery(object{"BuyerAccount": "4711"}, whole), want: `INTENT_NOT_COSTED "BuyerAccount" is not included in the figures`},
		"a product collected from the buyer": {
			change: delivery(object{"Transfer": "BuyerToPrinterPickup"}, whole), want: `INTENT_NOT_COSTED "BuyerToPrinterPickup" does not transfer the product to the buyer`,
		},
		"a delivery without freight": {
			change: delivery(object{"Transfer": "PrinterToBuyerDeliver"}, whole), owner: noFreight, want: "INTENT_NOT_COSTED the owner offers no freight, which is not included in the figures",
		},
		"any carriage without freight": {
			change: delivery(object{"Method": "BestWay"}, whole), owner: noFreight, want: `INTENT_NOT_COSTED delivery by "BestWay" is not included in the figures`,
		},
		"a delivery of a proof": {
			change: delivery(nil, whole, object{"Amount": 1, "ItemRef": "PROOF"}), want: `INTENT_NOT_COSTED the separate delivery of "PROOF" is not included in the figures`,
		},
		"a stated weight of a delivery": {
			change: delivery(nil, object{"Amount": 5000, "ItemRef": "P1", "TotalWeight": 21000}), want: `INTENT_NOT_COSTED "TotalWeight" is not included in the figures`,
		},
		"a country that the freight does not reach": {
			change: addressed("Delivery", object{"CountryCode": "JP"}), want: `INTENT_NOT_COSTED the freight of the owner does not list the country "JP"`,
		},
		"a country without a code": {
			change: addressed("Delivery", object{"Country": "Japan"}), want: `INTENT_NOT_COSTED the freight of the owner does not list the country "Japan"`,
		},
		"a package that is too weak": {owner: func(c *authority.Content) { c.Services[1].MaxWeight = dec("0.004") }, want: "NO_DEVICE box-a4 packs at most 0.004 kg, and one product weighs more"},
		"a contract proof without such": {
			change: proofed(object{"ColorType": "MatchedColor", "Contract": true}), owner: func(c *authority.Content) { c.Services[0].Contract = false },
			want: `INTENT_NOT_COSTED the owner offers no contract proof with the ColorType "MatchedColor"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := served(t, "flyer", test.change, test.owner)
			var review *costing.ReviewError
			if !errors.As(err, &review) {
				t.Fatalf("error %v, want a review", err)
			}
			var got []string
			for _, reason := range review.Reasons {
				got = append(got, string(reason.Code)+" "+reason.Detail)
			}
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServicesOfEachKindOfPrice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		example string
		change  func(object)
		owner   func(*authority.Content)
		want    string
	}{
		"packages by number": {
			example: "flyer", owner: func(c *authority.Content) { c.Services[1].MaxPieces = 1000 },
			want: "box-a4 5 Piece, carriage 20.979 Kilogram",
		},
		"freight by package": {
			example: "flyer", owner: func(c *authority.Content) { c.Services[2].Price.Per = authority.PerPiece },
			want: "box-a4 3 Piece, carriage 3 Piece",
		},
		"freight of a delivery by any means": {
			example: "flyer", change: delivery(object{"Method": "BestWay", "Transfer": "PrinterToBuyerDeliver"}, whole), want: "box-a4 3 Piece, carriage 20.979 Kilogram",
		},
		"freight to a listed country": {
			example: "flyer", change: addressed("Delivery", object{"CountryCode": "AT"}), want: "box-a4 3 Piece, carriage 20.979 Kilogram",
			owner: func(c *authority.Content) { c.Services[2].Countries = []string{"AT", "DE"} },
		},
		"freight to an address of the own country": {
			example: "flyer", change: addressed("Delivery", object{"City": "Graz"}), want: "box-a4 3 Piece, carriage 20.979 Kilogram",
		},
		"an invoice to another country": {
			example: "flyer", change: addressed("Accounting", object{"CountryCode": "JP"}), want: "box-a4 3 Piece, carriage 20.979 Kilogram",
		},
		"a proof from the buyer": {
			example: "flyer", change: delivery(object{"Transfer": "BuyerToPrinterDeliver"}, object{"Amount": 1, "ItemRef": "PROOF"}), want: "box-a4 3 Piece, carriage 20.979 Kilogram",
		},
		"no freight of a product that the buyer collects": {
			example: "flyer", change: both(delivery(object{"Transfer": "PrinterToBuyerPickup"}, whole), addressed("Delivery", object{"CountryCode": "JP"})), want: "box-a4 3 Piece",
		},
		"freight alone": {
			example: "flyer", owner: func(c *authority.Content) { c.Policy.Packing = "" }, want: "carriage 20.979 Kilogram",
		},
		// A book: 84 leaves of 148 x 210 mm and 90 g, a cover of 306.08 x 210 mm and 300 g, that is
		// 254.24784 g; 39 in a package.
		"a book with its cover and spine": {example: "book", want: "box-a4 52 Piece, carriage 508.4957 Kilogram"},
		// A proof of 168 pages of the body and one side of the cover, twice.
		"proofs of a book": {
			example: "book", change: proofed(object{"ColorType": "MatchedColor", "Amount": 2}), want: "proof-matched 338 Piece, box-a4 52 Piece, carriage 508.4957 Kilogram",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := served(t, test.example, test.change, test.owner)
			if err != nil {
				t.Fatalf("costing.Calculate: %v", err)
			}
			var got []string
			for _, l := range result.Breaks[0].Lines {
				if l.Resource.Family == authority.FamilyService {
					got = append(got, fmt.Sprintf("%s %s %s", l.Resource.ID, l.Quantity, l.Unit))
				}
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("lines %q, want %q", strings.Join(got, ", "), test.want)
			}
		})
	}
}
