// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Config holds the dependencies of a [Service]. Every member is required.
type Config struct {
	Store   Store
	Catalog CatalogSource
	Cursors Cursors
	Now     func() time.Time
	// Random is the source of ids and tracking codes. It must be safe for concurrent
	// use; production uses crypto/rand.Reader.
	Random io.Reader
}

// Cursors encrypts the positions of listings, so that clients can neither read nor
// forge cursors.
type Cursors interface {
	Seal(scope cursor.Scope, position string) (string, error)
	Open(scope cursor.Scope, text string) (string, error)
}

// Service creates, reads, lists, quotes and closes RFQs. It is safe for concurrent use.
type Service struct{ config Config }

// New returns a Service with the given dependencies.
func New(config Config) *Service { return &Service{config} }

// Terms holds the idempotency key and the quota of one call of [Service.Create].
type Terms struct {
	Idempotency transaction.Idempotency
	// Quota must have a window; the zero Quota allows nothing.
	Quota transaction.Quota
}

// Created is the result of [Service.Create].
type Created struct {
	// RFQ is the record as committed, also in a replay.
	RFQ RFQ
	// Replayed is true if the key was committed before. Nothing was written and no
	// quota was used.
	Replayed bool
}

// Create creates an RFQ. It returns errors in this order: a reused key (which replays,
// or is transaction.ErrKeyReused, even if the draft is invalid or the catalog
// unavailable), [ValidationError], [ErrCatalogUnavailable],
// transaction.QuotaExceededError. While another request with the key is in progress, it
// returns transaction.ErrInProgress. It may return transaction.UnavailableError at any
// point; repeating the call with the same key is safe.
func (s *Service) Create(ctx context.Context, owner tenant.ID, draft Draft, terms Terms) (Created, error) {
	if owner.IsZero() || terms.Quota.Window < time.Second {
		return Created{}, errors.New("create rfq: no tenant or no quota window")
	}
	now := s.now()
	record, quotes, refusal := s.judge(now, owner, draft, terms.Quota)
	if refusal != nil {
		// The store looks the key up in the transaction that writes. Without a write,
		// look the key up here, so that a replay still comes first.
		if replayed, found, err := s.Replay(ctx, owner, terms.Idempotency); found || err != nil {
			return Created{RFQ: replayed, Replayed: found}, err
		}
		return Created{}, refusal
	}
	kinds := []transaction.EventType{transaction.RFQCreated}
	if state, found := simulatedStateOf(owner, draft.CatalogProductUID); found {
		kinds = state.events
	}
	events, err := s.events(record.ID, record.CreatedAt, kinds...)
	if err != nil {
		return Created{}, err
	}
	stored, outcome, err := s.config.Store.CreateRFQ(ctx, record, quotes, transaction.Terms{
		Tenant:      owner,
		Operation:   transaction.CreateRFQ,
		Idempotency: terms.Idempotency,
		Quota:       &terms.Quota,
		Events:      events,
		Now:         now,
	})
	if err != nil {
		return Created{}, fmt.Errorf("create rfq: %w", err)
	}
	return Created{RFQ: stored.asCreated(), Replayed: outcome == transaction.Replayed}, nil
}

// Replay looks up a key before the body is validated. found is false if the key is
// empty or was never committed. transaction.ErrKeyReused means that the key was
// committed with another body.
func (s *Service) Replay(ctx context.Context, owner tenant.ID, used transaction.Idempotency) (record RFQ, found bool, err error) {
	if used.Key == "" {
		return RFQ{}, false, nil
	}
	stored, err := s.config.Store.ReplayedRFQ(ctx, owner, used, s.now())
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return RFQ{}, false, nil
	case err != nil:
		return RFQ{}, false, fmt.Errorf("replay rfq: %w", err)
	default:
		return stored.asCreated(), true, nil
	}
}

