// SPDX-License-Identifier: Apache-2.0

// Package preflight is the HTTP surface of PDF inspection: submit a URL, poll
// the job, read its report, cancel it (interface specification, section 4.2).
// The work is done elsewhere, by workers.
package preflight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/counted"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/jobs"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
)

const (
	bodyLimit = 64 << 10
	// pollAfter is what Retry-After suggests for a job that has not ended.
	pollAfter = time.Second
	// retryBacklog and retryQueue are when to come back to a full backlog and
	// to a queue that is away.
	retryBacklog = 10 * time.Second
	retryQueue   = 5 * time.Second
)

// Jobs is what the surface needs of package jobs.
type Jobs interface {
	Submit(ctx context.Context, who tenant.ID, request jobs.Request, backlogCap int) (jobs.Submitted, error)
	Replay(ctx context.Context, who tenant.ID, used ledger.Idempotency) (jobs.Job, bool, error)
	Get(ctx context.Context, who tenant.ID, id string) (jobs.Job, error)
	Report(ctx context.Context, who tenant.ID, id string) ([]byte, error)
	Cancel(ctx context.Context, who tenant.ID, id string) (jobs.Job, error)
}

// Queue tells whether new work is welcome: nil, or why not. It answers from
// memory.
type Queue interface{ Refuses() error }

// Config is what the surface is made of.
type Config struct {
	Jobs  Jobs
	Queue Queue
	// Backlog is how many open jobs a tenant may have.
	Backlog int
	// Profiles are named in the answer to an unknown one.
	Profiles []string
}

type surface struct {
	Config
	submitSchema *contracts.Schema
}

// Routes is the surface's table of routes.
func Routes(config Config, set *contracts.Set) ([]gate.Route, error) {
	submit, err := set.Schema(contracts.Preflight, "PreflightSubmit")
	if err != nil {
		return nil, err
	}
	s := &surface{Config: config, submitSchema: submit}
	const job = "/api/v1/preflight/{jobId}"
	body := &gate.Body{Limit: bodyLimit, Idempotency: gate.KeyOptional}
	return []gate.Route{
		{Method: http.MethodPost, Pattern: "/api/v1/preflight", Capability: posture.Preflight, Write: true, Body: body, Serve: s.submit},
		{Method: http.MethodGet, Pattern: job, Capability: posture.Preflight, Serve: s.get},
		{Method: http.MethodDelete, Pattern: job, Capability: posture.Preflight, Write: true, Serve: s.cancel},
		{Method: http.MethodGet, Pattern: job + "/report", Capability: posture.Preflight, Serve: s.report},
	}, nil
}

type submitBody struct {
	FileURL string `json:"fileUrl"`
	Profile string `json:"profile"`
}

func (s *surface) submit(c *gate.Call) error {
	used := counted.Idempotency(c)
	if violations := s.submitSchema.Violations(c.Document); len(violations) > 0 {
		return s.replayOr(c, used, invalid(violations))
	}
	var body submitBody
	if err := json.Unmarshal(c.Body, &body); err != nil {
		return fmt.Errorf("decode a body that its schema accepts: %w", err)
	}
	request := jobs.Request{
		FileURL: body.FileURL, Profile: body.Profile, Idempotency: used,
		Quota: &ledger.Quota{Limit: c.Decision.Quota.Limit, Window: c.Decision.Quota.Window},
	}
	if err := s.Queue.Refuses(); err != nil {
		return s.submitNothing(c, request, err)
	}
	submitted, err := s.Jobs.Submit(c.Request.Context(), c.Tenant(), request, s.Backlog)
	if err != nil {
		return s.problemOf(err)
	}
	return answerSubmitted(c, submitted.Job, submitted.Replayed)
}

// submitNothing answers while the queue refuses. A backlog of none lets no job
// in; a committed key and a bad request still have their answers before that.
func (s *surface) submitNothing(c *gate.Call, request jobs.Request, refusal error) error {
	submitted, err := s.Jobs.Submit(c.Request.Context(), c.Tenant(), request, 0)
	var backlog *jobs.BacklogExceededError
	switch {
	case errors.As(err, &backlog):
		return problem.New(problem.CodePreflightQueueUnavailable, "New jobs are not taken at the moment.").After(retryQueue).With(refusal)
	case err != nil:
		return s.problemOf(err)
	default:
		return answerSubmitted(c, submitted.Job, submitted.Replayed)
	}
}

