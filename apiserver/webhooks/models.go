// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"net/url"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/webhooks/webhooksapi"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Endpoint is how an endpoint is told, to partners and on the platform API. Its
// secrets are not in it.
func Endpoint(k webhook.Known) webhooksapi.Endpoint {
	condition, reason := k.Condition()
	model := webhooksapi.Endpoint{
		Name: k.Name, Organization: k.Owner.Organization, Livemode: k.Owner.Mode == tenant.Live, URL: redacted(k.URL),
		Events: []webhooksapi.EventType{}, State: string(condition), Reason: reason, Waiting: k.Standing.Waiting,
		EnrolledAt: respond.Since(k.Standing.EnrolledAt), FailingSince: respond.Since(k.Standing.FailingSince),
		Failures: k.Standing.Breaker.Failures, PausedUntil: respond.Since(k.Standing.Breaker.Until),
		DeliveredAt: respond.Since(k.Standing.DeliveredAt), OldestAt: respond.Since(k.Standing.OldestAt),
	}
	for _, kind := range k.Events {
		model.Events = append(model.Events, string(kind))
	}
	return model
}

// Endpoints are those of a list.
func Endpoints(all []webhook.Known) []webhooksapi.Endpoint {
	models := make([]webhooksapi.Endpoint, len(all))
	for i := range all {
		models[i] = Endpoint(all[i])
	}
	return models
}

// redacted is a URL without its query, in which partners put tokens.
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

// Delivery is how a delivery is told.
func Delivery(d webhook.Delivery) webhooksapi.Delivery {
	return webhooksapi.Delivery{
		ID: d.ID, Organization: d.Owner.Organization, Livemode: d.Owner.Mode == tenant.Live, Endpoint: d.Name,
		Event: d.Event.ID, Type: string(d.Event.Type), Subject: d.Event.Subject, State: string(d.State), Attempts: d.Attempts,
		EventAt: respond.Instant(d.Event.At), CreatedAt: respond.Instant(d.CreatedAt),
		DueAt: respond.Since(d.DueAt), EndedAt: respond.Since(d.EndedAt),
	}
}

// Deliveries are those of a list.
func Deliveries(all []webhook.Delivery) []webhooksapi.Delivery {
	models := make([]webhooksapi.Delivery, len(all))
	for i := range all {
		models[i] = Delivery(all[i])
	}
	return models
}

// Attempted is how a delivery is told with its attempts.
func Attempted(d webhook.Delivery, attempts []webhook.Attempt) webhooksapi.DeliveryWithAttempts {
	model := webhooksapi.DeliveryWithAttempts{Delivery: Delivery(d), Attempts: make([]webhooksapi.Attempt, len(attempts))}
	for i, a := range attempts {
		model.Attempts[i] = webhooksapi.Attempt{
			Number: a.Number, At: respond.Instant(a.At), Milliseconds: a.Took.Milliseconds(),
			Status: a.Status, Fault: string(a.Fault), Excerpt: a.Excerpt,
		}
	}
	return model
}
