// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// An operator interrupts a command that waits for a database.
func TestInterruptedCommandEndsWith130(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	defer func() { _ = silent.Close() }()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "migrate", "--database=postgres://printmarket@"+silent.Addr().String()+"/none?sslmode=disable")
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
}
