// SPDX-License-Identifier: Apache-2.0

package masterdata_test

import (
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/storetest"
)

const owner = "org_acme01"

// by is the platform operator who acts in the tests.
var by = masterdata.Instruction{Actor: transaction.Actor{Organization: "org_market", Key: "operations", RequestID: "req_1"}, Note: "checked"}

// fixture is a store with the service that writes to it and a follower of it.
type fixture struct {
	clock       *clocktesting.FakeClock
	store       *storetest.Faulty
	data        *masterdata.Service
	follower    *masterdata.Follower
	catalogs    *catalog.Holder
	authorities *authority.Holder
}

// newFixture returns an empty fixture. wrap wraps the store of the follower unless it is
// nil.
func newFixture(t *testing.T, log *slog.Logger, wrap func(masterdata.Heads) masterdata.Heads) *fixture {
	t.Helper()
	f := &fixture{
		clock: clocktesting.NewFakeClock(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)), store: storetest.NewFaulty(storetest.OpenSQLite(t)),
		catalogs: catalog.NewHolder(time.Hour), authorities: authority.NewHolder(time.Hour),
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	var heads masterdata.Heads = f.store
	if wrap != nil {
		heads = wrap(heads)
	}
	f.data = masterdata.New(masterdata.Config{Store: f.store, Now: f.clock.Now, Random: rand.Reader})
	f.follower = masterdata.NewFollower(masterdata.FollowerConfig{Heads: heads, Catalogs: f.catalogs, Authorities: f.authorities, Now: f.clock.Now, Log: log})
	return f
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// resources returns resources of an owner; each price gives another snapshot.
func resources(t testing.TB, owner string, price int64) *authority.Snapshot {
	t.Helper()
	s, err := authority.New(authority.Content{Owner: owner, Currency: "EUR", Electricity: []authority.Electricity{{
		ID: "grid", Name: "Grid", Price: authority.Price{Amount: money.Decimal(price), Per: authority.PerKilowattHour},
	}}})
	must(t, err)
	return s
}

// keeps imports resources and returns their id.
func (f *fixture) keeps(t testing.TB, owner string, price int64) string {
	t.Helper()
	s := resources(t, owner, price)
	_, err := f.data.Import(t.Context(), masterdata.Draft{Resources: s, Provenance: masterdata.Provenance{Source: "ERP"}}, by)
	must(t, err)
	return s.ID()
}

func (f *fixture) approves(t testing.TB, id string, window masterdata.Window) masterdata.Approval {
	t.Helper()
	a, err := f.data.Approve(t.Context(), id, window, by)
	must(t, err)
	return a
}

func (f *fixture) refreshes(t testing.TB) {
	t.Helper()
	must(t, f.follower.Refresh(t.Context()))
}
