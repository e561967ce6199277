// SPDX-License-Identifier: Apache-2.0

package partnerapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/apiserver/counted"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/listing"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/transaction"
)

// checked lets a body pass that the contract's schema accepts. For any other the
// answer is what was committed under its key, else the refusal: a retry must get
// its answer even if its body would be refused today.
func (s *surface) checked(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		violations := s.create.Violations(c.Document)
		if len(violations) == 0 {
			return next(c)
		}
		record, found, err := s.rfqs.Replay(c.Request.Context(), c.Tenant(), counted.Idempotency(c))
		switch {
		case err != nil:
			return problemOf(err)
		case found:
			return strict.Answer(c, created(c, record, true).VisitCreateRFQResponse)
		default:
			return problem.New(problem.CodeRFQInvalid, "The RFQ is not valid.").Violates(violations...)
		}
	}
}

// CreateRFQ serves POST /api/v1/rfq.
func (s *surface) CreateRFQ(ctx context.Context, in CreateRFQRequestObject) (CreateRFQResponseObject, error) {
	c := strict.Call(ctx)
	draft, err := draftOf(in.Body)
	if err != nil {
		return nil, err
	}
	made, err := s.rfqs.Create(ctx, c.Tenant(), draft, rfq.Terms{
		Idempotency: counted.Idempotency(c),
		Quota:       transaction.Quota{Limit: c.Decision.Quota.Limit, Window: c.Decision.Quota.Window},
	})
	if err != nil {
		return nil, problemOf(err)
	}
	return created(c, made.RFQ, made.Replayed), nil
}

func draftOf(body *RFQCreate) (rfq.Draft, error) {
	quantity, err := body.Quantity.Float64() // the schema has bounded it to 10,000,000
	if err != nil {
		return rfq.Draft{}, fmt.Errorf("decode a quantity that its schema accepts: %w", err)
	}
	return rfq.Draft{
		CatalogProductUID: body.CatalogProductUID, Title: body.Title, Category: body.Category,
		Quantity: int64(quantity), DeliveryCity: body.DeliveryCity,
	}, nil
}

// created is the 201, whose body has two members that never change, so that a
// replay is the same to the byte.
func created(c *gate.Call, record rfq.RFQ, replayed bool) CreateRFQ201JSONResponse {
	counted.MarkReplay(c, replayed)
	return CreateRFQ201JSONResponse{
		Body:    RFQCreated{ID: record.ID, TrackingCode: record.TrackingCode},
		Headers: CreateRFQ201ResponseHeaders{Location: path(record.ID), ETag: etag(record)},
	}
}

// GetRFQ serves GET /api/v1/rfq/{rfqId}.
func (s *surface) GetRFQ(ctx context.Context, in GetRFQRequestObject) (GetRFQResponseObject, error) {
	c := strict.Call(ctx)
	record, err := s.rfqs.Get(ctx, c.Tenant(), in.RFQID)
	if err != nil {
		return nil, problemOf(err)
	}
	if c.Revalidate(etag(record)) {
		return GetRFQ304Response{}, nil
	}
	return GetRFQ200JSONResponse(modelOf(record)), nil
}

// ListRfqs serves GET /api/v1/rfq.
func (s *surface) ListRfqs(ctx context.Context, in ListRfqsRequestObject) (ListRfqsResponseObject, error) {
	c := strict.Call(ctx)
	page, err := listing.Page(listing.Parameters(in.Params))
	if err != nil {
		return nil, err
	}
	list, err := s.rfqs.List(ctx, c.Tenant(), page)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListRfqs200JSONResponse{Body: RFQPage{Items: make([]RFQ, len(list.Items))}}
	for i, record := range list.Items {
		answer.Body.Items[i] = modelOf(record)
	}
	if list.NextCursor != "" {
		answer.Body.NextCursor = &list.NextCursor
		answer.Headers.Link = new("</api/v1/rfq?" + listing.Next(page, list.NextCursor) + `>; rel="next"`)
	}
	return answer, nil
}

// ListQuotes serves GET /api/v1/rfq/{rfqId}/quotes.
func (s *surface) ListQuotes(ctx context.Context, in ListQuotesRequestObject) (ListQuotesResponseObject, error) {
	quotes, err := s.rfqs.Quotes(ctx, strict.Call(ctx).Tenant(), in.RFQID)
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
func (s *surface) ListCatalogProducts(ctx context.Context, _ ListCatalogProductsRequestObject) (ListCatalogProductsResponseObject, error) {
	catalog, err := s.catalog.Current(strict.Call(ctx).Now)
	if err != nil {
		return nil, catalogAway(err)
	}
	return ListCatalogProducts200JSONResponse{Items: productModels(catalog)}, nil
}

// retryCatalog is how soon a client may come back for a catalog.
const retryCatalog = 5 * time.Second

func catalogAway(err error) *problem.Problem {
	return problem.New(problem.CodeRFQCatalogUnavailable, "The catalog is not available at the moment.").After(retryCatalog).With(err)
}

// problemOf is the one place where errors of RFQs become answers.
func problemOf(err error) error {
	var invalid *rfq.ValidationError
	switch {
	case errors.As(err, &invalid):
		return problem.New(problem.CodeRFQInvalid, "The RFQ is not valid.").Violates(problem.Violations(invalid.Violations)...)
	case errors.Is(err, rfq.ErrCatalogUnavailable):
		return catalogAway(err)
	case errors.Is(err, rfq.ErrInvalidPage):
		return listing.BadPage(err)
	}
	if p := counted.Problem(err, problem.CodeRFQQuotaExceeded); p != nil {
		return p
	}
	return err
}
