// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// windowWidth asks the kernel; what is no terminal has no window. One that does
// not know its width is taken for the usual one.
func windowWidth(file *os.File) (int, bool) {
	const usual = 80
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	if size.Col == 0 {
		return usual, true
	}
	return int(size.Col), true
}
