// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readers are programs that say nothing about a file that is in order.
var readers = map[string]struct {
	command []string
	// quiet says what its output must not hold.
	quiet []string
}{
	"poppler": {[]string{"pdftoppm", "-r", "10", "-png"}, []string{"Error", "Warning"}},
	"qpdf":    {[]string{"qpdf", "--check"}, []string{"WARNING", "ERROR"}},
	"mupdf":   {[]string{"mutool", "info"}, []string{"error", "warning"}},
} // constant

func TestOtherReadersHaveNothingToSayAgainstTheCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths := map[string]string{}
	for name, data := range files() {
		paths[name] = filepath.Join(dir, fmt.Sprintf("%d.pdf", len(paths)))
		if err := os.WriteFile(paths[name], annotated(t, data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for reader, tc := range readers {
		t.Run(reader, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(tc.command[0])
			if err != nil {
				t.Skipf("skipped: %s is not installed: %v", reader, err)
			}
			for name, path := range paths {
				cmd := exec.CommandContext(t.Context(), program, append(tc.command[1:], path)...)
				cmd.Stdout = new(bytes.Buffer)
				var said strings.Builder
				cmd.Stderr = &said
				if err := cmd.Run(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for _, word := range tc.quiet {
					if strings.Contains(said.String(), word) {
						t.Errorf("%s: %s", name, said.String())
					}
				}
			}
		})
	}
}

// TestTheCopyLooksDifferentAndPrintsTheSame has poppler draw file and copy, as
// for the screen and as for paper.
func TestTheCopyLooksDifferentAndPrintsTheSame(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pdftocairo")
	if err != nil {
		t.Skipf("skipped: pdftocairo of poppler-utils is not installed: %v", err)
	}
	dir := t.TempDir()
	data := files()["turned by 90 degrees"]
	draw := func(name string, data []byte, args ...string) string {
		path := filepath.Join(dir, name+".pdf")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), program, append(args, path, "-")...).Output()
		if err != nil {
			t.Fatal(err)
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

// drawing is PostScript without its header, which has dates.
func drawing(postscript string) string {
	_, after, _ := strings.Cut(postscript, "%%EndComments")
	return after
}
