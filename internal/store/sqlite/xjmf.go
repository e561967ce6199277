// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

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

// ReceiveXJMF implements [xjmf.Store]. There is only one writer, so it takes no locks.
func (s *Store) ReceiveXJMF(ctx context.Context, record xjmf.Record, jobs []xjmf.Job, decide func(map[xjmf.Job]xjmf.State) (xjmf.Change, error)) ([]byte, transaction.Outcome, error) {
	var answer []byte
	outcome := transaction.Created
	err := s.write(ctx, "receive xjmf", func(tx *sql.Tx) error {
		stored, err := answeredXJMF(ctx, tx, record)
		if err != nil {
			return err
		}
		if stored != nil {
			answer, outcome = stored, transaction.Replayed
			return nil
		}
		current, err := xjmfStatesOf(ctx, tx, record.Tenant, jobs)
		if err != nil {
			return err
		}
		change, err := decide(current)
		if err != nil {
			return store.Answer(err)
		}
		answer = change.Answer
		return storeXJMF(ctx, tx, record, change)
	})
	if err != nil {
		return nil, 0, err
	}
	return answer, outcome, nil
}

// answeredXJMF returns the answer that a known callback got, or nil for a new callback.
func answeredXJMF(ctx context.Context, tx *sql.Tx, record xjmf.Record) ([]byte, error) {
	var digest, answer []byte
	err := tx.QueryRowContext(ctx,
		`SELECT digest, answer FROM xjmf_message WHERE tenant = ? AND sender = ? AND message_id = ?`,
		record.Tenant.String(), record.Sender, record.MessageID).Scan(&digest, &answer)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case !bytes.Equal(digest, record.Digest[:]):
		return nil, store.Answer(xjmf.ErrConflict)
	default:
		return answer, nil
	}
}

func xjmfStatesOf(ctx context.Context, tx *sql.Tx, owner tenant.ID, jobs []xjmf.Job) (map[xjmf.Job]xjmf.State, error) {
	states := make(map[xjmf.Job]xjmf.State, len(jobs))
	for _, job := range jobs {
		state, err := scanXJMFState(tx.QueryRowContext(ctx,
			`SELECT `+xjmfStateColumns+` FROM xjmf_state
			 WHERE tenant = ? AND job_id = ? AND job_part_id = ? AND partition = ?`,
			owner.String(), job.ID, job.PartID, job.Partition))
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, err
		default:
			states[job] = state
		}
	}
	return states, nil
}

func storeXJMF(ctx context.Context, tx *sql.Tx, record xjmf.Record, change xjmf.Change) error {
	if _, err := tx.ExecContext(ctx,
		`INSERT INTO xjmf_message (`+xjmfRecordColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		record.ID, record.Tenant.String(), record.Sender, record.MessageID, record.Digest[:], record.Encoding,
		record.Body, change.Answer, millis(record.SentAt), millis(record.ReceivedAt)); err != nil {
		return err
	}
	for _, state := range change.States {
		if _, err := tx.ExecContext(ctx,
			`INSERT OR REPLACE INTO xjmf_state (tenant, `+xjmfStateColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			record.Tenant.String(), state.Job.ID, state.Job.PartID, state.Job.Partition,
			state.Status.String(), state.Details, state.DeviceID, state.Sender,
			millis(state.Stamp.At), state.Stamp.Message, state.Stamp.Index, millis(state.ReceivedAt), state.ID); err != nil {
			return err
		}
	}
	return nil
}

// XJMFStates implements [xjmf.Store].
func (s *Store) XJMFStates(ctx context.Context, owner tenant.ID, jobID string, limit int) ([]xjmf.State, error) {
	return read(ctx, s, "list states of a job", func(q querier) ([]xjmf.State, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT `+xjmfStateColumns+` FROM xjmf_state WHERE tenant = ? AND job_id = ? ORDER BY job_part_id, partition LIMIT ?`,
			owner.String(), jobID, limit)
		return collect(rows, err, scanXJMFState)
	})
}

// XJMFReported implements [xjmf.Store].
func (s *Store) XJMFReported(ctx context.Context, query xjmf.StateQuery) ([]xjmf.State, error) {
	return read(ctx, s, "list reported states", func(q querier) ([]xjmf.State, error) {
		where, arguments := `tenant = ?1 AND id < ?2`, []any{query.Owner.String(), cmp.Or(query.Before, store.BeforeAll), query.Status.String(), query.Limit}
		if query.JobID != "" {
			where, arguments = where+` AND job_id = ?5`, append(arguments, query.JobID)
		}
		rows, err := q.QueryContext(ctx,
			`SELECT `+xjmfStateColumns+` FROM xjmf_state WHERE `+where+` AND (?3 = '' OR status = ?3) ORDER BY id DESC LIMIT ?4`, arguments...)
		return collect(rows, err, scanXJMFState)
	})
}

// XJMFRecords implements [xjmf.Store].
func (s *Store) XJMFRecords(ctx context.Context, owner tenant.ID, before string, limit int) ([]xjmf.Entry, error) {
	return read(ctx, s, "list callbacks", func(q querier) ([]xjmf.Entry, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT id, sender, message_id, digest, encoding, length(body), sent_at, received_at
			 FROM xjmf_message WHERE tenant = ?1 AND (?2 = '' OR id < ?2) ORDER BY id DESC LIMIT ?3`,
			owner.String(), before, limit)
		return collect(rows, err, func(r row) (entry xjmf.Entry, err error) {
			var digest []byte
			err = r.Scan(&entry.ID, &entry.Sender, &entry.MessageID, &digest, &entry.Encoding, &entry.Bytes,
				instant{&entry.SentAt}, instant{&entry.ReceivedAt})
			copy(entry.Digest[:], digest)
			return entry, err
		})
	})
}

// PurgeXJMF implements [xjmf.Store].
func (s *Store) PurgeXJMF(ctx context.Context, until time.Time, limit int) (int, error) {
	erased := int64(0)
	err := s.write(ctx, "purge xjmf", func(tx *sql.Tx) error {
		for _, statement := range []string{
			`DELETE FROM xjmf_message WHERE id IN (SELECT id FROM xjmf_message WHERE received_at <= ? LIMIT ?)`,
			`DELETE FROM xjmf_state WHERE (tenant, job_id, job_part_id, partition) IN (
				SELECT tenant, job_id, job_part_id, partition FROM xjmf_state WHERE received_at <= ? LIMIT ?)`,
		} {
			done, err := tx.ExecContext(ctx, statement, millis(until), limit)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			erased += n
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return int(erased), nil
}

func scanXJMFState(r row) (state xjmf.State, err error) {
	var status string
	if err := r.Scan(&state.Job.ID, &state.Job.PartID, &state.Job.Partition, &status, &state.Details, &state.DeviceID,
		&state.Sender, instant{&state.Stamp.At}, &state.Stamp.Message, &state.Stamp.Index, instant{&state.ReceivedAt}, &state.ID); err != nil {
		return xjmf.State{}, err
	}
	state.Status, err = xjmf.ParseNodeStatus(status)
	return state, err
}
