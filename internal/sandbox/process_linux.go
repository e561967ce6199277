// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reserve is address space that the Go runtime sets aside at its start without
// using it. It counts for RLIMIT_AS, so that alone could only be a coarse limit;
// RLIMIT_DATA counts what can be written to, and is the exact one.
const reserve = 4 << 30

// openFiles is enough for the standard streams, the PDF and the runtime.
const openFiles = 32

// attributes make the child the head of its own process group, and let it die
// with us.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// firstVictim is the oom_score_adj of what the kernel kills before anything else
// (proc(5)): when the container's memory is at its end, the inspection that fills
// it has to go, not the worker or its other inspections.
const firstVictim = "1000"

// restrict puts limits around a process that is already there. Soft and hard
// limits are equal: the child cannot raise them, and at the end of its processor
// time it is killed without a warning, which Go would ignore.
func restrict(pid int, limits Limits) error {
	for _, l := range []struct {
		name     string
		resource int
		value    uint64
	}{
		{"memory", unix.RLIMIT_DATA, uint64(limits.Memory)},
		{"address space", unix.RLIMIT_AS, uint64(limits.Memory) + reserve},
		{"processor time", unix.RLIMIT_CPU, limits.cpuSeconds()},
		{"file size", unix.RLIMIT_FSIZE, 0},
		{"open files", unix.RLIMIT_NOFILE, openFiles},
		{"core dumps", unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: l.value, Max: l.value}, nil); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	// A kernel that does not let us say so makes its own choice, by size.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(firstVictim), 0)
	return nil
}

// outOfTime tells the end of processor time from the kernel's memory killer by
// what the child used: the kernel only says that it was killed. It samples the
// time that it limits by, and on a busy machine the figures differ much, so half
// of the limit counts, if the child had not grown to half of its memory as well.
func outOfTime(state *os.ProcessState, limits Limits) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	used := state.UserTime() + state.SystemTime()
	limit := time.Duration(limits.cpuSeconds()) * time.Second
	return status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL && used >= limit/2 && !grown(state, limits)
}

// grown reports whether the child had half of the memory that it may have. (The
// peak is never below our own size: the kernel counts what the child shared
// before exec.)
func grown(state *os.ProcessState, limits Limits) bool {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	return ok && usage.Maxrss<<10 >= limits.Memory/2
}

// outOfMemory knows the last words of the Go runtime, and the kernel's killer,
// which comes when the container's limit is lower than ours. Where the runtime
// itself gets no memory for its own books, it faults without such words; that is
// believed to be the limit when the child had grown to half of it.
func outOfMemory(state *os.ProcessState, stderr string, limits Limits) bool {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal() == syscall.SIGKILL
	}
	for _, words := range []string{"out of memory", "cannot allocate memory"} {
		if strings.Contains(stderr, words) {
			return true
		}
	}
	return strings.HasPrefix(stderr, "SIGSEGV") && grown(state, limits)
}
