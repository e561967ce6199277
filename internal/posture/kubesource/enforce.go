// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/printmarket/printmarket/internal/posture"
)

// gate is the accepted content of a gate Secret.
type gate struct {
	// accepted is true once a gate Secret was accepted.
	accepted bool
	version  string
	data     *corev1.Secret
	bundle   posture.Bundle
}

// enforceAll puts each state of the cluster in force. Changes that arrive during a
// compilation are compiled together in the next one.
func (s *Source) enforceAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.cluster.changed:
		}
		s.enforce(ctx)
		sleep(ctx, s.config.Coalesce)
	}
}

func (s *Source) enforce(ctx context.Context) {
	t, listed := s.cluster.take()
	if !listed {
		return
	}
	if t.recompile {
		s.inputs, s.compiled = t.inputs, false
	}
	// A rejected Secret also carries the heartbeat of a controller; a missing one leaves the last
	// heartbeat unchanged.
	if t.secret != nil {
		if beat, err := time.Parse(time.RFC3339, t.secret.Annotations[heartbeatAnnotation]); err == nil {
			s.mu.Lock()
			s.heartbeat = beat
			s.mu.Unlock()
		}
	}
	next, fault := s.judge(t.secret)
	s.mu.Lock()
	former := s.gateFault
	s.gateFault = fault
	s.mu.Unlock()
	switch {
	case fault != nil && (former == nil || former.Error() != fault.Error()):
		s.config.Log.ErrorContext(ctx, "gate secret missing or rejected; the last valid one stays in force", "error", fault.Error())
	case fault == nil && former != nil:
		s.config.Log.InfoContext(ctx, "gate secret accepted")
	}
	if !next.accepted || s.compiled {
		s.install(ctx, nil, t.views, next)
		return
	}
	if s.config.Purpose == posture.ForWebhooks {
		s.inputs.Webhooks = next.bundle
	} else {
		s.inputs.Secrets = next.bundle
	}
	snapshot := s.compiler.Compile(s.inputs)
	s.compiled = true
	s.install(ctx, snapshot, t.views, next)
}

// judge returns the gate in force from now on: the given Secret's if it is valid, and
// otherwise the last valid one with an error. A source without a gate Secret accepts none.
func (s *Source) judge(secret *corev1.Secret) (gate, error) {
	s.mu.Lock()
	last := s.gate
	s.mu.Unlock()
	if s.kinds[secrets].unread {
		return gate{accepted: true}, nil
	}
	name := s.config.Namespace + "/" + s.config.GateSecret
	if secret == nil {
		return last, fmt.Errorf("gate secret %s: %w", name, ErrGateSecretMissing)
	}
	if last.accepted && compilesAlike(last.data, secret) {
		last.version = secret.ResourceVersion
		return last, nil
	}
	bundle, err := posture.DecodeBundle(secret.Data[posture.GateSecretBundleKey])
	if err != nil {
		return last, fmt.Errorf("gate secret %s: %w", name, err)
	}
	if bundle.Purpose() != s.config.Purpose {
		return last, fmt.Errorf("gate secret %s: %w", name, ErrPurpose)
	}
	if err := s.config.OnGateSecret(secret.Data); err != nil {
		return last, fmt.Errorf("gate secret %s: %w", name, err)
	}
	s.compiled = false
	return gate{accepted: true, version: secret.ResourceVersion, data: secret, bundle: bundle}, nil
}

// install records a state of the cluster and puts its snapshot, if there is a new one,
// in force. The very first snapshot waits for a live read. A later snapshot is only as
// fresh as the last live read, regardless of the watch that caused it: the other
// watches may be dead.
func (s *Source) install(ctx context.Context, snapshot *posture.Snapshot, views [kindCount]view, next gate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if snapshot != nil {
		s.snapshot = snapshot
		s.compilations++
		if s.published {
			s.publish(ctx, s.proven)
		} else {
			signal(s.prove)
		}
	}
	s.views, s.viewed, s.gate = views, true, next
}

// publish puts the snapshot in force; the caller holds mu. Before the first snapshot it
// returns the memory of the lists to the kernel: an idle process would keep that memory
// resident for minutes.
func (s *Source) publish(ctx context.Context, at time.Time) {
	if !s.published {
		debug.FreeOSMemory()
	}
	s.config.Gates.Publish(s.snapshot, at)
	s.published, s.publishedAt = true, s.config.Now()
	s.config.Log.InfoContext(ctx, "posture in force", "revision", s.snapshot.Revision())
}
