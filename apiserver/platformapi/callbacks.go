// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"context"
	"errors"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/xjmf"
)

// Callbacks is the part of package xjmf that the surface uses.
type Callbacks interface {
	Messages(ctx context.Context, owner tenant.ID, before string, limit int) ([]xjmf.Entry, error)
	States(ctx context.Context, owner tenant.ID, jobID string) ([]xjmf.State, error)
}

// of returns the tenant of an organization in the mode of the caller's key.
func of(c *gate.Call, organization string) tenant.ID {
	return tenant.ID{Organization: organization, Mode: c.Tenant().Mode}
}

// ListCallbacks serves GET /api/v1/platform/callbacks.
func (s *surface) ListCallbacks(c *gate.Call, params ListCallbacksParams) (ListCallbacksResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	before := ""
	if params.Before != nil {
		before = *params.Before
	}
	entries, err := s.callbacks.Messages(c.Context(), of(c, params.Organization), before, page.Limit)
	if errors.Is(err, transaction.ErrNotFound) {
		return nil, problem.New(problem.CodeInvalidRequest, "The parameter before must be the id of a callback.")
	}
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListCallbacks200JSONResponse{Items: make([]Callback, len(entries))}
	for i := range entries {
		e := &entries[i]
		answer.Items[i] = Callback{
			ID: e.ID, Sender: e.Sender, MessageID: e.MessageID, Encoding: e.Encoding, Bytes: e.Bytes,
			SentAt: respond.Instant(e.SentAt), ReceivedAt: respond.Instant(e.ReceivedAt),
		}
	}
	return answer, nil
}

// ListJobStatuses serves GET /api/v1/platform/callbacks/jobs.
func (s *surface) ListJobStatuses(c *gate.Call, params ListJobStatusesParams) (ListJobStatusesResponseObject, error) {
	states, err := s.callbacks.States(c.Context(), of(c, params.Organization), params.JobID)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListJobStatuses200JSONResponse{Items: make([]JobStatus, len(states))}
	for i := range states {
		state := &states[i]
		answer.Items[i] = JobStatus{
			JobID: state.Job.ID, JobPartID: state.Job.PartID, Partition: state.Job.Partition,
			Status: state.Status.String(), StatusDetails: state.Details, Sender: state.Sender, DeviceID: state.DeviceID,
			At: respond.Instant(state.Stamp.At), ReceivedAt: respond.Instant(state.ReceivedAt),
		}
	}
	return answer, nil
}
