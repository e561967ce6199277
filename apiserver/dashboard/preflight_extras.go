// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// extrasBody holds the documents beside the report of a job; nil for none.
type extrasBody struct {
	Fixes      *report.FixLog
	Comparison *report.Comparison
}

// extras reads the documents of a job. It ignores the members of a later release.
func (s *server) extras(v *visit, job *preflightjob.Job) (body extrasBody, err error) {
	if job.Summary == nil {
		return body, nil
	}
	if job.Summary.Fix != nil {
		body.Fixes = new(report.FixLog)
		err = s.readDocument(v, Jobs.FixLog, job.ID, body.Fixes)
	}
	if job.Summary.Comparison != nil && err == nil {
		body.Comparison = new(report.Comparison)
		err = s.readDocument(v, Jobs.Comparison, job.ID, body.Comparison)
	}
	return body, err
}

// document reads a document of a job.
type document func(jobs Jobs, ctx context.Context, owner tenant.ID, id string) ([]byte, error)

func (s *server) readDocument(v *visit, read document, id string, into any) error {
	stored, err := read(s.Jobs, v.Context(), v.caller.Tenant(), id)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(stored, into); err != nil {
		return fmt.Errorf("read the document of job %s: %w", id, err)
	}
	return nil
}

// documentOf serves a document of a job as a file.
func (s *server) documentOf(read document, name string) handler {
	return func(v *visit) response {
		id := v.PathValue("id")
		stored, err := read(s.Jobs, v.Context(), v.caller.Tenant(), id)
		if err != nil {
			return failedJob(err)
		}
		return response{send: func(w http.ResponseWriter) *response {
			header := w.Header()
			header.Set("Content-Type", preflightapi.MediaJSON)
			header.Set("Content-Length", strconv.Itoa(len(stored)))
			header.Set("Content-Disposition", `attachment; filename="`+id+"-"+name+`.json"`)
			_, _ = w.Write(stored) // fails only if the client has gone
			return nil
		}}
	}
}

// fileCopy serves a copy of the file of a job as the API does, as a stream.
func (s *server) fileCopy(kind string, open func(Jobs, context.Context, tenant.ID, string) (preflightjob.File, *os.File, error)) handler {
	return func(v *visit) response {
		file, content, err := open(s.Jobs, v.Context(), v.caller.Tenant(), v.PathValue("id"))
		if err != nil {
			return failedJob(err)
		}
		return s.streamCopy(v, kind, file, content)
	}
}

func (s *server) streamCopy(v *visit, kind string, file preflightjob.File, content *os.File) response {
	return response{send: func(w http.ResponseWriter) *response {
		defer func() { _ = content.Close() }()
		preflightapi.CopyFields(w.Header(), v.PathValue("id"), kind, file)
		if v.Method == http.MethodHead {
			w.WriteHeader(http.StatusOK)
			return nil
		}
		stream, refused := s.Streams.Open(w, v.Request, v.caller.Tenant().Organization, listener, s.Metrics)
		if refused != nil {
			w.Header().Del("Content-Length")
			w.Header().Del("Content-Disposition")
			page := problemPage(refused)
			return &page
		}
		defer stream.Close()
		preflightapi.CopyFile(stream, content)
		return nil
	}}
}

// requestedFixes is the selection of fixes in words.
func requestedFixes(fixes preflightjob.Fixes) string {
	if fixes == preflightjob.FixAuto {
		return "all that are possible"
	}
	titles := make([]string, len(fixes.Names()))
	for i, fix := range fixes.Names() {
		titles[i] = fixTitle(fix)
	}
	return strings.Join(titles, "; ")
}

// printingCondition is the printing condition of a job in words.
func printingCondition(output *preflightjob.Output) string {
	var parts []string
	for _, part := range []string{output.Condition, prefixed("ICC profile ", output.ProfileFile), prefixed("rendering intent ", output.Intent)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// annotatedCopy is the state of the annotated copy of a job in words.
func annotatedCopy(job *preflightjob.Job) string {
	switch {
	case job.Summary == nil || job.Summary.Annotated == nil:
		return "requested (" + job.Annotate + ")"
	case job.Summary.Annotated.FileID != "":
		return "available (" + job.Annotate + ")"
	default:
		return "none: " + job.Summary.Annotated.Reason
	}
}

// fixTitle describes a fix; that of a later release is its name.
func fixTitle(fix report.Fix) string {
	if !slices.Contains(report.Fixes(), fix) {
		return string(fix)
	}
	return report.FixTitle(fix, report.Languages()[0])
}

// fixRow is a row of the table of fixes.
type fixRow struct{ Fix, Result, Details string }

// fixRows lists the applied fixes, then those that were not possible.
func fixRows(log *report.FixLog) (rows []fixRow) {
	for _, applied := range log.Applied {
		var places []string
		for _, change := range applied.Changes {
			place := change.Name
			if change.Page > 0 {
				place = "page " + strconv.Itoa(change.Page) + ": " + change.Name
			}
			if !slices.Contains(places, place) && len(places) < placesShown {
				places = append(places, place)
			}
		}
		rows = append(rows, fixRow{fixTitle(applied.Fix), "applied", strings.Join(places, ", ")})
	}
	for _, skipped := range log.Skipped {
		reason := string(skipped.Reason)
		if slices.Contains(report.FixReasons(), skipped.Reason) {
			reason = skipped.Text(report.Languages()[0])
		}
		rows = append(rows, fixRow{fixTitle(skipped.Fix), "not possible", reason})
	}
	return rows
}

// placesShown bounds the places in a row.
const placesShown = 10

// comparisonResult is the result of a comparison in words.
func comparisonResult(made *report.Comparison) string {
	pages := len(made.Changed) + made.Omitted
	switch {
	case made.Failure != "":
		return "The comparison was not completed (" + made.Failure + ")."
	case made.Same:
		return "The files are the same."
	case pages == 0:
		return "The files differ, but not on their pages."
	default:
		return "Pages that differ: " + strconv.Itoa(pages) + "."
	}
}

// comparisonRow is a row of the table of differences.
type comparisonRow struct{ Place, Differences string }

// comparisonRows lists the differences of the document, then those of each page.
func comparisonRows(made *report.Comparison) (rows []comparisonRow) {
	var whole []string
	for _, change := range made.Document {
		whole = append(whole, change.Name)
	}
	for _, list := range []struct {
		name  string
		names report.Names
	}{{"font", made.Fonts}, {"colour", made.Colors}, {"ink", made.Inks}, {"layer", made.Layers}} {
		for _, name := range list.names.Removed {
			whole = append(whole, "without "+list.name+" "+name)
		}
		for _, name := range list.names.Added {
			whole = append(whole, "new "+list.name+" "+name)
		}
	}
	if len(whole) > 0 {
		rows = append(rows, comparisonRow{"Document", strings.Join(whole, ", ")})
	}
	for i := range made.Changed[:min(len(made.Changed), pagesShown)] {
		page := &made.Changed[i]
		var words []string
		switch page.Only {
		case "before":
			words = append(words, "the page is missing after the change")
		case "after":
			words = append(words, "the page is new after the change")
		}
		for _, box := range page.Boxes {
			words = append(words, box.Name)
		}
		for _, ink := range page.Inks {
			words = append(words, fmt.Sprintf("%s on %.4g cm²", ink.Name, ink.Area/100))
		}
		rows = append(rows, comparisonRow{"Page " + strconv.Itoa(page.Page), strings.Join(words, ", ")})
	}
	return rows
}

// pagesShown bounds the pages in the table; the data has all.
const pagesShown = 50
