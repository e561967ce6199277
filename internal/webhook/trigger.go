// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/client"
)

// Trigger provokes an event in the sandbox: it creates a record that a simulator leads to
// the event.
type Trigger struct {
	Event transaction.EventType `json:"event"`
	// Product is the simulated product of an RFQ; Profile is the simulated profile of a
	// preflight job. One of them is empty.
	Product string `json:"product,omitempty"`
	Profile string `json:"profile,omitempty"`
}

var triggers = [...]Trigger{
	{Event: transaction.RFQCreated, Product: "sim:rfq:quoted"},
	{Event: transaction.RFQQuoted, Product: "sim:rfq:quoted"},
	{Event: transaction.RFQClosed, Product: "sim:rfq:closed"},
	{Event: transaction.RFQExpired, Product: "sim:rfq:expired"},
	{Event: transaction.RFQCancelled, Product: "sim:rfq:cancelled"},
	{Event: transaction.QuoteSuperseded, Product: "sim:rfq:quote-superseded"},
	{Event: transaction.QuoteWithdrawn, Product: "sim:rfq:quote-withdrawn"},
	{Event: transaction.QuoteExpired, Product: "sim:rfq:quote-expired"},
	{Event: transaction.PreflightSucceeded, Profile: "sim:succeeded:pass"},
	{Event: transaction.PreflightFailed, Profile: "sim:failed:FETCH_STATUS"},
	{Event: transaction.PreflightCancelled, Profile: "sim:cancelled"},
}

// Triggers returns a trigger for each event of the catalogue. A test of an endpoint, which is
// not in the catalogue, has none.
func Triggers() []Trigger { return append([]Trigger(nil), triggers[:]...) }

// ParseEvent returns the trigger of the event with a name. The error lists all names.
func ParseEvent(name string) (Trigger, error) {
	names := make([]string, len(triggers))
	for i, trigger := range triggers {
		if names[i] = string(trigger.Event); names[i] == name {
			return trigger, nil
		}
	}
	return Trigger{}, fmt.Errorf("event %q does not exist; the events are %s", name, strings.Join(names, ", "))
}

// CreateRecord creates the record with a test key, and returns its id.
func (t Trigger) CreateRecord(ctx context.Context, c *client.Client) (id string, err error) {
	if t.Profile != "" {
		job, err := c.SubmitPreflight(ctx, client.PreflightSubmit{FileURL: "https://files.example.com/trigger.pdf", Profile: t.Profile})
		return job.JobID, err
	}
	record, err := c.CreateRFQ(ctx, client.RFQCreate{
		CatalogProductUID: t.Product, Category: "commercial-print", Title: "Triggered " + string(t.Event), Quantity: 500, DeliveryCity: "Utrecht",
	})
	return record.ID, err
}
