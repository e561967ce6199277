// SPDX-License-Identifier: Apache-2.0

package partnerapi

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
)

// checked rejects a body that violates the schema of the contract. If the key has a
// committed response, the client gets that response instead: a retry must succeed even
// if its body would be rejected today.
func (s *surface) checked(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		violations := s.create.Violations(c.Document)
		if len(violations) == 0 {
			return next(c)
		}
		record, found, err := s.rfqs.Replay(c.Context(), c.Tenant(), c.Idempotency())
		switch {
		case err != nil:
			return problemOf(err)
		case found:
			return s.created(c, record, true).answerCreateRFQ(c)
		default:
			return invalid(s.completed(c, violations)...)
		}
	}
}

// completed adds the violations that the schema does not express, of members that the
// schema accepts, so that the partner reads all of them at once.
func (s *surface) completed(c *gate.Call, found []problem.Violation) []problem.Violation {
	at := func(pointer string) bool {
		return slices.ContainsFunc(found, func(v problem.Violation) bool { return v.Pointer == pointer })
	}
	document, ok := c.Document.(map[string]any)
	if !ok {
		return found
	}
	text := func(member string) string { value, _ := document[member].(string); return value }
	more := s.rfqs.Check(c.Tenant(), rfq.Draft{
		CatalogProductUID: text("catalogProductUid"), Title: text("title"), Category: text("category"),
		Quantity: 1, DeliveryCity: text("deliveryCity"), ClientReference: text("clientReference"),
	})
	for _, one := range problem.CodedViolations(more) {
		if !at(one.Pointer) && len(found) < contracts.MaxViolations {
			found = append(found, one)
		}
	}
	slices.SortStableFunc(found, func(a, b problem.Violation) int { return strings.Compare(a.Pointer, b.Pointer) })
	return found
}

func invalid(found ...problem.Violation) *problem.Problem {
	return problem.New(problem.CodeRFQInvalid, "The RFQ is not valid.").Violates(found...)
}

// CreateRFQ serves POST /api/v1/rfq.
func (s *surface) CreateRFQ(c *gate.Call, body RFQCreate) (CreateRFQResponseObject, error) {
	draft := rfq.Draft{
		CatalogProductUID: body.CatalogProductUID, Title: body.Title, Category: body.Category,
		Quantity: int64(body.Quantity), DeliveryCity: body.DeliveryCity, ClientReference: body.ClientReference,
	}
	made, err := s.rfqs.Create(c.Context(), c.Tenant(), draft, rfq.Terms{
		Idempotency: c.Idempotency(),
		Quota:       c.Quota(),
	})
	if err != nil {
		return nil, problemOf(err)
	}
	return s.created(c, made.RFQ, made.Replayed), nil
}

// created returns the 201 response. Its two members never change, so a replay is
// identical byte for byte.
func (s *surface) created(c *gate.Call, record rfq.RFQ, replayed bool) CreateRFQ201JSONResponse {
	c.MarkReplay(replayed)
	c.ReportQuota(s.quotas)
	return CreateRFQ201JSONResponse{
		Body:    RFQCreated{ID: record.ID, TrackingCode: record.TrackingCode},
		Headers: CreateRFQ201ResponseHeaders{Location: path(record.ID), ETag: etag(record)},
	}
}

// GetRFQ serves GET /api/v1/rfq/{rfqId}.
func (s *surface) GetRFQ(c *gate.Call, rfqid RFQID) (GetRFQResponseObject, error) {
	record, err := s.rfqs.Get(c.Context(), c.Tenant(), rfqid)
	if err != nil {
		return nil, problemOf(err)
	}
	if c.Revalidate(etag(record)) {
		return GetRFQ304Response{}, nil
	}
	return GetRFQ200JSONResponse(modelOf(record)), nil
}

// CancelRFQ serves POST /api/v1/rfq/{rfqId}/cancel.
func (s *surface) CancelRFQ(c *gate.Call, rfqid RFQID) (CancelRFQResponseObject, error) {
	record, err := s.rfqs.CancelOwn(c.Context(), c.Tenant(), rfqid)
	if err != nil {
		return nil, problemOf(err)
	}
	return CancelRFQ200JSONResponse{Body: modelOf(record), Headers: CancelRFQ200ResponseHeaders{ETag: etag(record)}}, nil
}

