// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// grower builds documents from the vocabulary. A schema accepts all of them.
type grower struct {
	random *rand.Rand
	ids    int
	left   int
}

// grow makes a document that has one or two resources, an intent and an audit of
// some kind.
func grow(seed uint64) *xjdf.Node {
	g := &grower{random: rand.New(rand.NewPCG(seed, 7)), left: 60}
	v := vocabulary.Load()
	root := xjdf.New("XJDF").Set("Version", "2.2").Set("JobID", "J1").Set("Types", "Product")
	for range g.random.IntN(2) {
		kind := g.pick(v.OfKind(vocabulary.Audit))
		g.fill(root.Add("AuditPool").Add(kind.Name), kind, 1)
	}
	product := root.Add("ProductList").Add("Product").Set("Amount", "10").Set("ProductType", "FlatWork")
	kind := g.pick(v.OfKind(vocabulary.Intent))
	g.fill(product.Add("Intent").Set("Name", kind.Name).Add(kind.Name), kind, 1)
	for range 1 + g.random.IntN(2) {
		kind := g.pick(v.OfKind(vocabulary.Resource))
		set := root.Add("ResourceSet").Set("Name", kind.Name).Set("Usage", "Input")
		g.fill(set.Add("Resource").Add(kind.Name), kind, 1)
	}
	return root
}

func (g *grower) pick(of []*vocabulary.Element) *vocabulary.Element {
	return of[g.random.IntN(len(of))]
}

// fill adds the required members of an element, and some of the optional ones, in the
// order of the schema.
func (g *grower) fill(n *xjdf.Node, e *vocabulary.Element, depth int) {
	if e.Text != vocabulary.NoText {
		n.Text = "some text"
	}
	for i := range e.Attributes {
		if a := &e.Attributes[i]; a.Required || g.random.IntN(4) == 0 {
			n.Set(a.Name, g.value(a))
		}
	}
	chosen := map[int]bool{}
	for i := range e.Children {
		child := &e.Children[i]
		due := child.Min
		if child.Choice >= 0 {
			rule := &e.Choices[child.Choice]
			if chosen[child.Choice] && !rule.Many {
				continue
			}
			if last := rule.Children[len(rule.Children)-1] == child.Name; last && !chosen[child.Choice] {
				due = rule.Min
			}
		}
		if due == 0 && (depth > 4 || g.left <= 0 || g.random.IntN(4) > 0) {
			continue
		}
		g.left--
		if child.Choice >= 0 {
			chosen[child.Choice] = true
		}
		g.fill(n.Add(child.Name), child.Element, depth+1)
	}
}

func (g *grower) value(a *vocabulary.Attribute) string {
	count := 1
	if a.Type.List() {
		count = max(a.Type.Items(), a.MinItems, 1)
	}
	if a.Type == vocabulary.TransferFunction {
		count = 2
	}
	all := make([]string, count)
	for i := range all {
		all[i] = g.item(a, i)
	}
	return strings.Join(all, " ")
}

func (g *grower) item(a *vocabulary.Attribute, place int) string {
	switch {
	case a.Values != nil && len(a.Values.Values) > 0:
		return a.Values.Values[(g.random.IntN(len(a.Values.Values))+place)%len(a.Values.Values)]
	case a.Values != nil:
		return "F4-1"
	case a.Type == vocabulary.Boolean:
		return "true"
	case a.Bounds != nil && a.Bounds.Min > 1:
		return fmt.Sprint(a.Bounds.Min)
	case a.Type.Numeric():
		return "1"
	case a.Type == vocabulary.DateTime:
		return "2026-01-15T09:30:00Z"
	case a.Type == vocabulary.Duration:
		return "PT1H"
	case a.Type == vocabulary.Language, a.Type == vocabulary.Languages:
		return "en-GB"
	case a.Type == vocabulary.HexBinary:
		return "0aFF"
	case a.Type == vocabulary.URL, a.Type == vocabulary.URI:
		return "https://example.org/a.pdf"
	case a.Type == vocabulary.ID:
		g.ids++
		return fmt.Sprintf("N%d", g.ids)
	default:
		return "x1"
	}
}
