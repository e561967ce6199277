// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// behind runs a source that reaches the cluster through a proxy.
func (c *cluster) behind(t *testing.T, network *proxy, confirm time.Duration) *replica {
	t.Helper()
	return c.follow(t, func(config *kubesource.Config) {
		config.Rest = network.config(config.Rest)
		config.Confirm = confirm
	})
}

func TestRevocationRightAfterACrashOfTheServerIsInForce(t *testing.T) {
	t.Parallel()
	own := kubetest.Start(t)
	c := newGatedCluster(t, own)
	r := c.follow(t, nil)
	r.awaitsHealth(t)

	own.StopServer()
	late := c.follow(t, nil)
	eventually.Succeeds(t, func() error {
		if r.Status().Unreachable == nil {
			return errors.New("the status does not report the outage yet")
		}
		return nil
	})
	if got, err := r.answer(), r.Healthy(); got != "Open" || err != nil {
		t.Fatalf("without a server the gates decide %q, healthy: %v; want the last valid posture", got, err)
	}
	if got, err := late.answer(), late.Healthy(); got != "nothing in force" || !errors.Is(err, kubesource.ErrNotLoaded) {
		t.Fatalf("a source that starts without a server decides %q, healthy: %v", got, err)
	}

	own.Restart(t)
	c.revokeKey(t)
	revoked := time.Now()
	r.awaits(t, "KeyRevoked")
	t.Logf("in force %v after the revocation", time.Since(revoked))
	late.awaits(t, "KeyRevoked")
	eventually.Succeeds(t, r.Healthy)
	eventually.Succeeds(t, late.Healthy)
}

func TestStalePostureClosesAndRecovers(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	network := newProxy(t, plane.Address())
	r := c.behind(t, network, 50*time.Millisecond)
	r.awaitsHealth(t)

	network.disconnect()
	eventually.Succeeds(t, func() error {
		if r.Status().Unreachable == nil {
			return errors.New("the status does not report the outage yet")
		}
		return nil
	})
	r.clock.pass(time.Hour)
	if got := r.Status().FailingSince; !got.Equal(start) {
		t.Errorf("live reads fail since %v, want %v", got, start)
	}
	if got := r.answer(); got != "Open" {
		t.Fatalf("after an hour, the limit, the gates decide %q", got)
	}
	r.clock.pass(time.Second)
	if got, err := r.answer(), r.Healthy(); got != "nothing in force" || !errors.Is(err, kubesource.ErrStale) {
		t.Fatalf("after more than an hour the gates decide %q, healthy: %v; want closed and stale", got, err)
	}

	network.reconnect()
	r.awaitsHealth(t)
	if got := r.Status().FailingSince; !got.IsZero() {
		t.Errorf("live reads failing since %v, want zero after a successful read", got)
	}
}

func TestEventsDoNotRefreshThePosture(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	// The first live read is the only one.
	r := c.follow(t, func(config *kubesource.Config) { config.Confirm = time.Hour })
	r.awaitsHealth(t)

	r.clock.pass(40 * time.Minute)
	c.setKillSwitch(t, v1alpha1.KillSwitchEngaged)
	r.awaits(t, "Killed")
	if age, _ := r.gates.Age(r.clock.Now()); age != 40*time.Minute {
		t.Errorf("after an event the posture is %v old, want 40m: the other watches may be dead", age)
	}
}

func TestLiveReadsKeepThePostureFresh(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, func(config *kubesource.Config) { config.Confirm = 50 * time.Millisecond })
	r.awaitsHealth(t)
	r.clock.pass(40 * time.Minute)
	r.awaitsProof(t)
}

func TestDeadWatchIsFoundAndReplaced(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	network := newProxy(t, plane.Address())
	r := c.behind(t, network, 100*time.Millisecond)
	r.awaitsHealth(t)

	network.swallow()
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")
	eventually.Succeeds(t, r.Healthy)
	if got := r.Status().Restarts; got == 0 {
		t.Error("the revocation came through without new connections; was the watch dead at all?")
	}
}

func TestDeadWatchLetsThePostureAge(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	network := newProxy(t, plane.Address())
	r := c.behind(t, network, time.Hour)
	r.awaitsHealth(t)

	network.swallow()
	c.revokeKey(t)
	r.clock.pass(time.Hour + time.Second)
	if got := r.answer(); got != "nothing in force" {
		t.Fatalf("an hour after the last proof the gates decide %q", got)
	}
}
