// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

var (
	acme  = gate.LimitKey{Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Surface: "partner"}
	stark = gate.LimitKey{Tenant: tenant.ID{Organization: "org_stark1", Mode: tenant.Live}, Surface: "partner"}
	test  = gate.LimitKey{Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Test}, Surface: "partner"}
	other = gate.LimitKey{Tenant: acme.Tenant, Surface: "preflight"}
)

// clock is a clock that tests advance by hand.
type clock struct{ nanos atomic.Int64 }

func (c *clock) now() time.Time        { return time.Unix(1_800_000_000, c.nanos.Load()) }
func (c *clock) move(by time.Duration) { c.nanos.Add(int64(by)) }

func TestAPolicyAdmitsABurstAndThenItsRate(t *testing.T) {
	t.Parallel()
	var c clock
	limiter := new(gate.Limiter)
	four := gate.RatePolicy{Limit: 4, Window: 8 * time.Second}
	take := func() gate.LimitState { return limiter.Take(t.Context(), acme, four, c.now(), false) }
	for i, step := range []struct {
		after time.Duration
		want  gate.LimitState
	}{
		{0, gate.LimitState{Allowed: true, Remaining: 3, Reset: 2 * time.Second}},
		{0, gate.LimitState{Allowed: true, Remaining: 2, Reset: 4 * time.Second}},
		{0, gate.LimitState{Allowed: true, Remaining: 1, Reset: 6 * time.Second}},
		{0, gate.LimitState{Allowed: true, Remaining: 0, Reset: 8 * time.Second}},
		{0, gate.LimitState{Reset: 8 * time.Second, RetryAfter: 2 * time.Second}},
		{time.Second, gate.LimitState{Reset: 7 * time.Second, RetryAfter: time.Second}},
		{time.Second, gate.LimitState{Allowed: true, Remaining: 0, Reset: 8 * time.Second}},
		{5 * time.Second, gate.LimitState{Allowed: true, Remaining: 1, Reset: 5 * time.Second}},
		{time.Hour, gate.LimitState{Allowed: true, Remaining: 3, Reset: 2 * time.Second}},
	} {
		c.move(step.after)
		if diff := cmp.Diff(step.want, take()); diff != "" {
			t.Errorf("request %d (-want +got):\n%s", i+1, diff)
		}
	}
}

func TestTenantsModesAndSurfacesAreCountedSeparately(t *testing.T) {
	t.Parallel()
	var c clock
	limiter := new(gate.Limiter)
	for _, key := range []gate.LimitKey{acme, stark, test, other} {
		if state := limiter.Take(t.Context(), key, gate.RatePolicy{Limit: 1, Window: time.Second}, c.now(), false); !state.Allowed {
			t.Errorf("%v is rejected, want its own count", key)
		}
	}
}

func TestAPolicyThatAdmitsNothingIsNotUnlimited(t *testing.T) {
	t.Parallel()
	var c clock
	limiter := new(gate.Limiter)
	for name, policy := range map[string]gate.RatePolicy{
		"the zero policy":                      {},
		"no limit":                             {Window: time.Second},
		"a negative limit":                     {Limit: -1, Window: time.Second},
		"no window":                            {Limit: 10},
		"a negative window":                    {Limit: 10, Window: -time.Second},
		"more than one request per nanosecond": {Limit: 10, Window: 5},
	} {
		if state := limiter.Take(t.Context(), acme, policy, c.now(), true); state.Allowed {
			t.Errorf("%s: a request was admitted, want a rejection", name)
		}
	}
}

