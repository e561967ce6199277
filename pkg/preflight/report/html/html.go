// SPDX-License-Identifier: Apache-2.0

// Package html writes a report as one page for people: it needs no network and no
// script, prints well, and shows each page of the PDF with its findings.
//
// With pictures, the page shows what is printed, a close-up of each finding, and the separations;
// without, it shows a map of the boxes, images and text of each page.
//
// The components of report.templ escape everything that comes from the PDF, and pictures are encoded
// again. The page's own Content-Security-Policy allows its one style sheet, pictures that it contains,
// and no load from elsewhere.
package html

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

//go:embed report.css
var style string // constant

// Policy returns the Content-Security-Policy to serve the page with: that of the page itself,
// in a sandbox, which only a header field can require.
func Policy() string { return "sandbox; " + pagePolicy() }

// pagePolicy returns the policy in the page, which also applies to a stored file: only its own
// style sheet and pictures apply; scripts and loads are forbidden.
func pagePolicy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; img-src data:"
}

// Write writes the page of a report. The pictures of its pages may be nil. The same report and
// pictures give the same bytes. If Write fails to render the page, it writes nothing.
func Write(w io.Writer, r report.Report, pictures *pageimage.Set) error {
	return WriteNamed(w, "", r, pictures)
}

// WriteNamed writes the page like [Write], with the name of the file as its title. An empty name
// selects the title of the document.
func WriteNamed(w io.Writer, name string, r report.Report, pictures *pageimage.Set) error {
	v, err := newView(name, r, pictures)
	if err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	var out bytes.Buffer
	if err := page(v).Render(context.Background(), &out); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}
