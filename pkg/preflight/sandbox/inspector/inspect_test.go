// SPDX-License-Identifier: Apache-2.0

package inspector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

func file(t *testing.T, data []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("os.Open: %v", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// asking returns the input of an inspector: its release, and a request with an embedded profile.
func asking(t *testing.T, name string, request sandbox.Request) string {
	t.Helper()
	p, err := profile.Lookup(name)
	if err != nil {
		t.Fatalf("profile.Lookup(%q): %v", name, err)
	}
	request.Profile = p
	data, err := request.Encode()
	if err != nil {
		t.Fatalf("request.Encode: %v", err)
	}
	return "x" + string(data)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestExitCodes(t *testing.T) {
	t.Parallel()
	closed := file(t, pdftest.Good())
	if err := closed.Close(); err != nil {
		t.Fatalf("closed.Close: %v", err)
	}
	good := asking(t, "print_ready", sandbox.Request{})
	tests := map[string]struct {
		in   string
		file *os.File
		out  io.Writer
		want int
	}{
		"a good file":                            {good, file(t, pdftest.Good()), nil, sandbox.ExitReport},
		"a bad file is a report":                 {good, file(t, nil), nil, sandbox.ExitReport},
		"a ticket":                               {asking(t, "print_ready", sandbox.Request{Ticket: &jobticket.Ticket{Pages: 1}}), file(t, pdftest.Good()), nil, sandbox.ExitReport},
		"no request":                             {"x", file(t, nil), nil, sandbox.ExitUsage},
		"a request that is not JSON":             {"xx", file(t, nil), nil, sandbox.ExitUsage},
		"no profile":                             {"x{}", file(t, nil), nil, sandbox.ExitUsage},
		"a parent that gave up":                  {"", file(t, nil), nil, sandbox.ExitNotReleased},
		"a PDF that is not there":                {good, closed, nil, sandbox.ExitInput},
		"the report cannot be written":           {good, file(t, nil), fullDisk{}, sandbox.ExitInternal},
		"a directory is no PDF":                  {good, directory(t), nil, sandbox.ExitInput},
		"annotations of a file that is in order": {asking(t, "print_ready", sandbox.Request{Annotate: true}), file(t, pdftest.Pages(pdftest.Page{})), nil, sandbox.ExitReport},
		"annotations of no PDF":                  {asking(t, "print_ready", sandbox.Request{Annotate: true}), file(t, nil), nil, int(report.RefusedUnreadable)},
		"the annotations cannot be written":      {asking(t, "print_ready", sandbox.Request{Annotate: true}), file(t, pdftest.Pages(pdftest.Page{})), fullDisk{}, sandbox.ExitInternal},
		"fixes of a file with a fault":           {asking(t, "print_ready", sandbox.Request{Fix: true}), file(t, pdftest.Pages(pdftest.Page{Extra: "/AA << /O << /S /JavaScript /JS (1) >> >>"})), nil, sandbox.ExitReport},
		"fixes of no PDF":                        {asking(t, "print_ready", sandbox.Request{Fix: true, Fixes: []report.Fix{report.FixBleed}}), file(t, nil), nil, sandbox.ExitReport},
		"the fixes cannot be written":            {asking(t, "print_ready", sandbox.Request{Fix: true}), file(t, pdftest.Pages(pdftest.Page{})), fullDisk{}, sandbox.ExitInternal},
		"structure only, the same":               {asking(t, "structure_only", sandbox.Request{}), file(t, pdftest.Good()), nil, sandbox.ExitReport},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if tc.out == nil {
				tc.out = &out
			}
			code, err := run(strings.NewReader(tc.in), tc.file, tc.file, io.Discard, tc.out)
			if code != tc.want || (err == nil) != (code == sandbox.ExitReport) {
				t.Fatalf("exit %d, %v, want %d", code, err, tc.want)
			}
			check := func(data []byte) error { _, err := report.Decode(data); return err }
			if strings.Contains(tc.in, "annotate") {
				check = report.CheckUpdate
			}
			if strings.Contains(tc.in, "fix") {
				check = func(data []byte) error { _, _, err := report.DecodeFix(data); return err }
			}
			if err := check(out.Bytes()); (err == nil) != (code == sandbox.ExitReport) {
				t.Errorf("exit %d with output %q", code, out.String())
			}
		})
	}
}

func TestPicturesFollowTheReport(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		data  []byte
		pages int
	}{"a good file": {pdftest.Good(), 1}, "no PDF": {nil, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := file(t, tc.data)
			var want, got bytes.Buffer
			if code, err := run(strings.NewReader(asking(t, "print_ready", sandbox.Request{})), in, in, io.Discard, &want); code != sandbox.ExitReport {
				t.Fatalf("exit %d, %v", code, err)
			}
			ask := asking(t, "print_ready", sandbox.Request{Pictures: true})
			if code, err := run(strings.NewReader(ask), in, in, io.Discard, &got); code != sandbox.ExitReport {
				t.Fatalf("exit %d, %v", code, err)
			}
			n := int(binary.BigEndian.Uint32(got.Bytes()))
			if diff := cmp.Diff(want.String(), string(got.Bytes()[4:4+n])); diff != "" {
				t.Errorf("report (-without pictures +with):\n%s", diff)
			}
			pictures := got.Bytes()[4+n:]
			set, err := pageimage.Open(bytes.NewReader(pictures), int64(len(pictures)))
			if (err == nil) != (tc.pages > 0) || err == nil && len(set.Pages()) != tc.pages {
				t.Errorf("%d bytes of pictures, %v; want %d pages", len(pictures), err, tc.pages)
			}
			if code, err := run(strings.NewReader(ask), in, in, io.Discard, fullDisk{}); code != sandbox.ExitInternal || err == nil {
				t.Errorf("exit %d, %v, want %d", code, err, sandbox.ExitInternal)
			}
		})
	}
}

