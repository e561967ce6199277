// SPDX-License-Identifier: Apache-2.0

// Package html writes a report as one page for people: it needs no network and no
// script, prints well, and shows each page of the PDF as a map of its boxes,
// images, text and findings.
//
// The components of report.templ escape everything that comes from the PDF. The page's
// own Content-Security-Policy allows its one style sheet and no load from elsewhere.
package html

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

//go:embed report.css
var style string // constant

// Policy returns the Content-Security-Policy to serve the page with: that of the page itself,
// in a sandbox, which only a header field can require.
func Policy() string { return "sandbox; " + pagePolicy() + "; img-src data:" }

// pagePolicy returns the policy in the page, which also applies to a stored file: only its own
// style sheet applies; scripts and loads are forbidden.
func pagePolicy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// Write writes the page of a report. The same report gives the same bytes. If Write
// fails to render the page, it writes nothing.
func Write(w io.Writer, r report.Report) error {
	var out bytes.Buffer
	if err := page(newView(r)).Render(context.Background(), &out); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}
