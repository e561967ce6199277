// SPDX-License-Identifier: Apache-2.0

package authority_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

func area(width, height int64) authority.Area {
	return authority.Area{Width: money.FromInt(width), Height: money.FromInt(height)}
}

func price(amount int64, per authority.Unit) authority.Price {
	return authority.Price{Amount: money.FromInt(amount), Per: per}
}

// device returns a device with the fields that its process requires.
func device(process authority.Process) authority.Device {
	d := authority.Device{
		ID: "d-" + string(process), Name: "D", Process: process, MaxSheet: area(1000, 700), Speed: 1000 * money.One,
		Crew: money.One, Labor: "trade", Power: money.One, Electricity: "grid",
	}
	if process.Printing() {
		d.PrintArea, d.Colors = area(990, 690), 4
	}
	switch process {
	case authority.ConventionalPrinting:
		d.Plate = "plate"
	case authority.Cutting:
		d.StackHeight = 100 * money.One
	case authority.CoverApplication:
		d.Adhesive = "glue"
	case authority.Embossing:
		d.EmbossingTypes = []string{"FoilStamping"}
	case authority.CasingIn:
		d.Adhesive, d.Block = "glue", authority.Range{Max: 60 * money.One}
	case authority.LooseBinding:
		d.BindingTypes = []string{"WireComb"}
	case authority.Folding:
		d.Folds = []string{"F4-1", "F16-6", "F8-X"}
	}
	return d
}

// whole returns content with one resource of every family and a device for every process.
func whole() authority.Content {
	c := authority.Content{
		Owner: "org_acme01", Currency: "EUR",
		Policy: authority.Policy{Bleed: 3 * money.One, InkCoverage: 20 * money.One, QuantityBreaks: []int64{1000, 100, 500}, MaxQuantity: 10, MaxTotal: money.One},
		Media: []authority.Media{
			{
				ID: "silk", Name: "Silk", MediaType: "Paper", Width: 700 * money.One, Height: 1000 * money.One, Weight: 135 * money.One, Thickness: 105 * money.One,
				Grain: authority.GrainX, Coating: "Satin", BackCoating: "None", Price: price(1, authority.PerSheet),
			},
			{ID: "Board", Name: "Board", MediaType: "Paper", Width: money.One, Height: money.One, Weight: money.One, Thickness: money.One, Price: price(1, authority.PerKilogram)},
		},
		Inks:        []authority.Ink{{ID: "cyan", Name: "C", Separation: "Cyan", Consumption: money.One, Price: price(1, authority.PerKilogram)}},
		Laminations: []authority.Lamination{{ID: "film", Name: "F", Texture: "Matte", Thickness: money.One, Price: price(1, authority.PerSquareMetre)}},
		Varnishes:   []authority.Varnish{{ID: "uv", Name: "V", Coating: "UV", Consumption: money.One, Price: price(1, authority.PerKilogram)}},
		Plates:      []authority.Plate{{ID: "plate", Name: "P", Width: money.One, Height: money.One, Price: price(1, authority.PerPiece)}},
		Adhesives:   []authority.Adhesive{{ID: "glue", Name: "G", Consumption: money.One, Price: price(1, authority.PerKilogram)}},
		Electricity: []authority.Electricity{{ID: "grid", Name: "E", Price: price(0, authority.PerKilowattHour)}},
		Labor:       []authority.Labor{{ID: "trade", Name: "L", LaborType: "ManageJob", Price: price(1, authority.PerHour)}},
	}
	for _, process := range authority.Processes() {
		c.Devices = append(c.Devices, device(process))
	}
	return c
}

func snapshot(t testing.TB, c authority.Content) *authority.Snapshot {
	t.Helper()
	s, err := authority.New(c)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return s
}
