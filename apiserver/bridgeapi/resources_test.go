// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

func mm(text string) money.Decimal {
	d, err := money.ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

func resourcePer(unit authority.Unit) authority.Price {
	return authority.Price{Amount: mm("77.123457"), Per: unit}
}

// resourceContent has one resource of each family. Every price and rate contains the digits 123457.
func resourceContent() authority.Content {
	return authority.Content{
		Owner: "org_acme01", Currency: "EUR",
		Media: []authority.Media{{
			ID: "acme-silk-135", Name: "Silk 135 <g> & \"more\"", ProductCode: "print:flyers:a5", Manufacturer: "Mühle & Söhne", MediaType: "Paper",
			Width: mm("700"), Height: mm("1000"), Weight: mm("135"), Thickness: mm("105.5"), Grain: authority.GrainY, Coating: "Satin", BackCoating: "None",
			Price: resourcePer(authority.PerThousandSheets),
		}},
		Devices: []authority.Device{
			{
				ID: "press-1", Name: "Press", Manufacturer: "Maker", Model: "M 4", Process: authority.ConventionalPrinting,
				MinSheet: authority.Area{Width: mm("210"), Height: mm("297")}, MaxSheet: authority.Area{Width: mm("530"), Height: mm("750")},
				PrintArea: authority.Area{Width: mm("520"), Height: mm("740")}, Weight: authority.Range{Min: mm("60"), Max: mm("400")},
				Speed: mm("15000"), SetupMinutes: mm("12.123457"), HourlyRate: mm("99.123457"), Crew: mm("1.123457"), Labor: "printer",
				Power: mm("40.123457"), Electricity: "grid", Colors: 4, Perfecting: true, Coater: true, Plate: "plate-b2",
			},
			{ID: "folder-1", Name: "Folder", Process: authority.Folding, MaxSheet: authority.Area{Width: mm("500"), Height: mm("700")}, Speed: mm("8000"), MinPages: 4, MaxPages: 32, Folds: []string{"F4-1", "F6-X"}},
		},
		Inks: []authority.Ink{
			{ID: "cyan-1", Name: "Cyan", Separation: "Cyan", Consumption: mm("1.5"), Price: resourcePer(authority.PerKilogram)},
			{ID: "cyan-2", Name: "Another cyan", Separation: "Cyan", Consumption: mm("1.4"), Price: resourcePer(authority.PerKilogram)},
			{ID: "spot-1", Name: "Spot", Separation: "PANTONE 185 C", Consumption: mm("1.25"), Price: resourcePer(authority.PerKilogram)},
		},
		Laminations: []authority.Lamination{
			{ID: "film-1", Name: "Film", Texture: "Matte", Thickness: mm("24"), Price: resourcePer(authority.PerSquareMetre)},
			{ID: "film-2", Name: "Soft", Texture: "Soft touch", Thickness: mm("27"), Price: resourcePer(authority.PerSquareMetre)},
		},
		Varnishes: []authority.Varnish{
			{ID: "varnish-1", Name: "Oil", Coating: "Varnish", Consumption: mm("2"), Price: resourcePer(authority.PerKilogram)},
			{ID: "varnish-2", Name: "UV", Coating: "UV", Consumption: mm("3"), Price: resourcePer(authority.PerKilogram)},
			{ID: "varnish-3", Name: "Scent", Coating: "With scent", Consumption: mm("3"), Price: resourcePer(authority.PerKilogram)},
		},
		Plates:      []authority.Plate{{ID: "plate-b2", Name: "Plate", Width: mm("605"), Height: mm("745"), Price: resourcePer(authority.PerPiece)}},
		Adhesives:   []authority.Adhesive{{ID: "pur", Name: "PUR", Consumption: mm("8"), Price: resourcePer(authority.PerKilogram)}},
		Electricity: []authority.Electricity{{ID: "grid", Name: "Grid", Price: resourcePer(authority.PerKilowattHour)}},
		Labor: []authority.Labor{
			{ID: "printer", Name: "Printer", LaborType: "ManageJob", Price: resourcePer(authority.PerHour)},
			{ID: "binder", Name: "Binder", LaborType: "Book binding", Price: resourcePer(authority.PerHour)},
		},
	}
}

func resourceSnapshot(t testing.TB, c authority.Content) *authority.Snapshot {
	t.Helper()
	s, err := authority.New(c)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return s
}

func asJSON(t testing.TB, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteJSON(&out, root); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return out.Bytes()
}

func asXML(t testing.TB, root *xjdf.Node) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xjdf.WriteXML(&out, root); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return out.Bytes()
}

// roomy holds the limits for documents that were not received from a caller.
var roomy = xjdf.Limits{Bytes: 64 << 20, Nodes: 4_000_000}

