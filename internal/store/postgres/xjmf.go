// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/xjmf"
)

var _ xjmf.Store = (*Store)(nil)

const (
	xjmfRecordColumns = `id, tenant, sender, message_id, digest, encoding, body, answer, sent_at, received_at`
	xjmfStateColumns  = `job_id, job_part_id, partition, status, status_details, device_id, sender, at, message, position, received_at, id`
)

// ReceiveXJMF implements [xjmf.Store]. The transaction that first inserts the row of a
// callback handles it; others with the same callback wait for its commit. A transaction
// locks the rows of jobs only afterwards, in a fixed order. So a transaction that holds the
// row of a job never waits for a callback, and transactions never deadlock on jobs.
func (s *Store) ReceiveXJMF(ctx context.Context, record xjmf.Record, jobs []xjmf.Job, decide func(map[xjmf.Job]xjmf.State) (xjmf.Change, error)) ([]byte, transaction.Outcome, error) {
	var answer []byte
	outcome := transaction.Created
	err := s.write(ctx, "receive xjmf", func(ctx context.Context, tx pgx.Tx) error {
		current, fresh, err := claimXJMF(ctx, tx, record, jobs)
		if code(err) == lockNotAvailable {
			return store.Answer(transaction.ErrInProgress)
		}
		if err != nil {
			return err
		}
		if !fresh {
			outcome = transaction.Replayed
			answer, err = answeredXJMF(ctx, tx, record)
			return err
		}
		change, err := decide(current)
		if err != nil {
			return store.Answer(err)
		}
		answer, outcome = change.Answer, transaction.Created
		return storeXJMF(ctx, tx, record, change)
	})
	if err != nil {
		return nil, 0, err
	}
	return answer, outcome, nil
}