// ListRfqs serves GET /api/v1/rfq.
func (s *surface) ListRfqs(c *gate.Call, params ListRfqsParams) (ListRfqsResponseObject, error) {
	page, err := gate.Page(gate.ListParameters(params))
	if err != nil {
		return nil, err
	}
	list, err := s.rfqs.List(c.Context(), c.Tenant(), page)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListRfqs200JSONResponse{Body: RFQPage{Items: make([]RFQ, len(list.Items))}}
	for i, record := range list.Items {
		answer.Body.Items[i] = modelOf(record)
	}
	if list.NextCursor != "" {
		answer.Body.NextCursor = &list.NextCursor
		answer.Headers.Link = new("</api/v1/rfq?" + gate.NextQuery(page, list.NextCursor) + `>; rel="next"`)
	}
	return answer, nil
}

// ListRFQEvents serves GET /api/v1/rfq/{rfqId}/events.
func (s *surface) ListRFQEvents(c *gate.Call, rfqid RFQID, params ListRFQEventsParams) (ListRFQEventsResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit, Cursor: params.Cursor})
	if err != nil {
		return nil, err
	}
	history, err := s.rfqs.Events(c.Context(), c.Tenant(), rfqid, page.Limit, page.Cursor)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListRFQEvents200JSONResponse{Body: RFQHistory{Items: make([]RFQEvent, len(history.Events))}}
	for i, event := range history.Events {
		answer.Body.Items[i] = RFQEvent{ID: event.ID, Type: string(event.Type), OccurredAt: respond.Instant(event.At)}
	}
	if history.NextCursor != "" {
		answer.Body.NextCursor = &history.NextCursor
		answer.Headers.Link = new("<" + path(rfqid) + "/events?" + gate.NextQuery(page, history.NextCursor) + `>; rel="next"`)
	}
	return answer, nil
}

// ListQuotes serves GET /api/v1/rfq/{rfqId}/quotes.
func (s *surface) ListQuotes(c *gate.Call, rfqid RFQID) (ListQuotesResponseObject, error) {
	quotes, err := s.rfqs.Quotes(c.Context(), c.Tenant(), rfqid)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListQuotes200JSONResponse{Items: make([]Quote, len(quotes))}
	for i, quote := range quotes {
		answer.Items[i] = quoteModel(quote)
	}
	return answer, nil
}

// ListCatalogProducts serves GET /api/v1/catalog/products.
func (s *surface) ListCatalogProducts(c *gate.Call) (ListCatalogProductsResponseObject, error) {
	catalog, err := s.catalog.Current(c.Now)
	if err != nil {
		return nil, catalogAway(err)
	}
	return ListCatalogProducts200JSONResponse{Items: productModels(catalog)}, nil
}

// retryCatalog is the suggested delay while the catalog is unavailable.
const retryCatalog = 5 * time.Second

func catalogAway(err error) *problem.Problem {
	return problem.New(problem.CodeRFQCatalogUnavailable, "The catalog is temporarily unavailable.").After(retryCatalog).With(err)
}

// problemOf maps the errors of package rfq to problems.
func problemOf(err error) error {
	var refused *rfq.ValidationError
	var ended *rfq.TransitionError
	switch {
	case errors.As(err, &ended):
		return problem.New(problem.CodeRFQStateConflict, "The RFQ has ended as %s and cannot be cancelled.", ended.From)
	case errors.As(err, &refused):
		return invalid(problem.CodedViolations(refused.Violations)...)
	case errors.Is(err, rfq.ErrCatalogUnavailable):
		return catalogAway(err)
	case errors.Is(err, rfq.ErrInvalidPage):
		return gate.BadPage(err)
	}
	if p := respond.StoreProblem(err, problem.CodeRFQQuotaExceeded); p != nil {
		return p
	}
	return err
}
