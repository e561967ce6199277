// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

const tourPath = "/tour"

// Tour configures the guided tour of a platform that runs on the visitor's machine.
type Tour struct {
	// Environment is the path of dev.env, Resources that of the directory of manifests.
	Environment, Resources string
	// Product and Category identify a product of the catalogue. File is the URL of a PDF that
	// passes, and Flawed that of a PDF with findings.
	Product, Category, File, Flawed string
}

// tourBody is the tour with the progress of the visitor.
type tourBody struct {
	APIURL string
	// Environment and Rollout are quoted for a shell.
	Environment, Rollout            string
	Product, Category, File, Flawed string
	// SignedIn reports whether the visitor has signed in. The other parts are empty without it.
	SignedIn bool
	// Request is the latest RFQ since the sign-in, with its quotes; nil for none.
	Request *tourRequest
	// Inspected are the latest jobs of the two PDFs since the sign-in.
	Inspected []tourJob
	// Killed reports whether the kill switch of rfq-create is engaged now. Refused is the
	// latest request for quotes that got 503 since the sign-in; nil for none.
	Killed  bool
	Refused *requestlog.Entry
	Docs    bool
	// Operators reports whether there are pages for operators.
	Operators bool
}

// tourRequest is an RFQ with its valid quotes.
type tourRequest struct {
	rfq.RFQ
	Quotes []rfq.Quote
}

// tourJob is a job with the summary of its report and its most important findings.
type tourJob struct {
	preflightjob.Job
	report.Summary
	Findings []report.Finding
}

// tried reports whether a job has inspected a file.
func (b *tourBody) tried(file string) bool {
	return slices.ContainsFunc(b.Inspected, func(j tourJob) bool { return j.FileURL.String() == file && j.Status == preflightjob.Succeeded })
}

// tour serves the guided tour, also to visitors who have not signed in.
func (s *server) tour(v *visit) response {
	body := tourBody{
		APIURL: s.APIURL, Environment: quoted(s.Tour.Environment),
		Rollout: quoted(filepath.Join(s.Tour.Resources, "rollouts", posture.RFQCreate.String()+".yaml")),
		Product: s.Tour.Product, Category: s.Tour.Category, File: s.Tour.File, Flawed: s.Tour.Flawed, Docs: s.Docs, Operators: s.Ops != nil,
	}
	if s.resumeIfAny(v) {
		if refused := s.limit(v, posture.SurfacePartner); refused != nil {
			return *refused
		}
		if err := s.addProgress(v, &body); err != nil {
			return failed(err)
		}
	}
	const title = "A tour in five steps"
	page := show(pageTour, title, tourPage(title, body))
	page.script = tourFile
	return page
}

// addProgress finds out which steps the visitor has done since the sign-in. Older records are
// not of this tour.
func (s *server) addProgress(v *visit, body *tourBody) error {
	body.SignedIn = true
	body.Killed = v.Decide(posture.RFQCreate, true).Reason == posture.ReasonKilled
	owner := v.caller.Tenant()
	if v.Decide(posture.RFQList, false).Allowed() && v.Decide(posture.QuoteRead, false).Allowed() {
		if err := s.addRequest(v, owner, body); err != nil {
			return err
		}
	}
	if v.Decide(posture.Preflight, false).Allowed() {
		if err := s.addInspected(v, owner, body); err != nil {
			return err
		}
	}
	refused, err := s.Records.Requests(v.Context(), requestlog.Query{Owner: owner, Code: string(problem.CodeRFQUnavailable), Since: v.session.SignedIn, Limit: 1})
	if err == nil && len(refused) > 0 {
		body.Refused = &refused[0]
	}
	return err
}

// addRequest adds the latest RFQ, unless it is older than the sign-in.
func (s *server) addRequest(v *visit, owner tenant.ID, body *tourBody) error {
	list, err := s.RFQs.List(v.Context(), owner, rfq.Page{Limit: 1})
	if err != nil || len(list.Items) == 0 || list.Items[0].CreatedAt.Before(v.session.SignedIn) {
		return err
	}
	body.Request = &tourRequest{RFQ: list.Items[0]}
	quotes, err := s.RFQs.Quotes(v.Context(), owner, body.Request.ID)
	if err != nil {
		return err
	}
	for _, quote := range quotes[:min(len(quotes), quotesOnPage)] {
		if quote.Status != rfq.QuoteSuperseded && quote.Status != rfq.QuoteWithdrawn {
			body.Request.Quotes = append(body.Request.Quotes, quote)
		}
	}
	return nil
}

// Limits of the third step: how many jobs are searched for those of the two PDFs, and how many
// findings of a job are listed.
const (
	tourJobs     = 20
	tourFindings = 5
)

// addInspected adds the latest jobs of the two PDFs since the sign-in, the flawed one first.
func (s *server) addInspected(v *visit, owner tenant.ID, body *tourBody) error {
	list, err := s.Jobs.List(v.Context(), owner, preflightjob.Page{Limit: tourJobs})
	if err != nil {
		return err
	}
	for _, file := range []string{body.Flawed, body.File} {
		at := slices.IndexFunc(list.Items, func(j preflightjob.Job) bool {
			return j.FileURL.String() == file && !j.SubmittedAt.Before(v.session.SignedIn)
		})
		if at < 0 {
			continue
		}
		job := tourJob{Job: list.Items[at]}
		if job.Status == preflightjob.Succeeded {
			text, err := s.Jobs.Report(v.Context(), owner, job.ID)
			if err != nil {
				return err
			}
			var made report.Report
			if err := json.Unmarshal(text, &made); err != nil {
				return fmt.Errorf("read the report of %s: %w", job.ID, err)
			}
			job.Summary = made.Summary
			for _, f := range made.Findings {
				if f.Severity != report.Info && len(job.Findings) < tourFindings {
					job.Findings = append(job.Findings, f)
				}
			}
		}
		body.Inspected = append(body.Inspected, job)
	}
	return nil
}

// quoted quotes a word for a POSIX shell, if the word needs quotes.
func quoted(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
