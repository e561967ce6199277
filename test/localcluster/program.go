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

// stopTime is how long a program may take to end in order. The API server
// drains for at most 25 s.
const stopTime = 40 * time.Second

// program is a body that is one process, whose output is appended to a file.
type program struct {
	path, log string
	args, env []string
	// ready says when the program can be used.
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
	// The kernel ends the program with this process, however that ends. A key
	// press in the terminal does not reach it before us.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	done, started := make(chan struct{}), make(chan error)
	go func() {
		defer close(done)
		defer func() { _ = output.Close() }()
		// "Parent" is the thread to the kernel: it must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // how it ended is in its log
		}
	}()
	if err := <-started; err != nil {
		<-done
		return err
	}
	p.process, p.done = command.Process, done
	return p.await(ctx)
}

// await polls until the program is ready. One that ends before is started
// again by the unit; the wait for readiness is limited.
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
			return fmt.Errorf("it ended; see %s", p.log)
		case <-ctx.Done():
			p.kill()
			return fmt.Errorf("it is not ready: %w; see %s", err, p.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *program) ended() <-chan struct{} { return p.done }

func (p *program) stop() {
	if p.process == nil {
		return
	}
	_ = p.process.Signal(syscall.SIGTERM) // it may have ended already
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
	_ = p.process.Kill() // it may have ended already
	<-p.done
}
