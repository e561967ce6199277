// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"context"
	"errors"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// RFQs reads RFQs. Package rfq implements it.
type RFQs interface {
	Get(ctx context.Context, who tenant.ID, id string) (rfq.RFQ, error)
}

// errNoRFQ means that an intent names an RFQ which the tenant does not own.
var errNoRFQ = errors.New("intent names no RFQ of the tenant")

// ticket completes an intent from the RFQ that it names. Its error is [errNoRFQ]
// or one of the store.
func (s *surface) ticket(ctx context.Context, who tenant.ID, intent *jobticket.Ticket) (*jobticket.Ticket, error) {
	if intent == nil || intent.RFQID == "" {
		return intent, nil
	}
	known, err := s.RFQs.Get(ctx, who, intent.RFQID)
	if errors.Is(err, transaction.ErrNotFound) {
		return nil, errNoRFQ
	}
	if err != nil {
		return nil, err
	}
	made := *intent
	if made.Quantity == 0 && known.Quantity <= jobticket.MaxQuantity {
		made.Quantity = jobticket.Count(known.Quantity)
	}
	return &made, nil
}

// foreignRFQ returns the violation for [errNoRFQ].
func foreignRFQ() []problem.Violation {
	return []problem.Violation{{Pointer: "#/intent/rfqId", Detail: "must be the id of one of your RFQs"}}
}
