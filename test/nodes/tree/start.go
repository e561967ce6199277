// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// SupervisorLog is the name of the file with the messages of the supervisor and of all spaces.
const SupervisorLog = "tree.log"

// self is the path of this program, valid even after its file was removed.
const self = "/proc/self/exe"

// stopTime bounds the time that a supervisor needs to remove everything. It usually takes a second.
const stopTime = 2 * time.Minute

// ErrNotEntered is the error of a program that calls Start without [Enter].
var ErrNotEntered = errors.New("this program starts trees and does not call Enter first")

// ErrNoProcess means that no process of the plan has the name.
var ErrNoProcess = errors.New("no such process in the plan")

// Tree is a running plan.
type Tree struct {
	plan    *Plan
	command *exec.Cmd
	// control is the pipe that the supervisor reads; it closes when this process ends.
	control io.Closer
	// mu guards writes to the pipe.
	mu     sync.Mutex
	orders *json.Encoder
	closed sync.Once
	ended  chan struct{}
	// err is the result of the supervisor; it may be read after ended is closed.
	err error
}

// Start starts a plan. It returns before the programs run; a later failure closes [Tree.Ended] and
// is in the log of the supervisor. The supervisor keeps the held files open until it has removed
// everything, so that they can reserve the names of the plan.
func Start(plan *Plan, held ...*os.File) (*Tree, error) {
	if os.Getenv(roleVariable) != "" {
		return nil, ErrNotEntered
	}
	log, err := os.OpenFile(filepath.Join(plan.Logs, SupervisorLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log of the supervisor: %w", err)
	}
	defer func() { _ = log.Close() }()

	// The supervisor outlives every context, because it cleans up last. It has its own session, so
	// that an interrupt from the keyboard does not reach it.
	command := exec.Command(self)
	command.Args = []string{"kubenode-" + roleSupervisor}
	command.Env = []string{roleVariable + "=" + roleSupervisor, "PATH=" + searchPath}
	command.Stdout, command.Stderr = log, log
	command.ExtraFiles = held
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	control, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to the supervisor: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	t := &Tree{
		plan: plan, command: command, control: control, orders: json.NewEncoder(control), ended: make(chan struct{}),
	}
	go func() {
		defer close(t.ended)
		t.err = command.Wait()
	}()
	if err := t.orders.Encode(plan); err != nil {
		return nil, errors.Join(fmt.Errorf("send the plan to the supervisor: %w", err), t.Stop())
	}
	return t, nil
}

// Halt kills a process of the plan, which is not restarted until Resume. It returns before the
// process is dead. It returns [ErrNoProcess] for an unknown name, or an error if the tree has
// ended.
func (t *Tree) Halt(process string) error { return t.say(call{Process: process, Halted: true}) }

// Resume restarts a process that Halt killed. It returns the errors of Halt.
func (t *Tree) Resume(process string) error { return t.say(call{Process: process}) }

func (t *Tree) say(c call) error {
	if !t.plan.Root.has(c.Process) {
		return fmt.Errorf("%w: %q", ErrNoProcess, c.Process)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.orders.Encode(c); err != nil {
		return fmt.Errorf("send the call of %s to the supervisor: %w", c.Process, err)
	}
	return nil
}

// Ended returns a channel that is closed when the tree has ended, by itself or by Stop.
func (t *Tree) Ended() <-chan struct{} { return t.ended }

// Stop kills everything in the tree and returns when nothing is left. It may be called repeatedly.
func (t *Tree) Stop() error {
	t.closed.Do(func() { _ = t.control.Close() })
	select {
	case <-t.ended:
	case <-time.After(stopTime):
		_ = t.command.Process.Kill()
		<-t.ended
		return fmt.Errorf("the supervisor was killed after %v: %w", stopTime, t.err)
	}
	if t.err != nil {
		return fmt.Errorf("the supervisor failed: %w", t.err)
	}
	return nil
}
