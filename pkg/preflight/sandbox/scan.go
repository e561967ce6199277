// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// infected is the exit status of a scanner that rejects a file.
const infected = 1

// Scanner runs a virus scanner that the operator has installed.
type Scanner struct {
	// Command is the absolute path of a program. It gets the file on its standard input, no
	// arguments and no environment. It exits with 0 for a clean file and with 1 for an
	// infected one. A shell is not used.
	Command string
	// Limit is the time for one scan.
	Limit time.Duration
}

// Scan reports whether a file is clean. It returns an error if the scanner cannot be started,
// exceeds its time, or exits with another status. It returns after the program has ended.
func (s Scanner) Scan(ctx context.Context, file *os.File) (clean bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Limit, fmt.Errorf("the scanner has not ended after %s", s.Limit))
	defer cancel()
	// The program is killed when the thread that started it ends, as an inspector is.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var words tail
	cmd := exec.CommandContext(ctx, s.Command)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = "/", []string{}, file, &words
	cmd.SysProcAttr, cmd.WaitDelay = attributes(), drainTime
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != syscall.ESRCH {
			return err
		}
		return os.ErrProcessDone
	}
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err == nil:
		return true, nil
	case errors.As(err, &exit) && exit.ExitCode() == infected:
		return false, nil
	default:
		return false, fmt.Errorf("run the scanner: %w: %s", err, words.String())
	}
}
