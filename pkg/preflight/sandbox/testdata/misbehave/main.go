// SPDX-License-Identifier: Apache-2.0

// Command misbehave is an inspector that does, on purpose, what an inspector
// may do when a file gets the better of it. Its argument says what.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// report is the shortest document that a reader accepts.
const report = `{"reportVersion":"1.0","verdict":"pass"}`

func main() {
	mode := os.Args[len(os.Args)-1]
	if mode == "die early" {
		os.Exit(9)
	}
	if _, err := io.ReadFull(os.Stdin, make([]byte, 1)); err != nil {
		os.Exit(75)
	}
	modes := map[string]func(){
		"spin":     func() { spin() },
		"sleep":    func() { time.Sleep(time.Hour) },
		"killed":   func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
		"hog":      hog,
		"overflow": func() { fmt.Fprintln(os.Stderr, overflow(1)) },
		"panic":    func() { panic("on purpose") },
		"flood":    flood,
		"chatter":  chatter,
		"rubbish":  func() { fmt.Println("this is no report") },
		"twice":    func() { fmt.Print(report, report) },
		"brace":    func() { fmt.Print(report, "}") },
		"not UTF8": func() { fmt.Print(`{"reportVersion":"1.0","verdict":"pass","profile":{"name":"` + "\xff" + `"}}`) },
		"German":   func() { fmt.Print(`{"reportVersion":"1.1","language":"de","verdict":"pass"}`) },
		"values": func() {
			fmt.Print(`{"reportVersion":"1.1","language":"en","verdict":"pass","findings":[{"severity":"info","parameters":{"a":{}}}]}`)
		},
		"no pictures":       func() { pictured(nil) },
		"rubbish pictures":  func() { pictured([]byte("PK rubbish")) },
		"flooding pictures": func() { pictured(nil); flood() },
		"crashing pictures": func() { pictured(nil); panic("on purpose") },
		"hogging pictures":  func() { pictured(nil); hog() },
		"no frame":          func() { fmt.Print(report) },
		"spaces":            func() { fmt.Print(" ", report, "\n\n") },
		"silence":           func() {},
		"fork":              fork,
		"limits":            limits,
		"escape":            func() { escape(true) },
		"roam":              func() { escape(false) },
		"alone":             alone,
		"bare":              func() { fmt.Fprintln(os.Stderr, "isolate: on purpose"); os.Exit(sandbox.ExitNotIsolated) },
	}
	modes[mode]()
}

// pictured writes a report with pictures, or ends the process with the report alone if the request asks
// for no pictures.
func pictured(set []byte) {
	ask, err := sandbox.ReadRequest(os.Stdin)
	if err != nil || !ask.Pictures {
		fmt.Print(report)
		os.Exit(0)
	}
	_ = sandbox.EncodePictures(os.Stdout, []byte(report), set)
}

func spin() {
	for i := 0; ; i++ {
		if i < 0 {
			return
		}
	}
}

func hog() {
	var kept [][]byte
	for {
		block := make([]byte, 16<<20)
		for i := range block {
			block[i] = 1
		}
		kept = append(kept, block)
		if len(kept) > 1<<20 {
			return
		}
	}
}

func overflow(n int) int { return overflow(n+1) + 1 }

func flood() {
	block := []byte(strings.Repeat("x", 1<<16))
	for {
		if _, err := os.Stdout.Write(block); err != nil {
			return
		}
	}
}

func chatter() {
	for i := range 100_000 {
		fmt.Fprintln(os.Stderr, "line", i)
	}
	os.Exit(3)
}

// fork leaves a grandchild behind that holds the pipes open.
func fork() {
	self, _ := os.Executable()
	cmd := exec.Command(self, "sleep")
	in, _ := cmd.StdinPipe()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
	_, _ = in.Write([]byte{1})
	fmt.Fprintf(os.Stderr, "grandchild %d\n", cmd.Process.Pid)
	time.Sleep(time.Hour)
}

// limits writes what surrounds the process to standard error.
func limits() {
	out := map[string]any{"env": os.Environ()}
	for name, resource := range map[string]int{"data": syscall.RLIMIT_DATA, "cpu": syscall.RLIMIT_CPU, "fsize": syscall.RLIMIT_FSIZE, "core": syscall.RLIMIT_CORE, "nofile": syscall.RLIMIT_NOFILE} {
		var r syscall.Rlimit
		if err := syscall.Getrlimit(resource, &r); err != nil {
			os.Exit(5)
		}
		out[name] = r.Max
	}
	out["dir"], _ = os.Getwd()
	score, _ := os.ReadFile("/proc/self/oom_score_adj")
	out["oom_score_adj"] = strings.TrimSpace(string(score))
	text, _ := json.Marshal(out)
	fmt.Fprintln(os.Stderr, string(text))
	os.Exit(3)
}

// escape writes the attempts to reach beyond the process that succeed, after it has
// isolated the process or without.
func escape(isolated bool) {
	if isolated {
		if err := sandbox.Isolate(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(sandbox.ExitNotIsolated)
		}
	}
	parent, inherited := os.Getppid(), descriptors()
	attempts := map[string]func() error{
		"read the parent's environment": func() error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", parent)); return err },
		"read a file":                   func() error { _, err := os.ReadFile("/etc/passwd"); return err },
		"list a directory":              func() error { _, err := os.ReadDir("/"); return err },
		"write a file": func() error {
			file, err := os.CreateTemp("", "escape-*")
			if err == nil {
				_ = os.Remove(file.Name())
			}
			return err
		},
		"open a TCP socket":     func() error { _, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0); return err },
		"open a Unix socket":    func() error { _, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0); return err },
		"open a netlink socket": func() error { _, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW, 0); return err },
		"signal the parent":     func() error { return syscall.Kill(parent, 0) },
		"own a pipe's signals": func() error {
			_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, sandbox.ProgressFile, syscall.F_SETOWN, uintptr(parent))
			return err(errno)
		},
		"start a process": func() error { return exec.Command("/bin/true").Run() },
		"fork": func() error {
			pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
			if errno == 0 && pid == 0 {
				syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
			}
			return err(errno)
		},
		"map executable memory": func() error {
			_, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			return err
		},
		"use another descriptor": func() error { return inherited },
	}
	for name, attempt := range attempts {
		if attempt() == nil {
			fmt.Fprintln(os.Stderr, name)
		}
	}
	os.Exit(3)
}

// alone computes with many goroutines after it has forbidden processes, as a user whose limits
// count, and then tries to fork.
func alone() {
	_ = syscall.Setuid(65534)
	if err := sandbox.ForbidProcesses(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(sandbox.ExitNotIsolated)
	}
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			for range 20 {
				_ = bytes.Repeat([]byte{1}, 1<<16)
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
		})
	}
	group.Wait()
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	fmt.Fprintln(os.Stderr, "fork:", err(errno))
	os.Exit(3)
}

// descriptors returns nil if an inherited descriptor is open beyond those of the protocol. Only the
// own ones are closed on exec.
func descriptors() error {
	for fd := sandbox.OtherFile + 1; fd < 256; fd++ {
		if flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0); errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			return nil
		}
	}
	return syscall.EBADF
}

// err is the error of a system call, or nil.
func err(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