// judge converts a draft into a record with its first quotes, or returns the error.
func (s *Service) judge(now time.Time, owner tenant.ID, draft Draft, quota transaction.Quota) (RFQ, []Quote, error) {
	sim := simulation(owner, draft.CatalogProductUID)
	product, err := s.product(now, draft, sim, quota)
	if found := draft.check(err); len(found) > 0 {
		return RFQ{}, nil, found.err()
	}
	if err != nil {
		return RFQ{}, nil, err
	}
	record, err := s.newRFQ(now, owner, draft, product)
	state, found := simulatedStateOf(owner, draft.CatalogProductUID)
	if err != nil || !found {
		return record, nil, err
	}
	quotes, err := s.simulatedQuotes(record, now, state.quotes)
	state.apply(&record)
	return record, quotes, err
}

// check validates a draft by itself, and adds the violations of err, the error of its
// product, so that the partner reads all of them at once.
func (d Draft) check(err error) violations {
	var found violations
	found.text("#/catalogProductUid", d.CatalogProductUID, MaxUID)
	found.text("#/title", d.Title, MaxTitle)
	found.text("#/category", d.Category, MaxCategory)
	found.count("#/quantity", d.Quantity, MaxQuantity)
	found.text("#/deliveryCity", d.DeliveryCity, MaxDeliveryCity)
	if d.ClientReference != "" {
		found.text("#/clientReference", d.ClientReference, MaxReference)
	}
	var invalid *ValidationError
	if errors.As(err, &invalid) {
		found.merge(invalid.Violations)
	}
	return found
}

// Check returns the violations of a draft, also those that need the catalog if it is
// available. It lets a caller report them together with the violations of the schema.
func (s *Service) Check(owner tenant.ID, draft Draft) []Violation {
	now := s.now()
	_, err := s.product(now, draft, simulation(owner, draft.CatalogProductUID), transaction.Quota{Window: time.Second})
	return draft.check(err)
}

// product resolves the product with the simulator or with the catalog.
func (s *Service) product(now time.Time, draft Draft, sim simulated, quota transaction.Quota) (Product, error) {
	if sim != simNone {
		return sim.product(now, draft, quota)
	}
	catalog, err := s.config.Catalog(now)
	if err != nil {
		return Product{}, fmt.Errorf("%w: %w", ErrCatalogUnavailable, err)
	}
	// Compare product and category with the catalog and report the invalid one. If
	// both exist but do not belong together, the category is invalid, because the
	// product determines its group.
	var found violations
	name, group, known := catalog.Resolve(draft.CatalogProductUID)
	if !known {
		found.add("#/catalogProductUid", unknownProduct, "the catalog has no product with this uid; GET /api/v1/catalog/products lists them")
	}
	switch {
	case !catalog.HasGroup(draft.Category):
		found.add("#/category", unknownCategory, "the catalog has no marketplace group with this name")
	case known && draft.Category != group:
		found.add("#/category", wrongCategory, fmt.Sprintf("the product belongs to the marketplace group %q, not to this one", group))
	}
	return Product{UID: draft.CatalogProductUID, Name: name, Group: group, CatalogID: catalog.ID()}, found.err()
}

func (s *Service) newRFQ(now time.Time, owner tenant.ID, draft Draft, product Product) (RFQ, error) {
	id, err := recordid.New(recordid.RFQ, now, s.config.Random)
	if err != nil {
		return RFQ{}, err
	}
	var entropy [8]byte
	if _, err := io.ReadFull(s.config.Random, entropy[:]); err != nil {
		return RFQ{}, fmt.Errorf("mint tracking code: %w", err)
	}
	bits := binary.BigEndian.Uint64(entropy[:])
	symbols := make([]byte, trackingRandom, trackingSymbols)
	for i := range symbols {
		symbols[i] = recordid.Alphabet[bits&31]
		bits >>= 5
	}
	code := formatTracking(append(symbols, checkSymbol(symbols)))
	return RFQ{
		ID: id, Tenant: owner, TrackingCode: code,
		Draft: draft, Product: product,
		Status: Open, Version: 1,
		ResponseDeadline: now.Add(ResponseTime), ExpiresAt: now.Add(Lifetime),
		CreatedAt: now, UpdatedAt: now,
	}, nil
}

// now returns the clock in whole milliseconds, the resolution of the store, so that a
// stored record equals the response.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }
