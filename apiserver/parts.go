// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"
	"sync"
)

// Part runs until its context ends. It returns an error if it ends before.
type Part = func(context.Context) error

// Parts holds what runs in a process. The parts in front serve and work, and are drained
// first. The parts behind support them until then.
type Parts struct {
	Front, Behind []Part
}

// Loop returns a part that runs a loop, which cannot fail.
func Loop(run func(context.Context)) Part {
	return func(ctx context.Context) error { run(ctx); return nil }
}

// Run starts all parts, calls ready, and stops all parts when ctx ends, when a part in
// front stops, or when a part behind or ready fails.
func (p Parts) Run(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var behind, front sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failures = append(failures, err)
	}
	for _, part := range p.Behind {
		behind.Go(func() {
			if err := part(background); err != nil {
				note(err)
				cancel()
			}
		})
	}
	for _, part := range p.Front {
		front.Go(func() { defer cancel(); note(part(ctx)) })
	}
	if err := ready(ctx); err != nil {
		cancel()
		if !errors.Is(err, context.Canceled) {
			note(err)
		}
	}
	front.Wait()
	stopBackground()
	behind.Wait()
	return errors.Join(failures...)
}