// claimXJMFRows inserts a callback unless it exists, and then locks the rows of its jobs,
// inserting those that are missing. The lock is an update that changes nothing: unlike a
// SELECT it also waits for rows that other transactions are inserting. For a known
// callback the statement returns no rows.
const claimXJMFRows = `WITH fresh AS (
	INSERT INTO xjmf_message (` + xjmfRecordColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, $9)
	ON CONFLICT (tenant, sender, message_id) DO NOTHING RETURNING id
), claimed AS (
	INSERT INTO xjmf_state AS known (tenant, job_id, job_part_id, partition)
	SELECT $2, job.id, job.part, job.partition
	FROM unnest($10::text[], $11::text[], $12::text[]) AS job (id, part, partition)
	WHERE EXISTS (SELECT FROM fresh)
	ORDER BY job.id COLLATE "C", job.part COLLATE "C", job.partition COLLATE "C"
	ON CONFLICT (tenant, job_id, job_part_id, partition) DO UPDATE SET tenant = known.tenant
	RETURNING ` + xjmfStateColumns + `
)
SELECT claimed.* FROM fresh LEFT JOIN claimed ON true`

// claimXJMF inserts a callback and locks its jobs. The states omit jobs without a known
// state; fresh is false if the callback existed.
func claimXJMF(ctx context.Context, tx pgx.Tx, record xjmf.Record, jobs []xjmf.Job) (current map[xjmf.Job]xjmf.State, fresh bool, err error) {
	ids, parts, partitions := make([]string, len(jobs)), make([]string, len(jobs)), make([]string, len(jobs))
	for i, job := range jobs {
		ids[i], parts[i], partitions[i] = job.ID, job.PartID, job.Partition
	}
	rows, err := tx.Query(ctx, claimXJMFRows,
		record.ID, record.Tenant.String(), record.Sender, record.MessageID, record.Digest[:], record.Encoding, record.Body,
		record.SentAt, record.ReceivedAt, ids, parts, partitions)
	claimed, err := collect(rows, err, scanXJMFState)
	current = make(map[xjmf.Job]xjmf.State, len(claimed))
	for _, state := range claimed {
		if !state.Status.IsZero() {
			current[state.Job] = state
		}
	}
	return current, len(claimed) > 0, err
}

// answeredXJMF returns the answer that a known callback got.
func answeredXJMF(ctx context.Context, q querier, record xjmf.Record) ([]byte, error) {
	var digest, answer []byte
	if err := q.QueryRow(ctx,
		`SELECT digest, answer FROM xjmf_message WHERE tenant = $1 AND sender = $2 AND message_id = $3`,
		record.Tenant.String(), record.Sender, record.MessageID).Scan(&digest, &answer); err != nil {
		return nil, err
	}
	if !bytes.Equal(digest, record.Digest[:]) {
		return nil, store.Answer(xjmf.ErrConflict)
	}
	return answer, nil
}

// storeXJMF stores a change in the rows that claimXJMF locked.
func storeXJMF(ctx context.Context, tx pgx.Tx, record xjmf.Record, change xjmf.Change) error {
	changes := &pgx.Batch{}
	changes.Queue(`UPDATE xjmf_message SET answer = $2 WHERE id = $1`, record.ID, change.Answer)
	for _, state := range change.States {
		changes.Queue(
			`UPDATE xjmf_state SET status = $5, status_details = $6, device_id = $7, sender = $8, at = $9, message = $10,
			 position = $11, received_at = $12, id = $13 WHERE tenant = $1 AND job_id = $2 AND job_part_id = $3 AND partition = $4`,
			record.Tenant.String(), state.Job.ID, state.Job.PartID, state.Job.Partition,
			state.Status.String(), state.Details, state.DeviceID, state.Sender,
			state.Stamp.At, state.Stamp.Message, state.Stamp.Index, state.ReceivedAt, state.ID)
	}
	return tx.SendBatch(ctx, changes).Close()
}

// XJMFStates implements [xjmf.Store].
func (s *Store) XJMFStates(ctx context.Context, owner tenant.ID, jobID string, limit int) ([]xjmf.State, error) {
	return read(ctx, s, "list states of a job", func(ctx context.Context, q querier) ([]xjmf.State, error) {
		rows, err := q.Query(ctx,
			`SELECT `+xjmfStateColumns+` FROM xjmf_state WHERE tenant = $1 AND job_id = $2 ORDER BY job_part_id, partition LIMIT $3`,
			owner.String(), jobID, limit)
		return collect(rows, err, scanXJMFState)
	})
}

// XJMFReported implements [xjmf.Store].
func (s *Store) XJMFReported(ctx context.Context, query xjmf.StateQuery) ([]xjmf.State, error) {
	return read(ctx, s, "list reported states", func(ctx context.Context, q querier) ([]xjmf.State, error) {
		where, arguments := `tenant = $1 AND id < $2`, []any{query.Owner.String(), cmp.Or(query.Before, store.BeforeAll), query.Status.String(), query.Limit}
		if query.JobID != "" {
			where, arguments = where+` AND job_id = $5`, append(arguments, query.JobID)
		}
		rows, err := q.Query(ctx,
			`SELECT `+xjmfStateColumns+` FROM xjmf_state WHERE `+where+` AND ($3 = '' OR status = $3) ORDER BY id DESC LIMIT $4`, arguments...)
		return collect(rows, err, scanXJMFState)
	})
}

// XJMFRecords implements [xjmf.Store].
func (s *Store) XJMFRecords(ctx context.Context, owner tenant.ID, before string, limit int) ([]xjmf.Entry, error) {
	return read(ctx, s, "list callbacks", func(ctx context.Context, q querier) ([]xjmf.Entry, error) {
		rows, err := q.Query(ctx,
			`SELECT id, sender, message_id, digest, encoding, octet_length(body), sent_at, received_at
			 FROM xjmf_message WHERE tenant = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3`,
			owner.String(), before, limit)
		return collect(rows, err, func(r pgx.Row) (entry xjmf.Entry, err error) {
			var digest []byte
			err = r.Scan(&entry.ID, &entry.Sender, &entry.MessageID, &digest, &entry.Encoding, &entry.Bytes,
				instant{&entry.SentAt}, instant{&entry.ReceivedAt})
			copy(entry.Digest[:], digest)
			return entry, err
		})
	})
}

// PurgeXJMF implements [xjmf.Store]. It skips rows that another replica or a callback has
// locked.
func (s *Store) PurgeXJMF(ctx context.Context, until time.Time, limit int) (int, error) {
	erased := int64(0)
	for _, statement := range []string{
		`WITH due AS (SELECT id FROM xjmf_message WHERE received_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
		 DELETE FROM xjmf_message m USING due WHERE m.id = due.id`,
		`WITH due AS (
			SELECT tenant, job_id, job_part_id, partition FROM xjmf_state WHERE received_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
		)
		DELETE FROM xjmf_state s USING due
		WHERE s.tenant = due.tenant AND s.job_id = due.job_id AND s.job_part_id = due.job_part_id AND s.partition = due.partition`,
	} {
		if err := s.use(ctx, "purge xjmf", func(ctx context.Context, conn *pgxpool.Conn) error {
			done, err := conn.Exec(ctx, statement, until, limit)
			erased += done.RowsAffected()
			return err
		}); err != nil {
			return 0, err
		}
	}
	return int(erased), nil
}

// scanXJMFState reads a state. The state of a row that was just inserted contains only its job.
// Without a row of the job, the result is the zero State.
func scanXJMFState(r pgx.Row) (state xjmf.State, err error) {
	var job, part, partition, status, details, device, sender, message, id *string
	var position *int
	if err := r.Scan(&job, &part, &partition, &status, &details, &device, &sender,
		instant{&state.Stamp.At}, &message, &position, instant{&state.ReceivedAt}, &id); err != nil || status == nil {
		return xjmf.State{}, err
	}
	state.Job = xjmf.Job{ID: *job, PartID: *part, Partition: *partition}
	state.ID = *id
	state.Details, state.DeviceID, state.Sender = *details, *device, *sender
	state.Stamp.Message, state.Stamp.Index = *message, *position
	state.Status, err = xjmf.ParseNodeStatus(*status)
	return state, err
}
