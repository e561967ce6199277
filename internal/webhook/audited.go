// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Journal stores audit entries.
type Journal interface {
	AddAuditEntry(ctx context.Context, auditEntry transaction.AuditEntry) error
}

// Instruction is the actor and the reason of an operator's action.
type Instruction struct {
	Actor transaction.Actor
	// Reason has 1 to 500 characters.
	Reason string
}

// Audited performs the actions of operators on the endpoints and deliveries of partners.
// They are the actions of [Service], each with an audit entry. The entry is committed
// before the action, once its target is known to exist: a failed action has an entry as
// well, and is repeated with another one.
type Audited struct {
	*Service
	journal Journal
	now     func() time.Time
	random  io.Reader
}

// NewAudited returns an Audited for a service and a journal.
func NewAudited(service *Service, journal Journal) *Audited {
	return &Audited{service, journal, service.config.Now, service.config.Random}
}

// TestBy is [Service.Test] for an operator.
func (d *Audited) TestBy(ctx context.Context, address Address, by Instruction) (Delivery, error) {
	if err := d.toEndpoint(ctx, transaction.TestWebhook, address, by); err != nil {
		return Delivery{}, err
	}
	return d.Test(ctx, address)
}

// RecoverBy is [Service.Recover] for an operator.
func (d *Audited) RecoverBy(ctx context.Context, address Address, since time.Time, by Instruction) (int, error) {
	if err := withinRetention(since, whole(d.now())); err != nil {
		return 0, err
	}
	if err := d.toEndpoint(ctx, transaction.RecoverWebhook, address, by); err != nil {
		return 0, err
	}
	return d.Recover(ctx, address, since)
}

// EnableBy is [Service.Enable] for an operator.
func (d *Audited) EnableBy(ctx context.Context, address Address, by Instruction) error {
	if err := d.toEndpoint(ctx, transaction.EnableWebhook, address, by); err != nil {
		return err
	}
	return d.Enable(ctx, address)
}

// RedeliverBy is [Service.Redeliver] for an operator.
func (d *Audited) RedeliverBy(ctx context.Context, owner tenant.ID, id string, by Instruction) (Delivery, error) {
	if _, _, err := d.Delivery(ctx, owner, id); err != nil {
		return Delivery{}, err
	}
	if err := d.note(ctx, transaction.RedeliverWebhook, owner, id, by); err != nil {
		return Delivery{}, err
	}
	return d.Redeliver(ctx, owner, id)
}

// toEndpoint records an action on a declared endpoint.
func (d *Audited) toEndpoint(ctx context.Context, verb transaction.Verb, address Address, by Instruction) error {
	if _, err := d.endpoint(address); err != nil {
		return err
	}
	return d.note(ctx, verb, address.Owner, address.Name, by)
}

func (d *Audited) note(ctx context.Context, verb transaction.Verb, owner tenant.ID, subject string, by Instruction) error {
	auditEntry, err := transaction.NewAuditEntry(transaction.AuditEntry{
		At: whole(d.now()), Actor: by.Actor, Verb: verb, Owner: owner, Subject: subject, Reason: by.Reason,
	}, d.random)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return wrapped(string(verb), d.journal.AddAuditEntry(ctx, auditEntry))
}
