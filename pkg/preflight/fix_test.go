// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// fixed applies fixes, and returns the fixed file. It fails unless other readers accept the file.
func fixed(t *testing.T, data []byte, ticket *jobticket.Ticket, fixes ...report.Fix) ([]byte, report.FixLog, error) {
	t.Helper()
	update, log, err := preflight.Fix(t.Context(), bytes.NewReader(data), int64(len(data)), lookup(t, "print_ready"), fixes, preflight.Options{Ticket: ticket})
	if err != nil {
		return nil, log, err
	}
	var coded bytes.Buffer
	if err := report.EncodeFix(&coded, log, update); err != nil {
		t.Fatalf("report.EncodeFix: %v", err)
	}
	decoded, back, err := report.DecodeFix(coded.Bytes())
	if err != nil || !cmp.Equal(decoded, log) || !bytes.Equal(back, update) {
		t.Errorf("decoded %+v, error %v, want %+v", decoded, err, log)
	}
	for _, a := range log.Applied {
		for _, c := range a.Changes {
			if c.Object == "" || c.Before == c.After {
				t.Errorf("the change %+v has no object, or the same value before and after", c)
			}
		}
	}
	out := slices.Concat(data, update)
	if len(update) > 0 {
		accepted(t, out)
	}
	return out, log, nil
}

// accepted fails unless qpdf, mutool, poppler and Ghostscript read a file without a warning.
func accepted(t *testing.T, data []byte) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "fixed.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	for _, command := range [][]string{
		{"qpdf", "--check", path},
		{"mutool", "draw", "-q", "-r", "20", "-o", filepath.Join(dir, "m%d.png"), path},
		{"pdftoppm", "-r", "20", path, filepath.Join(dir, "p")},
		{"gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=nullpage", path},
	} {
		out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
		lower := strings.ToLower(strings.ReplaceAll(string(out), "warning: ICC support is not available", ""))
		if err != nil || strings.Contains(lower, "warning") || strings.Contains(lower, "error") && command[0] != "qpdf" {
			t.Errorf("%s: %v\n%s", command[0], err, out)
		}
	}
}

// applied returns the names of the applied fixes.
func applied(log report.FixLog) []report.Fix {
	var out []report.Fix
	for _, a := range log.Applied {
		out = append(out, a.Fix)
	}
	return out
}

