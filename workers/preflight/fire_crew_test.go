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

// crewSize is how many workers live at any time.
const crewSize = 3

// crew are the workers in the fire. Its methods are for the goroutine of the
// test.
type crew struct {
	fire    *fire
	dir     string
	hired   int
	members []*member
	// left lists the killed and drained workers, for their logs.
	left []*member
}

// member is a worker process.
type member struct {
	name, log string
	pid       int
	ended     chan struct{}
	err       error // once ended
	// stopped is since when the worker does not run, if it was stopped.
	stopped time.Time
}

func newCrew(f *fire, dir string) *crew {
	f.Helper()
	c := &crew{fire: f, dir: dir}
	f.Cleanup(func() {
		for _, m := range c.members {
			m.signal(syscall.SIGKILL)
			<-m.ended
		}
	})
	for range crewSize {
		c.hire()
	}
	return c
}

// hire starts a worker.
func (c *crew) hire() {
	f := c.fire
	f.Helper()
	c.hired++
	name := fmt.Sprintf("w%d", c.hired)
	settings, err := json.Marshal(fireWorker{
		Name: name, Redis: f.redisURL, Database: f.database.URL("postgres"), TempDir: c.dir,
		Executions: f.executed, Seed: f.rng.Uint64(),
	})
	f.must(err)
	m := &member{name: name, log: filepath.Join(c.dir, name+".log"), ended: make(chan struct{})}
	f.must(m.start(fireEnv + "=" + string(settings)))
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
		// The kernel takes the end of the thread that started a process for the
		// death of its parent, so this thread stays until the worker has ended.
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
func (c *crew) pick(running bool) *member {
	var among []*member
	for _, m := range c.members {
		if !running || m.stopped.IsZero() {
			among = append(among, m)
		}
	}
	return among[c.fire.rng.IntN(len(among))]
}

// replace starts a new worker in place of one that has ended.
func (c *crew) replace(m *member) {
	c.members = slices.DeleteFunc(c.members, func(other *member) bool { return other == m })
	c.left = append(c.left, m)
	c.hire()
}

// kill is the death of a worker in the middle of whatever it does.
func (c *crew) kill() {
	m := c.pick(false)
	m.signal(syscall.SIGKILL)
	<-m.ended
	c.replace(m)
}

// drain has a worker leave in order.
func (c *crew) drain() {
	c.fire.Helper()
	m := c.pick(true)
	c.dismiss(m)
	c.replace(m)
}

func (c *crew) dismiss(m *member) {
	c.fire.Helper()
	// A process that has hardly begun is ended by the signal itself.
	c.fire.until(m.name+" has begun", func() bool { return m.words() != "" })
	m.signal(syscall.SIGTERM)
	c.fire.until(m.name+" leaves", func() bool {
		select {
		case <-m.ended:
			return true
		default:
			return false
		}
	})
	if m.err != nil {
		c.fire.Errorf("%s left with %v:\n%s", m.name, m.err, m.words())
	}
}

// stall stops a worker until its leases have run out. One goes on running.
func (c *crew) stall() {
	running := 0
	for _, m := range c.members {
		if m.stopped.IsZero() {
			running++
		}
	}
	if running < 2 {
		c.wake(true)
	}
	m := c.pick(true)
	m.signal(syscall.SIGSTOP)
	m.stopped = time.Now()
}

// wake resumes workers that were stopped for longer than a lease; if all is set, it also
// resumes the others when their time is over.
func (c *crew) wake(all bool) {
	for _, m := range c.members {
		if m.stopped.IsZero() {
			continue
		}
		rest := time.Until(m.stopped.Add(fireLease * 3 / 2))
		if rest > 0 && !all {
			continue
		}
		time.Sleep(rest)
		m.signal(syscall.SIGCONT)
		m.stopped = time.Time{}
	}
}

// check checks that no worker died except by the test.
func (c *crew) check() {
	c.fire.Helper()
	for _, m := range c.members {
		select {
		case <-m.ended:
			c.fire.Fatalf("%s died of itself: %v\n%s", m.name, m.err, m.words())
		default:
		}
	}
}

func (c *crew) names() (names []string) {
	for _, m := range c.members {
		names = append(names, m.name)
	}
	return names
}

// leave has all workers leave in order.
func (c *crew) leave() {
	c.fire.Helper()
	for _, m := range c.members {
		c.dismiss(m)
	}
	c.members, c.left = nil, append(c.left, c.members...)
}

func (c *crew) logs() string {
	var text strings.Builder
	for _, m := range c.members {
		fmt.Fprintf(&text, "%s:\n%s\n", m.name, m.words())
	}
	return text.String()
}

// words returns the last lines of a worker's log.
func (m *member) words() string {
	log, err := os.ReadFile(m.log)
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-3000):])
}
