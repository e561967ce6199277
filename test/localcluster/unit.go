// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// restartAfter is the delay before an ended program is restarted.
const restartAfter = 250 * time.Millisecond

// body is the content of a unit: a program or several.
type body interface {
	// start starts the body. It returns when the body can be used or probed.
	start(ctx context.Context) error
	// stop ends the body in order, kill like a crash. Both wait for the end, and do nothing for an
	// ended body.
	stop()
	kill()
	// ended returns a channel that is closed when the current run has ended, or nil.
	ended() <-chan struct{}
}

// unit keeps one body running until a command changes that. One goroutine carries out all
// operations on the body.
type unit struct {
	name string
	body body

	orders chan order
	wg     sync.WaitGroup
}

// order is a verb for a unit. done receives the result.
type order struct {
	verb string
	done chan error
}

// The verbs of a unit.
const (
	verbStart = "start"
	verbStop  = "stop"
	verbKill  = "kill"
)

var errVerb = errors.New("the order must be start, stop or kill")

// launch starts the body and keeps it running until ctx ends.
func launch(ctx context.Context, name string, b body) (*unit, error) {
	if err := b.start(ctx); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return adopt(ctx, name, b), nil
}

// adopt keeps a body running that has been started.
func adopt(ctx context.Context, name string, b body) *unit {
	u := &unit{name: name, body: b, orders: make(chan order)}
	u.wg.Go(func() { u.keep(ctx) })
	return u
}

func (u *unit) keep(ctx context.Context) {
	defer u.body.stop()
	wanted := true
	var again <-chan time.Time
	for {
		ended := u.body.ended()
		if !wanted || again != nil {
			ended = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
			again = time.After(restartAfter)
		case <-again:
			again = nil
			if err := u.body.start(ctx); err != nil {
				again = time.After(restartAfter)
			}
		case o := <-u.orders:
			var err error
			wanted, again, err = u.execute(ctx, o.verb, wanted, again)
			o.done <- err
		}
	}
}

// execute carries out a verb. A killed unit is restarted, a stopped unit stays down until start. A
// unit that fails to start is retried.
func (u *unit) execute(ctx context.Context, verb string, wanted bool, again <-chan time.Time) (bool, <-chan time.Time, error) {
	switch verb {
	case verbStart:
		if wanted && again == nil {
			return wanted, again, nil
		}
		if err := u.body.start(ctx); err != nil {
			return true, time.After(restartAfter), err
		}
		return true, nil, nil
	case verbStop:
		u.body.stop()
		return false, nil, nil
	case verbKill:
		u.body.kill()
		return true, time.After(restartAfter), nil
	default:
		return wanted, again, errVerb
	}
}

// order sends a verb to the unit and waits for the result.
func (u *unit) order(ctx context.Context, verb string) error {
	o := order{verb: verb, done: make(chan error, 1)}
	select {
	case u.orders <- o:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait returns when the body has been stopped for good.
func (u *unit) wait() { u.wg.Wait() }
