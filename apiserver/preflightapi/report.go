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
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/html"
)

// The media types of a report, the best first.
const (
	MediaJSON = "application/json"
	MediaHTML = "text/html;charset=utf-8"
	MediaXFDF = report.XFDFMediaType
)

// preferredLanguage returns the language of a response by Accept-Language, and lets caches
// keep one copy for each language.
func preferredLanguage(c *gate.Call) string {
	header := c.Writer.Header()
	header["Vary"] = []string{strings.Join(append(header["Vary"], "Accept-Language"), ", ")}
	return LanguageOf(c.Request)
}

// LanguageOf returns the language of reports that a request prefers.
func LanguageOf(r *http.Request) string {
	return report.MatchLanguage(strings.Join(r.Header["Accept-Language"], ","))
}

// GetPreflightReport serves GET /api/v1/preflight/{jobId}/report.
func (s *surface) GetPreflightReport(c *gate.Call, jobID JobID) (GetPreflightReportResponseObject, error) {
	stored, err := s.Jobs.Report(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	shown, err := Represent(c.Context(), Stored{Jobs: s.Jobs, Owner: c.Tenant(), ID: jobID, Report: stored}, c.MediaType, preferredLanguage(c))
	if err != nil {
		return nil, err
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

// Representation is a report in one media type and language.
type Representation struct {
	Body []byte
	// Language is the language of the texts.
	Language string
	// Policy is the Content-Security-Policy of a page; empty for other media types.
	Policy string
}

// writers write a report in a media type. Pictures may be nil.
var writers = map[string]func(io.Writer, report.Report, *pageimage.Set) error{
	MediaHTML: html.Write,
	MediaXFDF: func(w io.Writer, r report.Report, _ *pageimage.Set) error { return report.XFDF(w, r) },
	MediaJSON: func(w io.Writer, r report.Report, _ *pageimage.Set) error { return writeJSON(w, r) },
} // constant

// Pictures opens the pictures of the pages of an owned job, as [preflightjob.Service.Pictures] does.
type Pictures interface {
	Pictures(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, *os.File, error)
}

// Stored is the stored report of a job. Jobs opens the pictures for a page of it; it may be nil.
type Stored struct {
	Jobs   Pictures
	Owner  tenant.ID
	ID     string
	Report []byte
}

// pictures opens the pictures of the job. The set is nil if there are none that can be read: the report
// is complete without them. The caller closes the file.
func (s *Stored) pictures(ctx context.Context) (*pageimage.Set, io.Closer) {
	if s.Jobs == nil {
		return nil, io.NopCloser(nil)
	}
	file, content, err := s.Jobs.Pictures(ctx, s.Owner, s.ID)
	if err != nil {
		return nil, io.NopCloser(nil)
	}
	set, err := pageimage.Open(content, file.Bytes)
	if err != nil {
		return nil, content
	}
	return set, content
}

func writeJSON(w io.Writer, r report.Report) error {
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
func Represent(ctx context.Context, stored Stored, mediaType, language string) (Representation, error) {
	english := report.Languages()[0]
	if mediaType == MediaJSON && language == english {
		return Representation{Body: stored.Report, Language: english}, nil
	}
	made, err := report.Decode(stored.Report)
	if err != nil && mediaType == MediaJSON {
		return Representation{Body: stored.Report, Language: english}, nil
	}
	if err != nil {
		return Representation{}, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	made = report.Localize(made, language)
	var pictures *pageimage.Set
	if mediaType == MediaHTML {
		set, file := stored.pictures(ctx)
		defer func() { _ = file.Close() }()
		pictures = set
	}
	var out bytes.Buffer
	if err := writers[mediaType](&out, made, pictures); err != nil {
		return Representation{}, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	shown := Representation{Body: out.Bytes(), Language: cmp.Or(made.Language, english)}
	if mediaType == MediaHTML {
		shown.Policy = html.Policy()
	}
	return shown, nil
}
