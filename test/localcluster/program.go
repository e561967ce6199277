// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// stopTime bounds an orderly exit. The API server drains for at most 25 s.
const stopTime = 40 * time.Second

// program is a body with one process, whose output is appended to a file.
type program struct {
	path, log string
	args, env []string
	// ready returns nil when the program can be used.
	ready func(context.Context) error

	process *os.Process
	done    chan struct{}
}

func (p *program) start(ctx context.Context) error {
	output, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	// The program outlives the call that starts it.
	command := exec.CommandContext(context.WithoutCancel(ctx), p.path, p.args...)
	command.Env = append(os.Environ(), p.env...)
	command.Dir = filepath.Dir(p.log)
	command.Stdout, command.Stderr = output, output
	// The kernel ends the program when this process ends in any way. An interrupt from the
	// terminal reaches only this process.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	done, started := make(chan struct{}), make(chan error)
	go func() {
		defer close(done)
		defer func() { _ = output.Close() }()
		// For the kernel the parent is the thread, which must therefore live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // the log contains the reason
		}
	}()
	if err := <-started; err != nil {
		<-done
		return err
	}
	p.process, p.done = command.Process, done
	return p.await(ctx)
}

// await polls until the program is ready. The unit restarts a program that ends before; the wait
// is limited.
func (p *program) await(ctx context.Context) error {
	if p.ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := p.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("the program ended; see %s", p.log)
		case <-ctx.Done():
			p.kill()
			return fmt.Errorf("the program is not ready: %w; see %s", err, p.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *program) ended() <-chan struct{} { return p.done }

func (p *program) stop() {
	if p.process == nil {
		return
	}
	_ = p.process.Signal(syscall.SIGTERM) // the process may have ended
	select {
	case <-p.done:
	case <-time.After(stopTime):
		p.kill()
	}
}

func (p *program) kill() {
	if p.process == nil {
		return
	}
	_ = p.process.Kill() // the process may have ended
	<-p.done
}
