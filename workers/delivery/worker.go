// SPDX-License-Identifier: Apache-2.0

// Package delivery is the worker that delivers events to the webhook endpoints of
// partners.
//
// The worker claims due deliveries in the store, posts them, and records the result.
// Any number of workers can share one store. Claims expire, so another worker sends
// again what a dead worker did not record: a receiver gets each event at least once,
// always with the same id.
//
// Three goroutines run for the life of the worker: one relays the outbox, one claims
// and dispatches, one records. Each attempt has its own goroutine. Further goroutines
// measure the backlog and erase records past their retention. Only the claiming
// goroutine uses the lanes of endpoints.
package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Connection is the way to one endpoint, which nobody else uses.
type Connection interface {
	webhook.Poster
	// Close ends what is kept for later.
	Close()
}

// Connections makes the ways to endpoints: clients that keep what a configuration
// says, and connections for a while. What it says of times is replaced by the limit
// of an attempt.
func Connections(config safehttp.Config) func() Connection {
	config.Header, config.Total = webhook.AttemptLimit, webhook.AttemptLimit
	config.KeepAlive = keptFor
	return func() Connection { return safehttp.New(config) }
}

// keptFor is how long a connection is kept for the next delivery.
const keptFor = 30 * time.Second

// lease is how long a claim lasts: an attempt, and time to record what came of it.
const lease = webhook.AttemptLimit + 30*time.Second

// Config is what a [Worker] is made of. Members are required unless they say what
// their zero value means.
type Config struct {
	Store     webhook.Store
	Directory webhook.Directory
	Relay     *webhook.Relay
	Sender    webhook.Sender
	// Await blocks until Directory is complete, or until its context ends; nil if
	// Directory is complete from the start.
	Await func(context.Context) error
	// Connect makes the way to an endpoint: see [Connections].
	Connect func() Connection
	// PerEndpoint is how many deliveries are on their way to one endpoint at once,
	// from all workers; 0 means 4.
	PerEndpoint int
	// InFlight is how many this worker has claimed at once; 0 means 256.
	InFlight int
	// Every is how often the outbox, and what is due, is looked at; 0 means 1 s.
	Every time.Duration
	// Drain is how long attempts may go on after the worker was told to stop,
	// before they are given back.
	Drain time.Duration
	// Random returns a number from 0 to below 1; it is safe for concurrent use.
	Random  func() float64
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	// Tracer makes spans of attempts; it may be nil.
	Tracer *telemetry.Tracer
}

// Worker delivers. Make it with [New] and call [Worker.Run] once.
type Worker struct {
	Config
	store store

	mu    sync.Mutex
	sight sight
}

// New makes a worker.
func New(config Config) *Worker {
	if config.PerEndpoint == 0 {
		config.PerEndpoint = 4
	}
	if config.InFlight == 0 {
		config.InFlight = 256
	}
	if config.Every == 0 {
		config.Every = time.Second
	}
	return &Worker{Config: config, store: store{log: config.Log, random: config.Random, away: map[string]error{}}}
}

// Healthy is nil while the store answers.
func (w *Worker) Healthy() error { return w.store.healthy() }

// settleTime is how long a worker tries to record after its attempts have ended.
const settleTime = 10 * time.Second

// Run works until ctx ends, then drains: it claims nothing more, waits for the
// attempts that are under way, gives back those that do not end in time and those
// that were not begun, and records the rest. It returns when nothing of it runs any
// more, within the drain time and 10 s.
func (w *Worker) Run(ctx context.Context) {
	if w.Await != nil && w.Await(ctx) != nil {
		return
	}
	attempts, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	records, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	// Neither channel is ever full: what is in them is in flight.
	ended, settled := make(chan ending, w.InFlight), make(chan []ending, w.InFlight)
	relayed, done := make(chan struct{}, 1), make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { w.endDrain(ctx, done, abandon, giveUp) })
	beside.Go(func() { w.relayEvery(ctx, relayed) })
	beside.Go(func() { // Ask the store for what waits until ctx ends.
		for ctx.Err() == nil {
			w.watch(ctx)
			pause(ctx, watchTime)
		}
	})
	beside.Go(func() { // Erase what is past its retention until ctx ends.
		for ctx.Err() == nil {
			if w.purge(ctx) < purgeBatch {
				pause(ctx, purgeTime)
			}
		}
	})
	var recording sync.WaitGroup
	recording.Go(func() { w.recordAll(records, ended, settled) })
	newDispatcher(w, ended).run(ctx, attempts, relayed, settled)
	close(ended)
	recording.Wait()
	close(done)
	beside.Wait()
}

// endDrain ends what goes on for too long after the worker was told to stop.
func (w *Worker) endDrain(ctx context.Context, done <-chan struct{}, abandon, giveUp func()) {
	select {
	case <-ctx.Done():
	case <-done:
		return
	}
	for _, step := range []struct {
		after time.Duration
		end   func()
	}{{w.Drain, abandon}, {settleTime, giveUp}} {
		select {
		case <-time.After(step.after):
			step.end()
		case <-done:
			return
		}
	}
}

// pause waits, but not longer than ctx.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
