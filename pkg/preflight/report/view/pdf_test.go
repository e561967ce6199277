// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
)

func printed(t testing.TB, r report.Report, options view.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := view.PDF(&out, r, options); err != nil {
		t.Fatalf("PDF: %v", err)
	}
	return out.Bytes()
}

// run runs a program on a PDF and returns what it printed.
func run(t *testing.T, pdf []byte, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%s is not installed; make setup installs it: %v", program, err)
	}
	file := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	args = append(args, file)
	if program == "pdftotext" {
		args = append(args, "-")
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
	return string(out)
}

func TestPDFContainsTheReport(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 28, 6, 30, 0, 0, time.UTC)
	for language, wants := range map[string][]string{
		"en": {"FAIL", "Must be fixed (1)", "measured 72 ppi", "Page 1", "Page 2", "DeviceRGB"},
		"de": {"FEHLER", "Muss behoben werden (1)", "Seite 1", "Größe"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			r := report.Localize(flyer(), language)
			got := run(t, printed(t, r, view.Options{Name: "spring.pdf", Pictures: shot(t, 64), Made: made}), "pdftotext", "-layout")
			for _, want := range append(wants, "spring.pdf", "An image is too coarse.", "Use more pixels.", "image.ppi_low", "GWG2015 4.26", "2026-11-28 06:30 UTC", strings.Repeat("cd", 32)) {
				if !strings.Contains(got, want) {
					t.Errorf("the PDF does not contain %q:\n%s", want, got)
				}
			}
		})
	}
}

func TestPDFShowsNamesOfAllScripts(t *testing.T) {
	t.Parallel()
	const name = "春のカタログ 가을 目錄 Ёлка שלום 2.pdf"
	r := flyer()
	r.Document.Title, r.Images[0].ColorSpace = name, "銀インキ"
	pdf := printed(t, r, view.Options{Name: name})
	got := run(t, pdf, "pdftotext", "-layout")
	for _, want := range append(strings.Fields(name), "銀インキ") {
		if !strings.Contains(got, want) {
			t.Errorf("the PDF does not contain %q:\n%s", want, got)
		}
	}
	if info := run(t, pdf, "pdfinfo"); !strings.Contains(info, name) {
		t.Errorf("its title is not %q:\n%s", name, info)
	}
	for program, args := range map[string][]string{"qpdf": {"--check"}, "gs": {"-q", "-sDEVICE=nullpage", "-dNOPAUSE", "-dBATCH"}} {
		if said := strings.ToLower(run(t, pdf, program, args...)); strings.Contains(said, "error:") || strings.Contains(said, "warning") {
			t.Errorf("%s: %s", program, said)
		}
	}
}

func TestSameReportGivesTheSamePDF(t *testing.T) {
	t.Parallel()
	options := view.Options{Pictures: shot(t, 64), Made: time.Unix(1_800_000_000, 0)}
	first := printed(t, flyer(), options)
	if second := printed(t, flyer(), options); !bytes.Equal(first, second) {
		t.Error("two runs differ")
	}
	options.Name = "spring.pdf"
	if named := printed(t, flyer(), options); bytes.Equal(first, named) {
		t.Error("the name of the file changes nothing")
	}
}

func TestPDFLeavesOutPagesWithoutFindings(t *testing.T) {
	t.Parallel()
	r := flyer()
	r.Document.Pages = 12
	for number := 3; number <= 12; number++ {
		page := r.Pages[1]
		page.Number = number
		r.Pages = append(r.Pages, page)
	}
	if got := run(t, printed(t, r, view.Options{}), "pdftotext"); !strings.Contains(got, "10 more pages are not drawn.") || strings.Contains(got, "Page 3") {
		t.Errorf("want pages 1 and 2 and a count of the others:\n%s", got)
	}
}

// hostile is a report with as many and as long texts as the engine writes, and worse.
func hostile() report.Report {
	r := flyer()
	long := strings.Repeat("W", 4000)
	r.Document.Title = "\x00\x1b[31m\U0001F5A8\ufeff\u202e(\\" + long
	for i := range 1000 {
		r.Findings = append(r.Findings, report.Finding{
			Rule: "page.blank", Severity: report.Info, Category: "page", Page: 1 + i%2, Count: i,
			BBox: &report.Rect{-1e9, float64(i), 1e9, float64(i) + 1}, Message: fmt.Sprintf("%d %s", i, long[:i*4]), FixHint: ") Tj ET \r\n%%EOF",
		})
	}
	r.Fonts = []report.Font{{Name: long, Type: "<</JS(x)>>", Pages: make([]int, 2000), Used: true}}
	return r
}

func TestPDFOfHostileTextIsSound(t *testing.T) {
	t.Parallel()
	if got := run(t, printed(t, hostile(), view.Options{Pictures: shot(t, 64)}), "qpdf", "--check"); !strings.Contains(got, "No syntax or stream encoding errors found") || strings.Contains(got, "WARNING") {
		t.Errorf("qpdf: %s", got)
	}
}

func FuzzPDF(f *testing.F) {
	f.Add("spring.pdf", "An image is too coarse.", 100.0, 200.0)
	f.Add("\xff\xfe", "\U0010ffff\ufffe\n\n\t", -1e300, 1e300)
	f.Add(strings.Repeat("a\u0301", 5000), "", 0.0, 0.0)
	f.Fuzz(func(t *testing.T, name, words string, low, high float64) {
		r := flyer()
		r.Findings[1].Message, r.Findings[1].BBox = words, &report.Rect{low, low, high, high}
		r.Pages[0].Boxes.Trim = &report.Rect{low, low, high, high}
		r.Images[0].ColorSpace = words
		if got := printed(t, r, view.Options{Name: name}); !bytes.HasPrefix(got, []byte("%PDF-")) {
			t.Errorf("PDF begins with %.20q", got)
		}
	})
}
