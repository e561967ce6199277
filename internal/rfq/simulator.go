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
// Every outcome of creating an RFQ is available, so that partners can test how they
// handle it. With a live key these uids are unknown products.
type simulated string

const (
	simNone               simulated = ""
	simInvalid            simulated = "sim:rfq:invalid"
	simQuotaExceeded      simulated = "sim:rfq:quota-exceeded"
	simCatalogUnavailable simulated = "sim:rfq:catalog-unavailable"
	simQuoted             simulated = "sim:rfq:quoted"
)

// SimulatorUIDs returns the simulated product uids, for contracts and documentation.
func SimulatorUIDs() []string {
	return []string{string(simInvalid), string(simQuotaExceeded), string(simCatalogUnavailable), string(simQuoted)}
}

func simulation(owner tenant.ID, uid string) simulated {
	if owner.Mode != tenant.Test {
		return simNone
	}
	switch sim := simulated(uid); sim {
	case simInvalid, simQuotaExceeded, simCatalogUnavailable, simQuoted:
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
func (s *Service) simulatedQuotes(record RFQ, at time.Time) ([]Quote, error) {
	quotes := make([]Quote, len(simulatedSuppliers))
	for i, sim := range simulatedSuppliers {
		unit, err := money.Parse(sim.unitPrice, "EUR")
		if err != nil {
			return nil, err
		}
		total, err := unit.Times(record.Quantity)
		if err != nil {
			return nil, err
		}
		quotes[i], err = s.newQuote(record, 1, Offer{
			Supplier:     sim.supplier,
			Total:        total.Rounded(),
			UnitPrice:    unit,
			Quantity:     record.Quantity,
			LeadTimeDays: sim.leadTimeDays,
			Delivery:     Delivery{City: record.DeliveryCity, Terms: "DAP"},
			ValidUntil:   record.CreatedAt.Add(ResponseTime),
			Assumptions:  []string{"Simulated quote of the sandbox, without a real supplier."},
		}, at)
		if err != nil {
			return nil, err
		}
	}
	return quotes, nil
}
