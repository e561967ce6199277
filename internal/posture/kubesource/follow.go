// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// A server that has returned is noticed within maxPause: a revocation made
	// right then must not wait for a long backoff.
	minPause = 50 * time.Millisecond
	maxPause = time.Second
	// A watch that has lasted for settleTime works. One that is refused, or breaks
	// at once, ends no trouble, though the list before it was answered.
	settleTime = time.Second
	// A watch is ended by the server after watchSeconds to twice that, and then
	// everything is listed again.
	watchSeconds = 300
)

// follower keeps one kind of a world up to date. It is an informer that holds
// nothing but the world's objects, always lists from etcd and not from the
// server's cache, starts again within a second, and never resyncs: an informer
// that hands out its own memory again is no sign of life.
type follower struct {
	*resource
	world *world
	// index is the kind's in the world.
	index int
	// relisted is called after each list but the first, noted with what ended a
	// round, and with nil once a watch works.
	relisted func()
	noted    func(context.Context, error)
}

// run follows until the context ends.
func (f *follower) run(ctx context.Context) {
	pause := minPause
	for ctx.Err() == nil {
		began := time.Now()
		if err := f.round(ctx); err != nil && ctx.Err() == nil {
			f.noted(ctx, fmt.Errorf("follow %s: %w", f.kind.name, err))
		}
		if time.Since(began) > maxPause {
			pause = minPause
		}
		// Replicas that lost the server together must not return together.
		sleep(ctx, pause/2+rand.N(pause/2))
		pause = min(2*pause, maxPause)
	}
}

// round lists and then watches until the watch ends, which is no error.
func (f *follower) round(ctx context.Context) error {
	version, err := f.list(ctx)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := f.stream(ctx, version); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

func (f *follower) list(ctx context.Context) (string, error) {
	objects := map[string]object{}
	version, err := f.objects(ctx, func(o object) {
		strip(o)
		objects[o.GetName()] = o
	})
	if err != nil {
		return "", err
	}
	if f.world.replace(f.index, version, objects) {
		f.relisted()
	}
	return version, nil
}

func (f *follower) stream(ctx context.Context, version string) error {
	stream, err := f.watch(ctx, version, watchSeconds+rand.Int64N(watchSeconds))
	if err != nil {
		return err
	}
	defer func() {
		stream.Stop()
		// The stream's goroutine has ended when the channel is closed.
		for range stream.ResultChan() {
		}
	}()
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-settled.C:
			f.noted(ctx, nil)
		case event, open := <-stream.ResultChan():
			if !open {
				return nil
			}
			if err := f.take(event); err != nil {
				return err
			}
		}
	}
}

func (f *follower) take(event watch.Event) error {
	if event.Type == watch.Error {
		return apierrors.FromObject(event.Object)
	}
	o, ok := event.Object.(object)
	if !ok {
		return fmt.Errorf("an event of type %T", event.Object)
	}
	switch event.Type {
	case watch.Added, watch.Modified:
		strip(o)
		f.world.put(f.index, o)
	case watch.Deleted:
		f.world.remove(f.index, o)
	case watch.Bookmark:
		f.world.advance(f.index, o.GetResourceVersion())
	default:
		return fmt.Errorf("an event %q", event.Type)
	}
	return nil
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
