// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs the inspector, the only process that opens foreign PDFs.
//
// A PDF can make a parser overflow its stack, use all memory or never end, and a Go
// process can recover from none of these. Each inspection therefore runs in a child
// process with kernel limits, an empty environment, and a report as its only output.
// If the child dies, one inspection fails and nothing else is affected.
//
// The child first isolates itself ([Isolate]), waits until its parent has set its limits,
// and only then reads the PDF. So code that a PDF might execute in the child can open no
// file or socket, start no process and signal no other process.
// protocol.go describes what the two processes exchange.
//
// The child is a program that calls Main of package inspector. It may be the same program:
//
//	if slices.Contains(os.Args, sandbox.InspectorArg) {
//		os.Exit(inspector.Main())
//	}
//	self, err := sandbox.Find(sandbox.InspectorArg)
//	...
//	p, err := profile.Lookup("print_ready")
//	...
//	made, err := sandbox.Run(ctx, sandbox.Spec{Inspector: self, Profile: p, File: file})
//
// Limits of memory and processes need Linux; elsewhere, the child has a time limit only.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Spec is one inspection.
type Spec struct {
	Inspector Inspector
	// Profile selects the rules. [Compare] needs none.
	Profile profile.Profile
	// Ticket holds the ordered properties, or nil.
	Ticket *jobticket.Ticket
	// File is the PDF. The child reads it by position, so its offset does not
	// matter and is not changed. The caller keeps it open and closes it.
	File *os.File
	// Other is the file after a change, for [Compare]; otherwise it is nil.
	Other *os.File
	// Output is the printing condition for [Fix] of a file that states none, or nil.
	Output *report.Output
	// Pictures requests pictures of the pages from [Run].
	Pictures bool
	// Language is the language of annotations; empty selects English.
	Language string
	// Progress, if not nil, is called after each page. The calls come from another
	// goroutine, one at a time, and end before Run or Annotate returns. The child waits
	// for each call, so it should be short.
	Progress func(done, total int)
	// Limits bound the child; zero members take the value of [DefaultLimits].
	Limits Limits
}

// Limits bound one inspection.
type Limits struct {
	// Memory limits the writable memory of the child, in bytes.
	Memory int64
	// CPU is processor time, in whole seconds, rounded up.
	CPU time.Duration
	// Wall is the time from start to report.
	Wall time.Duration
	// Output is the length of the report, or of the update, in bytes.
	Output int64
	// besides is the length of what follows the report, in bytes.
	besides int64
}

// DefaultLimits suit every file that the engine's own limits let pass.
func DefaultLimits() Limits {
	return Limits{Memory: 1 << 30, CPU: 30 * time.Second, Wall: time.Minute, Output: report.MaxBytes}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Memory <= 0 {
		l.Memory = d.Memory
	}
	if l.CPU <= 0 {
		l.CPU = d.CPU
	}
	if l.Wall <= 0 {
		l.Wall = d.Wall
	}
	if l.Output <= 0 || l.Output > d.Output {
		l.Output = d.Output
	}
	return l
}

// cpuSeconds is the CPU limit as the kernel counts it.
func (l Limits) cpuSeconds() uint64 { return uint64((l.CPU + time.Second - 1) / time.Second) }

// Inspected is the outcome of an inspection: the report and its encoded form.
type Inspected struct {
	report.Report
	// JSON holds the report as the inspector wrote it. The sandbox has decoded it to
	// check it: it is exactly one report document in UTF-8, within the output limit.
	JSON []byte
	// Pictures is the set of pictures of the pages, for pageimage.Open. It is nil if none were
	// requested or could be made.
	Pictures []byte
}

// pictureTime is the additional time of an inspection with pictures.
const pictureTime = 10 * time.Second

