// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/view"
)

const finished = `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J1" Types="Product"><ProductList><Product Amount="500" ProductType="Brochure">
  <Intent Name="ContentCheckIntent"><ContentCheckIntent><PreflightItem PreflightLevel="Premium"/><ProofItem ID="P1" Amount="2" ColorType="MatchedColor" Contract="true"/><ProofItem/></ContentCheckIntent></Intent>
  <Intent Name="EmbossingIntent"><EmbossingIntent><EmbossingItem EmbossingType="FoilStamping" Direction="Flat" Face="Front" FoilColor="Gold" ImageSize="144 72"/></EmbossingIntent></Intent>
  <Intent Name="HoleMakingIntent"><HoleMakingIntent><HolePattern Pattern="R2m-DIN" Shape="Round" Extent="17 17" ReferenceEdge="Left"/></HoleMakingIntent></Intent>
  <Intent Name="LaminatingIntent"><LaminatingIntent Surface="Front Back" Temperature="Hot" Texture="Matte" Thickness="25"/></Intent>
  <Intent Name="ProductionIntent"><ProductionIntent PrintPreference="CostEffective" PrintProcess="OffsetLithography InkJet"/></Intent>
  <Intent Name="ShapeCuttingIntent"><ShapeCuttingIntent><ShapeCut ShapeType="RoundedRectangle" CutBox="10 20 110 70" CutType="Cut" CutDepth="Full"/><ShapeCut ShapeType="Line"/></ShapeCuttingIntent></Intent>
  <Intent Name="VariableIntent"><VariableIntent VariableType="AddressField" VariableQuality="Imprint" Area="0.1" NumberOfCopies="3" ColorsUsedFront="Black"/></Intent>
</Product><Product/></ProductList><ResourceSet Name="Contact" Usage="Input"><Resource><Part ContactType="Delivery"/><Contact><Address Street="Hauptstr. 1" PostalCode="10115" City="Berlin" Region="BE" CountryCode="DE"><AddressLine>Dock 4</AddressLine></Address>
  <ComChannel ChannelType="Phone" Locator="tel:+49-30-1"/><ComChannel ChannelType="Email" Locator="mailto:a@example.org"/><Company OrganizationName="ACME"/><Person FirstName="Ada" FamilyName="Byron"/></Contact></Resource>
  <Resource><Contact/></Resource></ResourceSet></XJDF>`

// finishedIn returns the document after a round through an encoding.
func finishedIn(t *testing.T, encoding xjdf.Encoding) *xjdf.Node {
	t.Helper()
	document, err := xjdf.Parse([]byte(finished), xjdf.DefaultLimits)
	if err != nil {
		t.Fatalf("xjdf.Parse: %v", err)
	}
	var out bytes.Buffer
	if err := xjdf.Write(&out, document.Root, encoding); err != nil {
		t.Fatalf("xjdf.Write: %v", err)
	}
	if document, err = xjdf.Parse(out.Bytes(), xjdf.DefaultLimits); err != nil {
		t.Fatalf("xjdf.Parse: %v", err)
	}
	return document.Root
}

