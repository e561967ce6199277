// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// OwnCPUTime returns the CPU time of this process.
func OwnCPUTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatalf("syscall.Getrusage: %v", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// CPUTime returns the CPU time of a process and of its children, including those that have
// ended. It requires Linux, and its unit is 10 ms.
func CPUTime(tb testing.TB, pid int) (used time.Duration) {
	tb.Helper()
	const tick = 10 * time.Millisecond // USER_HZ of Linux
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		tb.Fatalf("filepath.Glob: %v", err)
	}
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // the process has ended
		}
		// The fields after the name in parentheses: state, parent, and 9 others before the times.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		own, parent := filepath.Base(filepath.Dir(stat)) == strconv.Itoa(pid), fields[1] == strconv.Itoa(pid)
		for i, field := range fields[11:15] {
			ticks, err := strconv.Atoi(field)
			if err != nil {
				tb.Fatalf("strconv.Atoi: %v", err)
			}
			if own || parent && i < 2 {
				used += time.Duration(ticks) * tick
			}
		}
	}
	return used
}
