// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/counted"
	"github.com/printmarket/printmarket/apiserver/listing"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// ListAllRfqs serves GET /api/v1/platform/rfqs.
func (s *surface) ListAllRfqs(ctx context.Context, in ListAllRfqsRequestObject) (ListAllRfqsResponseObject, error) {
	page, err := listing.Page(listing.Parameters{
		Status: in.Params.Status, CreatedAfter: in.Params.CreatedAfter, CreatedBefore: in.Params.CreatedBefore,
		Limit: in.Params.Limit, Cursor: in.Params.Cursor,
	})
	if err != nil {
		return nil, err
	}
	list, err := s.list(ctx, in.Params.Organization, page)
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

func (s *surface) list(ctx context.Context, organization *string, page rfq.Page) (rfq.List, error) {
	mode := strict.Call(ctx).Tenant().Mode
	if organization == nil {
		return s.desk.ListAll(ctx, mode, page)
	}
	who, err := tenant.New(*organization, mode)
	if err != nil {
		return rfq.List{}, problem.New(problem.CodeInvalidRequest, "The parameter organization is no id of an organization.")
	}
	return s.desk.List(ctx, who, page)
}

// ShowRFQ serves GET /api/v1/platform/rfqs/{rfqId}.
func (s *surface) ShowRFQ(ctx context.Context, in ShowRFQRequestObject) (ShowRFQResponseObject, error) {
	who, err := s.owner(ctx, in.RFQID)
	if err != nil {
		return nil, err
	}
	record, err := s.desk.Get(ctx, who, in.RFQID)
	if err != nil {
		return nil, problemOf(err)
	}
	quotes, err := s.desk.Quotes(ctx, who, in.RFQID)
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
func (s *surface) CloseRFQ(ctx context.Context, in CloseRFQRequestObject) (CloseRFQResponseObject, error) {
	record, err := s.end(ctx, in.RFQID, in.Body.Reason, in.Params.IfMatch, s.desk.Close)
	if err != nil {
		return nil, err
	}
	return CloseRFQ200JSONResponse{RFQJSONResponse: ended(record)}, nil
}

// CancelRFQ serves POST /api/v1/platform/rfqs/{rfqId}/cancel.
func (s *surface) CancelRFQ(ctx context.Context, in CancelRFQRequestObject) (CancelRFQResponseObject, error) {
	record, err := s.end(ctx, in.RFQID, in.Body.Reason, in.Params.IfMatch, s.desk.Cancel)
	if err != nil {
		return nil, err
	}
	return CancelRFQ200JSONResponse{RFQJSONResponse: ended(record)}, nil
}

func ended(record rfq.RFQ) RFQJSONResponse {
	return RFQJSONResponse{Body: modelOf(record), Headers: RFQResponseHeaders{ETag: etag(record)}}
}

func (s *surface) end(
	ctx context.Context, id, reason string, match *string,
	verb func(context.Context, tenant.ID, string, rfq.Instruction) (rfq.RFQ, error),
) (rfq.RFQ, error) {
	who, err := s.owner(ctx, id)
	if err != nil {
		return rfq.RFQ{}, err
	}
	by, err := instruction(ctx, reason, match)
	if err != nil {
		return rfq.RFQ{}, err
	}
	record, err := verb(ctx, who, id, by)
	return record, problemOf(err)
}

// SubmitQuote serves POST /api/v1/platform/rfqs/{rfqId}/quotes.
func (s *surface) SubmitQuote(ctx context.Context, in SubmitQuoteRequestObject) (SubmitQuoteResponseObject, error) {
	who, err := s.owner(ctx, in.RFQID)
	if err != nil {
		return nil, err
	}
	by, err := instruction(ctx, "", in.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	offer, violations := offerOf(in.Body)
	if len(violations) > 0 {
		return nil, invalid(violations)
	}
	submitted, err := s.desk.SubmitQuote(ctx, who, in.RFQID, offer, by)
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
func (s *surface) WithdrawQuote(ctx context.Context, in WithdrawQuoteRequestObject) (WithdrawQuoteResponseObject, error) {
	who, err := s.owner(ctx, in.RFQID)
	if err != nil {
		return nil, err
	}
	by, err := instruction(ctx, in.Body.Reason, in.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	quote, err := s.desk.WithdrawQuote(ctx, who, in.RFQID, in.QuoteID, by)
	if err != nil {
		return nil, problemOf(err)
	}
	return WithdrawQuote200JSONResponse(quoteModel(quote)), nil
}

// owner finds whose RFQ it is, in the mode of the key.
func (s *surface) owner(ctx context.Context, id string) (tenant.ID, error) {
	who, err := s.desk.Owner(ctx, strict.Call(ctx).Tenant().Mode, id)
	return who, problemOf(err)
}

// instruction is who acts, why, and on which version.
func instruction(ctx context.Context, reason string, match *string) (rfq.Instruction, error) {
	c := strict.Call(ctx)
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

// problemOf is the one place where errors of the desk become answers.
func problemOf(err error) error {
	var malformed *rfq.ValidationError
	var closed *rfq.NotOpenError
	var transition *rfq.TransitionError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &malformed):
		return invalid(problem.Violations(malformed.Violations))
	case errors.Is(err, rfq.ErrInvalidPage):
		return listing.BadPage(err)
	case errors.Is(err, rfq.ErrRevision):
		return problem.New(problem.CodeRevisionConflict, "The RFQ does not have the version of If-Match.")
	case errors.As(err, &closed):
		return problem.New(problem.CodeRFQStateConflict, "The RFQ is %s and takes no quotes.", closed.Status)
	case errors.As(err, &transition):
		return problem.New(problem.CodeRFQStateConflict, "What is %s cannot become %s.", transition.From, transition.To)
	case errors.Is(err, rfq.ErrTooManyQuotes):
		return problem.New(problem.CodeRFQStateConflict, "The RFQ has %d quotes already.", rfq.MaxQuotes)
	}
	// No operation here is counted, so the code of a quota is never used.
	if p := counted.Problem(err, problem.CodeInternalError); p != nil {
		return p
	}
	return err
}

func etag(r rfq.RFQ) string { return etagOf(r.Version) }

func etagOf(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }
