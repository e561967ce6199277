// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Mode is what a calculation is for.
type Mode string

// The modes.
const (
	// Authoritative results may be quoted.
	Authoritative Mode = "authoritative"
	// PreviewMode is an estimate, which always ends in a [*ReviewError].
	PreviewMode Mode = "preview"
)

// notice is how long before its end a snapshot is one to ask about.
const notice = 24 * time.Hour

// maxBreaks bounds the quantities of one result.
const maxBreaks = authority.MaxBreaks + 3

// Request is what is to be calculated, by what, and when.
type Request struct {
	Document *xjdf.Document
	Mode     Mode
	// Authority is the snapshot in force for whoever asks.
	Authority authority.Effective
	Now       time.Time
}

// Calculate works out what the product of a document costs. Its errors are
// [*MediaError], in the authoritative mode only and before anything else,
// [*ReviewError], which may hold a result, and [ErrNoAuthority] and [ErrMode] for
// requests that are none. It neither reads nor writes anything outside of the
// request, which it does not change.
func Calculate(r Request) (*Result, error) {
	if r.Authority.Value == nil || r.Document == nil || r.Document.Root == nil {
		return nil, ErrNoAuthority
	}
	if r.Mode != Authoritative && r.Mode != PreviewMode {
		return nil, ErrMode
	}
	read := &reader{document: r.Document, snapshot: r.Authority.Value, policy: r.Authority.Value.Policy()}
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
		read.review(AuthorityEnds, nil, "", "the master data are not in force for another day")
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

// result calculates all quantities; nil if there are no figures.
func (r *reader) result(q Request, j *job) *Result {
	if j == nil {
		return nil
	}
	p := r.plans(j)
	if p == nil {
		return nil
	}
	result := &Result{
		Mode: q.Mode, Outcome: OutcomeAuthoritative, Snapshot: snapshotOf(&q.Authority), Product: productOf(j),
		Assumptions: append([]Assumption{}, r.assumptions...), Rounding: Rounding,
	}
	for _, quantity := range j.quantities(r.policy.QuantityBreaks) {
		c := r.snapshot.Currency()
		t := tally{unit: 1, decimals: c.Decimals(), currency: c}
		for range 10 - t.decimals {
			t.unit *= 10
		}
		b := p.compare(t, quantity)
		if b.total > mostMinor {
			r.stop(FiguresBeyondCalculable, j.node, "Amount", fmt.Sprintf("%d copies cost more than an amount can hold", quantity))
			return nil
		}
		r.limits(j, &t, quantity, b.total)
		result.Breaks = append(result.Breaks, p.write(t, quantity, &b))
	}
	return result
}

// quantities are what is asked for, the bounds, and the breaks between them.
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

// limits compares a quantity with what may be quoted unattended. Zero is nothing.
func (r *reader) limits(j *job, t *tally, quantity, total int64) {
	if quantity > r.policy.MaxQuantity {
		r.review(QuantityAboveLimit, j.node, "Amount", fmt.Sprintf("at most %d are quoted unattended", r.policy.MaxQuantity))
	}
	// unit is 10 to the power of 10 less the decimals: a ten-thousandth of a minor
	// unit in millionths.
	if times(total, t.unit/quantityOne) > int64(r.policy.MaxTotal) {
		r.review(TotalAboveLimit, j.node, "Amount", fmt.Sprintf("at most %s %s are quoted unattended", r.policy.MaxTotal, t.currency))
	}
}

func snapshotOf(e *authority.Effective) Snapshot {
	return Snapshot{
		ID: e.Value.ID(), Approval: e.Approval, Currency: string(e.Value.Currency()),
		ApprovedAt: instant(e.ApprovedAt), EffectiveFrom: instant(e.From), EffectiveTo: instant(e.Until),
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
