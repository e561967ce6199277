// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/apiserver/preflight/preflightapi"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/report/comment"
	"github.com/printmarket/printmarket/internal/preflight/report/html"
)

// The media types of a report, the best first.
const (
	mediaJSON = "application/json"
	mediaHTML = "text/html;charset=utf-8"
	mediaXFDF = comment.MediaType
)

// GetPreflightReport serves GET /api/v1/preflight/{jobId}/report.
func (s *surface) GetPreflightReport(ctx context.Context, in preflightapi.GetPreflightReportRequestObject) (preflightapi.GetPreflightReportResponseObject, error) {
	c := strict.Call(ctx)
	stored, err := s.Jobs.Report(ctx, c.Tenant(), in.JobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	shown, err := represent(stored, c.MediaType)
	if err != nil {
		return nil, err
	}
	// The report of a job never changes, but what later releases make of it may.
	sum := sha256.Sum256(shown)
	if c.Revalidate(`"report-` + hex.EncodeToString(sum[:16]) + `"`) {
		return preflightapi.GetPreflightReport304Response{}, nil
	}
	answer := preflightapi.GetPreflightReport200ApplicationResponse{
		Body: bytes.NewReader(shown), ContentType: c.MediaType, ContentLength: int64(len(shown)),
	}
	if c.MediaType == mediaHTML {
		policy := html.Policy()
		answer.Headers.ContentSecurityPolicy = &policy
	}
	return answer, nil
}

// represent shows a stored report in the form that was asked for.
func represent(stored []byte, mediaType string) ([]byte, error) {
	write := map[string]func(io.Writer, report.Report) error{mediaHTML: html.Write, mediaXFDF: comment.XFDF}[mediaType]
	if write == nil {
		return stored, nil
	}
	made, err := report.Decode(stored)
	if err != nil {
		return nil, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	var out bytes.Buffer
	if err := write(&out, made); err != nil {
		return nil, fmt.Errorf("show report as %s: %w", mediaType, err)
	}
	return out.Bytes(), nil
}
