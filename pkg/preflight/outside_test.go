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

// outside are programs of another module: one inspects in its own process, one in another.
var outside = map[string]string{"in its own process": `package main

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
	fmt.Println(r.Verdict, err)
}
`, "in a sandbox": `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox/inspector"
)

func main() {
	if os.Args[1] == sandbox.InspectorArg {
		os.Exit(inspector.Main())
	}
	file, _ := os.Open(os.Args[1])
	self, _ := sandbox.Find(sandbox.InspectorArg)
	p, _ := profile.Lookup("print_ready")
	made, err := sandbox.Run(context.Background(), sandbox.Spec{Inspector: self, Profile: p, File: file})
	fmt.Println(made.Verdict, err)
}
`} // constant

func TestAnotherModuleInspectsAFileInFewLines(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatalf("filepath.Abs: %v", err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	module := "module example.com/outside\n\ngo 1.26\n\nrequire github.com/printmarket/printmarket v0.0.0\n\nreplace github.com/printmarket/printmarket => " + root + "\n"
	for name, program := range outside {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, body, _ := strings.Cut(program, ")\n")
			if n := strings.Count(body, "\n"); n > 15 {
				t.Errorf("the program has %d lines below its imports", n)
			}
			dir := t.TempDir()
			for name, data := range map[string][]byte{"main.go": []byte(program), "go.mod": []byte(module), "go.sum": sums, "good.pdf": pdftest.Good()} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatalf("os.WriteFile: %v", err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".", "good.pdf")
			cmd.Dir = dir
			// The modules are those of this one, which are on the machine.
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			if want := "pass <nil>\n"; err != nil || string(out) != want {
				t.Errorf("error %v, output %q, want %q", err, out, want)
			}
		})
	}
}
