// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// outside is the program of another module.
const outside = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

func main() {
	file, _ := os.Open(os.Args[1])
	info, _ := file.Stat()
	p, _ := profile.Lookup("print_ready")
	r, err := preflight.Inspect(context.Background(), file, info.Size(), p, preflight.Options{})
	fmt.Println(r.Verdict, len(r.Findings), err)
}
`

func TestAnotherModuleInspectsAFileInFifteenLines(t *testing.T) {
	t.Parallel()
	if n := strings.Count(strings.ReplaceAll(outside, "\n\n", "\n"), "\n"); n > 15 {
		t.Errorf("the program has %d lines that are not blank", n)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatalf("filepath.Abs: %v", err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	dir := t.TempDir()
	module := "module example.com/outside\n\ngo 1.26\n\nrequire github.com/printmarket/printmarket v0.0.0\n\nreplace github.com/printmarket/printmarket => " + root + "\n"
	for name, data := range map[string][]byte{"main.go": []byte(outside), "go.mod": []byte(module), "go.sum": sums, "good.pdf": pdftest.Good()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".", "good.pdf")
	cmd.Dir = dir
	// The modules are those of this one, which are on the machine.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if want := "pass 1 <nil>\n"; err != nil || string(out) != want {
		t.Errorf("error %v, output %q, want %q", err, out, want)
	}
}
