// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// secretiveEnv makes the test binary a process with a secret in its environment, which
// forbids dumps if the value is "forbid".
const secretiveEnv = "PRINTMARKET_TEST_SECRETIVE"

// beSecretive runs the process until its standard input ends.
func beSecretive() int {
	if os.Getenv(secretiveEnv) == "forbid" {
		if err := sandbox.ForbidDumps(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	fmt.Fprintln(os.Stdout, "ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// TestForbidDumpsHidesTheEnvironmentFromProcessesOfTheUser reads /proc/PID/environ as the
// user of the process. If the test runs as root, both run as another user.
func TestForbidDumpsHidesTheEnvironmentFromProcessesOfTheUser(t *testing.T) {
	t.Parallel()
	own, err := os.Executable()
	if err != nil {
		t.Fatalf("os.Executable: %v", err)
	}
	binary, err := os.ReadFile(own)
	if err != nil {
		t.Fatalf("os.ReadFile(%s): %v", own, err)
	}
	// The directories of tests may be closed to other users.
	dir := t.TempDir()
	program := filepath.Join(dir, "secretive")
	if err := os.WriteFile(program, binary, 0o600); err != nil {
		t.Fatalf("os.WriteFile(%s): %v", program, err)
	}
	for _, path := range []string{filepath.Dir(dir), dir, program} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatalf("os.Chmod(%s): %v", path, err)
		}
	}
	attributes := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		attributes.Credential = &syscall.Credential{Uid: 65532, Gid: 65532}
	}
	for mode, readable := range map[string]bool{"forbid": false, "allow": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program)
			cmd.Env, cmd.SysProcAttr, cmd.Dir = []string{secretiveEnv + "=" + mode}, attributes, "/"
			input, errIn := cmd.StdinPipe()
			output, errOut := cmd.StdoutPipe()
			if errIn != nil || errOut != nil {
				t.Fatalf("pipes: %v, %v", errIn, errOut)
			}
			if err := cmd.Start(); err != nil {
				t.Fatalf("start %s: %v", program, err)
			}
			defer func() { _ = input.Close(); _ = cmd.Wait() }()
			if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "ready\n" {
				t.Fatalf("the process printed %q, %v", line, err)
			}
			spy := exec.CommandContext(t.Context(), "cat", fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid))
			spy.SysProcAttr, spy.Dir = attributes, "/"
			read, err := spy.CombinedOutput()
			if got := strings.Contains(string(read), secretiveEnv); got != readable || (err == nil) != readable {
				t.Errorf("reading the environment gave %q, %v; want readable: %t", read, err, readable)
			}
		})
	}
}
