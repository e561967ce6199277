// SPDX-License-Identifier: Apache-2.0

package cli

import (
	mathrand "math/rand/v2"
	"net/netip"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/workers/preflight"
)

// workOptions are what a preflight worker is told.
type workOptions struct {
	slots int
	// drain is how long running jobs may go on once the process is told to stop.
	drain   time.Duration
	allow   []netip.Prefix
	tempDir string
}

// newWorker makes a preflight worker as a part of a process.
func newWorker(p *process, o workOptions, work preflights) (*preflight.Worker, error) {
	inspector, err := sandbox.Find(inspectorArg)
	if err != nil {
		return nil, err
	}
	consumer := work.queue.Consumer(queue.ConsumerConfig{
		Name: incarnation(), Slots: o.slots, Lease: leaseTime, Block: blockTime, Idle: idleTime,
	})
	p.onClose(func() { _ = consumer.Close() })
	client := safehttp.New(safehttp.Config{Allow: o.allow, UserAgent: userAgent})
	return preflight.New(preflight.Config{
		Jobs: work.jobs, Queue: consumer, Fetch: client.Fetch, Inspect: sandbox.Run, Inspector: inspector,
		Slots: o.slots, Drain: o.drain, TempDir: o.tempDir,
		Jitter: func(d time.Duration) time.Duration { return mathrand.N(d + 1) },
		Now:    p.now, Log: p.log, Metrics: p.metrics, Tracer: p.tracer,
	}), nil
}
