// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/fixed"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// reader makes a job of a document, and says why where it cannot.
type reader struct {
	document *xjdf.Document
	snapshot *authority.Snapshot
	policy   authority.Policy
	products map[string]*xjdf.Node

	reasons     []Reason
	assumptions []Assumption
	// stopped: there will be no figures.
	stopped bool
}

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

// stop is a review without figures.
func (r *reader) stop(code Code, n *xjdf.Node, attribute, detail string) {
	r.stopped = true
	r.review(code, n, attribute, detail)
}

func (r *reader) assume(code AssumptionCode, detail string) {
	a := Assumption{Code: code, Detail: detail}
	if !slices.Contains(r.assumptions, a) {
		r.assumptions = append(r.assumptions, a)
	}
}

// float reads a number; one that is none is said once.
func (r *reader) float(n *xjdf.Node, attribute string) (fixed.Decimal, bool) {
	text, told := n.Attr(attribute)
	if !told {
		return 0, false
	}
	d, ok := number(text)
	if !ok {
		r.review(ValueUnreadable, n, attribute, attribute+" is not a number that can be calculated with")
	}
	return d, ok
}

// count reads a whole number.
func (r *reader) count(n *xjdf.Node, attribute string) (int64, bool) {
	text, told := n.Attr(attribute)
	if !told {
		return 0, false
	}
	value, ok := whole(text)
	if !ok {
		r.review(ValueUnreadable, n, attribute, attribute+" is not a whole number")
	}
	return value, ok
}

// size reads the first two numbers of a list, in points.
func (r *reader) size(n *xjdf.Node, attribute string) (rectangle, bool) {
	text, told := n.Attr(attribute)
	if !told {
		return rectangle{}, false
	}
	all, ok := numbers(text)
	if !ok || len(all) < 2 || len(all) > 3 {
		r.review(ValueUnreadable, n, attribute, attribute+" is not a size")
		return rectangle{}, false
	}
	return rectangle{fromPoints(all[0]), fromPoints(all[1])}, true
}

// depth is the third number of a size.
func (r *reader) depth(layout *xjdf.Node) int64 {
	all, ok := numbers(attr(layout, "FinishedDimensions"))
	if !ok || len(all) < 3 {
		return 0
	}
	return fromPoints(all[2])
}

// intentOf is the intent of that name of the first product that has one: a part
// has those of the whole that it does not have itself.
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

// attr is the value of an attribute of an element that may be missing.
func attr(n *xjdf.Node, attribute string) string {
	if n == nil {
		return ""
	}
	value, _ := n.Attr(attribute)
	return value
}

func isTrue(text string) bool { return text == "true" || text == "1" }

// described is how a part is called in texts: by its identifier in the document.
func described(n *xjdf.Node) string {
	if id := attr(n, "ID"); id != "" {
		return fmt.Sprintf("%.60q", id)
	}
	return "the product"
}
