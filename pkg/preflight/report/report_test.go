// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

var update = flag.Bool("update", false, "write golden files")

// full returns a report in which every member is set.
func full() report.Report {
	trim := report.Rect{28.35, 28.35, 623.62, 870.24}
	return report.Report{
		Version:  report.Version,
		Language: report.Languages()[0],
		Engine:   report.Engine{Name: "printmarket-preflight", Version: "1.0.0", Parser: "pdfcpu"},
		Profile:  report.Profile{Name: "print_ready", Version: "1.0.0", Digest: strings.Repeat("ab", 32)},
		Verdict:  report.Fail,
		Complete: false,
		File:     report.File{SHA256: strings.Repeat("cd", 32), Bytes: 12345},
		Summary:  report.Summary{Errors: 1, Warnings: 2, ByCategory: map[report.Category]int{report.CategoryImage: 1, report.CategoryBox: 1, report.CategoryFile: 1}, RulesRun: 20, RulesSkipped: 3},
		Ticket:   &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 210, Height: 297}, Pages: 12, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}}, Quantity: 500},
		Document: &report.Document{
			PDFVersion: "1.6", Pages: 12, Title: `A "title" <b>`, Producer: "p", Creator: "c",
			Created: "2026-11-20T12:00:00Z", Modified: "2026-11-20T12:30:00+01:00", Trapped: "False",
			Encrypted: true, PrintDenied: true, Linearized: true, Tagged: true,
			Standards: []string{"PDF/X-4"},
			OutputIntents: []report.OutputIntent{{
				Subtype: "GTS_PDFX", Condition: "FOGRA51", Registry: "http://www.color.org",
				Profile: &report.ICC{Description: "PSO Coated v3", Space: "CMYK", Class: "prtr", Version: "2.4", Components: 4, SHA256: strings.Repeat("ef", 32)},
			}},
			Layers:      []report.Layer{{Name: "Die", Printed: true, ProcessingStep: "Structural Cutting", Pages: []int{1}}},
			Annotations: map[string]int{"Link": 3}, FormFields: 1, Signatures: 1,
			Actions: map[string]int{"URI": 3}, Attachments: []string{"notes.txt"},
		},
		Pages: []report.Page{{
			Number: 1, Size: [2]float64{210, 297}, Rotate: 90, UserUnit: 1,
			Boxes: report.Boxes{Media: report.Rect{0, 0, 651.97, 898.58}, Trim: &trim},
			Bleed: &report.Edges{Top: 3, Right: 3, Bottom: 3, Left: 3}, MaxInk: 312.5, MinLine: new(0.1), MinText: new(4.5), Transparent: true,
			Text: []report.Rect{{50, 60, 200, 80}},
		}, {Number: 2, Size: [2]float64{100, 100}, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 283.46, 283.46}}, Blank: true, Text: []report.Rect{}}},
		Fonts:   []report.Font{{Name: "Helvetica", Type: "Type1", Used: true, Pages: []int{1}, Object: "5 0 R"}},
		Images:  []report.Image{{Page: 1, Object: "7 0 R", Pixels: [2]int{10, 20}, BitsPerComponent: 8, ColorSpace: "DeviceRGB", Filter: "DCTDecode", PPI: [2]float64{72, 72}, BBox: report.Rect{1, 2, 3, 4}, Soft: true, Hidden: true, Quality: 75}},
		Colors:  []report.Color{{Space: "DeviceRGB", Pages: []int{1}}},
		Inks:    []report.Ink{{Name: "Gold", Kind: "spot", Space: "DeviceCMYK", Full: []float64{0, 0.2, 0.8, 0.3}, Definitions: 2, Pages: []int{1}}},
		Omitted: report.Omitted{Findings: 1},
		Findings: []report.Finding{
			{Rule: "file.example", Severity: report.Warning, Category: report.CategoryFile, Message: "Something about the file.", Count: 1},
			{Rule: "box.trim_missing", Severity: report.Warning, Category: report.CategoryBox, Page: 1, Pages: []int{1, 2, 5}, Message: "No TrimBox.", Count: 40, FixHint: "Export as PDF/X.", Ref: "ISO 15930-7 6.13"},
			{Rule: "image.ppi_low", Severity: report.Error, Category: report.CategoryImage, Page: 2, BBox: &report.Rect{1, 2, 3, 4}, Object: "7 0 R", Message: "An image is too coarse.", Measured: &report.Measure{Value: 72.5, Unit: "ppi"}, Threshold: &report.Threshold{Op: ">=", Value: 150, Unit: "ppi", Tolerance: 1}, Count: 2, FixHint: "Use more pixels."},
			{
				Rule: "box.bleed_short", Severity: report.Error, Category: report.CategoryBox, Page: 2, Message: "The bleed is too small at the top and left: 1.5 mm at the narrowest edge; the minimum is 3 mm (tolerance ±0.1 mm).",
				MessageID: "box.bleed_short", Parameters: report.Parameters{"edges": []string{"top", "left"}, "value": 1.5, "limit": 3.0, "tolerance": 0.1},
				Measured: &report.Measure{Value: 1.5, Unit: "mm"}, Threshold: &report.Threshold{Op: ">=", Value: 3, Unit: "mm", Tolerance: 0.1}, Count: 1, FixHint: "Extend the artwork.",
			},
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", path, err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s, update with -update (-want +got):\n%s", path, diff)
	}
}