func parse(t testing.TB, text []byte) *xjdf.Document {
	t.Helper()
	doc, err := xjdf.Parse(text, roomy)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return doc
}

func wantValid(t testing.TB, text []byte) {
	t.Helper()
	report := validate.New().Validate(parse(t, text), validate.Options{Profile: validate.Strict})
	if !report.Valid || !report.SchemaValid || !report.VocabularyValid || len(report.Findings) > 0 {
		t.Errorf("the document has findings %+v:\n%s", report.Findings, text)
	}
}

func TestResourceSetOfEachFamily(t *testing.T) {
	t.Parallel()
	s := resourceSnapshot(t, resourceContent())
	tests := map[authority.Family]string{
		authority.FamilyMedia: `[{"Name":"Media","Usage":"Input","Resource":[{"DescriptiveName":"Silk 135 <g> & \"more\"","ID":"acme-silk-135",
			"GeneralID":[{"IDUsage":"Manufacturer","IDValue":"Mühle & Söhne"}],
			"Media":{"BackCoating":"None","Coating":"Satin","Dimension":[1984.251969,2834.645669],"GrainDirection":"YDirection","MediaType":"Paper","MediaUnit":"Sheet","Thickness":105.5,"Weight":135}}]}]`,
		authority.FamilyDevice: `[{"Name":"Device","Usage":"Input","Resource":[
			{"DescriptiveName":"Folder","ID":"folder-1","GeneralID":[{"IDUsage":"Process","IDValue":"Folding"},{"DataType":"integer","IDUsage":"MinPages","IDValue":"4"},
				{"DataType":"integer","IDUsage":"MaxPages","IDValue":"32"},{"IDUsage":"Fold","IDValue":"F4-1"},{"IDUsage":"Fold","IDValue":"F6-X"}],
				"Device":{"DeviceID":"folder-1","MaxRunSpeed":8000}},
			{"DescriptiveName":"Press","ID":"press-1","GeneralID":[{"IDUsage":"Process","IDValue":"ConventionalPrinting"},
				{"DataType":"float","IDUsage":"PrintAreaWidth","IDValue":"1474.015748"},{"DataType":"float","IDUsage":"PrintAreaHeight","IDValue":"2097.637795"},
				{"DataType":"float","IDUsage":"MinWeight","IDValue":"60"},{"DataType":"float","IDUsage":"MaxWeight","IDValue":"400"},
				{"DataType":"integer","IDUsage":"Colors","IDValue":"4"},{"DataType":"boolean","IDUsage":"Perfecting","IDValue":"true"},{"DataType":"boolean","IDUsage":"Coater","IDValue":"true"}],
				"Device":{"DeviceID":"press-1","DeviceType":"M 4","Manufacturer":"Maker","MaxRunSpeed":15000}}]}]`,
		authority.FamilyInk: `[{"Name":"Ink","Usage":"Input","Resource":[
			{"DescriptiveName":"Cyan","ID":"cyan-1","Part":[{"Separation":"Cyan"}],"Ink":{"InkType":["Ink"],"SpecificYield":1.5}},
			{"DescriptiveName":"Another cyan","ID":"cyan-2","Part":[{"Separation":"Cyan"}],"Ink":{"InkType":["Ink"],"SpecificYield":1.4}},
			{"DescriptiveName":"Spot","ID":"spot-1","GeneralID":[{"IDUsage":"Separation","IDValue":"PANTONE 185 C"}],"Ink":{"InkType":["Ink"],"SpecificYield":1.25}}]}]`,
		authority.FamilyLamination: `[{"Name":"MiscConsumable","ProcessUsage":"Laminate","Usage":"Input","Resource":[
			{"DescriptiveName":"Film","ID":"film-1","GeneralID":[{"DataType":"float","IDUsage":"Thickness","IDValue":"24"}],"MiscConsumable":{"Type":"Laminate","TypeDetails":"Matte"}},
			{"DescriptiveName":"Soft","ID":"film-2","GeneralID":[{"DataType":"float","IDUsage":"Thickness","IDValue":"27"},{"IDUsage":"Texture","IDValue":"Soft touch"}],"MiscConsumable":{"Type":"Laminate"}}]}]`,
		authority.FamilyVarnish: `[{"Name":"Ink","ProcessUsage":"Varnish","Usage":"Input","Resource":[
			{"DescriptiveName":"Oil","ID":"varnish-1","Ink":{"InkType":["Varnish"],"SpecificYield":2}},
			{"DescriptiveName":"UV","ID":"varnish-2","Ink":{"InkType":["Varnish","UV"],"SpecificYield":3}},
			{"DescriptiveName":"Scent","ID":"varnish-3","GeneralID":[{"IDUsage":"Coating","IDValue":"With scent"}],"Ink":{"InkType":["Varnish"],"SpecificYield":3}}]}]`,
		authority.FamilyPlate:       `[{"Name":"Media","ProcessUsage":"Plate","Usage":"Input","Resource":[{"DescriptiveName":"Plate","ID":"plate-b2","Media":{"Dimension":[1714.96063,2111.811024],"MediaType":"Plate"}}]}]`,
		authority.FamilyAdhesive:    `[{"Name":"MiscConsumable","ProcessUsage":"Glue","Usage":"Input","Resource":[{"DescriptiveName":"PUR","ID":"pur","MiscConsumable":{"Type":"Glue"}}]}]`,
		authority.FamilyElectricity: `[{"Name":"MiscConsumable","ProcessUsage":"Electricity","Unit":"kWh","Usage":"Input","Resource":[{"DescriptiveName":"Grid","ID":"grid","MiscConsumable":{"Type":"Electricity"}}]}]`,
		authority.FamilyLabor: `[{"Name":"ManualLaborParams","Usage":"Input","Resource":[
			{"DescriptiveName":"Binder","ID":"binder","GeneralID":[{"IDUsage":"LaborType","IDValue":"Book binding"}]},
			{"DescriptiveName":"Printer","ID":"printer","ManualLaborParams":{"LaborType":"ManageJob"}}]}]`,
	}
	for _, family := range authority.Families() {
		t.Run(string(family), func(t *testing.T) {
			t.Parallel()
			text := asJSON(t, bridgeapi.Document(s, []authority.Family{family}))
			var got struct{ ResourceSet any }
			var want any
			if err := json.Unmarshal([]byte(tests[family]), &want); err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if diff := cmp.Diff(want, got.ResourceSet); diff != "" {
				t.Errorf("sets (-want +got):\n%s", diff)
			}
			wantValid(t, text)
		})
	}
}

