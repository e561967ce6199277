// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// instant is how the API writes a time.
const instant = "2006-01-02T15:04:05.000Z"

// payload is the body of a delivery. It is thin: a receiver fetches the subject for
// the truth.
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

// subjects say how a payload names what an event is about, by the prefix of its id,
// and where that is read.
var subjects = [...]struct {
	prefix recordid.Prefix
	member string
	path   string
}{
	{recordid.RFQ, "rfqId", "/api/v1/rfq/"},
	{recordid.Job, "jobId", "/api/v1/preflight/"},
}

// Payload is the body that tells an owner of an event. It is the same bytes
// whenever it is made. An event about nothing, or about what has no name here, has
// no data and no links.
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
			p.Links["self"] = subject.path + event.Subject
		}
	}
	// Texts, and maps of texts, can always be encoded.
	body, _ := json.Marshal(p)
	return body
}
