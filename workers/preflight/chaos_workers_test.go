// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// workerCount is the number of worker processes at any time.
const workerCount = 3

// workerPool holds the worker processes of a chaos test. Only the goroutine of the test calls its
// methods.
type workerPool struct {
	chaos   *chaos
	dir     string
	started int
	members []*member
	// left lists the killed and drained workers, for their logs.
	left []*member
}

// member is a worker process.
type member struct {
	name, log string
	pid       int
	ended     chan struct{}
	err       error // set when ended is closed
	// stopped is the time at which the worker was stopped; zero if it runs.
	stopped time.Time
}

func startWorkers(f *chaos, dir string) *workerPool {
	f.Helper()
	c := &workerPool{chaos: f, dir: dir}
	f.Cleanup(func() {
		for _, m := range c.members {
			m.signal(syscall.SIGKILL)
			<-m.ended
		}
	})
	for range workerCount {
		c.add()
	}
	return c
}

// add starts a worker.
func (c *workerPool) add() {
	f := c.chaos
	f.Helper()
	c.started++
	name := fmt.Sprintf("w%d", c.started)
	settings, err := json.Marshal(chaosWorker{
		Name: name, Redis: f.redisURL, Database: f.database.URL("postgres"), TempDir: c.dir,
		Executions: f.executed, Seed: f.rng.Uint64(),
	})
	f.must(err)
	m := &member{name: name, log: filepath.Join(c.dir, name+".log"), ended: make(chan struct{})}
	f.must(m.start(chaosEnv + "=" + string(settings)))
	c.members = append(c.members, m)
}

// start starts the test binary as a worker that dies with this process.
func (m *member) start(settings string) error {
	log, err := os.Create(m.log)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), settings)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The kernel signals the child when the thread that started it ends, so this thread
		// stays until the worker has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(m.ended)
		err := command.Start()
		if err == nil {
			m.pid = command.Process.Pid
		}
		started <- err
		if err == nil {
			m.err = command.Wait()
		}
	}()
	return <-started
}

func (m *member) signal(signal syscall.Signal) { _ = syscall.Kill(m.pid, signal) }

// pick returns a random worker, or a random running one.
func (c *workerPool) pick(running bool) *member {
	var among []*member
	for _, m := range c.members {
		if !running || m.stopped.IsZero() {
			among = append(among, m)
		}
	}
	return among[c.chaos.rng.IntN(len(among))]
}

// replace starts a new worker in place of one that has ended.
func (c *workerPool) replace(m *member) {
	c.members = slices.DeleteFunc(c.members, func(other *member) bool { return other == m })
	c.left = append(c.left, m)
	c.add()
}

// kill kills a random worker at any point of its work, and replaces it.
func (c *workerPool) kill() {
	m := c.pick(false)
	m.signal(syscall.SIGKILL)
	<-m.ended
	c.replace(m)
}

// drain terminates a random running worker gracefully, and replaces it.
func (c *workerPool) drain() {
	c.chaos.Helper()
	m := c.pick(true)
	c.terminate(m)
	c.replace(m)
}

func (c *workerPool) terminate(m *member) {
	c.chaos.Helper()
	// A process that does not handle the signal yet would be killed by it.
	c.chaos.until(m.name+" handles SIGTERM", func() bool { return m.logTail() != "" })
	m.signal(syscall.SIGTERM)
	c.chaos.until(m.name+" ends", func() bool {
		select {
		case <-m.ended:
			return true
		default:
			return false
		}
	})
	if m.err != nil {
		c.chaos.Errorf("%s ended with %v, want no error:\n%s", m.name, m.err, m.logTail())
	}
}

// stall stops a worker until its leases have expired. At least one worker keeps running.
func (c *workerPool) stall() {
	running := 0
	for _, m := range c.members {
		if m.stopped.IsZero() {
			running++
		}
	}
	if running < 2 {
		c.resume(true)
	}
	m := c.pick(true)
	m.signal(syscall.SIGSTOP)
	m.stopped = time.Now()
}

// resume resumes workers that were stopped for longer than a lease. If all is true, it waits for
// the other stopped workers and resumes them too.
func (c *workerPool) resume(all bool) {
	for _, m := range c.members {
		if m.stopped.IsZero() {
			continue
		}
		rest := time.Until(m.stopped.Add(chaosLease * 3 / 2))
		if rest > 0 && !all {
			continue
		}
		time.Sleep(rest)
		m.signal(syscall.SIGCONT)
		m.stopped = time.Time{}
	}
}

// check fails the test if a worker has ended that the test has not ended.
func (c *workerPool) check() {
	c.chaos.Helper()
	for _, m := range c.members {
		select {
		case <-m.ended:
			c.chaos.Fatalf("%s ended unexpectedly: %v\n%s", m.name, m.err, m.logTail())
		default:
		}
	}
}

func (c *workerPool) names() (names []string) {
	for _, m := range c.members {
		names = append(names, m.name)
	}
	return names
}

// leave terminates all workers gracefully.
func (c *workerPool) leave() {
	c.chaos.Helper()
	for _, m := range c.members {
		c.terminate(m)
	}
	c.members, c.left = nil, append(c.left, c.members...)
}

func (c *workerPool) logs() string {
	var text strings.Builder
	for _, m := range c.members {
		fmt.Fprintf(&text, "%s:\n%s\n", m.name, m.logTail())
	}
	return text.String()
}

// logTail returns the last lines of a worker's log.
func (m *member) logTail() string {
	log, err := os.ReadFile(m.log)
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-3000):])
}
