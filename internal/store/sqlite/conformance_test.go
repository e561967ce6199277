// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"errors"
	"testing"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	t.Run("conformance", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Store { return sqlite.OpenLogged(t) })
	})
	t.Run("every statement finds its rows by an index", sqlite.WantIndexes)
}

func TestFailingStoreIsUnavailableAndRecovers(t *testing.T) {
	t.Parallel()
	faulty := storetest.NewFaulty(storetest.OpenSQLite(t))
	rfqs, _, err := sqlite.Services(faulty)
	if err != nil {
		t.Fatalf("services: %v", err)
	}
	create := func() (rfq.Created, error) {
		return rfqs.Create(t.Context(), sqlite.Crasher, sqlite.CrashBody, sqlite.CrashTerms("k1"))
	}
	for _, fault := range []storetest.Fault{storetest.Away, storetest.Unknown} {
		faulty.Set(fault)
		_, err := create()
		if unavailable := (*transaction.UnavailableError)(nil); !errors.As(err, &unavailable) || !errors.Is(err, storetest.ErrInjected) {
			t.Errorf("fault %d: error = %v, want the injected UnavailableError", fault, err)
		}
	}
	faulty.Set(storetest.None)
	again, err := create()
	if err != nil || !again.Replayed {
		t.Errorf("after a commit with an unknown result: replayed = %t, %v; want a replay", again.Replayed, err)
	}
	if list, err := rfqs.List(t.Context(), sqlite.Crasher, rfq.Page{}); err != nil || len(list.Items) != 1 {
		t.Errorf("%d rfqs, want 1 (%v)", len(list.Items), err)
	}
	if got := faulty.Calls(); got != 4 {
		t.Errorf("%d calls were counted, want 4", got)
	}
}
