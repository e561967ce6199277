// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// simulated is an outcome that a test key requests with a simulated product uid.
// Every outcome of creating an RFQ, and every state of an RFQ and its quotes, is
// available, so that partners can test how they handle it. With a live key these uids
// are unknown products.
type simulated string

// The simulated refusals.
const (
	simNone               simulated = ""
	simInvalid            simulated = "sim:rfq:invalid"
	simQuotaExceeded      simulated = "sim:rfq:quota-exceeded"
	simCatalogUnavailable simulated = "sim:rfq:catalog-unavailable"
)

// simulatedQuote is a quote of the simulated supplier with an index.
type simulatedQuote struct {
	supplier, revision int
	status             QuoteStatus
}

// simulatedState is an RFQ that is created in a state, with quotes and the events that
// led to the state. Accepting a quote has no event while it is disabled.
type simulatedState struct {
	uid    simulated
	status Status
	quotes []simulatedQuote
	events []transaction.EventType
}

// quotesOf returns one quote of each supplier.
func quotesOf(one, two QuoteStatus) []simulatedQuote {
	return []simulatedQuote{{0, 1, one}, {1, 1, two}}
}

var simulatedStates = [...]simulatedState{
	{
		"sim:rfq:quoted", Quoted, quotesOf(QuoteSubmitted, QuoteSubmitted),
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted},
	},
	{
		"sim:rfq:closed", Closed, quotesOf(QuoteSubmitted, QuoteSubmitted),
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQClosed},
	},
	{
		"sim:rfq:awarded", Awarded, quotesOf(QuoteDeclined, QuoteAccepted),
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQClosed},
	},
	{
		"sim:rfq:expired", Expired, quotesOf(QuoteExpired, QuoteExpired),
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQClosed, transaction.QuoteExpired, transaction.QuoteExpired, transaction.RFQExpired},
	},
	{
		"sim:rfq:cancelled", Cancelled, nil,
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQCancelled},
	},
	{
		"sim:rfq:quote-superseded", Quoted,
		[]simulatedQuote{{0, 1, QuoteSuperseded}, {0, 2, QuoteSubmitted}},
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQQuoted, transaction.QuoteSuperseded},
	},
	{
		"sim:rfq:quote-withdrawn", Quoted, quotesOf(QuoteSubmitted, QuoteWithdrawn),
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.QuoteWithdrawn},
	},
	{
		"sim:rfq:quote-expired", Quoted, quotesOf(QuoteSubmitted, QuoteExpired),
		[]transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.QuoteExpired},
	},
}

// apply puts a new RFQ into the state. An expired RFQ has passed its deadlines.
func (state simulatedState) apply(record *RFQ) {
	record.Status, record.QuoteCount = state.status, 0
	for _, quote := range state.quotes {
		if quote.status != QuoteSuperseded && quote.status != QuoteWithdrawn {
			record.QuoteCount++
		}
	}
	if state.status == Expired {
		record.ResponseDeadline, record.ExpiresAt = record.CreatedAt, record.CreatedAt
	}
}

// SimulatorUIDs returns the simulated product uids, for contracts and documentation.
func SimulatorUIDs() []string {
	uids := []string{string(simInvalid), string(simQuotaExceeded), string(simCatalogUnavailable)}
	for _, state := range simulatedStates {
		uids = append(uids, string(state.uid))
	}
	return uids
}

// simulatedStateOf returns the state that a product uid requests. found is false for a
// product that is not simulated, for a simulated refusal, and in production.
func simulatedStateOf(owner tenant.ID, uid string) (state simulatedState, found bool) {
	if owner.Mode == tenant.Test {
		for _, state := range simulatedStates {
			if string(state.uid) == uid {
				return state, true
			}
		}
	}
	return simulatedState{}, false
}

func simulation(owner tenant.ID, uid string) simulated {
	if owner.Mode != tenant.Test {
		return simNone
	}
	if state, found := simulatedStateOf(owner, uid); found {
		return state.uid
	}
	switch sim := simulated(uid); sim {
	case simInvalid, simQuotaExceeded, simCatalogUnavailable:
		return sim
	default:
		return simNone
	}
}

// product replaces the catalog for simulated products. It accepts every category.
func (sim simulated) product(now time.Time, draft Draft, quota transaction.Quota) (Product, error) {
	switch sim {
	case simInvalid:
		return Product{}, &ValidationError{Violations: []Violation{
			{Pointer: "#/catalogProductUid", Code: unknownProduct, Detail: "simulated: the catalog has no product with this uid"},
		}}
	case simQuotaExceeded:
		return Product{}, &transaction.QuotaExceededError{Quota: quota, RetryAfter: max(quota.End(now).Sub(now), time.Second), Ends: quota.End(now)}
	case simCatalogUnavailable:
		return Product{}, fmt.Errorf("%w: simulated", ErrCatalogUnavailable)
	default:
		return Product{UID: draft.CatalogProductUID, Name: "Simulated product", Group: draft.Category, CatalogID: "simulator"}, nil
	}
}

// simulatedSupplier quotes a fixed unit price in hundredths of a cent, so that totals
// are rounded, and a fixed lead time.
type simulatedSupplier struct {
	supplier     Supplier
	unitPrice    string
	leadTimeDays int
}

var simulatedSuppliers = [...]simulatedSupplier{
	{Supplier{ID: "sim_press_one", DisplayName: "Simulated Press One"}, "0.0412", 5},
	{Supplier{ID: "sim_press_two", DisplayName: "Simulated Press Two"}, "0.0375", 9},
}

// simulatedQuotes returns the same offers for the same draft.
func (s *Service) simulatedQuotes(record RFQ, at time.Time, simulated []simulatedQuote) ([]Quote, error) {
	quotes := make([]Quote, len(simulated))
	for i, sim := range simulated {
		supplier := simulatedSuppliers[sim.supplier]
		unit, err := money.Parse(supplier.unitPrice, "EUR")
		if err != nil {
			return nil, err
		}
		total, err := unit.Times(record.Quantity)
		if err != nil {
			return nil, err
		}
		validUntil := record.CreatedAt.Add(ResponseTime)
		if sim.status == QuoteExpired {
			validUntil = at
		}
		quotes[i], err = s.newQuote(record, sim.revision, Offer{
			Supplier:     supplier.supplier,
			Total:        total.Rounded(),
			UnitPrice:    unit,
			Quantity:     record.Quantity,
			LeadTimeDays: supplier.leadTimeDays,
			Delivery:     Delivery{City: record.DeliveryCity, Terms: "DAP"},
			ValidUntil:   validUntil,
			Assumptions:  []string{"Simulated quote of the sandbox, without a real supplier."},
		}, at)
		if err != nil {
			return nil, err
		}
		quotes[i].Status = sim.status
	}
	return quotes, nil
}
