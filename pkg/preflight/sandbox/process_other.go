// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package sandbox

import (
	"os"
	"syscall"
)

// Outside Linux, where only developers run, the kernel's limits cannot be set
// from outside the child, and the child cannot isolate itself. Wall time and output are
// limited all the same.

// Isolate does nothing.
func Isolate() error { return nil }

// PrepareHeap does nothing.
func PrepareHeap(int64) {}

// ForbidDumps does nothing.
func ForbidDumps() error { return nil }

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func restrict(int, Limits) error { return nil }

func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

func outOfTime(*os.ProcessState, Limits, shortage) bool { return false }

func killed(*os.ProcessState) bool { return false }

func grown(*os.ProcessState, Limits) bool { return false }

func oomKills() int { return -1 }

func outOfMemory(*os.ProcessState, string, Limits) bool { return false }
