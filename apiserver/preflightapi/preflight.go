// SPDX-License-Identifier: Apache-2.0

// Package preflightapi serves the preflight contract, docs/api/preflight-openapi.yaml:
// submit a URL, poll or follow the job, read its report, cancel the job. Workers
// inspect the file. zz_generated.go holds the models and the server generated from
// the contract.
package preflightapi

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
)

const (
	bodyLimit = 64 << 10
	// maxVerdicts is the number of verdicts in the contract.
	maxVerdicts = 3
	// pollAfter is the seconds that Retry-After suggests for a job that has not
	// ended.
	pollAfter = 1
	// retryBacklog and retryQueue are the times to retry after with a full backlog and
	// with an unavailable queue.
	retryBacklog = 10 * time.Second
	retryQueue   = 5 * time.Second
)

// Jobs submits, reads and cancels jobs. Package preflightjob implements it.
type Jobs interface {
	Submit(ctx context.Context, owner tenant.ID, request preflightjob.Request, backlogCap int) (preflightjob.Submitted, error)
	Replay(ctx context.Context, owner tenant.ID, used transaction.Idempotency) (preflightjob.Job, bool, error)
	Get(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error)
	List(ctx context.Context, owner tenant.ID, page preflightjob.Page) (preflightjob.List, error)
	Report(ctx context.Context, owner tenant.ID, id string) ([]byte, error)
	FixLog(ctx context.Context, owner tenant.ID, id string) ([]byte, error)
	FixedFile(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
	AnnotatedFile(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
	Comparison(ctx context.Context, owner tenant.ID, id string) ([]byte, error)
	Pictures(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
	Share(ctx context.Context, owner tenant.ID, id string, lifetime time.Duration) (preflightjob.Share, error)
	Shares(ctx context.Context, owner tenant.ID, id string) (preflightjob.Shares, error)
	Unshare(ctx context.Context, owner tenant.ID, id, shareID string) error
	Cancel(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error)
}

// Queue reports whether the queue accepts new jobs.
type Queue interface {
	// Refuses returns nil, or the reason why the queue accepts no new jobs. It reads
	// memory only.
	Refuses() error
}

// Config holds the dependencies and settings of the surface.
type Config struct {
	Jobs Jobs
	// Origin is the public origin of the API, for the URLs of shared reports.
	Origin string
	RFQs   RFQs
	// Files stores uploaded files, and Uploads limits the uploads in progress.
	Files   Files
	Uploads *gate.Uploads
	// Drawing limits how many pictures are drawn at once. The dashboards share it.
	Drawing Drawing
	// Quotas reads the use of the quota that responses report.
	Quotas gate.Quotas
	Queue  Queue
	// Backlog is the highest number of open jobs of a tenant.
	Backlog int
	// Pace sets how often followed jobs are read. The zero value is the pace of the
	// contract.
	Pace Pace
	// Changes provides announcements of changed jobs, or is nil.
	Changes *Changes
}

type surface struct {
	Config
	submitSchema *contracts.Schema
	shareSchema  *contracts.Schema
	registry     *registry
	follower     Follower
}

// newSurface returns the surface with the schemas of its bodies.
func newSurface(config Config, set *contracts.Set) (*surface, error) {
	submit, err := set.Schema(contracts.Preflight, "PreflightSubmit")
	if err != nil {
		return nil, err
	}
	share, err := set.Schema(contracts.Preflight, "ShareCreate")
	if err != nil {
		return nil, err
	}
	known, err := newRegistry()
	if err != nil {
		return nil, err
	}
	return &surface{
		Config: config, submitSchema: submit, shareSchema: share, registry: known,
		follower: Follower{Jobs: config.Jobs, Pace: config.Pace, Changes: config.Changes},
	}, nil
}

// Routes returns the table of routes of the surface.
func Routes(config Config, set *contracts.Set) ([]gate.Route, error) {
	s, err := newSurface(config, set)
	if err != nil {
		return nil, err
	}
	api := Handlers{Operations: s}
	const job = "/api/v1/preflight/{jobId}"
	picture := contracts.Operation{Contract: contracts.Preflight, Method: http.MethodGet, Path: job + "/pages/{page}.{format}"}
	list := contracts.Operation{Contract: contracts.Preflight, Method: http.MethodGet, Path: "/api/v1/preflight"}
	body := &gate.Body{Limit: bodyLimit, Idempotency: gate.KeyOptional}
	upload := &gate.Body{Limit: uploadLimit, MediaTypes: []string{"application/pdf", "application/octet-stream", mediaForm}, Stream: true}
	return []gate.Route{
		{Method: http.MethodPost, Pattern: "/api/v1/files", Capability: posture.Preflight, Write: true, Body: upload, Serve: api.UploadFile},
		{Method: http.MethodGet, Pattern: "/api/v1/files/{fileId}", Capability: posture.Preflight, Serve: api.GetFile},
		{Method: http.MethodDelete, Pattern: "/api/v1/files/{fileId}", Capability: posture.Preflight, Write: true, Serve: api.DeleteFile},
		{Method: http.MethodPost, Pattern: "/api/v1/preflight", Capability: posture.Preflight, Write: true, Body: body, Serve: s.checked(api.SubmitPreflight)},
		{Method: http.MethodGet, Pattern: "/api/v1/preflight", Capability: posture.Preflight, Serve: gate.OnlyParameters(set.QueryParameters(list), api.ListPreflights)},
		{Method: http.MethodGet, Pattern: "/api/v1/preflight/profiles", Capability: posture.Preflight, Serve: api.ListPreflightProfiles},
		{Method: http.MethodGet, Pattern: "/api/v1/preflight/profiles/{profile}", Capability: posture.Preflight, Serve: api.GetPreflightProfile},
		{Method: http.MethodGet, Pattern: "/api/v1/preflight/rules", Capability: posture.Preflight, Serve: api.ListPreflightRules},
		{Method: http.MethodGet, Pattern: job, Capability: posture.Preflight, Serve: api.GetPreflight},
		{Method: http.MethodDelete, Pattern: job, Capability: posture.Preflight, Write: true, Serve: api.CancelPreflight},
		{Method: http.MethodGet, Pattern: job + "/events", Capability: posture.Preflight, Offers: []string{mediaEvents}, Serve: api.FollowPreflight},
		{Method: http.MethodGet, Pattern: job + "/report", Capability: posture.Preflight, Offers: []string{MediaJSON, MediaHTML, MediaXFDF, MediaPDF}, Serve: api.GetPreflightReport},
		{Method: http.MethodGet, Pattern: job + "/fixes", Capability: posture.Preflight, Serve: api.GetPreflightFixes},
		{Method: http.MethodGet, Pattern: job + "/fixed.pdf", Capability: posture.Preflight, Offers: []string{MediaPDF}, Serve: api.GetFixedFile},
		{Method: http.MethodGet, Pattern: job + "/annotated.pdf", Capability: posture.Preflight, Offers: []string{MediaPDF}, Serve: api.GetAnnotatedFile},
		{Method: http.MethodGet, Pattern: job + "/comparison", Capability: posture.Preflight, Serve: api.GetPreflightComparison},
		{Method: http.MethodGet, Pattern: job + "/shares", Capability: posture.Preflight, Serve: api.ListPreflightShares},
		{Method: http.MethodPost, Pattern: job + "/shares", Capability: posture.Preflight, Write: true, Body: &gate.Body{Limit: bodyLimit}, Serve: gate.OnlyValid(s.shareSchema, problem.CodePreflightInvalid, api.SharePreflight)},
		{Method: http.MethodDelete, Pattern: job + "/shares/{shareId}", Capability: posture.Preflight, Write: true, Serve: api.RevokePreflightShare},
		{Method: http.MethodGet, Pattern: job + "/pages", Capability: posture.Preflight, Serve: api.ListPagePictures},
		{
			Method: http.MethodGet, Pattern: picture.Path, Capability: posture.Preflight, Offers: []string{mediaPNG, mediaWebP},
			Serve: gate.OnlyParameters(set.QueryParameters(picture), api.GetPagePicture),
		},
	}, nil
}

// checked validates a body by the schema of the contract. For an invalid body it replays
// the response that was committed under the key, or else returns the violations.
func (s *surface) checked(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		violations := s.violations(c.Document)
		if len(violations) == 0 {
			return next(c)
		}
		answer, err := s.replayOr(c, violations)
		if err != nil {
			return err
		}
		return s.submitted(c, answer).answerSubmitPreflight(c)
	}
}

// violations checks the body of a submission by the contract.
func (s *surface) violations(document any) []problem.Violation {
	violations := s.submitSchema.Violations(document)
	if body, ok := document.(map[string]any); ok {
		_, hasURL := body["fileUrl"]
		_, hasID := body["fileId"]
		violations = append(problem.CodedViolations(preflightjob.CheckSource(hasURL, hasID)), violations...)
	}
	return violations
}

// replayOr returns the job that was committed under the key of a call, or else the violations.
func (s *surface) replayOr(c *gate.Call, violations []problem.Violation) (preflightjob.Submitted, error) {
	job, found, err := s.Jobs.Replay(c.Context(), c.Tenant(), c.Idempotency())
	switch {
	case err != nil:
		return preflightjob.Submitted{}, s.problemOf(err)
	case found:
		return preflightjob.Submitted{Job: job, Replayed: true}, nil
	default:
		return preflightjob.Submitted{}, invalid(violations)
	}
}

// SubmitPreflight serves POST /api/v1/preflight.
func (s *surface) SubmitPreflight(c *gate.Call, body PreflightSubmit) (SubmitPreflightResponseObject, error) {
	made, err := s.submit(c, body)
	if err != nil {
		return nil, err
	}
	return s.submitted(c, made), nil
}

// submit creates the job of a body that the contract allows.
func (s *surface) submit(c *gate.Call, body PreflightSubmit) (preflightjob.Submitted, error) {
	ordered, err := s.ticket(c, body.Intent.With(body.Product))
	if wrong, ok := errors.AsType[*referenceError](err); ok {
		return s.replayOr(c, []problem.Violation{{Pointer: "#/intent/rfqId", Detail: wrong.detail}})
	}
	if err != nil {
		return preflightjob.Submitted{}, s.problemOf(err)
	}
	refusal, backlog := s.Queue.Refuses(), s.Backlog
	if refusal != nil {
		// A backlog of 0 accepts no job. Replays and invalid requests are answered
		// before the backlog is checked.
		backlog = 0
	}
	custom := []string{}
	for _, p := range c.Caller.Profiles() {
		custom = append(custom, p.Name)
	}
	made, err := s.Jobs.Submit(c.Context(), c.Tenant(), preflightjob.Request{
		FileURL: body.FileURL, FileID: body.FileID, Profile: body.Profile, Profiles: custom, Ticket: ordered, ClientReference: body.ClientReference,
		Fixes: body.Fix, Output: body.Output, Annotate: string(body.Annotate), CompareWith: body.CompareWith, Idempotency: c.Idempotency(),
		Quota: new(c.Quota()),
		Trace: telemetry.Traceparent(c.Context()),
	}, backlog)
	var full *preflightjob.BacklogExceededError
	switch {
	case refusal != nil && errors.As(err, &full):
		return preflightjob.Submitted{}, problem.New(problem.CodePreflightQueueUnavailable, "The preflight queue is temporarily unavailable and accepts no new jobs.").After(retryQueue).With(refusal)
	case err != nil:
		return preflightjob.Submitted{}, s.problemOf(err)
	default:
		return made, nil
	}
}

func (s *surface) submitted(c *gate.Call, made preflightjob.Submitted) SubmitPreflight202JSONResponse {
	c.MarkReplay(made.Replayed)
	c.ReportQuota(s.Quotas)
	return SubmitPreflight202JSONResponse{
		Body:    modelOf(made.Job, nil),
		Headers: SubmitPreflight202ResponseHeaders{Location: path(made.Job.ID), RetryAfter: pollAfter},
	}
}

// ListPreflights serves GET /api/v1/preflight.
func (s *surface) ListPreflights(c *gate.Call, params ListPreflightsParams) (ListPreflightsResponseObject, error) {
	page, err := pageOf(params)
	if err != nil {
		return nil, err
	}
	list, err := s.Jobs.List(c.Context(), c.Tenant(), page)
	if err != nil {
		return nil, s.problemOf(err)
	}
	answer := ListPreflights200JSONResponse{Body: PreflightPage{Items: make([]PreflightJob, len(list.Items))}}
	for i, job := range list.Items {
		answer.Body.Items[i] = modelOf(job, nil)
	}
	if list.NextCursor != "" {
		answer.Body.NextCursor = &list.NextCursor
		query := gate.PageQuery(list.NextCursor, page.Limit, page.ClientReference, page.CreatedAfter, page.CreatedBefore)
		query["status"], query["verdict"] = params.Status, params.Verdict
		answer.Headers.Link = new("</api/v1/preflight?" + query.Encode() + `>; rel="next"`)
	}
	return answer, nil
}

// pageOf parses the parameters of a list. Its error is the problem of the first invalid one.
func pageOf(in ListPreflightsParams) (page preflightjob.Page, err error) {
	if page.Limit, err = gate.PageLimit(in.Limit); err != nil {
		return preflightjob.Page{}, err
	}
	if in.Cursor != nil {
		page.Cursor = *in.Cursor
	}
	if page.ClientReference, err = gate.Reference(in.ClientReference); err != nil {
		return preflightjob.Page{}, err
	}
	for i, text := range in.Status {
		if page.Statuses = append(page.Statuses, preflightjob.Status(text)); i >= len(preflightjob.Statuses()) || !slices.Contains(preflightjob.Statuses(), page.Statuses[i]) {
			return preflightjob.Page{}, problem.New(problem.CodeInvalidRequest, "The parameter status must be one of queued, processing, succeeded, failed and cancelled, and be sent at most 5 times.")
		}
	}
	for i, text := range in.Verdict {
		if page.Verdicts = append(page.Verdicts, preflightjob.Verdict(text)); i >= maxVerdicts || !page.Verdicts[i].Valid() {
			return preflightjob.Page{}, problem.New(problem.CodeInvalidRequest, "The parameter verdict must be one of pass, warn and fail, and be sent at most 3 times.")
		}
	}
	page.CreatedAfter, page.CreatedBefore, err = gate.Period(in.CreatedAfter, in.CreatedBefore)
	if err != nil {
		return preflightjob.Page{}, err
	}
	return page, nil
}

// GetPreflight serves GET /api/v1/preflight/{jobId}.
func (s *surface) GetPreflight(c *gate.Call, jobID JobID) (GetPreflightResponseObject, error) {
	job, err := s.Jobs.Get(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	var poll *Seconds
	if !job.Status.Terminal() {
		poll = new(pollAfter)
	}
	language, revision := preferredLanguage(c), job.Revision()
	if english := report.Languages()[0]; job.Status != preflightjob.Succeeded {
		language = english
	} else if language != english {
		revision += "-" + language
	}
	if c.Revalidate(`"` + revision + `"`) {
		return GetPreflight304Response{Headers: GetPreflight304ResponseHeaders{RetryAfter: poll}}, nil
	}
	result := Representation{Language: language}
	if job.Status == preflightjob.Succeeded {
		stored, err := s.Jobs.Report(c.Context(), c.Tenant(), jobID)
		if err != nil {
			return nil, s.problemOf(err)
		}
		if result, err = Represent(stored, MediaJSON, language, view.Options{}); err != nil {
			return nil, err
		}
	}
	return GetPreflight200JSONResponse{
		Body: modelOf(job, result.Body), Headers: GetPreflight200ResponseHeaders{RetryAfter: poll, ContentLanguage: result.Language},
	}, nil
}

// CancelPreflight serves DELETE /api/v1/preflight/{jobId}.
func (s *surface) CancelPreflight(c *gate.Call, jobID JobID) (CancelPreflightResponseObject, error) {
	job, err := s.Jobs.Cancel(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	return CancelPreflight200JSONResponse(modelOf(job, nil)), nil
}

func invalid(violations []problem.Violation) *problem.Problem {
	return problem.New(problem.CodePreflightInvalid, "The request is not valid.").Violates(violations...)
}

// problemOf converts errors of jobs to problems.
func (s *surface) problemOf(err error) error {
	var wrong *preflightjob.ValidationError
	var backlog *preflightjob.BacklogExceededError
	switch {
	case errors.As(err, &wrong):
		return invalid(problem.CodedViolations(wrong.Violations))
	case errors.As(err, &backlog):
		return problem.New(problem.CodePreflightBacklogExceeded, "You have %d open jobs; submit again when one of them has ended.", backlog.Cap).After(retryBacklog)
	case errors.Is(err, preflightjob.ErrNotCancellable):
		return problem.New(problem.CodePreflightNotCancellable, "The job has ended.")
	case errors.Is(err, preflightjob.ErrInvalidPage):
		return gate.BadPage(err)
	}
	if p := Unreadable(err); p != nil {
		return p
	}
	if p := respond.StoreProblem(err, problem.CodePreflightQuotaExceeded); p != nil {
		return p
	}
	return err
}

// Unreadable returns the problem of a deleted job, of a missing document or of a file, or nil for
// any other error.
func Unreadable(err error) *problem.Problem {
	var ended *preflightjob.NoReportError
	var missing *preflightjob.NoDocumentError
	switch {
	case errors.As(err, &ended):
		members := struct {
			JobStatus preflightjob.Status `json:"jobStatus"`
			Failure   *Failure            `json:"failure,omitempty"`
		}{JobStatus: ended.Status}
		if ended.Status == preflightjob.Failed {
			members.Failure = failureOf(ended.Failure)
		}
		p, err := problem.New(problem.CodePreflightReportMissing, "The job has ended as %s and has no report.", ended.Status).Extend(members)
		if err != nil {
			return problem.Of(err)
		}
		return p
	case errors.Is(err, preflightjob.ErrGone):
		return problem.New(problem.CodeGone, "The job has passed its retention period.")
	case errors.Is(err, preflightjob.ErrNotReady):
		return problem.New(problem.CodePreflightReportNotReady, "The job has not ended yet.")
	case errors.As(err, &missing):
		return problem.New(problem.CodeNotFound, "%s", missing.Detail)
	case errors.Is(err, preflightjob.ErrCopyGone):
		return problem.New(problem.CodeGone, "The copy of your file has expired or was deleted. Submit your file again.")
	default:
		return fileProblem(err)
	}
}

// badParameter returns the problem of a parameter that cannot be read. No page has an invalid number.
func badParameter(name string) error {
	if name == "page" {
		return problem.New(problem.CodeNotFound, "The number of a page is an integer from 1.")
	}
	return gate.BadParameter("")
}
