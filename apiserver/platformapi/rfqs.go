// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// ListAllRfqs serves GET /api/v1/platform/rfqs.
func (s *surface) ListAllRfqs(c *gate.Call, params ListAllRfqsParams) (ListAllRfqsResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{
		Status: params.Status, CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore,
		Limit: params.Limit, Cursor: params.Cursor,
	})
	if err != nil {
		return nil, err
	}
	list, err := s.list(c, params.Organization, page)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListAllRfqs200JSONResponse{Items: make([]RFQ, len(list.Items))}
	for i, record := range list.Items {
		answer.Items[i] = modelOf(record)
	}
	if list.NextCursor != "" {
		answer.NextCursor = &list.NextCursor
	}
	return answer, nil
}

func (s *surface) list(c *gate.Call, organization *string, page rfq.Page) (rfq.List, error) {
	mode := c.Tenant().Mode
	if organization == nil {
		return s.rfqs.ListAll(c.Context(), mode, page)
	}
	owner, err := tenant.New(*organization, mode)
	if err != nil {
		return rfq.List{}, problem.New(problem.CodeInvalidRequest, "The parameter organization must be the id of an organization.")
	}
	return s.rfqs.List(c.Context(), owner, page)
}

// ShowRFQ serves GET /api/v1/platform/rfqs/{rfqId}.
func (s *surface) ShowRFQ(c *gate.Call, rfqid RFQID) (ShowRFQResponseObject, error) {
	owner, err := s.owner(c, rfqid)
	if err != nil {
		return nil, err
	}
	record, err := s.rfqs.Get(c.Context(), owner, rfqid)
	if err != nil {
		return nil, problemOf(err)
	}
	quotes, err := s.rfqs.Quotes(c.Context(), owner, rfqid)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ShowRFQ200JSONResponse{
		Body:    RFQWithQuotes{RFQ: modelOf(record), Quotes: make([]Quote, len(quotes))},
		Headers: ShowRFQ200ResponseHeaders{ETag: etag(record)},
	}
	for i, quote := range quotes {
		answer.Body.Quotes[i] = quoteModel(quote)
	}
	return answer, nil
}

// CloseRFQ serves POST /api/v1/platform/rfqs/{rfqId}/close.
func (s *surface) CloseRFQ(c *gate.Call, rfqid RFQID, params CloseRFQParams, body Reason) (CloseRFQResponseObject, error) {
	record, err := s.end(c, rfqid, body.Reason, params.IfMatch, s.rfqs.Close)
	if err != nil {
		return nil, err
	}
	return CloseRFQ200JSONResponse{RFQJSONResponse: ended(record)}, nil
}

// CancelRFQ serves POST /api/v1/platform/rfqs/{rfqId}/cancel.
func (s *surface) CancelRFQ(c *gate.Call, rfqid RFQID, params CancelRFQParams, body Reason) (CancelRFQResponseObject, error) {
	record, err := s.end(c, rfqid, body.Reason, params.IfMatch, s.rfqs.Cancel)
	if err != nil {
		return nil, err
	}
	return CancelRFQ200JSONResponse{RFQJSONResponse: ended(record)}, nil
}

func ended(record rfq.RFQ) RFQJSONResponse {
	return RFQJSONResponse{Body: modelOf(record), Headers: RFQResponseHeaders{ETag: etag(record)}}
}

func (s *surface) end(c *gate.Call, id, reason string, match *string,
	verb func(context.Context, tenant.ID, string, rfq.Instruction) (rfq.RFQ, error),
) (rfq.RFQ, error) {
	owner, err := s.owner(c, id)
	if err != nil {
		return rfq.RFQ{}, err
	}
	by, err := instruction(c, reason, match)
	if err != nil {
		return rfq.RFQ{}, err
	}
	record, err := verb(c.Context(), owner, id, by)
	return record, problemOf(err)
}

