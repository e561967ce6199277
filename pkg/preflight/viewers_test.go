// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers lists other PDF programs with the words that mark their complaints.
var readers = map[string]struct {
	command    []string
	complaints []string
}{
	"poppler": {[]string{"pdftoppm", "-r", "10", "-png"}, []string{"Error", "Warning"}},
	"qpdf":    {[]string{"qpdf", "--check"}, []string{"WARNING", "ERROR"}},
	"mupdf":   {[]string{"mutool", "info"}, []string{"error", "warning"}},
} // constant

// TestOtherReadersAcceptTheCopyAsTheyAcceptTheFile runs each reader on a file and on
// its annotated copy. A reader may complain about the copy only if it complains about
// the file: qpdf warns about a page that stands in the page tree twice.
func TestOtherReadersAcceptTheCopyAsTheyAcceptTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for reader, tc := range readers {
		t.Run(reader, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(tc.command[0])
			if err != nil {
				t.Fatalf("%s is not installed; make setup installs it: %v", reader, err)
			}
			// check returns the exit code and which complaints the reader printed.
			check := func(name string, data []byte) (int, []string) {
				path := filepath.Join(dir, reader+" "+name+".pdf")
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatalf("os.WriteFile(%q): %v", path, err)
				}
				cmd := exec.CommandContext(t.Context(), program, append(tc.command[1:], path)...)
				cmd.Stdout = new(bytes.Buffer)
				var printed strings.Builder
				cmd.Stderr = &printed
				if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
					t.Fatalf("%s %s: %v", reader, name, err)
				}
				complaints := slices.DeleteFunc(slices.Clone(tc.complaints), func(word string) bool { return !strings.Contains(printed.String(), word) })
				return cmd.ProcessState.ExitCode(), complaints
			}
			for name, data := range files() {
				wantCode, want := check(name, data)
				gotCode, got := check(name+" copy", annotated(t, data))
				isNew := func(word string) bool { return !slices.Contains(want, word) }
				if gotCode > wantCode || slices.ContainsFunc(got, isNew) {
					t.Errorf("%s: the copy ends with %d and %q, want at most %d and %q as for the file", name, gotCode, got, wantCode, want)
				}
			}
		})
	}
}

// TestCopyLooksDifferentAndPrintsTheSame renders file and copy with poppler, for the screen and
// for print.
func TestCopyLooksDifferentAndPrintsTheSame(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pdftocairo")
	if err != nil {
		t.Fatalf("pdftocairo is not installed; make setup installs it: %v", err)
	}
	dir := t.TempDir()
	data := files()["turned by 90 degrees"]
	draw := func(name string, data []byte, args ...string) string {
		path := filepath.Join(dir, name+".pdf")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
		out, err := exec.CommandContext(t.Context(), program, append(args, path, "-")...).Output()
		if err != nil {
			t.Fatalf("Output: %v", err)
		}
		return string(out)
	}
	screen := []string{"-png", "-singlefile", "-r", "30"}
	paper := []string{"-ps"}
	if draw("file", data, screen...) == draw("copy", annotated(t, data), screen...) {
		t.Error("the comments cannot be seen")
	}
	before, after := drawing(draw("file", data, paper...)), drawing(draw("copy", annotated(t, data), paper...))
	if before == "" || before != after {
		t.Errorf("the comments are printed: %d bytes became %d", len(before), len(after))
	}
}

// drawing returns PostScript without its header, which contains dates.
func drawing(postscript string) string {
	_, after, _ := strings.Cut(postscript, "%%EndComments")
	return after
}
