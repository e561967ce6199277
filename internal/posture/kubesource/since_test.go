// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

// manyPartners fill manyPages pages.
const (
	manyPages    = 5
	manyPartners = 200*manyPages - 199
)

// beside is the number of pages that may be read in addition to one for each proof.
// The read of the partners of a proof may have ended before that of the other kinds,
// and the next may have begun. A busy server may also fail twice to report the
// changes, which costs one list each.
const beside = 2 + 2*manyPages

// TestLargePostureIsProvenByChanges checks that a proof does not read all objects.
// Otherwise fifty replicas and ten thousand partners would overload a control plane.
func TestLargePostureIsProvenByChanges(t *testing.T) {
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

// awaitsProof polls until a live read has refreshed the posture.
func (r *replica) awaitsProof(tb testing.TB) {
	tb.Helper()
	eventually.Succeeds(tb, func() error {
		if age, _ := r.gates.Age(r.clock.Now()); age != 0 {
			return fmt.Errorf("the posture is %v old", age)
		}
		return nil
	})
}

// TestWatchWithoutBookmarkIsRetried covers a busy server that ends a watch before it
// sends the bookmark.
func TestWatchWithoutBookmarkIsRetried(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	var (
		lists, ended atomic.Int64
		end          atomic.Bool // the next watch
	)
	config := inFront(t, func(_ http.ResponseWriter, r *http.Request) bool {
		live := strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata")
		query := r.URL.Query()
		switch {
		case !live || !strings.HasSuffix(r.URL.Path, "/partnerentitlements"):
		case query.Get("watch") != "" && end.CompareAndSwap(true, false):
			ended.Add(1)
			return false
		case query.Get("watch") == "" && query.Get("limit") != "1":
			lists.Add(1)
		}
		return true
	})
	r := c.follow(t, func(o *kubesource.Config) { o.Rest, o.Confirm = config, time.Millisecond })
	r.awaitsHealth(t)

	whole := lists.Load()
	// Without a write there is no watch.
	for _, wanted := range []v1alpha1.KillSwitchState{v1alpha1.KillSwitchEngaged, v1alpha1.KillSwitchReleased} {
		end.Store(true)
		c.setKillSwitch(t, wanted)
		r.clock.pass(time.Minute)
		r.awaitsProof(t)
	}
	// On a busy machine a proof can time out, after which the next one reads all objects.
	if n := lists.Load() - whole; n >= 2*manyPages {
		t.Errorf("%d pages of all partners were read for two edits, want fewer than %d", n, 2*manyPages)
	}
	if n := ended.Load(); n != 2 {
		t.Errorf("%d watches ended without a bookmark, want one after each edit", n)
	}
}

// TestLargePostureIsProvenByChangesAfterAnOutage covers replicas that lost the server
// together: they return together and list all objects again. A complete read for the
// proof would double that load.
func TestLargePostureIsProvenByChangesAfterAnOutage(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	c.createOthers(t, manyPartners)
	config, pages := delay(t, 0)
	r := c.follow(t, func(o *kubesource.Config) { o.Rest, o.Confirm = config, 100*time.Millisecond })
	r.awaitsHealth(t)

	read, proofs := 0, 0
	for range 4 { // lists of all of them would be more than what may be read beside
		pages.refuse(true)
		eventually.Succeeds(t, func() error {
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

func TestDeadWatchOfALargePostureIsReplaced(t *testing.T) {
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
	eventually.Succeeds(t, r.Healthy)
	if got := r.Status().Restarts; got == 0 {
		t.Error("the revocation arrived without new connections, so the watch was not dead")
	}
}
