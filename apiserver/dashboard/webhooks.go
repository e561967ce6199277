// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/webhook"
)

// The paths of webhooks.
const (
	webhooksPath   = "/webhooks"
	endpointsPath  = webhooksPath + "/endpoints/"
	deliveriesPath = webhooksPath + "/deliveries/"
)

// Bounds of what one page shows.
const (
	deliveriesOnPage = 50
	attemptsOnPage   = 50
)

// deliveryStates are those that a list may be narrowed to.
var deliveryStates = [...]webhook.State{webhook.Pending, webhook.Delivered, webhook.Exhausted}

// webhookRoutes are the pages of webhooks, and the forms on them.
func (b *board) webhookRoutes() []route {
	return []route{
		{pattern: webhooksPath, get: b.webhooks(b.listEndpoints)},
		{pattern: endpointsPath + "{name}/deliveries", get: b.webhooks(b.showEndpoint)},
		{pattern: endpointsPath + "{name}/test", post: b.webhooks(b.testEndpoint)},
		{pattern: endpointsPath + "{name}/recover", post: b.webhooks(b.recoverEndpoint)},
		{pattern: endpointsPath + "{name}/enable", post: b.webhooks(b.enableEndpoint)},
		{pattern: deliveriesPath + "{id}", get: b.webhooks(b.showDelivery)},
		{pattern: deliveriesPath + "{id}/redeliver", post: b.webhooks(b.redeliver)},
	}
}

// webhooks lets those through who may use the API's webhooks.
func (b *board) webhooks(page action) action {
	return b.memberOf(webhooksapi.Capability.Definition().Surface, func(v *visit) answer {
		if decision := v.snapshot.DecideScope(v.caller, webhooksapi.Capability, webhooksapi.Scope, v.now); !decision.Allowed() {
			return refusal(v.Refusal(decision))
		}
		return page(v)
	})
}

// endpointRow is one endpoint.
type endpointRow struct {
	Name, URL, State, Reason string
	Events                   []string
	// Disabled is whether somebody has to enable it, since when DisabledSince.
	Disabled                              bool
	DisabledSince, Delivered, FailedSince instant
	// Failures is how many attempts have failed in a row. Deliveries are paused for that
	// until PausedUntil, or sent one at a time, if Probed.
	Failures      int
	PausedUntil   instant
	Probed        bool
	Waiting       int
	OldestWaiting instant
}

// endpointRowOf tells what the API tells, without secrets and without the query of
// the URL.
func endpointRowOf(k webhook.Known, now time.Time) endpointRow {
	model, standing := webhooksapi.EndpointModel(k), k.Standing
	row := endpointRow{
		Name: k.Name, URL: model.URL, State: model.State, Reason: model.Reason, Events: model.Events,
		Disabled: standing.Disabled != webhook.NotDisabled, DisabledSince: instant(standing.DisabledAt),
		Delivered: instant(standing.DeliveredAt), FailedSince: instant(standing.FailingSince),
		Failures: standing.Breaker.Failures, Waiting: standing.Waiting, OldestWaiting: instant(standing.OldestAt),
	}
	// What holds all deliveries back is told alone.
	if condition, _ := k.Condition(); condition == webhook.Open {
		switch standing.Breaker.State(now) {
		case webhook.BreakerOpen:
			row.PausedUntil = instant(standing.Breaker.Until)
		case webhook.BreakerHalfOpen:
			row.Probed = true
		case webhook.BreakerClosed:
		}
	}
	return row
}

// endpointPath is the path of something about an endpoint; deliveries is its page.
func endpointPath(name, about string) string {
	return endpointsPath + url.PathEscape(name) + "/" + about
}

func (e *endpointRow) path(about string) string { return endpointPath(e.Name, about) }

func (e *endpointRow) afterFailures() string {
	return fmt.Sprintf(" after %d failures in a row", e.Failures)
}

// listEndpoints serves the list of endpoints, which are few.
func (b *board) listEndpoints(v *visit) answer {
	known, err := b.Webhooks.Endpoints(v.Context(), v.caller.Tenant())
	if err != nil {
		return failed(err)
	}
	var rows []endpointRow
	for i := range known {
		rows = append(rows, endpointRowOf(known[i], v.now))
	}
	return answer{status: http.StatusOK, page: pageWebhooks, title: "Webhooks", content: webhooksPage(rows)}
}

// endpointBody is one endpoint with a page of its deliveries, the newest first.
type endpointBody struct {
	endpointRow
	// Done says what the form has done that led here, Notice why one did nothing.
	Done, Notice string
	// Since is what the form of a recovery holds, from Earliest to Latest.
	Since, Earliest, Latest string
	// Chosen is the state that the list is narrowed to; empty: any.
	Chosen webhook.State
	Rows   []deliveryRow
	// First is the list from its beginning, set on later pages; Older is the next
	// page; empty on the last.
	First, Older string
}

