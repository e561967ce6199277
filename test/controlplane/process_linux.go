// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel kill the command when the thread that starts it ends, so that a
// panic or a timeout of the tests leaves no server behind. An interrupt from the keyboard does not
// reach the command.
func dieWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