func TestFinishingIntentsHaveTheSameValuesInEachEncoding(t *testing.T) {
	t.Parallel()
	for _, encoding := range []xjdf.Encoding{xjdf.XML, xjdf.CanonicalJSON, xjdf.AttributeJSON} {
		products := view.Products(finishedIn(t, encoding))
		p := products[0]
		check, _ := p.ContentCheck()
		embossing, _ := p.Embossing()
		holes, _ := p.HoleMaking()
		laminating, _ := p.Laminating()
		production, _ := p.Production()
		shapes, _ := p.ShapeCutting()
		variable, _ := p.Variable()
		proofs, foil, hole, cuts := check.Proofs(), embossing.Items()[0], holes.Patterns()[0], shapes.Cuts()
		front, back := variable.Colors()
		got := []any{
			check.PreflightLevels(), len(proofs), proofs[0].ID(), value[int64](t)(proofs[0].Amount()), proofs[0].ColorType(), proofs[0].Contract(), proofs[1].Contract(),
			foil.Type(), foil.Direction(), foil.Face(), foil.FoilColor(), value[view.Size](t)(foil.Image()),
			hole.Catalog(), hole.Shape(), hole.Edge(), value[view.Size](t)(hole.Extent()),
			laminating.Surfaces(), laminating.Temperature(), laminating.Texture(), value[float64](t)(laminating.Thickness()),
			production.Preference(), production.Processes(),
			len(cuts), cuts[0].Shape(), cuts[0].Type(), cuts[0].Depth(), value[view.Size](t)(cuts[0].Size()),
			variable.Type(), variable.Quality(), value[float64](t)(variable.Area()), value[int64](t)(variable.Copies()), front, len(back),
		}
		want := []any{
			[]string{"Premium"},
			2, "P1", int64(2), "MatchedColor", true, false,
			"FoilStamping", "Flat", "Front", "Gold",
			view.Size{Width: 144, Height: 72},
			"R2m-DIN", "Round", "Left",
			view.Size{Width: 17, Height: 17},
			[]string{"Front", "Back"},
			"Hot", "Matte", 25.0,
			"CostEffective",
			[]string{"OffsetLithography", "InkJet"},
			2, "RoundedRectangle", "Cut", "Full",
			view.Size{Width: 100, Height: 50},
			"AddressField", "Imprint", 0.1, int64(3),
			[]string{"Black"},
			0,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", encoding, diff)
		}
		if _, err := cuts[1].Size(); !errors.Is(err, xjdf.ErrMissing) {
			t.Errorf("%v: a cut without a box: %v", encoding, err)
		}
		if _, ok := products[1].Laminating(); ok {
			t.Errorf("%v: a product without intents is laminated", encoding)
		}
	}
}

func TestContactHasTheSameValuesInEachEncoding(t *testing.T) {
	t.Parallel()
	for _, encoding := range []xjdf.Encoding{xjdf.XML, xjdf.CanonicalJSON, xjdf.AttributeJSON} {
		resources := view.ResourceSets(finishedIn(t, encoding), "Contact")[0].Resources()
		contact, _ := resources[0].Contact()
		address, _ := contact.Address()
		got := []any{
			resources[0].Parts(), contact.Company(), contact.Person(), contact.Locator("Email"), contact.Locator("Fax"),
			address.Street(), address.PostalCode(), address.City(), address.Region(), address.CountryCode(), address.Lines(),
		}
		want := []any{
			[]map[string]string{{"ContactType": "Delivery"}},
			"ACME", "Ada Byron", "mailto:a@example.org", "",
			"Hauptstr. 1", "10115", "Berlin", "BE", "DE",
			[]string{"Dock 4"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", encoding, diff)
		}
		empty, _ := resources[1].Contact()
		if _, ok := empty.Address(); ok || empty.Company() != "" || empty.Person() != "" {
			t.Errorf("%v: an empty contact has an address, a company or a person", encoding)
		}
	}
}

// ExampleProduct_HoleMaking prints the holes of a product in millimetres.
func ExampleProduct_HoleMaking() {
	document, err := xjdf.Parse([]byte(finished), xjdf.DefaultLimits)
	if err != nil {
		log.Fatalf("xjdf.Parse: %v", err)
	}
	holes, ok := view.Products(document.Root)[0].HoleMaking()
	if !ok {
		return
	}
	for _, pattern := range holes.Patterns() {
		hole, err := pattern.Extent()
		if err != nil {
			log.Fatalf("Extent: %v", err)
		}
		fmt.Printf("%s along the edge %s, holes of %.0f mm\n", pattern.Catalog(), pattern.Edge(), math.Round(hole.Width.Millimetres()))
	}
	// Output:
	// R2m-DIN along the edge Left, holes of 6 mm
}
