// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Jobs is what is needed of package jobs.
type Jobs interface {
	Get(ctx context.Context, who tenant.ID, id string) (preflightjob.Job, error)
	List(ctx context.Context, who tenant.ID, page preflightjob.Page) (preflightjob.List, error)
	Report(ctx context.Context, who tenant.ID, id string) ([]byte, error)
}

// jobsOnPage bounds what one page shows.
const jobsOnPage = 50

// jobsBody is one page of preflight jobs, the newest first.
type jobsBody struct {
	// Status is the one that the list is narrowed to; empty: any.
	Status preflightjob.Status
	Rows   []jobRow
	// First is the list from its beginning, set on later pages; Older is the next
	// page; empty on the last.
	First, Older string
}

type jobRow struct {
	File, Path, Profile, Took string
	Status                    preflightjob.Status
	Verdict                   preflightjob.Verdict
	Submitted                 instant
}

// preflightRoutes are the pages of preflight. They count as requests to its surface.
func (b *board) preflightRoutes() []route {
	const one = "/preflight/{id}"
	page := func(serve action) action { return b.memberOf(posture.SurfacePreflight, reads(serve)) }
	return []route{
		{pattern: "/preflight", get: page(b.listJobs)},
		{pattern: one, get: page(b.showJob)},
		{pattern: one + "/report", get: page(b.reportAs(preflightapi.MediaHTML, ""))},
		{pattern: one + "/report.json", get: page(b.reportAs(preflightapi.MediaJSON, ".json"))},
		{pattern: one + "/report.xfdf", get: page(b.reportAs(preflightapi.MediaXFDF, ".xfdf"))},
		// Following a job is not using the dashboard: it does not renew the session.
		{pattern: one + "/progress", get: stays(b.admitted(posture.SurfacePreflight, reads(b.followJob)))},
	}
}

// reads lets those through who may read jobs by the API.
func reads(page action) action {
	return func(v *visit) answer {
		if refused := v.may(posture.Preflight); refused != nil {
			return *refused
		}
		return page(v)
	}
}

// listJobs serves the list.
func (b *board) listJobs(v *visit) answer {
	query := v.URL.Query()
	page := preflightjob.Page{Status: preflightjob.Status(query.Get("status")), Limit: jobsOnPage, Cursor: query.Get("cursor")}
	if page.Status != "" && !slices.Contains(preflightjob.Statuses(), page.Status) {
		return refusal(problem.New(problem.CodeInvalidRequest, "The parameter status is queued, processing, succeeded, failed or cancelled."))
	}
	list, err := b.Jobs.List(v.Context(), v.caller.Tenant(), page)
	if errors.Is(err, preflightjob.ErrInvalidPage) {
		err = gate.BadPage(err)
	}
	if err != nil {
		return failed(err)
	}
	return answer{status: http.StatusOK, page: pageJobs, title: "Preflight", content: jobsPage(jobsOf(page, list))}
}

func jobsOf(page preflightjob.Page, list preflightjob.List) jobsBody {
	body := jobsBody{Status: page.Status}
	query := url.Values{}
	if page.Status != "" {
		query.Set("status", string(page.Status))
	}
	if page.Cursor != "" {
		body.First = "/preflight?" + query.Encode()
	}
	if list.NextCursor != "" {
		query.Set("cursor", list.NextCursor)
		body.Older = "/preflight?" + query.Encode()
	}
	for i := range list.Items {
		job := &list.Items[i]
		profile, _ := shortened(job.Profile)
		body.Rows = append(body.Rows, jobRow{
			File: ending(job.FileURL.String()), Path: jobPath(job.ID), Profile: profile, Took: took(*job),
			Status: job.Status, Verdict: job.Verdict, Submitted: instant(job.SubmittedAt),
		})
	}
	return body
}

func jobPath(id string) string { return "/preflight/" + url.PathEscape(id) }

// ending is a text, or as much of its end as a list shows: an address ends with the
// name of the file.
func ending(text string) string {
	if characters := []rune(text); len(characters) > textShown {
		return "…" + string(characters[len(characters)-textShown:])
	}
	return text
}

