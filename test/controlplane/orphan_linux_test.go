// SPDX-License-Identifier: Apache-2.0

package controlplane_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/eventually"
)

// childVariable turns the test binary into a process that starts a plane and panics.
const childVariable = "CONTROLPLANE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		panicWithPlane()
	}
	os.Exit(m.Run())
}

func panicWithPlane() {
	plane, err := controlplane.Launch(context.Background(), controlplane.Options{})
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(filepath.Dir(plane.Admin().Kubeconfig()))
	panic("with a plane")
}

func TestServersDieWithAProcessThatPanics(t *testing.T) {
	t.Parallel()
	if _, err := controlplane.FindAssets(); err != nil {
		t.Skip(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatalf("os.Executable: %v", err)
	}
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), childVariable+"=1")
	output, err := command.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Fatalf("the child ended with %v and printed %q; want a panic", err, output)
	}
	directory := strings.TrimSpace(string(output))
	t.Cleanup(func() { _ = os.RemoveAll(directory) })

	eventually.Succeeds(t, func() error {
		running, err := processesOf(directory)
		if err == nil && len(running) > 0 {
			err = fmt.Errorf("still running: %q", running)
		}
		return err
	})
}

// processesOf returns the processes that have a directory in their command line.
func processesOf(directory string) ([]string, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, file := range files {
		// A process that has ended meanwhile has no file.
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), directory+"/") {
			found = append(found, string(line))
		}
	}
	return found, nil
}
