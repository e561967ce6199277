// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// hostile is a kind of document that is made to cost, of a number of things.
type hostile struct {
	name  string
	count int
	body  func(count int) string
}

func hostileDocuments() []hostile {
	return []hostile{
		{"references to one product", 50_000, func(n int) string { return booklet().around(`"ChildRefs": [` + repeat(n, `"Cover"`) + `]`) }},
		{"references to nothing", 50_000, func(n int) string { return booklet().around(`"ChildRefs": [` + repeat(n, `"X%d"`) + `]`) }},
		{"products in a chain", 5_000, func(n int) string {
			return list().around(repeat(n, `{"ID": "P%[1]d", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "None", "ChildRefs": ["P%[2]d", "P%[2]d"]}}]}`))
		}},
		{"products that are roots", 16_000, func(n int) string { return list().around(repeat(n, `{"IsRoot": true, "ProductType": "X"}`)) }},
		{"products without references", 16_000, func(n int) string {
			return list().around(`{"IsRoot": true}, ` + repeat(n, `{"IsRoot": false, "MaxAmount": 1}`))
		}},
		{"resources with parts", 9_000, func(n int) string {
			return resources("Media").around(repeat(n, `{"Part": [{"SheetName": "S%d", "Side": "Front"}], "Media": {}}`))
		}},
		{"amounts of parts", 9_000, func(n int) string {
			return resources("Media").around(`{"Part": [` + repeat(n, `{"Run": "R%d"}`) + `], "AmountPool": {"PartAmount": [` + repeat(n, `{"Part": [{"Run": "X%d"}]}`) + `]}}`)
		}},
		{"sets for one process each", 12_000, func(n int) string {
			return process("Folding").around(repeat(n, `{"Name": "NodeInfo", "Usage": "Input", "CombinedProcessIndex": [%d]}`))
		}},
		{"sets and processes", 12_000, func(n int) string {
			return `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": [` + repeat(n, `"Cutting"`) + `], "ResourceSet": [` + repeat(n, `{"Name": "CuttingParams", "Usage": "Input"}`) + `]}`
		}},
		{"unknown attributes", 30_000, func(n int) string { return product().around(repeat(n, `"Colour%d": "red"`)) }},
		{"unknown elements", 40_000, func(n int) string { return product().around(`"Colour": [` + repeat(n, `{}`) + `]`) }},
		{"unknown values", 12_000, func(n int) string {
			return intent("ColorIntent").around(`{"SurfaceColor": [` + repeat(n, `{"Surface": "Frnt", "ColorsUsed": ["X"], "Coatings": ["Varnsh"]}`) + `]}`)
		}},
		{"intents of one product", 10_000, func(n int) string { return wants("Leaflet").around(repeat(n, `{"Name": "X%d", "MediaIntent": {}}`)) }},
		{"faults at the end of a long line", 400, func(n int) string {
			return product().around(`"DescriptiveName": "` + strings.Repeat("\u00e4", 2_450*min(n, 400)/2) + `", ` + repeat(n, `"X%d": 1`))
		}},
		{"IDs", 20_000, func(n int) string { return resources("Media").around(repeat(n, `{"ID": "A"}`)) }},
		{"long references", 1_000, func(n int) string {
			return booklet().around(`"ChildRefs": [` + repeat(n, `"`+strings.Repeat("a", 1000)+`%d"`) + `]`)
		}},
	}
}

// repeat writes a text a number of times, with its number and the next one, and
// commas between.
func repeat(count int, text string) string {
	var out strings.Builder
	for i := range count {
		if i > 0 {
			out.WriteString(", ")
		}
		switch {
		case strings.Contains(text, "%["):
			fmt.Fprintf(&out, text, i, i+1)
		case strings.Contains(text, "%"):
			fmt.Fprintf(&out, text, i)
		default:
			out.WriteString(text)
		}
	}
	return out.String()
}

func TestReportsOfHostileDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	v := validate.New()
	for _, h := range hostileDocuments() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			doc, err := xjdf.Parse([]byte(h.body(h.count)), xjdf.DefaultLimits)
			if err != nil {
				t.Fatalf("xjdf.Parse: %v", err)
			}
			checkReport(t, v.Validate(doc, validate.Options{Support: validate.Marketplace([]string{"Leaflet"})}))
		})
	}
}

// checkReport holds a report to what every report is.
func checkReport(tb testing.TB, r validate.Report) {
	tb.Helper()
	if len(r.Findings) > validate.MaxFindings || len(r.Unsupported) > validate.MaxFindings {
		tb.Errorf("%d findings, %d unsupported", len(r.Findings), len(r.Unsupported))
	}
	if total := r.Summary.Errors + r.Summary.Warnings + r.Summary.Infos; total != len(r.Findings)+r.Summary.Omitted {
		tb.Errorf("%d are counted, %d listed, %d omitted", total, len(r.Findings), r.Summary.Omitted)
	}
	if r.Valid != (r.Summary.Errors == 0) || r.Valid && !r.SchemaValid {
		tb.Errorf("valid %v, schemaValid %v, %d errors", r.Valid, r.SchemaValid, r.Summary.Errors)
	}
	errors := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity == validate.Error {
			errors++
		}
		if len(f.Message) > 800 || len(f.Suggestion) > 800 {
			tb.Errorf("%s is a novel of %d bytes", f.Code, len(f.Message))
		}
	}
	if want := min(r.Summary.Errors, validate.MaxFindings); errors != want {
		tb.Errorf("%d errors are listed, want %d", errors, want)
	}
}
