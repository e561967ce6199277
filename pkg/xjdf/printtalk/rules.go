// SPDX-License-Identifier: Apache-2.0

package printtalk

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

var businessRules = []row{
	newRow("PTK_REFERENCE_MISSING", validate.Semantics, validate.Warning, "Request/@BusinessRefID", "An object that answers another one should refer to it.", "Set BusinessRefID to the BusinessID of the object that this one answers.").of(referenceMissing, "Request"),
	newRow("PTK_REFERENCE_SELF", validate.Semantics, validate.Error, "Request/@BusinessRefID", "An object must have a BusinessID of its own.", "Give each business object a new BusinessID.").of(func(p *pass, n *xjdf.Node) {
		own, _ := n.Attr("BusinessID")
		if other, given := n.Attr("BusinessRefID"); given && own == other {
			p.find(n, "BusinessRefID", "BusinessRefID is the BusinessID of the object itself.")
		}
	}, "Request"),
	newRow("PTK_EXPIRED", validate.Semantics, validate.Warning, "@Expires", "An object should not expire before it is sent.", "Correct Expires, or the timestamp of the document.").of(func(p *pass, n *xjdf.Node) {
		sent, err := p.doc.Root.Time("timestamp")
		ends, err2 := n.Time("Expires")
		if err == nil && err2 == nil && ends.Before(sent) {
			p.find(n, "Expires", fmt.Sprintf("%s expires at %s; the document is of %s.", n.Name.Local, ends.Format(time.RFC3339), sent.Format(time.RFC3339)))
		}
	}, "RFQ", "Quotation", "PurchaseOrder"),
	newRow("PTK_QUOTE_DUPLICATE", validate.Semantics, validate.Error, "Quote/@QuoteID", "The quotes of a quotation must have different IDs.", "Give each quote an ID of its own.").of(quoteDuplicate, "Quotation"),
	newRow("PTK_AMOUNT_PRICES", validate.Semantics, validate.Error, "RFQ/@AmountPrices", "Quantities must be positive.", "Write quantities of at least 1.").of(amountPrices, "RFQ"),
	newRow("PTK_JOB_DUPLICATE", validate.Semantics, validate.Warning, "XJDF", "The jobs of an object should have different JobID and JobPartID.", "Give each job an ID of its own.").of(jobDuplicate, "RFQ", "PurchaseOrder", "Quote"),
} // constant

var pricingRules = []row{
	newRow("PTK_LINE_DUPLICATE", validate.Schema, validate.Error, "Price/@LineID", "Lines must have different IDs.", "Give each line an ID of its own.").of(lineDuplicate, "PrintTalk"),
	newRow("PTK_LINE_UNKNOWN", validate.Semantics, validate.Error, "Price/@LineIDRefs", "A sum must refer to other lines of the same pricing.", "Write the LineID of the lines in the sum.").of(lineUnknown, "Pricing"),
	newRow("PTK_SUM", validate.Semantics, validate.Warning, "Price/@LineIDRefs", "A subtotal or total should be the sum of its lines.", "Correct the price, or the list of lines.").of(sum, "Pricing"),
	newRow("PTK_PRICE_NEGATIVE", validate.Semantics, validate.Warning, "Price/@Price", "Only discounts, payments and corrections should be negative.", "Use the PriceType Discount, DownPayment, Prepaid or Other.").of(func(p *pass, price *xjdf.Node) {
		kind, _ := price.Attr("PriceType")
		value, ok := amountOf(price, "Price")
		if ok && value.IsNegative() && slices.Contains([]string{"Product", "Shipping", "Handling", "Markup"}, kind) {
			p.find(price, "Price", fmt.Sprintf("The price of the type %s is %s.", kind, value))
		}
	}, "Price"),
	newRow("PTK_AMOUNT_NEGATIVE", validate.Semantics, validate.Error, "Price/@Amount", "An amount must not be negative.", "Write the number of copies.").of(func(p *pass, price *xjdf.Node) {
		if value, ok := amountOf(price, "Amount"); ok && value.IsNegative() {
			p.find(price, "Amount", fmt.Sprintf("Amount is %s.", value))
		}
	}, "Price"),
	newRow("PTK_UNIT_PRICE", validate.Semantics, validate.Warning, "Price/@UnitPrice", "The price should be the product of UnitPrice and Amount.", "Correct one of the three values.").of(unitPrice, "Price"),
	newRow("PTK_ITEM_UNKNOWN", validate.Semantics, validate.Warning, "Price/@ItemRefs", "ItemRefs and DropID should name items in the jobs beside the pricing.", "Write the ID of a product or resource, or the DropID of a part.").of(itemUnknown, "PurchaseOrder", "Quote"),
	newRow("PTK_AMOUNT_DIFFERS", validate.Semantics, validate.Warning, "Price/@Amount", "The amount of a product's price should be the amount of the product.", "Correct one of the amounts.").of(amountDiffers, "PurchaseOrder", "Quote"),
} // constant

