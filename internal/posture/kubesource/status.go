// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Status describes the state of a source.
type Status struct {
	// Revision is the revision of the snapshot in force; empty before the first one.
	Revision string
	// PublishedAt is when that snapshot was put in force.
	PublishedAt time.Time
	// ProvenAt is the start of the last live read that found the cluster in the
	// compiled state.
	ProvenAt time.Time
	// FailingSince is when the current series of failed live reads began; zero if the
	// last read found the cluster in the compiled state.
	FailingSince time.Time
	// Heartbeat is the last heartbeat of a controller in the gate Secret; zero before
	// the first one.
	Heartbeat time.Time
	// Compilations counts compilations. Restarts counts replacements of silent
	// connections.
	Compilations, Restarts uint64
	// Fault is the error of Healthy.
	Fault error
	// GateFault is why the current gate Secret is missing or rejected; nil if it is
	// accepted. Once a snapshot is in force the last accepted Secret stays valid, so
	// GateFault does not affect Fault.
	GateFault error
	// Unreachable is why the cluster cannot currently be read; nil if it can. The
	// posture in force is valid until it is stale, so Unreachable does not affect
	// Fault.
	Unreachable error
}

// Healthy returns nil if the gates can decide with the last known state of the cluster.
// For a loaded source, an unavailable cluster or a missing or rejected gate Secret is
// not an error. All replicas share these faults: if every replica reported itself
// unhealthy, partners would have no service, and no replica could replace another.
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

// Status returns the current state of the source.
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

// Compiled returns for each kind the version up to which everything is in force; empty
// before the first snapshot. The version of the gate Secret is the one of the last
// accepted Secret.
func (s *Source) Compiled() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.published {
		return map[string]string{}
	}
	compiled := make(map[string]string, kindCount)
	for i := range s.kinds {
		if !s.kinds[i].unread {
			compiled[s.kinds[i].name] = s.views[i].version
		}
	}
	if !s.kinds[secrets].unread {
		compiled[posture.KindSecret] = s.gate.version
	}
	return compiled
}

// Errors of a source; they come wrapped.
var (
	// ErrNotLoaded means that no snapshot is in force yet.
	ErrNotLoaded = errors.New("no posture has been loaded from the cluster yet")
	// ErrGateSecretMissing means that the gate Secret does not exist.
	ErrGateSecretMissing = errors.New("not found")
	// ErrPurpose means that the gate Secret contains a bundle for another purpose.
	ErrPurpose = errors.New("the bundle is for another purpose")
	// ErrBehind means that a live read found the cluster in another state than the one
	// in force.
	ErrBehind = errors.New("the posture in force is behind the cluster")
	// ErrStale means that the last successful read of the cluster is so old that the
	// gates are closed.
	ErrStale = errors.New("the cluster has not been read for too long; all capabilities are closed")
)

// Rollout returns the rollout with a name as the cluster stores it now: with its status and
// managed fields, which snapshots lack. It returns nil if there is none.
func (s *Source) Rollout(ctx context.Context, name string) (*v1alpha1.CapabilityRollout, error) {
	client, err := NewClient(s.config.Rest, v1alpha1.AddToScheme)
	if err != nil {
		return nil, err
	}
	var found v1alpha1.CapabilityRollout
	err = client.Get(ctx, s.kinds[rollouts].resource, types.NamespacedName{Namespace: s.config.Namespace, Name: name}, &found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read CapabilityRollout %s: %w", name, err)
	}
	return &found, nil
}
