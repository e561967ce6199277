// SPDX-License-Identifier: Apache-2.0

package partner

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/counted"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
)

// createBody is the body of POST /api/v1/rfq. Quantity is a number because the
// contract's integers may be spelled 5e3.
type createBody struct {
	CatalogProductUID string      `json:"catalogProductUid"`
	Title             string      `json:"title"`
	Category          string      `json:"category"`
	Quantity          json.Number `json:"quantity"`
	DeliveryCity      string      `json:"deliveryCity"`
}

func (b createBody) draft() (rfq.Draft, error) {
	quantity, err := b.Quantity.Float64() // the schema has bounded it to 10,000,000
	return rfq.Draft{
		CatalogProductUID: b.CatalogProductUID, Title: b.Title, Category: b.Category,
		Quantity: int64(quantity), DeliveryCity: b.DeliveryCity,
	}, err
}

func (s *surface) createRFQ(c *gate.Call) error {
	used := counted.Idempotency(c)
	if violations := s.create.Violations(c.Document); len(violations) > 0 {
		return s.replayOr(c, used, problem.New(problem.CodeRFQInvalid, "The RFQ is not valid.").Violates(violations...))
	}
	var body createBody
	if err := json.Unmarshal(c.Body, &body); err != nil {
		return fmt.Errorf("decode a body that its schema accepts: %w", err)
	}
	draft, err := body.draft()
	if err != nil {
		return fmt.Errorf("decode a quantity that its schema accepts: %w", err)
	}
	created, err := s.rfqs.Create(c.Request.Context(), c.Tenant(), draft, rfq.Terms{
		Idempotency: used,
		Quota:       ledger.Quota{Limit: c.Decision.Quota.Limit, Window: c.Decision.Quota.Window},
	})
	if err != nil {
		return problemOf(err)
	}
	return answerCreated(c, created.RFQ, created.Replayed)
}

// replayOr answers with what was committed under the key, else the refusal: a
// retry must get its answer even if its body would be refused today.
func (s *surface) replayOr(c *gate.Call, used ledger.Idempotency, refusal *problem.Problem) error {
	record, found, err := s.rfqs.Replay(c.Request.Context(), c.Tenant(), used)
	switch {
	case err != nil:
		return problemOf(err)
	case found:
		return answerCreated(c, record, true)
	default:
		return refusal
	}
}

func answerCreated(c *gate.Call, record rfq.RFQ, replayed bool) error {
	header := c.Writer.Header()
	header.Set("Location", path(record.ID))
	header.Set("ETag", etag(record))
	counted.MarkReplay(c, replayed)
	return c.JSON(http.StatusCreated, createdView{ID: record.ID, TrackingCode: record.TrackingCode})
}

func (s *surface) getRFQ(c *gate.Call) error {
	record, err := s.rfqs.Get(c.Request.Context(), c.Tenant(), chi.URLParam(c.Request, "rfqId"))
	if err != nil {
		return problemOf(err)
	}
	if c.Revalidate(etag(record)) {
		return nil
	}
	return c.JSON(http.StatusOK, view(record))
}

func (s *surface) listRFQs(c *gate.Call) error {
	page, err := pageOf(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	list, err := s.rfqs.List(c.Request.Context(), c.Tenant(), page)
	if err != nil {
		return problemOf(err)
	}
	answer := pageView{Items: make([]rfqView, len(list.Items))}
	for i, record := range list.Items {
		answer.Items[i] = view(record)
	}
	if list.NextCursor != "" {
		answer.NextCursor = &list.NextCursor
		next := url.Values{"cursor": {list.NextCursor}, "limit": {strconv.Itoa(page.Limit)}}
		c.Writer.Header().Set("Link", "</api/v1/rfq?"+next.Encode()+`>; rel="next"`)
	}
	return c.JSON(http.StatusOK, answer)
}

func pageOf(raw string) (rfq.Page, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return rfq.Page{}, problem.New(problem.CodeInvalidRequest, "The query cannot be read.").With(err)
	}
	for _, name := range []string{"limit", "cursor"} {
		if len(query[name]) > 1 {
			return rfq.Page{}, problem.New(problem.CodeInvalidRequest, "Send the parameter %s once.", name)
		}
	}
	page := rfq.Page{Limit: rfq.DefaultLimit, Cursor: query.Get("cursor")}
	if query.Has("limit") {
		limit, err := strconv.Atoi(query.Get("limit"))
		if err != nil || limit < 1 || limit > rfq.MaxLimit {
			return rfq.Page{}, problem.New(problem.CodeInvalidRequest, "The parameter limit is an integer from 1 to %d.", rfq.MaxLimit)
		}
		page.Limit = limit
	}
	return page, nil
}

func (s *surface) listQuotes(c *gate.Call) error {
	quotes, err := s.rfqs.Quotes(c.Request.Context(), c.Tenant(), chi.URLParam(c.Request, "rfqId"))
	if err != nil {
		return problemOf(err)
	}
	answer := quotesView{Items: make([]quoteView, len(quotes))}
	for i, quote := range quotes {
		answer.Items[i] = viewQuote(quote)
	}
	return c.JSON(http.StatusOK, answer)
}

func (s *surface) listProducts(c *gate.Call) error {
	catalog, err := s.catalog.Current(c.Now)
	if err != nil {
		return catalogAway(err)
	}
	return c.JSON(http.StatusOK, viewProducts(catalog))
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
		violations := make([]problem.Violation, len(invalid.Violations))
		for i, v := range invalid.Violations {
			violations[i] = problem.Violation(v)
		}
		return problem.New(problem.CodeRFQInvalid, "The RFQ is not valid.").Violates(violations...)
	case errors.Is(err, rfq.ErrCatalogUnavailable):
		return catalogAway(err)
	case errors.Is(err, rfq.ErrInvalidPage):
		return problem.New(problem.CodeInvalidRequest, "The cursor is not one that was handed out for this list.").With(err)
	}
	if p := counted.Problem(err, problem.CodeRFQQuotaExceeded); p != nil {
		return p
	}
	return err
}
