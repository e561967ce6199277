// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/view"
)

// product writes a document of one product.
func product(attributes, intents string) string {
	return `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J" Types="Product"><ProductList><Product ` + attributes + ">" + intents + "</Product></ProductList></XJDF>"
}

const (
	layout = `<Intent Name="LayoutIntent"><LayoutIntent `
	end    = `/></Intent>`
	front  = `<Intent Name="ColorIntent"><ColorIntent><SurfaceColor Surface="Front" ColorsUsed="Cyan Magenta Yellow Black"/>`
)

// book writes a soft cover around 150 pages of a medium.
func book(medium string) string {
	return `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J" Types="Product"><ProductList>` +
		`<Product ID="B"><Intent Name="BindingIntent"><BindingIntent BindingType="SoftCover" ChildRefs="C I"/></Intent></Product>` +
		`<Product ID="C" ProductType="Cover">` + layout + `FinishedDimensions="419.528 595.276 0"` + end + `</Product>` +
		`<Product ID="I" ProductType="Body">` + layout + `Pages="150"` + end + `<Intent Name="MediaIntent"><MediaIntent MediaType="Paper" ` + medium + end + `</Product></ProductList></XJDF>`
}

func TestTicketOfAProduct(t *testing.T) {
	t.Parallel()
	booklet, err := os.ReadFile("../testdata/booklet.xml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	four := &jobticket.Colors{Process: 4}
	tests := map[string]struct {
		text, id string
		want     *jobticket.Ticket
		err      error
	}{
		"a cover inherits the binding of the whole": {
			text: string(booklet), id: "P-COVER",
			want: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 210, Height: 297}, Pages: 4, Quantity: 1, Product: jobticket.Product{Bleed: new(3.0), Binding: jobticket.SaddleStitch, Part: jobticket.Cover, Stock: &jobticket.Stock{Surface: jobticket.Coated, Weight: 250}}},
		},
		"a body has inks on both sides": {
			text: string(booklet), id: "P-BODY",
			want: &jobticket.Ticket{
				TrimSize: &jobticket.Size{Width: 210, Height: 297}, Pages: 32, Quantity: 1,
				Colors: &jobticket.Colors{Process: 4, Spots: []string{"Spot_1"}}, Product: jobticket.Product{Binding: jobticket.SaddleStitch, Part: jobticket.Body, BackColors: &jobticket.Colors{Process: 1}, Stock: &jobticket.Stock{Surface: jobticket.Uncoated, Weight: 115.5}},
			},
		},
		"the product must be selected where several have a layout": {text: string(booklet), err: view.ErrProduct},
		"an unknown product": {text: string(booklet), id: "P-NONE", err: view.ErrProduct},
		"a sheet that is printed on one side": {
			text: product(`ID="P" Amount="500"`, layout+`FinishedDimensions="240.945 155.906 0" Sides="OneSided"`+end+front+`</ColorIntent></Intent>`),
			want: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 85, Height: 55}, Quantity: 500, Colors: four, Product: jobticket.Product{BackColors: &jobticket.Colors{}}},
		},
		"a sheet that is printed on both sides": {
			text: product(`ID="P"`, layout+`Sides="TwoSidedHeadToHead" Pages="2"`+end+front+`<SurfaceColor Surface="Back" ColorsUsed="Black Gold"/></ColorIntent></Intent>`),
			want: &jobticket.Ticket{Pages: 2, Colors: four, Product: jobticket.Product{BackColors: &jobticket.Colors{Process: 1, Spots: []string{"Gold"}}}},
		},
		"inks of both sides, and no bleed": {
			text: product(`ID="P"`, layout+`Pages="2" Bleed="0"`+end+`<Intent Name="ColorIntent"><ColorIntent><SurfaceColor Surface="Both" ColorsUsed="Black Gold"/></ColorIntent></Intent>`),
			want: &jobticket.Ticket{
				Pages: 2, Colors: &jobticket.Colors{Process: 1, Spots: []string{"Gold"}},
				Product: jobticket.Product{Bleed: new(0.0), BackColors: &jobticket.Colors{Process: 1, Spots: []string{"Gold"}}},
			},
		},
		"a bleed below 0": {text: product(`ID="P"`, layout+`Pages="2" Bleed="-9"`+end), err: jobticket.ErrInvalid},
		"the thickness of a cover is its spine": {
			text: product(`ID="P" ProductType="Cover"`, layout+`FinishedDimensions="419.528 595.276 22.677"`+end),
			want: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 148, Height: 210}, Product: jobticket.Product{Part: jobticket.Cover, Spine: 8}},
		},
		"a binding that preflight does not distinguish": {
			text: product(`ID="P"`, layout+`Pages="8"`+end+`<Intent Name="BindingIntent"><BindingIntent BindingType="Ring"/></Intent>`),
			want: &jobticket.Ticket{Pages: 8},
		},
		"stock and varnish of a sheet": {
			text: product(`ID="P"`, layout+`Pages="2"`+end+`<Intent Name="MediaIntent"><MediaIntent MediaType="Paper" Coating="Matte" Weight="135"/></Intent>`+
				`<Intent Name="ColorIntent"><ColorIntent><SurfaceColor Surface="Front" ColorsUsed="Black" Coatings="Aqueous Toner"/></ColorIntent></Intent>`),
			want: &jobticket.Ticket{Pages: 2, Colors: &jobticket.Colors{Process: 1}, Product: jobticket.Product{Varnish: jobticket.FullVarnish, Stock: &jobticket.Stock{Surface: jobticket.Coated, Weight: 135}}},
		},
		"a substrate that is not coated": {
			text: product(`ID="P"`, layout+`Pages="2"`+end+`<Intent Name="MediaIntent"><MediaIntent MediaType="Paper" ISOPaperSubstrate="PS5"/></Intent>`),
			want: &jobticket.Ticket{Pages: 2, Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Uncoated}}},
		},
		"the spine of a soft cover follows from its leaves": {
			text: book(`Thickness="100"`), id: "C",
			want: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 148, Height: 210}, Product: jobticket.Product{Part: jobticket.Cover, Binding: jobticket.SoftCover, Spine: 7.5}},
		},
		"the spine of a stock without thickness is unknown": {
			text: book(`Weight="90"`), id: "C",
			want: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 148, Height: 210}, Product: jobticket.Product{Part: jobticket.Cover, Binding: jobticket.SoftCover}},
		},
		"a weight that is no number": {text: product(`ID="P"`, layout+end+`<Intent Name="MediaIntent"><MediaIntent Weight="heavy"/></Intent>`), err: view.ErrValue},
		"no product has a layout":    {text: product(`ID="P"`, ""), err: view.ErrProduct},
		"a size that is no number":   {text: product(`ID="P"`, layout+`FinishedDimensions="wide 595 0"`+end), err: view.ErrValue},
		"a width alone":              {text: product(`ID="P"`, layout+`FinishedDimensions="419"`+end), err: view.ErrValue},
		"pages that are no number":   {text: product(`ID="P"`, layout+`Pages="-1"`+end), err: view.ErrValue},
		"a size beyond any press":    {text: product(`ID="P"`, layout+`FinishedDimensions="999999 999999 0"`+end), err: jobticket.ErrInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := xjdf.Parse([]byte(tc.text), xjdf.DefaultLimits)
			if err != nil {
				t.Fatalf("xjdf.Parse: %v", err)
			}
			got, err := view.Ticket(document.Root, tc.id)
			if !errors.Is(err, tc.err) {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			if tc.err != nil {
				if strings.Contains(err.Error(), "%!") {
					t.Errorf("error %v", err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ticket (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzTicket(f *testing.F) {
	f.Add(product(`ID="P" ProductType="Cover" Amount="3"`, layout+`FinishedDimensions="240.945 155.906 9" Bleed="8.5" Pages="4" Sides="OneSided"`+end+front+`</ColorIntent></Intent>`), "P")
	f.Fuzz(func(t *testing.T, text, id string) {
		document, err := xjdf.Parse([]byte(text), xjdf.DefaultLimits)
		if err != nil {
			return
		}
		if ticket, err := view.Ticket(document.Root, id); err == nil && ticket.Check() != nil {
			t.Errorf("ticket %+v is out of bounds", ticket)
		}
	})
}
