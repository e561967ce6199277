// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/pkg/client/preflightapi"
)

// The routes, as the contract has them.
const (
	routePreflights      = "/api/v1/preflight"
	routePreflight       = "/api/v1/preflight/{jobId}"
	routePreflightReport = "/api/v1/preflight/{jobId}/report"

	routePreflightFixes      = "/api/v1/preflight/{jobId}/fixes"
	routePreflightComparison = "/api/v1/preflight/{jobId}/comparison"
	routeFixedFile           = "/api/v1/preflight/{jobId}/fixed.pdf"
	routeAnnotatedFile       = "/api/v1/preflight/{jobId}/annotated.pdf"
	routePreflightShares     = "/api/v1/preflight/{jobId}/shares"
	routePreflightShare      = "/api/v1/preflight/{jobId}/shares/{shareId}"
	routePagePictures        = "/api/v1/preflight/{jobId}/pages"
	routePagePicture         = "/api/v1/preflight/{jobId}/pages/{page}.{format}"
)

// SubmittedPreflight is the response to a submission.
type SubmittedPreflight struct {
	PreflightJob
	// Replayed reports whether an earlier request with the same idempotency key
	// submitted the job.
	Replayed bool
}

// SubmitPreflight enqueues a PDF for inspection. It sends an idempotency key, and
// retries with the same key as the [RetryPolicy] allows, so that it creates one job.
// The [CallError] of a failure contains the key.
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

// PreflightFilter selects jobs. The zero value selects all.
type PreflightFilter struct {
	// Status selects jobs with one of these statuses, Verdict jobs with one of these
	// verdicts.
	Status  []PreflightStatus
	Verdict []Verdict
	// CreatedAfter selects jobs submitted at or after this time.
	CreatedAfter time.Time
	// CreatedBefore selects jobs submitted before this time.
	CreatedBefore time.Time
	// ClientReference selects jobs with exactly this reference; empty selects all.
	ClientReference string
	// PageSize is the number of jobs for each request, 1 to 100; zero selects the default
	// of the API.
	PageSize int
}

func (f PreflightFilter) parameters() *preflightapi.ListPreflightsParams {
	parameters := &preflightapi.ListPreflightsParams{Status: f.Status, Verdict: f.Verdict}
	if !f.CreatedAfter.IsZero() {
		parameters.CreatedAfter = &f.CreatedAfter
	}
	if !f.CreatedBefore.IsZero() {
		parameters.CreatedBefore = &f.CreatedBefore
	}
	if f.ClientReference != "" {
		parameters.ClientReference = &f.ClientReference
	}
	if f.PageSize != 0 {
		parameters.Limit = new(f.PageSize)
	}
	return parameters
}

// Preflights lists jobs, newest first, without their results. It reads the pages as you
// range over them. It ends with the first error. It does not contain jobs that are
// submitted meanwhile.
func (c *Client) Preflights(ctx context.Context, filter PreflightFilter) iter.Seq2[PreflightJob, error] {
	parameters := filter.parameters()
	return pages(ctx, c, "Preflights", routePreflights, func(ctx context.Context, cursor *string) (*http.Response, error) {
		parameters := *parameters
		parameters.Cursor = cursor
		return c.preflight.ListPreflights(ctx, &parameters)
	}, func(page preflightapi.PreflightPage) ([]PreflightJob, *string) { return page.Items, page.NextCursor })
}

// Preflight reads a job. Result is set after it has succeeded, Failure after it has
// failed.
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

