// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pause is the delay before an ended program is restarted.
const pause = time.Second

// initProcess is the first process of a space. It adopts every orphan of the space and must reap
// all of them.
type initProcess struct {
	logs string
	// mu is held while a process is started, so that its end is handled only after its pid is
	// recorded, and while a process is reaped, so that a reused pid is not killed.
	mu       sync.Mutex
	programs map[string]*program
	spaces   map[int]string
	lost     chan error
	// begun holds the pipes to the inner spaces. The garbage collector must not close them,
	// because a space ends with its pipe.
	begun []*begun
}

// program is a process of the plan with its state.
type program struct {
	Process
	// pid is 0 while the program does not run.
	pid int
	// halted is set while the program must not run.
	halted bool
}

// runSpace runs the first process of a space.
func runSpace() error {
	var o order
	decoder := json.NewDecoder(os.Stdin)
	if err := decoder.Decode(&o); err != nil {
		return fmt.Errorf("read orders: %w", err)
	}
	i := &initProcess{logs: o.Logs, programs: map[string]*program{}, spaces: map[int]string{}, lost: make(chan error, 1)}
	if err := i.prepare(&o.Space); err != nil {
		return fmt.Errorf("space %s: %w", o.Space.Name, err)
	}
	go func() {
		for c := range listen(decoder) {
			i.control(c)
		}
		i.fail(nil)
	}()
	i.reap()
	runtime.KeepAlive(i)
	return <-i.lost
}

func (i *initProcess) prepare(s *Space) error {
	if err := unix.Sethostname([]byte(s.Name)); err != nil {
		return os.NewSyscallError("sethostname", err)
	}
	if err := mount(s.Mounts); err != nil {
		return err
	}
	for n := range s.Spaces {
		b, err := s.Spaces[n].begin(i.logs, &syscall.SysProcAttr{Cloneflags: namespaces})
		if err != nil {
			return err
		}
		i.spaces[b.process.Pid] = s.Spaces[n].Name
		i.begun = append(i.begun, b)
	}
	if err := run(s.Setup); err != nil {
		return err
	}
	for _, b := range i.begun {
		if err := b.start(); err != nil {
			return err
		}
	}
	for _, p := range s.Processes {
		one := &program{Process: p}
		i.programs[p.Name] = one
		if err := i.start(one); err != nil {
			return err
		}
	}
	return nil
}

// mount makes the mounts of a space after the space is detached from the mounts of the host: later
// mounts of the host do not appear in the space.
func mount(mounts []Mount) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("mount privately", err)
	}
	for _, m := range append([]Mount{{Source: "proc", Target: "/proc", Type: "proc"}}, mounts...) {
		if err := m.mount(); err != nil {
			return &fs.PathError{Op: "mount", Path: m.Target, Err: err}
		}
	}
	// Containers may require mounts that propagate into them.
	return os.NewSyscallError("mount shared", unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""))
}

func (m *Mount) mount() error {
	if m.Type != "" {
		return unix.Mount(m.Source, m.Target, m.Type, unix.MS_NOSUID|unix.MS_NODEV, "")
	}
	if err := unix.Mount(m.Source, m.Target, "", unix.MS_BIND, ""); err != nil || !m.ReadOnly {
		return err
	}
	return unix.Mount("", m.Target, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "")
}

// start starts a program unless it runs or is halted. The kernel kills all programs with the
// namespace, so that none outlives this process.
func (i *initProcess) start(p *program) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p.pid != 0 || p.halted {
		return nil
	}
	log, err := os.OpenFile(filepath.Join(i.logs, p.Name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("log of %s: %w", p.Name, err)
	}
	defer func() { _ = log.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	file, err := exec.LookPath(p.Args[0])
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	process, err := os.StartProcess(file, p.Args, &os.ProcAttr{
		Dir:   "/",
		Env:   append([]string{"PATH=" + searchPath, "HOME=/"}, p.Env...),
		Files: []*os.File{null, log, log},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.pid = process.Pid
	return process.Release()
}

// control halts or resumes a program of this space.
func (i *initProcess) control(c call) {
	for _, b := range i.begun {
		b.pass(c)
	}
	p, known := i.programs[c.Process]
	if !known {
		return
	}
	i.mu.Lock()
	p.halted = c.Halted
	if p.halted && p.pid != 0 {
		// The process is not reaped yet, so its pid is not reused.
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
	i.mu.Unlock()
	if err := i.start(p); err != nil {
		i.fail(err)
	}
}

// reap waits for every process that ends in the space, until the space fails.
func (i *initProcess) reap() {
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	// Signals may be coalesced, so check at least this often.
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for len(i.lost) == 0 {
		for i.reapOne() {
		}
		select {
		case <-children:
		case <-ticker.C:
		}
	}
}

// reapOne reaps one process, and reports whether another may follow.
func (i *initProcess) reapOne() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	var status unix.WaitStatus
	pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
	if errors.Is(err, unix.EINTR) {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	i.ended(pid, status)
	return true
}

// ended handles the end of a process. The caller must hold mu.
func (i *initProcess) ended(pid int, status unix.WaitStatus) {
	if name, known := i.spaces[pid]; known {
		delete(i.spaces, pid)
		fmt.Fprintf(os.Stderr, "space %s ended: status %d, signal %d\n", name, status.ExitStatus(), status.Signal())
		// A test may kill a space. A space that exits by itself has failed.
		if status.Exited() {
			i.fail(fmt.Errorf("space %s ended with status %d", name, status.ExitStatus()))
		}
		return
	}
	for _, p := range i.programs {
		if p.pid != pid {
			continue
		}
		p.pid = 0
		fmt.Fprintf(os.Stderr, "%s ended: status %d, signal %d\n", p.Name, status.ExitStatus(), status.Signal())
		time.AfterFunc(pause, func() {
			if err := i.start(p); err != nil {
				i.fail(err)
			}
		})
	}
}

// fail ends the space; the first reason is kept.
func (i *initProcess) fail(err error) {
	select {
	case i.lost <- err:
	default:
	}
}
