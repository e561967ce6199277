// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/eventually"
)

// gates adds a replica with the product's source of gates and its operations listener.
func (s *installation) gates(address, uid string) *posture.Gates {
	s.t.Helper()
	f := s.follow(address, kubesource.Config{Rest: s.plane.Config(), Now: s.clock.Now})
	s.create(sliceOf(address, uid))
	return f.gates
}

// follower is a replica, limited to its gates.
type follower struct {
	*kubesource.Source

	gates *posture.Gates
}

// follow runs a replica with the given source, completed with the settings of the
// installation. The replica answers probes but is not an endpoint of the Service yet.
func (s *installation) follow(address string, config kubesource.Config) follower {
	s.t.Helper()
	config.Namespace, config.Gates = s.namespace, posture.NewGates(0)
	if !config.ProfilesOnly {
		config.GateSecret = cmp.Or(config.GateSecret, gateName)
	}
	source, err := kubesource.New(config)
	if err != nil {
		s.t.Fatalf("kubesource.New: %v", err)
	}
	ops := apiserver.Ops{Metrics: telemetry.NewMetrics(), Gates: config.Gates, Compiled: source.Compiled, Now: config.Now}
	server := httptest.NewServer(ops.Handler())
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	done := make(chan error, 1)
	go func() { done <- source.Run(ctx) }()
	s.t.Cleanup(func() {
		server.Close()
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	})
	s.network.route(net.JoinHostPort(address, "8082"), server.Listener.Addr().String())
	return follower{source, config.Gates}
}

// TestReadyMeansThatEveryReplicaEnforcesTheObject checks that every replica decides by the applied
// object as soon as the object is Ready.
func TestReadyMeansThatEveryReplicaEnforcesTheObject(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	replicas := []*posture.Gates{s.gates("10.0.0.1", "pod-1"), s.gates("10.0.0.2", "pod-2")}
	s.start()
	key, err := credential.Mint(tenant.Live, rand.Reader)
	if err != nil {
		t.Fatalf("credential.Mint: %v", err)
	}
	capability, acme := rollout("rfq-create"), partner("acme")
	acme.Spec.Keys = []v1alpha1.APIKey{{
		Name: "live", Kind: v1alpha1.KeyKindLive, SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive, Scopes: acme.Spec.Scopes,
	}}
	mis, held := sender("acme", "acme", "acme-xjmf"), secret("acme-xjmf", secretValue)
	s.create(capability, acme, held, mis)
	s.ready(acme, "True/Enforced")
	s.ready(mis, "True/Enforced")

	now := s.clock.Now()
	decides := func(want posture.Reason) {
		t.Helper()
		for i, gates := range replicas {
			caller, _ := gates.Current(now).Authenticate(key, posture.Connection{}, now)
			if got := gates.Current(now).Decide(caller, posture.RFQCreate, true, now).Reason; got != want {
				t.Errorf("replica %d decides %v, want %v", i, got, want)
			}
		}
	}
	verifies := func(want string) {
		t.Helper()
		for i, gates := range replicas {
			known, _ := gates.Current(now).Sender("acme-mis")
			if secrets := known.Secrets(now); len(secrets) != 1 || secrets[0].Reveal() != want {
				t.Errorf("replica %d has %d secrets, want the one of the sender", i, len(secrets))
			}
		}
	}
	verifies(secretValue)
	for range 10 {
		s.edit(capability, func() {
			capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
		})
		s.ready(capability, "True/Killed")
		decides(posture.ReasonKilled)
		s.edit(capability, func() { capability.Spec.KillSwitch = nil })
		s.ready(capability, "True/Enforced")
		decides(posture.ReasonOpen)
	}
	s.edit(acme, func() { acme.Spec.Keys[0].State = v1alpha1.KeyStateRevoked })
	s.ready(acme, "True/Enforced")
	decides(posture.ReasonNotAuthenticated)

	// A rotation does not change the sender. Its status may report Progressing for too
	// short a time to be observed, so the test requires that the replicas have the new
	// secret soon.
	const next = "another value that is long enough"
	s.edit(held, func() { held.Data["hmac"] = []byte(next) })
	eventually.Succeeds(t, func() error {
		for i, gates := range replicas {
			known, _ := gates.Current(now).Sender("acme-mis")
			if secrets := known.Secrets(now); len(secrets) != 1 || secrets[0].Reveal() != next {
				return fmt.Errorf("replica %d lacks the new secret", i)
			}
		}
		return nil
	})
}
