// SPDX-License-Identifier: Apache-2.0

package printtalk_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

var update = flag.Bool("update", false, "write the golden files")

func flyers() printtalk.Inquiry {
	created := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return printtalk.Inquiry{
		ID: "rfq_01KB0QXR80ABCDEFGHJKMNPQRS", Organization: "org_acme01", TrackingCode: "PM-7KQ2-9XTB", Title: "Spring flyers & <cards>",
		ProductUID: "print:flyers:a5", Category: "commercial-print", ProductName: "Flyer A5, single sheet", ProductType: "Leaflet",
		Quantity: 5000, DeliveryCity: "Utrecht", CreatedAt: created, ResponseDeadline: created.Add(72 * time.Hour),
	}
}

func offers() []printtalk.Offer {
	at := flyers().CreatedAt.Add(time.Hour)
	return []printtalk.Offer{
		{
			ID: "quo_01KB0TZTM0ABCDEFGHJKMNPQRS", Supplier: "Druckerei Müller", Currency: "EUR", Total: "412.50", UnitPrice: "0.0825", Quantity: 5000,
			Breaks:       []printtalk.Break{{Quantity: 10000, Total: "700.00"}},
			LeadTimeDays: 4, Delivery: "Utrecht DAP", ValidUntil: at.Add(240 * time.Hour), Submitted: at,
			Assumptions: []string{"Print-ready PDF/X-4"},
		},
		{
			ID: "quo_01KB0TZTM1ABCDEFGHJKMNPQRS", Supplier: "Presse & Fils", Currency: "CHF", Total: "390.00", UnitPrice: "0.078", Quantity: 5000,
			LeadTimeDays: 7, Delivery: "Utrecht", ValidUntil: at.Add(120 * time.Hour), Submitted: at.Add(time.Minute),
		},
	}
}

func documents(tb testing.TB) map[string]*printtalk.Document {
	tb.Helper()
	plain := flyers()
	plain.ProductType, plain.ProductUID = "", "flyer a5/2"
	return map[string]*printtalk.Document{
		"rfq": printtalk.NewRFQ(flyers()), "rfq-of-no-type": printtalk.NewRFQ(plain),
		"quotation": quotation(tb, offers()), "quotation-of-one": quotation(tb, offers()[:1]),
	}
}

func quotation(tb testing.TB, of []printtalk.Offer) *printtalk.Document {
	tb.Helper()
	d, err := printtalk.NewQuotation(flyers(), of)
	if err != nil {
		tb.Fatalf("printtalk.NewQuotation: %v", err)
	}
	return d
}

func TestDocumentsMatchTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, document := range documents(t) {
		got := written(t, document)
		golden := filepath.Join("testdata", name+".ptk")
		if *update {
			if err := os.WriteFile(golden, got, 0o600); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", golden, err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", golden, err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDocumentsAreValidByThePrintTalkSchema runs where PRINTMARKET_PRINTTALK_XSD names
// the schema, which must not be in this repository.
func TestDocumentsAreValidByThePrintTalkSchema(t *testing.T) {
	t.Parallel()
	schema := os.Getenv("PRINTMARKET_PRINTTALK_XSD")
	if schema == "" {
		t.Skip("PRINTMARKET_PRINTTALK_XSD names no schema of PrintTalk 2.2, with that of XJDF 2.2 where it imports it")
	}
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("xmllint is not installed")
	}
	for name, document := range documents(t) {
		command := exec.CommandContext(t.Context(), "xmllint", "--nonet", "--noout", "--schema", schema, "-")
		command.Stdin = bytes.NewReader(written(t, document))
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
}

func TestRecordsGiveValidDocuments(t *testing.T) {
	t.Parallel()
	for name, document := range documents(t) {
		doc, err := xjdf.Parse(written(t, document), xjdf.Limits{})
		if err != nil {
			t.Fatalf("xjdf.Parse: %v", err)
		}
		options := validate.Options{Support: validate.Marketplace([]string{"Leaflet"})}
		if result := printtalk.Validate(doc, options); !result.Valid() || len(result.Report.Findings) > 0 {
			t.Errorf("%s: %+v", name, result)
		}
		for n := range doc.Root.Descendants() {
			if n.Name.Core() && n.Name.Local == "XJDF" && name == "rfq" {
				options.Profile = validate.Strict
				if report := validate.New().Validate(doc.Within(n), options); !report.Valid || report.Summary.Warnings > 0 {
					t.Errorf("%s: findings of the XJDF %+v", name, report.Findings)
				}
			}
		}
	}
}

// parsed writes a document and reads it.
func parsed(tb testing.TB, d *printtalk.Document) *printtalk.Document {
	tb.Helper()
	again, err := printtalk.Parse(written(tb, d), xjdf.Limits{})
	if err != nil {
		tb.Fatalf("printtalk.Parse: %v", err)
	}
	return again
}

func TestRecordsSurviveTheWayThroughPrintTalk(t *testing.T) {
	t.Parallel()
	inquiry, err := printtalk.ReadInquiry(parsed(t, printtalk.NewRFQ(flyers())))
	if err != nil {
		t.Fatalf("printtalk.ReadInquiry: %v", err)
	}
	if diff := cmp.Diff(flyers(), inquiry); diff != "" {
		t.Errorf("inquiry (-want +got):\n%s", diff)
	}
	want := offers()
	want[0].Supplier, want[0].Assumptions = "Müller: Druck\nund Verlag", []string{"first\nsecond line", "", "Reply: to us"}
	document, err := printtalk.NewQuotation(inquiry, want)
	if err != nil {
		t.Fatalf("printtalk.NewQuotation: %v", err)
	}
	id, got, err := printtalk.ReadOffers(parsed(t, document))
	if err != nil {
		t.Fatalf("printtalk.ReadOffers: %v", err)
	}
	// PrintTalk has one time for all quotes of a document.
	want[0].Submitted = want[1].Submitted
	if diff := cmp.Diff(want, got); diff != "" || id != flyers().ID {
		t.Errorf("offers on %s (-want +got):\n%s", id, diff)
	}
}

func TestAmbiguousDocumentsGiveNoRecord(t *testing.T) {
	t.Parallel()
	rfq := func(change func(*printtalk.RFQ)) *printtalk.Document {
		d := printtalk.NewRFQ(flyers())
		change(d.Request.Object.(*printtalk.RFQ))
		return d
	}
	quote := func(change func(*printtalk.Quote)) *printtalk.Document {
		d := quotation(t, offers())
		change(&d.Request.Object.(*printtalk.Quotation).Quotes[1])
		return d
	}
	product := func(r *printtalk.RFQ) *xjdf.Node { return r.Jobs[0].Child("ProductList").Child("Product") }
	for name, d := range map[string]*printtalk.Document{
		"another object":     document(&printtalk.Confirmation{}),
		"two jobs":           rfq(func(r *printtalk.RFQ) { r.Jobs = append(r.Jobs, r.Jobs[0]) }),
		"an intent":          rfq(func(r *printtalk.RFQ) { product(r).Add("Intent").Set("Name", "LayoutIntent") }),
		"a range of amounts": rfq(func(r *printtalk.RFQ) { product(r).Set("MaxAmount", "6000") }),
		"a medium":           rfq(func(r *printtalk.RFQ) { r.Jobs[0].Add("ResourceSet").Set("Name", "Media") }),
		"two cities": rfq(func(r *printtalk.RFQ) {
			resource := r.Jobs[0].Child("ResourceSet").Add("Resource")
			resource.Add("Part").Set("ContactType", "Delivery")
			resource.Add("Contact").Add("Address").Set("City", "Delft")
		}),
		"two products":           rfq(func(r *printtalk.RFQ) { r.Jobs[0].Child("ProductList").Add("Product").Set("IsRoot", "true") }),
		"no amount":              rfq(func(r *printtalk.RFQ) { product(r).Attributes = nil }),
		"an amount of zero":      rfq(func(r *printtalk.RFQ) { product(r).Set("Amount", "0") }),
		"a quote with two items": quote(func(q *printtalk.Quote) { q.Pricing.Prices = append(q.Pricing.Prices, q.Pricing.Prices[0]) }),
		"half a copy":            quote(func(q *printtalk.Quote) { q.Pricing.Prices[0].Amount = amount("0.5") }),
		"a huge quantity":        quote(func(q *printtalk.Quote) { q.Pricing.Prices[0].Amount = amount("1e18") }),
		"terms of its own":       quote(func(q *printtalk.Quote) { q.Comments[0].Text = "We deliver in a week." }),
		"no comment":             quote(func(q *printtalk.Quote) { q.Comments = nil }),
		"a second lead time": quote(func(q *printtalk.Quote) {
			q.Comments[0].Text = strings.Replace(q.Comments[0].Text, "Lead time", "X\nLead time: 1 days\nLead time", 1)
		}),
		"a negative lead time": quote(func(q *printtalk.Quote) { q.Comments[0].Text = strings.Replace(q.Comments[0].Text, ": 7", ": -7", 1) }),
	} {
		_, err := printtalk.ReadInquiry(d)
		if _, isQuotation := d.Request.Object.(*printtalk.Quotation); isQuotation {
			_, _, err = printtalk.ReadOffers(d)
		}
		var fault *printtalk.Error
		if !errors.As(err, &fault) || !errors.Is(err, printtalk.ErrRecord) || fault.Place.XPath == "" || fault.Detail == "" {
			t.Errorf("%s: %v, want ErrRecord", name, err)
		}
	}
}

func TestQuotationNeedsOffersWithPrices(t *testing.T) {
	t.Parallel()
	if _, err := printtalk.NewQuotation(flyers(), nil); !errors.Is(err, printtalk.ErrMissing) {
		t.Errorf("without offers: %v", err)
	}
	for _, price := range []string{"", "4,50", "NaN", "1e99"} {
		broken := offers()
		broken[1].Total = price
		if _, err := printtalk.NewQuotation(flyers(), broken); !errors.Is(err, printtalk.ErrValue) {
			t.Errorf("price %q: %v", price, err)
		}
	}
}

func ExampleNewQuotation() {
	document, err := printtalk.NewQuotation(flyers(), offers())
	if err != nil {
		fmt.Println(err)
		return
	}
	inquiry, received, err := printtalk.ReadOffers(document)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range received {
		fmt.Printf("%s: %d copies by %s for %s %s\n", inquiry, o.Quantity, o.Supplier, o.Currency, o.Total)
	}
	// Output:
	// rfq_01KB0QXR80ABCDEFGHJKMNPQRS: 5000 copies by Druckerei Müller for EUR 412.50
	// rfq_01KB0QXR80ABCDEFGHJKMNPQRS: 5000 copies by Presse & Fils for CHF 390.00
}
