// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strconv"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var amountRules = []row{
	newRow("AMOUNT_RANGE", Semantics, both(Error), "3.3.1", "MinAmount must not exceed Amount, and Amount must not exceed MaxAmount.", "Correct the three amounts.").of("Product", amountRange).also("PartAmount"),
	newRow("AMOUNT_NONPOSITIVE", Semantics, both(Error), "3.3.1", "The amount of a product must be at least 1.", "Write the required amount.").of("Product", func(p *pass, product *xjdf.Node) {
		for _, name := range []string{"Amount", "MinAmount", "MaxAmount"} {
			if value, ok := integer(product, name); ok && (value < 0 || value == 0 && name != "MinAmount") {
				p.findf(product, name, "%s is %d.", name, value)
			}
		}
	}),
	newRow("AMOUNT_MISSING", Semantics, both(Info), "3.3.1.1", "The delivered product should have an Amount.", "Add Amount to get a price.").of(document, ofRoots("Amount")),
	newRow("AMOUNT_OF_PART", Semantics, both(Warning), "3.3.1", "A part of a product should not have its own overage or underage.", "Move MinAmount and MaxAmount to the delivered product.").of(document, amountOfPart),
	newRow("POOL_AMOUNT", Semantics, both(Error), "6.1.2", "Amounts and waste of a resource must not be negative.", "Write an amount of 0 or more.").of("PartAmount", func(p *pass, n *xjdf.Node) {
		for _, name := range []string{"Amount", "Waste", "MinAmount", "MaxAmount"} {
			if value, ok := float(n, name); ok && value < 0 {
				p.findf(n, name, "%s is %s.", name, number(value))
			}
		}
	}),
	newRow("POOL_ACTUAL", Semantics, both(Error), "6.1.2", "Consumed or produced resources must not have MinAmount or MaxAmount.", "Write only Amount and Waste.").of("PartAmount", poolActual),
	newRow("POOL_PART", Semantics, both(Error), "6.1.2", "The part of an amount must be a part of the resource.", "Write the value of a Part of the resource, or omit the key.").of("AmountPool", poolPart),
	newRow("POOL_REPEATED", Semantics, lenient(), "6.1.2", "An AmountPool should not have two amounts of the same part.", "Write one PartAmount for each part.").of("AmountPool", poolRepeated),
	newRow("WASTE_SOURCE", Semantics, both(Error), "6.1.4", "PartWaste must state the source or the kind of the waste.", "Add ModuleIDs or WasteDetails.").of("PartWaste", func(p *pass, n *xjdf.Node) {
		_, modules := n.Attr("ModuleIDs")
		if _, details := n.Attr("WasteDetails"); !modules && !details {
			p.find(n, "", "PartWaste has neither ModuleIDs nor WasteDetails.", "")
		}
	}),
	newRow("DROPITEM_AMOUNT", Semantics, both(Warning), "6.26.1", "The delivered amounts of a product or resource should add up to its Amount.", "Correct the amounts of the DropItems, or the Amount of the product or resource.").of(document, dropItemAmount),
} // constant

