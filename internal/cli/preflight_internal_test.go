// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

func TestPreflightFlagsDescribeTheOrder(t *testing.T) {
	t.Parallel()
	a5 := &jobticket.Size{Width: 148, Height: 210}
	tests := map[string]struct {
		args string
		want *jobticket.Ticket
		err  string
	}{
		"no flag":                      {"", nil, ""},
		"a size":                       {"--trim-size=148x210", &jobticket.Ticket{TrimSize: a5}, ""},
		"a size with a unit":           {"--trim-size=148X210mm", &jobticket.Ticket{TrimSize: a5}, ""},
		"everything":                   {"--trim-size=148x210 --pages=8 --process=4 --spot=Gold --spot=Die --quantity=500", &jobticket.Ticket{TrimSize: a5, Pages: 8, Quantity: 500, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold", "Die"}}}, ""},
		"no process inks":              {"--process=0 --spot=Black", &jobticket.Ticket{Colors: &jobticket.Colors{Spots: []string{"Black"}}}, ""},
		"spot colours alone":           {"--spot=Gold", nil, "--spot requires --process"},
		"an invalid size":              {"--trim-size=A5", nil, "not of the form 148x210"},
		"a size of 0":                  {"--trim-size=0x210", nil, "trimSize"},
		"a size of NaN":                {"--trim-size=NaNx210", nil, "trimSize"},
		"three process inks":           {"--process=3", nil, "colors.process"},
		"a negative number of pages":   {"--pages=-1", nil, "pages"},
		"a spot colour without a name": {"--process=4 --spot=", nil, "spot colour"},
		"no bleed":                     {"--bleed=0", &jobticket.Ticket{Product: jobticket.Product{Bleed: new(0.0)}}, ""},
		"a negative bleed":             {"--bleed=-1", nil, "bleed must be 0 to 100 mm"},
		"no pages":                     {"--pages=0", nil, "--pages must be more than 0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ticket ticketFlags
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			ticket.flags(flags)
			if err := flags.Parse(strings.Fields(tc.args)); err != nil {
				t.Fatalf("flags.Parse: %v", err)
			}
			got, err := ticket.ticket(flags)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want %s", err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestPreflightProgressFitsOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	bar := &progressBar{out: &out, width: 60, name: "flyer.pdf"}
	bar.clear()
	for _, done := range []int{0, 1, 1, 4} {
		bar.show(done, 4)
	}
	bar.clear()
	want := []string{
		"", "[                        ] 0 of 4 pages  flyer.pdf", "[======                  ] 1 of 4 pages  flyer.pdf",
		"[========================] 4 of 4 pages  flyer.pdf", "",
	}
	if diff := cmp.Diff(want, strings.Split(out.String(), "\r\x1b[K")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for width := range 80 {
		narrow := &progressBar{width: width, name: "Übergröße.pdf"}
		if got := len([]rune(narrow.line(2000, 0))); got >= max(width, 1) {
			t.Errorf("%d characters in a terminal of %d", got, width)
		}
	}
}

func TestPreflightColoursFollowTheEnvironment(t *testing.T) {
	t.Parallel()
	for environment, want := range map[string]bool{"": true, "TERM=xterm": true, "TERM=dumb": false, "NO_COLOR=1": false, "NO_COLOR=": true} {
		name, value, _ := strings.Cut(environment, "=")
		got := colorful(func(variable string) string {
			if variable == name {
				return value
			}
			return ""
		})
		if got != want {
			t.Errorf("%s: colours %t", environment, got)
		}
	}
}

func TestPreflightReplacesItsOutputFileAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "report.html"), filepath.Join(dir, "link.html")
	if err := os.Symlink("report.html", link); err != nil {
		t.Fatalf(`os.Symlink("report.html", %q): %v`, link, err)
	}
	for _, step := range []struct{ path, content string }{{target, "first"}, {target, "second, and longer"}, {link, "third"}} {
		if err := replaceFile(step.path, saying(step.content)); err != nil {
			t.Fatalf("replaceFile(%q): %v", step.path, err)
		}
		if got, err := os.ReadFile(target); err != nil || string(got) != step.content {
			t.Errorf("%s: %q, %v", step.path, got, err)
		}
	}
	if err := replaceFile(os.DevNull, saying("x")); err != nil {
		t.Errorf("replaceFile: %v", err)
	}
	if err := replaceFile(filepath.Join(dir, "none", "report.html"), saying("")); err == nil {
		t.Error("wrote into a directory that does not exist")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// saying writes a text.
func saying(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func TestPreflightDoesNotWaitForTheWriterOfAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatalf("syscall.Mkfifo(%q): %v", pipe, err)
	}
	var in inspection
	err := in.open(pipe, func(sandbox.Spec) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error = %v", err)
	}
}
