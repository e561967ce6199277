// SPDX-License-Identifier: Apache-2.0

// Package simulation runs the preflight queue with up to a thousand workers and
// millions of jobs in virtual time, to find out what nobody wants to find out
// in production: who waits for how long when a tenant floods the queue, what
// becomes of jobs beside one that kills its workers, whether the number of
// workers settles.
//
// What decides is not a model: [World] calls the queue's own client, which runs
// the queue's own scripts on [keyspace.Keyspace]. What is modelled is the world
// around them: jobs that take time, workers that take jobs in their slots,
// renew their leases, die and go, and an autoscaler that adds and removes them.
// A network and a processor that is shared are not. A run is the same each time
// for a seed.
//
// The clock is that of a bubble of [testing/synctest]: the world sleeps until
// something happens, which takes no time there, and the queue's client has the
// same clock. Outside of a bubble an hour takes an hour.
package simulation

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/queue/simulation/keyspace"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Config is what a [World] is made of.
type Config struct {
	Seed uint64
	// Workers are there from the beginning, each with Slots.
	Workers, Slots int
	// Shares are the tenants' shares; nil gives equal ones.
	Shares func(tenant.ID) queue.Share
	// Alone is how many leases of a job must have run out for a worker to do
	// nothing beside it; 0 lets no job run alone.
	Alone int
	// Crashes is how many times a worker dies in a minute, on average.
	Crashes float64
	// Block is how long a worker waits for work before it asks again; 0 is as
	// workers do.
	Block time.Duration
}

// The figures of a worker as it is deployed.
const (
	lease    = 10 * time.Second
	block    = lease / 20
	idle     = 10 * time.Minute
	podStart = 10 * time.Second
	// mostTries is how often a job is begun at most, fetchTries how often while
	// its file cannot be fetched, with this base of the pauses.
	mostTries  = 5
	fetchTries = 4
	fetchPause = time.Second
)

const queueName = "preflight"

// World is a queue with those who use it. It is not safe for concurrent use.
type World struct {
	config Config
	queue  *queue.Queue
	memory *keyspace.Keyspace
	client *redis.Client

	now    time.Duration
	events events
	serial int64
	// One sequence for each purpose: what is drawn for one does not change what
	// is drawn for another.
	arrivals, crashes, jitter *rand.Rand

	jobs    []*job
	open    int
	sources int
	workers []*worker
	born    int
	waiting []turn
	figures Figures
	err     error
}

// shares are those of the config, which are always known.
func (c Config) shares() func(tenant.ID) (queue.Share, bool) {
	if c.Shares == nil {
		return nil
	}
	return func(who tenant.ID) (queue.Share, bool) { return c.Shares(who), true }
}

// New makes a world. Close it.
func New(config Config) (*World, error) {
	w := &World{config: config, figures: newFigures()}
	for n, target := range []**rand.Rand{&w.arrivals, &w.crashes, &w.jitter} {
		*target = rand.New(rand.NewPCG(config.Seed, uint64(n)))
	}
	w.memory = keyspace.New(time.Now)
	w.client = w.memory.Client()
	var err error
	w.queue, err = queue.New(w.client, queueName, queue.Options{Shares: config.shares()})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	for range config.Workers {
		w.hire()
	}
	return w, nil
}

// Close frees what the world holds.
func (w *World) Close() error {
	err := w.client.Close()
	for _, worker := range w.workers {
		err = errors.Join(err, worker.consumer.Close())
	}
	w.memory.Close()
	return err
}

// Now is the time since the beginning.
func (w *World) Now() time.Duration { return w.now }

// Random is the sequence from which sources draw.
func (w *World) Random() *rand.Rand { return w.arrivals }

// Commands is how many commands Redis has run, those in scripts included.
func (w *World) Commands() int { return w.memory.Calls() }

// Queue is the queue that is simulated.
func (w *World) Queue() *queue.Queue { return w.queue }

// Key reads a key of the queue.
func (w *World) Key(command, name string, args ...string) (any, error) {
	return w.memory.Do(append([]string{command, "pm:{" + queueName + "}:" + name}, args...)...)
}

// Source submits jobs one after the other: the next one, and how long after the
// one before. It returns false when there are no more.
type Source func() (job Job, after time.Duration, more bool)

// Add has a source begin at some time.
func (w *World) Add(at time.Duration, source Source) {
	w.sources++
	w.at(at, func() { w.draw(source) })
}

func (w *World) draw(source Source) {
	next, after, more := source()
	if !more {
		w.sources--
		return
	}
	w.at(w.now+after, func() { w.Submit(next); w.draw(source) })
}

// Submit submits a job now.
func (w *World) Submit(next Job) {
	number := len(w.jobs)
	w.jobs = append(w.jobs, &job{Job: next, submitted: w.now, begun: -1})
	w.open++
	w.check(w.queue.Submit(context.Background(), idOf(number), next.Owner, 0))
}

func idOf(number int) string { return "pref_" + strconv.Itoa(number) }

func (w *World) jobOf(id string) *job {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "pref_"))
	if err != nil || number >= len(w.jobs) {
		w.check(fmt.Errorf("the queue knows a job %q that was never submitted", id))
		return &job{}
	}
	return w.jobs[number]
}

// Every calls a function at each interval until the end.
func (w *World) Every(interval time.Duration, do func()) {
	w.at(w.now+interval, func() { do(); w.Every(interval, do) })
}

// check stops the run at the first error.
func (w *World) check(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("at %s: %w", w.now, err)
	}
}

// ErrStuck means that jobs were left when the time was over.
var ErrStuck = errors.New("jobs are left")

// Drain runs until all sources are dry and all jobs have ended, but no longer
// than a limit. Errors: [ErrStuck].
func (w *World) Drain(limit time.Duration) error {
	w.run(limit, func() bool { return w.open == 0 && w.sources == 0 })
	if w.err == nil && (w.open > 0 || w.sources > 0) {
		return fmt.Errorf("%w at %s: %d", ErrStuck, w.now, w.open)
	}
	return w.err
}

// Run runs until some time.
func (w *World) Run(until time.Duration) error {
	w.run(until, func() bool { return false })
	return w.err
}

func (w *World) run(until time.Duration, done func() bool) {
	for w.err == nil && !done() {
		if len(w.events) == 0 || w.events[0].at > until {
			time.Sleep(until - w.now)
			w.now = max(w.now, until)
			return
		}
		next, _ := heap.Pop(&w.events).(event)
		time.Sleep(next.at - w.now)
		w.now = next.at
		next.do()
		w.serve()
	}
}

// serve lets workers that wait take what has become ready, those first that
// have waited longest, as the server does.
func (w *World) serve() {
	for len(w.waiting) > 0 && w.memory.Ready("pm:{"+queueName+"}:s", "workers") > 0 {
		first := w.waiting[0]
		w.waiting = w.waiting[1:]
		if first.valid() {
			first.worker.turn++
			first.worker.take()
		}
	}
}

// event is something that happens at some time, in the order in which it was
// planned.
type event struct {
	at     time.Duration
	serial int64
	do     func()
}

func (w *World) at(when time.Duration, do func()) {
	w.serial++
	heap.Push(&w.events, event{max(when, w.now), w.serial, do})
}

type events []event

func (e events) Len() int { return len(e) }

func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].serial < e[j].serial
}

func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e *events) Push(x any) {
	next, _ := x.(event)
	*e = append(*e, next)
}

func (e *events) Pop() any {
	last := len(*e) - 1
	popped := (*e)[last]
	(*e)[last] = event{}
	*e = (*e)[:last]
	return popped
}
