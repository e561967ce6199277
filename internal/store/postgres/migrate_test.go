// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3/lock"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/pgtest"
)

const needed = 34

func TestProgramRunsOnlyOnItsOwnSchemaAndNewerOnes(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openUnmigrated(t, address, patient)
	check := func(when string, have int64, want error) {
		t.Helper()
		got, err := store.SchemaVersion(t.Context())
		if err != nil || got != have {
			t.Errorf("%s: schema version %d (%v), want %d", when, got, err, have)
		}
		if err := store.CheckSchema(t.Context()); !cmp.Equal(err, want) {
			t.Errorf("%s: error = %v, want %v", when, err, want)
		}
	}
	check("before any migration", 0, &SchemaError{Have: 0, Need: needed})
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	check("migrated", needed, nil)
	execute(t, address, fmt.Sprintf(`DELETE FROM goose_db_version WHERE version_id = %d`, needed))
	var before int64
	if err := connect(t, address).QueryRow(t.Context(), `SELECT max(version_id) FROM goose_db_version`).Scan(&before); err != nil {
		t.Fatalf("connect().QueryRow: %v", err)
	}
	check("a migration short", before, &SchemaError{Have: before, Need: needed})
	execute(t, address,
		fmt.Sprintf(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, true), (99, true)`, needed),
		`ALTER TABLE rfq ADD COLUMN added_later text NOT NULL DEFAULT ''`,
		`ALTER TABLE job ADD COLUMN added_later bigint`)
	check("after a later release has migrated", 99, nil)
	if err := store.Migrate(t.Context()); err != nil {
		t.Errorf("migrating an already newer schema: %v", err)
	}
	check("after an older migrator came by", 99, nil)
	rfqs, preflight := services(t, store)
	create(t, rfqs, "k1")
	if _, err := preflight.Submit(t.Context(), acme, jobOf("k1"), 1); err != nil {
		t.Errorf("submit on a newer schema: %v", err)
	}
}

func TestSecondMigratorWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openUnmigrated(t, address, patient)
	first := connect(t, address)
	if _, err := first.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, lock.DefaultLockID); err != nil {
		t.Fatalf("first.Exec: %v", err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- store.Migrate(t.Context()) }()
	watch := connect(t, address)
	eventually.Holds(t, "the second migrator requests the lock", func() bool {
		return queryOne[bool](t, watch, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'printmarket' AND query LIKE '%pg_try_advisory_lock%')`)
	})
	select {
	case err := <-migrated:
		t.Fatalf("the second migrator did not wait for the first (%v)", err)
	default:
	}
	if version, err := store.SchemaVersion(t.Context()); err != nil || version != 0 {
		t.Errorf("version %d (%v) while the first migrator works, want 0", version, err)
	}
	if _, err := first.Exec(t.Context(), `SELECT pg_advisory_unlock($1)`, lock.DefaultLockID); err != nil {
		t.Fatalf("first.Exec: %v", err)
	}
	if err := <-migrated; err != nil {
		t.Fatalf("first.Exec: %v", err)
	}
	if err := store.CheckSchema(t.Context()); err != nil {
		t.Errorf("store.CheckSchema: %v", err)
	}
}

func TestConcurrentMigratorsMigrateOnce(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openUnmigrated(t, address, patient)
	role, _ := newRole(t, address)
	const n = 3
	results := make(chan error, n)
	for range n {
		go func() {
			err := store.Migrate(t.Context())
			for range 10 { // while several migrators run
				err = errors.Join(err, store.Grant(t.Context(), Roles{API: role, Worker: role, Webhooks: role}))
			}
			results <- err
		}()
	}
	var errs []error
	for range n {
		errs = append(errs, <-results)
	}
	if err := errors.Join(errs...); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatalf("fs.Glob: %v", err)
	}
	if rows := queryOne[int](t, store.pool, `SELECT count(*) FROM goose_db_version WHERE version_id > 0`); rows != len(files) {
		t.Errorf("%d migrations are recorded, want %d", rows, len(files))
	}
}

