// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/printmarket/printmarket/test/programs"
)

// TestClientExamplesPrintTheOutputOfTheReadme compiles the TypeScript client, and runs the quick
// start of each language against a platform.
func TestClientExamplesPrintTheOutputOfTheReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../clients/README.md")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindSubmatch(readme)
	if shown == nil {
		t.Fatal("clients/README.md shows no output")
	}
	p := startDev(t, t.TempDir())
	for language, commands := range map[string]string{
		"Python":     "python3 clients/python/quickstart.py",
		"TypeScript": typescriptQuickstart(t),
	} {
		if printed := p.shell("set -a\nPYTHONDONTWRITEBYTECODE=1\n. .printmarket/dev.env\ncd ../..\n" + commands); printed != string(shown[1]) {
			t.Errorf("%s printed\n%s\nwant\n%s", language, printed, shown[1])
		}
	}
}

// typescriptQuickstart returns the commands that compile the client beside its packages
// and run its quick start.
func typescriptQuickstart(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	if err := os.CopyFS(directory, os.DirFS("../../clients/typescript")); err != nil {
		t.Fatalf("copy the TypeScript client: %v", err)
	}
	modules := programs.NPM(t)
	if err := os.Symlink(modules, filepath.Join(directory, "node_modules")); err != nil {
		t.Fatalf("link the packages: %v", err)
	}
	return "cd '" + directory + "' && node_modules/.bin/tsc && node dist/quickstart.js"
}