func TestFixesRemoveTheirFaults(t *testing.T) {
	t.Parallel()
	const art = "1 0.2 0 0 k 0 0 700 1000 re f 0 0 0 1 k 300 300 60 40 re f\n"
	document := func(change func(s *pdftest.Sound, p *pdftest.Page)) []byte {
		s := pdftest.NewSound()
		p := s.Page(art, "")
		change(s, &p)
		return s.Bytes(p)
	}
	card := &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 85, Height: 55}}
	script := "<< /S /JavaScript /JS (app.alert\\(1\\)) >>"
	note := func(s *pdftest.Sound, p *pdftest.Page) {
		look := s.Form(pdftest.Box{0, 0, 40, 20}, "", "0 1 1 0 k 0 0 40 20 re f", "")
		p.Annots = s.Add("<< /Type /Annot /Subtype /Square /F 4 /Rect [200 200 280 220] /AP << /N %s >> >>", look).String() + " " +
			s.Add("<< /Type /Annot /Subtype /Text /F 0 /Rect [300 200 320 220] /Contents (a note) >>").String()
	}
	tests := map[string]struct {
		data    []byte
		ticket  *jobticket.Ticket
		fixes   []report.Fix
		want    []report.Fix
		changes []string // names of the changed entries
		skipped []report.Fix
	}{
		"a page of the ordered size and its bleed gets boxes": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Media, p.Trim, p.Bleed = &pdftest.Box{0, 0, pdftest.MM(91), pdftest.MM(61)}, nil, nil
				p.Content = "1 0.2 0 0 k 0 0 300 300 re f\n"
			}),
			ticket: card, want: []report.Fix{report.FixTrim}, changes: []string{"TrimBox", "BleedBox"},
		},
		"an ArtBox of another size is replaced": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Media, p.Trim, p.Bleed = &pdftest.Box{0, 0, pdftest.MM(91), pdftest.MM(61)}, nil, nil
				p.Extra = "/ArtBox [20 20 100 100]"
				p.Content = "1 0.2 0 0 k 0 0 300 300 re f\n"
			}),
			ticket: card, fixes: []report.Fix{report.FixTrim}, want: []report.Fix{report.FixTrim}, changes: []string{"TrimBox", "BleedBox", "ArtBox"},
		},
		"a wrong TrimBox is corrected": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Media = &pdftest.Box{0, 0, pdftest.MM(91), pdftest.MM(61)}
				p.Trim, p.Bleed = p.Media, nil
				p.Content = "1 0.2 0 0 k 0 0 300 300 re f\n"
			}),
			ticket: card, fixes: []report.Fix{report.FixTrim}, want: []report.Fix{report.FixTrim}, changes: []string{"TrimBox", "BleedBox"},
		},
		"a page whose artwork is the bleed of the corrected TrimBox gets no other bleed": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Media = &pdftest.Box{0, 0, pdftest.MM(91), pdftest.MM(61)}
				p.Trim, p.Bleed = p.Media, nil
				p.Content = "1 0.2 0 0 k 0 0 300 300 re f\n"
			}),
			ticket: card, want: []report.Fix{report.FixTrim}, changes: []string{"TrimBox", "BleedBox"},
		},
		"a page whose artwork ends before the bleed of the corrected TrimBox gets both": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Media = &pdftest.Box{0, 0, pdftest.MM(87), pdftest.MM(57)}
				p.Trim, p.Bleed = p.Media, nil
				p.Content = "1 0.2 0 0 k 0 0 300 300 re f\n"
			}),
			ticket: card, want: []report.Fix{report.FixTrim, report.FixBleed}, changes: []string{"TrimBox", "BleedBox", "Contents", "MediaBox", "BleedBox"},
		},
		"a page of the ordered proportions is scaled": {
			data: document(func(s *pdftest.Sound, p *pdftest.Page) {
				p.Trim = &pdftest.Box{pdftest.MM(10), pdftest.MM(10), pdftest.MM(180), pdftest.MM(120)}
				p.Bleed = &pdftest.Box{pdftest.MM(4), pdftest.MM(4), pdftest.MM(186), pdftest.MM(126)}
				p.Media = &pdftest.Box{0, 0, pdftest.MM(190), pdftest.MM(130)}
				tile := s.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 20 20] /XStep 20 /YStep 20 /Resources << >>", []byte("0 1 0 0 k 0 0 10 20 re f"))
				p.Content += "/Pattern cs /P scn 100 100 200 100 re f\n"
				p.Resources = s.Resources(fmt.Sprintf("/Pattern << /P %s >>", tile))
				p.Annots = s.Add("<< /Type /Annot /Subtype /Link /Rect [2 2 9 9] /Border [0 0 0] /QuadPoints [2 2 9 2 9 9 2 9] >>").String()
			}),
			ticket: card, fixes: []report.Fix{report.FixScale}, want: []report.Fix{report.FixScale}, changes: []string{"Contents", "MediaBox", "BleedBox", "TrimBox"},
		},
		"a scaled page without bleed gets one": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Media, p.Bleed, p.Trim = &pdftest.Box{0, 0, pdftest.MM(42.5), pdftest.MM(27.5)}, nil, &pdftest.Box{0, 0, pdftest.MM(42.5), pdftest.MM(27.5)}
				p.Content = "1 0.2 0 0 k 0 0 300 300 re f 0 0 0 1 k 20 20 40 10 re f\n"
			}),
			ticket: card, fixes: []report.Fix{report.FixScale, report.FixBleed}, want: []report.Fix{report.FixScale, report.FixBleed},
			changes: []string{"Contents", "MediaBox", "TrimBox", "Contents", "MediaBox", "BleedBox"},
		},
		"a missing bleed is mirrored": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) { p.Bleed, p.Media = nil, p.Trim }),
			want: []report.Fix{report.FixBleed}, changes: []string{"Contents", "MediaBox", "BleedBox"},
		},
		"artwork that ends at the trim edge is mirrored": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				b := p.Trim
				p.Content = fmt.Sprintf("0.3 0.6 0 0 k %g %g %g %g re f\n", b[0], b[1], b[2]-b[0], b[3]-b[1])
			}),
			want: []report.Fix{report.FixBleed}, changes: []string{"Contents"},
		},
		"white that covers the bleed is covered by it": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				b := p.Trim
				p.Content = fmt.Sprintf("0 0 0 0 k 0 0 700 1000 re f 0.3 0.6 0 0 k %g %g %g %g re f\n", b[0], b[1], b[2]-b[0], b[3]-b[1])
			}),
			want: []report.Fix{report.FixBleed}, changes: []string{"Contents"},
		},
		"a missing bleed is made of scaled artwork": {
			data:  document(func(_ *pdftest.Sound, p *pdftest.Page) { p.Bleed, p.Media = nil, p.Trim }),
			fixes: []report.Fix{report.FixStretch}, want: []report.Fix{report.FixStretch}, changes: []string{"Contents", "MediaBox", "BleedBox"},
		},
		"scripts are removed wherever they are": {
			data: document(func(s *pdftest.Sound, p *pdftest.Page) {
				s.Catalog += " /OpenAction " + script + " /Names " + s.Add("<< /JavaScript << /Names [(a) %s] >> >>", script).String()
				p.Extra = "/AA << /O " + script + " >>"
			}),
			want: []report.Fix{report.FixActions}, changes: []string{"OpenAction", "Names/JavaScript", "AA"},
		},
		"actions of annotations without a number are removed": {
			data: document(func(_ *pdftest.Sound, p *pdftest.Page) {
				p.Annots = "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Border [0 0 0] /A << /S /Launch /F (a.txt) >> >>"
			}),
			want: []report.Fix{report.FixActions}, changes: []string{"Annots/1/A"},
		},
		"a collection goes with its files, and a note with its attachment": {
			data: document(func(s *pdftest.Sound, p *pdftest.Page) {
				file := s.Add("<< /Type /Filespec /F (a.txt) /EF << /F %s >> >>", s.Stream("/Type /EmbeddedFile", []byte("hello")))
				s.Catalog += fmt.Sprintf(" /Names << /EmbeddedFiles << /Names [(a) %s] >> >> /Collection << /View /D >>", file)
				pin := s.Add("<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /FS %s >>", file)
				p.Annots = fmt.Sprintf("%s %s", pin, s.Add("<< /Type /Annot /Subtype /Popup /Rect [9 9 99 99] /Parent %s >>", pin))
			}),
			fixes: []report.Fix{report.FixAttachments}, want: []report.Fix{report.FixAttachments}, changes: []string{"Names/EmbeddedFiles", "Collection", "Annots", "Annots"},
		},
		"attached files are removed": {
			data: document(func(s *pdftest.Sound, _ *pdftest.Page) {
				file := s.Stream("/Type /EmbeddedFile", []byte("hello"))
				s.Catalog += fmt.Sprintf(" /Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a.txt) /EF << /F %s >> >>] >> >>", file)
			}),
			want: []report.Fix{report.FixAttachments}, changes: []string{"Names/EmbeddedFiles"},
		},
		"printed annotations become part of the page": {
			data: document(note), want: []report.Fix{report.FixAnnotations}, changes: []string{"Annots", "Annots"},
		},
		"several fixes of one page": {
			data: document(func(s *pdftest.Sound, p *pdftest.Page) {
				note(s, p)
				p.Bleed, p.Media = nil, p.Trim
				p.Extra = "/AA << /O " + script + " >>"
			}),
			want:    []report.Fix{report.FixAnnotations, report.FixBleed, report.FixActions},
			changes: []string{"Annots", "Annots", "Contents", "MediaBox", "BleedBox", "AA"},
		},
		"annotations beside a form of the same name": {
			data: document(func(s *pdftest.Sound, p *pdftest.Page) {
				note(s, p)
				p.Content += "/Annotation1 Do\n"
				p.Resources = s.Resources(fmt.Sprintf("/XObject << /Annotation1 %s >>", s.Form(pdftest.Box{0, 0, 700, 1000}, "", "0 0 1 0 k 400 400 90 90 re f", "")))
			}),
			want: []report.Fix{report.FixAnnotations}, changes: []string{"Annots", "Annots"},
		},
		"a sound file stays as it is": {data: document(func(*pdftest.Sound, *pdftest.Page) {})},
		"a technical ink is not mirrored": {
			data: document(func(s *pdftest.Sound, p *pdftest.Page) {
				p.Bleed, p.Media = nil, p.Trim
				p.Content += "/Cut CS 1 SCN 1 w 100 100 200 200 re S\n"
				p.Resources = s.Resources("/ColorSpace << /Cut " + s.Spot("CutContour", "0 1 0 0") + " >>")
			}),
			skipped: []report.Fix{report.FixBleed},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, log, err := fixed(t, tc.data, tc.ticket, tc.fixes...)
			if err != nil {
				t.Fatalf("preflight.Fix: %v", err)
			}
			if diff := cmp.Diff(tc.want, applied(log)); diff != "" {
				t.Errorf("applied (-want +got):\n%s", diff)
			}
			var names []string
			for _, a := range log.Applied {
				for _, c := range a.Changes {
					names = append(names, c.Name)
				}
			}
			if diff := cmp.Diff(tc.changes, names); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			var skipped []report.Fix
			for _, s := range log.Skipped {
				skipped = append(skipped, s.Fix)
				if s.Text("de") == "" {
					t.Errorf("%s is skipped without a reason", s.Fix)
				}
			}
			if diff := cmp.Diff(tc.skipped, skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if len(tc.want) == 0 && !bytes.Equal(data, tc.data) {
				t.Error("the file changed")
			}
			// The fixed file has nothing left to fix.
			if len(tc.want) > 0 {
				if _, again, err := fixed(t, data, tc.ticket); err != nil || len(again.Applied) > 0 {
					t.Errorf("fixing again applies %v, error %v", applied(again), err)
				}
			}
		})
	}
}

