// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// built holds the executables that the tests start. They are built once, without
// cgo and without the race detector, as in production: both need more memory
// than the limits leave.
var built struct{ dir string }

func inspector() sandbox.Inspector {
	return sandbox.Inspector{Path: filepath.Join(built.dir, "inspector")}
}

func misbehave(mode string) sandbox.Inspector {
	return sandbox.Inspector{Path: filepath.Join(built.dir, "misbehave"), Args: []string{mode}}
}

func TestMain(m *testing.M) {
	if os.Getenv(secretiveEnv) != "" {
		os.Exit(beSecretive())
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	built.dir = dir
	for name, pkg := range map[string]string{"inspector": "../../../workers/inspector", "misbehave": "./testdata/misbehave"} {
		cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", pkg, err, out)
			return 1
		}
	}
	return m.Run()
}

// selected returns an embedded profile.
func selected(t testing.TB, name string) profile.Profile {
	t.Helper()
	p, err := profile.Lookup(name)
	if err != nil {
		t.Fatalf("profile.Lookup(%q): %v", name, err)
	}
	return p
}
