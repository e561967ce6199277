// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// Flyer is a document that the master data of [Printer] can calculate.
const Flyer = `{"$schema":"https://schema.cip4.org/jdfschema_2_2/xjdf.json","Name":"XJDF","JobID":"J-1","Types":["Product"],"Version":"2.2",
"ProductList":{"Product":[{"ID":"P1","IsRoot":true,"Amount":5000,"ProductType":"Leaflet","Intent":[
{"Name":"ColorIntent","ColorIntent":{"SurfaceColor":[{"Surface":"Front","ColorsUsed":["Cyan","Black"]},{"Surface":"Back","ColorsUsed":["Cyan","Black"]}]}},
{"Name":"LayoutIntent","LayoutIntent":{"FinishedDimensions":[419.528,595.276,0],"Bleed":8.504,"Pages":2,"Sides":"TwoSidedHeadToHead"}}]}]},
"ResourceSet":[{"Name":"Media","Usage":"Input","Resource":[{"Media":{"ID":"gloss-135","MediaType":"Paper"}}]}]}`

// Printer returns the master data of an organization that prints flyers on gloss-135.
// All owners have the same identifiers. The last three decimals of every rate are the mark
// (1 to 999), which identifies the owner and the edition.
func Printer(owner string, mark int64) authority.Content {
	rate := func(whole int64) money.Decimal { return money.FromInt(whole) + money.Decimal(mark) }
	price := func(whole int64, per authority.Unit) authority.Price {
		return authority.Price{Amount: rate(whole), Per: per}
	}
	ink := func(id, separation string) authority.Ink {
		return authority.Ink{ID: id, Name: separation, Separation: separation, Consumption: money.One, Price: price(12, authority.PerKilogram)}
	}
	return authority.Content{
		Owner: owner, Currency: "EUR",
		Policy: authority.Policy{Bleed: 3 * money.One, InkCoverage: 20 * money.One, MaxQuantity: 100_000, MaxTotal: 50_000 * money.One},
		Media: []authority.Media{{
			ID: "gloss-135", Name: "Gloss 135", MediaType: "Paper", Width: 1000 * money.One, Height: 700 * money.One, Weight: 135 * money.One,
			Thickness: 105 * money.One, Coating: "Gloss", BackCoating: "Gloss", Price: price(90, authority.PerThousandSheets),
		}},
		Devices: []authority.Device{
			{
				ID: "press", Name: "Offset 70 x 100", Process: authority.ConventionalPrinting, MaxSheet: area(1020, 720), PrintArea: area(1010, 700),
				Speed: 10_000 * money.One, SetupMinutes: 12 * money.One, SetupWaste: 100, WastePercent: money.One, HourlyRate: rate(180),
				Crew: 2 * money.One, Labor: "printer", Power: 60 * money.One, Electricity: "grid", Colors: 4, Plate: "plate",
			},
			{
				ID: "cutter", Name: "Guillotine 115", Process: authority.Cutting, MaxSheet: area(1150, 1150), Speed: 120 * money.One, SetupMinutes: 3 * money.One,
				HourlyRate: rate(18), Crew: money.One, Labor: "finisher", StackHeight: 100 * money.One,
			},
		},
		Inks:        []authority.Ink{ink("cyan", "Cyan"), ink("black", "Black")},
		Plates:      []authority.Plate{{ID: "plate", Name: "Plate 103 x 79", Width: 1030 * money.One, Height: 790 * money.One, Price: price(10, authority.PerPiece)}},
		Electricity: []authority.Electricity{{ID: "grid", Name: "Grid", Price: price(1, authority.PerKilowattHour)}},
		Labor: []authority.Labor{
			{ID: "printer", Name: "Printer", LaborType: "PressOperator", Price: price(30, authority.PerHour)},
			{ID: "finisher", Name: "Finisher", LaborType: "Finishing", Price: price(25, authority.PerHour)},
		},
	}
}

func area(width, height int64) authority.Area {
	return authority.Area{Width: money.FromInt(width), Height: money.FromInt(height)}
}

// InForce returns content that was approved and has been in force for an hour.
func (w *Server) InForce(t testing.TB, c authority.Content) authority.Effective {
	t.Helper()
	s, err := authority.New(c)
	must(t, err)
	since := w.Clock.Now().Add(-time.Hour)
	return authority.Effective{Value: s, From: since, Approval: fmt.Sprintf("apr_%.12s", s.ID()[len("sha256:"):]), ApprovedAt: since}
}

// Costs replaces the master data in force with contents, one per owner.
func (w *Server) Costs(t testing.TB, contents ...authority.Content) {
	t.Helper()
	owners := map[string][]authority.Effective{}
	for _, c := range contents {
		owners[c.Owner] = append(owners[c.Owner], w.InForce(t, c))
	}
	w.Authority.Publish(owners, w.Clock.Now())
}