func TestWorkerOfThePreviousReleasePublishesDuringTheMigration(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	steps := stepper(t, openUnmigrated(t, address, patient))
	if _, err := steps.UpTo(t.Context(), 16); err != nil {
		t.Fatalf("steps.UpTo: %v", err)
	}
	role, narrow := newRole(t, address)
	execute(t, address, grants(role, "INSERT (id, tenant, type, subject, at) ON outbox")) // as it was granted then
	published := 0
	publish := func(when string) {
		t.Helper()
		published++
		_, err := connect(t, narrow).Exec(t.Context(), `SELECT publish($1, jsonb_build_array(jsonb_build_object(
			'id', $2::text, 'type', 'preflight.succeeded', 'subject', 'pref_1', 'at', '2026-11-20T09:00:00Z')))`, acme.String(), fmt.Sprint("evt_", published))
		if err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	publish("before the migration")
	if _, err := steps.UpTo(t.Context(), 17); err != nil {
		t.Fatalf("steps.UpTo: %v", err)
	}
	publish("before the migrator has granted anything")
	if traced := queryOne[int](t, connect(t, address), `SELECT count(trace) FROM outbox`); traced != 0 {
		t.Errorf("%d events have a trace, want 0", traced)
	}
	if _, err := steps.DownTo(t.Context(), 16); err != nil {
		t.Fatalf("steps.DownTo: %v", err)
	}
	publish("after it was taken back")
	if events := queryOne[int](t, connect(t, address), `SELECT count(*) FROM outbox`); events != published {
		t.Errorf("%d events, want %d", events, published)
	}
}

func TestStatesOfJobsBeforeTheMigrationKeepTheOrderOfTheirReceipt(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	steps := stepper(t, openUnmigrated(t, address, patient))
	if _, err := steps.UpTo(t.Context(), 24); err != nil {
		t.Fatalf("steps.UpTo: %v", err)
	}
	// The states of one callback have the same time of receipt; the job of the third was
	// named in a callback that is not committed.
	execute(t, address, `INSERT INTO xjmf_state (tenant, job_id, job_part_id, partition, status, received_at) VALUES
		('t', 'job-1', '', '', 'Completed', '2026-11-20T09:00:02Z'),
		('t', 'job-2', '', '', 'Waiting', '2026-11-20T09:00:01Z'),
		('t', 'job-2', 'part', '', 'Setup', '2026-11-20T09:00:01Z'),
		('t', 'job-3', '', '', NULL, NULL)`)
	if _, err := steps.UpTo(t.Context(), 25); err != nil {
		t.Fatalf("steps.UpTo: %v", err)
	}
	got := queryOne[string](t, connect(t, address), `SELECT string_agg(job_id || '/' || job_part_id, ' ' ORDER BY id) FROM xjmf_state`)
	if want := "job-3/ job-2/ job-2/part job-1/"; got != want {
		t.Errorf("the states are listed as %q, want %q", got, want)
	}
	if late := queryOne[int](t, connect(t, address), `SELECT count(*) FROM xjmf_state WHERE id >= 'msg_'`); late != 0 {
		t.Errorf("%d earlier states sort after the ids of callbacks, want 0", late)
	}
	// The previous release does not set the column.
	execute(t, address, `INSERT INTO xjmf_state (tenant, job_id, job_part_id, partition, status, received_at) VALUES ('t', 'job-4', '', '', 'Waiting', now())`)
	if last := queryOne[string](t, connect(t, address), `SELECT job_id FROM xjmf_state WHERE id < 'msg_' ORDER BY id DESC LIMIT 1`); last != "job-4" {
		t.Errorf("the last state of the previous release is that of %s, want job-4", last)
	}
	if _, err := steps.DownTo(t.Context(), 24); err != nil {
		t.Fatalf("steps.DownTo: %v", err)
	}
}

func TestBackfillCommitsAfterEachBatch(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	steps := stepper(t, openUnmigrated(t, address, patient))
	if _, err := steps.UpTo(t.Context(), 24); err != nil {
		t.Fatalf("steps.UpTo: %v", err)
	}
	const states = 2500
	execute(t, address, fmt.Sprintf(`INSERT INTO xjmf_state (tenant, job_id, job_part_id, partition, status, received_at)
		SELECT 't', 'job-' || to_char(n, 'FM0000'), '', '', 'Waiting', '2026-11-20T09:00:00Z' FROM generate_series(1, %d) AS n`, states))
	if _, err := steps.UpTo(t.Context(), 25); err != nil {
		t.Fatalf("steps.UpTo: %v", err)
	}
	watch := connect(t, address)
	if got := queryOne[int](t, watch, `SELECT count(DISTINCT xmin::text) FROM xjmf_state`); got != 3 {
		t.Errorf("%d transactions wrote the rows, want 3 of at most 1,000 rows", got)
	}
	if got := queryOne[int](t, watch, `SELECT count(*) FROM (SELECT job_id, lag(job_id) OVER (ORDER BY id) AS before FROM xjmf_state) AS s WHERE before > job_id`); got != 0 {
		t.Errorf("%d states are out of order, want 0", got)
	}
}
