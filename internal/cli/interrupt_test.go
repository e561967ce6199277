// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// An operator interrupts a command that waits for a database. The doctor reports no finding and
// writes no archive then.
func TestInterruptedCommandEndsWith130(t *testing.T) {
	t.Parallel()
	bundle := filepath.Join(t.TempDir(), "bundle.tgz")
	for name, args := range map[string][]string{"migrate": {"migrate"}, "doctor": {"doctor", "--bundle=" + bundle}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			interrupt(t, args...)
			if _, err := os.Stat(bundle); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want no file", bundle, err)
			}
		})
	}
}

// interrupt interrupts a command that has connected to a database, and checks its exit code.
func interrupt(t *testing.T, args ...string) {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	defer func() { _ = silent.Close() }()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append(args, "--database=postgres://printmarket@"+silent.Addr().String()+"/none?sslmode=disable")...)
	var output bytes.Buffer
	command.Stdout = &output
	if err := command.Start(); err != nil {
		t.Fatalf("start: %v", err)
	}
	conn, err := silent.Accept()
	if err != nil {
		t.Fatalf("Accept: %v", err)
	}
	defer func() { _ = conn.Close() }()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatalf("interrupt: %v", err)
	}
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("an interrupted command ended with %v, want exit code 130", err)
	}
	if output.Len() > 0 {
		t.Errorf("an interrupted command printed\n%s", output.String())
	}
}
