// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"context"
	"errors"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Erasures is the part of package erasure that the surface uses.
type Erasures interface {
	Plan(ctx context.Context, organization string, by erasure.Instruction) (erasure.Erasure, error)
	Confirm(ctx context.Context, organization, id string, by erasure.Instruction) (erasure.Erasure, error)
	Get(ctx context.Context, organization, id string) (erasure.Erasure, error)
	Remaining(organization string) ([]string, error)
}

// liveErasure rejects test keys: an erasure concerns both modes.
func liveErasure(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		if c.Tenant().Mode != tenant.Live {
			return problem.New(problem.CodeLiveKeyRequired, "Erasing an organization requires a live key, because it erases the records of production and of the sandbox.")
		}
		return next(c)
	}
}

// PlanErasure serves POST /api/v1/platform/organizations/{organization}/erasures.
func (s *surface) PlanErasure(c *gate.Call, organization OrganizationID, body Reason) (PlanErasureResponseObject, error) {
	plan, err := s.erasures.Plan(c.Context(), organization, operator(c, body.Reason))
	if err != nil {
		return nil, erasureProblem(err)
	}
	model, err := s.erasureModel(&plan)
	return PlanErasure201JSONResponse(model), err
}

// ConfirmErasure serves POST
// /api/v1/platform/organizations/{organization}/erasures/{erasureId}/confirm.
func (s *surface) ConfirmErasure(c *gate.Call, organization OrganizationID, erasureID ErasureID, body Reason) (ConfirmErasureResponseObject, error) {
	confirmed, err := s.erasures.Confirm(c.Context(), organization, erasureID, operator(c, body.Reason))
	if err != nil {
		return nil, erasureProblem(err)
	}
	model, err := s.erasureModel(&confirmed)
	return ConfirmErasure202JSONResponse(model), err
}

// ShowErasure serves GET /api/v1/platform/organizations/{organization}/erasures/{erasureId}.
func (s *surface) ShowErasure(c *gate.Call, organization OrganizationID, erasureID ErasureID) (ShowErasureResponseObject, error) {
	found, err := s.erasures.Get(c.Context(), organization, erasureID)
	if err != nil {
		return nil, erasureProblem(err)
	}
	model, err := s.erasureModel(&found)
	return ShowErasure200JSONResponse(model), err
}

// ShowLatestErasure serves GET /api/v1/platform/organizations/{organization}/erasure.
func (s *surface) ShowLatestErasure(c *gate.Call, organization OrganizationID) (ShowLatestErasureResponseObject, error) {
	found, err := s.erasures.Get(c.Context(), organization, "")
	if err != nil {
		return nil, erasureProblem(err)
	}
	model, err := s.erasureModel(&found)
	return ShowLatestErasure200JSONResponse(model), err
}

// operator returns the actor and the reason of an erasure.
func operator(c *gate.Call, reason string) erasure.Instruction {
	return erasure.Instruction{
		Actor:  transaction.Actor{Organization: c.Tenant().Organization, Key: c.Caller.KeyName(), RequestID: c.RequestID()},
		Reason: reason,
	}
}

func (s *surface) erasureModel(e *erasure.Erasure) (Erasure, error) {
	remaining, err := s.erasures.Remaining(e.Organization)
	if err != nil {
		return Erasure{}, erasureProblem(err)
	}
	model := Erasure{
		ID: e.ID, Organization: e.Organization, State: string(e.State),
		PlannedAt: respond.Instant(e.PlannedAt), PlannedBy: e.PlannedBy.Key, PlanReason: e.PlanReason, ExpiresAt: respond.Instant(e.ExpiresAt),
		ConfirmedAt: respond.Since(e.ConfirmedAt), ConfirmedBy: e.ConfirmedBy.Key, Reason: e.Reason, EndedAt: respond.Since(e.EndedAt),
		Counts: []ErasureCount{}, AuditID: e.AuditID, AuditHash: e.AuditHash, RemainingObjects: append([]string{}, remaining...),
	}
	for _, kind := range erasure.Kinds() {
		planned, erased := e.Planned[kind], e.Erased[kind]
		model.Counts = append(model.Counts, ErasureCount{
			Kind: string(kind), PlannedLive: planned.Live, PlannedTest: planned.Test, ErasedLive: erased.Live, ErasedTest: erased.Test,
		})
	}
	return model, nil
}

// erasureProblem maps the errors of package erasure to problems.
func erasureProblem(err error) error {
	var inForce *erasure.InForceError
	switch {
	case errors.Is(err, tenant.ErrInvalid):
		return problem.New(problem.CodeInvalidRequest, "The organization must be the spec.organizationID of a PartnerEntitlement, such as org_acme01.")
	case errors.As(err, &inForce):
		return problem.New(problem.CodeErasureConflict, "The PartnerEntitlement %s is in force. Suspend it first, so that nothing is written behind the erasure.", inForce.Partner)
	case errors.Is(err, erasure.ErrPlanExpired):
		return problem.New(problem.CodeErasureConflict, "The plan is older than %s. Plan the erasure again.", erasure.PlanLifetime)
	case errors.Is(err, erasure.ErrPlanUsed):
		return problem.New(problem.CodeErasureConflict, "The plan was confirmed before. Read the erasure instead.")
	case errors.Is(err, erasure.ErrErasing):
		return problem.New(problem.CodeErasureConflict, "Another erasure of the organization is in progress.")
	case errors.Is(err, erasure.ErrPostureUnknown):
		return problem.New(problem.CodePostureUnavailable, "No posture is in force on this replica, so the standing of the organization is unknown.").With(err)
	}
	return problemOf(err)
}
