// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// Status is what a source knows about itself.
type Status struct {
	// Revision is that of the snapshot in force; empty before the first.
	Revision string
	// PublishedAt is when that snapshot came into force.
	PublishedAt time.Time
	// ProvenAt is when the last live read began that found the cluster as it was
	// compiled.
	ProvenAt time.Time
	// FailingSince is when the first of those live reads failed that have failed
	// in a row; zero after one that found the cluster as it was compiled.
	FailingSince time.Time
	// Heartbeat is when a controller was last alive, by the gate Secret; zero
	// before the first that tells.
	Heartbeat time.Time
	// Compilations and Restarts count compilations, and new connections that
	// were made because the old ones had fallen silent.
	Compilations, Restarts uint64
	// Fault is the error of Healthy.
	Fault error
	// GateFault is why the gate Secret that there is, or is not, does not count;
	// nil when it does. Once something is in force the last one goes on to count,
	// so this is no Fault.
	GateFault error
	// Unreachable is why the cluster cannot be read at present; nil when it can.
	// The posture in force is good until it is stale, so this is no Fault.
	Unreachable error
}

// Healthy is nil when the gates can decide, and by what the cluster holds as far
// as is known: neither a cluster that is away nor a gate Secret that is missing
// or refused makes that wrong for a source that has loaded. All replicas share
// both, so a replica that called itself ill would take nothing from the others
// and leave partners without any.
func (s *Source) Healthy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault()
}

func (s *Source) fault() error {
	switch {
	case !s.published:
		faults := []error{s.gateFault, s.connect.fault}
		for i := range s.follow {
			faults = append(faults, s.follow[i].fault)
		}
		for _, fault := range append(faults, s.proof.fault) {
			if fault != nil {
				return fmt.Errorf("%w: %w", ErrNotLoaded, fault)
			}
		}
		return ErrNotLoaded
	case s.config.Gates.Current(s.config.Now()) == nil:
		return ErrStale
	case errors.Is(s.proof.fault, ErrBehind):
		return s.proof.fault
	default:
		return nil
	}
}

// Status says what is in force.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{
		PublishedAt: s.publishedAt, ProvenAt: s.proven, FailingSince: s.proof.since, Heartbeat: s.heartbeat,
		Compilations: s.compilations, Restarts: s.restarts,
		Fault: s.fault(), GateFault: s.gateFault,
	}
	if s.published {
		status.Revision = s.snapshot.Revision()
	}
	if !errors.Is(s.proof.fault, ErrBehind) {
		status.Unreachable = s.proof.fault
	}
	return status
}

// Compiled is for each kind the version up to which everything is in force;
// empty before the first snapshot. The gate Secret's is that of the last one
// that counts.
func (s *Source) Compiled() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.published {
		return map[string]string{}
	}
	compiled := make(map[string]string, kindCount)
	for i := range s.kinds {
		compiled[s.kinds[i].name] = s.views[i].version
	}
	compiled[posture.KindSecret] = s.gate.version
	return compiled
}

// Errors of a source; they come wrapped.
var (
	// ErrNotLoaded: nothing is in force yet.
	ErrNotLoaded = errors.New("no posture of the cluster is in force yet")
	// ErrGateSecretMissing: the gate Secret does not exist.
	ErrGateSecretMissing = errors.New("not found")
	// ErrPurpose: the gate Secret holds a bundle for another purpose than this
	// source's.
	ErrPurpose = errors.New("its bundle is for another purpose")
	// ErrBehind: a live read found the cluster in another state than the one
	// that is in force.
	ErrBehind = errors.New("the posture in force is behind the cluster")
	// ErrStale: the cluster was not seen for so long that the gates closed.
	ErrStale = errors.New("the cluster was not seen for too long; everything is closed")
)