func TestLogStatesWhatWasRemoved(t *testing.T) {
	t.Parallel()
	s := pdftest.NewSound()
	script, link := s.Add("<< /S /JavaScript /JS (1) >>"), s.Add("<< /S /URI /URI (https://example.com) >>")
	outlines, first, second := s.Reserve(), s.Reserve(), s.Reserve()
	s.Set(outlines, "<< /Type /Outlines /First %s /Last %s >>", first, second)
	s.Set(first, "<< /Title (One) /Parent %s /Next %s /First << /Title (Below) >> >>", outlines, second)
	s.Set(second, "<< /Title (Two) /Parent %s /Prev %s /Next %[2]s >>", outlines, first)
	file := s.Add("<< /Type /Filespec /F (a.txt) /EF << /F %s >> >>", s.Stream("/Type /EmbeddedFile", []byte("hello")))
	p := s.Page("", "")
	p.Extra = fmt.Sprintf("/AA << /O %s /C %s >> /AF [%s]", script, link, file)
	s.Catalog += fmt.Sprintf(" /OpenAction [null /Fit] /AA << /WC %s /WS %[1]s >> /Outlines %s"+
		" /Names << /JavaScript << /Kids [<< /Names [(a) %[1]s (b) %[1]s] >> << /Names [(c) %[1]s] >>] >> /EmbeddedFiles << /Names [(a) %[3]s] >> >> /Collection << /View /D >>",
		script, outlines, file)
	_, log, err := fixed(t, s.Bytes(p), nil, report.FixActions, report.FixAttachments)
	if err != nil {
		t.Fatalf("preflight.Fix: %v", err)
	}
	got := map[string]string{}
	for _, a := range log.Applied {
		for _, c := range a.Changes {
			got[fmt.Sprint(c.Page, " ", c.Name)] = c.Before
		}
	}
	want := map[string]string{
		"0 OpenAction": "destination", "0 AA": "2 actions: JavaScript", "0 Outlines": "3 bookmarks", "0 Names/JavaScript": "3 scripts",
		"1 AA": "2 actions: JavaScript, URI", "0 Names/EmbeddedFiles": "1 file", "0 Collection": "portfolio", "1 AF": "1 file",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("removed (-want +got):\n%s\nlog %+v", diff, log)
	}
}

