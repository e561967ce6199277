// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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

// createJob commits a submission. Its parameters are those of the claim, then the limit of
// open jobs, then the columns of the job that are not among the parameters of the claim.
const createJob = claimed + `room_for_job($1, $11)` + claimedEnd + `, made AS (
	INSERT INTO job (` + jobColumns + `)
	SELECT $5, $1, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, NULLIF($30, ''), $31, $32, $33, $34, $35, $36, $37, NULL, NULL
	FROM claimed WHERE outcome = 'created'
)
SELECT outcome, subject, wait FROM claimed`

// CreateJob implements [preflightjob.Store].
func (s *Store) CreateJob(ctx context.Context, job preflightjob.Job, terms transaction.Terms, backlogCap int) (preflightjob.Job, transaction.Outcome, error) {
	const op = "create job"
	args, err := claimArgs(ctx, terms, job.ID)
	if err != nil {
		return preflightjob.Job{}, 0, store.Classify(op, err)
	}
	args = append(args, backlogCap,
		job.FileURL, job.Profile, job.Ticket, job.Status, job.Attempt, job.Incarnation,
		job.Progress.PagesDone, job.Progress.PagesTotal, job.Verdict, job.Failure.Code, job.Failure.Detail, job.Version,
		job.SubmittedAt, maybe(job.StartedAt), maybe(job.FinishedAt), job.ExpiresAt, job.DispatchedAt, job.Tries, job.Trace,
		job.ClientReference, job.Failure.UpstreamStatus, job.Fixes, job.Output, job.Annotate, job.CompareWith, job.CompareFile)
	stored, outcome := job, transaction.Created
	err = s.use(ctx, op, func(ctx context.Context, conn *pgxpool.Conn) error {
		claim, err := scanClaim(conn.QueryRow(ctx, createJob, args...))
		if err != nil {
			return err
		}
		replayed, err := claim.replayed(terms, &preflightjob.BacklogExceededError{Cap: backlogCap})
		if err != nil || replayed == "" {
			return err
		}
		outcome = transaction.Replayed
		stored, err = oneJob(ctx, conn, terms.Tenant, replayed)
		return err
	})
	if err != nil {
		return preflightjob.Job{}, 0, err
	}
	return stored, outcome, nil
}