// named yields the children in the namespace of PrintTalk with a name.
func named(n *xjdf.Node, name string) iter.Seq[*xjdf.Node] {
	return func(yield func(*xjdf.Node) bool) {
		for _, child := range n.Children {
			if child.Name.Space == Namespace && child.Name.Local == name && !yield(child) {
				return
			}
		}
	}
}

func referenceMissing(p *pass, n *xjdf.Node) {
	if n.Attribute("BusinessRefID") != nil {
		return
	}
	answers := []string{"Quotation", "Confirmation", "Refusal", "OrderStatusResponse", "Cancellation"}
	for _, object := range n.Children {
		name := object.Name.Local
		ordersQuote := name == "PurchaseOrder" && object.Attribute("QuoteID") != nil
		cancelsJob := name == "Cancellation" && object.Attribute("JobIDRef") != nil
		if object.Name.Space == Namespace && (slices.Contains(answers, name) || ordersQuote) && !cancelsJob {
			p.find(n, "", name+" refers to no other business object.")
		}
	}
}

func quoteDuplicate(p *pass, n *xjdf.Node) {
	seen := map[string]bool{}
	for quote := range named(n, "Quote") {
		id, given := quote.Attr("QuoteID")
		if given && seen[id] {
			p.find(quote, "QuoteID", fmt.Sprintf("Another quote has the ID %q.", clip(id)))
		}
		seen[id] = true
	}
}

func amountPrices(p *pass, n *xjdf.Node) {
	for _, item := range n.Items("AmountPrices") {
		if amount, ok := readDecimal(item); ok && !amount.IsPositive() {
			p.find(n, "AmountPrices", "AmountPrices contains "+clip(item)+".")
			return
		}
	}
}

func jobDuplicate(p *pass, n *xjdf.Node) {
	seen := map[[2]string]bool{}
	for job := range n.All("XJDF") {
		id, given := job.Attr("JobID")
		part, _ := job.Attr("JobPartID")
		if given && seen[[2]string{id, part}] {
			p.find(job, "JobID", fmt.Sprintf("Another job has the JobID %q and the same JobPartID.", clip(id)))
		}
		seen[[2]string{id, part}] = true
	}
}

func lineDuplicate(p *pass, root *xjdf.Node) {
	seen := map[string]bool{}
	for n := range root.Descendants() {
		if n.Name.Space != Namespace || n.Name.Local != "Price" {
			continue
		}
		id, given := n.Attr("LineID")
		if given && seen[id] {
			p.find(n, "LineID", fmt.Sprintf("Another line has the ID %q.", clip(id)))
		}
		seen[id] = true
	}
}

// linesOf returns the prices of a pricing by their LineID.
func linesOf(pricing *xjdf.Node) map[string]*xjdf.Node {
	lines := map[string]*xjdf.Node{}
	for price := range named(pricing, "Price") {
		if id, given := price.Attr("LineID"); given {
			lines[id] = price
		}
	}
	return lines
}

func lineUnknown(p *pass, pricing *xjdf.Node) {
	lines := linesOf(pricing)
	for price := range named(pricing, "Price") {
		for _, id := range price.Items("LineIDRefs") {
			if line := lines[id]; line == nil || line == price {
				p.find(price, "LineIDRefs", fmt.Sprintf("LineIDRefs contains %q, which is no other line of this pricing.", clip(id)))
				break
			}
		}
	}
}

