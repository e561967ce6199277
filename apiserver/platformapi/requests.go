// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
)

// ListRequests serves GET /api/v1/platform/requests.
func (s *surface) ListRequests(c *gate.Call, params ListRequestsParams) (ListRequestsResponseObject, error) {
	query, err := requestQuery(params)
	if err != nil {
		return nil, err
	}
	query.Owner = of(c, params.Organization)
	entries, err := s.records.Requests(c.Context(), query)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListRequests200JSONResponse{Items: make([]LoggedRequest, len(entries))}
	for i := range entries {
		e := &entries[i]
		answer.Items[i] = LoggedRequest{
			ID: e.ID, At: respond.Instant(e.At), RequestID: e.RequestID, Key: e.Key, Listener: e.Listener, Surface: e.Surface,
			Method: e.Method, Route: e.Route, Status: e.Status, Code: e.Code, Capability: e.Capability, Reason: e.Reason,
			TookMicroseconds: e.Took.Microseconds(), Bytes: e.Bytes, Requests: e.Requests,
		}
	}
	return answer, nil
}

// requestQuery reads the parameters of a list. The error is a problem.
func requestQuery(params ListRequestsParams) (q requestlog.Query, err error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return q, err
	}
	q.Limit = page.Limit
	if params.RequestID != nil {
		if q.RequestID = *params.RequestID; !respond.IsRequestID(q.RequestID) {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter requestId must have 8 to 64 letters, digits, dots, dashes and underscores.")
		}
	}
	if params.Code != nil {
		q.Code = *params.Code
		if _, known := problem.Lookup(problem.Code(q.Code)); !known {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter code must be one of the codes in /docs/api/problem-codes.json.")
		}
	}
	if params.Before != nil {
		if q.Before = *params.Before; !requestlog.IsID(q.Before) {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter before must be the id of an entry.")
		}
	}
	return q, nil
}

// ListDenials serves GET /api/v1/platform/denials.
func (s *surface) ListDenials(c *gate.Call, params ListDenialsParams) (ListDenialsResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	query, err := denialQuery(params.Since, params.Organization, params.Capability, params.Code)
	if err != nil {
		return nil, err
	}
	query.Limit = page.Limit
	if params.Offset != nil {
		if query.Offset = *params.Offset; query.Offset < 0 || query.Offset > maxDenialOffset {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter offset must be 0 to %d.", maxDenialOffset)
		}
	}
	denials, err := s.records.Denials(c.Context(), query)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListDenials200JSONResponse{Items: make([]Denial, len(denials))}
	for i, d := range denials {
		answer.Items[i] = Denial{
			Reason: d.Reason, Code: d.Code, Capability: d.Capability, Surface: d.Surface,
			Requests: d.Requests, Organizations: d.Organizations, LastAt: respond.Instant(d.Last),
		}
	}
	return answer, nil
}

// maxDenialOffset is the maximum in the contract.
const maxDenialOffset = 10_000

// denialQuery reads the parameters that select denials. The error is a problem.
func denialQuery(since string, organization, capability, code *string) (q requestlog.DenialQuery, err error) {
	at, ok := gate.ParseInstant(&since)
	if !ok {
		return q, problem.New(problem.CodeInvalidRequest, "The parameter since must be an RFC 3339 time, for example 2026-11-20T09:00:00Z.")
	}
	q.Since = at
	if organization != nil {
		q.Organization = *organization
	}
	if capability != nil {
		q.Capability = *capability
		if _, known := posture.ParseCapability(q.Capability); !known {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter capability must be the name of a capability.")
		}
	}
	if code != nil {
		q.Code = *code
		if _, known := problem.Lookup(problem.Code(q.Code)); !known {
			return q, problem.New(problem.CodeInvalidRequest, "The parameter code must be one of the codes in /docs/api/problem-codes.json.")
		}
	}
	return q, nil
}

// denialSteps are the lengths of the steps of time, by their names in the contract.
var denialSteps = map[CountDenialsParamsStep]time.Duration{"5m": 5 * time.Minute, "1h": time.Hour, "24h": 24 * time.Hour}

// maxDenialSteps is the maximum in the contract.
const maxDenialSteps = 1000

// CountDenials serves GET /api/v1/platform/denials/counts.
func (s *surface) CountDenials(c *gate.Call, params CountDenialsParams) (CountDenialsResponseObject, error) {
	query, err := denialQuery(params.Since, params.Organization, params.Capability, params.Code)
	if err != nil {
		return nil, err
	}
	step, known := denialSteps[params.Step]
	if !known {
		return nil, problem.New(problem.CodeInvalidRequest, "The parameter step must be 5m, 1h or 24h.")
	}
	if c.Now.Sub(query.Since) > maxDenialSteps*step {
		return nil, problem.New(problem.CodeInvalidRequest, "The period has more than %d steps. Use a later time in since, or a longer step.", maxDenialSteps)
	}
	times, err := s.records.DeniedTimes(c.Context(), query, step)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := CountDenials200JSONResponse{Items: make([]DenialCount, len(times))}
	for i, d := range times {
		answer.Items[i] = DenialCount{At: respond.Instant(d.At), Rejected: d.Rejected, Limited: d.Limited, Closed: d.Closed}
	}
	return answer, nil
}
