// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func path(id string) string { return "/api/v1/preflight/" + id }

// modelOf returns a job as partners see it; report is nil unless the job has succeeded.
// The URL of the file has no query, because a query may be a credential.
func modelOf(job preflightjob.Job, report []byte) PreflightJob {
	intent, product := job.Ticket.Split()
	model := PreflightJob{
		JobID: job.ID, Status: PreflightJobStatus(job.Status), FileID: job.FileURL.FileID(),
		Profile: job.Profile, Intent: intent, Product: product, ClientReference: job.ClientReference, Fix: job.Fixes, Output: job.Output, Annotate: job.Annotate, CompareWith: job.CompareWith,
		SubmittedAt: respond.Instant(job.SubmittedAt), StartedAt: respond.Since(job.StartedAt),
		FinishedAt: respond.Since(job.FinishedAt), ExpiresAt: respond.Instant(job.ExpiresAt),
		Attempt: job.Attempt, Livemode: job.Tenant.Mode == tenant.Live,
		Verdict: Verdict(job.Verdict), Result: report,
		Links: JobLinks{Self: path(job.ID), Events: path(job.ID) + "/events"},
	}
	if model.FileID == "" {
		model.FileURL = job.FileURL.WithoutQuery().Reveal()
	}
	if job.Progress.PagesTotal > 0 {
		model.Progress = &Progress{PagesDone: job.Progress.PagesDone, PagesTotal: job.Progress.PagesTotal}
	}
	if job.Status == preflightjob.Failed {
		model.Failure = failureOf(job.Failure)
	}
	if job.Status == preflightjob.Succeeded {
		model.Links.Report = path(job.ID) + "/report"
	}
	if job.Summary != nil {
		addSummary(&model, job.Summary)
	}
	return model
}

// addSummary adds the documents beside the report to a job.
func addSummary(model *PreflightJob, summary *preflightjob.Summary) {
	if fix := summary.Fix; fix != nil {
		model.Fixed = &FixSummary{Applied: names(fix.Applied), Skipped: names(fix.Skipped), FileID: fix.FileID}
		model.Links.Fixes = path(model.JobID) + "/fixes"
		if fix.FileID != "" {
			model.Links.FixedFile = path(model.JobID) + "/fixed.pdf"
		}
	}
	if c := summary.Comparison; c != nil {
		model.Comparison = &ComparisonSummary{Same: c.Same, Complete: c.Complete, Pages: c.Pages}
		model.Links.Comparison = path(model.JobID) + "/comparison"
	}
	if a := summary.Annotated; a != nil {
		model.Annotated = &AnnotatedSummary{FileID: a.FileID, Reason: a.Reason}
		if a.FileID != "" {
			model.Links.Annotated = path(model.JobID) + "/annotated.pdf"
		}
	}
	if summary.Pictures != nil {
		model.Links.Pages = path(model.JobID) + "/pages"
	}
}

func names(fixes []report.Fix) []string {
	all := make([]string, len(fixes))
	for i, fix := range fixes {
		all[i] = string(fix)
	}
	return all
}

func failureOf(failure preflightjob.Failure) *Failure {
	return &Failure{Code: string(failure.Code), Detail: failure.Detail, UpstreamStatus: failure.UpstreamStatus}
}
