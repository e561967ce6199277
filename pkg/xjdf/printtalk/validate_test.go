// SPDX-License-Identifier: Apache-2.0

package printtalk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

const (
	space = `<PrintTalk xmlns="http://www.printtalk.org/schema_20" timestamp="2026-11-20T12:00:00Z" Version="2.2">`
	head  = `<Header><From><Credential domain="CustomerID"><Identity>buyer</Identity></Credential></From>` +
		`<To><Credential domain="SupplierID"><Identity>printer</Identity></Credential></To></Header>`
	ticket = `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J1" Types="Product">` +
		`<ProductList><Product ID="P1" IsRoot="true" Amount="500" ProductType="Leaflet" ExternalID="E1"/></ProductList></XJDF>`
	price = `<Price DescriptiveName="Flyers" LineID="L1" Price="10.00" PriceType="Product" TaxType="Net"/>`
)

// around completes a request, or a document that begins with its header.
func around(fragment string) string {
	switch {
	case strings.HasPrefix(fragment, "<Request"):
		return space + head + fragment + "</PrintTalk>"
	case strings.HasPrefix(fragment, "<Header"):
		return space + fragment + "</PrintTalk>"
	default:
		return fragment
	}
}

func request(object string) string {
	return `<Request BusinessID="B2" BusinessRefID="B1">` + object + `</Request>`
}

func rfq(attributes, content string) string {
	return request(`<RFQ Expires="2026-12-01T00:00:00Z"` + attributes + `>` + content + `</RFQ>`)
}

func invoice(prices string) string {
	return request(`<Invoice DueDate="2026-12-01T00:00:00Z"><Pricing Currency="EUR">` + prices + `</Pricing></Invoice>`)
}

// order has one price with these attributes beside a job.
func order(attributes string) string {
	return request(`<PurchaseOrder Expires="2026-12-01T00:00:00Z"><Pricing Currency="EUR"><Price DescriptiveName="Flyers" Price="10" PriceType="Product" TaxType="Net" ` +
		attributes + `/></Pricing>` + ticket + `</PurchaseOrder>`)
}

func total(refs, amount string) string {
	return price + `<Price DescriptiveName="All" LineIDRefs="` + refs + `" Price="` + amount + `" PriceType="Total" TaxType="Net"/>`
}

type ruleCase struct{ rule, faulty, valid string }

