// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// restartAfter is how long an ended program stays down, as it does when a
// kubelet restarts it.
const restartAfter = 250 * time.Millisecond

// body is what a unit runs.
type body interface {
	// start starts it and returns once it can be used, or can be asked whether
	// it can.
	start(ctx context.Context) error
	// stop ends it in order, kill as a crash would. Both wait for the end and
	// do nothing when there is nothing to end.
	stop()
	kill()
	// ended is closed when the present run has ended; nil if there is none.
	ended() <-chan struct{}
}

// unit keeps one body running until an order changes that. One goroutine carries
// out all operations on the body.
type unit struct {
	name string
	body body

	orders chan order
	wg     sync.WaitGroup
}

// order is a verb for a unit; done gets its outcome.
type order struct {
	verb string
	done chan error
}

// The verbs that a unit obeys.
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

// adopt keeps a body running that was started already.
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
			wanted, again, err = u.obey(ctx, o.verb, wanted, again)
			o.done <- err
		}
	}
}

// obey carries out a verb. A killed unit comes back by itself, a stopped one
// when it is started. One that fails to start is started again.
func (u *unit) obey(ctx context.Context, verb string, wanted bool, again <-chan time.Time) (bool, <-chan time.Time, error) {
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

// order gives the unit an order and waits until it is carried out.
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
