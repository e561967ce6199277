// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// The flags of the compiler equal those of the Makefile, so that the packed executables were
// tested and share the build cache.
const (
	goFlags         = "-trimpath -buildvcs=false"
	linkFlags       = "-s -w"
	versionVariable = "github.com/printmarket/printmarket/internal/process.Version"
)

// executables lists the packages of the platform's module by the names of their executables. The
// platform looks for the inspector in its own directory.
var executables = []struct{ name, pkg string }{
	{"printmarket", "."},
	{"inspector", "./workers/inspector"},
}

// compile builds the executables for a platform into a directory.
func compile(ctx context.Context, source, dir string, p v1.Platform, version string) error {
	for _, one := range executables {
		if err := goBuild(ctx, source, filepath.Join(dir, one.name), one.pkg, p, version); err != nil {
			return fmt.Errorf("compile %s: %w", one.name, err)
		}
	}
	return nil
}

func goBuild(ctx context.Context, source, output, pkg string, p v1.Platform, version string) error {
	command := exec.CommandContext(ctx, "go", "build", "-ldflags", linkFlags+" -X "+versionVariable+"="+version, "-o", output, pkg)
	command.Dir = source
	command.Env = append(os.Environ(), environment(p)...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// environment sets every variable that affects an executable, so that the settings of the machine
// do not.
func environment(p v1.Platform) []string {
	return []string{
		"CGO_ENABLED=0", "GOFLAGS=" + goFlags, "GOOS=" + p.OS, "GOARCH=" + p.Architecture, architectures[p.String()],
		"GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
	}
}

// output runs a go command in the platform's module.
func output(ctx context.Context, source string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = source
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var problem strings.Builder
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, problem.String())
	}
	return string(out), nil
}