// integer returns the whole number of an attribute; not ok if it is missing or
// invalid.
func integer(n *xjdf.Node, attribute string) (int64, bool) {
	text, given := n.Attr(attribute)
	if !given {
		return 0, false
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil
}

// float returns the number of an attribute; not ok if it is missing or invalid.
func float(n *xjdf.Node, attribute string) (float64, bool) {
	text, given := n.Attr(attribute)
	if !given || !decimal(text) {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

func amountRange(p *pass, n *xjdf.Node) {
	least, hasLeast := float(n, "MinAmount")
	amount, hasAmount := float(n, "Amount")
	most, hasMost := float(n, "MaxAmount")
	switch {
	case hasLeast && hasAmount && least > amount:
		p.findf(n, "MinAmount", "MinAmount %s is more than Amount %s.", number(least), number(amount))
	case hasAmount && hasMost && amount > most:
		p.findf(n, "MaxAmount", "MaxAmount %s is less than Amount %s.", number(most), number(amount))
	case hasLeast && hasMost && least > most:
		p.findf(n, "MinAmount", "MinAmount %s is more than MaxAmount %s.", number(least), number(most))
	}
}

func amountOfPart(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	p.roots()
	for _, product := range p.products {
		for _, name := range []string{"MinAmount", "MaxAmount"} {
			if _, given := product.Attr(name); given && !p.rootSet[product] {
				p.findf(product, name, "The product is part of another product but has %s.", name)
				break
			}
		}
	}
}

func poolActual(p *pass, n *xjdf.Node) {
	if within(n, "ResourceInfo") == nil {
		return
	}
	for _, name := range []string{"MinAmount", "MaxAmount"} {
		if _, given := n.Attr(name); given {
			p.findf(n, name, "ResourceInfo describes consumed or produced resources but has %s.", name)
		}
	}
}

// within returns the nearest ancestor with a name, or nil.
func within(n *xjdf.Node, name string) *xjdf.Node {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Name.Local == name && n.Name.Core() {
			return n
		}
	}
	return nil
}

// poolPart compares the keys of PartAmount/Part with those of the resource around it. A
// key that all parts of the resource have must have one of their values.
func poolPart(p *pass, pool *xjdf.Node) {
	if pool.Parent == nil || pool.Parent.Child("Part") == nil {
		return
	}
	parts, count, values := 0, map[string]int{}, map[[2]string]bool{}
	for part := range pool.Parent.All("Part") {
		parts++
		for i := range part.Attributes {
			a := &part.Attributes[i]
			count[a.Name.Local]++
			values[[2]string{a.Name.Local, a.Value}] = true
		}
	}
	for amount := range pool.All("PartAmount") {
		for part := range amount.All("Part") {
			for i := range part.Attributes {
				a := &part.Attributes[i]
				if a.Definition != nil && count[a.Name.Local] == parts && !values[[2]string{a.Name.Local, a.Value}] {
					p.findf(part, a.Name.Local, "%s is %s, but no Part of the resource has this value.", a.Name.Local, quoted(a.Value))
				}
			}
		}
	}
}

func poolRepeated(p *pass, pool *xjdf.Node) {
	seen := map[string]bool{}
	for amount := range pool.All("PartAmount") {
		keys := []string{"all"}
		if amount.Child("Part") != nil {
			keys = nil
		}
		for part := range amount.All("Part") {
			keys = append(keys, partKey(part))
		}
		for _, key := range keys {
			if seen[key] {
				p.find(amount, "", "Another PartAmount of the AmountPool has the same part.", "")
				return
			}
		}
		for _, key := range keys {
			seen[key] = true
		}
	}
}

// dropItemAmount adds the amounts of the DropItems of each product and resource, in all
// deliveries.
func dropItemAmount(p *pass, _ *xjdf.Node) {
	sums, first := map[*xjdf.Node]int64{}, map[*xjdf.Node]*xjdf.Node{}
	var order []*xjdf.Node
	for i := range p.references {
		item := p.references[i].node
		if item.Name.Local != "DropItem" {
			continue
		}
		target := p.target(p.references[i].value)
		amount, ok := integer(item, "Amount")
		switch {
		case target == nil:
			continue
		case first[target] == nil:
			first[target] = item
			order = append(order, target)
		}
		const most = 1 << 53 // a sum above it is wrong anyway
		if !ok || amount < 0 || amount > most {
			sums[target] = -1 // another rule reports the value
		} else if sums[target] >= 0 {
			sums[target] = min(sums[target]+amount, most)
		}
	}
	for _, target := range order {
		least, amount, most, ok := planned(target)
		if sum := sums[target]; ok && sum >= 0 && (float64(sum) < least || float64(sum) > most) {
			p.findf(first[target], "Amount", "The DropItems of the %s add up to %d; its Amount is %s.", kindOf(target), sum, number(amount))
		}
	}
}

// planned returns the amount of a product, or the sum over the AmountPool of a resource,
// with its bounds. It is not ok for other elements and if an amount is missing, is not a
// number of copies or may include another one.
func planned(n *xjdf.Node) (least, amount, most float64, ok bool) {
	var amounts []*xjdf.Node
	switch n.Name.Local {
	case "Product":
		amounts = []*xjdf.Node{n}
	case "Resource":
		unit, given := n.Parent.Attr("Unit")
		if pool := n.Child("AmountPool"); pool != nil && (!given || unit == "count") {
			amounts = slices.Collect(pool.All("PartAmount"))
		}
	}
	for _, one := range amounts {
		value, given := float(one, "Amount")
		if !given || len(amounts) > 1 && one.Child("Part") == nil {
			return 0, 0, 0, false
		}
		low, high := value, value
		if bound, given := float(one, "MinAmount"); given {
			low = min(low, bound)
		}
		if bound, given := float(one, "MaxAmount"); given {
			high = max(high, bound)
		}
		least, amount, most = least+low, amount+value, most+high
	}
	return least, amount, most, len(amounts) > 0
}
