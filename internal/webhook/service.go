// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// recoverBatch limits the deliveries in one commit of a recovery.
const recoverBatch = 500

// maxList limits the deliveries of one list.
const maxList = 1000

// Config configures a [Service]. Every member is required.
type Config struct {
	Store     Store
	Directory Directory
	Now       func() time.Time
	// Random is the source of ids. It must be safe for concurrent use:
	// crypto/rand.Reader.
	Random io.Reader
}

// Service implements the actions on endpoints and deliveries. It is safe for concurrent
// use. Every method may return a transaction.UnavailableError, and
// transaction.ErrNotFound for a record that the owner does not have.
type Service struct{ config Config }

// New returns a Service.
func New(config Config) *Service { return &Service{config} }

// ClosedError means that the endpoint gets no events now.
type ClosedError struct {
	// Why is [Endpoint.Closed], or the [Disabled] of its standing.
	Why string
}

func (e *ClosedError) Error() string { return "the endpoint gets nothing: " + e.Why }

// InvalidError means that a parameter of a request is invalid.
type InvalidError struct {
	// Member is the invalid member: since or limit.
	Member string
	// Detail describes the fault.
	Detail string
}

func (e *InvalidError) Error() string { return e.Member + ": " + e.Detail }

// Known is a declared endpoint with its standing.
type Known struct {
	Endpoint
	// Standing only has an Address and a URL until the endpoint is enrolled.
	Standing Standing
}

// Endpoints lists the declared endpoints of an owner by name, including those that are
// not enrolled yet.
func (s *Service) Endpoints(ctx context.Context, owner tenant.ID) ([]Known, error) {
	return s.known(ctx, owner, func(other tenant.ID) bool { return other == owner })
}

// AllEndpoints lists the declared endpoints of all owners in a mode by address.
func (s *Service) AllEndpoints(ctx context.Context, mode tenant.Mode) ([]Known, error) {
	return s.known(ctx, tenant.ID{}, func(owner tenant.ID) bool { return owner.Mode == mode })
}

// Find returns a declared endpoint with its standing.
func (s *Service) Find(ctx context.Context, address Address) (Known, error) {
	all, err := s.Endpoints(ctx, address.Owner)
	if err != nil {
		return Known{}, err
	}
	for i := range all {
		if all[i].Name == address.Name {
			return all[i], nil
		}
	}
	return Known{}, fmt.Errorf("webhook endpoint %q: %w", address.Name, transaction.ErrNotFound)
}

// known lists the declared endpoints of the wanted owners with their standings. It
// reads the standings of one owner, or of all for the zero ID.
func (s *Service) known(ctx context.Context, owner tenant.ID, wanted func(tenant.ID) bool) ([]Known, error) {
	standings, err := s.config.Store.Standings(ctx, owner)
	if err != nil {
		return nil, fmt.Errorf("list webhook endpoints: %w", err)
	}
	remembered := make(map[Address]Standing, len(standings))
	for _, standing := range standings {
		remembered[standing.Address] = standing
	}
	var known []Known
	for _, endpoint := range s.config.Directory.Endpoints(s.config.Now()) {
		if wanted(endpoint.Owner) {
			known = append(known, Known{endpoint, standingOf(endpoint, remembered[endpoint.Address])})
		}
	}
	return known, nil
}

// standingOf returns the standing that applies to an endpoint as declared. Of a
// standing with another URL, only the enrolment and the waiting deliveries apply.
func standingOf(endpoint Endpoint, standing Standing) Standing {
	if standing.URL == endpoint.URL {
		return standing
	}
	return Standing{
		Address: endpoint.Address, URL: endpoint.URL, EnrolledAt: standing.EnrolledAt,
		Waiting: standing.Waiting, OldestAt: standing.OldestAt,
	}
}

// Deliveries returns the deliveries of a query, newest first; [InvalidError].
func (s *Service) Deliveries(ctx context.Context, query Query) ([]Delivery, error) {
	if query.Limit < 1 || query.Limit > maxList {
		return nil, &InvalidError{Member: "limit", Detail: fmt.Sprintf("must be 1 to %d", maxList)}
	}
	deliveries, err := s.config.Store.Deliveries(ctx, query)
	return deliveries, wrapped("list webhook deliveries", err)
}