// TestNoWindowExceedsTwiceTheLimit checks the bound for any clock: a window has at most
// a burst and the requests paid back meanwhile.
func TestNoWindowExceedsTwiceTheLimit(t *testing.T) {
	t.Parallel()
	var c clock
	limiter := new(gate.Limiter)
	policy := gate.RatePolicy{Limit: 100, Window: time.Second}
	admitted := 0
	for range 5_000 { // five seconds
		c.move(time.Millisecond)
		if limiter.Take(t.Context(), acme, policy, c.now(), false).Allowed {
			admitted++
		}
	}
	if want := 100 + 5*100; admitted < want-1 || admitted > want {
		t.Errorf("%d requests in 5 s, want %d", admitted, want)
	}
	c.move(-time.Hour)
	if state := limiter.Take(t.Context(), acme, policy, c.now(), false); state.Allowed || state.RetryAfter > policy.Window {
		t.Errorf("after the clock was set back: %+v, want a rejection for one window at most", state)
	}
}

func TestPaidBackCountsAreRemoved(t *testing.T) {
	t.Parallel()
	var c clock
	limiter := new(gate.Limiter)
	for i := range 50_000 {
		c.move(time.Second)
		key := gate.LimitKey{Tenant: tenant.ID{Organization: fmt.Sprintf("org_%06d", i), Mode: tenant.Live}, Surface: "partner"}
		limiter.Take(t.Context(), key, gate.RatePolicy{Limit: 10, Window: time.Second}, c.now(), false)
	}
	if held := gate.Held(limiter); held > 2_048 {
		t.Errorf("%d counts are held, want at most 2048", held)
	}
}

// unavailable is an unavailable Redis that counts its calls.
type unavailable struct{ calls atomic.Int64 }

func (u *unavailable) Take(context.Context, gate.LimitKey, gate.RatePolicy) (gate.LimitState, error) {
	u.calls.Add(1)
	return gate.LimitState{}, errors.New("planted")
}

func TestWithoutRedisEachReplicaCountsAlone(t *testing.T) {
	t.Parallel()
	var c clock
	redis := &unavailable{}
	limiter := gate.NewLimiter(redis)
	policy := gate.RatePolicy{Limit: 3, Window: time.Minute}
	for i := range 4 {
		if got, want := limiter.Take(t.Context(), acme, policy, c.now(), true).Allowed, i < 3; got != want {
			t.Errorf("request %d: admitted %t, want %t", i+1, got, want)
		}
	}
	if calls := redis.calls.Load(); calls != 1 {
		t.Errorf("Redis got %d calls, want 1: later requests skip it", calls)
	}
	c.move(2 * time.Second)
	limiter.Take(t.Context(), stark, policy, c.now(), true)
	if calls := redis.calls.Load(); calls != 2 {
		t.Errorf("Redis got %d calls, want 2: one more after the pause", calls)
	}
}

func TestCancelledCallerDoesNotPauseRedis(t *testing.T) {
	t.Parallel()
	var c clock
	redis := &unavailable{}
	limiter := gate.NewLimiter(redis)
	left, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		limiter.Take(left, acme, gate.RatePolicy{Limit: 3, Window: time.Minute}, c.now(), true)
	}
	if calls := redis.calls.Load(); calls != 2 {
		t.Errorf("Redis got %d calls, want 2", calls)
	}
}

func servers(t *testing.T) map[string]*redistest.Server {
	return map[string]*redistest.Server{"miniredis": redistest.Mini(t), "redis-server": redistest.Real(t)}
}

// shared counts like Redis, in memory.
type shared struct {
	limiter *gate.Limiter
	now     func() time.Time
}

func (s shared) Take(ctx context.Context, key gate.LimitKey, policy gate.RatePolicy) (gate.LimitState, error) {
	return s.limiter.Take(ctx, key, policy, s.now(), false), nil
}

