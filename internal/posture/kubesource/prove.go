// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
)

const (
	// A watch is milliseconds behind a live read. One that is behind proofTries
	// reads, after proofLooks looks at each, proofPause apart, is taken for dead.
	proofTries = 4
	proofLooks = 2
	proofPause = 250 * time.Millisecond
)

// proveAll reads the cluster live, each time it is due or asked for.
//
// Nothing else is a sign of life. A watch whose connection was swallowed by the
// network reports no error for minutes, and an informer goes on to hand out
// what it remembers.
func (s *Source) proveAll(ctx context.Context) {
	ticker := time.NewTicker(s.config.Confirm)
	defer ticker.Stop()
	for behind := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.prove:
		}
		if !s.isViewed() {
			// Nothing was listed yet, so there is nothing to compare.
			continue
		}
		err := s.proveTraced(ctx)
		s.noteProof(ctx, err)
		if !errors.Is(err, ErrBehind) {
			behind = 0
			continue
		}
		// What new connections do not mend must not be repeated without end.
		behind++
		sleep(ctx, min(time.Duration(behind)*time.Second, s.config.Confirm))
	}
}

// proveTraced is a proof as a span, the first one of a trace.
func (s *Source) proveTraced(ctx context.Context) error {
	ctx, span := s.config.Tracer.Start(ctx, telemetry.Client, "prove posture")
	err := s.proveOnce(ctx)
	switch {
	case err == nil:
		span.End("")
	case ctx.Err() != nil:
		span.End("stopped")
	case errors.Is(err, ErrBehind):
		span.End("behind")
	default:
		span.End("unread")
	}
	return err
}

// proveOnce compares the cluster with what is compiled, and has the connections
// of the watches replaced when they stay behind.
func (s *Source) proveOnce(ctx context.Context) error {
	former := s.grounds()
	for range proofTries {
		began, received := s.config.Now(), s.cluster.received()
		live, err := s.read(ctx, former)
		if err != nil {
			return fmt.Errorf("read the cluster live: %w", err)
		}
		// To look again costs nothing, to read again may.
		for range proofLooks {
			if s.confirm(ctx, live, received, began) {
				return nil
			}
			sleep(ctx, proofPause)
		}
		// Whatever is in doubt is read whole.
		former = [kindCount]view{}
	}
	signal(s.restart)
	return ErrBehind
}

// grounds is what is compiled, unless the last live read found the cluster in
// another state: what is in doubt is no ground for the next proof. That there was
// none for a while, because the cluster was away, is no doubt; all replicas come
// back from that together.
func (s *Source) grounds() [kindCount]view {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.published || errors.Is(s.proof.fault, ErrBehind) {
		return [kindCount]view{}
	}
	return s.views
}

// read reads the metadata of everything that is followed on a new connection,
// which is closed afterwards: it proves the way there, too.
func (s *Source) read(ctx context.Context, former [kindCount]view) (live [kindCount]view, err error) {
	conn, err := newConnection(s.config.Rest)
	if err != nil {
		return live, err
	}
	defer conn.close()
	var faults [kindCount]error
	var group sync.WaitGroup
	for i := range s.kinds {
		group.Go(func() { live[i], faults[i] = s.readKind(ctx, conn, i, former[i]) })
	}
	group.Wait()
	return live, cmp.Or(faults[:]...)
}

// readKind reads what has changed since a former view, where that is less than
// everything, which is one page of most kinds.
func (s *Source) readKind(ctx context.Context, conn *connection, i int, former view) (view, error) {
	r, err := conn.resource(&s.kinds[i], s.config.Namespace)
	if err != nil {
		return view{}, err
	}
	live, err := view{}, errNotTold
	if len(former.marks)+len(former.later) > pageSize {
		live, err = r.since(ctx, former)
	}
	if errors.Is(err, errNotTold) {
		live, err = r.marks(ctx)
	}
	if err != nil {
		return view{}, fmt.Errorf("list %s: %w", s.kinds[i].name, err)
	}
	return live, nil
}

// confirm makes the snapshot as young as the live read, if it is of the state
// that was read or of a later one. The first snapshot comes into force so.
func (s *Source) confirm(ctx context.Context, live [kindCount]view, received [kindCount]uint64, began time.Time) bool {
	now := s.cluster.received()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range live {
		if !live[i].isIn(s.views[i], now[i] > received[i]) {
			return false
		}
	}
	s.proven = began
	switch {
	case s.published:
		s.config.Gates.Confirm(began)
	case s.snapshot != nil:
		s.publish(ctx, began)
	}
	return true
}

func (s *Source) isViewed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewed
}

func (s *Source) noteProof(ctx context.Context, fault error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	news, over := s.proof.take(fault, s.config.Now())
	behind := errors.Is(fault, ErrBehind)
	if behind {
		s.restarts++
	}
	s.mu.Unlock()
	switch {
	case behind:
		s.config.Log.WarnContext(ctx, "the watches are silent; they are made anew", "error", fault.Error())
	case news:
		s.config.Log.WarnContext(ctx, "the posture in force grows older", "error", fault.Error())
	case over:
		s.config.Log.InfoContext(ctx, "the posture in force is proven again")
	}
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
