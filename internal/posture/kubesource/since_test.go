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

// manyPartners are as many pages as manyPages.
const (
	manyPages    = 5
	manyPartners = 200*manyPages - 199
)

// beside are pages that may be read beside one for each proof: the read of the
// partners of a proof may have ended before that of the others, and the next may
// have begun; and a server that has little time may not say twice what has changed,
// which is a list each.
const beside = 2 + 2*manyPages

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
	for range 6 {
		r.clock.pass(time.Minute)
		r.awaitsProof(t)
	}
	proofs = pages.count("capabilityrollouts") - proofs
	if n := pages.count("partnerentitlements") - whole; proofs < 6 || n > proofs+beside {
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

	read, proofs := 0, 0
	for range 4 { // lists of all of them would be more than what may be read beside
		pages.refuse(true)
		kubetest.Eventually(t, func() error {
			if r.Status().Unreachable == nil {
				return errors.New("no live read has failed")
			}
			return nil
		})
		read, proofs = read-pages.count("partnerentitlements"), proofs-pages.count("capabilityrollouts")
		pages.refuse(false)
		r.clock.pass(time.Minute)
		r.awaitsProof(t)
		read, proofs = read+pages.count("partnerentitlements"), proofs+pages.count("capabilityrollouts")
	}
	if proofs < 4 || read > proofs+beside {
		t.Errorf("%d proofs read %d pages of partners, want one each", proofs, read)
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
