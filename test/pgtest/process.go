// SPDX-License-Identifier: Apache-2.0

package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrNotInstalled means that this machine has no PostgreSQL server.
var ErrNotInstalled = errors.New("postgresql is not installed (`make test` installs it)")

// installation holds the directory of the server's programs and the user that runs them: PostgreSQL
// refuses to run as root.
type installation struct {
	dir string
	as  *syscall.Credential
}

func findPrograms(ctx context.Context) (installation, error) {
	for _, dir := range candidates(ctx) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			continue
		}
		as, err := unprivileged()
		return installation{dir: dir, as: as}, err
	}
	return installation{}, ErrNotInstalled
}

// Programs returns the directory of the installed server's programs, or [ErrNotInstalled].
func Programs(ctx context.Context) (string, error) {
	found, err := findPrograms(ctx)
	return found.dir, err
}

// candidates returns the directories that may contain a server, in order of preference.
func candidates(ctx context.Context) []string {
	var dirs []string
	if dir, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(dir)))
	}
	newest := 0
	var versioned string
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is valid
	for _, dir := range found {
		if version, err := strconv.Atoi(filepath.Base(filepath.Dir(dir))); err == nil && version > newest {
			newest, versioned = version, dir
		}
	}
	return append(dirs, versioned)
}

// unprivileged returns an unprivileged user if this process is root, else nil.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("a user in root's place: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// own gives a file to the user that runs the programs.
func (p installation) own(path string) error {
	if p.as == nil {
		return nil
	}
	return os.Chown(path, int(p.as.Uid), int(p.as.Gid))
}

// run runs a program to its end.
func (p installation) run(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, filepath.Join(p.dir, name), args...)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: p.as}
	// The user may not be allowed to enter the caller's directory.
	command.Dir = "/"
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(output))
	}
	return nil
}

// running is a server process. ended is closed when it has ended.
type running struct {
	process *os.Process
	ended   chan struct{}
}

// start starts the server, which outlives the context. When this process dies, the kernel stops
// the server: SIGQUIT makes it end its children first.
func (p installation) start(ctx context.Context, log string, args []string) (*running, error) {
	output, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(p.dir, "postgres"), args...)
	command.Dir, command.Stdout, command.Stderr = "/", output, output
	command.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	started := make(chan error)
	r := &running{ended: make(chan struct{})}
	go func() {
		// The kernel treats the end of the thread that started a process as the death of its
		// parent, so this thread stays until the server has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(r.ended)
		err := command.Start()
		r.process = command.Process
		started <- errors.Join(err, output.Close())
		if err == nil {
			// The error of a killed server contains no further information.
			_ = command.Wait()
		}
	}()
	return r, <-started
}

// stop ends the server and waits for it.
func (r *running) stop() {
	_ = r.process.Signal(syscall.SIGQUIT) // the process may have ended
	select {
	case <-r.ended:
	case <-time.After(time.Minute):
		r.kill()
	}
}

// kill kills all processes of the server. Each process leads its own process group. The first
// process is stopped, so that it cannot start children, and the others are found by their parent.
func (r *running) kill() {
	_ = r.process.Signal(syscall.SIGSTOP)
	family := childrenOf(r.process.Pid)
	for _, pid := range family {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = r.process.Kill()
	<-r.ended
	for _, pid := range family {
		for alive(pid) {
			time.Sleep(time.Millisecond)
		}
	}
}

func childrenOf(parent int) []int {
	var children []int
	entries, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, entry := range entries {
		_, of := state(entry)
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(entry))); err == nil && of == parent {
			children = append(children, pid)
		}
	}
	return children
}

// alive reports whether a process still runs: a process without a
// waiting parent counts as ended.
func alive(pid int) bool {
	code, _ := state(fmt.Sprintf("/proc/%d/stat", pid))
	return code != "" && code != "Z" && code != "X"
}

// state returns the state and the parent of a process. The name before these fields may contain
// any character, including parentheses.
func state(entry string) (code string, parent int) {
	stat, err := os.ReadFile(entry)
	if err != nil {
		return "", 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return "", 0
	}
	parent, err = strconv.Atoi(fields[1])
	if err != nil {
		return "", 0
	}
	return fields[0], parent
}
