// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Mode is the purpose of a calculation.
type Mode string

// The modes.
const (
	// Authoritative results may be quoted.
	Authoritative Mode = "authoritative"
	// PreviewMode is an estimate, which always ends in a [*ReviewError].
	PreviewMode Mode = "preview"
)

// notice is the remaining validity below which a snapshot needs a review.
const notice = 24 * time.Hour

// maxBreaks bounds the quantities of one result.
const maxBreaks = authority.MaxBreaks + 3

// Request holds the document to calculate, the master data to use, and the time.
type Request struct {
	Document *xjdf.Document
	Mode     Mode
	// Authority is the snapshot in force for the caller.
	Authority authority.Effective
	Now       time.Time
	// Quantities replace the requested quantity and its bounds, for what-if questions. They
	// are from 1 to [authority.MaxQuantity], at most [MaxQuantities], and may be empty.
	Quantities []int64
	// Coverage holds the measured ink of each page of a flat product, the front first: the
	// share of the page with its bleed that each separation covers, in percent. It replaces
	// the coverage of the document and of the policy. Empty means that nothing was measured.
	Coverage []map[string]money.Decimal
}

// MaxQuantities bounds [Request.Quantities].
const MaxQuantities = maxBreaks

// Calculate returns the cost of the product of a document. Its errors are
// [*MediaError], in the authoritative mode only and before any other check,
// [*ReviewError], which may hold a result, and [ErrNoAuthority], [ErrMode] and
// [ErrQuantities] for invalid requests. It reads nothing outside of the request and does not change it.
func Calculate(r Request) (*Result, error) {
	if r.Authority.Value == nil || r.Document == nil || r.Document.Root == nil {
		return nil, ErrNoAuthority
	}
	if r.Mode != Authoritative && r.Mode != PreviewMode {
		return nil, ErrMode
	}
	beyond := func(quantity int64) bool { return quantity < 1 || quantity > authority.MaxQuantity }
	if len(r.Quantities) > MaxQuantities || slices.ContainsFunc(r.Quantities, beyond) {
		return nil, ErrQuantities
	}
	read := &reader{asked: r.Quantities, measured: r.Coverage, document: r.Document, snapshot: r.Authority.Value, policy: r.Authority.Value.Policy()}
	entries, faults := read.media()
	if len(faults) > 0 && r.Mode == Authoritative {
		return nil, &MediaError{Faults: faults}
	}
	if r.Mode == PreviewMode {
		read.review(Preview, nil, "", "a preview is an estimate, and never a quote")
	}
	for _, f := range faults {
		read.stop(MediaAuthority, f.Node, f.Attribute, f.Reason)
	}
	if until := r.Authority.Until; !until.IsZero() && until.Sub(r.Now) < notice || r.Now.Before(r.Authority.From) {
		read.review(AuthorityEnds, nil, "", "the master data ends within one day")
	}
	result := read.result(r, read.job(entries))
	if len(read.reasons) > 0 {
		if result != nil {
			result.Outcome = OutcomeManualReview
		}
		return nil, &ReviewError{Reasons: read.reasons, Result: result}
	}
	return result, nil
}

// result calculates all quantities, and returns nil if there are no figures.
func (r *reader) result(q Request, j *job) *Result {
	if j == nil {
		return nil
	}
	p := r.plans(j)
	if p == nil {
		return nil
	}
	result := &Result{
		Mode: q.Mode, Outcome: OutcomeAuthoritative, Product: productOf(j),
		Snapshot: Snapshot{
			ID: r.snapshot.ID(), Approval: q.Authority.Approval, Currency: string(r.snapshot.Currency()),
			ApprovedAt: instant(q.Authority.ApprovedAt), EffectiveFrom: instant(q.Authority.From), EffectiveTo: instant(q.Authority.Until),
		},
		Assumptions: append([]Assumption{}, r.assumptions...), Rounding: Rounding,
	}
	quantities := j.quantities(r.policy.QuantityBreaks)
	if len(r.asked) > 0 {
		quantities = slices.Compact(slices.Sorted(slices.Values(r.asked)))
	}
	for _, quantity := range quantities {
		t := newTally(r.snapshot.Currency())
		b := p.compare(t, quantity)
		switch {
		case b.total == impossible && p.onFormsOnly(&b):
			r.stop(NoDevice, j.node, "Amount", fmt.Sprintf("%d copies need more positions than a gang form has, and no press can print them on sheets of their own", quantity))
			return nil
		case b.total > mostMinor:
			r.stop(FiguresBeyondCalculable, j.node, "Amount", fmt.Sprintf("the cost of %d copies exceeds the largest possible amount", quantity))
			return nil
		}
		r.limits(j, &t, quantity, b.total)
		result.Breaks = append(result.Breaks, p.write(t, quantity, &b))
	}
	return result
}

// quantities returns the requested amount, its bounds and the breaks between them, in
// ascending order and at most maxBreaks.
func (j *job) quantities(breaks []int64) []int64 {
	all := []int64{j.low, j.amount, j.high}
	for _, one := range breaks {
		if one >= j.low && one <= j.high {
			all = append(all, one)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxBreaks)]
}

// limits compares a quantity and its total with the limits for unattended quotes. A limit
// of zero allows nothing.
func (r *reader) limits(j *job, t *tally, quantity, total int64) {
	if quantity > r.policy.MaxQuantity {
		r.review(QuantityAboveLimit, j.node, "Amount", fmt.Sprintf("the limit for automatic quotes is %d copies", r.policy.MaxQuantity))
	}
	// t.unit is 10^(10-decimals), so dividing it by quantityOne gives the value of one
	// minor unit in millionths.
	if times(total, t.unit/quantityOne) > int64(r.policy.MaxTotal) {
		r.review(TotalAboveLimit, j.node, "Amount", fmt.Sprintf("the limit for automatic quotes is %s %s", r.policy.MaxTotal, t.currency))
	}
}

func instant(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

func productOf(j *job) Product {
	p := Product{ID: j.id, Type: j.kind, Quantity: j.amount, Finished: sizeOf(j.closed), Pages: j.pages, Binding: j.bind}
	for _, one := range j.parts {
		part := Part{ID: one.id, Role: string(one.role), Media: one.medium.ID, Pages: one.pages, Front: []string{}, Back: []string{}}
		if one.flat != (rectangle{}) {
			flat := sizeOf(one.flat)
			part.Flat = &flat
		}
		for i := range one.colors {
			if one.colors[i].on[front] {
				part.Front = append(part.Front, one.colors[i].name)
			}
			if one.colors[i].on[back] {
				part.Back = append(part.Back, one.colors[i].name)
			}
		}
		p.Parts = append(p.Parts, part)
	}
	return p
}