// took is how long a job was worked at; empty if nobody did, or somebody still does.
func took(job preflightjob.Job) string {
	if job.StartedAt.IsZero() || job.FinishedAt.IsZero() {
		return ""
	}
	return job.FinishedAt.Sub(job.StartedAt).Round(100 * time.Millisecond).String()
}

// jobBody is one job.
type jobBody struct {
	ID, File, Profile, Took               string
	Status                                preflightjob.Status
	Verdict                               preflightjob.Verdict
	Failure                               preflightjob.Failure
	Tries                                 int
	Progress                              preflightjob.Progress
	Submitted, Started, Finished, Expires instant
	// Ordered is what the file was held against; empty for nothing.
	Ordered []string
	// Open is whether the job has not ended, Report whether there is a report.
	Open, Report bool
	Path         string
}

// showJob serves one job. While it is open the page refreshes, by its one script or,
// where scripts do not run, as a whole.
func (b *board) showJob(v *visit) answer {
	job, err := b.Jobs.Get(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failedJob(err)
	}
	const title = "Preflight of a file"
	return answer{status: http.StatusOK, page: pageJob, title: title, live: !job.Status.Terminal(), content: jobPage(title, bodyOfJob(job))}
}

func bodyOfJob(job preflightjob.Job) jobBody {
	return jobBody{
		ID: job.ID, File: job.FileURL.String(), Profile: job.Profile, Took: took(job), Status: job.Status, Verdict: job.Verdict, Failure: job.Failure,
		Tries: job.Tries, Progress: job.Progress,
		Submitted: instant(job.SubmittedAt), Started: instant(job.StartedAt), Finished: instant(job.FinishedAt), Expires: instant(job.ExpiresAt),
		Ordered: ordered(job.Ticket), Open: !job.Status.Terminal(), Report: job.Status == preflightjob.Succeeded, Path: jobPath(job.ID),
	}
}

// ordered is a ticket in words.
func ordered(ticket *jobticket.Ticket) []string {
	if ticket.Empty() {
		return nil
	}
	var words []string
	if size := ticket.TrimSize; size != nil {
		words = append(words, millimetres(size.Width)+" × "+millimetres(size.Height)+" mm")
	}
	if ticket.Pages > 0 {
		words = append(words, "pages: "+strconv.Itoa(int(ticket.Pages)))
	}
	if ticket.Quantity > 0 {
		words = append(words, "copies: "+strconv.Itoa(int(ticket.Quantity)))
	}
	if colors := ticket.Colors; colors != nil {
		words = append(words, "process colours: "+strconv.Itoa(int(colors.Process)))
		for _, spot := range colors.Spots {
			words = append(words, "spot colour "+spot)
		}
	}
	if ticket.RFQID != "" {
		words = append(words, "for the RFQ "+ticket.RFQID)
	}
	return words
}

func millimetres(length float64) string { return strconv.FormatFloat(length, 'f', -1, 64) }

// reportAs serves the report of a job in a form, to be seen here or, with the ending
// of a name, to be kept.
func (b *board) reportAs(mediaType, ending string) action {
	return func(v *visit) answer {
		id := v.PathValue("id")
		stored, err := b.Jobs.Report(v.Context(), v.caller.Tenant(), id)
		if err != nil {
			return failedJob(err)
		}
		made, err := preflightapi.Represent(stored, mediaType)
		if err != nil {
			return failed(err)
		}
		return answer{send: func(w http.ResponseWriter) *answer {
			header := w.Header()
			header.Set("Content-Type", mediaType)
			header.Set("Content-Length", strconv.Itoa(len(made.Body)))
			if ending != "" {
				header.Set("Content-Disposition", `attachment; filename="`+id+ending+`"`)
			}
			if made.Policy != "" {
				header.Set("Content-Security-Policy", made.Policy+"; frame-ancestors 'none'")
			}
			_, _ = w.Write(made.Body) // who has gone needs no report
			return nil
		}}
	}
}

// failedJob is failed for what is wrong with a job.
func failedJob(err error) answer {
	if p := preflightapi.Unreadable(err); p != nil {
		return refusal(p)
	}
	return failed(err)
}