// ReplayedJob implements [preflightjob.Store].
func (s *Store) ReplayedJob(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (preflightjob.Job, error) {
	return read(ctx, s, "replay job", func(ctx context.Context, q querier) (preflightjob.Job, error) {
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
	return read(ctx, s, "read job", func(ctx context.Context, q querier) (preflightjob.Job, error) { return oneJob(ctx, q, owner, id) })
}

// SharedJob implements [preflightjob.Store].
func (s *Store) SharedJob(ctx context.Context, id string) (preflightjob.Job, error) {
	return read(ctx, s, "read shared job", func(ctx context.Context, q querier) (preflightjob.Job, error) {
		return found(scanJob(q.QueryRow(ctx, `SELECT `+jobColumns+` FROM job WHERE id = $1`, id)))
	})
}

// AmendShares implements [preflightjob.Store].
func (s *Store) AmendShares(ctx context.Context, owner tenant.ID, id string, decide func(preflightjob.Job) (preflightjob.Shares, error)) error {
	return s.write(ctx, "amend shares", func(ctx context.Context, tx pgx.Tx) error {
		job, err := found(scanJob(tx.QueryRow(ctx, `SELECT `+jobColumns+` FROM job WHERE id = $1 AND tenant = $2 FOR UPDATE`, id, owner.String())))
		if err != nil {
			return err
		}
		shares, err := decide(job)
		if err != nil {
			return store.Answer(err)
		}
		_, err = tx.Exec(ctx, `UPDATE job SET shares = $2 WHERE id = $1`, id, shares)
		return err
	})
}

// Jobs implements [preflightjob.Store].
func (s *Store) Jobs(ctx context.Context, owner tenant.ID, chosen preflightjob.Selection) ([]preflightjob.Job, error) {
	var malformed preflightjob.MalformedError
	listed, err := read(ctx, s, "list jobs", func(ctx context.Context, q querier) ([]preflightjob.Job, error) {
		malformed = preflightjob.MalformedError{}
		rows, err := q.Query(ctx, store.ListJobs(jobColumns, chosen), pgx.NamedArgs{
			"owner": owner.String(), "reference": chosen.ClientReference, "from": chosen.From,
			"at": chosen.Before.SubmittedAt, "before": chosen.Before.ID, "limit": chosen.Limit, "now": chosen.Now,
		})
		return collect(rows, err, func(r pgx.Row) (preflightjob.Job, error) { return malformed.Apart(scanJob(r)) })
	})
	if err != nil {
		return nil, err
	}
	return malformed.Sound(listed)
}

// JobDocument implements [preflightjob.Store].
func (s *Store) JobDocument(ctx context.Context, owner tenant.ID, id string, document preflightjob.Document) ([]byte, error) {
	return read(ctx, s, "read "+string(document), func(ctx context.Context, q querier) (body []byte, err error) {
		column := "report." + store.DocumentColumn(document)
		err = q.QueryRow(ctx,
			`SELECT `+column+` FROM report JOIN job ON job.id = report.job_id WHERE job.id = $1 AND job.tenant = $2 AND `+column+` IS NOT NULL`,
			id, owner.String()).Scan(&body)
		return found(body, err)
	})
}

// AmendJob implements [preflightjob.Store].
func (s *Store) AmendJob(ctx context.Context, id string, decide func(preflightjob.Job) (preflightjob.Change, error)) (preflightjob.Job, error) {
	var amended preflightjob.Job
	err := s.write(ctx, "amend job", func(ctx context.Context, tx pgx.Tx) error {
		job, err := found(scanJob(tx.QueryRow(ctx, `SELECT `+jobColumns+` FROM job WHERE id = $1 FOR UPDATE`, id)))
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
		changes := &pgx.Batch{}
		changes.Queue(
			`UPDATE job SET status = $2, attempt = $3, incarnation = $4, pages_done = $5, pages_total = $6, verdict = $7,
			 failure_code = $8, failure_detail = $9, version = $10, started_at = $11, finished_at = $12, expires_at = $13, tries = $14, file_url = $15, upstream_status = $16, summary = $17 WHERE id = $1`,
			id, change.Job.Status, change.Job.Attempt, change.Job.Incarnation,
			change.Job.Progress.PagesDone, change.Job.Progress.PagesTotal, change.Job.Verdict,
			change.Job.Failure.Code, change.Job.Failure.Detail, change.Job.Version,
			maybe(change.Job.StartedAt), maybe(change.Job.FinishedAt), change.Job.ExpiresAt, change.Job.Tries, change.Job.FileURL,
			change.Job.Failure.UpstreamStatus, change.Job.Summary)
		if change.Report != nil {
			changes.Queue(`INSERT INTO report (job_id, body, fix_log, comparison) VALUES ($1, $2, $3, $4)`, id, change.Report, change.FixLog, change.Comparison)
		}
		if err := queuePublish(ctx, changes, job.Tenant, change.Events); err != nil {
			return err
		}
		return tx.SendBatch(ctx, changes).Close()
	})
	if err != nil {
		return preflightjob.Job{}, err
	}
	return amended, nil
}

// OpenJobs implements [preflightjob.Store].
func (s *Store) OpenJobs(ctx context.Context, dispatchedBy time.Time, limit int) ([]preflightjob.Job, error) {
	var malformed preflightjob.MalformedError
	open, err := read(ctx, s, "list open jobs", func(ctx context.Context, q querier) ([]preflightjob.Job, error) {
		malformed = preflightjob.MalformedError{}
		rows, err := q.Query(ctx,
			`SELECT `+jobColumns+` FROM job WHERE `+isOpen+` AND dispatched_at <= $1 ORDER BY dispatched_at, id LIMIT $2`,
			dispatchedBy, limit)
		return collect(rows, err, func(r pgx.Row) (preflightjob.Job, error) { return malformed.Apart(scanJob(r)) })
	})
	if err != nil {
		return nil, err
	}
	return malformed.Sound(open)
}

// MarkDispatched implements [preflightjob.Store]. Every replica sweeps, so the statement
// locks the rows in a fixed order.
func (s *Store) MarkDispatched(ctx context.Context, ids []string, at time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	return s.use(ctx, "mark jobs dispatched", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`WITH marked AS (SELECT id FROM job WHERE id = ANY($1) ORDER BY id FOR UPDATE)
			 UPDATE job SET dispatched_at = $2 FROM marked WHERE job.id = marked.id`, ids, at)
		return err
	})
}

// PurgeJobs implements [preflightjob.Store]. It skips jobs that another replica is
// purging.
func (s *Store) PurgeJobs(ctx context.Context, now time.Time, limit int) (int, error) {
	var purged int64
	err := s.use(ctx, "purge jobs", func(ctx context.Context, conn *pgxpool.Conn) error {
		done, err := conn.Exec(ctx,
			`WITH due AS (
				SELECT id FROM job WHERE file_url <> '' AND expires_at <= $1 AND NOT `+isOpen+`
				LIMIT $2 FOR UPDATE SKIP LOCKED
			), erased AS (DELETE FROM report USING due WHERE report.job_id = due.id)
			UPDATE job SET file_url = '', shares = NULL FROM due WHERE job.id = due.id`, now, limit)
		purged = done.RowsAffected()
		return err
	})
	return int(purged), err
}

func oneJob(ctx context.Context, q querier, owner tenant.ID, id string) (preflightjob.Job, error) {
	return found(scanJob(q.QueryRow(ctx, `SELECT `+jobColumns+` FROM job WHERE id = $1 AND tenant = $2`, id, owner.String())))
}

// scanJob reads a row; it returns a [preflightjob.MalformedError] if a column is invalid.
func scanJob(r pgx.Row) (job preflightjob.Job, err error) {
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