// Run inspects one file. It returns after the child has ended and leaves neither a
// process nor a goroutine behind.
//
// The error is the cause of ctx if ctx has ended, an [*Error] if the inspection
// failed, or another error if the child could not be started.
//
// With pictures, the child gets [pictureTime] more, and may write a set of pictures besides. If it
// fails for another reason than time, Run inspects the file again without them.
func Run(ctx context.Context, spec Spec) (Inspected, error) {
	if !spec.Pictures {
		return run(ctx, spec)
	}
	pictured := spec
	pictured.Limits = spec.Limits.orDefault()
	pictured.Limits.CPU += pictureTime
	pictured.Limits.Wall += pictureTime
	pictured.Limits.besides = pageimage.MaxBytes + 4
	made, err := run(ctx, pictured)
	if _, failed := errors.AsType[*Error](err); failed && !errors.Is(err, ErrTimeLimit) {
		spec.Pictures = false
		return run(ctx, spec)
	}
	return made, err
}

func run(ctx context.Context, spec Spec) (Inspected, error) {
	var made Inspected
	err := inspect(ctx, spec, Request{Pictures: spec.Pictures}, func(output []byte) (err error) {
		var pictures []byte
		if spec.Pictures {
			if output, pictures, err = decodePictures(output); err != nil {
				return err
			}
		}
		decoded, err := report.Decode(output)
		if err != nil {
			return fmt.Errorf("unreadable report: %w", err)
		}
		// The stored report is English; readers translate it.
		if english := report.Languages()[0]; cmp.Or(decoded.Language, english) != english {
			return fmt.Errorf("report in the language %s, want %s", decoded.Language, english)
		}
		made = Inspected{Report: decoded, JSON: output, Pictures: pictures}
		return nil
	})
	return made, err
}

// Annotate inspects one file and returns the bytes that, appended to it, show the findings as
// comments on its pages. It otherwise equals [Run]; the error of a file that gets no comments
// is a [report.Refusal].
func Annotate(ctx context.Context, spec Spec) ([]byte, error) {
	var update []byte
	err := inspect(ctx, spec, Request{Annotate: true}, func(output []byte) error {
		if err := report.CheckUpdate(output); err != nil {
			return err
		}
		update = output
		return nil
	})
	return update, err
}

// Compare lists what differs between the file and the other file of the spec. It otherwise equals
// [Run].
func Compare(ctx context.Context, spec Spec) (report.Comparison, error) {
	var made report.Comparison
	err := inspect(ctx, spec, Request{Compare: true}, func(output []byte) (err error) {
		made, err = report.DecodeComparison(output)
		return err
	})
	return made, err
}

// fixPasses is the number of times that a fix reads the file: it inspects the file before and after,
// edits it, and compares both.
const fixPasses = 4

// Fix returns the bytes that, appended to the file, fix it, and the log; see preflight.Fix. The child
// gets [fixPasses] times the time of the limits, and may write an update besides. Fix otherwise
// equals [Run].
func Fix(ctx context.Context, spec Spec, fixes []report.Fix) (update []byte, log report.FixLog, err error) {
	spec.Limits = spec.Limits.orDefault()
	spec.Limits.CPU *= fixPasses
	spec.Limits.Wall *= fixPasses
	spec.Limits.besides = report.MaxUpdate
	err = inspect(ctx, spec, Request{Fix: true, Fixes: fixes, Output: spec.Output}, func(output []byte) (err error) {
		log, update, err = report.DecodeFix(output)
		return err
	})
	return update, log, err
}

// WriteCopy writes the file of the inspection, and the result of [Annotate] or [Fix] after it.
func (s Spec) WriteCopy(w io.Writer, update []byte) error {
	info, err := s.File.Stat()
	if err != nil {
		return fmt.Errorf("copy PDF: %w", err)
	}
	if _, err := io.Copy(w, io.NewSectionReader(s.File, 0, info.Size())); err != nil {
		return fmt.Errorf("copy PDF: %w", err)
	}
	if _, err := w.Write(update); err != nil {
		return fmt.Errorf("write update: %w", err)
	}
	return nil
}