// cases holds a document with one fault for each rule, and one without it.
func cases() []ruleCase {
	refusal := request(`<Refusal Reason="Busy"/>`)
	quote := func(id string) string {
		return `<Quote QuoteID="` + id + `"><Pricing Currency="EUR"><Price DescriptiveName="Flyers" Price="1" PriceType="Product" TaxType="Net"/></Pricing></Quote>`
	}
	quotation := func(quotes string) string {
		return request(`<Quotation Estimate="true" Expires="2026-12-01T00:00:00Z">` + quotes + `</Quotation>`)
	}
	return []ruleCase{
		{"PTK_ROOT", `<PrintTalk xmlns="http://www.printtalk.org/schema_2_0"/>`, refusal},
		{"PTK_ROOT", `<Order xmlns="http://www.printtalk.org/schema_20"/>`, refusal},
		{"PTK_ELEMENT_UNKNOWN", request(`<Refusals Reason="Busy"/>`), refusal},
		{"PTK_ELEMENT_UNKNOWN", rfq("", "<Budget/>"+ticket), rfq("", ticket)},
		{"PTK_ELEMENT_UNKNOWN", rfq("", strings.Replace(ticket, ` xmlns="http://www.CIP4.org/JDFSchema_2_0"`, "", 1)+ticket), rfq("", ticket)},
		{"PTK_ELEMENT_MISSING", rfq("", ""), rfq("", ticket)},
		{"PTK_ELEMENT_MISSING", `<Request BusinessID="B1"/>`, refusal},
		{"PTK_ELEMENT_REPEATED", request(`<Refusal Reason="Busy"/><Refusal Reason="Busy"/>`), refusal},
		{"PTK_ELEMENT_ORDER", rfq("", ticket+`<MasterContract ContractID="C"/>`), rfq("", `<MasterContract ContractID="C"/>`+ticket)},
		{"PTK_ATTRIBUTE_UNKNOWN", rfq(` expires="2026-12-01T00:00:00Z"`, ticket), rfq(` x:expires="1" xmlns:x="urn:x"`, ticket)},
		{"PTK_ATTRIBUTE_MISSING", request(`<Refusal/>`), refusal},
		{"PTK_VALUE", request(`<Refusal Reason="Mood"/>`), refusal},
		{"PTK_VALUE", rfq(` Currency="Euro"`, ticket), rfq(` Currency="EUR"`, ticket)},
		{"PTK_VALUE", invoice(strings.Replace(price, "10.00", "10,00", 1)), invoice(price)},
		{"PTK_VALUE", invoice(strings.Replace(price, "10.00", "NaN", 1)), invoice(strings.Replace(price, "10.00", "1e1", 1))},
		{"PTK_VALUE", strings.Replace(rfq("", ticket), "00:00Z", "00:00", 1), strings.Replace(rfq("", ticket), "00:00Z", "00:00+01:00", 1)},
		{"PTK_VALUE", strings.Replace(head, ">buyer<", ">"+strings.Repeat("b", 5000)+"<", 1) + refusal, head + refusal},
		{"PTK_IDENTITY_EMPTY", strings.Replace(head, ">buyer<", "> <", 1) + refusal, head + refusal},
		{"PTK_TEXT", request(`<Refusal Reason="Busy">sorry</Refusal>`), refusal},
		{"PTK_EXTENSION", request(`<Confirmation><x:Note xmlns:x="urn:x"/></Confirmation>`), request(`<Confirmation/>`)},
		{"PTK_OBJECT_UNCHECKED", request(`<StockLevelRequest/>`), refusal},
		{"PTK_JOBS_TOO_MANY", rfq("", strings.Repeat(`<j:XJDF/>`, printtalk.MaxJobs+1)), rfq("", strings.Repeat(`<j:XJDF/>`, printtalk.MaxJobs))},
		{"PTK_REFERENCE_MISSING", `<Request BusinessID="B1"><Confirmation/></Request>`, request(`<Confirmation/>`)},
		{"PTK_REFERENCE_MISSING", `<Request BusinessID="B1"><Cancellation/></Request>`, `<Request BusinessID="B1"><Cancellation JobIDRef="J1"/></Request>`},
		{"PTK_REFERENCE_SELF", `<Request BusinessID="B1" BusinessRefID="B1"><Confirmation/></Request>`, request(`<Confirmation/>`)},
		{"PTK_EXPIRED", strings.Replace(rfq("", ticket), "2026-12-01T00:00:00Z", "2026-11-20T12:00:00+00:30", 1), rfq("", ticket)},
		{"PTK_QUOTE_DUPLICATE", quotation(quote("Q1") + quote("Q1")), quotation(quote("Q1") + quote("Q2"))},
		{"PTK_AMOUNT_PRICES", rfq(` AmountPrices="500 0"`, ticket), rfq(` AmountPrices="500 1000"`, ticket)},
		{"PTK_JOB_DUPLICATE", rfq("", ticket+ticket), rfq("", ticket+strings.Replace(ticket, "J1", "J2", 1))},
		{"PTK_LINE_DUPLICATE", invoice(price + price), invoice(price + strings.Replace(price, "L1", "L2", 1))},
		{"PTK_LINE_UNKNOWN", invoice(total("L9", "10")), invoice(total("L1", "10"))},
		{"PTK_SUM", invoice(total("L1", "10.01")), invoice(total("L1", "10"))},
		{"PTK_SUM", invoice(total("L1", "12")), invoice(strings.Replace(total("L1", "12"), `Total" TaxType="Net`, `Total" TaxType="Gross`, 1))},
		{"PTK_PRICE_NEGATIVE", invoice(strings.Replace(price, "10", "-10", 1)), invoice(strings.Replace(strings.Replace(price, "10", "-10", 1), "Product", "Discount", 1))},
		{"PTK_AMOUNT_NEGATIVE", order(`Amount="-5"`), order(`Amount="5"`)},
		{"PTK_UNIT_PRICE", order(`Amount="500" UnitPrice="0.03"`), order(`Amount="500" UnitPrice="0.02"`)},
		{"PTK_ITEM_UNKNOWN", order(`ItemRefs="P2"`), order(`ItemRefs="P1"`)},
		{"PTK_ITEM_UNKNOWN", order(`DropID="D1"`), order(``)},
		{"PTK_AMOUNT_DIFFERS", order(`ItemRefs="P1" Amount="400"`), order(`ItemRefs="P1" Amount="500"`)},
	}
}

func validateAll(doc *xjdf.Document) printtalk.Validation {
	return printtalk.Validate(doc, validate.Options{})
}

func validated(tb testing.TB, fragment string) printtalk.Validation {
	tb.Helper()
	body := strings.Replace(around(fragment), "<PrintTalk ", `<PrintTalk xmlns:j="http://www.CIP4.org/JDFSchema_2_0" `, 1)
	doc, err := xjdf.Parse([]byte(body), xjdf.Limits{})
	if err != nil {
		tb.Fatalf("xjdf.Parse: %v\n%s", err, body)
	}
	return validateAll(doc)
}

func codes(r validate.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Code)
	}
	return all
}

func TestEachRuleFindsItsFaultAndNothingElse(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for i, c := range cases() {
		covered[c.rule] = true
		r := validated(t, c.faulty).Report
		if got := codes(r); !slices.Contains(got, c.rule) || slices.ContainsFunc(got, func(code string) bool { return code != c.rule && code != "PTK_ELEMENT_MISSING" }) {
			t.Errorf("case %d of %s: findings %q\n%.300s", i, c.rule, got, c.faulty)
		}
		for _, f := range r.Findings {
			if f.Line == 0 || f.Column == 0 || f.Path == "" || f.Message == "" || f.Suggestion == "" || f.Reference == "" {
				t.Errorf("case %d of %s: incomplete finding %+v", i, c.rule, f)
			}
		}
		if r := validated(t, c.valid).Report; len(r.Findings) > 0 || !r.Valid || !r.SchemaValid {
			t.Errorf("case %d of %s: findings %+v in\n%.300s", i, c.rule, r.Findings, c.valid)
		}
	}
	for _, r := range printtalk.Rules() {
		if !covered[r.Code] {
			t.Errorf("%s has no case", r.Code)
		}
		if r.In(validate.Strict) != "" || r.In(printtalk.Profile) == "" {
			t.Errorf("%s: severities %+v", r.Code, r.Profiles)
		}
	}
}

func TestPartiesOfAHeaderHaveAnyOrder(t *testing.T) {
	t.Parallel()
	party := func(name string) string {
		return "<" + name + `><Credential domain="DUNS"><Identity>1</Identity></Credential></` + name + ">"
	}
	for _, order := range [][]string{{"From", "Sender", "To"}, {"From", "To", "Sender"}} {
		header := "<Header>"
		for _, name := range order {
			header += party(name)
		}
		if got := codes(validated(t, header+"</Header>"+request(`<Refusal Reason="Busy"/>`)).Report); len(got) > 0 {
			t.Errorf("%v: %v, want no findings", order, got)
		}
	}
}

