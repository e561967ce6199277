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
	Data         map[string]string     `json:"data"`
	Links        map[string]string     `json:"links"`
}

// subjects maps the prefix of a subject's id to its member in payloads and its path.
var subjects = [...]struct {
	prefix recordid.Prefix
	member string
	path   string
}{
	{recordid.RFQ, "rfqId", "/api/v1/rfq/"},
	{recordid.Job, "jobId", "/api/v1/preflight/"},
}

// Payload returns the body for an event. The bytes are the same for every call. An
// event without a subject, or with an unlisted one, has no data and no links.
func Payload(owner tenant.ID, event transaction.Event) []byte {
	p := payload{
		ID: event.ID, Type: event.Type, APIVersion: "v1", Livemode: owner.Mode == tenant.Live,
		Timestamp:    event.At.UTC().Truncate(time.Millisecond).Format(instant),
		Organization: owner.Organization,
		Data:         map[string]string{}, Links: map[string]string{},
	}
	for _, subject := range subjects {
		if recordid.Valid(subject.prefix, event.Subject) {
			p.Data[subject.member] = event.Subject
			if event.Reference != "" {
				p.Data["clientReference"] = event.Reference
			}
			p.Links["self"] = subject.path + event.Subject
		}
	}
	// Strings and maps of strings can always be encoded.
	body, _ := json.Marshal(p)
	return body
}
