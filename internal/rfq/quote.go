// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/money"
)

// QuoteStatus is the state of a quote. It is a separate type from [Status], because
// some states share a name but not a meaning.
type QuoteStatus string

// The states of a quote. The buyer's decisions Accepted and Declined are disabled for
// every partner.
const (
	QuoteSubmitted  QuoteStatus = "submitted"
	QuoteSuperseded QuoteStatus = "superseded"
	QuoteWithdrawn  QuoteStatus = "withdrawn"
	QuoteExpired    QuoteStatus = "expired"
	QuoteAccepted   QuoteStatus = "accepted"
	QuoteDeclined   QuoteStatus = "declined"
)

// Supplier identifies the supplier of a quote.
type Supplier struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
}

// PriceBreak is the unit price that applies from a quantity on.
type PriceBreak struct {
	Quantity  int64       `json:"quantity"`
	UnitPrice money.Money `json:"unitPrice"`
}

// Delivery holds the destination and the delivery terms, as an Incoterm or free text.
type Delivery struct {
	City  string `json:"city"`
	Terms string `json:"terms"`
}

// Offer holds the supplier's content of a quote, which never changes.
type Offer struct {
	Supplier     Supplier     `json:"supplier"`
	Total        money.Money  `json:"total"`
	UnitPrice    money.Money  `json:"unitPrice"`
	Quantity     int64        `json:"quantity"`
	PriceBreaks  []PriceBreak `json:"priceBreaks,omitempty"`
	LeadTimeDays int          `json:"leadTimeDays"`
	Delivery     Delivery     `json:"delivery"`
	ValidUntil   time.Time    `json:"validUntil"`
	Assumptions  []string     `json:"assumptions,omitempty"`
}

// Equal reports whether two offers have equal members, including the digits of amounts.
func (o Offer) Equal(other Offer) bool {
	return o.Supplier == other.Supplier && o.Total.Equal(other.Total) && o.UnitPrice.Equal(other.UnitPrice) &&
		o.Quantity == other.Quantity && o.LeadTimeDays == other.LeadTimeDays && o.Delivery == other.Delivery &&
		o.ValidUntil.Equal(other.ValidUntil) && slices.Equal(o.Assumptions, other.Assumptions) &&
		slices.EqualFunc(o.PriceBreaks, other.PriceBreaks, func(a, b PriceBreak) bool {
			return a.Quantity == b.Quantity && a.UnitPrice.Equal(b.UnitPrice)
		})
}

// Quote is a received offer. If a supplier quotes again, the new revision supersedes
// the previous one, so each supplier has at most one submitted quote per RFQ.
type Quote struct {
	ID    string
	RFQID string
	// Revision counts a supplier's quotes for one RFQ, from 1.
	Revision    int
	Status      QuoteStatus
	Offer       Offer
	SubmittedAt time.Time
}

// At returns the quote at an instant: a submitted quote is expired after its
// ValidUntil.
func (q Quote) At(now time.Time) Quote {
	if q.Status == QuoteSubmitted && !now.Before(q.Offer.ValidUntil) {
		q.Status = QuoteExpired
	}
	return q
}
