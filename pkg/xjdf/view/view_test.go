// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/view"
)

const job = `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], "ProductList": {"Product": [
  {"ID": "P", "IsRoot": true, "Amount": 1200, "ProductType": "Booklet", "Intent": [
    {"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "BindingSide": "Left", "ChildRefs": ["Cover", "None", "Body"]}},
    {"Name": "FoldingIntent", "FoldingIntent": {"FoldCatalog": "F4-1"}}]},
  {"ID": "Body", "ProductType": "Body", "Amount": "many"},
  {"ID": "Cover", "IsRoot": false, "ProductType": "Cover", "Intent": [
    {"Name": "LayoutIntent", "LayoutIntent": {"FinishedDimensions": [419.528, 595.276, 0], "Dimensions": [839.055, 595.276], "Bleed": 8.504, "Pages": 4, "Sides": "OneSided"}},
    {"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Cyan", "Black"], "Coatings": ["UV"]}]}},
    {"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper", "Weight": 250, "Thickness": 280, "Coating": "Matte"}}]}]},
 "ResourceSet": [
  {"Name": "NodeInfo", "Usage": "Input", "Resource": [{"Part": [{"SheetName": "S1"}], "NodeInfo": {"Status": "Waiting", "Start": "2026-01-15T09:00:00Z", "End": "2026-01-15T10:30:00Z", "TotalDuration": "PT1H30M"}}]},
  {"Name": "Media", "Resource": [{"ID": "M1", "Media": {"MediaType": "Paper", "Dimension": [1984.252, 2834.646], "Weight": 115, "Thickness": 90}}]},
  {"Name": "Component", "Usage": "Input", "Resource": [{"AmountPool": {"PartAmount": [{"Amount": 2500, "Waste": 120}, {"Amount": 500, "MinAmount": 400, "MaxAmount": 600}]}, "Component": {"MediaRef": "M1"}},
    {"AmountPool": {"PartAmount": [{"Amount": "lots"}]}}, {}]},
  {"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2, "FileSpec": {"URL": "https://files.example.org/a.pdf"}}}]},
  {"Name": "DeliveryParams", "Usage": "Input", "Resource": [{"DeliveryParams": {"DropItem": [{"Amount": 1200, "ItemRef": "P"}, {"Amount": 1, "ItemRef": "Q"}]}}]}]}`

func parsed(tb testing.TB) *xjdf.Node {
	tb.Helper()
	d, err := xjdf.Parse([]byte(job), xjdf.DefaultLimits)
	if err != nil {
		tb.Fatalf("xjdf.Parse: %v", err)
	}
	return d.Root
}

// value returns a value without its error, which the caller does not expect.
func value[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		if err != nil {
			t.Errorf("error %v", err)
		}
		return v
	}
}