// inspect runs a child and passes its output to take. ask selects the form of the output. An error
// of take counts as a crash, because the child is not trusted.
func inspect(ctx context.Context, spec Spec, ask Request, take func(output []byte) error) error {
	limits := spec.Limits.orDefault()
	timed, cancel := context.WithTimeoutCause(ctx, limits.Wall, ErrTimeLimit)
	defer cancel()
	// The child is killed when the thread that started it ends (Pdeathsig), so
	// this goroutine keeps its thread until the child is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	child, err := newChild(timed, spec, ask, limits)
	if err != nil {
		return err
	}
	if err := child.run(limits); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("inspect PDF: %w", context.Cause(ctx))
	}
	if refusal, ok := child.refusal(); ok && ask.Annotate {
		return fmt.Errorf("annotate PDF: %w", refusal)
	}
	if state := child.cmd.ProcessState; state != nil && state.ExitCode() == ExitNotIsolated {
		return fmt.Errorf("start inspector: %s", strings.TrimSpace(child.stderr.String()))
	}
	if failure := child.failure(timed, limits); failure != nil {
		failure.Tail = child.stderr.String()
		return failure
	}
	if err := take(child.stdout.Bytes()); err != nil {
		return &Error{Reason: ErrCrash, Detail: err.Error(), Tail: child.stderr.String()}
	}
	return nil
}

// child is a running inspector.
type child struct {
	cmd    *exec.Cmd
	ask    []byte
	stdout capped
	stderr tail
	// progress is the end of the pipe that we read, progressEnd the child's.
	progress, progressEnd *os.File
	see                   func(Progress)
	// waited is the result of Wait.
	waited error
	// memory reports whether the kernel killed a process for lack of memory while the child ran.
	// Another inspection of this process may be the one that it killed.
	memory shortage
}

// shortage is what the kernel reports about a lack of memory.
type shortage int

// The reports. The zero shortage is that the kernel reports nothing.
const (
	shortageUnknown shortage = iota
	noShortage
	someShortage
)

// shortageBetween compares two counts of [oomKills].
func shortageBetween(before, after int) shortage {
	switch {
	case before < 0 || after < 0:
		return shortageUnknown
	case after > before:
		return someShortage
	default:
		return noShortage
	}
}

// drainTime bounds the wait for pipes that a dead child left open.
const drainTime = 5 * time.Second

func newChild(ctx context.Context, spec Spec, request Request, limits Limits) (*child, error) {
	request.Profile, request.Ticket, request.Language = spec.Profile, spec.Ticket, spec.Language
	ask, err := request.Encode()
	if err != nil {
		return nil, fmt.Errorf("start inspector: %w", err)
	}
	progress, progressEnd, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start inspector: %w", err)
	}
	c := &child{
		cmd: exec.CommandContext(ctx, spec.Inspector.Path, spec.Inspector.Args...),
		ask: ask, progress: progress, progressEnd: progressEnd,
		see: func(p Progress) {
			if spec.Progress != nil {
				spec.Progress(int(p.Done), int(p.Total))
			}
		},
	}
	c.cmd.Dir = "/"
	// The child inherits only settings of the Go runtime. The collector works harder before the
	// kernel's limit is met.
	c.cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", limits.Memory*3/8), "GOMAXPROCS=2", "GOTRACEBACK=single"}
	c.cmd.ExtraFiles = []*os.File{spec.File, progressEnd, cmp.Or(spec.Other, spec.File)}
	c.cmd.SysProcAttr = attributes()
	c.cmd.Cancel = c.kill
	c.cmd.WaitDelay = drainTime
	c.stdout = capped{limit: limits.Output + limits.besides, full: c.kill}
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	return c, nil
}

