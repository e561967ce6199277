// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/transaction"
	domain "github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/workers/delivery"
)

// The tests of this file run inside a bubble of package synctest, where the clock jumps and a
// goroutine that does not end fails the test.

const hook = "https://a.test/"

// minutely sets an interval of a minute, which keeps tests of days short: the bubble's clock stops
// at each tick.
func minutely(c *delivery.Config) { c.Every = time.Minute }

func TestEventIsDeliveredOnceToEachEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a", "b")
		stop := f.running(nil)
		time.Sleep(time.Second)
		f.commit(100)
		time.Sleep(2 * time.Second)
		stop()
		for _, name := range []string{"a", "b"} {
			if diff := cmp.Diff(map[domain.State]int{domain.Delivered: 100}, f.states(name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if err := f.receivers.twice("https://" + name + ".test/"); err != nil {
				t.Errorf("w.receivers.twice: %v", err)
			}
		}
	})
}

func TestUnavailableReceiverIsRetriedForThreeDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 500, 0)
		f.commit(1)
		stop := f.running(minutely)
		time.Sleep(100 * time.Hour)
		stop()
		posts := f.receivers.to(hook)
		if len(posts) != domain.Tries || f.states("a")[domain.Exhausted] != 1 {
			t.Fatalf("%d tries, %v; want %d, and then exhausted", len(posts), f.states("a"), domain.Tries)
		}
		for i, wait := range []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
			10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		} {
			took := posts[i+1].at.Sub(posts[i].at)
			if took < wait*4/5 || took > wait*6/5+2*time.Minute {
				t.Errorf("try %d came %s after the previous try, want %s ± 20 %%", i+2, took, wait)
			}
			if posts[i].body != posts[i+1].body || posts[i].header.Get(domain.HeaderID) != posts[i+1].header.Get(domain.HeaderID) {
				t.Errorf("try %d has another body, want the same", i+2)
			}
			if posts[i].header.Get(domain.HeaderTimestamp) == posts[i+1].header.Get(domain.HeaderTimestamp) {
				t.Errorf("try %d has the timestamp of the previous try, want its own", i+2)
			}
		}
	})
}

func TestFiveDaysOfFailuresDisableAnEndpointUntilItIsEnabled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 500, 0)
		stop := f.running(minutely)
		for range 5*4 - 1 {
			f.commit(1)
			time.Sleep(6 * time.Hour)
		}
		if got := standing(t, f).Disabled; got != domain.NotDisabled {
			t.Fatalf("the endpoint is disabled after less than five days: %s", got)
		}
		for range 8 {
			f.commit(1)
			time.Sleep(6 * time.Hour)
		}
		before, waiting := len(f.receivers.to(hook)), f.states("a")[domain.Pending]
		if got := standing(t, f).Disabled; got != domain.Failing || !strings.Contains(f.log.String(), "webhook endpoint was disabled") {
			t.Fatalf("after six days the endpoint is disabled as %q; log %s", got, f.log.String())
		}
		f.receivers.answer(hook, 200, 0)
		f.commit(1)
		time.Sleep(48 * time.Hour)
		if got := len(f.receivers.to(hook)); got != before {
			t.Errorf("%d posts to a disabled endpoint, want 0", got-before)
		}
		if err := f.store.Enable(t.Context(), address("a"), time.Now()); err != nil {
			t.Fatalf("w.store.Enable: %v", err)
		}
		time.Sleep(2 * time.Minute)
		stop()
		if got := f.states("a"); got[domain.Pending] != 0 || got[domain.Delivered] != waiting+1 {
			t.Errorf("after it was enabled %v, want %d delivered", got, waiting+1)
		}
	})
}

func standing(t *testing.T, f *fixture) domain.Standing {
	t.Helper()
	standings, err := f.store.Standings(t.Context(), acme)
	if err != nil || len(standings) != 1 {
		t.Fatalf("standings %v, %v", standings, err)
	}
	return standings[0]
}

func TestGoneDisablesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 410, 0)
		f.commit(1)
		stop := f.running(nil)
		time.Sleep(time.Hour)
		stop()
		if got := len(f.receivers.to(hook)); got != 1 || standing(t, f).Disabled != domain.Gone || f.states("a")[domain.Pending] != 1 {
			t.Errorf("%d posts, disabled as %q, %v; want 1, Gone, and the delivery waiting", got, standing(t, f).Disabled, f.states("a"))
		}
	})
}

func TestRollbackDelaysEventsAndLosesNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		stop := f.running(nil)
		time.Sleep(time.Second)
		f.commit(10)
		time.Sleep(3 * time.Second)
		f.directory.Close("the capability is closed")
		f.commit(50)
		time.Sleep(time.Hour)
		if got := len(f.receivers.to(hook)); got != 10 {
			t.Errorf("%d posts, of which %d while the endpoint was closed, want 0", got, got-10)
		}
		f.directory.Close("")
		time.Sleep(3 * time.Second)
		stop()
		if got := f.states("a")[domain.Delivered]; got != 60 {
			t.Errorf("%d delivered after the endpoint was opened again, want 60", got)
		}
	})
}

func TestNothingIsStoredForEndpointsThatWereNeverEnrolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.directory.Close("the capability is closed")
		f.commit(5)
		stop := f.running(nil)
		time.Sleep(time.Minute)
		stop()
		if all, _ := f.store.All(); len(all) != 0 {
			t.Errorf("%d deliveries, want 0", len(all))
		}
	})
}

// closing reports endpoints as open in its list, and as closed in later checks.
type closing struct{ domain.Directory }

func (f closing) Endpoint(address domain.Address, now time.Time) (domain.Endpoint, bool) {
	endpoint, found := f.Directory.Endpoint(address, now)
	endpoint.Closed = "Stage"
	return endpoint, found
}

func TestGateIsCheckedAgainBeforeSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.commit(10)
		stop := f.running(func(c *delivery.Config) { c.Directory = closing{&f.directory} })
		time.Sleep(10 * time.Second)
		stop()
		if got := len(f.receivers.to(hook)); got != 0 || f.states("a")[domain.Pending] != 10 {
			t.Errorf("%d posts, states %v; want 0 posts and 10 pending", got, f.states("a"))
		}
		claims, err := f.store.Claim(t.Context(), []domain.Lane{{Address: address("a"), Most: 10}}, 10, time.Now(), time.Minute)
		if err != nil || len(claims) != 10 {
			t.Errorf("%d of 10 claims were released, %v", len(claims), err)
		}
	})
}

func TestSecretRotationLosesNoDelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		stop := f.running(nil)
		time.Sleep(time.Second)
		for _, secrets := range [][]credential.Secret{{older}, {newer, older}, {newer}, nil} {
			declared := endpoints("a")
			declared[0].Secrets = secrets
			f.directory.Declare(declared...)
			time.Sleep(2 * time.Second)
			f.commit(1)
			time.Sleep(2 * time.Second)
		}
		stop()
		posts := f.receivers.to(hook)
		if len(posts) != 3 || f.states("a")[domain.Pending] != 1 {
			t.Fatalf("%d posts, %v; want 3, and one delivery that waits for a secret", len(posts), f.states("a"))
		}
		for i, want := range []int{1, 2, 1} {
			if got := len(strings.Fields(posts[i].header.Get(domain.HeaderSignatures))); got != want {
				t.Errorf("post %d has %d signatures, want %d", i, got, want)
			}
		}
	})
}

func TestDeadAndSlowEndpointsDelayNoOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a", "dead", "slow", "b")
		f.receivers.answer("https://dead.test/", 0, time.Hour)
		f.receivers.answer("https://slow.test/", 200, 10*time.Second)
		stop := f.running(nil)
		time.Sleep(time.Second)
		f.commit(400)
		time.Sleep(5 * time.Second)
		for _, name := range []string{"a", "b"} {
			if got := f.states(name)[domain.Delivered]; got != 400 {
				t.Errorf("%s has %d posts after 5 s, want 400", name, got)
			}
		}
		time.Sleep(10 * time.Minute)
		stop()
		// There are two rounds of four attempts, then single attempts after 30 s and more.
		if got := len(f.receivers.to("https://dead.test/")); got < 6 || got > 18 {
			t.Errorf("the dead endpoint got %d posts in ten minutes, want 6 to 18", got)
		}
		if got := f.states("slow")[domain.Delivered]; got < 200 {
			t.Errorf("the slow endpoint has %d posts, want about 240", got)
		}
		for url, most := range f.receivers.most {
			if url != "" && most > 4 {
				t.Errorf("%s had %d posts at once, want at most 4", url, most)
			}
		}
	})
}