func TestDocumentOfAllFamiliesIsValidAndReadsBackInEveryEncoding(t *testing.T) {
	t.Parallel()
	root := bridgeapi.Document(resourceSnapshot(t, resourceContent()), authority.Families())
	for encoding, text := range map[string][]byte{"canonical JSON": asJSON(t, root), "XML": asXML(t, root), "attribute JSON": atSigns(t, asJSON(t, root))} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			wantValid(t, text)
			if !xjdf.Equal(root, parse(t, text).Root) {
				t.Errorf("the document reads back differently:\n%s", text)
			}
		})
	}
}

// atSigns adds an at sign before each attribute of a document in canonical JSON.
func atSigns(t *testing.T, text []byte) []byte {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	delete(root, "$schema")
	delete(root, "Name")
	marked, err := json.Marshal(map[string]any{"XJDF": resourceMark(root)})
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return marked
}

func resourceMark(value any) any {
	switch v := value.(type) {
	case map[string]any:
		marked := map[string]any{}
		for name, member := range v {
			if !holdsElements(member) {
				name = "@" + name
			}
			marked[name] = resourceMark(member)
		}
		return marked
	case []any:
		for i := range v {
			v[i] = resourceMark(v[i])
		}
	}
	return value
}

func holdsElements(value any) bool {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	_, object := value.(map[string]any)
	return object
}

func TestDocumentHasNoPriceClaimOrUnrequestedFamily(t *testing.T) {
	t.Parallel()
	s := resourceSnapshot(t, resourceContent())
	text := string(asXML(t, bridgeapi.Document(s, authority.Families())))
	for _, word := range []string{"123457", "EUR", "DeviceClass", "ICSVersions", "print:flyers", "org_acme01", "Price", "Cost", "530", "1502.36"} {
		if strings.Contains(text, word) {
			t.Errorf("the document contains %q:\n%s", word, text)
		}
	}
	some := []authority.Family{authority.FamilyMedia, authority.FamilyLabor}
	root := bridgeapi.Document(s, some)
	var names []string
	for set := range root.All("ResourceSet") {
		name, _ := set.Attr("Name")
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"Media", "ManualLaborParams"}, names); diff != "" {
		t.Errorf("sets (-want +got):\n%s", diff)
	}
	if got := bridgeapi.Count(s, some); got != 3 {
		t.Errorf("Count returned %d resources, want 3", got)
	}
}

func TestDocumentWithoutSnapshotHasNoSets(t *testing.T) {
	t.Parallel()
	empty := resourceSnapshot(t, authority.Content{Owner: "org_acme01", Currency: "EUR"})
	for name, root := range map[string]*xjdf.Node{"no snapshot": bridgeapi.Document(nil, authority.Families()), "an empty one": bridgeapi.Document(empty, authority.Families())} {
		if root.Child("ResourceSet") != nil {
			t.Errorf("%s: the document has resource sets, want none", name)
		}
		wantValid(t, asJSON(t, root))
		wantValid(t, asXML(t, root))
	}
}

