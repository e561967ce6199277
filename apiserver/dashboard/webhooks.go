// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/webhook"
)

const (
	webhooksPath   = "/webhooks"
	endpointsPath  = webhooksPath + "/endpoints/"
	deliveriesPath = webhooksPath + "/deliveries/"
	// Limits of one page.
	deliveriesOnPage = 50
	attemptsOnPage   = 50
)

// deliveryStates are the values of the filter by state.
var deliveryStates = [...]webhook.State{webhook.Pending, webhook.Delivered, webhook.Exhausted}

// requireWebhooks restricts a page to callers that may use webhooks by the API. For callers
// without the grant, the page does not exist, as the routes of the API.
func (s *server) requireWebhooks(next handler) handler {
	return s.requireWebhookScopes(next, webhooksapi.Scope)
}

func (s *server) requireWebhookScopes(next handler, scopes ...posture.Scope) handler {
	return s.requirePartner(webhooksapi.Capability.Definition().Surface, func(v *visit) response {
		if !v.snapshot.Grants(v.caller, webhooksapi.Capability, v.now) {
			return notFound(v)
		}
		for _, scope := range scopes {
			if decision := v.snapshot.DecideScope(v.caller, webhooksapi.Capability, scope, v.now); !decision.Allowed() {
				return problemPage(v.Refusal(decision))
			}
		}
		return next(v)
	})
}

// requireWebhookWrite restricts a form to callers that may also change webhooks by the API.
func (s *server) requireWebhookWrite(next handler) handler {
	return s.requireWebhookScopes(next, webhooksapi.Scope, webhooksapi.WriteScope)
}

// endpointRow is one endpoint.
type endpointRow struct {
	Name, URL, State, Reason string
	Events                   []string
	// Disabled reports whether an operator must enable the endpoint.
	Disabled                              bool
	DisabledSince, Delivered, FailedSince time.Time
	// Failures is how many attempts in a row have failed. Because of them, deliveries are
	// paused until PausedUntil or, if Probed, sent one at a time.
	Failures      int
	PausedUntil   time.Time
	Probed        bool
	Waiting       int
	OldestWaiting time.Time
}

// endpointRowOf describes an endpoint as the API does, without secrets and without the
// query of its URL.
func endpointRowOf(k webhook.Known, now time.Time) endpointRow {
	model, standing := webhooksapi.EndpointModel(k), k.Standing
	row := endpointRow{
		Name: k.Name, URL: model.URL, State: model.State, Reason: model.Reason, Events: model.Events,
		Disabled: standing.Disabled != webhook.NotDisabled, DisabledSince: standing.DisabledAt,
		Delivered: standing.DeliveredAt, FailedSince: standing.FailingSince,
		Failures: standing.Breaker.Failures, Waiting: standing.Waiting, OldestWaiting: standing.OldestAt,
	}
	// The breaker matters only if nothing else stops all deliveries.
	if condition, _ := k.Condition(); condition == webhook.Open {
		switch standing.Breaker.State(now) {
		case webhook.BreakerOpen:
			row.PausedUntil = standing.Breaker.Until
		case webhook.BreakerHalfOpen:
			row.Probed = true
		case webhook.BreakerClosed:
		}
	}
	return row
}

// word is the state of the endpoint on its label.
func (e *endpointRow) word() string {
	switch {
	case e.State != string(webhook.Open):
		return e.State
	case !e.PausedUntil.IsZero():
		return "paused"
	case !e.FailedSince.IsZero(), e.Probed:
		return "failing"
	default:
		return "active"
	}
}

// kind is that of the label with the state.
func (e *endpointRow) kind() kind {
	switch {
	case e.Disabled:
		return kindDanger
	case e.word() != "active":
		return kindAttention
	default:
		return kindOK
	}
}

// attemptKind is the kind of the label with the result of an attempt.
func attemptKind(a webhook.Attempt) kind {
	if a.Fault != "" {
		return kindDanger
	}
	return kindOK
}

// endpointPath is the path of the page of an endpoint.
func endpointPath(name string) string { return endpointsPath + url.PathEscape(name) + "/deliveries" }

// formPath is the path of a form of an endpoint.
func (e *endpointRow) formPath(verb string) string {
	return endpointsPath + url.PathEscape(e.Name) + "/" + verb
}

func (e *endpointRow) afterFailures() string {
	return fmt.Sprintf(" after %d consecutive failures", e.Failures)
}