// run starts the child, limits it, releases it and waits for its end. The error
// is about starting only.
func (c *child) run(limits Limits) error {
	var reading sync.WaitGroup
	defer func() {
		// The last output of the child may still be in the pipe, but a descendant of the
		// child may hold the other end open.
		_ = c.progress.SetReadDeadline(time.Now().Add(drainTime))
		reading.Wait()
		_ = c.progress.Close()
	}()
	before := oomKills()
	release, err := c.start()
	if err != nil {
		return fmt.Errorf("start inspector: %w", err)
	}
	reading.Go(func() { ReadProgress(c.progress, c.see) })
	err = restrict(c.cmd.Process.Pid, limits)
	if err == nil {
		// A child that died before it was released is judged by its death.
		_, _ = release.Write(append([]byte{1}, c.ask...))
	}
	_ = release.Close()
	c.waited = c.cmd.Wait()
	c.memory = shortageBetween(before, oomKills())
	if err != nil {
		return fmt.Errorf("limit inspector: %w", err)
	}
	return nil
}

// start starts the child, which then waits for data on its standard input. Afterwards only
// the child holds its end of the pipe.
func (c *child) start() (io.WriteCloser, error) {
	defer func() { _ = c.progressEnd.Close() }()
	release, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return release, c.cmd.Start()
}

// kill ends the child and everything it may have started.
func (c *child) kill() error {
	if c.cmd.Process == nil {
		return os.ErrProcessDone
	}
	err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

// refusal returns the reason why the child wrote no update, if it ended by itself.
func (c *child) refusal() (report.Refusal, bool) {
	state := c.cmd.ProcessState
	if state == nil || !state.Exited() {
		return 0, false
	}
	return report.RefusalOf(state.ExitCode())
}

// failure returns the failure of the inspection, or nil.
func (c *child) failure(ctx context.Context, limits Limits) *Error {
	state := c.cmd.ProcessState
	switch {
	case c.stdout.over.Load():
		return &Error{Reason: ErrOutputLimit, Detail: fmt.Sprintf("more than %d bytes", limits.Output+limits.besides)}
	case c.waited == nil:
		return nil
	case state == nil:
		return &Error{Reason: ErrCrash, Detail: c.waited.Error()}
	case errors.Is(context.Cause(ctx), ErrTimeLimit):
		return &Error{Reason: ErrTimeLimit, Detail: fmt.Sprintf("%s of wall time", limits.Wall)}
	case outOfTime(state, limits, c.memory):
		return &Error{Reason: ErrTimeLimit, Detail: fmt.Sprintf("%d s of processor time", limits.cpuSeconds())}
	case killed(state):
		return killedBy(state, limits, c.memory)
	case outOfMemory(state, c.stderr.String(), limits):
		return &Error{Reason: ErrMemoryLimit, Detail: fmt.Sprintf("%d MiB", limits.Memory>>20)}
	}
	return &Error{Reason: ErrCrash, Detail: state.String()}
}

// killedBy returns the failure of a child that neither this process nor the limit of CPU time has
// killed. If the kernel does not report whether the memory ran out, the child's use decides.
func killedBy(state *os.ProcessState, limits Limits, memory shortage) *Error {
	const unknown = "it is unknown whether the memory ran out, because the kernel's count of such kills cannot be read"
	switch {
	case memory == someShortage:
		return &Error{Reason: ErrMemoryLimit, Detail: fmt.Sprintf("the kernel killed it for lack of memory in the container or on the machine, before its limit of %d MiB", limits.Memory>>20)}
	case memory == noShortage:
		return &Error{Reason: ErrCrash, Detail: "another process killed it (SIGKILL); the kernel reports no lack of memory"}
	case grown(state, limits):
		return &Error{Reason: ErrMemoryLimit, Detail: fmt.Sprintf("killed (SIGKILL) after it used half of %d MiB; %s", limits.Memory>>20, unknown)}
	default:
		return &Error{Reason: ErrCrash, Detail: "killed (SIGKILL); " + unknown}
	}
}
