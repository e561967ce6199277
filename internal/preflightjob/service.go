// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// DefaultMaxAttempts replaces a [Config.MaxAttempts] of 0.
const DefaultMaxAttempts = 5

// Config holds the dependencies and settings of a [Service]. Members are required
// unless their comment describes the zero value.
type Config struct {
	Store      Store
	Dispatcher Dispatcher
	// Profiles lists the inspection profiles of all partners.
	Profiles []string
	// AllowHTTP accepts file URLs without TLS, for development.
	AllowHTTP bool
	// MaxAttempts is the number of attempts after which a job fails; 0 means
	// [DefaultMaxAttempts].
	MaxAttempts int
	// Announce receives the ID of each changed job, unless it is nil. It must not
	// block.
	Announce func(ctx context.Context, id string)
	// SimulatedReport returns the report of a simulated job; nil means a minimal
	// report.
	SimulatedReport func(Verdict) []byte
	// Cursors is used only by [Service.List]. If it is nil, only the first page is
	// available.
	Cursors Cursors
	// Files holds the uploaded files. If it is nil, a job cannot have one.
	Files *Files
	Now   func() time.Time
	// Random is the source of ids. It must be safe for concurrent use; production uses
	// crypto/rand.Reader.
	Random io.Reader
	Logger *slog.Logger
}

// Service submits, runs, reads, lists and cancels jobs. It is safe for concurrent use.
type Service struct{ config Config }

// New returns a Service with the given dependencies.
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

// Request holds the body of POST /api/v1/preflight, its idempotency key and its quota.
type Request struct {
	FileURL string
	// FileID is the id of an uploaded file. Exactly one of FileURL and FileID is not empty.
	FileID  string
	Profile string
	// Profiles lists the profiles that the partner can use besides those of all partners.
	Profiles []string
	// Ticket holds the ordered product; nil for none.
	Ticket *jobticket.Ticket
	// ClientReference is the client's own name of the job, at most [MaxReference]
	// characters; empty for none.
	ClientReference string
	// Fixes, Output, Annotate and CompareWith are those of the [Job].
	Fixes       Fixes
	Output      *Output
	Annotate    string
	CompareWith string
	// Idempotency is optional: every call with an empty key creates a job.
	Idempotency transaction.Idempotency
	// Quota is nil if submissions are not counted.
	Quota *transaction.Quota
	// Trace is stored with the job; see [Job].
	Trace string
}

// Submitted is the result of [Service.Submit].
type Submitted struct {
	// Job is the job as submitted, with the status queued, also in a replay.
	Job      Job
	Replayed bool
}

