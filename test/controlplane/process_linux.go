// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the command with the thread that starts it,
// so that a panic or a timeout of the tests leaves no server behind. An
// interrupt from the keyboard does not reach the command before its parent.
func dieWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
