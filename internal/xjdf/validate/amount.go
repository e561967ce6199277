// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strconv"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func amountRules() []row {
	return []row{
		newRow("AMOUNT_RANGE", Semantics, both(Error), "3.3.1", "MinAmount is at most Amount, and Amount at most MaxAmount.", "Make MinAmount at most Amount, and Amount at most MaxAmount.").of("Product", amountRange),
		newRow("AMOUNT_NONPOSITIVE", Semantics, both(Error), "3.3.1", "An amount is at least 1.", "Write how many are wanted.").of("Product", amountNonPositive),
		newRow("AMOUNT_MISSING", Semantics, both(Info), "3.3.1", "A product that is delivered has an Amount.", "Add Amount to get a price.").of(document, amountMissing),
		newRow("POOL_AMOUNT", Semantics, both(Error), "6.1.3", "Amounts and waste of a resource are not negative.", "Write an amount of 0 or more.").of("PartAmount", poolAmount),
	}
}

// integer is the whole number of an attribute; not ok if it is absent or none.
func integer(n *xjdf.Node, attribute string) (int64, bool) {
	text, told := n.Attr(attribute)
	if !told {
		return 0, false
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil
}

// float is the number of an attribute.
func float(n *xjdf.Node, attribute string) (float64, bool) {
	text, told := n.Attr(attribute)
	if !told || !decimal(text) {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

func amountRange(p *pass, product *xjdf.Node) {
	least, hasLeast := integer(product, "MinAmount")
	amount, hasAmount := integer(product, "Amount")
	most, hasMost := integer(product, "MaxAmount")
	if hasLeast && hasAmount && least > amount {
		p.findf(product, "MinAmount", "MinAmount %d is more than Amount %d.", least, amount)
	}
	if hasAmount && hasMost && amount > most {
		p.findf(product, "MaxAmount", "MaxAmount %d is less than Amount %d.", most, amount)
	}
	if hasLeast && hasMost && !hasAmount && least > most {
		p.findf(product, "MinAmount", "MinAmount %d is more than MaxAmount %d.", least, most)
	}
}

func amountNonPositive(p *pass, product *xjdf.Node) {
	for _, name := range []string{"Amount", "MinAmount", "MaxAmount"} {
		if value, ok := integer(product, name); ok && (value < 0 || value == 0 && name != "MinAmount") {
			p.findf(product, name, "%s is %d.", name, value)
		}
	}
}

func amountMissing(p *pass, _ *xjdf.Node) {
	for _, product := range p.roots() {
		if _, told := product.Attr("Amount"); !told {
			p.find(product, "", "The product has no Amount.", "")
		}
	}
}

func poolAmount(p *pass, n *xjdf.Node) {
	for _, name := range []string{"Amount", "Waste", "MinAmount", "MaxAmount"} {
		if value, ok := float(n, name); ok && value < 0 {
			p.findf(n, name, "%s is %s.", name, number(value))
		}
	}
}
