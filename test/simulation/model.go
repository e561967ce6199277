// SPDX-License-Identifier: Apache-2.0

// Package simulation runs the preflight queue with up to a thousand workers in virtual time. It
// answers questions that cannot be tried in production: how long tenants wait while one of them
// floods the queue, how a job that kills its workers affects other jobs, and whether the number of
// workers settles.
//
// The decisions are not modelled: [Model] calls the queue's own client, which runs the queue's own
// scripts on miniredis. Modelled are the jobs that take time, the workers that take jobs in their
// slots, renew their leases, die and leave, and the autoscaler that adds and removes workers. The
// network and shared CPUs are not modelled. A run depends only on its seed.
//
// The clock is that of a [testing/synctest] bubble, in which sleeping takes no time. The model
// sleeps until the next event; the queue's client and the server have the same clock. Outside of a
// bubble an hour takes an hour.
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

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Config holds the settings of a [Model].
type Config struct {
	Seed uint64
	// Workers is the initial number of workers, each with Slots.
	Workers, Slots int
	// Shares returns the shares of the tenants; nil means equal shares.
	Shares func(tenant.ID) queue.Share
	// Alone is the number of expired leases after which a job runs without other jobs on its
	// worker; 0 disables this.
	Alone int
	// Crashes is the mean number of worker deaths per worker and minute.
	Crashes float64
	// Block is how long a worker blocks for work before it polls again; 0 selects the value of
	// real workers.
	Block time.Duration
}

// The settings of a deployed worker.
const (
	lease    = 10 * time.Second
	block    = lease / 20
	idle     = 10 * time.Minute
	podStart = 10 * time.Second
	// mostTries bounds the attempts of a job, fetchTries the attempts while its file cannot be
	// fetched; pauses grow from the base.
	mostTries  = 5
	fetchTries = 4
	fetchPause = time.Second
)

const queueName = "preflight"

// Model is a queue with its tenants and workers. It is not safe for concurrent use.
type Model struct {
	config Config
	queue  *queue.Queue
	redis  *memoryRedis

	now    time.Duration
	events events
	serial int64
	// Each purpose has its own random sequence, so that draws for one do not change the others.
	arrivals, crashes, jitter *rand.Rand

	jobs    []*job
	open    int
	sources int
	workers []*worker
	born    int
	waiting []turn
	// granted is the number of leases that workers received: one for each entry of the stream,
	// until no job is ready.
	granted int
	figures Figures
	err     error
}

// shares returns the shares of the config, which are always known.
func (c Config) shares() func(tenant.ID) (queue.Share, bool) {
	if c.Shares == nil {
		return nil
	}
	return func(owner tenant.ID) (queue.Share, bool) { return c.Shares(owner), true }
}

// New returns a model, which the caller must close.
func New(config Config) (*Model, error) {
	w := &Model{config: config, figures: newFigures()}
	for n, target := range []**rand.Rand{&w.arrivals, &w.crashes, &w.jitter} {
		*target = rand.New(rand.NewPCG(config.Seed, uint64(n)))
	}
	var err error
	if w.redis, err = startRedis(context.Background()); err != nil {
		return nil, err
	}
	w.queue, err = queue.New(w.redis.client, queueName, queue.Options{Shares: config.shares()})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	// Keys expire only when the clock of the server advances.
	w.Every(time.Second, func() { w.redis.server.FastForward(time.Second) })
	for range config.Workers {
		w.addWorker()
	}
	return w, nil
}

// Close stops the Redis of the model.
func (w *Model) Close() error {
	var err error
	for _, worker := range w.workers {
		err = errors.Join(err, worker.consumer.Close())
	}
	return errors.Join(err, w.redis.close())
}

// Now returns the time since the beginning of the run.
func (w *Model) Now() time.Duration { return w.now }

// Random returns the random sequence of sources.
func (w *Model) Random() *rand.Rand { return w.arrivals }

// Queue returns the simulated queue.
func (w *Model) Queue() *queue.Queue { return w.queue }

// Backlogged returns the number of tenants with waiting jobs that may be dispatched.
func (w *Model) Backlogged() int64 {
	tenants, err := w.redis.client.ZCard(context.Background(), key("ring")).Result()
	w.check(err)
	return tenants
}

func key(name string) string { return "pm:{" + queueName + "}:" + name }

// Source returns the next job and its delay after the previous job. It returns false when there
// are no more jobs.
type Source func() (job Job, after time.Duration, more bool)

// Add starts a source at the given time.
func (w *Model) Add(at time.Duration, source Source) {
	w.sources++
	w.at(at, func() { w.draw(source) })
}

func (w *Model) draw(source Source) {
	next, after, more := source()
	if !more {
		w.sources--
		return
	}
	w.at(w.now+after, func() { w.Submit(next); w.draw(source) })
}

// Submit submits a job now.
func (w *Model) Submit(next Job) {
	number := len(w.jobs)
	w.jobs = append(w.jobs, &job{Job: next, submitted: w.now, begun: -1})
	w.open++
	w.check(w.queue.Submit(context.Background(), idOf(number), next.Owner, 0))
}

func idOf(number int) string { return "pref_" + strconv.Itoa(number) }

func (w *Model) jobOf(id string) *job {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "pref_"))
	if err != nil || number >= len(w.jobs) {
		w.check(fmt.Errorf("the queue knows a job %q that was never submitted", id))
		return &job{}
	}
	return w.jobs[number]
}

// Every calls do at each interval until the end.
func (w *Model) Every(interval time.Duration, do func()) {
	w.at(w.now+interval, func() { do(); w.Every(interval, do) })
}

// check stops the run at the first error.
func (w *Model) check(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("at %s: %w", w.now, err)
	}
}

// ErrStuck means that jobs were still open at the end of a run.
var ErrStuck = errors.New("jobs are left")

// Drain runs until all sources are exhausted and all jobs have ended, at most for the limit. It
// returns [ErrStuck] if jobs are left.
func (w *Model) Drain(limit time.Duration) error {
	w.run(limit, func() bool { return w.open == 0 && w.sources == 0 })
	if w.err == nil && (w.open > 0 || w.sources > 0) {
		return fmt.Errorf("%w at %s: %d", ErrStuck, w.now, w.open)
	}
	return w.err
}

// Run runs until the given time.
func (w *Model) Run(until time.Duration) error {
	w.run(until, func() bool { return false })
	return w.err
}

func (w *Model) run(until time.Duration, done func() bool) {
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

// serve gives ready jobs to waiting workers in the order in which they began to wait, like the
// server.
func (w *Model) serve() {
	for range len(w.waiting) {
		if w.redis.added == w.granted || w.err != nil {
			return
		}
		first := w.waiting[0]
		w.waiting = w.waiting[1:]
		if first.valid() {
			first.worker.turn++
			first.worker.take()
		}
	}
}

// event is a planned call at a time. Events at the same time run in the order of planning.
type event struct {
	at     time.Duration
	serial int64
	do     func()
}

func (w *Model) at(when time.Duration, do func()) {
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