// SubmitQuote serves POST /api/v1/platform/rfqs/{rfqId}/quotes.
func (s *surface) SubmitQuote(c *gate.Call, rfqid RFQID, params SubmitQuoteParams, body Offer) (SubmitQuoteResponseObject, error) {
	owner, err := s.owner(c, rfqid)
	if err != nil {
		return nil, err
	}
	by, err := instruction(c, "", params.IfMatch)
	if err != nil {
		return nil, err
	}
	offer, violations := offerOf(&body)
	if len(violations) > 0 {
		return nil, invalid(violations)
	}
	submitted, err := s.rfqs.SubmitQuote(c.Context(), owner, rfqid, offer, by)
	if err != nil {
		return nil, problemOf(err)
	}
	quote := quoteModel(submitted.Quote)
	if submitted.Repeated {
		return SubmitQuote200JSONResponse(quote), nil
	}
	return SubmitQuote201JSONResponse(quote), nil
}

// WithdrawQuote serves POST /api/v1/platform/rfqs/{rfqId}/quotes/{quoteId}/withdraw.
func (s *surface) WithdrawQuote(c *gate.Call, rfqid RFQID, quoteID string, params WithdrawQuoteParams, body Reason) (WithdrawQuoteResponseObject, error) {
	owner, err := s.owner(c, rfqid)
	if err != nil {
		return nil, err
	}
	by, err := instruction(c, body.Reason, params.IfMatch)
	if err != nil {
		return nil, err
	}
	quote, err := s.rfqs.WithdrawQuote(c.Context(), owner, rfqid, quoteID, by)
	if err != nil {
		return nil, problemOf(err)
	}
	return WithdrawQuote200JSONResponse(quoteModel(quote)), nil
}

// owner returns the owner of an RFQ in the mode of the key.
func (s *surface) owner(c *gate.Call, id string) (tenant.ID, error) {
	owner, err := s.rfqs.Owner(c.Context(), c.Tenant().Mode, id)
	return owner, problemOf(err)
}

// instruction returns the actor, the reason and the expected version.
func instruction(c *gate.Call, reason string, match *string) (rfq.Instruction, error) {
	by := rfq.Instruction{
		Actor:  transaction.Actor{Organization: c.Tenant().Organization, Key: c.Caller.KeyName(), RequestID: c.RequestID()},
		Reason: reason,
	}
	if match == nil || *match == "*" {
		return by, nil
	}
	version, err := strconv.ParseInt(strings.Trim(*match, `"`), 10, 64)
	if err != nil || version < 1 || *match != etagOf(version) {
		return rfq.Instruction{}, problemOf(rfq.ErrRevision)
	}
	by.Version = version
	return by, nil
}

// problemOf maps the errors of package rfq to problems.
func problemOf(err error) error {
	var malformed *rfq.ValidationError
	var closed *rfq.NotOpenError
	var transition *rfq.TransitionError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &malformed):
		return invalid(problem.CodedViolations(malformed.Violations))
	case errors.Is(err, rfq.ErrInvalidPage):
		return gate.BadPage(err)
	case errors.Is(err, rfq.ErrRevision):
		return problem.New(problem.CodeRevisionConflict, "The RFQ has changed: its version differs from If-Match.")
	case errors.As(err, &closed):
		return problem.New(problem.CodeRFQStateConflict, "The RFQ is %s and accepts no quotes.", closed.Status)
	case errors.As(err, &transition):
		return problem.New(problem.CodeRFQStateConflict, "The state cannot change from %s to %s.", transition.From, transition.To)
	case errors.Is(err, rfq.ErrTooManyQuotes):
		return problem.New(problem.CodeRFQStateConflict, "The RFQ has reached the limit of %d quotes.", rfq.MaxQuotes)
	}
	// No operation here has a quota, so the code of quotas is never used.
	if p := respond.StoreProblem(err, problem.CodeInternalError); p != nil {
		return p
	}
	return err
}

func etag(r rfq.RFQ) string { return etagOf(r.Version) }

func etagOf(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }
