// SPDX-License-Identifier: Apache-2.0

// Package programs locates the programs that the scripts in tools build or install for
// tests, and finds loopback addresses for those that are servers. The programs are in a
// cache of the user, by version, so that no program is built twice and versions are never
// mixed.
package programs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// ErrNoHome reports an environment without a directory for caches.
var ErrNoHome = errors.New("neither XDG_CACHE_HOME nor HOME is set")

// Cache returns the directory of all programs, from the environment that getenv reads, or
// [ErrNoHome].
func Cache(getenv func(string) string) (string, error) {
	cache := getenv("XDG_CACHE_HOME")
	if cache == "" {
		home := getenv("HOME")
		if home == "" {
			return "", ErrNoHome
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "printmarket"), nil
}

// Directory returns the directory into which build.sh of a tool puts the programs of these
// versions, or [ErrNoHome]. The script computes the same path.
func Directory(getenv func(string) string, tool, versions string) (string, error) {
	cache, err := Cache(getenv)
	if err != nil {
		return "", err
	}
	toolchain, _, _ := strings.Cut(runtime.Version(), " ")
	return filepath.Join(cache, tool, fmt.Sprintf("%s-%s-%s", versions, toolchain, runtime.GOARCH)), nil
}

// Built returns the path of a program that tools/TOOL/build.sh builds from a Go module. The
// program lies among those of PREFIX-VERSION, with the version of the module in tools/TOOL/go.mod;
// root is the path of the repository. Without the program the test is skipped, or fails if the
// environment variable named required is set.
func Built(t testing.TB, root, tool, module, prefix, program, required string) string {
	t.Helper()
	version, err := moduleVersion(filepath.Join(root, "tools", tool, "go.mod"), module)
	if err != nil {
		t.Fatalf("find the version of %s: %v", program, err)
	}
	set, _, _ := strings.Cut(tool, "/")
	directory, err := Directory(os.Getenv, set, prefix+"-"+version)
	if err != nil {
		t.Fatalf("find %s: %v", program, err)
	}
	path := filepath.Join(directory, program)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv(required) != "" {
			t.Fatalf("run tools/%s/build.sh: %v", tool, err)
		}
		t.Skipf("run tools/%s/build.sh: %v", tool, err)
	}
	return path
}

// moduleVersion returns the version of a module that a file go.mod requires.
func moduleVersion(file, module string) (string, error) {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return "", err
	}
	parsed, err := modfile.ParseLax(file, text, nil)
	if err != nil {
		return "", err
	}
	for _, require := range parsed.Require {
		if require.Mod.Path == module {
			return require.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", file, module)
}

// NPM returns the directory node_modules of the packages that tools/npm/install.sh
// installs. Without the packages the test is skipped, or fails if PRINTMARKET_NPM_REQUIRED
// is set.
func NPM(t testing.TB) string {
	t.Helper()
	cache, err := Cache(os.Getenv)
	if err != nil {
		t.Fatalf("find the cache: %v", err)
	}
	modules := filepath.Join(cache, "npm", "current", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		if os.Getenv("PRINTMARKET_NPM_REQUIRED") != "" {
			t.Fatalf("run tools/npm/install.sh: %v", err)
		}
		t.Skipf("run tools/npm/install.sh: %v", err)
	}
	return modules
}
