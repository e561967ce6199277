// SPDX-License-Identifier: Apache-2.0

// Package catalog holds the product groups and catalog products of the marketplace.
//
// Master data has levels. L1 is the list of marketplace groups that a buyer chooses from,
// L2 the list of catalog products in them. Both are platform data, the same for every
// organization. A [Catalog] holds both: it is an immutable snapshot that is identified by
// the digest of its content, loaded as a whole, and replaced but never patched. L4, the
// costed resources of one organization, is another type, which a Catalog cannot hold.
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

// Product is an L2 catalog product. Its UID is the `catalogProductUid` of an RFQ; its Group
// is the UID of its group.
type Product struct {
	UID   string `json:"uid"`
	Name  string `json:"name"`
	Group string `json:"group"`
	// Type is the ProductType of XJDF 2.2 (A.3.18), such as Leaflet, or empty if it is
	// unknown.
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

// NewCatalog checks and indexes a snapshot. Equal content in any order has an equal id. A
// duplicate uid makes the whole catalog invalid, because a partner's reference to it would
// be ambiguous. Errors are [InvalidError].
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

// printable reports whether a text has 1 to limit printable characters.
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

// ID returns "sha256:" and the digest of the content, which accepted RFQs refer to.
func (c *Catalog) ID() string { return c.id }

// Lookup finds a product by the exact bytes of its uid.
func (c *Catalog) Lookup(uid string) (Product, bool) {
	product, found := c.byUID[uid]
	return product, found
}

// Resolve is [Catalog.Lookup] without the types of this package, for packages that must
// not import it.
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

// Size returns the number of groups and products.
func (c *Catalog) Size() int { return len(c.groups) + len(c.products) }

// Types lists the product types in use, in alphabetical order.
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

// Products lists the products of a group by uid. An empty group means all products; an
// unknown group has none.
func (c *Catalog) Products(group string) []Product {
	if group == "" {
		return slices.Clone(c.products)
	}
	return slices.Clone(c.byGroup[group])
}
