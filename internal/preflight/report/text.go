// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Text writes the report for a person at a terminal: the verdict first, then
// each finding with what was measured and what to do about it.
func Text(w io.Writer, r Report) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-9s %s, profile %s %s\n", strings.ToUpper(string(r.Verdict)), counts(r.Summary), r.Profile.Name, r.Profile.Version)
	if r.Document != nil {
		fmt.Fprintf(&out, "%-9s %s\n", "document", describe(r))
	}
	fmt.Fprintf(&out, "%-9s %d bytes, sha256 %s\n", "file", r.File.Bytes, r.File.SHA256)
	if !r.Complete {
		fmt.Fprintf(&out, "%-9s the file was not read to its end: what is not reported may be wrong all the same\n", "note")
	}
	for i := range r.Findings {
		out.WriteByte('\n')
		finding(&out, &r.Findings[i])
	}
	if r.Omitted.Findings > 0 {
		fmt.Fprintf(&out, "\nNot listed: %s more.\n", plural(r.Omitted.Findings, "finding"))
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func counts(s Summary) string {
	if s.Errors+s.Warnings+s.Infos == 0 {
		return "nothing to complain about"
	}
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Infos, "remark"}} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.noun))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func describe(r Report) string {
	parts := []string{"PDF " + r.Document.PDFVersion, plural(r.Document.Pages, "page")}
	if len(r.Pages) > 0 {
		size := fmt.Sprintf("%.0f x %.0f mm", r.Pages[0].Size[0], r.Pages[0].Size[1])
		if slices.ContainsFunc(r.Pages, func(p Page) bool { return p.Size != r.Pages[0].Size }) {
			size += " and other sizes"
		}
		parts = append(parts, size)
	}
	if r.Document.Title != "" {
		parts = append(parts, strconv.Quote(r.Document.Title))
	}
	return strings.Join(parts, ", ")
}

func finding(out *bytes.Buffer, f *Finding) {
	const indent = "          "
	fmt.Fprintf(out, "%-9s %s, %s\n", f.Severity, f.Rule, where(f))
	fmt.Fprintf(out, "%s%s\n", indent, f.Message)
	var details []string
	if f.Measured != nil {
		text := fmt.Sprintf("measured %s %s", decimal(f.Measured.Value), f.Measured.Unit)
		if f.Threshold != nil {
			text += fmt.Sprintf(", should be %s %s %s", f.Threshold.Op, decimal(f.Threshold.Value), f.Threshold.Unit)
		}
		details = append(details, text)
	}
	if f.Object != "" {
		details = append(details, "object "+f.Object)
	}
	if f.BBox != nil {
		b := f.BBox
		details = append(details, fmt.Sprintf("at %s %s %s %s pt", decimal(b[0]), decimal(b[1]), decimal(b[2]), decimal(b[3])))
	}
	if len(details) > 0 {
		fmt.Fprintf(out, "%s%s\n", indent, strings.Join(details, "; "))
	}
	if f.FixHint != "" {
		fmt.Fprintf(out, "%sFix: %s\n", indent, f.FixHint)
	}
}

func where(f *Finding) string {
	switch {
	case f.Page == 0:
		return "whole document"
	case len(f.Pages) > 1:
		numbers := make([]string, len(f.Pages))
		for i, page := range f.Pages {
			numbers[i] = strconv.Itoa(page)
		}
		text := "pages " + strings.Join(numbers, " ")
		if f.Count > len(f.Pages) {
			text += fmt.Sprintf(" ..., %d times", f.Count)
		}
		return text
	case f.Count > 1:
		return fmt.Sprintf("page %d, %d times", f.Page, f.Count)
	}
	return fmt.Sprintf("page %d", f.Page)
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
