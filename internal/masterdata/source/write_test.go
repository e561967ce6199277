// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/money"
)

// forms lists the forms of written documents.
var forms = []string{"csv", "json", "xlsx", "yaml"}

func demos() []string {
	return []string{config.CatalogFile, config.PlatformResourcesDir, config.AcmeResourcesDir}
}

func TestWrittenDemoDocumentsReadBack(t *testing.T) {
	t.Parallel()
	for _, name := range demos() {
		for _, form := range forms {
			t.Run(name+" as "+form, func(t *testing.T) {
				t.Parallel()
				d := mustRead(t, name)
				again, err := readBack(t, written(t, d, form))
				if err != nil {
					t.Fatalf("unexpected faults:\n%s", faults(err))
				}
				if again.ID() != d.ID() || again.Provenance() != d.Provenance() {
					t.Errorf("id %s, want %s; %+v", again.ID(), d.ID(), again.Provenance())
				}
			})
		}
	}
}

func TestWrittenRandomDocumentsReadBack(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			r := &random{rand.New(rand.NewPCG(7, 11))}
			for i := range 150 {
				d := r.document()
				again, err := readBack(t, written(t, d, form))
				if err != nil {
					t.Fatalf("document %d: %s", i, faults(err))
				}
				if again.ID() != d.ID() || again.Provenance() != d.Provenance() {
					changes, _ := source.Diff(d, again)
					t.Fatalf("document %d: %+v", i, changes)
				}
			}
		})
	}
}

// random returns valid content with unusual values.
type random struct{ *rand.Rand }

var oddities = []string{
	"no", "null", "~", "true", "1e3", "- a", "a: b", "a #b", "# x", "'", `"`, `a"b`, "a,b;c\td", "=SUM(A1)", "[a]", "{a}", "*a", "&a", "!a", "%a", "@a", "`", "|", ">",
	" leading", "trailing ", "é", "日本", "\u2009", "😀", "<b>&", `\n`, "---", "...", "a:", ":a", "?", "-", "0x1", "012", "2026-01-01", "a  b", "\uFEFFx",
}

func (r *random) text() string {
	for {
		text := strings.Join([]string{oddities[r.IntN(len(oddities))], oddities[r.IntN(len(oddities))]}[:1+r.IntN(2)], "")
		if !strings.ContainsAny(text, "\t\u2009\uFEFF") {
			return text
		}
	}
}

func (r *random) perhaps() string {
	if r.IntN(2) == 0 {
		return ""
	}
	return r.text()
}

func (r *random) id(prefix string, i int) string {
	return fmt.Sprintf("%s%s%d", prefix, []string{"", "-", ".", "_", "e"}[r.IntN(5)], i)
}

func (r *random) number(most int64) money.Decimal {
	return money.Decimal(1 + r.Int64N(int64([]money.Decimal{1, 1_000, 1_000_000, money.Decimal(most) * money.One}[r.IntN(4)])))
}

func (r *random) price(units ...authority.Unit) authority.Price {
	return authority.Price{Amount: r.number(1_000_000) - 1, Per: units[r.IntN(len(units))]}
}

func (r *random) document() *source.Document {
	from := source.Provenance{Source: r.text(), Reference: r.perhaps(), Note: r.perhaps()}
	if r.IntN(4) == 0 {
		return source.FromCatalog(r.catalog(), from)
	}
	s, err := authority.New(r.content())
	if err != nil {
		panic(err)
	}
	return source.FromAuthority(s, from)
}

func (r *random) catalog() *catalog.Catalog {
	var groups []catalog.Group
	var products []catalog.Product
	for i := range 1 + r.IntN(3) {
		groups = append(groups, catalog.Group{UID: r.text() + fmt.Sprint(i), Name: r.text()})
	}
	for i := range 1 + r.IntN(20) {
		products = append(products, catalog.Product{UID: r.text() + fmt.Sprint(i), Name: r.text(), Group: groups[r.IntN(len(groups))].UID, Type: r.perhaps()})
	}
	c, err := catalog.NewCatalog(groups, products)
	if err != nil {
		panic(err)
	}
	return c
}

