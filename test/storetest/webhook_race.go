// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/webhook"
)

// raceLanes returns the endpoints of two tenants that many workers deliver to.
func raceLanes(most int) []webhook.Lane {
	var lanes []webhook.Lane
	for i := range 3 {
		lanes = append(lanes,
			lane(webhook.Address{Owner: acme, Name: fmt.Sprint("e", i)}, most),
			lane(webhook.Address{Owner: stark, Name: fmt.Sprint("e", i)}, most))
	}
	return lanes
}

func (w *fixture) enrollLanes(t testing.TB, lanes []webhook.Lane) {
	t.Helper()
	for _, lane := range lanes {
		w.enroll(t, lane.Address)
	}
}

// held tracks the claims of all holders.
type held struct {
	mu     sync.Mutex
	by     map[string]int // delivery to token
	lanes  map[webhook.Address]int
	most   int
	faults []string
}

func (h *held) take(claims []webhook.Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, claim := range claims {
		if _, twice := h.by[claim.ID]; twice {
			h.faults = append(h.faults, claim.ID+" was handed out twice")
		}
		h.by[claim.ID] = int(claim.Token)
		if h.lanes[claim.Address]++; h.lanes[claim.Address] > h.most {
			h.faults = append(h.faults, fmt.Sprintf("%d claims of %s", h.lanes[claim.Address], claim.Name))
		}
	}
}

// give removes claims before their holder releases them in the store.
func (h *held) give(claims []webhook.Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, claim := range claims {
		delete(h.by, claim.ID)
		h.lanes[claim.Address]--
	}
}

