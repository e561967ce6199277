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

// recoverBatch is how many deliveries are recovered in one commit.
const recoverBatch = 500

// maxList is how many deliveries are listed at once at most.
const maxList = 1000

// Config is what a [Service] is made of. Every member is required.
type Config struct {
	Store     Store
	Directory Directory
	Now       func() time.Time
	// Random is the source of ids, safe for concurrent use: crypto/rand.Reader.
	Random io.Reader
}

// Service is what people do with endpoints and deliveries. It is safe for concurrent
// use. Every verb may fail with ledger.UnavailableError, and fails with
// ledger.ErrNotFound for what the owner does not have.
type Service struct{ config Config }

// New makes a Service.
func New(config Config) *Service { return &Service{config} }

// ClosedError means that nothing is sent to an endpoint now.
type ClosedError struct {
	// Why is as in [Endpoint.Closed], or the [Disabled] of its standing.
	Why string
}

func (e *ClosedError) Error() string { return "the endpoint gets nothing: " + e.Why }

// InvalidError means that a request is outside of what there is.
type InvalidError struct {
	// Member is the one at fault: since, limit.
	Member string
	// Detail is a sentence for the person.
	Detail string
}

func (e *InvalidError) Error() string { return e.Member + ": " + e.Detail }

// Known is a declared endpoint with what is remembered of it.
type Known struct {
	Endpoint
	// Standing is the zero value but for its Address and URL until the endpoint is
	// enrolled.
	Standing Standing
}

// Endpoints lists the declared endpoints of an owner in the order of their names,
// also those that are not enrolled yet.
func (s *Service) Endpoints(ctx context.Context, owner tenant.ID) ([]Known, error) {
	return s.known(ctx, owner, func(other tenant.ID) bool { return other == owner })
}

// AllEndpoints lists the declared endpoints of every owner in a mode, in the order of
// their addresses.
func (s *Service) AllEndpoints(ctx context.Context, mode tenant.Mode) ([]Known, error) {
	return s.known(ctx, tenant.ID{}, func(owner tenant.ID) bool { return owner.Mode == mode })
}

// Find is one declared endpoint with what is remembered of it.
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

// known lists the declared endpoints whose owners are wanted, with the standings of
// one owner, or of all if it is the zero ID.
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

// standingOf is what a standing comes to for an endpoint as it is declared. That of
// another URL says nothing but when it was enrolled and what waits.
func standingOf(endpoint Endpoint, standing Standing) Standing {
	if standing.URL == endpoint.URL {
		return standing
	}
	return Standing{
		Address: endpoint.Address, URL: endpoint.URL, EnrolledAt: standing.EnrolledAt,
		Waiting: standing.Waiting, OldestAt: standing.OldestAt,
	}
}

// Deliveries lists those that a query selects, newest first; [InvalidError].
func (s *Service) Deliveries(ctx context.Context, query Query) ([]Delivery, error) {
	if query.Limit < 1 || query.Limit > maxList {
		return nil, &InvalidError{Member: "limit", Detail: fmt.Sprintf("must be 1 to %d", maxList)}
	}
	deliveries, err := s.config.Store.Deliveries(ctx, query)
	return deliveries, wrapped("list webhook deliveries", err)
}

// Delivery reads one with its attempts, oldest first.
func (s *Service) Delivery(ctx context.Context, owner tenant.ID, id string) (Delivery, []Attempt, error) {
	if !recordid.Valid(DeliveryPrefix, id) {
		return Delivery{}, nil, transaction.ErrNotFound
	}
	delivery, attempts, err := s.config.Store.Delivery(ctx, owner, id)
	return delivery, attempts, wrapped("read webhook delivery", err)
}

// Test sends an endpoint a [TestEvent], which is a delivery as any other.
// [ClosedError] if the endpoint gets nothing now.
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

// Redeliver begins a delivery anew, in whatever state it is. To a closed endpoint it
// goes out when that opens.
func (s *Service) Redeliver(ctx context.Context, owner tenant.ID, id string) (Delivery, error) {
	if !recordid.Valid(DeliveryPrefix, id) {
		return Delivery{}, transaction.ErrNotFound
	}
	delivery, err := s.config.Store.Redeliver(ctx, owner, id, whole(s.config.Now()))
	return delivery, wrapped("redeliver webhook", err)
}

// Recover begins everything anew that an endpoint has missed since an instant, and
// says how many deliveries that are. [InvalidError] if the instant is longer ago than
// [Retention], or to come. What was recovered before an error stays so.
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

// withinRetention says what is wrong with the instant that a recovery begins at.
func withinRetention(since, now time.Time) error {
	switch {
	case since.Before(now.Add(-Retention)):
		return &InvalidError{Member: "since", Detail: fmt.Sprintf("must be within %d days", Retention/(24*time.Hour))}
	case since.After(now):
		return &InvalidError{Member: "since", Detail: "must not be in the future"}
	}
	return nil
}

// Enable lets an endpoint that was disabled or rests have deliveries again: what waits for it
// is sent. ledger.ErrNotFound also for one that is not enrolled.
func (s *Service) Enable(ctx context.Context, address Address) error {
	if _, err := s.endpoint(address); err != nil {
		return err
	}
	return wrapped("enable webhook endpoint", s.config.Store.Enable(ctx, address, whole(s.config.Now())))
}

// endpoint finds a declared endpoint; ledger.ErrNotFound.
func (s *Service) endpoint(address Address) (Endpoint, error) {
	endpoint, found := s.config.Directory.Endpoint(address, s.config.Now())
	if !found {
		return Endpoint{}, fmt.Errorf("webhook endpoint %q: %w", address.Name, transaction.ErrNotFound)
	}
	return endpoint, nil
}
