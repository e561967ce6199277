// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ForbidDumps makes this process not dumpable (PR_SET_DUMPABLE in prctl(2)). Its files in
// /proc then belong to root: other processes of its user, such as an inspector, cannot read
// its environment, memory or descriptors, and cannot trace it. It leaves no core dump with
// secrets. Child processes are dumpable again after exec.
func ForbidDumps() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid dumps: %w", err)
	}
	return nil
}