// listEndpoints serves the list of endpoints. There are few, so it has one page.
func (s *server) listEndpoints(v *visit) response {
	endpoints, err := s.Webhooks.Endpoints(v.Context(), v.caller.Tenant())
	if err != nil {
		return failed(err)
	}
	var rows []endpointRow
	for i := range endpoints {
		rows = append(rows, endpointRowOf(endpoints[i], v.now))
	}
	return show(pageWebhooks, "Webhooks", webhooksPage(rows))
}

// endpointBody is one endpoint with a page of its deliveries, the newest first.
type endpointBody struct {
	endpointRow
	// Done states the result of a form; Notice explains why a form had no effect.
	Done, Notice string
	// Since is the value of the form of a recovery, between Earliest and Latest.
	Since, Earliest, Latest string
	// Chosen is the filter by state; empty for all.
	Chosen     webhook.State
	Deliveries []webhook.Delivery
	Activity   deliveryActivity
	// First is the path of the first page, set on later pages. Older is the path of the
	// next page; empty on the last.
	First, Older string
}

// showEndpoint serves one endpoint.
func (s *server) showEndpoint(v *visit) response {
	return s.endpoint(v, http.StatusOK, endpointBody{Done: outcomes[v.URL.Query().Get(doneField)]})
}

// endpoint adds to a body the endpoint that the path names, and shows its page.
func (s *server) endpoint(v *visit, status int, body endpointBody) response {
	known, err := s.Webhooks.Find(v.Context(), v.address())
	if err != nil {
		return failed(webhooksapi.ProblemOf(err))
	}
	body.endpointRow = endpointRowOf(known, v.now)
	// The field has no seconds, so the earliest time is rounded up. The default is the
	// time of the first failure.
	earliest := v.now.Add(time.Minute - webhook.Retention)
	body.Earliest, body.Latest = fieldOf(earliest), fieldOf(v.now)
	if began := known.Standing.FailingSince; body.Since == "" && began.After(earliest) {
		body.Since = fieldOf(began)
	}
	if err := s.addDeliveries(v, &body); err != nil {
		return failed(err)
	}
	if body.Activity, err = s.activity(v); err != nil {
		return failed(err)
	}
	r := show(pageEndpoint, known.Name, endpointPage(body))
	r.status = status
	return r
}

// address identifies the endpoint that the path names.
func (v *visit) address() webhook.Address {
	return webhook.Address{Owner: v.caller.Tenant(), Name: v.PathValue("name")}
}

// addDeliveries adds the page of deliveries that the query selects.
func (s *server) addDeliveries(v *visit, body *endpointBody) error {
	sent, limit := v.URL.Query(), deliveriesOnPage
	filter := webhooksapi.Filter{Endpoint: &body.Name, Limit: &limit}
	own := url.Values{}
	if state := sent.Get("state"); state != "" {
		filter.State = &state
		own.Set("state", state)
	}
	query, err := filter.Query()
	if err != nil {
		return err
	}
	query.Owner = v.caller.Tenant()
	var at *string
	if cursor := sent.Get("cursor"); cursor != "" {
		at = &cursor
		body.First = endpointPath(body.Name) + "?" + own.Encode()
	}
	deliveries, next, err := webhooksapi.List(v.Context(), s.Webhooks, s.Cursors, query, at)
	if err != nil {
		return err
	}
	if next != "" {
		own.Set("cursor", next)
		body.Older = endpointPath(body.Name) + "?" + own.Encode()
	}
	body.Chosen, body.Deliveries = query.State, deliveries
	return nil
}

// deliveryBody is one delivery with its payload and its life.
type deliveryBody struct {
	webhook.Delivery
	// Done states the result of a form.
	Done string
	// Payload is the body that is sent.
	Payload string
	// Newest are the newest attempts, the newest first; Attempts counts all of them.
	Newest []webhook.Attempt
}

// showDelivery serves one delivery.
func (s *server) showDelivery(v *visit) response {
	delivery, attempts, err := s.Webhooks.Delivery(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failed(webhooksapi.ProblemOf(err))
	}
	body := deliveryBody{
		Delivery: delivery, Done: outcomes[v.URL.Query().Get(doneField)], Payload: string(webhook.Payload(delivery.Owner, delivery.Event)),
		Newest: slices.Clone(attempts[max(0, len(attempts)-attemptsOnPage):]),
	}
	slices.Reverse(body.Newest)
	return show(pageDelivery, string(delivery.Event.Type), deliveryPage(body, v.now))
}
