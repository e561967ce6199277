// SPDX-License-Identifier: Apache-2.0

package preflightjob_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var (
	nine     = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	acme     = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	acmeTest = tenant.ID{Organization: "org_acme01", Mode: tenant.Test}
	errAway  = &transaction.UnavailableError{Op: "test", Err: errors.New("away")}

	errRefused = errors.New("refused")
)

// memory is a minimal in-memory Store for one tenant and one caller. The storetest
// suite tests real stores under concurrency.
type memory struct {
	jobs []preflightjob.Job
	keys map[string]transaction.Idempotency
	// documents holds the documents of jobs by their ids.
	documents map[preflightjob.Document]map[string][]byte
	// files holds the files that ended jobs have added.
	files  []preflightjob.File
	events []transaction.Event
	caps   []int
	err    error
	calls  int
	// malformed is the id of a job whose row cannot be read.
	malformed string
}

func (m *memory) CreateJob(ctx context.Context, job preflightjob.Job, terms transaction.Terms, backlogCap int) (preflightjob.Job, transaction.Outcome, error) {
	stored, err := m.ReplayedJob(ctx, terms.Tenant, terms.Idempotency, terms.Now)
	if err == nil {
		return stored, transaction.Replayed, nil
	}
	if !errors.Is(err, transaction.ErrNotFound) {
		return preflightjob.Job{}, 0, err
	}
	m.caps = append(m.caps, backlogCap)
	if backlogCap == 0 {
		return preflightjob.Job{}, 0, &preflightjob.BacklogExceededError{}
	}
	m.jobs = append(m.jobs, job)
	m.keys[job.ID] = terms.Idempotency
	return job, transaction.Created, nil
}

func (m *memory) ReplayedJob(_ context.Context, _ tenant.ID, used transaction.Idempotency, _ time.Time) (preflightjob.Job, error) {
	m.calls++
	if m.err != nil {
		return preflightjob.Job{}, m.err
	}
	for _, job := range m.jobs {
		if known := m.keys[job.ID]; used.Key != "" && known.Key == used.Key {
			if known != used {
				return preflightjob.Job{}, transaction.ErrKeyReused
			}
			return job, nil
		}
	}
	return preflightjob.Job{}, transaction.ErrNotFound
}

func (m *memory) find(id string) (int, error) {
	m.calls++
	i := slices.IndexFunc(m.jobs, func(job preflightjob.Job) bool { return job.ID == id })
	switch {
	case m.err != nil:
		return 0, m.err
	case i < 0:
		return 0, transaction.ErrNotFound
	default:
		return i, nil
	}
}

func (m *memory) Job(_ context.Context, _ tenant.ID, id string) (preflightjob.Job, error) {
	i, err := m.find(id)
	if err != nil {
		return preflightjob.Job{}, err
	}
	return m.jobs[i], nil
}

func (m *memory) Jobs(_ context.Context, _ tenant.ID, selection preflightjob.Selection) ([]preflightjob.Job, error) {
	m.calls++
	if m.err != nil {
		return nil, m.err
	}
	var listed []preflightjob.Job
	var malformed preflightjob.MalformedError
	for _, job := range slices.Backward(m.jobs) {
		before := selection.Before
		if !job.SubmittedAt.Before(before.SubmittedAt) && (job.SubmittedAt != before.SubmittedAt || job.ID >= before.ID) || len(listed) == selection.Limit {
			continue
		}
		var fault error
		if job.ID == m.malformed {
			fault = &preflightjob.MalformedError{IDs: []string{job.ID}, Err: errors.New("damaged")}
		}
		kept, err := malformed.Apart(job, fault)
		if err != nil {
			return nil, err
		}
		listed = append(listed, kept)
	}
	return malformed.Sound(listed)
}

func (m *memory) SharedJob(ctx context.Context, id string) (preflightjob.Job, error) {
	for _, job := range m.jobs {
		if job.ID == id {
			return m.Job(ctx, job.Tenant, id)
		}
	}
	return preflightjob.Job{}, transaction.ErrNotFound
}

func (m *memory) AmendShares(ctx context.Context, owner tenant.ID, id string, decide func(preflightjob.Job) (preflightjob.Shares, error)) error {
	job, err := m.Job(ctx, owner, id)
	if err != nil {
		return err
	}
	job.Shares, err = decide(job)
	if err == nil {
		m.jobs[slices.IndexFunc(m.jobs, func(one preflightjob.Job) bool { return one.ID == id })] = job
	}
	return err
}

func (m *memory) JobDocument(_ context.Context, _ tenant.ID, id string, document preflightjob.Document) ([]byte, error) {
	if content, found := m.documents[document][id]; found {
		return content, m.err
	}
	return nil, transaction.ErrNotFound
}

func (m *memory) AmendJob(_ context.Context, id string, decide func(preflightjob.Job) (preflightjob.Change, error)) (preflightjob.Job, error) {
	i, err := m.find(id)
	if err != nil {
		return preflightjob.Job{}, err
	}
	change, err := decide(m.jobs[i])
	if err != nil || change.Unchanged {
		return change.Job, err
	}
	m.jobs[i] = change.Job
	m.events = append(m.events, change.Events...)
	for document, content := range map[preflightjob.Document][]byte{
		preflightjob.ReportDocument: change.Report, preflightjob.FixLogDocument: change.FixLog, preflightjob.ComparisonDocument: change.Comparison,
	} {
		if content != nil {
			m.documents[document][id] = content
		}
	}
	m.files = append(m.files, change.Files...)
	return change.Job, nil
}

func (m *memory) OpenJobs(_ context.Context, by time.Time, limit int) ([]preflightjob.Job, error) {
	var open []preflightjob.Job
	for _, job := range m.jobs {
		if !job.Status.Terminal() && !job.DispatchedAt.After(by) && len(open) < limit {
			open = append(open, job)
		}
	}
	return open, m.err
}

func (m *memory) MarkDispatched(_ context.Context, ids []string, at time.Time) error {
	for i := range m.jobs {
		if slices.Contains(ids, m.jobs[i].ID) {
			m.jobs[i].DispatchedAt = at
		}
	}
	return m.err
}

func (m *memory) PurgeJobs(context.Context, time.Time, int) (int, error) { return 0, m.err }

// queue records the calls of a Dispatcher.
type queue struct {
	submitted, cancelled []string
	attempts             []int
	err                  error
	// refused is the id of a job that Submit rejects.
	refused string
}

func (q *queue) Submit(_ context.Context, id string, _ tenant.ID, attempt int) error {
	if q.err == nil {
		q.submitted, q.attempts = append(q.submitted, id), append(q.attempts, attempt)
	}
	return q.err
}

func (q *queue) SubmitAll(ctx context.Context, all []preflightjob.Submission) (done int, err error) {
	for _, job := range all {
		if job.ID == q.refused {
			return done, errRefused
		}
		if err := q.Submit(ctx, job.ID, job.Owner, job.Attempt); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func (q *queue) Cancel(_ context.Context, id string) error {
	q.cancelled = append(q.cancelled, id)
	return q.err
}

// bench is a Service with a memory store, a queue, and a clock that tests can set.
type bench struct {
	*preflightjob.Service
	store *memory
	queue *queue
	now   time.Time
	log   *strings.Builder
}

func newBench(t testing.TB, change ...func(*preflightjob.Config)) *bench {
	t.Helper()
	b := &bench{
		store: &memory{keys: map[string]transaction.Idempotency{}, documents: map[preflightjob.Document]map[string][]byte{
			preflightjob.ReportDocument: {}, preflightjob.FixLogDocument: {}, preflightjob.ComparisonDocument: {},
		}},
		queue: &queue{}, now: nine, log: &strings.Builder{},
	}
	config := preflightjob.Config{
		Store: b.store, Dispatcher: b.queue, Profiles: []string{"print_ready", "structure_only"},
		Now: func() time.Time { return b.now }, Random: rand.Reader,
		Logger: slog.New(slog.NewTextHandler(b.log, nil)),
	}
	for _, c := range change {
		c(&config)
	}
	b.Service = preflightjob.New(config)
	return b
}

const signedURL = "https://files.example.com/a/flyer.pdf?X-Signature=s3cret"

func aRequest() preflightjob.Request {
	return preflightjob.Request{FileURL: signedURL, Profile: "print_ready"}
}

func keyed(key, body string) transaction.Idempotency {
	return transaction.Idempotency{Key: key, Fingerprint: sha256.Sum256([]byte(body))}
}

func (b *bench) submitted(t testing.TB) preflightjob.Job {
	t.Helper()
	got, err := b.Submit(t.Context(), acme, aRequest(), 10)
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	return got.Job
}
