// SPDX-License-Identifier: Apache-2.0

package preflightjob_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
)

// loses makes the queue lose one job per owner, submitted a second ago. The n-th job has
// n attempts, counted from 0. Jobs of test tenants are simulated.
func (b *bench) loses(t *testing.T, owners ...tenant.ID) (ids []string) {
	t.Helper()
	b.queue.err = errAway
	for i, owner := range owners {
		submitted, err := b.Submit(t.Context(), owner, aRequest(), 10)
		if err != nil {
			t.Fatalf("Submit: %v", err)
		}
		ids = append(ids, submitted.Job.ID)
		b.store.jobs[i].Attempt = i
		if owner == acmeTest {
			b.store.jobs[i].Profile = "sim:succeeded:warn"
		}
	}
	b.queue.err = nil
	b.now = b.now.Add(time.Second)
	return ids
}

func TestSweepSubmitsJobsInOrderWithTheirAttempts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.loses(t, acme, acme, acme)
	if n, err := b.Sweep(t.Context(), 0, 2); n != 3 || err != nil {
		t.Errorf("swept %d (%v), want 3", n, err)
	}
	if diff := cmp.Diff(ids, b.queue.submitted); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 1, 2}, b.queue.attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestSweepContinuesAfterTheJobsBeforeAnError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.loses(t, acme, acme, acme, acme)
	b.queue.refused = ids[2]
	if n, err := b.Sweep(t.Context(), 0, 10); n != 2 || !errors.Is(err, errRefused) {
		t.Errorf("swept %d (%v), want 2 and errRefused", n, err)
	}
	b.queue.refused, b.queue.submitted, b.queue.attempts = "", nil, nil
	if n, err := b.Sweep(t.Context(), 0, 10); n != 2 || err != nil {
		t.Errorf("swept %d (%v), want the other 2", n, err)
	}
	if diff := cmp.Diff(ids[2:], b.queue.submitted); diff != "" {
		t.Errorf("submitted by the second sweep (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 3}, b.queue.attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestSweepSettlesSimulatedJobsAfterSubmittingTheOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.loses(t, acmeTest, acme, acmeTest, acme)
	b.queue.refused = ids[3]
	if n, err := b.Sweep(t.Context(), 0, 10); n != 1 || !errors.Is(err, errRefused) {
		t.Errorf("swept %d (%v), want 1 and errRefused", n, err)
	}
	b.queue.refused = ""
	if n, err := b.Sweep(t.Context(), 0, 10); n != 3 || err != nil {
		t.Errorf("swept %d (%v), want 3", n, err)
	}
	if diff := cmp.Diff([]string{ids[1], ids[3]}, b.queue.submitted); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
	for _, i := range []int{0, 2} {
		if got := b.store.jobs[i]; got.Status != preflightjob.Succeeded {
			t.Errorf("simulated job %d is %s", i, got.Status)
		}
	}
}

func TestFailingSimulatedJobDoesNotBlockOtherJobs(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *preflightjob.Config) { c.SimulatedReport = func(preflightjob.Verdict) []byte { return nil } })
	ids := b.loses(t, acmeTest, acme)
	if n, err := b.Sweep(t.Context(), 0, 10); n != 1 || !errors.Is(err, preflightjob.ErrInvalidResult) {
		t.Errorf("swept %d (%v), want 1 and ErrInvalidResult", n, err)
	}
	if diff := cmp.Diff(ids[1:], b.queue.submitted); diff != "" {
		t.Errorf("submitted (-want +got):\n%s", diff)
	}
}