func TestProductAndItsIntentsHaveTypedValues(t *testing.T) {
	t.Parallel()
	booklet := view.Products(parsed(t))[0]
	binding, _ := booklet.Binding()
	folding, _ := booklet.Folding()
	parts := booklet.Parts()
	if len(parts) != 2 || parts[0].ID() != "Cover" || parts[1].ID() != "Body" {
		t.Fatalf("parts %v", parts)
	}
	layout, _ := parts[0].Layout()
	media, _ := parts[0].Media()
	color, _ := parts[0].Color()
	front, coatings, _ := color.Surface("Front")
	_, _, back := color.Surface("Back")
	size := value[view.Size](t)(layout.FinishedSize())
	got := map[string]any{
		"type": booklet.Type(), "amount": value[int64](t)(booklet.Amount()), "root": booklet.Root(), "part": parts[0].Root(),
		"binding": binding.Type() + " " + binding.Side(), "fold": folding.Catalog(), "pages": value[int64](t)(layout.Pages()),
		"width": math.Round(size.Width.Millimetres()), "height": math.Round(size.Height.Millimetres()), "depth": float64(size.Depth),
		"flat":  math.Round(value[view.Size](t)(layout.FlatSize()).Width.Millimetres()),
		"bleed": math.Round(value[view.Length](t)(layout.Bleed()).Millimetres()), "sides": layout.Sides(),
		"media": media.Type() + " " + media.Coating(), "weight": value[float64](t)(media.Weight()), "thickness": value[float64](t)(media.Thickness()),
		"front": front, "coatings": coatings, "back": back,
	}
	want := map[string]any{
		"type": "Booklet", "amount": int64(1200), "root": true, "part": false, "binding": "SaddleStitch Left", "fold": "F4-1", "pages": int64(4),
		"width": 148.0, "height": 210.0, "depth": 0.0, "flat": 296.0, "bleed": 3.0, "sides": "OneSided", "media": "Paper Matte",
		"weight": 250.0, "thickness": 280.0, "front": []string{"Cyan", "Black"}, "coatings": []string{"UV"}, "back": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := parts[1].Amount(); !errors.Is(err, xjdf.ErrValue) {
		t.Errorf("an invalid amount: %v", err)
	}
	if _, ok := parts[1].Layout(); ok {
		t.Error("a product without intents has a layout")
	}
}

func TestResourcesHaveTypedValues(t *testing.T) {
	t.Parallel()
	root := parsed(t)
	first := func(name string) view.Resource { return view.ResourceSets(root, name)[0].Resources()[0] }
	node, _ := first("NodeInfo").NodeInfo()
	component := first("Component")
	media, _ := component.Media()
	own, ok := first("Media").Media()
	if !ok || own.Node != media.Node {
		t.Error("the Component has another Media than its reference")
	}
	pages, _ := first("RunList").RunList()
	drops := first("DeliveryParams").DropItems()
	start, end := value[time.Time](t)(node.Start()), value[time.Time](t)(node.End())
	got := map[string]any{
		"status": node.Status(), "time": end.Sub(start), "total": value[time.Duration](t)(node.Total()), "parts": first("NodeInfo").Parts(),
		"amounts": value[view.Amounts](t)(component.Amounts()), "media": media.Type(), "sheet": math.Round(value[view.Size](t)(media.Sheet()).Width.Millimetres()),
		"weight": value[float64](t)(media.Weight()), "thickness": value[float64](t)(media.Thickness()),
		"url": pages.URL(), "pages": value[int64](t)(pages.Pages()), "drop": value[int64](t)(drops[0].Amount()), "usage": view.ResourceSets(root, "RunList")[0].Usage(),
		"sets": len(view.ResourceSets(root, "")),
	}
	want := map[string]any{
		"status": "Waiting", "time": 90 * time.Minute, "total": 90 * time.Minute, "parts": []map[string]string{{"SheetName": "S1"}},
		"amounts": view.Amounts{Amount: 3000, Waste: 120, Least: 400, Most: 600}, "media": "Paper", "sheet": 700.0, "weight": 115.0, "thickness": 90.0,
		"url": "https://files.example.org/a.pdf", "pages": int64(2), "drop": int64(1200), "usage": "Input", "sets": 5,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if item := drops[0].Item(); item == nil || item.Name.Local != "Product" || drops[1].Item() != nil {
		t.Errorf("items %v and %v", drops[0].Item(), drops[1].Item())
	}
	others := view.ResourceSets(root, "Component")[0].Resources()
	if _, err := others[1].Amounts(); !errors.Is(err, xjdf.ErrValue) {
		t.Errorf("an invalid amount: %v", err)
	}
	if _, err := others[2].Amounts(); !errors.Is(err, xjdf.ErrMissing) {
		t.Errorf("a missing amount: %v", err)
	}
	if _, ok := others[2].Media(); ok {
		t.Error("a Component without a reference has a Media")
	}
}

// ExampleProducts prints the size of a product in millimetres.
func ExampleProducts() {
	document, err := xjdf.Parse([]byte(`{"@Version": "2.2", "ProductList": {"Product": {"@ProductType": "Leaflet", "@Amount": "500",
	  "Intent": {"@Name": "LayoutIntent", "LayoutIntent": {"@FinishedDimensions": "419.528 595.276 0"}}}}}`), xjdf.DefaultLimits)
	if err != nil {
		log.Fatalf("xjdf.Parse: %v", err)
	}
	for _, product := range view.Products(document.Root) {
		layout, ok := product.Layout()
		if !ok {
			continue
		}
		size, err := layout.FinishedSize()
		if err != nil {
			log.Fatalf("FinishedSize: %v", err)
		}
		fmt.Printf("%s, %.0f x %.0f mm\n", product.Type(), size.Width.Millimetres(), size.Height.Millimetres())
		if _, err := layout.Pages(); errors.Is(err, xjdf.ErrMissing) {
			fmt.Println(err)
		}
	}
	// Output:
	// Leaflet, 148 x 210 mm
	// XJDF/ProductList/Product/Intent/LayoutIntent/@Pages: the attribute is missing
}
