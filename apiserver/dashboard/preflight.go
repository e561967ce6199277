// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// Jobs reads preflight jobs and shares their reports. Package preflightjob implements it.
type Jobs interface {
	preflightapi.Reports
	Share(ctx context.Context, owner tenant.ID, id string, lifetime time.Duration) (preflightjob.Share, error)
	Shares(ctx context.Context, owner tenant.ID, id string) (preflightjob.Shares, error)
	Unshare(ctx context.Context, owner tenant.ID, id, shareID string) error
	List(ctx context.Context, owner tenant.ID, page preflightjob.Page) (preflightjob.List, error)
	FixLog(ctx context.Context, owner tenant.ID, id string) ([]byte, error)
	FixedFile(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
	AnnotatedFile(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
	Comparison(ctx context.Context, owner tenant.ID, id string) ([]byte, error)
}

const (
	// jobsPath is the path of the list of jobs and of its form.
	jobsPath = "/preflight"
	// viewerStyle is the path of the style sheet of pages of files.
	viewerStyle = "/viewer.css"
	// jobsOnPage bounds the rows of the list.
	jobsOnPage = 50
)

// preflightRoutes are the pages of preflight. They count as requests to its surface.
func (s *server) preflightRoutes() []route {
	const one = "/preflight/{id}"
	page := func(next handler) handler { return s.requirePartner(posture.SurfacePreflight, requirePreflight(next)) }
	write := func(next handler) handler { return page(requirePreflightWrite(next)) }
	// Following a job does not renew the session.
	follow := s.requireScope(posture.ScopeAccountRead, posture.SurfacePreflight, requirePreflight(s.followJob))
	return []route{
		{pattern: jobsPath, get: page(s.listJobs), post: page(s.submitFile)},
		{pattern: one, get: page(s.showJob)},
		{pattern: one + "/pages/{page}", part: page(s.pagePicture)},
		{pattern: one + "/shares", post: write(s.shareReport)},
		{pattern: one + "/shares/{share}/revoke", post: write(s.revokeShare)},
		{pattern: one + "/report", get: page(s.reportAs(preflightapi.MediaHTML, ""))},
		{pattern: one + "/report.pdf", get: page(s.reportAs(preflightapi.MediaPDF, ".pdf"))},
		{pattern: one + "/report.json", get: page(s.reportAs(preflightapi.MediaJSON, ".json"))},
		{pattern: one + "/report.xfdf", get: page(s.reportAs(preflightapi.MediaXFDF, ".xfdf"))},
		{pattern: one + "/fixed.pdf", get: page(s.fileCopy(preflightapi.FixedCopy, Jobs.FixedFile))},
		{pattern: one + "/annotated.pdf", get: page(s.fileCopy(preflightapi.AnnotatedCopy, Jobs.AnnotatedFile))},
		{pattern: one + "/fixes.json", get: page(s.documentOf(Jobs.FixLog, "fixes"))},
		{pattern: one + "/comparison.json", get: page(s.documentOf(Jobs.Comparison, "comparison"))},
		{pattern: one + "/progress", part: follow},
	}
}

// requirePreflight restricts a page to callers that may read jobs by the API.
func requirePreflight(next handler) handler {
	return func(v *visit) response {
		if refused := v.refused(posture.Preflight); refused != nil {
			return *refused
		}
		return next(v)
	}
}

// jobsBody holds one page of jobs, newest first.
type jobsBody struct {
	// Status selects jobs; empty for all.
	Status preflightjob.Status
	Jobs   []preflightjob.Job
	// First is the path of the first page, set on later pages. Older is the path of the
	// next page; empty on the last.
	First, Older string
	// Upload is the form of a new job.
	Upload uploadBody
}

// listJobs serves the list of jobs.
func (s *server) listJobs(v *visit) response {
	query := v.URL.Query()
	page := preflightjob.Page{Limit: jobsOnPage, Cursor: query.Get("cursor")}
	status := preflightjob.Status(query.Get("status"))
	if status != "" {
		if !slices.Contains(preflightjob.Statuses(), status) {
			return problemPage(problem.New(problem.CodeInvalidRequest, "The parameter status must be queued, processing, succeeded, failed or cancelled."))
		}
		page.Statuses = []preflightjob.Status{status}
	}
	list, err := s.Jobs.List(v.Context(), v.caller.Tenant(), page)
	if errors.Is(err, preflightjob.ErrInvalidPage) {
		err = gate.BadPage(err)
	}
	if err != nil {
		return failed(err)
	}
	body := jobsBody{Status: status, Jobs: list.Items}
	own := url.Values{}
	if status != "" {
		own.Set("status", string(status))
	}
	if page.Cursor != "" {
		body.First = jobsPath + "?" + own.Encode()
	}
	if list.NextCursor != "" {
		own.Set("cursor", list.NextCursor)
		body.Older = jobsPath + "?" + own.Encode()
	}
	if body.Upload, err = s.uploadForm(v); err != nil {
		return failed(err)
	}
	r := show(pageJobs, "Preflight", jobsPage(body))
	if body.Upload.Missing == "" {
		r.script = uploadFile
	}
	return r
}

func jobPath(id string) string { return jobsPath + "/" + url.PathEscape(id) }

// fileName names the file of a job in lists.
func fileName(job *preflightjob.Job) string {
	name := job.FileName()
	switch characters := []rune(job.FileURL.String()); {
	case name != "":
		return name
	case job.FileURL.FileID() != "":
		return "Uploaded file"
	case len(characters) > textShown:
		// An address ends with the name of the file.
		return "…" + string(characters[len(characters)-textShown:])
	default:
		return job.FileURL.String()
	}
}

// jobWords are the words of the pages for verdicts, and for the status of a job without one.
var jobWords = map[string]string{
	string(preflightjob.Pass): "ready for print", string(preflightjob.Warn): "check", string(preflightjob.Fail): "not ready for print",
	string(preflightjob.Failed): "could not be inspected",
} // constant

// wordFor returns the word of the pages for a verdict or a status.
func wordFor[S ~string](value S) string { return cmp.Or(jobWords[string(value)], string(value)) }

// resultOf returns the verdict of a job or, without one, its status.
func resultOf(job *preflightjob.Job) string {
	return wordFor(cmp.Or(string(job.Verdict), string(job.Status)))
}

// took returns the running time of a job; empty if the job has not run or still runs.
func took(job *preflightjob.Job) string {
	if job.StartedAt.IsZero() || job.FinishedAt.IsZero() {
		return ""
	}
	return lasted(job.FinishedAt.Sub(job.StartedAt))
}

// showJob serves one job.
func (s *server) showJob(v *visit) response {
	return s.job(v, http.StatusOK, sharesBody{Done: outcomes[v.URL.Query().Get(doneField)]})
}

// job shows the page of the job that the path names. The page of a running job refreshes by its script
// or, without scripts, as a whole.
func (s *server) job(v *visit, status int, shares sharesBody) response {
	job, err := s.Jobs.Get(v.Context(), v.caller.Tenant(), v.PathValue("id"))
	if err != nil {
		return failedJob(err)
	}
	extras, err := s.extras(v, &job)
	if err != nil {
		return failedJob(err)
	}
	body := jobBody{Title: cmp.Or(job.FileName(), "Preflight job"), Job: &job, extrasBody: extras}
	if job.Status == preflightjob.Succeeded {
		if body.Report, err = s.reportBody(v, job.ID); err != nil {
			return failedJob(err)
		}
		if shares.Valid, err = s.Jobs.Shares(v.Context(), v.caller.Tenant(), job.ID); err != nil {
			return failedJob(err)
		}
		shares.Address = s.APIURL + preflightapi.SharedPath
		shares.Write = v.Decide(posture.Preflight, true).Allowed()
		body.Shares = &shares
	}
	r := show(pageJob, body.Title, jobPage(&body))
	if r.status = status; !job.Status.Terminal() {
		r.script = progressFile
	}
	return r
}

// ordered is a ticket in words.
func ordered(ticket *jobticket.Ticket) string {
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
	for _, side := range []struct {
		name   string
		colors *jobticket.Colors
	}{{"", ticket.Colors}, {"back: ", ticket.BackColors}} {
		if side.colors != nil {
			words = append(words, side.name+"process colours: "+strconv.Itoa(int(side.colors.Process)))
			for _, spot := range side.colors.Spots {
				words = append(words, side.name+"spot colour "+spot)
			}
		}
	}
	if ticket.Part != "" {
		words = append(words, "part: "+string(ticket.Part))
	}
	if ticket.Binding != "" {
		words = append(words, "binding: "+string(ticket.Binding))
	}
	if ticket.Spine > 0 {
		words = append(words, "spine: "+millimetres(ticket.Spine)+" mm")
	}
	if ticket.Bleed != nil {
		words = append(words, "bleed: "+millimetres(*ticket.Bleed)+" mm")
	}
	if stock := ticket.Stock; stock != nil {
		if stock.Surface != "" {
			words = append(words, "stock: "+string(stock.Surface))
		}
		if stock.Weight > 0 {
			words = append(words, "stock: "+strconv.FormatFloat(stock.Weight, 'f', -1, 64)+" g/m²")
		}
	}
	if ticket.Varnish != "" {
		words = append(words, "varnish: "+string(ticket.Varnish))
	}
	if ticket.RFQID != "" {
		words = append(words, "for RFQ "+ticket.RFQID)
	}
	return strings.Join(words, "; ")
}

func millimetres(length float64) string { return strconv.FormatFloat(length, 'f', -1, 64) }

// reportAs serves the report of a job in a media type. With an extension, browsers save
// the report as a file.
func (s *server) reportAs(mediaType, extension string) handler {
	return func(v *visit) response {
		id := v.PathValue("id")
		language, err := preflightapi.LanguageOf(v.Request)
		if err != nil {
			return problemPage(problem.Of(err))
		}
		form := preflightapi.Form{MediaType: mediaType, Language: language, PDF: "report.pdf?"}
		made, err := preflightapi.Show(v.Context(), s.Jobs, v.caller.Tenant(), id, form)
		if err != nil {
			return failedJob(err)
		}
		return response{send: func(w http.ResponseWriter) *response {
			header := w.Header()
			header.Set("Content-Type", mediaType)
			header.Set("Content-Language", made.Language)
			header.Add("Vary", "Accept-Language")
			header.Set("Content-Length", strconv.Itoa(len(made.Body)))
			if extension != "" {
				header.Set("Content-Disposition", `attachment; filename="`+id+extension+`"`)
			}
			if made.Policy != "" {
				header.Set("Content-Security-Policy", made.Policy+"; frame-ancestors 'none'")
			}
			_, _ = w.Write(made.Body) // fails only if the client has gone
			return nil
		}}
	}
}

// failedJob is the response to an error about a job.
func failedJob(err error) response {
	if p := preflightapi.Unreadable(err); p != nil {
		return problemPage(p)
	}
	return failed(err)
}
