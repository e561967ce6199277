// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/pkg/client/preflightapi"
)

// The routes, as the contract has them.
const (
	routePreflights      = "/api/v1/preflight"
	routePreflight       = "/api/v1/preflight/{jobId}"
	routePreflightReport = "/api/v1/preflight/{jobId}/report"
)

// SubmittedPreflight is what a submission answers.
type SubmittedPreflight struct {
	PreflightJob
	// Replayed says that the idempotency key had submitted it before.
	Replayed bool
}

// SubmitPreflight queues a PDF for inspection. It is sent with an idempotency
// key, and repeated with it as the [RetryPolicy] allows, so that it makes one
// job. The [CallError] of a failure has the key.
func (c *Client) SubmitPreflight(ctx context.Context, submit PreflightSubmit, options ...CreateOption) (SubmittedPreflight, error) {
	const operation = "SubmitPreflight"
	terms, err := created(options, submit.FileURL, submit.Profile)
	if err != nil {
		return SubmittedPreflight{}, argumentFault(operation, err)
	}
	job, header, err := do[PreflightJob](ctx, c, sending{
		operation: operation, route: routePreflights, want: http.StatusAccepted, idempotencyKey: terms.idempotencyKey,
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.SubmitPreflight(ctx, &preflightapi.SubmitPreflightParams{IdempotencyKey: &terms.idempotencyKey}, submit)
		},
	})
	if err == nil && job.JobID == "" {
		err = unnamed(operation, terms.idempotencyKey, http.StatusAccepted, header)
	}
	return SubmittedPreflight{job, replayed(header)}, err
}

// Preflight reads a job. Result is there once it has succeeded, Failure once it
// has failed.
func (c *Client) Preflight(ctx context.Context, id string, options ...ReadOption) (PreflightJob, error) {
	how := read(options)
	job, header, err := c.readPreflight(ctx, id, how.validator())
	if err == nil {
		how.keep(header)
	}
	return job, err
}

func (c *Client) readPreflight(ctx context.Context, id string, validator *string) (PreflightJob, http.Header, error) {
	const operation = "Preflight"
	if err := checkID(id); err != nil {
		return PreflightJob{}, nil, argumentFault(operation, err)
	}
	return do[PreflightJob](ctx, c, sending{
		operation: operation, route: routePreflight, want: http.StatusOK, validator: validator,
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.GetPreflight(ctx, id, &preflightapi.GetPreflightParams{IfNoneMatch: validator})
		},
	})
}

// PreflightReport reads the report of a job that has succeeded.
func (c *Client) PreflightReport(ctx context.Context, id string, options ...ReadOption) (PreflightReport, error) {
	const operation = "PreflightReport"
	if err := checkID(id); err != nil {
		return PreflightReport{}, argumentFault(operation, err)
	}
	how := read(options)
	report, header, err := do[PreflightReport](ctx, c, sending{
		operation: operation, route: routePreflightReport, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.GetPreflightReport(ctx, id, &preflightapi.GetPreflightReportParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return report, err
}

// CancelPreflight cancels a job that has not ended. One that has been cancelled
// before is answered the same.
func (c *Client) CancelPreflight(ctx context.Context, id string) (PreflightJob, error) {
	const operation = "CancelPreflight"
	if err := checkID(id); err != nil {
		return PreflightJob{}, argumentFault(operation, err)
	}
	job, _, err := do[PreflightJob](ctx, c, sending{
		operation: operation, route: routePreflight, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.preflight.CancelPreflight(ctx, id) },
	})
	return job, err
}

// pollAfter is when a job is read again if the answer does not say.
const pollAfter = time.Second

// WaitPreflight reads a job until it has ended, as often as the API asks for,
// or until the context ends: give it a deadline. An error that says when to try
// again, like that of the rate limit, is waited out; any other one ends the
// wait, not the job.
func (c *Client) WaitPreflight(ctx context.Context, id string) (PreflightJob, error) {
	var job PreflightJob
	var etag *string
	for {
		fresh, header, err := c.readPreflight(ctx, id, etag)
		wait, told := retryAfter(header, c.transport.now())
		var p *Problem
		switch {
		case err == nil && ended(fresh.Status, told):
			return fresh, nil
		case err == nil:
			job, etag = fresh, new(header.Get("ETag"))
		case errors.Is(err, ErrNotModified):
		case errors.As(err, &p) && p.RetryAfter > 0:
			wait, told = p.RetryAfter, true
		default:
			return job, err
		}
		if !told || wait <= 0 {
			wait = pollAfter
		}
		if err := c.transport.wait(ctx, wait+c.transport.random(wait/4)); err != nil {
			return job, &CallError{Operation: "WaitPreflight", Err: err}
		}
	}
}

// ended reports whether a job has. A status that is not known today has if the
// API no longer says when to ask again.
func ended(status PreflightStatus, told bool) bool {
	switch status {
	case PreflightStatusQueued, PreflightStatusProcessing:
		return false
	case PreflightStatusSucceeded, PreflightStatusFailed, PreflightStatusCancelled:
		return true
	default:
		return !told
	}
}