// Submit stores a job and submits it to the queue. It returns errors in this order: a
// reused key (which replays, or is transaction.ErrKeyReused), [ValidationError],
// transaction.QuotaExceededError, [BacklogExceededError]. While another request with
// the key is in progress, it returns transaction.ErrInProgress. It may return
// transaction.UnavailableError at any point. An unavailable queue is not an error: the
// row is committed, and the sweeper submits it later.
func (s *Service) Submit(ctx context.Context, owner tenant.ID, request Request, backlogCap int) (Submitted, error) {
	if owner.IsZero() {
		return Submitted{}, errors.New("submit job: no tenant")
	}
	now := s.now()
	address, invalid, err := s.source(ctx, owner, request)
	if err != nil {
		return Submitted{}, err
	}
	compared, stranger, err := s.compared(ctx, owner, request)
	if err != nil {
		return Submitted{}, err
	}
	unprintable, err := s.printed(ctx, owner, request.Output)
	if err != nil {
		return Submitted{}, err
	}
	job, refusal := s.judge(now, owner, request, address, invalid, slices.Concat(unprintable, stranger))
	if refusal != nil {
		// The store looks the key up in the transaction that writes. Without a write,
		// look the key up here, so that a replay still comes first.
		if replayed, found, err := s.Replay(ctx, owner, request.Idempotency); found || err != nil {
			return Submitted{Job: replayed, Replayed: found}, err
		}
		return Submitted{}, refusal
	}
	job.CompareFile = compared
	stored, outcome, err := s.config.Store.CreateJob(ctx, job, transaction.Terms{
		Tenant:      owner,
		Operation:   transaction.SubmitPreflight,
		Idempotency: request.Idempotency,
		Quota:       request.Quota,
		Now:         now,
	}, backlogCap)
	if err != nil {
		return Submitted{}, fmt.Errorf("submit job: %w", err)
	}
	if outcome == transaction.Created {
		// Submit the committed job to the queue, or end it if it is simulated. An error
		// does not concern the partner: the row is open, and the sweeper submits it
		// later.
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

// Replay looks up a key before the body is validated. found is false if the key is
// empty or was never committed. transaction.ErrKeyReused means that the key was
// committed with another body.
func (s *Service) Replay(ctx context.Context, owner tenant.ID, used transaction.Idempotency) (job Job, found bool, err error) {
	if used.Key == "" {
		return Job{}, false, nil
	}
	stored, err := s.config.Store.ReplayedJob(ctx, owner, used, s.now())
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return Job{}, false, nil
	case err != nil:
		return Job{}, false, fmt.Errorf("replay job: %w", err)
	default:
		return stored.asSubmitted(), true, nil
	}
}

// source returns the address of the file of a request, or the violation of the members that
// name it. The error is one of the store.
func (s *Service) source(ctx context.Context, owner tenant.ID, request Request) (address FileURL, invalid []Violation, err error) {
	if found := CheckSource(request.FileURL != "", request.FileID != ""); found != nil {
		return FileURL{}, found, nil
	}
	if request.FileID == "" {
		address, fault := ParseFileURL(request.FileURL, s.config.AllowHTTP)
		if fault != nil {
			invalid = []Violation{{Pointer: "#/fileUrl", Code: "INVALID_FORMAT", Detail: fault.Error()}}
		}
		return address, invalid, nil
	}
	err = ErrFilesDisabled
	if s.config.Files != nil {
		_, err = s.config.Files.Get(ctx, owner, request.FileID)
	}
	switch {
	case errors.Is(err, ErrFilesDisabled):
		return FileURL{}, []Violation{{Pointer: "#/fileId", Code: "NOT_ALLOWED", Detail: "must be absent: this installation accepts no uploads; send fileUrl"}}, nil
	case errors.Is(err, transaction.ErrNotFound):
		return FileURL{}, []Violation{{Pointer: "#/fileId", Code: "NOT_ALLOWED", Detail: "must be the id of one of your files that has not expired"}}, nil
	case err != nil:
		return FileURL{}, nil, fmt.Errorf("submit job: %w", err)
	default:
		return UploadedFile(request.FileID), nil, nil
	}
}

// CheckSource returns the violation of a request that has not exactly one of fileUrl and
// fileId, or nil.
func CheckSource(hasURL, hasID bool) []Violation {
	switch {
	case hasURL && hasID:
		return []Violation{{Pointer: "#/fileId", Code: "NOT_ALLOWED", Detail: "must be absent if fileUrl is present: send exactly one of the two"}}
	case !hasURL && !hasID:
		return []Violation{{Pointer: "#/fileUrl", Code: "REQUIRED", Detail: "is required if fileId is absent: send exactly one of the two"}}
	default:
		return nil
	}
}

func (s *Service) judge(now time.Time, owner tenant.ID, request Request, address FileURL, found, stranger []Violation) (Job, error) {
	if known := slices.Concat(s.config.Profiles, request.Profiles); !slices.Contains(known, request.Profile) && !isSimulated(owner, request.Profile) {
		found = append(found, Violation{Pointer: "#/profile", Code: "NOT_ALLOWED", Detail: "must be one of: " + strings.Join(known, ", ")})
	}
	if err := request.Ticket.Check(); err != nil {
		found = append(found, Violation{Pointer: "#/intent", Code: "INVALID_VALUE", Detail: err.Error()})
	}
	if code, detail := checkText(request.ClientReference, MaxReference); code != "" {
		found = append(found, Violation{Pointer: "#/clientReference", Code: code, Detail: detail})
	}
	found = append(append(found, s.judgeCopies(owner, request)...), stranger...)
	if len(found) > 0 {
		return Job{}, &ValidationError{Violations: found}
	}
	id, err := recordid.New(recordid.Job, now, s.config.Random)
	if err != nil {
		return Job{}, err
	}
	return Job{
		ID: id, Tenant: owner, FileURL: address, Profile: request.Profile, Ticket: request.Ticket, ClientReference: request.ClientReference,
		Fixes: request.Fixes, Output: request.Output, Annotate: request.Annotate, CompareWith: request.CompareWith, SubmittedAt: now, Trace: request.Trace,
	}.asSubmitted(), nil
}

// MaxReference is the maximum length of a client reference, in characters.
const MaxReference = 128

// checkText returns the code and the detail of the violation of a text of at most the given number of
// characters; both are empty for a valid text and for none.
func checkText(text string, most int) (code, detail string) {
	switch {
	case text == "":
		return "", ""
	case utf8.RuneCountInString(text) > most:
		return "INVALID_LENGTH", fmt.Sprintf("must be at most %d characters long", most)
	case !utf8.ValidString(text), strings.TrimSpace(text) == "", strings.ContainsFunc(text, unicode.IsControl):
		return "INVALID_VALUE", "must have a visible character and no control characters"
	default:
		return "", ""
	}
}

// Get returns an owned job, transaction.ErrNotFound or [ErrGone].
func (s *Service) Get(ctx context.Context, owner tenant.ID, id string) (Job, error) {
	if !recordid.Valid(recordid.Job, id) {
		return Job{}, transaction.ErrNotFound
	}
	job, err := s.config.Store.Job(ctx, owner, id)
	if err != nil {
		return Job{}, fmt.Errorf("get job: %w", err)
	}
	if job.Gone(s.now()) {
		return Job{}, ErrGone
	}
	return job, nil
}

// Report returns the stored bytes of the report of an owned job. In addition to the
// errors of Get, it returns [ErrNotReady] for an open job, and [NoReportError] for a
// job that ended without a report.
func (s *Service) Report(ctx context.Context, owner tenant.ID, id string) ([]byte, error) {
	return s.document(ctx, owner, id, ReportDocument, func(Job) error { return nil })
}

// document returns a document of an owned job that has succeeded and passes check.
func (s *Service) document(ctx context.Context, owner tenant.ID, id string, document Document, check func(Job) error) ([]byte, error) {
	job, err := s.succeeded(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	if err := check(job); err != nil {
		return nil, err
	}
	content, err := s.config.Store.JobDocument(ctx, owner, id, document)
	if errors.Is(err, transaction.ErrNotFound) {
		// The job was purged between the two reads.
		return nil, ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", document, err)
	}
	return content, nil
}

// succeeded returns an owned job, or the error of one that has not succeeded.
func (s *Service) succeeded(ctx context.Context, owner tenant.ID, id string) (Job, error) {
	job, err := s.Get(ctx, owner, id)
	switch {
	case err != nil:
		return Job{}, err
	case job.Status == Succeeded:
		return job, nil
	case job.Status.Terminal():
		return Job{}, &NoReportError{Status: job.Status, Failure: job.Failure}
	default:
		return Job{}, ErrNotReady
	}
}

// now returns the clock in whole milliseconds, the resolution of the store, so that a
// stored job equals the response.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }
