// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"encoding/json"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/jobs"
	"github.com/printmarket/printmarket/internal/tenant"
)

// jobView is a job as partners see it. The file's URL is not in it: its query
// may be a credential, and the partner knows it.
type jobView struct {
	JobID       string           `json:"jobId"`
	Status      jobs.Status      `json:"status"`
	Profile     string           `json:"profile"`
	SubmittedAt respond.Instant  `json:"submittedAt"`
	StartedAt   *respond.Instant `json:"startedAt,omitempty"`
	FinishedAt  *respond.Instant `json:"finishedAt,omitempty"`
	ExpiresAt   respond.Instant  `json:"expiresAt"`
	Attempt     int              `json:"attempt"`
	LiveMode    bool             `json:"livemode"`
	Progress    *progressView    `json:"progress,omitempty"`
	Verdict     jobs.Verdict     `json:"verdict,omitempty"`
	Result      json.RawMessage  `json:"result,omitempty"`
	Failure     *failureView     `json:"failure,omitempty"`
	Links       linksView        `json:"links"`
}

type progressView struct {
	PagesDone  int `json:"pagesDone"`
	PagesTotal int `json:"pagesTotal"`
}

type failureView struct {
	Code   jobs.FailureCode `json:"code"`
	Detail string           `json:"detail"`
}

type linksView struct {
	Self   string `json:"self"`
	Report string `json:"report,omitempty"`
}

func path(id string) string { return "/api/v1/preflight/" + id }

// viewOf shows a job; report is nil unless the job has succeeded.
func viewOf(job jobs.Job, report []byte) jobView {
	v := jobView{
		JobID: job.ID, Status: job.Status, Profile: job.Profile,
		SubmittedAt: respond.Instant(job.SubmittedAt), StartedAt: respond.Since(job.StartedAt),
		FinishedAt: respond.Since(job.FinishedAt), ExpiresAt: respond.Instant(job.ExpiresAt),
		Attempt: job.Attempt, LiveMode: job.Tenant.Mode == tenant.Live,
		Verdict: job.Verdict, Result: report,
		Links: linksView{Self: path(job.ID)},
	}
	if job.Progress.PagesTotal > 0 {
		v.Progress = &progressView{PagesDone: job.Progress.PagesDone, PagesTotal: job.Progress.PagesTotal}
	}
	if job.Status == jobs.Failed {
		v.Failure = &failureView{Code: job.Failure.Code, Detail: job.Failure.Detail}
	}
	if job.Status == jobs.Succeeded {
		v.Links.Report = path(job.ID) + "/report"
	}
	return v
}
