// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
)

// The media types of a report, the best first.
const (
	MediaJSON = "application/json"
	MediaHTML = "text/html;charset=utf-8"
	MediaPDF  = "application/pdf"
	MediaXFDF = report.XFDFMediaType
)

// preferredLanguage returns the language of a response by Accept-Language, and lets caches
// keep one copy for each language.
func preferredLanguage(c *gate.Call) string {
	varyByLanguage(c)
	return acceptedLanguage(c.Request)
}

// varyByLanguage states that the response depends on Accept-Language (RFC 9110, 12.5.5).
func varyByLanguage(c *gate.Call) {
	header := c.Writer.Header()
	header["Vary"] = []string{strings.Join(append(header["Vary"], "Accept-Language"), ", ")}
}

func acceptedLanguage(r *http.Request) string {
	return report.MatchLanguage(strings.Join(r.Header["Accept-Language"], ","))
}

// LanguageOf returns the language of the report that a request selects: by the parameter lang or,
// without it, by Accept-Language. For an unknown lang, it returns a problem and the language of
// Accept-Language.
func LanguageOf(r *http.Request) (string, error) {
	selected, given := r.URL.Query()["lang"]
	switch {
	case !given:
		return acceptedLanguage(r), nil
	case len(selected) == 1 && slices.Contains(report.Languages(), selected[0]):
		return selected[0], nil
	default:
		return acceptedLanguage(r), problem.New(problem.CodeInvalidRequest, "The parameter lang must be %s.", strings.Join(report.Languages(), " or "))
	}
}

// GetPreflightReport serves GET /api/v1/preflight/{jobId}/report.
func (s *surface) GetPreflightReport(c *gate.Call, jobID JobID, _ GetPreflightReportParams) (GetPreflightReportResponseObject, error) {
	varyByLanguage(c)
	language, err := LanguageOf(c.Request)
	if err != nil {
		return nil, err
	}
	shown, err := Show(c.Context(), s.Jobs, c.Tenant(), jobID, Form{MediaType: c.MediaType, Language: language})
	if err != nil {
		return nil, s.problemOf(err)
	}
	// The stored report never changes, but its representations may in a later release.
	sum := sha256.Sum256(shown.Body)
	if c.Revalidate(`"report-` + hex.EncodeToString(sum[:16]) + `"`) {
		return GetPreflightReport304Response{}, nil
	}
	answer := GetPreflightReport200ApplicationResponse{
		Body: shown.Body, ContentType: c.MediaType, Headers: GetPreflightReport200ResponseHeaders{ContentLanguage: shown.Language},
	}
	if shown.Policy != "" {
		answer.Headers.ContentSecurityPolicy = &shown.Policy
	}
	return answer, nil
}

// Form selects a representation of a report.
type Form struct {
	MediaType, Language string
	// PDF is the address of the PDF that a page links; see [view.Options].
	PDF string
}

// Representation is a report in one media type and language.
type Representation struct {
	Body      []byte
	MediaType string
	// Language is the language of the texts.
	Language string
	// Policy is the Content-Security-Policy of a page; empty for other media types.
	Policy string
}

// Reports reads the report of a job, and what its representations show with it. Package preflightjob
// implements it.
type Reports interface {
	Get(ctx context.Context, owner tenant.ID, id string) (preflightjob.Job, error)
	Report(ctx context.Context, owner tenant.ID, id string) ([]byte, error)
	Pictures(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
}

// Show returns the report of a job in a form. Its errors are those of the
// [preflightjob.Service] and of [Represent].
func Show(ctx context.Context, jobs Reports, owner tenant.ID, id string, form Form) (Representation, error) {
	stored, err := jobs.Report(ctx, owner, id)
	if err != nil {
		return Representation{}, err
	}
	options := view.Options{Languages: true, PDF: form.PDF}
	if form.MediaType == MediaHTML || form.MediaType == MediaPDF {
		job, err := jobs.Get(ctx, owner, id)
		if err != nil {
			return Representation{}, err
		}
		options.Name, options.Made = job.FileName(), job.FinishedAt
		pictures, err := OpenPictures(ctx, jobs, owner, id)
		switch {
		case err == nil:
			defer pictures.Close()
			options.Pictures = pictures.Set
		case !WithoutPictures(err):
			return Representation{}, err
		}
	}
	return Represent(stored, form.MediaType, form.Language, options)
}

// writers write a report in a media type.
var writers = map[string]func(io.Writer, report.Report, view.Options) error{
	MediaHTML: view.HTML,
	MediaPDF:  view.PDF,
	MediaXFDF: func(w io.Writer, r report.Report, _ view.Options) error { return report.XFDF(w, r) },
	MediaJSON: writeJSON,
} // constant

func writeJSON(w io.Writer, r report.Report, _ view.Options) error {
	encoded, err := report.Encode(r)
	if err != nil {
		return err
	}
	_, err = w.Write(encoded)
	return err
}

// Represent returns a stored report in a media type and a language. JSON in English is
// the stored report, byte for byte, and so is JSON of a report that this release cannot
// read, such as one of a later release. Represent fails for other media types of such a
// report.
func Represent(stored []byte, mediaType, language string, options view.Options) (Representation, error) {
	english := report.Languages()[0]
	if mediaType == MediaJSON && language == english {
		return Representation{Body: stored, MediaType: MediaJSON, Language: english}, nil
	}
	made, err := report.Decode(stored)
	if err != nil && mediaType == MediaJSON {
		return Representation{Body: stored, MediaType: MediaJSON, Language: english}, nil
	}
	if err != nil {
		return Representation{}, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	made = report.Localize(made, language)
	var out bytes.Buffer
	if err := writers[mediaType](&out, made, options); err != nil {
		return Representation{}, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	shown := Representation{Body: out.Bytes(), MediaType: mediaType, Language: cmp.Or(made.Language, english)}
	if mediaType == MediaHTML {
		shown.Policy = view.Policy()
	}
	return shown, nil
}