// Delivery returns a delivery with its attempts, oldest first.
func (s *Service) Delivery(ctx context.Context, owner tenant.ID, id string) (Delivery, []Attempt, error) {
	if !recordid.Valid(DeliveryPrefix, id) {
		return Delivery{}, nil, transaction.ErrNotFound
	}
	delivery, attempts, err := s.config.Store.Delivery(ctx, owner, id)
	return delivery, attempts, wrapped("read webhook delivery", err)
}

// Test sends a [TestEvent] to an endpoint as a normal delivery. It returns a
// [ClosedError] if the endpoint gets no events now.
func (s *Service) Test(ctx context.Context, address Address) (Delivery, error) {
	endpoint, err := s.endpoint(address)
	if err != nil {
		return Delivery{}, err
	}
	if endpoint.Closed != "" {
		return Delivery{}, &ClosedError{endpoint.Closed}
	}
	standings, err := s.config.Store.Standings(ctx, address.Owner)
	if err != nil {
		return Delivery{}, fmt.Errorf("test webhook endpoint: %w", err)
	}
	for _, standing := range standings {
		if standing.Address == address && standingOf(endpoint, standing).Disabled != NotDisabled {
			return Delivery{}, &ClosedError{string(standing.Disabled)}
		}
	}
	now := whole(s.config.Now())
	event, err := transaction.NewEvent(TestEvent, "", now, s.config.Random)
	if err != nil {
		return Delivery{}, fmt.Errorf("test webhook endpoint: %w", err)
	}
	delivery, err := newDelivery(address, event, now, s.config.Random)
	if err != nil {
		return Delivery{}, fmt.Errorf("test webhook endpoint: %w", err)
	}
	return delivery, wrapped("test webhook endpoint", s.config.Store.AddDelivery(ctx, delivery))
}

// Redeliver restarts a delivery regardless of its state. For a closed endpoint, it is
// sent when the endpoint opens.
func (s *Service) Redeliver(ctx context.Context, owner tenant.ID, id string) (Delivery, error) {
	if !recordid.Valid(DeliveryPrefix, id) {
		return Delivery{}, transaction.ErrNotFound
	}
	delivery, err := s.config.Store.Redeliver(ctx, owner, id, whole(s.config.Now()))
	return delivery, wrapped("redeliver webhook", err)
}

// Recover restarts all deliveries that an endpoint has missed since a time, and returns
// their number. It returns an [InvalidError] if the time is in the future or more than
// [Retention] ago. Deliveries recovered before an error stay recovered.
func (s *Service) Recover(ctx context.Context, address Address, since time.Time) (int, error) {
	endpoint, err := s.endpoint(address)
	if err != nil {
		return 0, err
	}
	now := whole(s.config.Now())
	if err := withinRetention(since, now); err != nil {
		return 0, err
	}
	mint := func() (string, error) { return recordid.New(DeliveryPrefix, now, s.config.Random) }
	for total := 0; ; {
		n, err := s.config.Store.Recover(ctx, endpoint, since, now, recoverBatch, mint)
		total += n
		if err != nil || n < recoverBatch {
			return total, wrapped("recover webhook deliveries", err)
		}
	}
}

// withinRetention returns an error if a recovery cannot start at a time.
func withinRetention(since, now time.Time) error {
	switch {
	case since.Before(now.Add(-Retention)):
		return &InvalidError{Member: "since", Detail: fmt.Sprintf("must be within %d days", Retention/(24*time.Hour))}
	case since.After(now):
		return &InvalidError{Member: "since", Detail: "must not be in the future"}
	}
	return nil
}

// Enable resumes deliveries to a disabled or paused endpoint; waiting deliveries are
// sent. It also returns transaction.ErrNotFound for an endpoint that is not enrolled.
func (s *Service) Enable(ctx context.Context, address Address) error {
	if _, err := s.endpoint(address); err != nil {
		return err
	}
	return wrapped("enable webhook endpoint", s.config.Store.Enable(ctx, address, whole(s.config.Now())))
}

// endpoint returns a declared endpoint; transaction.ErrNotFound.
func (s *Service) endpoint(address Address) (Endpoint, error) {
	endpoint, found := s.config.Directory.Endpoint(address, s.config.Now())
	if !found {
		return Endpoint{}, fmt.Errorf("webhook endpoint %q: %w", address.Name, transaction.ErrNotFound)
	}
	return endpoint, nil
}