func TestEmbeddedDocumentsAreValidatedAtTheirPlace(t *testing.T) {
	t.Parallel()
	got := validated(t, rfq("", ticket+strings.NewReplacer("500", "0", "J1", "J2").Replace(ticket)))
	if !got.Report.Valid || got.Valid() || len(got.Jobs) != 2 || !got.Jobs[0].Report.Valid || got.Jobs[0].Report.Profile != validate.ProductIntent {
		t.Fatalf("%+v", got)
	}
	if f := got.Jobs[1].Report.Findings[0]; f.Code != "AMOUNT_NONPOSITIVE" || got.Jobs[1].Path != "PrintTalk/Request/RFQ/XJDF[2]" || !strings.HasPrefix(f.Path, got.Jobs[1].Path) || f.Column < 700 {
		t.Errorf("job %s: %+v", got.Jobs[1].Path, f)
	}
}

func TestWrittenDocumentsAreValid(t *testing.T) {
	t.Parallel()
	for name, object := range objects() {
		doc, err := xjdf.Parse(written(t, document(object)), xjdf.Limits{})
		if err != nil {
			t.Fatalf("xjdf.Parse: %v", err)
		}
		if got := validateAll(doc); !got.Valid() || len(got.Report.Findings) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestReportOfManyFaultsIsBounded(t *testing.T) {
	t.Parallel()
	r := validated(t, rfq("", strings.Repeat("<Budget/>", 10_000)+ticket)).Report
	if len(r.Findings) != validate.MaxFindings || r.Summary.Errors != 10_000 || r.Summary.Omitted != 10_000-validate.MaxFindings {
		t.Errorf("%d findings, summary %+v", len(r.Findings), r.Summary)
	}
}

func TestJSONIsNotPrintTalk(t *testing.T) {
	t.Parallel()
	r := validated(t, `{"PrintTalk": {"Request": {}}}`).Report
	if r.Valid || codes(r)[0] != "PTK_ROOT" {
		t.Errorf("%+v", r)
	}
}

func ExampleValidate() {
	doc, err := xjdf.Parse([]byte(`<PrintTalk xmlns="http://www.printtalk.org/schema_20" timestamp="2026-11-20T12:00:00Z">
  <Header>
    <From><Credential domain="SupplierID"><Identity>printer</Identity></Credential></From>
    <To><Credential domain="CustomerID"><Identity>buyer</Identity></Credential></To>
  </Header>
  <Request BusinessID="I1" BusinessRefID="PO1">
    <Invoice DueDate="2026-12-01T00:00:00Z">
      <Pricing Currency="EUR">
        <Price LineID="L1" DescriptiveName="Flyers" Price="210.00" PriceType="Product" TaxType="Net"/>
        <Price LineIDRefs="L1" DescriptiveName="Total" Price="201.00" PriceType="Total" TaxType="Net"/>
      </Pricing>
    </Invoice>
  </Request>
</PrintTalk>`), xjdf.DefaultLimits)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := printtalk.Validate(doc, validate.Options{})
	fmt.Println("valid:", result.Valid())
	for _, f := range result.Report.Findings {
		fmt.Printf("%s %s, line %d: %s\n", f.Severity, f.Code, f.Line, f.Message)
	}
	// Output:
	// valid: true
	// warning PTK_SUM, line 10: The price is 201; its lines add up to 210.
}

func TestMissingAttributeIsSuggestedByName(t *testing.T) {
	t.Parallel()
	for missing, want := range map[string]string{
		`DescriptiveName="Flyers" `: "Add DescriptiveName. Write a text of at most 4096 bytes.",
		` TaxType="Net"`:            "Add TaxType. Write one of Gross, Net, Tax.",
	} {
		found := validated(t, invoice(strings.Replace(price, missing, "", 1))).Report.Findings
		if len(found) != 1 || found[0].Code != "PTK_ATTRIBUTE_MISSING" || found[0].Suggestion != want {
			t.Errorf("without %s: got %+v, want the suggestion %q", missing, found, want)
		}
	}
}