// TestRandomSnapshotGivesValidDocumentWithIdentifiers uses random texts and numbers within
// the bounds of package authority.
func TestRandomSnapshotGivesValidDocumentWithIdentifiers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		s := resourceSnapshot(t, random(rand.New(rand.NewPCG(seed, 7))))
		root := bridgeapi.Document(s, authority.Families())
		text := asJSON(t, root)
		doc := parse(t, text)
		report := validate.New().Validate(doc, validate.Options{Profile: validate.Strict})
		for _, f := range report.Findings {
			// The owner chooses the name and the size of a medium.
			if f.Severity == validate.Error || !slices.Contains([]string{"VALUE_DEPRECATED", "WEIGHT_RANGE", "THICKNESS_RANGE", "MEDIA_LOOKS_MM", "VALUE_UNLISTED"}, f.Code) {
				t.Fatalf("seed %d: %+v\n%s", seed, f, text)
			}
		}
		if !xjdf.Equal(root, doc.Root) || !xjdf.Equal(root, parse(t, asXML(t, root)).Root) {
			t.Fatalf("seed %d: the document reads back differently:\n%s", seed, text)
		}
		found := 0
		for n := range root.Descendants() {
			if id, present := n.Attr("ID"); present && n.Name.Local == "Resource" {
				found++
				if !held(s, id) {
					t.Fatalf("seed %d: %q is not an identifier of the snapshot", seed, id)
				}
			}
		}
		if found != s.Size() {
			t.Fatalf("seed %d: the document has %d resources, want %d", seed, found, s.Size())
		}
	}
}

func held(s *authority.Snapshot, id string) bool {
	c := s.Content()
	return slices.ContainsFunc(c.Media, func(m authority.Media) bool { return m.ID == id }) ||
		slices.ContainsFunc(c.Devices, func(d authority.Device) bool { return d.ID == id }) ||
		slices.ContainsFunc(c.Inks, func(i authority.Ink) bool { return i.ID == id }) ||
		slices.ContainsFunc(c.Varnishes, func(v authority.Varnish) bool { return v.ID == id }) ||
		slices.ContainsFunc(c.Laminations, func(l authority.Lamination) bool { return l.ID == id }) ||
		slices.ContainsFunc(c.Labor, func(l authority.Labor) bool { return l.ID == id })
}

func random(r *rand.Rand) authority.Content {
	serial := 0
	id := func() string {
		serial++
		return fmt.Sprintf("%c%d%s", "aZ_"[r.IntN(3)], serial, []string{"", ".x", "-Y", "_", "..", "--"}[r.IntN(6)])
	}
	text := func() string {
		letters := []rune("aZ09 .-_:<>&\"'{}[]@$ÄßЖ漢😀 \u0301")
		var b strings.Builder
		b.WriteByte('n')
		for range r.IntN(30) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	decimal := func(high int64) money.Decimal { return money.Decimal(1 + r.Int64N(high*int64(money.One))) }
	price := func(u authority.Unit) authority.Price { return authority.Price{Amount: decimal(1000), Per: u} }
	c := authority.Content{Owner: "org_random1", Currency: "EUR"}
	for range r.IntN(6) {
		c.Media = append(c.Media, authority.Media{
			ID: id(), Name: text(), MediaType: authority.MediaTypes()[r.IntN(6)], Width: decimal(10_000), Height: decimal(10_000), Weight: decimal(2_000),
			Thickness: decimal(20_000), Coating: authority.Coatings()[r.IntN(5)], Manufacturer: text(), ProductCode: text(), Price: price(authority.PerSheet),
		})
		c.Inks = append(c.Inks, authority.Ink{ID: id(), Name: text(), Separation: text(), Consumption: decimal(1000), Price: price(authority.PerKilogram)})
		c.Varnishes = append(c.Varnishes, authority.Varnish{ID: id(), Name: text(), Coating: text(), Consumption: decimal(1000), Price: price(authority.PerKilogram)})
		c.Laminations = append(c.Laminations, authority.Lamination{ID: id(), Name: text(), Texture: text(), Thickness: decimal(100), Price: price(authority.PerSquareMetre)})
		c.Labor = append(c.Labor, authority.Labor{ID: id(), Name: text(), LaborType: text(), Price: price(authority.PerHour)})
		c.Devices = append(c.Devices, authority.Device{
			ID: id(), Name: text(), Manufacturer: text(), Model: text(), Process: authority.Cutting, StackHeight: money.One,
			MaxSheet: authority.Area{Width: decimal(10_000), Height: decimal(10_000)}, Speed: decimal(100_000),
		})
	}
	return c
}
