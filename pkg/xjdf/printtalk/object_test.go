// SPDX-License-Identifier: Apache-2.0

package printtalk_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
)

func amount(text string) decimal.NullDecimal {
	return decimal.NewNullDecimal(decimal.RequireFromString(text))
}

func job(id string) *xjdf.Node {
	root := xjdf.New("XJDF").Set("JobID", id).Set("Types", "Product").Set("Version", "2.2")
	root.Add("ProductList").Add("Product").Set("Amount", "5000").Set("ID", "P1").Set("IsRoot", "true").Set("ProductType", "Leaflet")
	return root
}

func comment(text string) *xjdf.Node {
	n := xjdf.New("Comment").Set("Type", "JobDescription")
	n.Text = text
	return n
}

func pricing() printtalk.Pricing {
	line := func(id, kind, price string) printtalk.Price {
		return printtalk.Price{
			DescriptiveName: kind, LineID: id, Price: decimal.RequireFromString(price), PriceType: printtalk.PriceType(kind), TaxType: "Net",
		}
	}
	product, shipping, total := line("L1", "Product", "210.00"), line("L2", "Shipping", "18.00"), line("L3", "Total", "228.00")
	product.Amount, product.UnitPrice = amount("5000"), amount("0.042")
	total.LineIDRefs = []string{"L1", "L2"}
	return printtalk.Pricing{Currency: "EUR", Prices: []printtalk.Price{product, shipping, total}}
}

func withJobs(p printtalk.Pricing) printtalk.Pricing {
	p.Prices[0].ItemRefs = []string{"P1"}
	return p
}

// objects holds one of each business object, with every optional item in some.
func objects() map[string]printtalk.Object {
	at, yes, contract := time.Date(2026, 12, 1, 9, 0, 0, 250_000_000, time.UTC), true, &printtalk.MasterContract{ContractID: "C-7", DescriptiveName: "Frame"}
	prices, audits := withJobs(pricing()), xjdf.New("AuditPool")
	audits.Add("AuditCreated").Add("Header").Set("DeviceID", "press").Set("Time", "2026-11-20T12:00:00Z")
	paid := pricing()
	paid.Payments = []printtalk.Payment{{
		PaymentType: "CreditCard", IsPaid: &yes, Authorization: "A1", AuthorizationExpires: at, Expires: at, PaymentTypeDetails: "Visa", Comment: comment("paid"),
		GeneralIDs: []*xjdf.Node{xjdf.New("GeneralID").Set("IDUsage", "Receipt").Set("IDValue", "R1")},
	}}
	additional := pricing()
	additional.Prices[0].Additional = []printtalk.Additional{{BaseAmount: decimal.NewFromInt(10000), BasePrice: decimal.RequireFromString("380.50"), Price: amount("38"), Amount: amount("1000")}}
	return map[string]printtalk.Object{
		"RFQ": &printtalk.RFQ{
			AmountPrices: []int64{2500, 10000}, Currency: "EUR", Estimate: &yes, Expires: at, QuoteIDs: []string{"Q1", "Q2"}, ReorderID: []string{"O1"},
			MasterContract: contract, Comment: comment("urgent"), Jobs: []*xjdf.Node{job("J1"), job("J2")},
		},
		"Quotation": &printtalk.Quotation{Expires: at, MasterContract: contract, Comment: comment("both"), Quotes: []printtalk.Quote{
			{QuoteID: "Q1", Pricing: prices, Jobs: []*xjdf.Node{job("J1")}, Comments: []*xjdf.Node{comment("a"), comment("b")}, DeviationCause: "Quality", Deviations: []string{"Media"}},
			{QuoteID: "Q2", Pricing: printtalk.Pricing{Currency: "CHF", Prices: additionalLines(additional)}},
		}},
		"PurchaseOrder": &printtalk.PurchaseOrder{
			Expires: at, QuoteID: "Q1", ReorderID: []string{"O1"}, ReturnAudits: []string{"ProcessRun"}, ReturnJDF: &yes, MasterContract: contract,
			Pricing: &prices, Comment: comment("please"), Jobs: []*xjdf.Node{job("J1")},
		},
		"Confirmation":        &printtalk.Confirmation{Comment: comment("with thanks")},
		"Cancellation":        &printtalk.Cancellation{JobIDRef: "J1"},
		"Refusal":             &printtalk.Refusal{Reason: "Other", ReasonDetails: []string{"CapabilityDisabled"}},
		"OrderStatusRequest":  &printtalk.OrderStatusRequest{Subscribed: true, Requests: []printtalk.StatusRequest{{JobIDRef: "J1", MilestoneAmount: "Brief", ResourceAudit: "Component"}, {}}},
		"OrderStatusResponse": &printtalk.OrderStatusResponse{JobIDRef: "J1", AuditPool: audits},
		"Invoice":             &printtalk.Invoice{DueDate: at, MasterContract: contract, Pricing: paid},
	}
}

