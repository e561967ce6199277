// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"net/url"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// EndpointModel returns the model of an endpoint for partners and the platform API.
// The model holds no secrets, and the URL has no query.
func EndpointModel(k webhook.Known) Endpoint {
	condition, reason := k.Condition()
	model := Endpoint{
		Name: k.Name, Organization: k.Owner.Organization, Livemode: k.Owner.Mode == tenant.Live, URL: redacted(k.URL),
		Events: []EventType{}, State: string(condition), Reason: reason, Waiting: k.Standing.Waiting,
		EnrolledAt: respond.Since(k.Standing.EnrolledAt), FailingSince: respond.Since(k.Standing.FailingSince),
		Failures: k.Standing.Breaker.Failures, PausedUntil: respond.Since(k.Standing.Breaker.Until),
		DeliveredAt: respond.Since(k.Standing.DeliveredAt), OldestAt: respond.Since(k.Standing.OldestAt),
	}
	for _, kind := range k.Events {
		model.Events = append(model.Events, string(kind))
	}
	return model
}

// EndpointModels returns the models of a list of endpoints.
func EndpointModels(all []webhook.Known) []Endpoint {
	models := make([]Endpoint, len(all))
	for i := range all {
		models[i] = EndpointModel(all[i])
	}
	return models
}

// redacted returns a URL without its query, which may contain a token.
func redacted(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	if u.RawQuery != "" {
		u.RawQuery = "redacted"
	}
	return u.Redacted()
}

// DeliveryModel returns the model of a delivery.
func DeliveryModel(d webhook.Delivery) Delivery {
	return Delivery{
		ID: d.ID, Organization: d.Owner.Organization, Livemode: d.Owner.Mode == tenant.Live, Endpoint: d.Name,
		Event: d.Event.ID, Type: string(d.Event.Type), Subject: d.Event.Subject, State: string(d.State), Attempts: d.Attempts,
		EventAt: respond.Instant(d.Event.At), CreatedAt: respond.Instant(d.CreatedAt),
		DueAt: respond.Since(d.DueAt), EndedAt: respond.Since(d.EndedAt),
	}
}

// Deliveries returns the models of a list of deliveries.
func Deliveries(all []webhook.Delivery) []Delivery {
	models := make([]Delivery, len(all))
	for i := range all {
		models[i] = DeliveryModel(all[i])
	}
	return models
}

// Attempted returns the model of a delivery with its attempts.
func Attempted(d webhook.Delivery, attempts []webhook.Attempt) DeliveryWithAttempts {
	model := DeliveryWithAttempts{Delivery: DeliveryModel(d), Attempts: make([]Attempt, len(attempts))}
	for i, a := range attempts {
		model.Attempts[i] = Attempt{
			Number: a.Number, At: respond.Instant(a.At), Milliseconds: a.Took.Milliseconds(),
			Status: a.Status, Fault: string(a.Fault), Excerpt: a.Excerpt,
		}
	}
	return model
}
