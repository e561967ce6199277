// SPDX-License-Identifier: Apache-2.0

// Package html writes a report as one page for people: it needs no network and no
// script, prints well, and shows each page of the PDF as a map of its boxes,
// images, text and findings.
//
// Everything in it that comes from the PDF goes through html/template. The page
// forbids itself to load anything and carries the digest of its one style sheet.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

//go:embed report.tmpl
var page string // constant

//go:embed report.css
var style string // constant

// Policy is the Content-Security-Policy of the page: nothing is loaded, nothing
// runs, and only its own style sheet applies.
func Policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// Write writes the page of a report. The same report gives the same bytes.
func Write(w io.Writer, r report.Report) error {
	parsed, err := template.New("report").Funcs(template.FuncMap{
		"number": number, "list": list, "plural": report.Plural,
	}).Parse(strings.Replace(page, "STYLE", style, 1))
	if err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, newView(r)); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}

// number writes a value with at most two decimals.
func number(v float64) string {
	return geom.Decimal(v, 2)
}

// list writes page numbers, runs of them as ranges: "1, 3-5".
func list(pages []int) string { return strings.Join(report.PageRuns(pages), ", ") }
