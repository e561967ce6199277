// SPDX-License-Identifier: Apache-2.0

// Package delivery is the worker that delivers events to the webhook endpoints of
// partners.
//
// The worker claims due deliveries in the store, posts them, and records the result. Any number
// of workers can share one store. Claims expire, so another worker repeats the deliveries that a
// dead worker did not record. A receiver gets each event at least once, always with the same id.
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
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/webhook"
)

const (
	// purgeTime is the interval between purges.
	purgeTime = time.Hour
	// purgeBatch limits the deliveries, and the events, that one call erases.
	purgeBatch = 5000
)

// Connection posts to one endpoint, exclusively.
type Connection interface {
	webhook.Poster
	// Close closes idle connections.
	Close()
}

// Connections returns a function that makes clients for endpoints. The clients follow a
// configuration and keep connections for a while. The limit of an attempt replaces the
// timeouts of the configuration.
func Connections(config safehttp.Config) func() Connection {
	config.Header, config.Total = webhook.AttemptLimit, webhook.AttemptLimit
	config.KeepAlive = keptFor
	return func() Connection { return safehttp.New(config) }
}

// keptFor is the time for which an idle connection is kept.
const keptFor = 30 * time.Second

// lease is the duration of a claim: an attempt, and time to record its result.
const lease = webhook.AttemptLimit + 30*time.Second

// Config holds the dependencies and settings of a [Worker]. Members are required unless
// their comment defines the zero value.
type Config struct {
	Store     webhook.Store
	Directory webhook.Directory
	Relay     *webhook.Relay
	Sender    webhook.Sender
	// Await blocks until Directory is complete, or until its context ends; nil if
	// Directory is complete from the start.
	Await func(context.Context) error
	// Connect makes the client for an endpoint: see [Connections].
	Connect func() Connection
	// PerEndpoint limits the deliveries in flight to one endpoint, of all workers; 0
	// means 4.
	PerEndpoint int
	// InFlight limits the claims of this worker; 0 means 256.
	InFlight int
	// Every is the interval at which the worker reads the outbox and due deliveries; 0 means 1 s.
	Every time.Duration
	// Drain limits how long attempts may continue after the worker starts to stop. The
	// worker then releases them.
	Drain time.Duration
	// Random returns a number from 0 to below 1; it is safe for concurrent use.
	Random  func() float64
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	// Tracer makes spans of attempts; it may be nil.
	Tracer *telemetry.Tracer
}

// Worker delivers events. Make it with [New] and call [Worker.Run] once.
type Worker struct {
	Config
	store store
	// unrecorded is true while the store is unavailable for the results of ended attempts.
	unrecorded atomic.Bool

	mu      sync.Mutex
	backlog backlog
}

// New returns a worker.
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
	return &Worker{Config: config, store: store{log: config.Log, random: config.Random, errs: map[string]error{}}}
}

// Healthy returns the errors of the last calls to the store, nil while it responds.
func (w *Worker) Healthy() error { return w.store.healthy() }

// settleTime limits how long a worker tries to record results after its attempts have ended.
const settleTime = 10 * time.Second

// Run works until ctx ends, then drains: it claims no more deliveries, waits for running attempts,
// releases those that do not end in time and those that have not begun, and records the others. It
// returns after all its goroutines have ended, at most 10 s after the drain time.
func (w *Worker) Run(ctx context.Context) {
	if w.Await != nil && w.Await(ctx) != nil {
		return
	}
	attempts, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	records, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	// Neither channel is ever full, because both only contain claims in flight.
	ended, settled := make(chan ending, w.InFlight), make(chan []ending, w.InFlight)
	relayed, done := make(chan struct{}, 1), make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { w.endDrain(ctx, done, abandon, giveUp) })
	beside.Go(func() { w.relayEvery(ctx, relayed) })
	beside.Go(func() { // Count waiting deliveries until ctx ends.
		for ctx.Err() == nil {
			w.watch(ctx)
			pause(ctx, watchTime)
		}
	})
	beside.Go(func() { // Erase records past their retention until ctx ends.
		for ctx.Err() == nil {
			ask, cancel := context.WithTimeout(ctx, callLimit)
			erased, err := w.Store.PurgeWebhooks(ask, w.Now().Add(-webhook.Retention), purgeBatch)
			cancel()
			if w.store.note(ctx, "purge", err); erased < purgeBatch {
				pause(ctx, purgeTime) // the next purge repeats a failed one
			}
		}
	})
	var recording sync.WaitGroup
	recording.Go(func() { w.recordAll(records, ended, settled) })
	(&dispatcher{Worker: w, ended: ended, lanes: map[webhook.Address]*lane{}}).run(ctx, attempts, relayed, settled)
	close(ended)
	recording.Wait()
	close(done)
	beside.Wait()
}

// endDrain ends attempts, and then the recording, that continue for too long after ctx ends.
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
