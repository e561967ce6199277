// SPDX-License-Identifier: Apache-2.0

package authority_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// services returns content with a service of each kind.
func services() authority.Content {
	c := whole()
	c.Services = []authority.Service{
		{ID: "box", Name: "Box", Kind: authority.Packing, MaxPieces: 100, Price: price(1, authority.PerPiece)},
		{ID: "carriage", Name: "Carriage", Kind: authority.Freight, Price: price(1, authority.PerKilogram)},
		{ID: "proof", Name: "Proof", Kind: authority.Proof, ColorType: "BasicColor", Price: price(1, authority.PerPiece)},
	}
	c.Policy.Packing, c.Policy.Freight = "box", "carriage"
	return c
}

func TestServiceFieldsMatchKind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*authority.Content)
		want   []string
	}{
		"a service of each kind":      {func(*authority.Content) {}, nil},
		"freight for each package":    {func(c *authority.Content) { c.Services[1].Price.Per = authority.PerPiece }, nil},
		"an unknown kind":             {func(c *authority.Content) { c.Services[2] = authority.Service{ID: "x", Name: "X", Kind: "Gift"} }, []string{"service x kind"}},
		"a package without a limit":   {func(c *authority.Content) { c.Services[0].MaxPieces = 0 }, []string{"service box maxPieces"}},
		"a package by weight":         {func(c *authority.Content) { c.Services[0].Price.Per = authority.PerKilogram }, []string{"service box price.per"}},
		"a package of 10 t and a bit": {func(c *authority.Content) { c.Services[0].MaxWeight = 10_000*money.One + 1 }, []string{"service box maxWeight"}},
		"a proof without a type":      {func(c *authority.Content) { c.Services[2].ColorType = "" }, []string{"service proof colorType"}},
		"a contract for carriage":     {func(c *authority.Content) { c.Services[1].Contract = true }, []string{"service carriage colorType"}},
		"carriage to two countries":   {func(c *authority.Content) { c.Services[1].Countries = []string{"AT", "DE"} }, nil},
		"carriage to a small country": {func(c *authority.Content) { c.Services[1].Countries = []string{"AT", "de"} }, []string{"service carriage countries"}},
		"a package to a country":      {func(c *authority.Content) { c.Services[0].Countries = []string{"DE"} }, []string{"service box countries"}},
		"a tool without a type": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "t", Name: "T", Kind: authority.EmbossingTool, Price: price(1, authority.PerPiece)}
		}, []string{"service t embossingType"}},
		"a foil without a colour": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "f", Name: "F", Kind: authority.Foil, Price: price(1, authority.PerSquareMetre)}
		}, []string{"service f foilColor"}},
		"a foil by weight": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "f", Name: "F", Kind: authority.Foil, FoilColor: "Gold", Price: price(1, authority.PerKilogram)}
		}, []string{"service f price.per"}},
		"a wire without its sizes": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "w", Name: "W", Kind: authority.BindingElement, BindingType: "WireComb", Price: price(1, authority.PerPiece)}
		}, []string{"service w maxThickness", "service w maxLength"}},
		"a wire for soft covers": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "w", Name: "W", Kind: authority.BindingElement, BindingType: "SoftCover", MaxThickness: money.One, MaxLength: money.One, Price: price(1, authority.PerPiece)}
		}, []string{"service w bindingType"}},
		"a board without its measures": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "b", Name: "B", Kind: authority.Board, Price: price(1, authority.PerSquareMetre)}
		}, []string{"service b thickness", "service b weight"}},
		"a die by the piece": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "d", Name: "D", Kind: authority.CuttingDie, Price: price(1, authority.PerPiece)}
		}, []string{"service d price.per"}},
		"a record without a type": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "r", Name: "R", Kind: authority.VariableRecord, Price: price(1, authority.PerPiece)}
		}, []string{"service r variableType"}},
		"a ribbon of a colour": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "r", Name: "R", Kind: authority.Ribbon, RibbonColor: "Red", Price: price(1, authority.PerMetre)}
		}, nil},
		"a ribbon without a colour": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "r", Name: "R", Kind: authority.Ribbon, Price: price(1, authority.PerMetre)}
		}, []string{"service r ribbonColor"}},
		"a ribbon by the piece": {func(c *authority.Content) {
			c.Services[2] = authority.Service{ID: "r", Name: "R", Kind: authority.Ribbon, RibbonColor: "Red", Price: price(1, authority.PerPiece)}
		}, []string{"service r price.per"}},
		"carriage with a ribbon": {func(c *authority.Content) { c.Services[1].RibbonColor = "Red" }, []string{"service carriage ribbonColor"}},
		"carriage with wire":     {func(c *authority.Content) { c.Services[1].MaxLength = money.One }, []string{"service carriage bindingType"}},
		"carriage that embosses": {func(c *authority.Content) { c.Services[1].EmbossingType, c.Services[1].FoilColor = "Braille", "Gold" }, []string{"service carriage embossingType", "service carriage foilColor"}},
		"a policy with a missing package": {
			func(c *authority.Content) { c.Policy.Packing = "crate" }, []string{"policy.packing"},
		},
		"a policy that packs with freight": {func(c *authority.Content) { c.Policy.Packing = "carriage" }, []string{"policy.packing"}},
		"a policy that delivers a proof":   {func(c *authority.Content) { c.Policy.Freight = "proof" }, []string{"policy.freight"}},
		"freight for packages without packing": {
			func(c *authority.Content) { c.Services[1].Price.Per, c.Policy.Packing = authority.PerPiece, "" }, []string{"policy.freight"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := services()
			tc.change(&c)
			if diff := cmp.Diff(tc.want, faults(t, c)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServicesAreFoundByIdentifier(t *testing.T) {
	t.Parallel()
	s, err := authority.New(services())
	if err != nil {
		t.Fatalf("authority.New: %v", err)
	}
	if found, ok := s.Service("carriage"); !ok || found.Name != "Carriage" || s.Count(authority.FamilyService) != 3 {
		t.Errorf("found %+v, %t among %d services", found, ok, s.Count(authority.FamilyService))
	}
	if _, ok := s.Service("cyan"); ok {
		t.Error("an ink is found as a service")
	}
}
