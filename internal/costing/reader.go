// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// reader derives a job from a document, and collects the reasons for a review.
type reader struct {
	document *xjdf.Document
	snapshot *authority.Snapshot
	policy   authority.Policy
	products map[string]*xjdf.Node
	// asked holds the quantities of the request, or is empty.
	asked []int64
	// measured is [Request.Coverage].
	measured []map[string]money.Decimal

	reasons     []Reason
	assumptions []Assumption
	// stopped is set if there can be no figures.
	stopped bool
}

// review adds a reason for a review, at most once.
func (r *reader) review(code Code, n *xjdf.Node, attribute, detail string) {
	for i := range r.reasons {
		if known := &r.reasons[i]; known.Code == code && known.Node == n && known.Attribute == attribute && known.Detail == detail {
			return
		}
	}
	if len(r.reasons) < MaxFaults {
		r.reasons = append(r.reasons, Reason{Spot: spot(r.document, n, attribute), Code: code, Detail: detail})
	}
}

// stop adds a reason that leaves no figures.
func (r *reader) stop(code Code, n *xjdf.Node, attribute, detail string) {
	r.stopped = true
	r.review(code, n, attribute, detail)
}

// assume adds an assumption, at most once.
func (r *reader) assume(code AssumptionCode, detail string) {
	a := Assumption{Code: code, Detail: detail}
	if !slices.Contains(r.assumptions, a) {
		r.assumptions = append(r.assumptions, a)
	}
}

// float reads a number, and reports an invalid one.
func (r *reader) float(n *xjdf.Node, attribute string) (money.Decimal, bool) {
	text, present := n.Attr(attribute)
	if !present {
		return 0, false
	}
	d, ok := number(text)
	if !ok {
		r.review(ValueUnreadable, n, attribute, attribute+" is not a number that can be calculated with")
	}
	return d, ok
}

// count reads a whole number, and reports an invalid one.
func (r *reader) count(n *xjdf.Node, attribute string) (int64, bool) {
	text, present := n.Attr(attribute)
	if !present {
		return 0, false
	}
	value, ok := whole(text)
	if !ok {
		r.review(ValueUnreadable, n, attribute, attribute+" is not a whole number")
	}
	return value, ok
}

// size reads a size in points and returns its first two numbers in micrometres.
func (r *reader) size(n *xjdf.Node, attribute string) (rectangle, bool) {
	text, present := n.Attr(attribute)
	if !present {
		return rectangle{}, false
	}
	all, ok := numbers(text)
	if !ok || len(all) < 2 || len(all) > 3 {
		r.review(ValueUnreadable, n, attribute, attribute+" is not a size")
		return rectangle{}, false
	}
	return rectangle{fromPoints(all[0]), fromPoints(all[1])}, true
}

// intentOf returns the intent of a name from the first product that has it: a part
// inherits the intents of the whole.
func intentOf(name string, products ...*xjdf.Node) *xjdf.Node {
	for _, product := range products {
		for intent := range product.All("Intent") {
			if found := intent.Child(name); found != nil {
				return found
			}
		}
	}
	return nil
}

// attr returns the value of an attribute, or an empty text if the element or the
// attribute is missing.
func attr(n *xjdf.Node, attribute string) string {
	if n == nil {
		return ""
	}
	value, _ := n.Attr(attribute)
	return value
}

func isTrue(text string) bool { return text == "true" || text == "1" }

// described names a part in messages by its identifier in the document.
func described(n *xjdf.Node) string {
	if id := attr(n, "ID"); id != "" {
		return fmt.Sprintf("%.60q", id)
	}
	return "the product"
}