// deliveryRow is one delivery.
type deliveryRow struct {
	ID, Path, Type, Subject string
	State                   webhook.State
	Attempts                int
	At, Due, Ended          instant
}

func deliveryRowOf(d webhook.Delivery) deliveryRow {
	return deliveryRow{
		ID: d.ID, Path: deliveriesPath + d.ID, Type: string(d.Event.Type), Subject: d.Event.Subject, State: d.State, Attempts: d.Attempts,
		At: instant(d.Event.At), Due: instant(d.DueAt), Ended: instant(d.EndedAt),
	}
}

// showEndpoint serves one endpoint.
func (b *board) showEndpoint(v *visit) answer {
	return b.endpoint(v, http.StatusOK, endpointBody{Done: outcomes[v.URL.Query().Get(doneField)]})
}

// endpoint is the page of the endpoint that the path names; body has what the page
// says beside that.
func (b *board) endpoint(v *visit, status int, body endpointBody) answer {
	known, err := b.Webhooks.Find(v.Context(), v.address())
	if err != nil {
		return failed(webhooksapi.ProblemOf(err))
	}
	body.endpointRow = endpointRowOf(known, v.now)
	body.offer(known, v.now)
	if err := b.list(v, &body); err != nil {
		return failed(err)
	}
	return answer{status: status, page: pageEndpoint, title: known.Name, content: endpointPage(body)}
}

// address is that of the endpoint that the path names.
func (v *visit) address() webhook.Address {
	return webhook.Address{Owner: v.caller.Tenant(), Name: v.PathValue("name")}
}

// offer fills the form of a recovery: from when there is anything until now, and
// since the trouble began unless somebody has said since when.
func (e *endpointBody) offer(known webhook.Known, now time.Time) {
	// A minute more, because the field has no seconds.
	earliest := now.Add(time.Minute - webhook.Retention)
	e.Earliest, e.Latest = fieldOf(earliest), fieldOf(now)
	if began := known.Standing.FailingSince; e.Since == "" && began.After(earliest) {
		e.Since = fieldOf(began)
	}
}

// list adds the page of deliveries that the query of the request selects.
func (b *board) list(v *visit, body *endpointBody) error {
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
		body.First = body.path("deliveries") + "?" + own.Encode()
	}
	found, next, err := webhooksapi.List(v.Context(), b.Webhooks, b.Cursors, query, at)
	if err != nil {
		return err
	}
	if next != "" {
		own.Set("cursor", next)
		body.Older = body.path("deliveries") + "?" + own.Encode()
	}
	body.Chosen = query.State
	for i := range found {
		body.Rows = append(body.Rows, deliveryRowOf(found[i]))
	}
	return nil
}

// deliveryBody is one delivery with what was sent and what came of it.
type deliveryBody struct {
	deliveryRow
	// Done is as in endpointBody.
	Done                   string
	Endpoint, EndpointPath string
	Event                  string
	Created                instant
	// Payload is the body that is sent, without what signs it.
	Payload string
	// Tries are the newest attempts, the newest first; Attempts counts all of them.
	Tries []attemptRow
}

type attemptRow struct {
	Number, Status int
	At             instant
	Took           time.Duration
	Fault, Excerpt string
}

// showDelivery serves one delivery.
func (b *board) showDelivery(v *visit) answer {
	delivery, attempts, err := b.Webhooks.Delivery(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failed(webhooksapi.ProblemOf(err))
	}
	body := deliveryBody{
		deliveryRow: deliveryRowOf(delivery), Done: outcomes[v.URL.Query().Get(doneField)],
		Endpoint: delivery.Name, EndpointPath: endpointPath(delivery.Name, "deliveries"), Event: delivery.Event.ID, Created: instant(delivery.CreatedAt),
		Payload: string(webhook.Payload(delivery.Owner, delivery.Event)),
	}
	for _, attempt := range slices.Backward(attempts[max(0, len(attempts)-attemptsOnPage):]) {
		excerpt, _ := shortened(attempt.Excerpt)
		body.Tries = append(body.Tries, attemptRow{
			Number: attempt.Number, Status: attempt.Status, At: instant(attempt.At), Took: attempt.Took.Round(time.Millisecond),
			Fault: string(attempt.Fault), Excerpt: excerpt,
		})
	}
	return answer{status: http.StatusOK, page: pageDelivery, title: body.Type, content: deliveryPage(body)}
}
