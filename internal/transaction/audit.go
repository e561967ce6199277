// SPDX-License-Identifier: Apache-2.0

package transaction

import (
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Verb names a privileged action on a partner's record.
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

	EraseOrganization Verb = "organization.erase"
	CertifyErasure    Verb = "organization.erased"
)

// Verbs returns all verbs.
func Verbs() []Verb {
	return []Verb{
		CloseRFQ, CancelRFQ, SubmitQuote, WithdrawQuote, ImportMasterData, ApproveMasterData, WithdrawMasterData,
		TestWebhook, RedeliverWebhook, RecoverWebhook, EnableWebhook, EraseOrganization, CertifyErasure,
	}
}

// Actor identifies the platform operator who performed the action.
type Actor struct {
	// Organization owns the API key; Key is the name of the key.
	Organization, Key string
	// RequestID identifies the request in the access log.
	RequestID string
}

// AuditEntry records one privileged action. The store commits the entry together
// with the change, or before it where the action only sends something. Entries are
// never changed or erased.
type AuditEntry struct {
	// ID has the prefix aud_; ids sort by time.
	ID    string
	At    time.Time
	Actor Actor
	Verb  Verb
	// Owner owns the record that the action changed; Subject is the id of the record.
	Owner   tenant.ID
	Subject string
	// Reason is the explanation given by the actor; it may be empty.
	Reason string
}

// NewAuditEntry returns the entry with a new id.
func NewAuditEntry(entry AuditEntry, random io.Reader) (AuditEntry, error) {
	var err error
	entry.ID, err = recordid.New(recordid.Audit, entry.At, random)
	return entry, err
}
