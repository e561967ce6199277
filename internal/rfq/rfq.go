// SPDX-License-Identifier: Apache-2.0

// Package rfq implements requests for quotation and their quotes.
//
// A partner creates an [RFQ] for one L2 catalog product and reads it back;
// suppliers answer with [Quote]s, which the marketplace submits with
// [Service.SubmitQuote]. [Service] holds every rule: valid requests, the order of
// errors, the transitions of states, and the simulator of test keys. A [Store] only
// stores records, atomically.
package rfq

import (
	"strconv"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// The lifetime of an RFQ, counted from its creation. The marketplace sets both; the
// request has no member for them.
const (
	// ResponseTime is the period in which suppliers may quote.
	ResponseTime = 14 * 24 * time.Hour
	// Lifetime is the period after which the RFQ expires.
	Lifetime = 30 * 24 * time.Hour
)

// Draft holds the body of POST /api/v1/rfq.
type Draft struct {
	// CatalogProductUID and Category are compared with the catalog byte for byte and
	// stored unchanged.
	CatalogProductUID string
	Title             string
	Category          string
	Quantity          int64
	DeliveryCity      string
	// ClientReference is the client's own name of the RFQ; empty for none.
	ClientReference string
}

// Product is a copy of the catalog's product at the time of creation. A later catalog
// does not change existing RFQs.
type Product struct {
	UID   string
	Name  string
	Group string
	// CatalogID identifies the snapshot; "simulator" for simulated products.
	CatalogID string
}

// Status is the state of an RFQ. Clients must accept unknown states.
type Status string

// The states. Creating an RFQ publishes it, so there is no draft state. Accepting a
// quote leads to Awarded, which is disabled for every partner.
const (
	Open      Status = "open"
	Quoted    Status = "quoted"
	Closed    Status = "closed"
	Awarded   Status = "awarded"
	Expired   Status = "expired"
	Cancelled Status = "cancelled"
)

// transitions is the state graph: the possible next states of each state.
var transitions = map[Status][]Status{
	Open:      {Quoted, Closed, Expired, Cancelled},
	Quoted:    {Closed, Expired, Cancelled},
	Closed:    {Awarded, Expired, Cancelled},
	Awarded:   {},
	Expired:   {},
	Cancelled: {},
}

// CanBecome reports whether the state graph has an edge from s to next.
func (s Status) CanBecome(next Status) bool {
	for _, allowed := range transitions[s] {
		if allowed == next {
			return true
		}
	}
	return false
}

// Valid reports whether s is a known state.
func (s Status) Valid() bool { _, known := transitions[s]; return known }

// RFQ is one request for quotation. All times are UTC in whole milliseconds.
type RFQ struct {
	ID     string
	Tenant tenant.ID
	// TrackingCode identifies the RFQ in conversations, such as phone calls and mail subjects.
	TrackingCode string
	Draft
	Product Product
	Status  Status
	// Version counts the stored changes, from 1.
	Version int64
	// QuoteCount is the number of quotes that are neither superseded nor
	// withdrawn.
	QuoteCount       int
	ResponseDeadline time.Time
	ExpiresAt        time.Time
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// At returns the RFQ at an instant. Deadlines take effect without a running
// process: after ResponseDeadline, an RFQ that still took quotes is closed; after
// ExpiresAt, an RFQ that was not awarded or cancelled is expired. Each transition
// is a separate version, changed at the deadline, so readers get the same result
// before and after [Service.Sweep] has stored it.
func (r RFQ) At(now time.Time) RFQ {
	if !now.Before(r.ResponseDeadline) && r.TakesQuotes() {
		r.become(Closed, r.ResponseDeadline)
	}
	if !now.Before(r.ExpiresAt) && r.Status.CanBecome(Expired) {
		r.become(Expired, r.ExpiresAt)
	}
	return r
}

// become sets the next state and increments the version.
func (r *RFQ) become(next Status, at time.Time) {
	r.Status, r.UpdatedAt = next, at
	r.Version++
}

// TakesQuotes reports whether the RFQ still accepts quotes.
func (r RFQ) TakesQuotes() bool { return r.Status == Open || r.Status == Quoted }

// Revision returns a text that changes exactly when the visible state changes. The
// ETag contains it.
func (r RFQ) Revision() string { return strconv.FormatInt(r.Version, 10) }

// asCreated returns the RFQ as in the response to its creation, so that a replay
// repeats that response regardless of later changes.
func (r RFQ) asCreated() RFQ {
	r.Version, r.UpdatedAt = 1, r.CreatedAt
	r.Status, r.QuoteCount = Open, 0
	if state, found := simulatedStateOf(r.Tenant, r.CatalogProductUID); found {
		state.apply(&r)
	}
	return r
}
