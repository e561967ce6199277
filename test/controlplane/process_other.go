// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package controlplane

import "os/exec"

// dieWithParent can do nothing here: where a process ends without closing its
// plane, the servers stay.
func dieWithParent(*exec.Cmd) {}