func TestReplicasShareTheCountOfChangesOnly(t *testing.T) {
	t.Parallel()
	var c clock
	redis := shared{new(gate.Limiter), c.now}
	replicas := [3]*gate.Limiter{}
	for i := range replicas {
		replicas[i] = gate.NewLimiter(redis)
	}
	hour := gate.RatePolicy{Limit: 30, Window: time.Hour}
	admitted := func(key gate.LimitKey, changes bool) (count int) {
		for range 40 {
			for _, replica := range replicas {
				if replica.Take(t.Context(), key, hour, c.now(), changes).Allowed {
					count++
				}
			}
		}
		return count
	}
	if got := admitted(acme, true); got != 30 {
		t.Errorf("three replicas admitted %d changes, want 30", got)
	}
	if got := admitted(stark, false); got != 90 {
		t.Errorf("three replicas admitted %d reads, want 30 each", got)
	}
	first := replicas[0].Take(t.Context(), test, hour, c.now(), true)
	second := replicas[1].Take(t.Context(), test, hour, c.now(), true)
	if first.Remaining != 29 || second.Remaining != 28 {
		t.Errorf("%d and %d remain, want 29 and 28 for all replicas together", first.Remaining, second.Remaining)
	}
}

func TestRedisLimitsAllReplicasTogether(t *testing.T) {
	t.Parallel()
	for name, server := range servers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var count atomic.Int64
			var group sync.WaitGroup
			for range 3 {
				shared := gate.NewRedisLimits(server.Client(t))
				group.Go(func() {
					for range 40 {
						state, err := shared.Take(t.Context(), acme, gate.RatePolicy{Limit: 30, Window: time.Hour})
						if err != nil {
							t.Errorf("shared.Take: %v", err)
						}
						if state.Allowed {
							count.Add(1)
						}
					}
				})
			}
			group.Wait()
			if count.Load() != 30 {
				t.Errorf("%d requests were admitted, want 30", count.Load())
			}
		})
	}
}

func TestRedisReturnsTheRemainingRequests(t *testing.T) {
	t.Parallel()
	for name, server := range servers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shared := gate.NewRedisLimits(server.Client(t))
			two := gate.RatePolicy{Limit: 2, Window: time.Hour}
			for i, want := range []gate.LimitState{
				{Allowed: true, Remaining: 1, Reset: 30 * time.Minute},
				{Allowed: true, Remaining: 0, Reset: time.Hour},
				{Reset: time.Hour, RetryAfter: 30 * time.Minute},
			} {
				got, err := shared.Take(t.Context(), acme, two)
				if err != nil {
					t.Fatalf("shared.Take: %v", err)
				}
				// The clock of Redis advances between two requests.
				got.Reset, got.RetryAfter = got.Reset.Round(time.Minute), got.RetryAfter.Round(time.Minute)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("request %d (-want +got):\n%s", i+1, diff)
				}
			}
			if left, err := server.Client(t).PTTL(t.Context(), "pm:{limit:"+acme.Tenant.String()+"}:partner").Result(); err != nil || left <= 0 || left > time.Hour {
				t.Errorf("the count is kept for %s (%v), want an hour at most", left, err)
			}
		})
	}
}

func TestSharedCountIsASpan(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := collector.Tracer()
	ctx, request := tracer.Start(t.Context(), telemetry.Inside, "request")
	shared := gate.NewRedisLimits(redistest.Mini(t).Client(t))
	policy := gate.RatePolicy{Limit: 30, Window: time.Hour}
	if _, err := shared.Take(ctx, acme, policy); err != nil {
		t.Fatalf("shared.Take: %v", err)
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	if _, err := shared.Take(gone, acme, policy); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want an immediate error", err)
	}
	request.End("")
	tracer.Close(t.Context())
	var faults []string
	for _, span := range collector.Named("rate limit take") {
		if span.Parent != collector.Named("request")[0].ID || span.Attributes["db.system.name"] != "redis" {
			t.Errorf("span %+v, want a call of the request to Redis", span)
		}
		faults = append(faults, span.Attributes["error.type"])
	}
	if diff := cmp.Diff([]string{"", "cancelled"}, faults); diff != "" || strings.Contains(collector.Sent(), acme.Tenant.Organization) {
		t.Errorf("spans, which must not contain the tenant (-want +got):\n%s", diff)
	}
}
