// SPDX-License-Identifier: Apache-2.0

package redistest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a running program. ended is closed when the program has ended.
type process struct {
	pid   int
	ended chan struct{}
}

// startProcess starts a program that the kernel kills when this process dies, even by SIGKILL.
func startProcess(log, program string, args ...string) (*process, error) {
	output, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, args...)
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	p := &process{ended: make(chan struct{})}
	go func() {
		// The kernel treats the end of the thread that started a process as the death of its
		// parent, so this thread stays until the program has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		err := command.Start()
		if err == nil {
			p.pid = command.Process.Pid
		}
		started <- errors.Join(err, output.Close())
		if err == nil {
			// The error of a killed program contains no further information.
			_ = command.Wait()
		}
	}()
	return p, <-started
}

// signal also reaches the children of a server, such as the one that rewrites the append-only
// file.
func (p *process) signal(signal syscall.Signal) { _ = syscall.Kill(-p.pid, signal) }
