// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/kubetest"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// manyPartners are three pages.
const manyPartners = 401

// Were everything read each time, a control plane with fifty replicas and ten
// thousand partners would do little else.
func TestPostureOfManyIsProvenByWhatHasChanged(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	config, pages := delay(t, 0)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest, o.Confirm = config, time.Millisecond })
	r.awaitsHealth(t)

	whole, proofs := pages.count("partnerentitlements"), pages.count("capabilityrollouts")
	for range 2 {
		r.clock.pass(time.Minute)
		r.awaitsProof(t)
	}
	proofs = pages.count("capabilityrollouts") - proofs
	// The read of the partners of a proof may have ended before that of the
	// others, and the next may have begun.
	if n := pages.count("partnerentitlements") - whole; proofs < 2 || n > proofs+2 {
		t.Errorf("%d proofs read %d pages of partners, want one each", proofs, n)
	}
}

// awaitsProof polls until a live read has made the posture young.
func (r *replica) awaitsProof(tb testing.TB) {
	tb.Helper()
	kubetest.Eventually(tb, func() error {
		if age, _ := r.gates.Age(r.clock.Now()); age != 0 {
			return fmt.Errorf("the posture is %v old", age)
		}
		return nil
	})
}

// Replicas that lost the server together come back together, and list everything
// anew. To read it all once more for the proof would double that.
func TestPostureOfManyIsProvenByWhatHasChangedAfterAnOutage(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	config, pages := delay(t, 0)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest, o.Confirm = config, 100*time.Millisecond })
	r.awaitsHealth(t)

	pages.refuse(true)
	kubetest.Eventually(t, func() error {
		if r.Status().Unreachable == nil {
			return errors.New("no live read has failed")
		}
		return nil
	})
	before := pages.count("partnerentitlements")
	pages.refuse(false)
	r.clock.pass(time.Minute)
	r.awaitsProof(t)
	// Everything would be three, and a proof may have begun since.
	if n := pages.count("partnerentitlements") - before; n > 2 {
		t.Errorf("the proof read %d pages of partners, want one", n)
	}
}

func TestDeadWatchOfManyIsFoundAndReplaced(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	network := newProxy(t, plane.Address())
	r := c.behind(t, network, 100*time.Millisecond)
	r.awaitsHealth(t)
	r.clock.pass(time.Minute)
	r.awaitsProof(t)

	network.swallow()
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")
	kubetest.Eventually(t, r.Healthy)
	if got := r.Status().Restarts; got == 0 {
		t.Error("the revocation came through without new connections; was the watch dead at all?")
	}
}