func TestImpossibleFixesChangeNothing(t *testing.T) {
	t.Parallel()
	signed := func() []byte {
		s := pdftest.NewSound()
		field := s.Reserve()
		s.Set(field, "<< /Type /Annot /Subtype /Widget /FT /Sig /T (s) /Rect [0 0 0 0] /F 2 /V << /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 1 2 3] /Contents <00> >> >>")
		s.Catalog += fmt.Sprintf(" /AcroForm << /Fields [%s] >> /OpenAction << /S /JavaScript /JS (1) >>", field)
		p := s.Page("", "")
		p.Annots = field.String()
		return s.Bytes(p)
	}()
	certified := func() []byte {
		s := pdftest.NewSound()
		s.Catalog += " /Perms << /DocMDP << /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 1 2 3] /Contents <00> >> >> /OpenAction << /S /JavaScript /JS (1) >>"
		return s.Bytes(s.Page("", ""))
	}()
	scripted := func() []byte {
		s := pdftest.NewSound()
		s.Catalog += " /OpenAction << /S /JavaScript /JS (1) >>"
		return s.Bytes(s.Page("", ""))
	}()
	partial := func() []byte {
		s := pdftest.NewSound()
		image := s.Stream("/Type /XObject /Subtype /Image /Width 9 /Height 9 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /JPXDecode", []byte("no image"))
		p := s.Page(pdftest.Place("Im1", 200, 100, 144, 144), fmt.Sprintf("/XObject << /Im1 %s >>", image))
		p.Annots = "<< /Type /Annot /Subtype /Text /F 0 /Rect [300 200 320 220] /Contents (a note) >>"
		return s.Bytes(p)
	}()
	direct := func() []byte {
		var b pdftest.Builder
		pages := b.Reserve()
		page := fmt.Sprintf("<< /Type /Page /Parent %s /MediaBox [0 0 99 99] /Annots [<< /Subtype /Text >>] >>", pages)
		b.Set(pages, "<< /Type /Pages /Count 2 /Kids [%s %s] >>", page, page)
		return b.Bytes(b.Add("<< /Type /Catalog /Pages %s >>", pages))
	}()
	encrypted := func() []byte {
		s := pdftest.NewEncrypted("", 0)
		return s.Bytes(s.Page("", ""))
	}()
	locked := func() []byte {
		s := pdftest.NewEncrypted("secret", 0)
		return s.Bytes(s.Page("", ""))
	}()
	all := func(reason report.FixReason) (skipped []report.SkippedFix) {
		for _, fix := range report.Fixes() {
			if fix.Automatic() {
				skipped = append(skipped, report.SkippedFix{Fix: fix, Reason: reason})
			}
		}
		return skipped
	}
	none := pdftest.Page{}
	unknown := pdftest.Pages(none)
	tests := map[string]struct {
		data   []byte
		ticket *jobticket.Ticket
		fixes  []report.Fix
		want   []report.SkippedFix
	}{
		"a signed file":                {data: signed, fixes: []report.Fix{report.FixActions}, want: []report.SkippedFix{{Fix: report.FixActions, Reason: report.FixSigned}}},
		"a signature without a field":  {data: certified, fixes: []report.Fix{report.FixActions}, want: []report.SkippedFix{{Fix: report.FixActions, Reason: report.FixSigned}}},
		"a signed file, for all fixes": {data: signed, want: []report.SkippedFix{{Fix: report.FixAnnotations, Reason: report.FixSigned}, {Fix: report.FixActions, Reason: report.FixSigned}}},
		"an encrypted file":            {data: encrypted, fixes: []report.Fix{report.FixActions}, want: []report.SkippedFix{{Fix: report.FixActions, Reason: report.FixEncrypted}}},
		"a file that is no PDF":        {data: []byte("no PDF"), fixes: []report.Fix{report.FixActions}, want: []report.SkippedFix{{Fix: report.FixActions, Reason: report.FixUnreadable}}},
		"no PDF, for all fixes":        {data: []byte("no PDF"), want: all(report.FixUnreadable)},
		"a file with a password":       {data: locked, want: all(report.FixEncrypted)},
		"a trim size without an order": {data: pdftest.Good(), fixes: []report.Fix{report.FixTrim}, want: []report.SkippedFix{{Fix: report.FixTrim, Reason: report.FixNoTrimSize}}},
		"a page of another size": {
			data: pdftest.Good(), ticket: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 50, Height: 50}}, fixes: []report.Fix{report.FixTrim},
			want: []report.SkippedFix{{Fix: report.FixTrim, Page: 1, Reason: report.FixOtherSize, Detail: "50 x 50 mm"}},
		},
		"a page of other proportions": {
			data: pdftest.Good(), ticket: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 50, Height: 50}}, fixes: []report.Fix{report.FixScale},
			want: []report.SkippedFix{{Fix: report.FixScale, Page: 1, Reason: report.FixProportions, Detail: "50 x 50 mm"}},
		},
		"colours without a printing condition": {
			data: intentless(pdftest.Good()), fixes: []report.Fix{report.FixColors}, want: []report.SkippedFix{{Fix: report.FixColors, Reason: report.FixNoProfile}},
		},
		"an output intent without a profile": {
			data: intentless(pdftest.Good()), fixes: []report.Fix{report.FixIntent}, want: []report.SkippedFix{{Fix: report.FixIntent, Reason: report.FixNoProfile}},
		},
		"one of two given fixes is not possible": {
			data: scripted, fixes: []report.Fix{report.FixActions, report.FixTrim}, want: []report.SkippedFix{{Fix: report.FixTrim, Reason: report.FixNoTrimSize}},
		},
		"a bleed without a TrimBox":          {data: unknown, fixes: []report.Fix{report.FixBleed}, want: []report.SkippedFix{{Fix: report.FixBleed, Page: 1, Reason: report.FixNoTrimBox}}},
		"a page without a number of its own": {data: direct, fixes: []report.Fix{report.FixAnnotations}, want: []report.SkippedFix{{Fix: report.FixAnnotations, Reason: report.FixStructure}}},
		"annotations beside an image that cannot be painted": {
			data: partial, fixes: []report.Fix{report.FixAnnotations}, want: []report.SkippedFix{{Fix: report.FixAnnotations, Reason: report.FixUnverified}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			update, log, err := preflight.Fix(t.Context(), bytes.NewReader(tc.data), int64(len(tc.data)), lookup(t, "print_ready"), tc.fixes, preflight.Options{Ticket: tc.ticket})
			if err != nil || update != nil || len(log.Applied) > 0 {
				t.Errorf("%d bytes, %v applied, error %v, want none", len(update), applied(log), err)
			}
			if diff := cmp.Diff(tc.want, log.Skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryReasonHasATextInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, reason := range report.FixReasons() {
		skipped := report.SkippedFix{Fix: report.FixBleed, Page: 7, Reason: reason, Detail: "Cut"}
		if en, de := skipped.Text("en"), skipped.Text("de"); en == "" || de == "" || en == de {
			t.Errorf("%s: %q in English, %q in German", reason, en, de)
		}
	}
}
