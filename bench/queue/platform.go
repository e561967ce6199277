// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
)

// leaseTime equals the lease of production workers.
const leaseTime = 10 * time.Second

// platformContender is the queue of this repository with the plain loop that a
// worker would have.
type platformContender struct {
	redis *redis.Client
	queue *queue.Queue
	lease time.Duration
	// renewed, if set, is called with the start of each renewed lease.
	renewed func(time.Time)
}

func newPlatform(addr string, lease time.Duration) (*platformContender, error) {
	client := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})
	q, err := queue.New(client, "preflight", queue.Options{Shares: equal})
	if err != nil {
		return nil, fmt.Errorf("make the queue: %w", err)
	}
	return &platformContender{redis: client, queue: q, lease: lease}, nil
}

// equal gives every tenant the same share, which a submit carries with it, as in
// production.
func equal(tenant.ID) (queue.Share, bool) { return queue.Share{Weight: queue.DefaultWeight}, true }

func organization(i int) tenant.ID {
	return tenant.ID{Organization: fmt.Sprintf("org_bench%03d", i), Mode: tenant.Live}
}

func (p *platformContender) submit(ctx context.Context, id string, owner int) error {
	if err := p.queue.Submit(ctx, id, organization(owner), 0); err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	return nil
}

func (p *platformContender) left(ctx context.Context) (int, error) {
	stats, err := p.queue.Stats(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the queue: %w", err)
	}
	return int(stats.Open), nil
}

func (p *platformContender) close() error {
	p.queue.Close()
	return p.redis.Close()
}

func (p *platformContender) serve(ctx context.Context, slots int, do func(id string)) error {
	w := &worker{
		consumer: p.queue.Consumer(queue.ConsumerConfig{
			Name: "worker-" + time.Now().Format(time.RFC3339Nano), Slots: slots,
			Lease: p.lease, Block: p.lease / 20, Idle: time.Minute,
		}),
		do: do, renewed: p.renewed, free: make(chan struct{}, slots), held: map[string]queue.Lease{},
	}
	for range slots {
		w.free <- struct{}{}
	}
	w.run(ctx)
	err := w.consumer.Leave(context.WithoutCancel(ctx))
	return errors.Join(errors.Join(w.errs...), err, w.consumer.Close())
}

// worker fetches for the slots that are free. A slot that has a job goes on by
// itself until no job is left; the end of a job brings the next.
type worker struct {
	consumer *queue.Consumer
	do       func(id string)
	renewed  func(time.Time)
	// free has a token for each slot without a job.
	free chan struct{}

	mu   sync.Mutex
	held map[string]queue.Lease
	errs []error
}

func (w *worker) run(ctx context.Context) {
	// When ctx ends, complete the running jobs and settle them.
	work := context.WithoutCancel(ctx)
	beat, rest := context.WithCancel(work)
	var beside, running sync.WaitGroup
	beside.Go(func() { w.heartbeat(beat) })
	beside.Go(func() {
		<-ctx.Done()
		w.note(w.consumer.Wake(work))
	})
	for ctx.Err() == nil {
		w.fetch(ctx, work, &running)
	}
	running.Wait()
	rest()
	beside.Wait()
}

// fetch waits for a free slot, then for jobs.
func (w *worker) fetch(ctx, work context.Context, running *sync.WaitGroup) {
	select {
	case <-w.free:
	case <-ctx.Done():
		return
	}
	w.free <- struct{}{}
	leases, err := w.consumer.Next(work, len(w.free))
	if err != nil {
		w.note(err)
		sleep(ctx, 10*time.Millisecond)
		return
	}
	for _, lease := range leases {
		<-w.free
		running.Go(func() {
			w.slot(ctx, work, lease)
			w.free <- struct{}{}
		})
	}
}

// slot does a job and those that come after it.
func (w *worker) slot(ctx, work context.Context, lease queue.Lease) {
	next := []queue.Lease{lease}
	for len(next) > 0 {
		lease := next[0]
		w.hold(lease)
		w.do(lease.ID)
		w.drop(lease)
		var err error
		if ctx.Err() == nil {
			next, err = w.consumer.FinishNext(work, lease)
		} else {
			next, err = nil, w.consumer.Finish(work, lease)
		}
		w.note(err)
	}
}

func (w *worker) hold(lease queue.Lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[lease.ID] = lease
}

func (w *worker) drop(lease queue.Lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, lease.ID)
}

// note keeps the first errors, which fail the measurement.
func (w *worker) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && len(w.errs) < 10 {
		w.errs = append(w.errs, err)
	}
}

func (w *worker) heartbeat(ctx context.Context) {
	ticker := time.NewTicker(w.consumer.LeaseTime() / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.renew(ctx)
		}
	}
}

func (w *worker) renew(ctx context.Context) {
	w.mu.Lock()
	leases := make([]queue.Lease, 0, len(w.held))
	for _, lease := range w.held {
		leases = append(leases, lease)
	}
	w.mu.Unlock()
	before := time.Now()
	lost, err := w.consumer.Renew(ctx, leases...)
	switch {
	case err != nil && ctx.Err() == nil:
		w.note(err)
	case err == nil && len(lost) == 0 && w.renewed != nil:
		w.renewed(before)
	}
}
