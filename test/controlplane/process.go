// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// process is a running program. It is always killed: its last writes are not needed, and
// kube-apiserver takes up to a minute to drain its watches.
type process struct {
	name, log string
	kill      context.CancelFunc
	ended     chan struct{}
	// err is the result of the program; it may be read after ended is closed.
	err error
}

// start runs a program and writes its output to a file in dir. On Linux the kernel kills the
// program when this process ends in any way.
func start(dir, program string, args []string) (*process, error) {
	name := filepath.Base(program)
	p := &process{name: name, log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	output, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", name, err)
	}
	// The program outlives the call that starts it.
	ctx, cancel := context.WithCancel(context.Background())
	p.kill = cancel
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Stdout, command.Stderr = dir, output, output
	dieWithParent(command)

	started := make(chan error)
	go func() {
		defer close(p.ended)
		defer func() { _ = output.Close() }()
		// For the kernel the parent is the thread, which must therefore live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			p.err = command.Wait()
		}
	}()
	if err := <-started; err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// stop kills the program and waits for its end. It does nothing for nil.
func (p *process) stop() {
	if p == nil {
		return
	}
	p.kill()
	<-p.ended
}

// await polls until the program is ready, has ended or time is up.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %w\n%s", p.name, p.err, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w: %w\n%s", p.name, context.Cause(ctx), err, p.tail())
		case <-ticker.C:
		}
	}
}

// tail returns the end of the program's output.
func (p *process) tail() string {
	const length = 4 << 10
	file, err := os.Open(p.log)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if size, err := file.Seek(0, io.SeekEnd); err == nil {
		_, _ = file.Seek(max(0, size-length), io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(file, length))
	return string(text)
}
