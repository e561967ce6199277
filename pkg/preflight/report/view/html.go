// SPDX-License-Identifier: Apache-2.0

// Package view writes a report for people: as a page of HTML, and as a PDF to print, send or archive.
// Both show each page of the inspected file with its findings.
//
// With pictures, they show what is printed and a close-up of each finding; without, a map of the boxes,
// images and text of each page. The page of HTML needs no network and no script, and shows the
// separations, too. The components of report.templ escape everything that comes from the PDF. The
// page's own Content-Security-Policy allows its one style sheet, pictures that it contains, and no load
// from elsewhere.
package view

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

//go:embed report.css
var frameStyle string // constant

// style is the style sheet of the page.
func style() string { return ViewerStyle + frameStyle }

// Policy returns the Content-Security-Policy to serve the page with: that of the page itself,
// in a sandbox, which only a header field can require.
func Policy() string { return "sandbox allow-downloads; " + pagePolicy() }

// pagePolicy returns the policy in the page, which also applies to a stored file: only its own
// style sheet and pictures apply; scripts and loads are forbidden.
func pagePolicy() string {
	sum := sha256.Sum256([]byte(style()))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; img-src data:"
}

// Options are what a view shows beside the report.
type Options struct {
	// Name is the name of the file, which is the title; empty selects the title of the document.
	Name string
	// Pictures are those of the pages; nil for none.
	Pictures *pageimage.Set
	// Made is the time of the inspection, which the PDF states; zero for an unknown time.
	Made time.Time
	// Languages reports whether a page links itself in each language by the parameter lang; false for a
	// page without a server. PDF is the address of the PDF that such a page links, relative to the page
	// and with a query; empty for none.
	Languages bool
	PDF       string
}

// HTML writes the report as a page. The same report and options give the same bytes. If HTML fails to
// render the page, it writes nothing.
func HTML(w io.Writer, r report.Report, options Options) error {
	v, err := newView(r, options, true)
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
