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
	// A watch is milliseconds behind a live read. A watch that is behind proofTries
	// reads, compared proofLooks times each, proofPause apart, is considered dead.
	proofTries = 4
	proofLooks = 2
	proofPause = 250 * time.Millisecond
)

// proveAll reads the cluster live, whenever a read is due or requested.
//
// Only a live read proves that the connection works. A watch on a connection that the
// network silently dropped reports no error for minutes, and an informer continues to
// return its cached objects.
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
		s.mu.Lock()
		viewed := s.viewed
		s.mu.Unlock()
		if !viewed {
			// There is nothing to compare before the first list.
			continue
		}
		err := s.proveTraced(ctx)
		s.noteProof(ctx, err)
		if !errors.Is(err, ErrBehind) {
			behind = 0
			continue
		}
		// Back off if new connections do not help.
		behind++
		sleep(ctx, min(time.Duration(behind)*time.Second, s.config.Confirm))
	}
}

// proveTraced runs a proof in a span, the root of a trace.
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

// proveOnce compares the cluster with the compiled objects. If the watches stay behind,
// it requests new connections for them.
func (s *Source) proveOnce(ctx context.Context) error {
	former := s.baseline()
	for range proofTries {
		began, received := s.config.Now(), s.cluster.received()
		live, err := s.read(ctx, former)
		if err != nil {
			return fmt.Errorf("read the cluster live: %w", err)
		}
		// Another comparison costs nothing, another read may.
		for range proofLooks {
			if s.confirm(ctx, live, received, began) {
				return nil
			}
			sleep(ctx, proofPause)
		}
		// Without a match the next read is complete.
		former = [kindCount]view{}
	}
	signal(s.restart)
	return ErrBehind
}

// baseline returns the compiled views, unless the last live read found the cluster in
// another state: doubtful views are no baseline for the next proof. Missing proofs
// during an outage of the cluster cause no doubt; after an outage all replicas return
// together.
func (s *Source) baseline() [kindCount]view {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.published || errors.Is(s.proof.fault, ErrBehind) {
		return [kindCount]view{}
	}
	return s.views
}

// read reads the metadata of all followed objects on a new connection and closes the
// connection afterwards. It thereby proves that new connections work, too.
func (s *Source) read(ctx context.Context, former [kindCount]view) (live [kindCount]view, err error) {
	conn, err := newConnection(s.config.Rest)
	if err != nil {
		return live, err
	}
	defer conn.close()
	var faults [kindCount]error
	var group sync.WaitGroup
	for i := range s.kinds {
		if s.kinds[i].unread {
			continue
		}
		group.Go(func() { live[i], faults[i] = s.readKind(ctx, conn, i, former[i]) })
	}
	group.Wait()
	return live, cmp.Or(faults[:]...)
}

// readKind reads the changes since a former view if they cost less than all objects,
// which are a single page for most kinds.
func (s *Source) readKind(ctx context.Context, conn *connection, i int, former view) (view, error) {
	r, err := conn.resource(&s.kinds[i], s.config.Namespace)
	if err != nil {
		return view{}, err
	}
	live, err := view{}, errIncomplete
	if len(former.marks)+len(former.later) > pageSize {
		live, err = r.since(ctx, former)
	}
	if errors.Is(err, errIncomplete) {
		live, err = r.marks(ctx)
	}
	if err != nil {
		return view{}, fmt.Errorf("list %s: %w", s.kinds[i].name, err)
	}
	return live, nil
}

// confirm makes the snapshot as fresh as the live read, if the snapshot has the state
// of the read or a later one. It publishes the first snapshot.
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
		s.config.Log.WarnContext(ctx, "the watches no longer deliver changes; reconnecting", "error", fault.Error())
	case news:
		s.config.Log.WarnContext(ctx, "live read failed; the posture in force is aging", "error", fault.Error())
	case over:
		s.config.Log.InfoContext(ctx, "live reads confirm the posture in force again")
	}
}

// sleep waits for the duration or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