// PreflightFixes reads the log of the fixes of a job that has succeeded, and was submitted with Fix.
func (c *Client) PreflightFixes(ctx context.Context, id string, options ...ReadOption) (FixLog, error) {
	const operation = "PreflightFixes"
	if err := checkID(id); err != nil {
		return FixLog{}, argumentFault(operation, err)
	}
	how := read(options)
	log, header, err := do[FixLog](ctx, c, sending{
		operation: operation, route: routePreflightFixes, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.GetPreflightFixes(ctx, id, &preflightapi.GetPreflightFixesParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return log, err
}

// PreflightComparison reads the comparison of a job that has succeeded, and was submitted with
// CompareWith.
func (c *Client) PreflightComparison(ctx context.Context, id string, options ...ReadOption) (Comparison, error) {
	const operation = "PreflightComparison"
	if err := checkID(id); err != nil {
		return Comparison{}, argumentFault(operation, err)
	}
	how := read(options)
	made, header, err := do[Comparison](ctx, c, sending{
		operation: operation, route: routePreflightComparison, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.GetPreflightComparison(ctx, id, &preflightapi.GetPreflightComparisonParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return made, err
}

// DownloadFixedFile writes the fixed file of a job, of up to 256 MiB, to a writer. It retries until
// the response begins, and not after that: then its error is a [TransportError], or that of the
// writer, and the writer has a part of the file.
func (c *Client) DownloadFixedFile(ctx context.Context, id string, to io.Writer) error {
	const operation = "DownloadFixedFile"
	if err := checkID(id); err != nil {
		return argumentFault(operation, err)
	}
	return c.download(ctx, &call{operation: operation, route: routeFixedFile}, pdf, to, func(ctx context.Context) (*http.Response, error) {
		return c.events.GetFixedFile(ctx, id, &preflightapi.GetFixedFileParams{})
	})
}

// DownloadAnnotatedFile writes the annotated copy of a job to a writer, with the errors of
// [Client.DownloadFixedFile].
func (c *Client) DownloadAnnotatedFile(ctx context.Context, id string, to io.Writer) error {
	const operation = "DownloadAnnotatedFile"
	if err := checkID(id); err != nil {
		return argumentFault(operation, err)
	}
	return c.download(ctx, &call{operation: operation, route: routeAnnotatedFile}, pdf, to, func(ctx context.Context) (*http.Response, error) {
		return c.events.GetAnnotatedFile(ctx, id, &preflightapi.GetAnnotatedFileParams{})
	})
}

// PagePictures lists the pages of a job that has succeeded and has pictures.
func (c *Client) PagePictures(ctx context.Context, id string, options ...ReadOption) ([]PagePicture, error) {
	const operation = "PagePictures"
	if err := checkID(id); err != nil {
		return nil, argumentFault(operation, err)
	}
	how := read(options)
	list, header, err := do[preflightapi.PagePictures](ctx, c, sending{
		operation: operation, route: routePagePictures, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.ListPagePictures(ctx, id, &preflightapi.ListPagePicturesParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return list.Pages, err
}

// PictureOf selects a picture of a page.
type PictureOf struct {
	// Page is the number of the page, from 1.
	Page int
	// Layer is "printed", "heat" or the name of an ink; empty selects "printed".
	Layer string
	// Width is the width in pixels, 16 to 4000; zero selects that of the stored picture.
	Width int
}

// DownloadPagePicture writes a picture of a page, as PNG, to a writer. Its errors are those of
// [Client.DownloadFixedFile].
func (c *Client) DownloadPagePicture(ctx context.Context, id string, of PictureOf, to io.Writer) error {
	const operation = "DownloadPagePicture"
	if err := checkID(id); err != nil {
		return argumentFault(operation, err)
	}
	parameters := &preflightapi.GetPagePictureParams{}
	if of.Layer != "" {
		parameters.Layer = &of.Layer
	}
	if of.Width != 0 {
		parameters.Width = &of.Width
	}
	return c.download(ctx, &call{operation: operation, route: routePagePicture}, pngPicture, to, func(ctx context.Context) (*http.Response, error) {
		return c.events.GetPagePicture(ctx, id, of.Page, preflightapi.PictureFormatPng, parameters)
	})
}

// download writes a streamed response of a media type to a writer.
func (c *Client) download(ctx context.Context, current *call, want string, to io.Writer, send func(context.Context) (*http.Response, error)) error {
	failed := func(err error) error {
		return &CallError{Operation: current.operation, Attempts: current.attempts, Err: err}
	}
	answer, err := send(withCall(ctx, current))
	if err != nil {
		return failed(withoutAnswer(ctx, err))
	}
	defer closeBody(answer.Body)
	if answer.StatusCode != http.StatusOK {
		body, err := io.ReadAll(answer.Body) // from memory
		if err != nil {
			return failed(withoutAnswer(ctx, err))
		}
		return failed(refusal(answer.StatusCode, answer.Header, body, c.transport.now()))
	}
	if mediaType(answer.Header) != want {
		return failed(unreadable(answer, errors.New("not "+want)))
	}
	source := &sourceError{Reader: answer.Body}
	if _, err := io.Copy(to, source); source.err != nil {
		return failed(withoutAnswer(ctx, source.err))
	} else if err != nil {
		return failed(err)
	}
	return nil
}

// sourceError keeps the error of a reader, which is not one of the writer of a copy.
type sourceError struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (s *sourceError) Read(into []byte) (int, error) {
	n, err := s.Reader.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// SharePreflight creates a link with which everyone can read the report of a job that has succeeded.
// The link expires after the lifetime, in whole seconds, 1 minute to 30 days; zero selects 7 days.
// SharePreflight does not retry after a lost response, because each request creates another link.
func (c *Client) SharePreflight(ctx context.Context, id string, lifetime time.Duration) (Share, error) {
	const operation = "SharePreflight"
	if err := checkID(id); err != nil {
		return Share{}, argumentFault(operation, err)
	}
	body := preflightapi.ShareCreate{}
	if lifetime != 0 {
		body.ExpiresIn = new(int(lifetime / time.Second))
	}
	share, _, err := do[Share](ctx, c, sending{
		operation: operation, route: routePreflightShares, want: http.StatusCreated,
		send: func(ctx context.Context) (*http.Response, error) { return c.preflight.SharePreflight(ctx, id, body) },
	})
	return share, err
}

// PreflightShares lists the valid links to the report of a job, the oldest first.
func (c *Client) PreflightShares(ctx context.Context, id string) ([]Share, error) {
	const operation = "PreflightShares"
	if err := checkID(id); err != nil {
		return nil, argumentFault(operation, err)
	}
	list, _, err := do[preflightapi.PreflightShares](ctx, c, sending{
		operation: operation, route: routePreflightShares, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.preflight.ListPreflightShares(ctx, id) },
	})
	return list.Items, err
}

// RevokePreflightShare revokes a link to the report of a job.
func (c *Client) RevokePreflightShare(ctx context.Context, id, shareID string) error {
	const operation = "RevokePreflightShare"
	for _, one := range []string{id, shareID} {
		if err := checkID(one); err != nil {
			return argumentFault(operation, err)
		}
	}
	_, _, err := do[struct{}](ctx, c, sending{
		operation: operation, route: routePreflightShare, want: http.StatusNoContent,
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.RevokePreflightShare(ctx, id, shareID)
		},
	})
	return err
}

// CancelPreflight cancels a job that has not ended. Cancelling a cancelled job
// succeeds.
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

// pollAfter is the time between reads of a job without Retry-After.
const pollAfter = time.Second

// WaitPreflight reads a job until it has ended, as often as the API requests, or until
// the context ends: give it a deadline. It waits after an error with Retry-After, like
// that of the rate limit. Any other error ends the wait; the job continues.
func (c *Client) WaitPreflight(ctx context.Context, id string) (PreflightJob, error) {
	var job PreflightJob
	var etag *string
	for {
		fresh, header, err := c.readPreflight(ctx, id, etag)
		wait, timed := retryAfter(header, c.transport.now())
		var p *Problem
		switch {
		case err == nil && ended(fresh.Status, timed):
			return fresh, nil
		case err == nil:
			job, etag = fresh, new(header.Get("ETag"))
		case errors.Is(err, ErrNotModified):
		case errors.As(err, &p) && p.RetryAfter > 0:
			wait, timed = p.RetryAfter, true
		default:
			return job, err
		}
		if !timed || wait <= 0 {
			wait = pollAfter
		}
		if err := c.transport.wait(ctx, wait+c.transport.random(wait/4)); err != nil {
			return job, &CallError{Operation: "WaitPreflight", Err: err}
		}
	}
}

// ended reports whether a job has ended. An unknown status counts as ended if the
// response has no Retry-After.
func ended(status PreflightStatus, timed bool) bool {
	switch status {
	case PreflightStatusQueued, PreflightStatusProcessing:
		return false
	case PreflightStatusSucceeded, PreflightStatusFailed, PreflightStatusCancelled:
		return true
	default:
		return !timed
	}
}
