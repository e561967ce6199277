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

// reserve is the address space that the Go runtime reserves at its start without using it.
// It counts for RLIMIT_AS, so that limit alone would be coarse; RLIMIT_DATA counts writable
// memory and is the exact limit.
const reserve = 4 << 30

// openFiles is enough for the standard streams, the PDF and the runtime.
const openFiles = 32

// attributes make the child the head of its own process group, and let it die
// with us.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// firstVictim is the oom_score_adj of the process that the kernel kills first (proc(5)): when
// the container runs out of memory, the kernel must kill the inspection that uses it and not
// the worker or its other inspections.
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
	// A kernel that does not allow the change chooses by size.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(firstVictim), 0)
	return nil
}

// outOfTime distinguishes the limit of CPU time from the kernel's memory killer by the
// child's use, because the kernel only reports a kill. The kernel samples the CPU time that it
// limits, and on a busy machine the figures differ much. So half of the limit counts, unless
// the kernel reports a kill for lack of memory or the child also used half of its memory.
func outOfTime(state *os.ProcessState, limits Limits, memory shortage) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	used := state.UserTime() + state.SystemTime()
	limit := time.Duration(limits.cpuSeconds()) * time.Second
	return status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL && used >= limit/2 && memory != someShortage && !grown(state, limits)
}

// killed reports whether SIGKILL ended the child.
func killed(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// grown reports whether the child used half of its memory limit. (The peak is never below
// the size of this process: the kernel counts memory that the child shared before exec.)
func grown(state *os.ProcessState, limits Limits) bool {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	return ok && usage.Maxrss<<10 >= limits.Memory/2
}

// outOfMemory recognizes the last line of the Go runtime. If the runtime cannot allocate memory
// for itself, it faults without that line; outOfMemory attributes the fault to the limit if the
// child used half of it.
func outOfMemory(state *os.ProcessState, stderr string, limits Limits) bool {
	for _, words := range []string{"out of memory", "cannot allocate memory"} {
		if strings.Contains(stderr, words) {
			return true
		}
	}
	return strings.HasPrefix(stderr, "SIGSEGV") && grown(state, limits)
}
