// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// DefaultMaxAttempts is used where [Config.MaxAttempts] is 0.
const DefaultMaxAttempts = 5

// Config is what a [Service] is made of. Members are required unless they say
// what their zero value means.
type Config struct {
	Store      Store
	Dispatcher Dispatcher
	// Profiles are the inspection profiles that exist.
	Profiles []string
	// AllowHTTP accepts file URLs without TLS, for development.
	AllowHTTP bool
	// MaxAttempts is after how many attempts a job is given up; 0 means
	// [DefaultMaxAttempts].
	MaxAttempts int
	// Announce receives the ID of a job whose record has changed, unless it is nil. It
	// does not block.
	Announce func(ctx context.Context, id string)
	// SimulatedReport writes the report of a simulated job; nil means a
	// minimal one.
	SimulatedReport func(Verdict) []byte
	// Cursors is used only by [Service.List]: it may be nil if List is not called with
	// a cursor, and then only the first page is available.
	Cursors Cursors
	Now     func() time.Time
	// Random is the source of ids, safe for concurrent use:
	// crypto/rand.Reader.
	Random io.Reader
	Logger *slog.Logger
}

// Service is every verb of this package. It is safe for concurrent use.
type Service struct{ config Config }

// New makes a Service.
func New(config Config) *Service {
	if config.MaxAttempts == 0 {
		config.MaxAttempts = DefaultMaxAttempts
	}
	if config.SimulatedReport == nil {
		config.SimulatedReport = minimalReport
	}
	if config.Cursors == nil {
		config.Cursors = new(cursor.Late) // which never has a key
	}
	config.Profiles = slices.Clone(config.Profiles)
	return &Service{config}
}

// Request is the body of POST /api/v1/preflight with its companions.
type Request struct {
	FileURL string
	Profile string
	// Ticket is what was ordered; nil for nothing.
	Ticket *jobticket.Ticket
	// Idempotency is optional: an empty key makes a job every time.
	Idempotency transaction.Idempotency
	// Quota is nil where submissions are not counted.
	Quota *transaction.Quota
	// Trace is kept with the job; see [Job].
	Trace string
}

// Submitted is the answer to [Service.Submit].
type Submitted struct {
	// Job is the job as it was submitted, queued, also in a replay.
	Job      Job
	Replayed bool
}

// Submit accepts a job. It returns errors in this order: a key that was used before
// (it replays, or is ledger.ErrKeyReused), [ValidationError],
// ledger.QuotaExceededError, [BacklogExceededError]. ledger.ErrInProgress comes in
// place of the first while the key's request has not ended, and
// ledger.UnavailableError at any point. A queue that cannot be reached is no fault:
// the row is committed, and the sweeper hands it over later.
func (s *Service) Submit(ctx context.Context, who tenant.ID, request Request, backlogCap int) (Submitted, error) {
	if who.IsZero() {
		return Submitted{}, errors.New("submit job: no tenant")
	}
	now := s.now()
	job, refusal := s.judge(now, who, request)
	if refusal != nil {
		// The store looks a key up in the transaction that writes. Where
		// nothing will be written, the key still answers first.
		if replayed, found, err := s.Replay(ctx, who, request.Idempotency); found || err != nil {
			return Submitted{Job: replayed, Replayed: found}, err
		}
		return Submitted{}, refusal
	}
	stored, outcome, err := s.config.Store.CreateJob(ctx, job, transaction.Terms{
		Tenant:      who,
		Operation:   transaction.SubmitPreflight,
		Idempotency: request.Idempotency,
		Quota:       request.Quota,
		Now:         now,
	}, backlogCap)
	if err != nil {
		return Submitted{}, fmt.Errorf("submit job: %w", err)
	}
	if outcome == transaction.Created {
		// Give a committed job to the queue, or settle it if it is a
		// simulated one. Failing is not the partner's business: the row is open, and
		// the sweeper comes by.
		var err error
		if isSimulated(stored.Tenant, stored.Profile) {
			err = s.settle(ctx, stored)
		} else {
			err = s.config.Dispatcher.Submit(ctx, stored.ID, stored.Tenant, stored.Attempt)
		}
		if err != nil {
			s.config.Logger.WarnContext(ctx, "job is stored but not dispatched; the sweeper will repeat it", "job", stored.ID, "error", err)
		}
	}
	return Submitted{Job: stored.asSubmitted(), Replayed: outcome == transaction.Replayed}, nil
}

// Replay answers for a key alone, before a body is even judged: found is false
// when the key is empty or was never committed. ledger.ErrKeyReused means that
// it was committed with another body.
func (s *Service) Replay(ctx context.Context, who tenant.ID, used transaction.Idempotency) (job Job, found bool, err error) {
	if used.Key == "" {
		return Job{}, false, nil
	}
	stored, err := s.config.Store.ReplayedJob(ctx, who, used, s.now())
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return Job{}, false, nil
	case err != nil:
		return Job{}, false, fmt.Errorf("replay job: %w", err)
	default:
		return stored.asSubmitted(), true, nil
	}
}

func (s *Service) judge(now time.Time, who tenant.ID, request Request) (Job, error) {
	var found []Violation
	address, err := ParseFileURL(request.FileURL, s.config.AllowHTTP)
	if err != nil {
		found = append(found, Violation{Pointer: "#/fileUrl", Detail: err.Error()})
	}
	if !slices.Contains(s.config.Profiles, request.Profile) && !isSimulated(who, request.Profile) {
		found = append(found, Violation{Pointer: "#/profile", Detail: "must be the name of an inspection profile; GET /api/v1/preflight/profiles lists them"})
	}
	if err := request.Ticket.Check(); err != nil {
		found = append(found, Violation{Pointer: "#/intent", Detail: err.Error()})
	}
	if len(found) > 0 {
		return Job{}, &ValidationError{Violations: found}
	}
	id, err := recordid.New(recordid.Job, now, s.config.Random)
	if err != nil {
		return Job{}, err
	}
	return Job{ID: id, Tenant: who, FileURL: address, Profile: request.Profile, Ticket: request.Ticket, SubmittedAt: now, Trace: request.Trace}.asSubmitted(), nil
}

// Get reads an owned job, ledger.ErrNotFound or [ErrGone].
func (s *Service) Get(ctx context.Context, who tenant.ID, id string) (Job, error) {
	if !recordid.Valid(recordid.Job, id) {
		return Job{}, transaction.ErrNotFound
	}
	job, err := s.config.Store.Job(ctx, who, id)
	if err != nil {
		return Job{}, fmt.Errorf("get job: %w", err)
	}
	if job.Gone(s.now()) {
		return Job{}, ErrGone
	}
	return job, nil
}

// Report reads the report of an owned job, the bytes that the worker stored;
// besides the errors of Get, [ErrNotReady] while the job is open, or a [NoReportError] if it
// ended without a report.
func (s *Service) Report(ctx context.Context, who tenant.ID, id string) ([]byte, error) {
	job, err := s.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	switch {
	case job.Status == Succeeded:
	case job.Status.Terminal():
		return nil, &NoReportError{Status: job.Status, Failure: job.Failure}
	default:
		return nil, ErrNotReady
	}
	report, err := s.config.Store.JobReport(ctx, who, id)
	if errors.Is(err, transaction.ErrNotFound) {
		// Purged between the two reads.
		return nil, ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	return report, nil
}

// now is the clock in the resolution that is stored, so that a record reads
// back exactly as it was answered.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }
