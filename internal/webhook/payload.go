// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// instant is the time format of the API.
const instant = "2006-01-02T15:04:05.000Z"

// payload is the body of a delivery. It contains no state that changes: receivers fetch the
// subject.
type payload struct {
	ID           string                `json:"id"`
	Type         transaction.EventType `json:"type"`
	APIVersion   string                `json:"apiVersion"`
	Livemode     bool                  `json:"livemode"`
	Timestamp    string                `json:"timestamp"`
	Organization string                `json:"organizationId"`
	Data         subject               `json:"data"`
	Links        links                 `json:"links"`
}

// subject names the record of an event.
type subject struct {
	Reference string `json:"clientReference,omitempty"`
	JobID     string `json:"jobId,omitempty"`
	RFQID     string `json:"rfqId,omitempty"`
}

type links struct {
	Self string `json:"self,omitempty"`
}

// Payload returns the body for an event. The bytes are the same for every call. An
// event without a subject, or with another one, has no data and no links.
func Payload(owner tenant.ID, event transaction.Event) []byte {
	p := payload{
		ID: event.ID, Type: event.Type, APIVersion: "v1", Livemode: owner.Mode == tenant.Live,
		Timestamp:    event.At.UTC().Truncate(time.Millisecond).Format(instant),
		Organization: owner.Organization,
	}
	switch {
	case recordid.Valid(recordid.RFQ, event.Subject):
		p.Data, p.Links = subject{Reference: event.Reference, RFQID: event.Subject}, links{"/api/v1/rfq/" + event.Subject}
	case recordid.Valid(recordid.Job, event.Subject):
		p.Data, p.Links = subject{Reference: event.Reference, JobID: event.Subject}, links{"/api/v1/preflight/" + event.Subject}
	}
	// Strings can always be encoded.
	body, _ := json.Marshal(p)
	return body
}
