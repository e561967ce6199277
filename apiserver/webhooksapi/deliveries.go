// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"context"
	"net/url"
	"regexp"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// The default and the maximum number of deliveries on a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// maxName and maxType are the contract's limits for names and types, in bytes.
const (
	maxName = 63
	maxType = 64
)

// endpointName is the pattern of names.
var endpointName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// Filter contains the parameters of a list as generated code reads them; nil means
// absent.
type Filter struct {
	Endpoint, State, Type *string
	Limit                 *int
}

// eventType is the pattern of types. Unknown types are valid and match nothing, because
// types may be added or removed.
var eventType = regexp.MustCompile(`^[a-z]+\.[a-z]+$`)

// Query returns a query without an owner. The error is a problem.
func (f Filter) Query() (q webhook.Query, err error) {
	q.Limit = DefaultLimit
	if f.Limit != nil {
		q.Limit = *f.Limit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, problem.New(problem.CodeInvalidRequest, "The parameter limit must be an integer from 1 to %d.", MaxLimit)
	}
	if f.Endpoint != nil {
		if q.Endpoint = *f.Endpoint; len(q.Endpoint) > maxName || !endpointName.MatchString(q.Endpoint) {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter endpoint must be the name of an endpoint.")
		}
	}
	if f.State != nil {
		switch q.State = webhook.State(*f.State); q.State {
		case webhook.Pending, webhook.Delivered, webhook.Exhausted:
		default:
			return q, problem.New(problem.CodeInvalidRequest, "The parameter state must be pending, delivered or exhausted.")
		}
	}
	if f.Type != nil {
		if q.Type = transaction.EventType(*f.Type); len(q.Type) > maxType || !eventType.MatchString(*f.Type) {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter type must be an event type, for example rfq.quoted.")
		}
	}
	return q, nil
}

// ListWebhookDeliveries serves GET /api/v1/webhooks/deliveries.
func (s *surface) ListWebhookDeliveries(c *gate.Call, params ListWebhookDeliveriesParams) (ListWebhookDeliveriesResponseObject, error) {
	query, err := Filter{params.Endpoint, params.State, params.Type, params.Limit}.Query()
	if err != nil {
		return nil, err
	}
	query.Owner = c.Tenant()
	found, next, err := List(c.Context(), s.webhooks, s.cursors, query, params.Cursor)
	if err != nil {
		return nil, err
	}
	page := ListWebhookDeliveries200JSONResponse{Items: Deliveries(found)}
	if next != "" {
		page.NextCursor = &next
	}
	return page, nil
}

// List reads one page of the deliveries of a query with an owner: the page of the cursor, or
// the first page without a cursor. next is the cursor of the next page; empty on the last
// page. Its errors are problems, or errors of package webhook without a problem.
func List(ctx context.Context, webhooks Webhooks, cursors Cursors, query webhook.Query, at *string) (found []webhook.Delivery, next string, err error) {
	if at != nil {
		if query.Before, err = cursors.Open(scopeOf(query), *at); err != nil {
			return nil, "", gate.BadPage(err)
		}
	}
	limit := query.Limit
	query.Limit++ // one additional delivery shows whether there is a next page
	if found, err = webhooks.Deliveries(ctx, query); err != nil {
		return nil, "", ProblemOf(err)
	}
	if len(found) <= limit {
		return found, "", nil
	}
	found = found[:limit]
	next, err = cursors.Seal(scopeOf(query), found[limit-1].ID)
	return found, next, err
}

// scopeOf returns the scope of a cursor: the owner and all filters.
func scopeOf(q webhook.Query) cursor.Scope {
	filters := url.Values{"endpoint": {q.Endpoint}, "state": {string(q.State)}, "type": {string(q.Type)}}
	return cursor.Scope{Tenant: q.Owner.String(), Query: "webhook deliveries?" + filters.Encode()}
}

// GetWebhookDelivery serves GET /api/v1/webhooks/deliveries/{deliveryId}.
func (s *surface) GetWebhookDelivery(c *gate.Call, deliveryID DeliveryID) (GetWebhookDeliveryResponseObject, error) {
	delivery, attempts, err := s.webhooks.Delivery(c.Context(), c.Tenant(), deliveryID)
	if err != nil {
		return nil, ProblemOf(err)
	}
	if c.Revalidate(`"` + delivery.Revision() + `"`) {
		return GetWebhookDelivery304Response{}, nil
	}
	return GetWebhookDelivery200JSONResponse(Attempted(delivery, attempts)), nil
}

// RedeliverWebhook serves POST /api/v1/webhooks/deliveries/{deliveryId}/redeliver.
func (s *surface) RedeliverWebhook(c *gate.Call, deliveryID DeliveryID) (RedeliverWebhookResponseObject, error) {
	delivery, err := s.webhooks.Redeliver(c.Context(), c.Tenant(), deliveryID)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return RedeliverWebhook202JSONResponse{
		Body: DeliveryModel(delivery), Headers: RedeliverWebhook202ResponseHeaders{Location: pathOf(delivery)},
	}, nil
}

// pathOf returns the path of a delivery.
func pathOf(d webhook.Delivery) string { return deliveriesPath + "/" + d.ID }