// additionalLines gives the lines IDs that are free in a second pricing.
func additionalLines(p printtalk.Pricing) []printtalk.Price {
	p.Prices[0].LineID, p.Prices[1].LineID, p.Prices[2].LineID = "M1", "M2", "M3"
	p.Prices[2].LineIDRefs = []string{"M1", "M2"}
	return p.Prices
}

func document(o printtalk.Object) *printtalk.Document {
	return &printtalk.Document{
		Version: "2.2", PayloadID: "PL.1", ICSVersions: []string{"Base_L1-2.2"}, Timestamp: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Header: printtalk.Header{
			From:   printtalk.Sender{Credentials: []printtalk.Credential{{Domain: "CustomerID", Identity: "org <1> & Söhne"}}, UserAgent: "test"},
			Sender: &printtalk.Sender{Credentials: []printtalk.Credential{{Domain: "URL", Identity: "https://hub.example"}}},
			To:     printtalk.Recipient{Credentials: []printtalk.Credential{{Domain: "SupplierID", Identity: "printer"}, {Domain: "DUNS", Identity: "1"}}},
		},
		Request: printtalk.Request{BusinessID: "B2", BusinessRefID: "B1", DescriptiveName: "Flyers", ResponseProtocol: "Asynchronous", Object: o},
	}
}

func written(tb testing.TB, d *printtalk.Document) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		tb.Fatalf("Write: %v", err)
	}
	return out.Bytes()
}

var sameTrees = cmp.Comparer(func(a, b *xjdf.Node) bool { return a == b || a != nil && b != nil && xjdf.Equal(a, b) }) // constant

func TestEachObjectSurvivesWritingAndParsing(t *testing.T) {
	t.Parallel()
	for name, object := range objects() {
		want := document(object)
		body := written(t, want)
		got, err := printtalk.Parse(body, xjdf.Limits{})
		if err != nil {
			t.Errorf("%s: Parse: %v\n%s", name, err, body)
			continue
		}
		if diff := cmp.Diff(want, got, sameTrees); diff != "" {
			t.Errorf("%s (-written +parsed):\n%s", name, diff)
		}
		if again := written(t, got); !bytes.Equal(body, again) {
			t.Errorf("%s: written twice:\n%s\n%s", name, body, again)
		}
		if !bytes.Contains(body, []byte("<"+name)) {
			t.Errorf("%s is not in\n%s", name, body)
		}
	}
}

func TestParseReturnsTypedErrorsWithThePlace(t *testing.T) {
	t.Parallel()
	good := string(written(t, document(objects()["Invoice"])))
	for name, test := range map[string]struct {
		body  string
		want  error
		xpath string
	}{
		"another root":        {`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0"/>`, printtalk.ErrRoot, "XJDF"},
		"an old namespace":    {strings.Replace(good, "schema_20", "schema_2_0", 1), printtalk.ErrRoot, "PrintTalk"},
		"a missing attribute": {strings.Replace(good, ` Currency="EUR"`, "", 1), printtalk.ErrMissing, "PrintTalk/Request/Invoice/Pricing/@Currency"},
		"a missing element":   {strings.NewReplacer("<Invoice", "<!--", "</Invoice>", "-->").Replace(strings.ReplaceAll(good, "\n", "")), printtalk.ErrMissing, "PrintTalk/Request"},
		"an infinite price":   {strings.Replace(good, `Price="18.00"`, `Price="INF"`, 1), printtalk.ErrValue, "PrintTalk/Request/Invoice/Pricing/Price[2]/@Price"},
		"a huge exponent":     {strings.Replace(good, `Price="18.00"`, `Price="1e999999999"`, 1), printtalk.ErrValue, "PrintTalk/Request/Invoice/Pricing/Price[2]/@Price"},
		"a time without zone": {strings.Replace(good, `.250Z"`, `"`, 1), printtalk.ErrValue, "PrintTalk/Request/Invoice/@DueDate"},
		"two objects":         {strings.Replace(good, "</Request>", "<Confirmation/></Request>", 1), printtalk.ErrRepeated, "PrintTalk/Request/Confirmation"},
		"an empty document":   {`<PrintTalk xmlns="http://www.printtalk.org/schema_20"/>`, printtalk.ErrMissing, "PrintTalk/@timestamp"},
		"a stock request":     {strings.NewReplacer("Invoice", "StockLevelRequest").Replace(good), printtalk.ErrObject, "PrintTalk/Request/StockLevelRequest"},
	} {
		_, err := printtalk.Parse([]byte(test.body), xjdf.Limits{})
		var fault *printtalk.Error
		if !errors.As(err, &fault) || !errors.Is(err, test.want) || fault.Place.XPath != test.xpath || fault.Place.Line == 0 || fault.Place.Column == 0 {
			t.Errorf("%s: %v, want %v at %s", name, err, test.want, test.xpath)
		}
	}
}

