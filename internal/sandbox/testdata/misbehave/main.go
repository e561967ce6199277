// SPDX-License-Identifier: Apache-2.0

// Command misbehave is an inspector that does, on purpose, what an inspector
// may do when a file gets the better of it. Its argument says what.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
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
		"hog":      hog,
		"overflow": func() { fmt.Fprintln(os.Stderr, overflow(1)) },
		"panic":    func() { panic("on purpose") },
		"flood":    flood,
		"chatter":  chatter,
		"rubbish":  func() { fmt.Println("this is no report") },
		"twice":    func() { fmt.Print(report, report) },
		"brace":    func() { fmt.Print(report, "}") },
		"not UTF8": func() { fmt.Print(`{"reportVersion":"1.0","verdict":"pass","profile":{"name":"` + "\xff" + `"}}`) },
		"spaces":   func() { fmt.Print(" ", report, "\n\n") },
		"silence":  func() {},
		"fork":     fork,
		"limits":   limits,
	}
	modes[mode]()
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
