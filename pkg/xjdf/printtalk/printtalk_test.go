// SPDX-License-Identifier: Apache-2.0

package printtalk_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk/business"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

var update = flag.Bool("update", false, "write the golden files")

func flyers() printtalk.RFQ {
	created := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return printtalk.RFQ{
		ID: "rfq_01KB0QXR80ABCDEFGHJKMNPQRS", Organization: "org_acme01", TrackingCode: "PM-7KQ2-9XTB", Title: "Spring flyers & <cards>",
		ProductUID: "print:flyers:a5", Category: "commercial-print", ProductName: "Flyer A5, single sheet", ProductType: "Leaflet",
		Quantity: 5000, DeliveryCity: "Utrecht", CreatedAt: created, ResponseDeadline: created.Add(72 * time.Hour),
	}
}

func offers() []printtalk.Quote {
	at := flyers().CreatedAt.Add(time.Hour)
	return []printtalk.Quote{
		{
			ID: "quo_01KB0TZTM0ABCDEFGHJKMNPQRS", Supplier: "Druckerei Müller", Currency: "EUR", Total: "412.50", UnitPrice: "0.0825", Quantity: 5000,
			Breaks:       []printtalk.Break{{Quantity: 10000, Total: "700.00"}},
			LeadTimeDays: 4, DeliveryCity: "Utrecht", Terms: "DAP", ValidUntil: at.Add(240 * time.Hour), Submitted: at,
			Assumptions: []string{"Print-ready PDF/X-4"},
		},
		{
			ID: "quo_01KB0TZTM1ABCDEFGHJKMNPQRS", Supplier: "Presse & Fils", Currency: "CHF", Total: "390.00", UnitPrice: "0.078", Quantity: 5000,
			LeadTimeDays: 7, DeliveryCity: "Utrecht", ValidUntil: at.Add(120 * time.Hour), Submitted: at.Add(time.Minute),
		},
	}
}

func write(t *testing.T, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteXML(&out, root); err != nil {
		t.Fatalf("xjdf.WriteXML: %v", err)
	}
	return out.Bytes()
}

func documents() map[string]*xjdf.Node {
	plain := flyers()
	plain.ProductType, plain.ProductUID = "", "flyer a5/2"
	return map[string]*xjdf.Node{
		"rfq": printtalk.RequestForQuotation(flyers()), "rfq-of-no-type": printtalk.RequestForQuotation(plain),
		"quotation": printtalk.Quotation(flyers(), offers()), "quotation-of-one": printtalk.Quotation(flyers(), offers()[:1]),
	}
}

func TestDocumentsMatchTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, root := range documents() {
		got := write(t, root)
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
	for name, root := range documents() {
		command := exec.CommandContext(t.Context(), "xmllint", "--nonet", "--noout", "--schema", schema, "-")
		command.Stdin = bytes.NewReader(write(t, root))
		if said, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}

func TestXJDFWithinIsValid(t *testing.T) {
	t.Parallel()
	root := printtalk.RequestForQuotation(flyers())
	var job *xjdf.Node
	for n := range root.Descendants() {
		if n.Name.Core() && n.Name.Local == "XJDF" {
			job = n
		}
	}
	job.Parent = nil
	doc, err := xjdf.Parse(write(t, job), xjdf.Limits{})
	if err != nil {
		t.Fatalf("xjdf.Parse: %v", err)
	}
	report := validate.New().Validate(doc, validate.Options{Profile: validate.Strict, Support: validate.Marketplace([]string{"Leaflet"})})
	if !report.Valid || report.Summary.Warnings > 0 {
		t.Errorf("findings %+v", report.Findings)
	}
}

func TestDocumentsAreValidBusinessObjects(t *testing.T) {
	t.Parallel()
	for name, root := range documents() {
		doc, err := xjdf.Parse(write(t, root), xjdf.Limits{})
		if err != nil {
			t.Fatalf("xjdf.Parse: %v", err)
		}
		if result := business.Validate(doc, validate.Options{}); !result.Valid() || len(result.Report.Findings) > 0 {
			t.Errorf("%s: %+v", name, result)
		}
		if _, err := business.Decode(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuotationWithoutOffersIsNil(t *testing.T) {
	t.Parallel()
	if root := printtalk.Quotation(flyers(), nil); root != nil {
		t.Errorf("a quotation of nothing: %s", write(t, root))
	}
}

func ExampleQuotation() {
	root := printtalk.Quotation(flyers(), offers())
	for n := range root.Descendants() {
		if n.Name.Local == "Quotation" {
			expires, _ := n.Attr("Expires")
			fmt.Println(expires)
		}
	}
	// Output: 2026-11-25T13:00:00.000Z
}