func TestLimitsBoundADocument(t *testing.T) {
	t.Parallel()
	body := written(t, document(objects()["RFQ"]))
	for _, limits := range []xjdf.Limits{{Bytes: 100}, {Depth: 3}, {Nodes: 10}} {
		var fault *xjdf.Error
		if _, err := printtalk.Parse(body, limits); !errors.As(err, &fault) {
			t.Errorf("limits %+v: %v", limits, err)
		}
	}
}

func TestIncompleteDocumentIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*printtalk.Document){
		"no object":            func(d *printtalk.Document) { d.Request.Object = nil },
		"a nil object":         func(d *printtalk.Document) { d.Request.Object = (*printtalk.RFQ)(nil) },
		"no time":              func(d *printtalk.Document) { d.Timestamp = time.Time{} },
		"no credentials":       func(d *printtalk.Document) { d.Header.To.Credentials = nil },
		"an invalid ID":        func(d *printtalk.Document) { d.Request.BusinessID = "a b" },
		"no job":               func(d *printtalk.Document) { d.Request.Object = &printtalk.RFQ{Expires: time.Now()} },
		"an unknown reason":    func(d *printtalk.Document) { d.Request.Object = &printtalk.Refusal{Reason: "Mood"} },
		"a lowercase currency": func(d *printtalk.Document) { d.Request.Object.(*printtalk.RFQ).Currency = "eur" },
	} {
		d := document(objects()["RFQ"])
		spoil(d)
		var out bytes.Buffer
		var fault *printtalk.Error
		if err := d.Write(&out); !errors.As(err, &fault) || out.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes", name, err, out.Len())
		}
	}
}

// FuzzParse holds that no body makes reading or validating panic, that a document that was
// read can be written and is the same afterwards, and that Validate accepts no document
// that Parse rejects, unless it says that it did not check it.
func FuzzParse(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(objects())) {
		f.Add(written(f, document(objects()[name])))
	}
	for _, c := range cases() {
		f.Add([]byte(around(c.faulty)))
	}
	f.Add(written(f, quotation(f, offers())))
	f.Fuzz(func(t *testing.T, body []byte) {
		source, err := xjdf.ParseXML(body, xjdf.Limits{Bytes: 1 << 16})
		if err != nil {
			return
		}
		found := validateAll(source)
		d, err := printtalk.Decode(source)
		if err != nil {
			if found.Report.Valid && !errors.Is(err, printtalk.ErrObject) {
				t.Errorf("Validate accepts what Parse rejects: %v", err)
			}
			return
		}
		_, _ = printtalk.ReadInquiry(d)
		if id, offers, err := printtalk.ReadOffers(d); err == nil {
			if _, err := printtalk.NewQuotation(printtalk.Inquiry{ID: id}, offers); err != nil {
				t.Errorf("offers that were read give no quotation: %v", err)
			}
		}
		var out bytes.Buffer
		if err := d.Write(&out); err != nil {
			if found.Report.Valid {
				t.Fatalf("Write of a valid document: %v", err)
			}
			return
		}
		again, err := printtalk.Parse(out.Bytes(), xjdf.Limits{Bytes: 1 << 20})
		if err != nil {
			if found.Report.Valid {
				t.Fatalf("Parse of a written document: %v\n%s", err, out.Bytes())
			}
			return
		}
		var twice bytes.Buffer
		if err := again.Write(&twice); err != nil || !bytes.Equal(out.Bytes(), twice.Bytes()) {
			t.Errorf("written twice: %v\n%s\n%s", err, out.Bytes(), twice.Bytes())
		}
	})
}