func TestEndpointsWithoutDeliveriesDelayNoOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, 1000)
		for i := range names {
			names[i] = fmt.Sprintf("e%03d", i)
		}
		f := newFixture(t, names...)
		f.enroll()
		f.commit(1)
		stop := f.running(nil)
		time.Sleep(10 * time.Second)
		for _, busy := range []string{"e000", "e500", "e999"} {
			event := transaction.Event{ID: "evt_" + busy, Type: transaction.RFQCreated, At: time.Now()}
			one := domain.Delivery{ID: "dlv_" + busy, Address: address(busy), Event: event, State: domain.Pending, DueAt: time.Now(), CreatedAt: time.Now()}
			if err := f.store.AddDelivery(t.Context(), one); err != nil {
				t.Fatalf("f.store.AddDelivery: %v", err)
			}
		}
		time.Sleep(2 * time.Second)
		stop()
		for _, name := range names {
			want := 1
			if name == "e000" || name == "e500" || name == "e999" {
				want = 2
			}
			if got := f.states(name)[domain.Delivered]; got != want {
				t.Fatalf("%s has %d deliveries, want %d", name, got, want)
			}
		}
	})
}

func TestBreakerClosesAfterOneSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 503, 0)
		stop := f.running(nil)
		time.Sleep(time.Second)
		f.commit(100)
		time.Sleep(10 * time.Second)
		if got := len(f.receivers.to(hook)); got < 5 || got > 8 {
			t.Errorf("%d posts before the breaker opened, want 5 to 8", got)
		}
		f.receivers.answer(hook, 200, 0)
		time.Sleep(time.Minute)
		if got := f.states("a")[domain.Delivered]; got < 92 {
			t.Errorf("%d delivered a minute later, want all except the deliveries that wait for a retry", got)
		}
		time.Sleep(10 * time.Minute)
		stop()
		if got := f.states("a")[domain.Delivered]; got != 100 {
			t.Errorf("%d delivered, want 100", got)
		}
	})
}

func TestInFlightDeliveriesAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a", "b", "c", "d", "e")
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			f.receivers.answer("https://"+name+".test/", 200, time.Second)
		}
		f.commit(20)
		stop := f.running(func(c *delivery.Config) { c.InFlight = 6 })
		time.Sleep(time.Minute)
		stop()
		if got := f.receivers.most[""]; got != 6 {
			t.Errorf("%d at once, want 6", got)
		}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			if got := f.states(name)[domain.Delivered]; got != 20 {
				t.Errorf("%s has %d deliveries, want 20", name, got)
			}
		}
	})
}

func TestTwoWorkersDeliverEachEventOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a", "b")
		f.receivers.answer(hook, 200, 50*time.Millisecond)
		first, second := f.running(nil), f.running(nil)
		for range 10 {
			f.commit(20)
			time.Sleep(700 * time.Millisecond)
		}
		time.Sleep(30 * time.Second)
		first()
		second()
		for _, name := range []string{"a", "b"} {
			if err := f.receivers.twice("https://" + name + ".test/"); err != nil || f.states(name)[domain.Delivered] != 200 {
				t.Errorf("%s: %v, %v", name, err, f.states(name))
			}
		}
		if most := f.receivers.most[hook]; most > 4 {
			t.Errorf("%d posts at once from both workers, want at most 4", most)
		}
	})
}