func (r *random) content() authority.Content {
	c := authority.Content{Owner: []string{"platform", "org_acme01"}[r.IntN(2)], Currency: "EUR"}
	if r.IntN(2) == 0 {
		c.Policy = authority.Policy{
			Bleed: r.number(100), Gutter: r.number(100), InkCoverage: r.number(100), SpineMilling: r.number(100), GrainAlongSpine: r.IntN(2) == 0,
			QuantityBreaks: []int64{1, 100, 1 + 100*r.Int64N(99) + 100}, MaxQuantity: r.Int64N(authority.MaxQuantity), MaxTotal: r.number(1_000_000_000),
		}
	}
	for i := range r.IntN(8) {
		c.Media = append(c.Media, authority.Media{
			ID: r.id("m", i), Name: r.text(), ProductCode: r.perhaps(), Manufacturer: r.perhaps(), MediaType: authority.MediaTypes()[r.IntN(6)],
			Width: r.number(10_000), Height: r.number(10_000), Weight: r.number(2_000), Thickness: r.number(20_000),
			Grain: []authority.Grain{authority.GrainUnknown, authority.GrainX, authority.GrainY}[r.IntN(3)], Coating: []string{"", "None", "Gloss"}[r.IntN(3)],
			Price: r.price(authority.PerSheet, authority.PerThousandSheets, authority.PerKilogram, authority.PerSquareMetre),
		})
	}
	for i := range r.IntN(4) {
		c.Inks = append(c.Inks, authority.Ink{ID: r.id("i", i), Name: r.text(), Separation: r.text(), Consumption: r.number(1_000), Price: r.price(authority.PerKilogram)})
		c.Electricity = append(c.Electricity, authority.Electricity{ID: r.id("e", i), Name: r.text(), Price: r.price(authority.PerKilowattHour)})
		c.Labor = append(c.Labor, authority.Labor{ID: r.id("l", i), Name: r.text(), LaborType: r.text(), Price: r.price(authority.PerHour)})
		c.Plates = append(c.Plates, authority.Plate{ID: r.id("p", i), Name: r.text(), Width: r.number(10_000), Height: r.number(10_000), Price: r.price(authority.PerPiece)})
		c.Laminations = append(c.Laminations, authority.Lamination{ID: r.id("f", i), Name: r.text(), Texture: r.text(), Thickness: r.number(20_000), Price: r.price(authority.PerSquareMetre)})
		c.Varnishes = append(c.Varnishes, authority.Varnish{ID: r.id("v", i), Name: r.text(), Coating: r.text(), Consumption: r.number(1_000), Price: r.price(authority.PerKilogram)})
		c.Adhesives = append(c.Adhesives, authority.Adhesive{ID: r.id("a", i), Name: r.text(), Consumption: r.number(1_000), Price: r.price(authority.PerKilogram)})
		c.Devices = append(c.Devices, r.device(i, c.Labor, c.Plates))
	}
	return c
}

func (r *random) device(i int, labor []authority.Labor, plates []authority.Plate) authority.Device {
	d := authority.Device{
		ID: r.id("d", i), Name: r.text(), Model: r.perhaps(), MaxSheet: authority.Area{Width: 1_000 * money.One, Height: 700 * money.One},
		Speed: r.number(1_000_000), SetupMinutes: r.number(10_000) - 1, WastePercent: r.number(50), HourlyRate: r.number(1_000_000) - 1,
		Crew: r.number(100), Labor: labor[r.IntN(len(labor))].ID, MinPages: r.Int64N(2), MaxPages: 2 * r.Int64N(2), Weight: authority.Range{Max: r.number(2_000)},
	}
	switch r.IntN(3) {
	case 0:
		d.Process, d.PrintArea, d.Colors, d.Plate = authority.ConventionalPrinting, d.MaxSheet, 4, plates[r.IntN(len(plates))].ID
		d.Perfecting, d.Coater = r.IntN(2) == 0, r.IntN(2) == 0
	case 1:
		d.Process, d.StackHeight = authority.Cutting, r.number(1_000)
	default:
		d.Process, d.Folds = authority.Folding, slices.Clone([]string{"F4-1", "F6-1", "F8-X"}[:r.IntN(4)])
	}
	if len(d.Folds) == 0 {
		d.Folds = nil
	}
	return d
}

func TestWrittenFormsAreStable(t *testing.T) {
	t.Parallel()
	d, err := files{"all.yaml": head + "inks:\n  - {id: b, name: 'no', separation: \"a: b\", consumption: 1.50, price: {amount: 0, per: Kilogram}}\n" +
		"  - {id: a, name: A, separation: Cyan, consumption: 1, price: {amount: 1, per: Kilogram}}\n"}.read(t, "all.yaml")
	if err != nil {
		t.Fatalf("unexpected faults:\n%s", faults(err))
	}
	for form, want := range map[string]map[string]string{
		"yaml": {"all.yaml": "level: resources\nowner: org_acme01\ncurrency: EUR\nprovenance:\n  source: a test\npolicy:\n  bleed: 3\n  gutter: 4\ninks:\n" +
			"  - id: a\n    name: A\n    separation: Cyan\n    consumption: 1\n    price:\n      amount: 1\n      per: Kilogram\n" +
			"  - id: b\n    name: \"no\"\n    separation: \"a: b\"\n    consumption: 1.5\n    price:\n      amount: 0\n      per: Kilogram\n"},
		"csv": {
			"snapshot.yaml": "level: resources\nowner: org_acme01\ncurrency: EUR\nprovenance:\n  source: a test\npolicy:\n  bleed: 3\n  gutter: 4\n",
			"inks.csv":      "id,name,separation,consumption,price.amount,price.per\na,A,Cyan,1,1,Kilogram\nb,no,a: b,1.5,0,Kilogram\n",
		},
	} {
		got := map[string]string{}
		for name, f := range written(t, d, form) {
			got[name] = string(f.Data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
}

func TestUnknownFormatIsRejected(t *testing.T) {
	t.Parallel()
	if err := source.Write(io.Discard, mustRead(t, config.CatalogFile), "xml"); err == nil {
		t.Error("format xml was accepted")
	}
}
