// SPDX-License-Identifier: Apache-2.0

package erasure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Store keeps erasures and erases records.
type Store interface {
	// CountRecords counts the records of an organization, and the keys that were used.
	CountRecords(ctx context.Context, organization string, keys []credential.Digest) (Counts, error)
	// AddErasure adds a plan.
	AddErasure(ctx context.Context, plan Erasure) error
	// Erasure returns an erasure of an organization; the latest one that is not a plan if id
	// is empty. transaction.ErrNotFound if there is none.
	Erasure(ctx context.Context, organization, id string) (Erasure, error)
	// AmendErasure changes an erasure as decide returns it, together with an audit entry. It
	// stores the id and the hash of the entry in the erasure. It returns errors of decide,
	// and [ErrErasing] if the change would begin a second erasure of the organization.
	AmendErasure(ctx context.Context, id string, decide func(Erasure) (Erasure, transaction.AuditEntry, error)) (Erasure, error)
	// OpenErasures lists the erasures in the state Erasing, the earliest first.
	OpenErasures(ctx context.Context, limit int) ([]Erasure, error)
	// EraseRecords erases records of a step and a mode, and adds them to the counts of the
	// erasure, in one transaction. It returns the number of records of the step's kind. It
	// erases nothing if the erasure is not in the state Erasing; busy means that another
	// process is erasing.
	EraseRecords(ctx context.Context, id string, step int, mode tenant.Mode) (erased int64, busy bool, err error)
	// PurgePlans erases the plans that expired by an instant.
	PurgePlans(ctx context.Context, now time.Time) error
}

// Config holds the dependencies of a [Service].
type Config struct {
	Store Store
	// Declared returns the declarations of an organization, or [ErrPostureUnknown].
	Declared func(organization string) (Declared, error)
	// RemoveBytes removes the bytes of all files of a tenant, before their rows are erased.
	RemoveBytes func(ctx context.Context, owner tenant.ID) error
	Now         func() time.Time
	Random      io.Reader
	Log         *slog.Logger
}

// Service plans, confirms and carries out erasures. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }

// Instruction identifies the operator and the reason.
type Instruction struct {
	Actor  transaction.Actor
	Reason string
}

// Plan counts the records of an organization and stores the counts as a plan. An organization
// without records has a plan as well, because operators must be able to prove that.
// The error is tenant.ErrInvalid for an invalid organization.
func (s *Service) Plan(ctx context.Context, organization string, by Instruction) (Erasure, error) {
	if _, err := tenant.New(organization, tenant.Live); err != nil {
		return Erasure{}, err
	}
	declared, err := s.Declared(organization)
	if err != nil {
		return Erasure{}, err
	}
	counts, err := s.Store.CountRecords(ctx, organization, declared.Keys)
	if err != nil {
		return Erasure{}, err
	}
	now := s.Now().UTC().Truncate(time.Millisecond)
	plan := Erasure{
		Organization: organization, State: Planned, PlannedAt: now, ExpiresAt: now.Add(PlanLifetime),
		Details: Details{PlannedBy: by.Actor, PlanReason: by.Reason, Planned: counts, Erased: Counts{}, Keys: declared.Keys},
	}
	if plan.ID, err = recordid.New(Prefix, now, s.Random); err != nil {
		return Erasure{}, err
	}
	return plan, s.Store.AddErasure(ctx, plan)
}

// Confirm begins the erasure of a plan. It returns an [InForceError] while the organization
// may still make requests, and [ErrPlanExpired], [ErrPlanUsed] or [ErrErasing].
func (s *Service) Confirm(ctx context.Context, organization, id string, by Instruction) (Erasure, error) {
	if _, err := s.Get(ctx, organization, id); err != nil {
		return Erasure{}, err
	}
	if err := s.refuseInForce(organization); err != nil {
		return Erasure{}, err
	}
	now := s.Now().UTC().Truncate(time.Millisecond)
	return s.Store.AmendErasure(ctx, id, func(e Erasure) (Erasure, transaction.AuditEntry, error) {
		switch {
		case e.State != Planned:
			return e, transaction.AuditEntry{}, ErrPlanUsed
		case !now.Before(e.ExpiresAt):
			return e, transaction.AuditEntry{}, ErrPlanExpired
		}
		e.State, e.ConfirmedAt, e.ConfirmedBy, e.Reason = Erasing, now, by.Actor, by.Reason
		entry, err := s.entry(&e, transaction.EraseOrganization, now, by.Reason)
		return e, entry, err
	})
}

