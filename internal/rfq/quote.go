// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/money"
)

// QuoteStatus is the state of a quote; another type than [Status], because the
// two share words but not meanings.
type QuoteStatus string

// The states of a quote. Accepted and Declined are answers of the buyer, which
// are disabled for everyone.
const (
	QuoteSubmitted  QuoteStatus = "submitted"
	QuoteSuperseded QuoteStatus = "superseded"
	QuoteWithdrawn  QuoteStatus = "withdrawn"
	QuoteExpired    QuoteStatus = "expired"
	QuoteAccepted   QuoteStatus = "accepted"
	QuoteDeclined   QuoteStatus = "declined"
)

// Supplier is who quotes.
type Supplier struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
}

// PriceBreak is the unit price from a quantity on.
type PriceBreak struct {
	Quantity  int64       `json:"quantity"`
	UnitPrice money.Money `json:"unitPrice"`
}

// Delivery is where to and on whose risk, as an Incoterm or free text.
type Delivery struct {
	City  string `json:"city"`
	Terms string `json:"terms"`
}

// Offer is what a supplier says: the part of a quote that never changes.
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

// Equal reports whether two offers say the same, to the digit.
func (o Offer) Equal(other Offer) bool {
	return o.Supplier == other.Supplier && o.Total.Equal(other.Total) && o.UnitPrice.Equal(other.UnitPrice) &&
		o.Quantity == other.Quantity && o.LeadTimeDays == other.LeadTimeDays && o.Delivery == other.Delivery &&
		o.ValidUntil.Equal(other.ValidUntil) && slices.Equal(o.Assumptions, other.Assumptions) &&
		slices.EqualFunc(o.PriceBreaks, other.PriceBreaks, func(a, b PriceBreak) bool {
			return a.Quantity == b.Quantity && a.UnitPrice.Equal(b.UnitPrice)
		})
}

// Quote is an offer that we have received. A supplier may quote again; the new
// revision supersedes the one before, so each supplier has at most one quote
// that stands.
type Quote struct {
	ID    string
	RFQID string
	// Revision counts a supplier's quotes for one RFQ, from 1.
	Revision    int
	Status      QuoteStatus
	Offer       Offer
	SubmittedAt time.Time
}

// At is the quote as it reads at an instant: a submitted one expires when its
// ValidUntil has passed.
func (q Quote) At(now time.Time) Quote {
	if q.Status == QuoteSubmitted && !now.Before(q.Offer.ValidUntil) {
		q.Status = QuoteExpired
	}
	return q
}