// claimersRace ends claims in three ways: delivered, due again immediately, and released.
func claimersRace(t *testing.T, w *fixture) {
	const processes, each, most = 8, 15, 3
	lanes := raceLanes(most)
	w.enrollLanes(t, lanes)
	for _, lane := range lanes {
		w.send(t, lane.Address, each)
	}
	out := &held{by: map[string]int{}, lanes: map[webhook.Address]int{}, most: most}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i, err := range concurrently(processes, func(process int) error {
		for turn := process; ; turn++ {
			claims, err := w.store.Claim(ctx, lanes, 100, w.clock.Now(), lease)
			if err != nil {
				return err
			}
			out.take(claims)
			if len(claims) == 0 {
				if left, err := waiting(ctx, w.store); left == 0 || err != nil {
					return err
				}
				time.Sleep(time.Millisecond) // all deliveries are claimed
				continue
			}
			out.give(claims)
			if turn%5 == 0 {
				err = w.store.Release(ctx, claims)
			} else {
				_, err = w.store.Record(ctx, w.raceResults(claims, turn), w.clock.Now())
			}
			if err != nil {
				return err
			}
		}
	}) {
		if err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	for _, fault := range out.faults {
		t.Error(fault)
	}
	w.wantWhole(t, len(lanes)*each)
}

// raceResults delivers all claims with earlier attempts, and every second one of the others.
func (w *fixture) raceResults(claims []webhook.Claim, turn int) []webhook.Result {
	var results []webhook.Result
	for i, claim := range claims {
		if claim.Tries > 0 || (i+turn)%2 == 0 {
			results = append(results, w.answered(claim, webhook.NoFault))
			continue
		}
		again := w.answered(claim, webhook.FaultStatus)
		again.DueAt = w.clock.Now()
		results = append(results, again)
	}
	return results
}

// waiting returns the number of pending deliveries.
func waiting(ctx context.Context, store webhook.Store) (int, error) {
	standings, err := store.Standings(ctx, webhook.Address{}.Owner)
	total := 0
	for _, standing := range standings {
		total += standing.Waiting
	}
	return total, err
}

// wantWhole requires a number of deliveries, all delivered, with as many recorded attempts as they
// count.
func (w *fixture) wantWhole(t testing.TB, want int) {
	t.Helper()
	total := 0
	for _, owner := range tenants {
		for _, delivery := range w.deliveries(t, webhook.Query{Owner: owner}) {
			total++
			_, attempts, err := w.store.Delivery(t.Context(), owner, delivery.ID)
			if err != nil || delivery.State != webhook.Delivered || len(attempts) != delivery.Attempts {
				t.Errorf("%+v with %d attempts (%v), want it delivered with as many as it counts", delivery, len(attempts), err)
			}
		}
	}
	if total != want {
		t.Errorf("%d deliveries, want %d", total, want)
	}
}

// webhooksAtOnce runs all operations that change deliveries and endpoints concurrently, for the
// same deliveries and endpoints.
func webhooksAtOnce(t *testing.T, w *fixture) {
	const rounds, each = 15, 10
	lanes := raceLanes(5)
	w.enrollLanes(t, lanes)
	var sent []webhook.Delivery
	for _, lane := range lanes {
		sent = append(sent, w.send(t, lane.Address, each)...)
	}
	var endpoints []webhook.Endpoint
	for _, lane := range lanes {
		endpoints = append(endpoints, endpoint(lane.Address))
	}
	ctx, start := t.Context(), w.clock.Now().Add(-time.Hour)
	now := w.clock.Now()
	deliver := func(i int) error {
		claims, err := w.store.Claim(ctx, lanes, 100, now, lease)
		if err != nil {
			return err
		}
		results := w.raceResults(claims, i)
		for n := range results {
			switch (n + i) % 7 {
			case 0:
				results[n] = w.exhausted(claims[n])
			case 1:
				results[n] = w.answered(claims[n], webhook.FaultGone)
			}
		}
		_, err = w.store.Record(ctx, results, now)
		return err
	}
	verbs := []func(i int) error{
		deliver, deliver, deliver,
		func(i int) error {
			delivery := sent[i%len(sent)]
			_, err := w.store.Redeliver(ctx, delivery.Owner, delivery.ID, now)
			return err
		},
		func(i int) error {
			_, err := w.store.Recover(ctx, endpoints[i%len(endpoints)], start, now, 5, func() (string, error) {
				return recordid.New(webhook.DeliveryPrefix, now, rand.Reader)
			})
			return err
		},
		func(i int) error { return w.store.Enable(ctx, lanes[i%len(lanes)].Address, now) },
		func(i int) error {
			moved := append([]webhook.Endpoint(nil), endpoints...)
			for n := range moved {
				moved[n].URL += fmt.Sprint(i)
			}
			return w.store.Enroll(ctx, moved, now)
		},
		func(i int) error {
			_, err := w.store.Relay(ctx, int64(i), int64(i+1), sent[i:i+1])
			return err
		},
		func(int) error {
			_, err := w.store.PurgeWebhooks(ctx, start, 10)
			return err
		},
	}
	for i, err := range concurrently(len(verbs), func(verb int) error {
		for i := range rounds {
			if err := verbs[verb](i); err != nil {
				return err
			}
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("verb %d: %v", i, err)
		}
	}
	w.clock.advance(2 * time.Hour) // all leases and waits have expired
	w.deliverAll(t, lanes)
	w.wantWhole(t, len(sent))
}

// deliverAll enables every endpoint and delivers all pending deliveries.
func (w *fixture) deliverAll(t testing.TB, lanes []webhook.Lane) {
	t.Helper()
	for _, lane := range lanes {
		if err := w.store.Enable(t.Context(), lane.Address, w.clock.Now()); err != nil {
			t.Fatalf("w.store.Enable: %v", err)
		}
		w.recoverAll(t, endpoint(lane.Address), time.Time{}, 1000)
	}
	for range 1000 {
		claims := w.claim(t, lanes...)
		if len(claims) == 0 {
			return
		}
		var results []webhook.Result
		for _, claim := range claims {
			results = append(results, w.answered(claim, webhook.NoFault))
		}
		w.conclude(t, results...)
	}
	t.Fatal("deliveries do not end")
}
