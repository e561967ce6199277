// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/transaction"
)

// sharedPath is the pattern of shared reports. Logs contain it instead of the token.
const sharedPath = preflightapi.SharedPath + "{token}"

// SharedJobs reads jobs whose report is shared. Package preflightjob implements it.
type SharedJobs interface {
	Shared(ctx context.Context, token string) (preflightjob.Job, error)
	preflightapi.Reports
}

// sharedReports serves the reports of shared jobs as pages. A token replaces the key. An invalid
// token, and a job whose partner cannot use preflight now, have the same response.
type sharedReports struct {
	API
	clients *gate.ClientLimiter
}

// missingReport is the page of a link that does not show a report. It is the same for every reason.
//
//go:embed shared_missing.html
var missingReport []byte

// ServeHTTP serves GET and HEAD /shared/{token}.
func (s *sharedReports) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if x := respond.Of(w); x != nil {
		x.Route = sharedPath
	}
	gate.LeaveBody(w, r)
	header := w.Header()
	header.Set("Cache-Control", "private, no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Vary", "Accept, Accept-Language")
	shown, err := s.report(r)
	if err != nil {
		refusal := problem.Of(err)
		if refusal.Cause != nil {
			s.Log.WarnContext(r.Context(), "shared report", "code", refusal.Code, "error", refusal.Cause)
		}
		// A browser prefers the page; a client without a preference gets the problem.
		offers := []string{"application/problem+json", preflightapi.MediaHTML}
		if refusal.Code == problem.CodeNotFound && gate.Negotiate(r.Header["Accept"], offers) == preflightapi.MediaHTML {
			header.Set("Content-Security-Policy", missingPolicy())
			s.Problems.WritePage(w, refusal.Code, missingReport)
			return
		}
		s.Problems.Write(w, refusal)
		return
	}
	if shown.Policy != "" {
		header.Set("Content-Security-Policy", shown.Policy)
	} else {
		header.Set("Content-Disposition", `attachment; filename="report.pdf"`)
	}
	header.Set("Content-Language", shown.Language)
	respond.Bytes(w, http.StatusOK, shown.MediaType, shown.Body)
}

// missingPolicy returns the Content-Security-Policy of missingReport: only its own style sheet applies.
func missingPolicy() string {
	_, after, _ := bytes.Cut(missingReport, []byte("<style>"))
	style, _, _ := bytes.Cut(after, []byte("</style>"))
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// report returns the page of a shared report, or a problem.
func (s *sharedReports) report(r *http.Request) (preflightapi.Representation, error) {
	now, none := s.Now(), preflightapi.Representation{}
	if wait := s.clients.Take(gate.ClientOf(r.RemoteAddr, r.Header["X-Forwarded-For"]), "shared", now); wait > 0 {
		return none, problem.New(problem.CodeOverloaded, "Your address has sent too many requests.").After(wait)
	}
	job, err := s.Shared.Shared(r.Context(), chi.URLParam(r, "token"))
	if err != nil {
		return none, sharedProblem(err)
	}
	// Without a snapshot, no organization has a caller.
	snapshot := s.Gates.Current(now)
	caller, known := snapshot.Behalf(job.Tenant, now)
	if !known || !snapshot.DecideScope(caller, posture.Preflight, posture.NoScope, now).Allowed() {
		return none, sharedProblem(transaction.ErrNotFound)
	}
	form := preflightapi.Form{MediaType: preflightapi.MediaHTML, PDF: "?format=pdf&"}
	if r.URL.Query().Get("format") == "pdf" {
		form.MediaType = preflightapi.MediaPDF
	}
	form.Language, _ = preflightapi.LanguageOf(r) // visitors see a report also for an unknown parameter lang
	shown, err := preflightapi.Show(r.Context(), s.Shared, job.Tenant, job.ID, form)
	if err != nil {
		return none, sharedProblem(err)
	}
	return shown, nil
}

// sharedProblem returns the problem of an error of reading a shared report.
func sharedProblem(err error) error {
	if errors.Is(err, transaction.ErrNotFound) || preflightapi.Unreadable(err) != nil {
		return problem.New(problem.CodeNotFound, "There is no shared report at this address. The link is incomplete, has expired or was revoked.")
	}
	if p := respond.StoreProblem(err, problem.CodePreflightQuotaExceeded); p != nil {
		return p
	}
	return err
}
