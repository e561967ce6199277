// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"errors"
	"testing"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

func TestSubmissionWaitsForAnotherOfItsTenantAndCountsItsJob(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
	_, preflight := services(t, store)
	other, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatalf("connect().Begin: %v", err)
	}
	if !queryOne[bool](t, other, `SELECT room_for_job($1, 1)`, acme.String()) {
		t.Fatal("the first job was rejected, want room for it")
	}
	if _, err := other.Exec(t.Context(), `INSERT INTO job (`+jobColumns+`) VALUES
		('pref_other', $1, '', '', NULL, 'queued', 0, '', 0, 0, '', '', '', 1, now(), NULL, NULL, now(), now(), 0, NULL, '', 0, '', NULL, '', '', '', NULL, NULL)`, acme.String()); err != nil {
		t.Fatalf("other.Exec: %v", err)
	}
	submitted := make(chan error, 1)
	go func() {
		_, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 1)
		submitted <- err
	}()
	watch := connect(t, address)
	eventually.Holds(t, "the submission waits, or has ended", func() bool {
		return len(submitted) > 0 || queryOne[bool](t, watch, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'printmarket' AND wait_event = 'advisory')`)
	})
	if err := other.Commit(t.Context()); err != nil {
		t.Fatalf("other.Commit: %v", err)
	}
	var exceeded *preflightjob.BacklogExceededError
	if err := <-submitted; !errors.As(err, &exceeded) {
		t.Errorf("error = %v, want BacklogExceededError", err)
	}
	if n := queryOne[int](t, watch, `SELECT count(*) FROM idempotency`); n != 0 {
		t.Errorf("the rejected submission stored %d keys, want 0", n)
	}
}
