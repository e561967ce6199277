// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// A developer does not want to wait for the drain. A request whose body never arrives keeps the server
// from ending.
func TestSecondInterruptStopsAServerAtOnce(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--workers=0")
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.env["API_URL"], "http://"))
	if err != nil {
		t.Fatalf("net.Dial: %v", err)
	}
	defer func() { _ = conn.Close() }()
	request := "POST /api/v1/rfq HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + p.env["ACME_LIVE_KEY"] +
		"\r\nIdempotency-Key: second-interrupt\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatalf("io.WriteString: %v", err)
	}
	if answer, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(answer, "100 Continue") {
		t.Fatalf("%q, %v; want 100 Continue", answer, err)
	}
	interrupt := func() {
		t.Helper()
		if err := p.process.Process.Signal(os.Interrupt); err != nil {
			t.Fatalf("interrupt: %v", err)
		}
	}
	interrupt()
	p.until("the log says what the server waits for", func() error {
		if log := p.logged(); !strings.Contains(log, "a second interrupt (Ctrl-C) stops at once") || !strings.Contains(log, "open requests, running jobs and deliveries") {
			return errors.New("it does not")
		}
		return nil
	})
	select {
	case err := <-p.exited:
		p.exited <- err
		t.Fatalf("the first interrupt ended the server: %v", err)
	default:
	}
	interrupt()
	err = <-p.exited
	p.exited <- err
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 || !strings.Contains(p.logged(), "printmarket: stopped at once by a second interrupt") {
		t.Errorf("after the second interrupt: %v; want exit code 130 and a message\n%s", err, p.logged())
	}
}