func TestJSONIsStableAndReadsBack(t *testing.T) {
	t.Parallel()
	data, err := report.Encode(full())
	if err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	golden(t, "full.json", data)
	back, err := report.Decode(data)
	if err != nil {
		t.Fatalf("report.Decode: %v", err)
	}
	if diff := cmp.Diff(full(), back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	good := full()
	good.Verdict, good.Complete, good.Findings, good.Summary, good.Omitted = report.Pass, true, nil, report.Summary{}, report.Omitted{}
	unread := full()
	unread.Document, unread.Pages = nil, nil
	for name, tc := range map[string]struct {
		layout report.Layout
		report report.Report
	}{
		"full.txt":   {report.Layout{}, full()},
		"narrow.txt": {report.Layout{Width: 40}, full()},
		"color.txt":  {report.Layout{Width: 120, Color: true}, full()},
		"good.txt":   {report.Layout{}, good},
		"unread.txt": {report.Layout{}, unread},
		"german.txt": {report.Layout{}, report.Localize(full(), "de")},
	} {
		var out bytes.Buffer
		if err := tc.layout.Write(&out, tc.report); err != nil {
			t.Fatalf("tc.layout.Write: %v", err)
		}
		golden(t, name, out.Bytes())
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	t.Parallel()
	r := full()
	r.File.SHA256, r.Pages = "", nil // the text cannot shorten these fields
	r.Findings[2].Message = strings.Repeat("Ein sehr langes Wort: Übereinanderdruckenlassenwollen. ", 9) + strings.Repeat("x", 300)
	for _, width := range []int{60, 72, 80, 100, 200} {
		var out bytes.Buffer
		if err := (report.Layout{Width: width}).Write(&out, r); err != nil {
			t.Fatalf("Write: %v", err)
		}
		for line := range strings.Lines(out.String()) {
			if got := utf8.RuneCountInString(strings.TrimRight(line, "\n")); got > width {
				t.Errorf("%d of %d characters: %s", got, width, line)
			}
		}
	}
}

func TestDecodeRejectsInvalidReports(t *testing.T) {
	t.Parallel()
	valid, err := report.Encode(full())
	if err != nil {
		t.Fatalf("report.Encode: %v", err)
	}
	tests := map[string]string{
		"nothing":                   "",
		"another value behind it":   string(valid) + "{}",
		"rubbish behind it":         string(valid) + "x",
		"a bracket behind it":       string(valid) + "}",
		"text that is not UTF-8":    strings.Replace(string(valid), `"print_ready"`, "\"\xff\"", 1),
		"an unknown member":         strings.Replace(string(valid), `"verdict"`, `"verdikt"`, 1),
		"another version":           strings.Replace(string(valid), `"reportVersion":"1.1"`, `"reportVersion":"9.0"`, 1),
		"an unknown verdict":        strings.Replace(string(valid), `"verdict":"fail"`, `"verdict":"maybe"`, 1),
		"an unknown severity":       strings.Replace(string(valid), `"severity":"error"`, `"severity":"fatal"`, 1),
		"half a document":           string(valid[:len(valid)/2]),
		"a document beyond bounds":  strings.Repeat(" ", report.MaxBytes) + string(valid),
		"a number where text stood": strings.Replace(string(valid), `"print_ready"`, `7`, 1),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := report.Decode([]byte(text)); !errors.Is(err, report.ErrInvalid) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	of := func(severities ...report.Severity) []report.Finding {
		var out []report.Finding
		for _, s := range severities {
			out = append(out, report.Finding{Severity: s})
		}
		return out
	}
	tests := map[string]struct {
		findings []report.Finding
		want     report.Verdict
	}{
		"no finding passes":         {nil, report.Pass},
		"a remark passes":           {of(report.Info), report.Pass},
		"a warning warns":           {of(report.Info, report.Warning), report.Warn},
		"an error fails":            {of(report.Error), report.Fail},
		"an error outweighs others": {of(report.Warning, report.Error, report.Info), report.Fail},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := report.Judge(tc.findings); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	valid, err := report.Encode(full())
	if err != nil {
		f.Fatalf("report.Encode: %v", err)
	}
	f.Add(valid)
	f.Add([]byte(`{"reportVersion":"1.0","verdict":"pass"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.Decode(data)
		if err != nil {
			return
		}
		again, err := report.Encode(r)
		if err != nil {
			t.Fatalf("report.Encode: %v", err)
		}
		if back, err := report.Decode(again); err != nil {
			t.Fatalf("report.Decode: %v", err)
		} else if twice, _ := report.Encode(back); !bytes.Equal(again, twice) {
			t.Errorf("not stable:\n%s\n%s", again, twice)
		}
		if err := report.Text(&bytes.Buffer{}, r); err != nil {
			t.Fatalf("report.Text: %v", err)
		}
	})
}

func FuzzDecodeFix(f *testing.F) {
	log := report.FixLog{
		Version: report.FixVersion, Applied: []report.AppliedFix{{Fix: report.FixBleed, Changes: []report.ObjectChange{{Page: 1, Name: "BleedBox"}}}},
		Skipped: []report.SkippedFix{{Fix: report.FixTrim, Reason: report.FixNoTrimSize}},
	}
	for _, update := range [][]byte{nil, []byte("\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n")} {
		var seed bytes.Buffer
		if err := report.EncodeFix(&seed, log, update); err != nil {
			f.Fatalf("report.EncodeFix: %v", err)
		}
		f.Add(seed.Bytes())
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		log, update, err := report.DecodeFix(data)
		if err != nil {
			if !errors.Is(err, report.ErrNoFix) {
				t.Errorf("error %v, want report.ErrNoFix", err)
			}
			return
		}
		for _, language := range report.Languages() {
			if err := report.WriteFix(io.Discard, log, language); err != nil {
				t.Errorf("report.WriteFix: %v", err)
			}
		}
		var again bytes.Buffer
		if err := report.EncodeFix(&again, log, update); err != nil {
			t.Errorf("report.EncodeFix: %v", err)
		}
		if back, same, err := report.DecodeFix(again.Bytes()); err != nil || !cmp.Equal(back, log) || !bytes.Equal(same, update) {
			t.Errorf("decoded again: %+v, error %v, want %+v", back, err, log)
		}
	})
}

func TestTextListsTechnicalInksAndLayers(t *testing.T) {
	t.Parallel()
	r := report.Report{
		Language: "de", Verdict: report.Pass,
		Inks:     []report.Ink{{Name: "Gold"}, {Name: "CutContour", Role: report.RoleCut}},
		Document: &report.Document{Layers: []report.Layer{{Name: "Bild"}, {Name: "Lack", Role: report.RoleVarnish}}},
	}
	var out strings.Builder
	if err := report.Text(&out, r); err != nil {
		t.Fatal(err)
	}
	if want := "Technisch CutContour (Schneiden), Lack (Lack)\n"; !strings.Contains(out.String(), want) {
		t.Errorf("the text lacks %q:\n%s", want, out.String())
	}
}

func TestTextListsCodes(t *testing.T) {
	t.Parallel()
	r := report.Report{Verdict: report.Pass, Codes: []report.Code{{Page: 1, Symbology: "EAN-13", Text: "4006381333931"}, {Page: 2, Symbology: "QR Code"}}}
	var out strings.Builder
	if err := report.Text(&out, r); err != nil {
		t.Fatal(err)
	}
	if want := "codes     EAN-13 4006381333931 (page 1), QR Code not decoded (page 2)\n"; !strings.Contains(out.String(), want) {
		t.Errorf("the text lacks %q:\n%s", want, out.String())
	}
}
