// SPDX-License-Identifier: Apache-2.0

package masterdata_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata"
)

func Example() {
	catalog, err := masterdata.NewCatalog(
		[]masterdata.Group{{UID: "commercial-print", Name: "Commercial print"}},
		[]masterdata.Product{{UID: "print:flyers:a5", Name: "Flyer A5", Group: "commercial-print"}},
	)
	if err != nil {
		panic(err)
	}
	product, found := catalog.Lookup("print:flyers:a5")
	fmt.Println(product.Group, found)
	// Output: commercial-print true
}

var (
	groups   = []masterdata.Group{{UID: "g1", Name: "One"}, {UID: "g2", Name: "Two"}}
	products = []masterdata.Product{{UID: "p:2", Name: "B", Group: "g1"}, {UID: "p:1", Name: "A", Group: "g1"}, {UID: "p:3", Name: "C", Group: "g2"}}
)

func newCatalog(t testing.TB, g []masterdata.Group, p []masterdata.Product) *masterdata.Catalog {
	t.Helper()
	catalog, err := masterdata.NewCatalog(g, p)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func TestTheDemoCatalogIsWhatAPrinterSells(t *testing.T) {
	t.Parallel()
	catalog, err := masterdata.Demo()
	if err != nil {
		t.Fatal(err)
	}
	if len(catalog.Groups()) < 3 || len(catalog.Products("")) < 12 {
		t.Errorf("%d groups and %d products", len(catalog.Groups()), len(catalog.Products("")))
	}
	for _, group := range catalog.Groups() {
		if len(catalog.Products(group.UID)) == 0 {
			t.Errorf("group %s is empty", group.UID)
		}
	}
	for _, product := range catalog.Products("") {
		if strings.Count(product.UID, ":") < 2 {
			t.Errorf("uid %q is not in colon-separated segments", product.UID)
		}
	}
	if got, found := catalog.Lookup("print:flyers:a5-folded"); !found || got.Group != "commercial-print" {
		t.Errorf("the folded flyer is %+v, %t", got, found)
	}
}

func TestWhatIsNoCatalogIsRefusedWhole(t *testing.T) {
	t.Parallel()
	group := func(uid, name string) []masterdata.Group {
		return append(slices.Clone(groups), masterdata.Group{UID: uid, Name: name})
	}
	product := func(uid, name, in string) []masterdata.Product {
		return append(slices.Clone(products), masterdata.Product{UID: uid, Name: name, Group: in})
	}
	tests := map[string]struct {
		groups   []masterdata.Group
		products []masterdata.Product
		want     string
	}{
		"no groups":                      {nil, products, "groups"},
		"no products":                    {groups, nil, "products"},
		"too many groups":                {make([]masterdata.Group, masterdata.MaxGroups+1), products, "groups"},
		"too many products":              {groups, make([]masterdata.Product, masterdata.MaxProducts+1), "products"},
		"two groups of one uid":          {group("g1", "Again"), products, "g1"},
		"two products of one uid":        {groups, product("p:1", "Again", "g2"), "p:1"},
		"a product in no group":          {groups, product("p:4", "D", "g3"), "p:4"},
		"a product with an empty uid":    {groups, product("", "D", "g1"), `""`},
		"a product with a long uid":      {groups, product(strings.Repeat("p", 129), "D", "g1"), `"` + strings.Repeat("p", 129) + `"`},
		"a product without a name":       {groups, product("p:4", "", "g1"), "p:4"},
		"a name with a control sequence": {groups, product("p:4", "\x1b[31m", "g1"), "p:4"},
		"a uid that is not UTF-8":        {groups, product("p:\xff", "D", "g1"), `"p:\xff"`},
		"a group without a name":         {group("g3", ""), products, "g3"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			catalog, err := masterdata.NewCatalog(tc.groups, tc.products)
			var invalid *masterdata.InvalidError
			if catalog != nil || !errors.As(err, &invalid) || invalid.Entry != tc.want {
				t.Errorf("error = %v, want InvalidError about %s", err, tc.want)
			}
		})
	}
}

func TestTheIDIsOfTheContentAlone(t *testing.T) {
	t.Parallel()
	first := newCatalog(t, groups, products)
	turned := slices.Clone(products)
	slices.Reverse(turned)
	if same := newCatalog(t, groups, turned); same.ID() != first.ID() || !strings.HasPrefix(first.ID(), "sha256:") || len(first.ID()) != 71 {
		t.Errorf("ids of one content in two orders: %s and %s", first.ID(), same.ID())
	}
	renamed := slices.Clone(products)
	renamed[0].Name = "Renamed"
	if newCatalog(t, groups, renamed).ID() == first.ID() {
		t.Error("another content has the same id")
	}
}

func TestLookupsAreByteForByte(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t, groups, products)
	for uid, want := range map[string]bool{"p:1": true, "P:1": false, "p:1 ": false, "p": false, "": false} {
		if _, got := catalog.Lookup(uid); got != want {
			t.Errorf("Lookup(%q) = %t, want %t", uid, got, want)
		}
		if name, group, got := catalog.Resolve(uid); got != want || (got && (name != "A" || group != "g1")) {
			t.Errorf("Resolve(%q) = %s, %s, %t, want %t", uid, name, group, got, want)
		}
	}
	for uid, want := range map[string]bool{"g1": true, "G1": false, "": false, "p:1": false} {
		if got := catalog.HasGroup(uid); got != want {
			t.Errorf("HasGroup(%q) = %t, want %t", uid, got, want)
		}
	}
}

func TestListingsAreSortedAndCopies(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t, groups, products)
	for group, want := range map[string][]string{"": {"p:1", "p:2", "p:3"}, "g1": {"p:1", "p:2"}, "g2": {"p:3"}, "g3": nil} {
		var got []string
		listed := catalog.Products(group)
		for i := range listed {
			got = append(got, listed[i].UID)
			listed[i] = masterdata.Product{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("products of %q (-want +got):\n%s", group, diff)
		}
	}
	catalog.Groups()[0] = masterdata.Group{}
	if catalog.Groups()[0].UID != "g1" || catalog.Products("")[0].UID != "p:1" {
		t.Error("a caller could change the catalog")
	}
}

func TestAHolderFailsClosed(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t, groups, products)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	withdrawn := masterdata.NewHolder(time.Minute)
	withdrawn.Publish(catalog, now)
	withdrawn.Withdraw()
	confirmed := func(age time.Duration) *masterdata.Holder {
		h := masterdata.NewHolder(time.Minute)
		h.Publish(catalog, now.Add(-time.Hour))
		h.Publish(catalog, now.Add(-age))
		return h
	}
	tests := map[string]struct {
		holder    *masterdata.Holder
		available bool
	}{
		"the zero holder":                {&masterdata.Holder{}, false},
		"nothing published":              {masterdata.NewHolder(time.Minute), false},
		"withdrawn":                      {withdrawn, false},
		"no catalog published":           {masterdata.Fixed(nil), false},
		"just confirmed":                 {confirmed(0), true},
		"confirmed at the bound":         {confirmed(time.Minute), true},
		"confirmed too long ago":         {confirmed(time.Minute + 1), false},
		"a compiled-in one is never old": {masterdata.Fixed(catalog), true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.holder.Current(now)
			if tc.available && (err != nil || got != catalog) || !tc.available && (got != nil || !errors.Is(err, masterdata.ErrUnavailable)) {
				t.Errorf("Current = %v, %v; want available %t", got, err, tc.available)
			}
		})
	}
}
