// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"context"
	"errors"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// RFQs reads RFQs. Package rfq implements it.
type RFQs interface {
	Get(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error)
}

// referenceError means that an intent must not name its RFQ.
type referenceError struct{ detail string }

func (e *referenceError) Error() string { return "intent.rfqId " + e.detail }

// ticket completes an intent from the RFQ that it names. Its error is a [referenceError]
// or one of the store.
func (s *surface) ticket(c *gate.Call, intent *jobticket.Ticket) (*jobticket.Ticket, error) {
	if intent == nil || intent.RFQID == "" {
		return intent, nil
	}
	if !c.Standing(posture.ScopeRFQRead).Allowed() {
		return nil, &referenceError{"must be absent: the API key does not have the scope rfq:read"}
	}
	known, err := s.RFQs.Get(c.Context(), c.Tenant(), intent.RFQID)
	if errors.Is(err, transaction.ErrNotFound) {
		return nil, &referenceError{"must be the id of one of your RFQs"}
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