// sum compares sums of lines with the same tax type as their total: others need a tax rate.
func sum(p *pass, pricing *xjdf.Node) {
	lines := linesOf(pricing)
	for price := range named(pricing, "Price") {
		kind, _ := price.Attr("PriceType")
		stated, ok := amountOf(price, "Price")
		refs := price.Items("LineIDRefs")
		if kind != "Total" && kind != "Subtotal" || !ok || len(refs) == 0 {
			continue
		}
		tax, _ := price.Attr("TaxType")
		total := decimal.Zero
		for _, id := range refs {
			line := lines[id]
			if line == nil || line == price {
				ok = false
				break
			}
			part, valid := amountOf(line, "Price")
			lineTax, _ := line.Attr("TaxType")
			ok = ok && valid && lineTax == tax
			total = total.Add(part)
		}
		if ok && !total.Equal(stated) {
			p.find(price, "Price", fmt.Sprintf("The price is %s; its lines add up to %s.", stated, total))
		}
	}
}

// amountOf returns a decimal attribute.
func amountOf(n *xjdf.Node, name string) (decimal.Decimal, bool) {
	text, _ := n.Attr(name)
	return readDecimal(strings.TrimSpace(text))
}

// unitPrice allows for the rounding of both prices to their digits.
func unitPrice(p *pass, price *xjdf.Node) {
	unit, ok1 := amountOf(price, "UnitPrice")
	amount, ok2 := amountOf(price, "Amount")
	stated, ok3 := amountOf(price, "Price")
	if !ok1 || !ok2 || !ok3 || len(slices.Collect(named(price, "Additional"))) > 0 {
		return
	}
	half := func(d decimal.Decimal) decimal.Decimal { return decimal.New(5, min(d.Exponent(), 0)-1) }
	tolerance := half(unit).Mul(amount.Abs()).Add(half(stated))
	if product := unit.Mul(amount); product.Sub(stated).Abs().GreaterThan(tolerance) {
		p.find(price, "UnitPrice", fmt.Sprintf("UnitPrice %s times Amount %s is %s; the price is %s.", unit, amount, product, stated))
	}
}

// items are the IDs, the DropIDs and the products of the jobs beside a pricing.
type items struct {
	known    map[string]bool
	products map[string]*xjdf.Node
}

func itemsOf(n *xjdf.Node) (found items, jobs bool) {
	found = items{map[string]bool{}, map[string]*xjdf.Node{}}
	for job := range n.All("XJDF") {
		jobs = true
		for inner := range job.Descendants() {
			for _, name := range []string{"ID", "ExternalID", "DropID"} {
				if id, given := inner.Attr(name); given {
					found.known[id] = true
				}
			}
			if id, given := inner.Attr("ID"); given && inner.Name.Core() && inner.Name.Local == "Product" {
				found.products[id] = inner
			}
		}
	}
	return found, jobs
}

func itemUnknown(p *pass, n *xjdf.Node) {
	found, jobs := itemsOf(n)
	if !jobs {
		return // the jobs are in the object that this one answers
	}
	for pricing := range named(n, "Pricing") {
		for price := range named(pricing, "Price") {
			for _, name := range []string{"ItemRefs", "DropID"} {
				for _, id := range price.Items(name) {
					if !found.known[id] {
						p.find(price, name, fmt.Sprintf("%s names %q, which is in no job.", name, clip(id)))
						break
					}
				}
			}
		}
	}
}

func amountDiffers(p *pass, n *xjdf.Node) {
	found, _ := itemsOf(n)
	for pricing := range named(n, "Pricing") {
		for price := range named(pricing, "Price") {
			refs := price.Items("ItemRefs")
			kind, _ := price.Attr("PriceType")
			if len(refs) != 1 || found.products[refs[0]] == nil || kind != "Product" {
				continue
			}
			priced, ok := amountOf(price, "Amount")
			wanted, ok2 := amountOf(found.products[refs[0]], "Amount")
			if ok && ok2 && !priced.Equal(wanted) {
				p.find(price, "Amount", fmt.Sprintf("Amount is %s; the product %s has %s.", priced, clip(refs[0]), wanted))
			}
		}
	}
}
