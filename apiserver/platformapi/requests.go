// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"regexp"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
)

// requestID is the form of request ids.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

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
		if q.RequestID = *params.RequestID; !requestID.MatchString(q.RequestID) {
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
	since, ok := gate.ParseInstant(&params.Since)
	if !ok {
		return nil, problem.New(problem.CodeInvalidRequest, "The parameter since must be an RFC 3339 time, for example 2026-11-20T09:00:00Z.")
	}
	denials, err := s.records.Denials(c.Context(), since, page.Limit)
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
