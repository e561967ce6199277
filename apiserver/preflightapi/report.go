// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/html"
)

// The media types of a report, the best first.
const (
	MediaJSON = "application/json"
	MediaHTML = "text/html;charset=utf-8"
	MediaXFDF = report.XFDFMediaType
)

// GetPreflightReport serves GET /api/v1/preflight/{jobId}/report.
func (s *surface) GetPreflightReport(c *gate.Call, jobID JobID) (GetPreflightReportResponseObject, error) {
	stored, err := s.Jobs.Report(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	shown, err := Represent(stored, c.MediaType)
	if err != nil {
		return nil, err
	}
	// The report of a job never changes, but what later releases make of it may.
	sum := sha256.Sum256(shown.Body)
	if c.Revalidate(`"report-` + hex.EncodeToString(sum[:16]) + `"`) {
		return GetPreflightReport304Response{}, nil
	}
	answer := GetPreflightReport200ApplicationResponse{
		Body: shown.Body, ContentType: c.MediaType,
	}
	if shown.Policy != "" {
		answer.Headers.ContentSecurityPolicy = &shown.Policy
	}
	return answer, nil
}

// Representation is a report in one of its forms.
type Representation struct {
	Body []byte
	// Policy is the Content-Security-Policy that a page needs; empty for what is no
	// page.
	Policy string
}

// Represent shows a stored report in the form of a media type. It fails if the report
// is none of this software.
func Represent(stored []byte, mediaType string) (Representation, error) {
	write := map[string]func(io.Writer, report.Report) error{MediaHTML: html.Write, MediaXFDF: report.XFDF}[mediaType]
	if write == nil {
		return Representation{Body: stored}, nil
	}
	made, err := report.Decode(stored)
	if err != nil {
		return Representation{}, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	var out bytes.Buffer
	if err := write(&out, made); err != nil {
		return Representation{}, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	shown := Representation{Body: out.Bytes()}
	if mediaType == MediaHTML {
		shown.Policy = html.Policy()
	}
	return shown, nil
}