func TestProgressIsWrittenUntilAWriteFails(t *testing.T) {
	t.Parallel()
	three := pdftest.Pages(pdftest.Page{}, pdftest.Page{}, pdftest.Page{})
	ask := asking(t, "structure_only", sandbox.Request{})
	var wire, out bytes.Buffer
	if code, err := run(strings.NewReader(ask), file(t, three), nil, &wire, &out); code != sandbox.ExitReport {
		t.Fatalf("exit %d, %v", code, err)
	}
	var got []sandbox.Progress
	sandbox.ReadProgress(&wire, func(p sandbox.Progress) { got = append(got, p) })
	if diff := cmp.Diff([]sandbox.Progress{{Done: 1, Total: 3}, {Done: 2, Total: 3}, {Done: 3, Total: 3}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if code, err := run(strings.NewReader(ask), file(t, three), nil, fullDisk{}, io.Discard); code != sandbox.ExitReport {
		t.Errorf("progress cannot be written: exit %d, %v", code, err)
	}
}

func directory(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatalf("os.Open: %v", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestInspectorStaysSmall keeps packages that start slowly, or could leak a secret, out of the
// process that opens foreign files. net/http is not on the list: the parser imports it for
// certificates of signatures.
func TestInspectorStaysSmall(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/printmarket/printmarket/workers/inspector").Output()
	if err != nil {
		t.Skipf("skipped: go list does not run here: %v", err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("only %d dependencies listed", len(deps))
	}
	for _, dep := range deps {
		for _, heavy := range []string{
			"k8s.io/", "sigs.k8s.io/controller-runtime", "github.com/google/cel-go", "modernc.org/", "github.com/jackc/pgx",
			"github.com/redis/", "github.com/spf13/cobra", "github.com/prometheus/", "go.opentelemetry.io/", "google.golang.org/grpc",
			"github.com/pdfcpu/pdfcpu/pkg/api", "github.com/pdfcpu/pdfcpu/pkg/cli",
		} {
			if strings.HasPrefix(dep, heavy) {
				t.Errorf("the inspector links %s", dep)
			}
		}
		own, isOurs := strings.CutPrefix(dep, "github.com/printmarket/printmarket/")
		if isOurs && !strings.HasPrefix(own, "pkg/preflight") && own != "workers/inspector" {
			t.Errorf("the inspector links %s", dep)
		}
	}
}

// TestReportNeedsNoParser keeps the parser out of programs that only transport reports or
// name profiles: the API server and the sandbox.
func TestReportNeedsNoParser(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"pkg/preflight/sandbox", "pkg/preflight/report", "pkg/preflight/profile", "pkg/preflight/rules"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/printmarket/printmarket/"+pkg).Output()
		if err != nil {
			t.Skipf("skipped: go list does not run here: %v", err)
		}
		if strings.Contains(string(out), "pdfcpu") {
			t.Errorf("%s links the parser", pkg)
		}
	}
}
