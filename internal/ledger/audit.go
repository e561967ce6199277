// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Verb is what somebody on the marketplace's side did to a partner's record.
type Verb string

// The verbs.
const (
	CloseRFQ      Verb = "rfq.close"
	CancelRFQ     Verb = "rfq.cancel"
	SubmitQuote   Verb = "quote.submit"
	WithdrawQuote Verb = "quote.withdraw"

	ImportMasterData   Verb = "masterdata.import"
	ApproveMasterData  Verb = "masterdata.approve"
	WithdrawMasterData Verb = "masterdata.withdraw"

	TestWebhook      Verb = "webhook.test"
	RedeliverWebhook Verb = "webhook.redeliver"
	RecoverWebhook   Verb = "webhook.recover"
	EnableWebhook    Verb = "webhook.enable"
)

// Actor is who did it.
type Actor struct {
	// Organization is the one of the key, Key the key's name.
	Organization, Key string
	// RequestID leads to the request's line in the access log.
	RequestID string
}

// Deed is one line of the audit: it is committed with what it tells of, or, where
// nothing of a partner's is changed but what is sent, before it. It is neither changed
// nor erased.
type Deed struct {
	// ID has the prefix aud_; ids sort by time.
	ID    string
	At    time.Time
	Actor Actor
	Verb  Verb
	// Owner is whose record it was, Subject its id.
	Owner   tenant.ID
	Subject string
	// Reason is what the actor gave as one; it may be empty.
	Reason string
}

// NewDeed writes a line of the audit.
func NewDeed(deed Deed, random io.Reader) (Deed, error) {
	var err error
	deed.ID, err = NewID(AuditPrefix, deed.At, random)
	return deed, err
}
