// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/catalog"
)

func Example() {
	whole, err := catalog.NewCatalog(
		[]catalog.Group{{UID: "commercial-print", Name: "Commercial print"}},
		[]catalog.Product{{UID: "print:flyers:a5", Name: "Flyer A5", Group: "commercial-print"}},
	)
	if err != nil {
		panic(err)
	}
	product, found := whole.Lookup("print:flyers:a5")
	fmt.Println(product.Group, found)
	// Output: commercial-print true
}

var (
	groups   = []catalog.Group{{UID: "g1", Name: "One"}, {UID: "g2", Name: "Two"}}
	products = []catalog.Product{{UID: "p:2", Name: "B", Group: "g1"}, {UID: "p:1", Name: "A", Group: "g1"}, {UID: "p:3", Name: "C", Group: "g2"}}
)

func newCatalog(t testing.TB, g []catalog.Group, p []catalog.Product) *catalog.Catalog {
	t.Helper()
	whole, err := catalog.NewCatalog(g, p)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return whole
}

func TestDemoCatalog(t *testing.T) {
	t.Parallel()
	whole, err := catalog.Demo()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if len(whole.Groups()) < 3 || len(whole.Products("")) < 12 {
		t.Errorf("the demo catalog has %d groups and %d products", len(whole.Groups()), len(whole.Products("")))
	}
	for _, group := range whole.Groups() {
		if len(whole.Products(group.UID)) == 0 {
			t.Errorf("group %s is empty", group.UID)
		}
	}
	for _, product := range whole.Products("") {
		if strings.Count(product.UID, ":") < 2 {
			t.Errorf("uid %q is not in colon-separated segments", product.UID)
		}
	}
	if got, found := whole.Lookup("print:flyers:a5-folded"); !found || got.Group != "commercial-print" {
		t.Errorf("the folded flyer is %+v, found %t", got, found)
	}
}

func TestInvalidCatalogIsRejected(t *testing.T) {
	t.Parallel()
	group := func(uid, name string) []catalog.Group {
		return append(slices.Clone(groups), catalog.Group{UID: uid, Name: name})
	}
	product := func(uid, name, in string) []catalog.Product {
		return append(slices.Clone(products), catalog.Product{UID: uid, Name: name, Group: in})
	}
	tests := map[string]struct {
		groups   []catalog.Group
		products []catalog.Product
		want     string
	}{
		"no groups":                      {nil, products, "groups"},
		"no products":                    {groups, nil, "products"},
		"too many groups":                {make([]catalog.Group, catalog.MaxGroups+1), products, "groups"},
		"too many products":              {groups, make([]catalog.Product, catalog.MaxProducts+1), "products"},
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
			got, err := catalog.NewCatalog(tc.groups, tc.products)
			var invalid *catalog.InvalidError
			if got != nil || !errors.As(err, &invalid) || invalid.Entry != tc.want {
				t.Errorf("error = %v, want InvalidError about %s", err, tc.want)
			}
		})
	}
}

func TestIDDependsOnContentOnly(t *testing.T) {
	t.Parallel()
	first := newCatalog(t, groups, products)
	turned := slices.Clone(products)
	slices.Reverse(turned)
	if same := newCatalog(t, groups, turned); same.ID() != first.ID() || !strings.HasPrefix(first.ID(), "sha256:") || len(first.ID()) != 71 {
		t.Errorf("the same content in two orders has the ids %s and %s", first.ID(), same.ID())
	}
	renamed := slices.Clone(products)
	renamed[0].Name = "Renamed"
	if newCatalog(t, groups, renamed).ID() == first.ID() {
		t.Error("different content has the same id")
	}
}

func TestLookupComparesBytes(t *testing.T) {
	t.Parallel()
	whole := newCatalog(t, groups, products)
	for uid, want := range map[string]bool{"p:1": true, "P:1": false, "p:1 ": false, "p": false, "": false} {
		if _, got := whole.Lookup(uid); got != want {
			t.Errorf("Lookup(%q) = %t, want %t", uid, got, want)
		}
		if name, group, got := whole.Resolve(uid); got != want || (got && (name != "A" || group != "g1")) {
			t.Errorf("Resolve(%q) = %s, %s, %t, want %t", uid, name, group, got, want)
		}
	}
	for uid, want := range map[string]bool{"g1": true, "G1": false, "": false, "p:1": false} {
		if got := whole.HasGroup(uid); got != want {
			t.Errorf("HasGroup(%q) = %t, want %t", uid, got, want)
		}
	}
}

func TestListingsAreSortedAndCopies(t *testing.T) {
	t.Parallel()
	whole := newCatalog(t, groups, products)
	for group, want := range map[string][]string{"": {"p:1", "p:2", "p:3"}, "g1": {"p:1", "p:2"}, "g2": {"p:3"}, "g3": nil} {
		var got []string
		listed := whole.Products(group)
		for i := range listed {
			got = append(got, listed[i].UID)
			listed[i] = catalog.Product{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("products of %q (-want +got):\n%s", group, diff)
		}
	}
	whole.Groups()[0] = catalog.Group{}
	if whole.Groups()[0].UID != "g1" || whole.Products("")[0].UID != "p:1" {
		t.Error("changing a listing changed the catalog")
	}
}

func TestHolderFailsClosed(t *testing.T) {
	t.Parallel()
	whole := newCatalog(t, groups, products)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	withdrawn := catalog.NewHolder(time.Minute)
	withdrawn.Publish(whole, now)
	withdrawn.Withdraw()
	confirmed := func(age time.Duration) *catalog.Holder {
		h := catalog.NewHolder(time.Minute)
		h.Publish(whole, now.Add(-time.Hour))
		h.Publish(whole, now.Add(-age))
		return h
	}
	tests := map[string]struct {
		holder    *catalog.Holder
		available bool
	}{
		"the zero holder":                {&catalog.Holder{}, false},
		"nothing published":              {catalog.NewHolder(time.Minute), false},
		"withdrawn":                      {withdrawn, false},
		"no catalog published":           {catalog.Fixed(nil), false},
		"just confirmed":                 {confirmed(0), true},
		"confirmed at the bound":         {confirmed(time.Minute), true},
		"confirmed too long ago":         {confirmed(time.Minute + 1), false},
		"a compiled-in one is never old": {catalog.Fixed(whole), true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.holder.Current(now)
			if tc.available && (err != nil || got != whole) || !tc.available && (got != nil || !errors.Is(err, catalog.ErrUnavailable)) {
				t.Errorf("Current = %v, %v; want available %t", got, err, tc.available)
			}
		})
	}
}
