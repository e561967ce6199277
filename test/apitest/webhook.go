// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Endpoint describes a webhook endpoint of an owner, with a token in its URL.
func Endpoint(owner tenant.ID, name string, events ...transaction.EventType) webhook.Endpoint {
	return webhook.Endpoint{
		Address: webhook.Address{Owner: owner, Name: name}, Events: events,
		URL: "https://hooks.example.com/" + owner.Organization + "?token=s3cret", Secrets: nil,
	}
}

// Enroll declares endpoints and opens the webhook capability for their owners.
func (w *Server) Enroll(t testing.TB, endpoints ...webhook.Endpoint) {
	t.Helper()
	w.Endpoints.Declare(endpoints...)
	must(t, w.Store.Enroll(t.Context(), endpoints, w.Clock.Now()))
}

// Deliveries stores deliveries of rfq.quoted to an endpoint, one second apart, and returns
// them.
func (w *Server) Deliveries(t testing.TB, to webhook.Address, n int) []webhook.Delivery {
	t.Helper()
	var all []webhook.Delivery
	for range n {
		w.Advance(time.Second)
		now := w.Clock.Now()
		subject, err := recordid.New(recordid.RFQ, now, rand.Reader)
		must(t, err)
		event, err := transaction.NewEvent(transaction.RFQQuoted, subject, now, rand.Reader)
		must(t, err)
		id, err := recordid.New(webhook.DeliveryPrefix, now, rand.Reader)
		must(t, err)
		d := webhook.Delivery{ID: id, Address: to, Event: event, State: webhook.Pending, DueAt: now, CreatedAt: now}
		must(t, w.Store.AddDelivery(t.Context(), d))
		all = append(all, d)
	}
	return all
}

// Attempt ends a delivery's claim in a state, after an attempt at the current time. No other
// delivery may be due.
func (w *Server) Attempt(t testing.TB, d webhook.Delivery, state webhook.State, attempt webhook.Attempt) {
	t.Helper()
	now := w.Clock.Now()
	claims, err := w.Store.Claim(t.Context(), []webhook.Lane{{Address: d.Address, Most: 100}}, 100, now, time.Minute)
	must(t, err)
	for _, claim := range claims {
		if claim.ID != d.ID {
			continue
		}
		attempt.At = now
		_, err = w.Store.Record(t.Context(), []webhook.Result{{Claim: claim, State: state, EndedAt: now, Attempt: attempt}}, now)
		must(t, err)
		return
	}
	t.Fatalf("%s was not claimed among %d", d.ID, len(claims))
}
