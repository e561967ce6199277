// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"errors"
	"net/url"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/xjmf"
)

// Cursors encrypts the positions of lists.
type Cursors interface {
	Seal(scope cursor.Scope, position string) (string, error)
	Open(scope cursor.Scope, text string) (string, error)
}

// maxJobID is the largest length of a job ID in characters.
const maxJobID = 255

// ListXJMFStates serves GET /api/v1/xjmf/states.
func (s *surface) ListXJMFStates(c *gate.Call, params ListXJMFStatesParams) (ListXJMFStatesResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	// One more state shows whether there is a next page.
	query := xjmf.StateQuery{Owner: c.Tenant(), Limit: page.Limit + 1}
	filters := url.Values{}
	if params.JobID != nil {
		if query.JobID = *params.JobID; query.JobID == "" || len([]rune(query.JobID)) > maxJobID {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter jobId must have 1 to %d characters.", maxJobID)
		}
		filters.Set("jobId", query.JobID)
	}
	if params.Status != nil {
		if query.Status, err = xjmf.ParseNodeStatus(string(*params.Status)); err != nil {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter status must be a NodeStatus of XJDF 2.2, for example InProgress.")
		}
		filters.Set("status", query.Status.String())
	}
	scope := cursor.Scope{Tenant: c.Tenant().String(), Query: "xjmf states?" + filters.Encode()}
	if params.Cursor != nil {
		if query.Before, err = s.Cursors.Open(scope, *params.Cursor); err != nil {
			return nil, gate.BadPage(err)
		}
	}
	states, err := s.Callbacks.Reported(c.Context(), query)
	if _, ok := errors.AsType[*transaction.UnavailableError](err); ok {
		return nil, problem.New(problem.CodeStoreUnavailable, "The database is unavailable.").With(err).After(storeRetry)
	}
	if err != nil {
		return nil, err
	}
	answer := ListXJMFStates200JSONResponse{Items: make([]XJMFState, min(len(states), page.Limit))}
	if len(states) > page.Limit {
		next, err := s.Cursors.Seal(scope, states[page.Limit-1].ID)
		if err != nil {
			return nil, err
		}
		answer.NextCursor = &next
	}
	for i := range answer.Items {
		state := &states[i]
		answer.Items[i] = XJMFState{
			JobID: state.Job.ID, JobPartID: state.Job.PartID, Partition: state.Job.Partition,
			Status: XJMFNodeStatus(state.Status.String()), StatusDetails: state.Details, Sender: state.Sender, DeviceID: state.DeviceID,
			At: respond.Instant(state.Stamp.At), ReceivedAt: respond.Instant(state.ReceivedAt),
		}
	}
	return answer, nil
}

// badParameter returns the error for a parameter that the generated server cannot decode.
func badParameter(name string) error { return gate.BadParameter(name) }

// storeRetry is the suggested delay while the store is unavailable.
const storeRetry = 2 * time.Second
