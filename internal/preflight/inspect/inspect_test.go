// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/testpdf"
)

func file(t *testing.T, data []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestExitCodes(t *testing.T) {
	t.Parallel()
	closed := file(t, testpdf.Good())
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args    []string
		release string
		file    *os.File
		out     io.Writer
		want    int
	}{
		"a good file":              {[]string{"print_ready"}, "x", file(t, testpdf.Good()), nil, report.ExitReport},
		"a bad file is a report":   {[]string{"print_ready"}, "x", file(t, nil), nil, report.ExitReport},
		"no profile":               {nil, "x", file(t, nil), nil, report.ExitUsage},
		"two profiles":             {[]string{"print_ready", "print_ready"}, "x", file(t, nil), nil, report.ExitUsage},
		"an unknown profile":       {[]string{"nope"}, "x", file(t, nil), nil, report.ExitUsage},
		"a parent that gave up":    {[]string{"print_ready"}, "", file(t, nil), nil, report.ExitNotReleased},
		"a PDF that is not there":  {[]string{"print_ready"}, "x", closed, nil, report.ExitInput},
		"nobody takes the report":  {[]string{"print_ready"}, "x", file(t, nil), fullDisk{}, report.ExitInternal},
		"a directory is no PDF":    {[]string{"print_ready"}, "x", directory(t), nil, report.ExitInput},
		"structure only, the same": {[]string{"structure_only"}, "x", file(t, testpdf.Good()), nil, report.ExitReport},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if tc.out == nil {
				tc.out = &out
			}
			code, err := run(tc.args, strings.NewReader(tc.release), tc.file, tc.out)
			if code != tc.want || (err == nil) != (code == report.ExitReport) {
				t.Fatalf("exit %d, %v, want %d", code, err, tc.want)
			}
			if _, err := report.Decode(out.Bytes()); (err == nil) != (code == report.ExitReport) {
				t.Errorf("exit %d with output %q", code, out.String())
			}
		})
	}
}

func directory(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestInspectorStaysSmall keeps what makes a binary start slowly, or what could
// leak a secret, out of the process that opens foreign files. net/http is not
// on the list: the parser brings it, for certificates of signatures.
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
		if strings.HasPrefix(dep, "github.com/printmarket/") && !strings.Contains(dep, "/internal/preflight") && !strings.HasSuffix(dep, "/workers/inspector") {
			t.Errorf("the inspector links %s", dep)
		}
	}
}

// TestReportNeedsNoParser keeps the parser out of everybody who only carries
// reports or names profiles: the API server and the sandbox.
func TestReportNeedsNoParser(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"internal/preflight/report", "internal/preflight/profile", "internal/preflight/rules", "internal/sandbox"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/printmarket/printmarket/"+pkg).Output()
		if err != nil {
			t.Skipf("skipped: go list does not run here: %v", err)
		}
		if strings.Contains(string(out), "pdfcpu") {
			t.Errorf("%s links the parser", pkg)
		}
	}
}
