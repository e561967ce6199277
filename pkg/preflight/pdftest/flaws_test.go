// SPDX-License-Identifier: Apache-2.0

package pdftest_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// closed lists the rules whose flaw prevents opening the file.
var closed = []string{"file.empty", "file.not_pdf", "structure.unreadable", "security.password_required", "limits.structure"}

// noted returns the facts of a file and the rules of its incidents.
func noted(t *testing.T, data []byte) (*facts.Document, []string) {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil {
		t.Fatalf("document.Open: %v", err)
	}
	if file != nil {
		file.Pages()
	}
	var rules []string
	for _, in := range collector.Document().Incidents {
		rules = append(rules, in.Rule)
	}
	return collector.Document(), rules
}

func TestFlawedFilesOpenAndTheirTwinsAreSound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, flaw := range pdftest.Flaws() {
		name := flaw.Rule + " " + flaw.Variant
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken, twin := flaw.Breaks(), flaw.Twin()
			if bytes.Equal(broken, twin) {
				t.Error("the two files are the same")
			}
			if !strings.HasPrefix(flaw.Rule, "limits.") && !bytes.Equal(broken, flaw.Breaks()) {
				t.Error("the file is another one each time")
			}
			if doc, _ := noted(t, broken); doc.Opened == slices.Contains(closed, flaw.Rule) {
				t.Errorf("opened %t", doc.Opened)
			}
			doc, rules := noted(t, twin)
			if !doc.Opened {
				t.Error("the twin does not open")
			}
			if slices.ContainsFunc(rules, func(rule string) bool { return rule != "security.encrypted" }) {
				t.Errorf("the twin has incidents: %v", rules)
			}
		})
	}
}

// TestOtherProgramsOpenTheFiles opens the files with poppler, an independent implementation.
func TestOtherProgramsOpenTheFiles(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pdfinfo")
	if err != nil {
		t.Skip("skipped: pdfinfo is not installed")
	}
	for _, flaw := range pdftest.Flaws() {
		if strings.HasPrefix(flaw.Rule, "limits.") {
			continue
		}
		t.Run(flaw.Rule+" "+flaw.Variant, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program, "-box", "-")
			var complaints bytes.Buffer
			cmd.Stdin, cmd.Stderr = bytes.NewReader(flaw.Twin()), &complaints
			if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte("Pages:")) || complaints.Len() > 0 {
				t.Errorf("%v: %s%s", err, complaints.String(), out)
			}
		})
	}
}

func TestOtherProgramsReadTheFont(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("skipped: pdftoppm is not installed")
	}
	s := pdftest.NewSound()
	p := s.Page("", "")
	p.Content = "0 0 0 1 k BT /F1 400 Tf 60 60 Td (AB) Tj ET"
	cmd := exec.CommandContext(t.Context(), program, "-r", "18", "-gray", "-")
	var complaints, out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(s.Bytes(p)), &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	dark := bytes.Count(out.Bytes(), []byte{0}) + bytes.Count(out.Bytes(), []byte{0x23})
	if black := out.Len() / 20; dark < black {
		t.Errorf("%d of %d pixels are inked: the glyphs do not show", dark, out.Len())
	}
}
