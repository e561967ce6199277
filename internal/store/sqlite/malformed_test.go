// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// TestMalformedJobIsReportedAndSkipped checks that a damaged row blocks neither the other jobs
// nor a worker that waits for the store to become available.
func TestMalformedJobIsReportedAndSkipped(t *testing.T) {
	t.Parallel()
	store, err := Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	_, preflight, err := services(store)
	if err != nil {
		t.Fatalf("services: %v", err)
	}
	who := tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	var ids []string
	for range 3 {
		submitted, err := preflight.Submit(t.Context(), who, preflightjob.Request{FileURL: "https://files.example.com/f.pdf", Profile: "print_ready"}, 10)
		if err != nil {
			t.Fatalf("preflight.Submit: %v", err)
		}
		ids = append(ids, submitted.Job.ID)
	}
	if _, err := store.writer.ExecContext(t.Context(), `UPDATE job SET tenant = 'unknown' WHERE id = ?`, ids[1]); err != nil {
		t.Fatalf("store.writer.ExecContext: %v", err)
	}
	var malformed *preflightjob.MalformedError
	open, err := store.OpenJobs(t.Context(), time.Now().Add(time.Hour), 10)
	if !errors.As(err, &malformed) || len(malformed.IDs) != 1 || malformed.IDs[0] != ids[1] || len(open) != 2 {
		t.Errorf("OpenJobs = %v, %v; want the two valid jobs and the error of job %s", open, err, ids[1])
	}
	var unavailable *transaction.UnavailableError
	if _, err := preflight.Begin(t.Context(), ids[1], 1, "w1"); !errors.As(err, &malformed) || errors.As(err, &unavailable) {
		t.Errorf("Begin: %v, want a MalformedError and not ErrNotFound", err)
	}
}