// replayOr answers with what was committed under the key, else the refusal.
func (s *surface) replayOr(c *gate.Call, used ledger.Idempotency, refusal *problem.Problem) error {
	job, found, err := s.Jobs.Replay(c.Request.Context(), c.Tenant(), used)
	switch {
	case err != nil:
		return s.problemOf(err)
	case found:
		return answerSubmitted(c, job, true)
	default:
		return refusal
	}
}

func answerSubmitted(c *gate.Call, job jobs.Job, replayed bool) error {
	header := c.Writer.Header()
	header.Set("Location", path(job.ID))
	header.Set("Retry-After", respond.RetryAfter(pollAfter))
	counted.MarkReplay(c, replayed)
	return c.JSON(http.StatusAccepted, viewOf(job, nil))
}

func (s *surface) get(c *gate.Call) error {
	ctx, id := c.Request.Context(), chi.URLParam(c.Request, "jobId")
	job, err := s.Jobs.Get(ctx, c.Tenant(), id)
	if err != nil {
		return s.problemOf(err)
	}
	if !job.Status.Terminal() {
		c.Writer.Header().Set("Retry-After", respond.RetryAfter(pollAfter))
	}
	if c.Revalidate(`"` + job.Revision() + `"`) {
		return nil
	}
	var report []byte
	if job.Status == jobs.Succeeded {
		if report, err = s.Jobs.Report(ctx, c.Tenant(), id); err != nil {
			return s.problemOf(err)
		}
	}
	return c.JSON(http.StatusOK, viewOf(job, report))
}

func (s *surface) report(c *gate.Call) error {
	id := chi.URLParam(c.Request, "jobId")
	report, err := s.Jobs.Report(c.Request.Context(), c.Tenant(), id)
	if err != nil {
		return s.problemOf(err)
	}
	// A job has at most one report, and it never changes.
	if c.Revalidate(`"report-` + id + `"`) {
		return nil
	}
	respond.Bytes(c.Writer, http.StatusOK, "application/json", report)
	return nil
}

func (s *surface) cancel(c *gate.Call) error {
	job, err := s.Jobs.Cancel(c.Request.Context(), c.Tenant(), chi.URLParam(c.Request, "jobId"))
	if err != nil {
		return s.problemOf(err)
	}
	return c.JSON(http.StatusOK, viewOf(job, nil))
}

func invalid(violations []problem.Violation) *problem.Problem {
	return problem.New(problem.CodePreflightInvalid, "The request is not valid.").Violates(violations...)
}

// problemOf is the one place where errors of jobs become answers.
func (s *surface) problemOf(err error) error {
	var wrong *jobs.ValidationError
	var backlog *jobs.BacklogExceededError
	switch {
	case errors.As(err, &wrong):
		return invalid(s.violations(wrong))
	case errors.As(err, &backlog):
		return problem.New(problem.CodePreflightBacklogExceeded, "You have %d jobs that have not ended.", backlog.Cap).After(retryBacklog)
	case errors.Is(err, jobs.ErrGone):
		return problem.New(problem.CodeGone, "The job is past its retention time.")
	case errors.Is(err, jobs.ErrNotReady):
		return problem.New(problem.CodePreflightReportNotReady, "The job has no report, or not yet.")
	case errors.Is(err, jobs.ErrNotCancellable):
		return problem.New(problem.CodePreflightNotCancellable, "The job has ended.")
	}
	if p := counted.Problem(err, problem.CodePreflightQuotaExceeded); p != nil {
		return p
	}
	return err
}

// violations adds the known profiles to the one about the profile.
func (s *surface) violations(wrong *jobs.ValidationError) []problem.Violation {
	all := make([]problem.Violation, len(wrong.Violations))
	for i, v := range wrong.Violations {
		all[i] = problem.Violation(v)
		if v.Pointer == "#/profile" {
			all[i].Detail = "must be one of: " + strings.Join(s.Profiles, ", ")
		}
	}
	return all
}
