// SPDX-License-Identifier: Apache-2.0

// Package catalog holds what the marketplace knows about products.
//
// Master data has levels. L1 are the marketplace groups that a buyer chooses
// from, L2 the catalog products in them. Both are platform data, the same for
// everyone, and together they are a [Catalog]: an immutable snapshot that is
// named by the digest of its content, loaded whole, and replaced but never
// patched. L4, the costed resources of one organization, is another type; a
// Catalog cannot hold or return it.
package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Bounds of a catalog. A uid is at most as long as the API accepts.
const (
	MaxGroups   = 1_000
	MaxProducts = 100_000
	maxUID      = 128
	maxName     = 200
)

// Group is an L1 marketplace group. Its UID is the `category` of an RFQ.
type Group struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
}

// Product is an L2 catalog product. Its UID is the `catalogProductUid` of an
// RFQ; its Group is the UID of the one group that it belongs to.
type Product struct {
	UID   string `json:"uid"`
	Name  string `json:"name"`
	Group string `json:"group"`
	// Type is the ProductType of XJDF 2.2 (A.3.18) that the product is of, such as
	// Leaflet; empty if nobody has said.
	Type string `json:"productType,omitempty"`
}

// Catalog is one snapshot of L1 and L2. It never changes and is safe for
// concurrent use.
type Catalog struct {
	id       string
	groups   []Group
	products []Product
	byUID    map[string]Product
	byGroup  map[string][]Product
}

// NewCatalog checks and indexes a snapshot. Order does not matter: equal
// content has an equal id. A duplicate uid refuses the whole catalog, because
// nobody could say which of the two a partner meant. Errors are
// [InvalidError].
func NewCatalog(groups []Group, products []Product) (*Catalog, error) {
	if err := check(groups, products); err != nil {
		return nil, err
	}
	c := &Catalog{
		groups:   slices.SortedFunc(slices.Values(groups), func(a, b Group) int { return cmp.Compare(a.UID, b.UID) }),
		products: slices.SortedFunc(slices.Values(products), func(a, b Product) int { return cmp.Compare(a.UID, b.UID) }),
		byUID:    make(map[string]Product, len(products)),
		byGroup:  make(map[string][]Product, len(groups)),
	}
	for _, g := range c.groups {
		c.byGroup[g.UID] = nil
	}
	for _, p := range c.products {
		c.byUID[p.UID] = p
		c.byGroup[p.Group] = append(c.byGroup[p.Group], p)
	}
	content, err := json.Marshal(struct {
		Groups   []Group   `json:"groups"`
		Products []Product `json:"products"`
	}{c.groups, c.products})
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	digest := sha256.Sum256(content)
	c.id = "sha256:" + hex.EncodeToString(digest[:])
	return c, nil
}

func printable(text string, limit int) bool {
	if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit {
		return false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// ID is "sha256:" and the digest of the content: what an RFQ was judged by.
func (c *Catalog) ID() string { return c.id }

// Lookup finds a product by the exact bytes of its uid.
func (c *Catalog) Lookup(uid string) (Product, bool) {
	product, found := c.byUID[uid]
	return product, found
}

// Resolve is [Catalog.Lookup] without our types, for packages that must not
// know them.
func (c *Catalog) Resolve(uid string) (name, group string, found bool) {
	product, found := c.byUID[uid]
	return product.Name, product.Group, found
}

// HasGroup reports whether a group has exactly this uid.
func (c *Catalog) HasGroup(uid string) bool {
	_, found := c.byGroup[uid]
	return found
}

// Groups lists the groups by uid.
func (c *Catalog) Groups() []Group { return slices.Clone(c.groups) }

// Size is how many groups and products there are.
func (c *Catalog) Size() int { return len(c.groups) + len(c.products) }

// Types lists the product types that products are of, in alphabetical order.
func (c *Catalog) Types() []string {
	var types []string
	for _, p := range c.products {
		if p.Type != "" {
			types = append(types, p.Type)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Products lists the products of a group by uid; an empty group means all. An
// unknown group has none.
func (c *Catalog) Products(group string) []Product {
	if group == "" {
		return slices.Clone(c.products)
	}
	return slices.Clone(c.byGroup[group])
}
