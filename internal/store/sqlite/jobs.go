// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var _ preflightjob.Store = (*Store)(nil)

const jobColumns = `id, tenant, file_url, profile, ticket, status, attempt, incarnation, pages_done, pages_total,
	verdict, failure_code, failure_detail, version, submitted_at, started_at, finished_at, expires_at, dispatched_at, tries, trace, client_reference, upstream_status,
	fixes, output, annotate, compare_with, compare_file, summary, shares`

// isOpen repeats the condition of the partial indexes literally.
const isOpen = `status IN ('queued', 'processing')`

// CreateJob implements [preflightjob.Store].
func (s *Store) CreateJob(ctx context.Context, job preflightjob.Job, terms transaction.Terms, backlogCap int) (preflightjob.Job, transaction.Outcome, error) {
	stored, outcome := job, transaction.Created
	err := s.write(ctx, "create job", func(tx *sql.Tx) error {
		replayed, err := writeWithTerms(ctx, tx, terms, job.ID, func() error {
			var open int
			err := tx.QueryRowContext(ctx, `SELECT count(*) FROM job WHERE tenant = ? AND `+isOpen, terms.Tenant.String()).Scan(&open)
			if err != nil {
				return err
			}
			if open >= backlogCap {
				return store.Answer(&preflightjob.BacklogExceededError{Cap: backlogCap})
			}
			_, err = tx.ExecContext(ctx,
				`INSERT INTO job (`+jobColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULLIF(?, ''), ?, ?, ?, ?, ?, ?, ?, NULL, NULL)`,
				job.ID, job.Tenant.String(), job.FileURL, job.Profile, job.Ticket, job.Status, job.Attempt, job.Incarnation,
				job.Progress.PagesDone, job.Progress.PagesTotal, job.Verdict, job.Failure.Code, job.Failure.Detail, job.Version,
				millis(job.SubmittedAt), millis(job.StartedAt), millis(job.FinishedAt), millis(job.ExpiresAt), millis(job.DispatchedAt),
				job.Tries, job.Trace, job.ClientReference, job.Failure.UpstreamStatus, job.Fixes, job.Output, job.Annotate, job.CompareWith, job.CompareFile)
			return err
		})
		if err != nil || replayed == "" {
			return err
		}
		outcome = transaction.Replayed
		stored, err = oneJob(ctx, tx, terms.Tenant, replayed)
		return err
	})
	if err != nil {
		return preflightjob.Job{}, 0, err
	}
	return stored, outcome, nil
}

// ReplayedJob implements [preflightjob.Store].
func (s *Store) ReplayedJob(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (preflightjob.Job, error) {
	return read(ctx, s, "replay job", func(q querier) (preflightjob.Job, error) {
		subject, err := committed(ctx, q, owner, transaction.SubmitPreflight, used, now)
		if err != nil {
			return preflightjob.Job{}, err
		}
		if subject == "" {
			return preflightjob.Job{}, store.Answer(transaction.ErrNotFound)
		}
		return oneJob(ctx, q, owner, subject)
	})
}

// Job implements [preflightjob.Store].
func (s *Store) Job(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error) {
	return read(ctx, s, "read job", func(q querier) (preflightjob.Job, error) { return oneJob(ctx, q, owner, id) })
}

// SharedJob implements [preflightjob.Store].
func (s *Store) SharedJob(ctx context.Context, id string) (preflightjob.Job, error) {
	return read(ctx, s, "read shared job", func(q querier) (preflightjob.Job, error) {
		return found(scanJob(q.QueryRowContext(ctx, `SELECT `+jobColumns+` FROM job WHERE id = ?`, id)))
	})
}

// AmendShares implements [preflightjob.Store].
func (s *Store) AmendShares(ctx context.Context, owner tenant.ID, id string, decide func(preflightjob.Job) (preflightjob.Shares, error)) error {
	return s.write(ctx, "amend shares", func(tx *sql.Tx) error {
		job, err := found(scanJob(tx.QueryRowContext(ctx, `SELECT `+jobColumns+` FROM job WHERE id = ? AND tenant = ?`, id, owner.String())))
		if err != nil {
			return err
		}
		shares, err := decide(job)
		if err != nil {
			return store.Answer(err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE job SET shares = ? WHERE id = ?`, shares, id)
		return err
	})
}

// Jobs implements [preflightjob.Store].
func (s *Store) Jobs(ctx context.Context, owner tenant.ID, chosen preflightjob.Selection) ([]preflightjob.Job, error) {
	var malformed preflightjob.MalformedError
	listed, err := read(ctx, s, "list jobs", func(q querier) ([]preflightjob.Job, error) {
		rows, err := q.QueryContext(ctx, store.ListJobs(jobColumns, chosen),
			sql.Named("owner", owner.String()), sql.Named("reference", chosen.ClientReference), sql.Named("from", millis(chosen.From)),
			sql.Named("at", millis(chosen.Before.SubmittedAt)), sql.Named("before", chosen.Before.ID), sql.Named("limit", chosen.Limit), sql.Named("now", millis(chosen.Now)))
		return collect(rows, err, func(r row) (preflightjob.Job, error) { return malformed.Apart(scanJob(r)) })
	})
	if err != nil {
		return nil, err
	}
	return malformed.Sound(listed)
}

// JobDocument implements [preflightjob.Store].
func (s *Store) JobDocument(ctx context.Context, owner tenant.ID, id string, document preflightjob.Document) ([]byte, error) {
	return read(ctx, s, "read "+string(document), func(q querier) (body []byte, err error) {
		column := "report." + store.DocumentColumn(document)
		err = q.QueryRowContext(ctx,
			`SELECT `+column+` FROM report JOIN job ON job.id = report.job_id WHERE job.id = ? AND job.tenant = ? AND `+column+` IS NOT NULL`,
			id, owner.String()).Scan(&body)
		return body, missing(err)
	})
}

// AmendJob implements [preflightjob.Store].
func (s *Store) AmendJob(ctx context.Context, id string, decide func(preflightjob.Job) (preflightjob.Change, error)) (preflightjob.Job, error) {
	var amended preflightjob.Job
	err := s.write(ctx, "amend job", func(tx *sql.Tx) error {
		job, err := found(scanJob(tx.QueryRowContext(ctx, `SELECT `+jobColumns+` FROM job WHERE id = ?`, id)))
		if err != nil {
			return err
		}
		change, err := decide(job)
		if err != nil {
			return store.Answer(err)
		}
		amended = change.Job
		if change.Unchanged {
			return nil
		}
		for _, file := range change.Files {
			if err := addFile(ctx, tx, file, change.MostStored); err != nil {
				return err
			}
		}
		to := change.Job
		if _, err := tx.ExecContext(ctx,
			`UPDATE job SET status = ?, attempt = ?, incarnation = ?, pages_done = ?, pages_total = ?, verdict = ?,
			 failure_code = ?, failure_detail = ?, version = ?, started_at = ?, finished_at = ?, expires_at = ?, tries = ?, file_url = ?, upstream_status = ?, summary = ? WHERE id = ?`,
			to.Status, to.Attempt, to.Incarnation, to.Progress.PagesDone, to.Progress.PagesTotal, to.Verdict,
			to.Failure.Code, to.Failure.Detail, to.Version,
			millis(to.StartedAt), millis(to.FinishedAt), millis(to.ExpiresAt), to.Tries, to.FileURL, to.Failure.UpstreamStatus, to.Summary, id); err != nil {
			return err
		}
		if change.Report != nil {
			if _, err := tx.ExecContext(ctx, `INSERT INTO report (job_id, body, fix_log, comparison) VALUES (?, ?, ?, ?)`,
				id, change.Report, change.FixLog, change.Comparison); err != nil {
				return err
			}
		}
		return publish(ctx, tx, job.Tenant, change.Events)
	})
	if err != nil {
		return preflightjob.Job{}, err
	}
	return amended, nil
}

// OpenJobs implements [preflightjob.Store].
func (s *Store) OpenJobs(ctx context.Context, dispatchedBy time.Time, limit int) ([]preflightjob.Job, error) {
	var malformed preflightjob.MalformedError
	open, err := read(ctx, s, "list open jobs", func(q querier) ([]preflightjob.Job, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT `+jobColumns+` FROM job WHERE `+isOpen+` AND dispatched_at <= ? ORDER BY dispatched_at, id LIMIT ?`,
			millis(dispatchedBy), limit)
		return collect(rows, err, func(r row) (preflightjob.Job, error) { return malformed.Apart(scanJob(r)) })
	})
	if err != nil {
		return nil, err
	}
	return malformed.Sound(open)
}

// MarkDispatched implements [preflightjob.Store].
func (s *Store) MarkDispatched(ctx context.Context, ids []string, at time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	return s.write(ctx, "mark jobs dispatched", func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `UPDATE job SET dispatched_at = ? WHERE id = ?`, millis(at), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// PurgeJobs implements [preflightjob.Store].
func (s *Store) PurgeJobs(ctx context.Context, now time.Time, limit int) (int, error) {
	purged := 0
	err := s.write(ctx, "purge jobs", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT id FROM job WHERE file_url <> '' AND expires_at <= ? AND NOT `+isOpen+` LIMIT ?`, millis(now), limit)
		ids, err := collect(rows, err, func(r row) (id string, err error) { err = r.Scan(&id); return id, err })
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `DELETE FROM report WHERE job_id = ?`, id); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE job SET file_url = '', shares = NULL WHERE id = ?`, id); err != nil {
				return err
			}
		}
		purged = len(ids)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return purged, nil
}

func oneJob(ctx context.Context, q querier, owner tenant.ID, id string) (preflightjob.Job, error) {
	return found(scanJob(q.QueryRowContext(ctx,
		`SELECT `+jobColumns+` FROM job WHERE id = ? AND tenant = ?`, id, owner.String())))
}

func found(job preflightjob.Job, err error) (preflightjob.Job, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return preflightjob.Job{}, store.Answer(transaction.ErrNotFound)
	}
	return job, err
}

// scanJob reads a row; it returns a [preflightjob.MalformedError] if a column is invalid.
func scanJob(r row) (job preflightjob.Job, err error) {
	var fields store.Fields
	err = r.Scan(&job.ID, fields.Of(&job.Tenant), fields.Of(&job.FileURL), &job.Profile, store.Maybe(&fields, &job.Ticket),
		&job.Status, &job.Attempt, &job.Incarnation,
		&job.Progress.PagesDone, &job.Progress.PagesTotal, &job.Verdict, &job.Failure.Code, &job.Failure.Detail, &job.Version,
		instant{&job.SubmittedAt}, instant{&job.StartedAt}, instant{&job.FinishedAt}, instant{&job.ExpiresAt}, instant{&job.DispatchedAt},
		&job.Tries, text{&job.Trace}, &job.ClientReference, &job.Failure.UpstreamStatus,
		&job.Fixes, store.Maybe(&fields, &job.Output), &job.Annotate, &job.CompareWith, &job.CompareFile, store.Maybe(&fields, &job.Summary), fields.Of(&job.Shares))
	if fault := fields.Fault(); err == nil && fault != nil {
		err = store.Answer(&preflightjob.MalformedError{IDs: []string{job.ID}, Err: fault})
	}
	return job, err
}