func TestAnotherWorkerSendsTheDeliveriesOfAKilledOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 200, 2*time.Second)
		f.commit(3)
		kill := f.running(func(c *delivery.Config) { c.Drain = time.Nanosecond })
		time.Sleep(2 * time.Second)
		// The worker cannot record results any more, and ends.
		f.store.Away(true)
		kill()
		f.store.Away(false)
		if got := len(f.receivers.to(hook)); got != 3 || f.states("a")[domain.Pending] != 3 {
			t.Fatalf("%d posts, %v", got, f.states("a"))
		}
		stop := f.running(nil)
		time.Sleep(10 * time.Second)
		if got := len(f.receivers.to(hook)); got != 3 {
			t.Errorf("%d posts before the leases expired, want 0", got-3)
		}
		time.Sleep(time.Minute)
		stop()
		if got := f.states("a")[domain.Delivered]; got != 3 {
			t.Errorf("%d delivered after the leases expired, want 3", got)
		}
	})
}

func TestFastReceiverGetsDeliveriesInTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers time.Duration
		atOnce  int
	}{"fast": {10 * time.Millisecond, 1}, "slow": {100 * time.Millisecond, 4}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, "a")
			f.receivers.answer(hook, 200, c.answers)
			f.commit(4)
			stop := f.running(nil)
			time.Sleep(2 * time.Second)
			stop()
			if got := f.receivers.most[hook]; got != c.atOnce || f.states("a")[domain.Delivered] != 4 {
				t.Errorf("%s: %d posts at once, %v; want %d at once, all delivered", name, got, f.states("a"), c.atOnce)
			}
		})
	}
}

func TestStoppingWorkerFinishesRunningAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 200, 5*time.Second)
		f.commit(10)
		stop := f.running(nil)
		time.Sleep(2 * time.Second)
		began := time.Now()
		stop()
		if got := len(f.receivers.to(hook)); got != 4 || f.states("a")[domain.Delivered] != 4 {
			t.Errorf("%d posts, %v; want the four attempts that were running", got, f.states("a"))
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the stop took %s, want at most 5 s", took)
		}
	})
}

func TestStoppingWorkerGivesBackSlowAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 200, 14*time.Second)
		f.commit(2)
		stop := f.running(func(c *delivery.Config) { c.Drain = 3 * time.Second })
		time.Sleep(2 * time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("the stop took %s, want at most 4 s", took)
		}
		f.receivers.answer(hook, 200, 0)
		stop = f.running(nil)
		time.Sleep(2 * time.Second)
		stop()
		if got := f.states("a")[domain.Delivered]; got != 2 {
			t.Errorf("%d delivered at once by the next worker, want 2", got)
		}
	})
}

func TestWorkerWaitsForAnUnavailableStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 200, time.Second)
		worker := f.worker(nil)
		stop := f.run(worker)
		time.Sleep(time.Second)
		f.commit(4)
		time.Sleep(1500 * time.Millisecond)
		f.store.Away(true)
		time.Sleep(5 * time.Minute)
		if worker.Healthy() == nil {
			t.Error("the worker is healthy without a store, want an error")
		}
		if got := strings.Count(f.log.String(), "available=false"); got < 1 || got > 5 {
			t.Errorf("%d lines report the unavailable store, want one for each operation", got)
		}
		f.store.Away(false)
		time.Sleep(time.Minute)
		if err := worker.Healthy(); err != nil {
			t.Errorf("Healthy after the store has returned: %v, want nil", err)
		}
		stop()
		if err := f.receivers.twice(hook); err != nil || f.states("a")[domain.Delivered] != 4 {
			t.Errorf("earlier attempts were not recorded after the store has returned: %v, %v", err, f.states("a"))
		}
	})
}

func TestNewURLGetsANewConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, "a")
		f.receivers.answer(hook, 410, 0)
		f.commit(1)
		stop := f.running(nil)
		time.Sleep(time.Minute)
		moved := endpoints("a")
		moved[0].URL = "https://moved.test/"
		f.directory.Declare(moved...)
		time.Sleep(time.Minute)
		stop()
		if got := len(f.receivers.to("https://moved.test/")); got != 1 || f.states("a")[domain.Delivered] != 1 {
			t.Errorf("%d posts to the new URL, states %v", got, f.states("a"))
		}
	})
}