// entry returns the audit entry of a change. Its owner is the live tenant, so all entries of an
// erasure are in the chain of live mode.
func (s *Service) entry(e *Erasure, verb transaction.Verb, at time.Time, reason string) (transaction.AuditEntry, error) {
	return transaction.NewAuditEntry(transaction.AuditEntry{
		At: at, Actor: e.ConfirmedBy, Verb: verb, Subject: e.ID, Reason: reason,
		Owner: tenant.ID{Organization: e.Organization, Mode: tenant.Live},
	}, s.Random)
}

func (s *Service) refuseInForce(organization string) error {
	declared, err := s.Declared(organization)
	if err != nil {
		return err
	}
	if declared.InForce != "" {
		return &InForceError{Organization: organization, Partner: declared.InForce}
	}
	return nil
}

// Get returns an erasure of an organization, or the latest confirmed one if id is empty.
func (s *Service) Get(ctx context.Context, organization, id string) (Erasure, error) {
	if _, err := tenant.New(organization, tenant.Live); err != nil || id != "" && !recordid.Valid(Prefix, id) {
		return Erasure{}, transaction.ErrNotFound
	}
	return s.Store.Erasure(ctx, organization, id)
}

// Remaining names the objects that still declare an organization.
func (s *Service) Remaining(organization string) ([]string, error) {
	declared, err := s.Declared(organization)
	return declared.Objects, err
}

// openAtOnce limits how many erasures one sweep continues.
const openAtOnce = 10

// Sweep continues the confirmed erasures until ctx ends or nothing is left to erase, and then
// ends those that have settled. An erasure waits while its organization is in force again.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.Store.PurgePlans(ctx, s.Now()); err != nil {
		return err
	}
	open, err := s.Store.OpenErasures(ctx, openAtOnce)
	if err != nil {
		return err
	}
	var failed []error
	for i := range open {
		if err := s.carryOut(ctx, &open[i]); err != nil {
			failed = append(failed, fmt.Errorf("erase %s: %w", open[i].Organization, err))
		}
	}
	return errors.Join(failed...)
}

// carryOut erases until a pass over all steps finds nothing.
func (s *Service) carryOut(ctx context.Context, e *Erasure) error {
	for {
		began := s.Now()
		erased, busy, err := s.pass(ctx, e)
		if err != nil || busy {
			return err
		}
		if erased > 0 {
			s.Log.InfoContext(ctx, "erased records", "organization", e.Organization, "erasure", e.ID, "records", erased)
			continue
		}
		if began.Before(e.ConfirmedAt.Add(Settling)) {
			return nil // a later sweep repeats the pass
		}
		return s.end(ctx, e.ID)
	}
}

// pass erases the records of every step. It returns how many it has erased.
func (s *Service) pass(ctx context.Context, e *Erasure) (total int64, busy bool, err error) {
	for step := range Steps {
		for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
			if err := s.removeBytes(ctx, e, step, mode); err != nil {
				return total, false, err
			}
			for {
				if err := s.refuseInForce(e.Organization); err != nil {
					return total, false, err
				}
				erased, busy, err := s.Store.EraseRecords(ctx, e.ID, step, mode)
				if err != nil || busy {
					return total, busy, err
				}
				if total += erased; erased < int64(Steps[step].Limit) {
					break
				}
			}
		}
	}
	return total, false, nil
}

// removeBytes removes what the records of a step have outside the store. It removes the bytes of
// all files before the first row, because another process may erase the same rows.
func (s *Service) removeBytes(ctx context.Context, e *Erasure, step int, mode tenant.Mode) error {
	if Steps[step].Kind != Files {
		return nil
	}
	if err := s.refuseInForce(e.Organization); err != nil {
		return err
	}
	return s.RemoveBytes(ctx, tenant.ID{Organization: e.Organization, Mode: mode})
}

// end records the counts in the audit and ends the erasure, unless another process did.
func (s *Service) end(ctx context.Context, id string) error {
	now := s.Now().UTC().Truncate(time.Millisecond)
	ended, err := s.Store.AmendErasure(ctx, id, func(e Erasure) (Erasure, transaction.AuditEntry, error) {
		if e.State != Erasing {
			return e, transaction.AuditEntry{}, ErrPlanUsed
		}
		e.State, e.EndedAt, e.Keys = Erased, now, nil
		entry, err := s.entry(&e, transaction.CertifyErasure, now, "Erased: "+e.Erased.String())
		return e, entry, err
	})
	if errors.Is(err, ErrPlanUsed) {
		return nil
	}
	if err == nil {
		s.Log.InfoContext(ctx, "erased an organization", "organization", ended.Organization, "erasure", ended.ID, "audit", ended.AuditID)
	}
	return err
}
