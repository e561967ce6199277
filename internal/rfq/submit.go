// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Limits of an offer.
const (
	maxSupplierID   = 64
	maxSupplierName = 200
	maxPriceBreaks  = 50
	maxLeadTime     = 3650
	maxTerms        = 200
	maxValidity     = 10 * 366 * 24 * time.Hour
	maxAssumptions  = 20
	maxAssumption   = 500
	// MaxQuotes is the maximum number of quotes of one RFQ, including revisions.
	MaxQuotes = 500
)

// ErrTooManyQuotes means that an RFQ already has [MaxQuotes].
var ErrTooManyQuotes = fmt.Errorf("rfq has %d quotes already", MaxQuotes)

// Submitted is the result of [Service.SubmitQuote].
type Submitted struct {
	Quote Quote
	// Repeated is true if the supplier's submitted quote has the same offer already.
	// Nothing was written.
	Repeated bool
}

// SubmitQuote records a supplier's offer. A new revision supersedes the supplier's
// submitted quote for the same RFQ. The same offer changes nothing, so a submission can
// be repeated. It returns transaction.ErrNotFound, [ValidationError], [ErrRevision],
// [NotOpenError] or [ErrTooManyQuotes].
func (s *Service) SubmitQuote(ctx context.Context, owner tenant.ID, rfqID string, offer Offer, by Instruction) (Submitted, error) {
	offer.ValidUntil = offer.ValidUntil.UTC().Truncate(time.Millisecond)
	if err := offer.check(s.now()); err != nil {
		return Submitted{}, err
	}
	var submitted Submitted
	err := s.amend(ctx, owner, rfqID, transaction.SubmitQuote, by, func(record RFQ, quotes []Quote, now time.Time) (Amendment, error) {
		if i := slices.IndexFunc(quotes, func(q Quote) bool { return q.Status == QuoteSubmitted && q.Offer.Equal(offer) }); i >= 0 {
			submitted = Submitted{Quote: quotes[i], Repeated: true}
			return Amendment{}, errUnchanged
		}
		amendment, err := s.answer(record, quotes, offer, now)
		if err == nil {
			submitted = Submitted{Quote: amendment.Quotes[0]}
		}
		return amendment, err
	})
	if err != nil {
		return Submitted{}, err
	}
	return submitted, nil
}

// answer applies the rules of SubmitQuote to a new offer. The new quote comes first in
// the result.
func (s *Service) answer(record RFQ, quotes []Quote, offer Offer, now time.Time) (Amendment, error) {
	switch {
	case !record.TakesQuotes():
		return Amendment{}, &NotOpenError{Status: record.Status}
	case len(quotes) >= MaxQuotes:
		return Amendment{}, ErrTooManyQuotes
	}
	revision, standing := 1, []Quote(nil)
	for _, q := range quotes {
		if q.Offer.Supplier.ID != offer.Supplier.ID {
			continue
		}
		revision = max(revision, q.Revision+1)
		if q.Status == QuoteSubmitted {
			q.Status = QuoteSuperseded
			standing = append(standing, q)
		}
	}
	quote, err := s.newQuote(record, revision, offer, now)
	if err != nil {
		return Amendment{}, err
	}
	kinds := []transaction.EventType{transaction.RFQQuoted}
	if len(standing) > 0 {
		kinds = append(kinds, transaction.QuoteSuperseded)
	}
	events, err := s.events(record.ID, now, kinds...)
	if err != nil {
		return Amendment{}, err
	}
	record.become(Quoted, now)
	record.QuoteCount += 1 - len(standing)
	return Amendment{RFQ: record, Quotes: append([]Quote{quote}, standing...), Events: events}, nil
}

func (s *Service) newQuote(record RFQ, revision int, offer Offer, now time.Time) (Quote, error) {
	id, err := recordid.New(recordid.Quote, now, s.config.Random)
	if err != nil {
		return Quote{}, err
	}
	return Quote{
		ID: id, RFQID: record.ID, Revision: revision,
		Status: QuoteSubmitted, Offer: offer, SubmittedAt: now,
	}, nil
}

// check validates an offer by itself; the error is a [ValidationError].
func (o Offer) check(now time.Time) error {
	var found violations
	found.text("#/supplier/id", o.Supplier.ID, maxSupplierID)
	found.text("#/supplier/displayName", o.Supplier.DisplayName, maxSupplierName)
	found.price("#/total", o.Total, o.Total)
	found.price("#/unitPrice", o.UnitPrice, o.Total)
	found.count("#/quantity", o.Quantity, MaxQuantity)
	if len(o.PriceBreaks) > maxPriceBreaks {
		found.add("#/priceBreaks", invalidLength, fmt.Sprintf("must have at most %d entries", maxPriceBreaks))
	} else {
		for i, b := range o.PriceBreaks {
			found.count(fmt.Sprintf("#/priceBreaks/%d/quantity", i), b.Quantity, MaxQuantity)
			found.price(fmt.Sprintf("#/priceBreaks/%d/unitPrice", i), b.UnitPrice, o.Total)
		}
	}
	found.count("#/leadTimeDays", int64(o.LeadTimeDays), maxLeadTime)
	found.text("#/delivery/city", o.Delivery.City, MaxDeliveryCity)
	found.text("#/delivery/terms", o.Delivery.Terms, maxTerms)
	if !o.ValidUntil.After(now) || o.ValidUntil.Sub(now) > maxValidity {
		found.add("#/validUntil", outOfRange, "must be in the future, and at most ten years ahead")
	}
	if len(o.Assumptions) > maxAssumptions {
		found.add("#/assumptions", invalidLength, fmt.Sprintf("must have at most %d entries", maxAssumptions))
	} else {
		for i, text := range o.Assumptions {
			found.text(fmt.Sprintf("#/assumptions/%d", i), text, maxAssumption)
		}
	}
	return found.err()
}

// price requires a non-negative amount in the currency of the total.
func (v *violations) price(pointer string, price, total money.Money) {
	switch {
	case price.IsZero():
		v.add(pointer, invalidValue, "must be an amount with a currency")
	case price.Sign() < 0:
		v.add(pointer, outOfRange, "must not be negative")
	case price.Currency() != total.Currency():
		v.add(pointer, invalidValue, "must be in the currency of the total")
	}
}
