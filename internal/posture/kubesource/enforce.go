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

// gate is what counts of a gate Secret.
type gate struct {
	// accepted is set with the first gate Secret that was.
	accepted bool
	version  string
	data     *corev1.Secret
	bundle   posture.Bundle
}

// enforceAll brings each state of the cluster into force. Changes that arrive
// during a compilation are compiled together in the next one.
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
	s.noteHeartbeat(t.secret)
	next, fault := s.judge(t.secret)
	s.mu.Lock()
	former := s.gateFault
	s.gateFault = fault
	s.mu.Unlock()
	switch {
	case fault != nil && (former == nil || former.Error() != fault.Error()):
		s.config.Log.ErrorContext(ctx, "gate secret missing or refused; the last good one stays", "error", fault.Error())
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
	snapshot := posture.Compile(s.inputs)
	s.compiled = true
	s.install(ctx, snapshot, t.views, next)
}

// judge returns the gate that counts from now on: the Secret's if it is sound,
// and otherwise the last one with what is wrong.
func (s *Source) judge(secret *corev1.Secret) (gate, error) {
	s.mu.Lock()
	last := s.gate
	s.mu.Unlock()
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

// noteHeartbeat keeps the last sign of life of a controller. A Secret that is
// refused has one too; one that is gone leaves the last.
func (s *Source) noteHeartbeat(secret *corev1.Secret) {
	if secret == nil {
		return
	}
	if beat, err := time.Parse(time.RFC3339, secret.Annotations[heartbeatAnnotation]); err == nil {
		s.mu.Lock()
		s.heartbeat = beat
		s.mu.Unlock()
	}
}

// install notes a state of the cluster, and puts its snapshot in force if it is a
// new one. The very first waits for a live read. A snapshot that comes later is
// as old as the last live read, whatever watch made it: the other watches may
// be dead.
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

// publish puts the snapshot in force; mu is held. Before the first one the memory
// that listing the cluster took is given back to the kernel: the process is not ready yet, and an
// idle one would keep it resident for minutes.
func (s *Source) publish(ctx context.Context, at time.Time) {
	if !s.published {
		debug.FreeOSMemory()
	}
	s.config.Gates.Publish(s.snapshot, at)
	s.published, s.publishedAt = true, s.config.Now()
	s.config.Log.InfoContext(ctx, "posture in force", "revision", s.snapshot.Revision())
}
