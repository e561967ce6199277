// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// Isolate restricts this process, with all its threads and for the rest of its life, to what
// an inspection needs: computing, and reading and writing descriptors that are open already.
// It must be the first call of main, before the process reads foreign data or opens anything.
// No step needs privileges.
//
// Isolate closes the descriptors above [OtherFile] that a parent has leaked.
// Landlock (landlock(7)) denies the file system, TCP, and signals and abstract sockets beyond
// the process, as far as the kernel supports it. It applies to threads, and those that start
// later inherit it; there are few threads before [ForbidProcesses] starts the others. The seccomp
// filter (seccomp(2)) is an allow-list: every other system call fails with EPERM. So the process
// cannot open files or sockets, start threads or processes, signal others, or map executable memory.
// The filter is required: Isolate returns an error if the kernel does not install it.
func Isolate() error {
	if err := closeInherited(); err != nil {
		return fmt.Errorf("isolate: close descriptors: %w", err)
	}
	if err := landlock.V9.BestEffort().Restrict(); err != nil {
		return fmt.Errorf("isolate: landlock: %w", err)
	}
	if err := ForbidProcesses(); err != nil {
		return fmt.Errorf("isolate: %w", err)
	}
	err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno, // EPERM
			Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionAllow, Names: allowed(), NamesWithCondtions: conditional()}},
		},
	})
	if err != nil {
		return fmt.Errorf("isolate: seccomp: %w", err)
	}
	return nil
}

// closeInherited closes the descriptors above [OtherFile] that this process has not opened itself:
// the Go runtime may have opened those of its poller, which it needs. Only they are closed on exec,
// as the inherited ones were not. Descriptors of the runtime are the lowest that were free.
func closeInherited() error {
	const low = 1024
	descriptors := make([]unix.PollFd, 0, low)
	for fd := int32(OtherFile + 1); fd < low; fd++ {
		descriptors = append(descriptors, unix.PollFd{Fd: fd})
	}
	// A poll finds those that are open. It takes as many as RLIMIT_NOFILE permits to open.
	for part := range slices.Chunk(descriptors, openFiles) {
		if _, err := unix.Poll(part, 0); err != nil {
			return fmt.Errorf("poll: %w", err)
		}
		for _, d := range part {
			if d.Revents&unix.POLLNVAL != 0 {
				continue
			}
			if flags, err := unix.FcntlInt(uintptr(d.Fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
				_ = unix.Close(int(d.Fd))
			}
		}
	}
	return unix.CloseRange(low, math.MaxUint32, 0)
}

// ForbidProcesses starts the threads that the Go runtime can need, and then sets
// RLIMIT_NPROC to zero: this process starts no further thread or process, unless it has
// CAP_SYS_RESOURCE or belongs to root (setrlimit(2)). The kernel counts the threads of all
// processes of a user, so with a limit above zero the others would decide when it is reached.
//
// The runtime uses a thread for each of GOMAXPROCS goroutines, and one for each goroutine in
// a blocking system call, of which an inspection has a few. It ends no thread.
func ForbidProcesses() error {
	threads := 4*runtime.GOMAXPROCS(0) + 8
	var locked, done sync.WaitGroup
	locked.Add(threads)
	for range threads {
		done.Go(func() {
			// A goroutine keeps the thread to which it is locked while it waits for the others.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			locked.Done()
			locked.Wait()
		})
	}
	done.Wait()
	// The runtime may still be starting threads that it has decided to start. A system call on all threads waits
	// for them. It is not supported in a binary with cgo.
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0); errno != 0 && errno != syscall.ENOTSUP {
		return fmt.Errorf("wait for threads: %w", errno)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("limit of processes: %w", err)
	}
	return nil
}

// allowed lists system calls that the Go runtime and the engine need, and that cannot reach
// anything outside of the process but open descriptors.
func allowed() []string {
	return []string{
		// Descriptors: standard streams, the PDF, the pipe of progress.
		"read", "write", "pread64", "readv", "writev", "lseek", "fstat", "close",
		// The network poller of the runtime, which serves pipes.
		"epoll_create1", "epoll_ctl", "epoll_pwait", "eventfd2",
		// Memory.
		"munmap", "madvise", "mincore", "brk",
		// Threads that exist, and scheduling.
		"futex", "sched_yield", "sched_getaffinity", "gettid", "getpid", "set_robust_list", "rseq",
		// Time.
		"nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday",
		// Signals within the process.
		"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
		"getrandom", "exit", "exit_group",
	}
}

// conditional lists system calls that are allowed with some arguments only.
func conditional() []seccomp.NameWithConditions {
	when := func(name string, argument uint32, operation seccomp.Operation, value uint64) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: operation, Value: value}}}
	}
	return []seccomp.NameWithConditions{
		// Memory, but no executable memory.
		when("mmap", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
		when("mprotect", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
		// The runtime interrupts its own threads.
		when("tgkill", 0, seccomp.Equal, uint64(os.Getpid())),
		// The runtime names its memory; it sets no other attribute of the process.
		when("prctl", 0, seccomp.Equal, unix.PR_SET_VMA),
		// Flags of descriptors; not F_SETOWN, which sends signals to other processes.
		when("fcntl", 1, seccomp.LessOrEqual, unix.F_SETFL),
	}
}
