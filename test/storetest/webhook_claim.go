// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

func claimsInOrder(t *testing.T, w *fixture) {
	w.enroll(t, press, ship)
	sent := w.send(t, press, 5)
	later := w.delivery(t, press)
	later.DueAt = w.clock.Now().Add(time.Hour)
	if err := w.store.AddDelivery(t.Context(), later); err != nil {
		t.Fatalf("w.store.AddDelivery: %v", err)
	}
	other := w.send(t, ship, 1)
	ids := idsOf(sent, ofDelivery)
	wantEqual(t, "the first two", ids[:2], idsOf(w.claim(t, lane(press, 2)), ofClaim))
	wantEqual(t, "with the lane full", []string{}, idsOf(w.claim(t, lane(press, 2)), ofClaim))
	wantEqual(t, "with a lane that has shrunk", []string{}, idsOf(w.claim(t, lane(press, 1)), ofClaim))
	both := w.claim(t, lane(press, 4), lane(ship, 4))
	wantEqual(t, "two more, and another lane's", append(ids[2:4:4], other[0].ID), idsOf(both, ofClaim))
	wantEqual(t, "a claim", sent[2], both[0].Delivery)
	wantEqual(t, "the rest", ids[4:], idsOf(w.claim(t, lane(press, 100)), ofClaim))
	w.clock.set(later.DueAt)
	w.clock.advance(-time.Second) // not due yet
	wantEqual(t, "claims after their leases have ended", ids, idsOf(w.claim(t, lane(press, 100)), ofClaim))
	w.clock.advance(lease)
	few, err := w.store.Claim(t.Context(), []webhook.Lane{lane(ship, 4), lane(press, 4)}, 3, w.clock.Now(), lease)
	if err != nil {
		t.Fatalf("w.store.Claim: %v", err)
	}
	slices.Sort(ids)
	wantEqual(t, "claims within a room of 3, for the lanes in their order", append(ids[:2:2], other[0].ID), slices.Sorted(slices.Values(idsOf(few, ofClaim))))
	if none := w.claim(t); len(none) != 0 {
		t.Errorf("%d claims for no lane", len(none))
	}
}

func claimEnds(t *testing.T, w *fixture) {
	w.enroll(t, press)
	w.send(t, press, 1)
	first := w.claimOne(t, press)
	w.clock.advance(lease - time.Millisecond)
	if early := w.claim(t, lane(press, 10)); len(early) != 0 {
		t.Errorf("%d claims before the lease has ended, want none", len(early))
	}
	w.clock.advance(time.Millisecond)
	second := w.claimOne(t, press)
	if second.ID != first.ID || second.Token == first.Token {
		t.Errorf("claims %+v and %+v, want two of one delivery", first, second)
	}
	w.conclude(t, w.answered(first, webhook.FaultGone))
	if got, _ := w.readDelivery(t, first.ID); got.Attempts != 0 || w.standing(t, press).Disabled != webhook.NotDisabled {
		t.Errorf("the claim that has ended was recorded: %+v", got)
	}
	w.conclude(t, w.answered(second, webhook.NoFault))
	if got, _ := w.readDelivery(t, first.ID); got.State != webhook.Delivered {
		t.Errorf("the claim that stands was not recorded: %+v", got)
	}
}

func claimReleased(t *testing.T, w *fixture) {
	w.enroll(t, press)
	sent := w.send(t, press, 3)
	claims := w.claim(t, lane(press, 2))
	if err := w.store.Release(t.Context(), claims[:1]); err != nil {
		t.Fatalf("w.store.Release: %v", err)
	}
	again := w.claim(t, lane(press, 2))
	wantEqual(t, "claimed again", []webhook.Delivery{sent[0]}, []webhook.Delivery{again[0].Delivery})
	// The former holder no longer has the claim, and cannot release another holder's.
	if err := w.store.Release(t.Context(), claims[:1]); err != nil {
		t.Fatalf("w.store.Release: %v", err)
	}
	wantEqual(t, "with the lane full", []string{}, idsOf(w.claim(t, lane(press, 2)), ofClaim))
	if err := w.store.Release(t.Context(), nil); err != nil {
		t.Errorf("w.store.Release: %v", err)
	}
}

func claimNothing(t *testing.T, w *fixture) {
	stranger := webhook.Address{Owner: stark, Name: press.Name}
	w.enroll(t, press)
	w.send(t, press, 2)
	w.send(t, ship, 1)
	if claims := w.claim(t, lane(ship, 10), lane(stranger, 10)); len(claims) != 0 {
		t.Errorf("%d claims for endpoints that are not enrolled, want none", len(claims))
	}
	w.conclude(t, w.answered(w.claim(t, lane(press, 1))[0], webhook.FaultGone))
	if claims := w.claim(t, lane(press, 10)); len(claims) != 0 {
		t.Errorf("%d claims for an endpoint that is disabled, want none", len(claims))
	}
	if err := w.store.Enable(t.Context(), press, w.clock.Now()); err != nil {
		t.Fatalf("w.store.Enable: %v", err)
	}
	if claims := w.claim(t, lane(press, 10)); len(claims) != 2 {
		t.Errorf("%d claims once it is enabled, want 2: the new one, and the one that was due in an hour", len(claims))
	}
	if err := w.store.Enable(t.Context(), ship, w.clock.Now()); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("enable an endpoint that is not enrolled: error = %v, want ErrNotFound", err)
	}
}

func resultsReadBack(t *testing.T, w *fixture) {
	w.enroll(t, press)
	want := w.send(t, press, 1)[0]
	var made []webhook.Attempt
	for i, fault := range []webhook.Fault{webhook.FaultConnection, webhook.FaultStatus, webhook.NoFault} {
		result := w.answered(w.claimOne(t, press), fault)
		result.Attempt.Excerpt = fmt.Sprintf("zażółć ✓ %d", i)
		w.conclude(t, result)
		result.Attempt.Number = i + 1
		made = append(made, result.Attempt)
		want.Attempts, want.Tries = i+1, i+1
		want.State, want.DueAt, want.EndedAt = result.State, result.DueAt, result.EndedAt
		got, attempts := w.readDelivery(t, want.ID)
		wantEqual(t, "delivery", want, got)
		wantEqual(t, "attempts", made, attempts)
		w.clock.advance(time.Hour)
	}
	if claims := w.claim(t, lane(press, 10)); len(claims) != 0 {
		t.Errorf("%d claims of delivered deliveries, want none", len(claims))
	}
	if disabled := w.conclude(t); len(disabled) != 0 {
		t.Errorf("no results disabled %v", disabled)
	}
}

func lostClaims(t *testing.T, w *fixture) {
	for name, lose := range map[string]func(webhook.Claim) error{
		"recorded already": func(c webhook.Claim) error {
			_, err := w.store.Record(t.Context(), []webhook.Result{w.answered(c, webhook.FaultStatus)}, w.clock.Now())
			return err
		},
		"given back": func(c webhook.Claim) error { return w.store.Release(t.Context(), []webhook.Claim{c}) },
		"restarted": func(c webhook.Claim) error {
			_, err := w.store.Redeliver(t.Context(), acme, c.ID, w.clock.Now())
			return err
		},
		"erased": func(webhook.Claim) error { _, err := w.store.PurgeWebhooks(t.Context(), w.clock.Now(), 1); return err },
		"claimed again": func(webhook.Claim) error {
			_, err := w.store.Claim(t.Context(), []webhook.Lane{lane(press, 9)}, 9, w.clock.Now().Add(lease), lease)
			return err
		},
	} {
		w.enroll(t, press)
		w.send(t, press, 1)
		lost := w.claimOne(t, press)
		if err := lose(lost); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before, standing := w.deliveries(t, webhook.Query{Owner: acme}), w.standing(t, press)
		w.clock.advance(time.Second)
		w.conclude(t, w.answered(lost, webhook.FaultGone))
		wantEqual(t, name+": deliveries", before, w.deliveries(t, webhook.Query{Owner: acme}))
		wantEqual(t, name+": standing", standing, w.standing(t, press))
		w.clock.advance(24 * time.Hour)
		if _, err := w.store.PurgeWebhooks(t.Context(), w.clock.Now(), 10); err != nil {
			t.Fatalf("w.store.PurgeWebhooks: %v", err)
		}
	}
}

func standingFollows(t *testing.T, w *fixture) {
	w.enroll(t, press, ship)
	want := w.standing(t, press)
	other := w.standing(t, ship)
	w.send(t, press, 4)
	claims := w.claim(t, lane(press, 4))
	check := func(when string) {
		t.Helper()
		got := w.standing(t, press)
		got.Waiting, got.OldestAt = 0, time.Time{}
		wantEqual(t, when, want, got)
	}
	want.FailingSince = w.clock.Now()
	w.conclude(t, w.answered(claims[0], webhook.FaultStatus))
	want.Breaker.Failures = 1
	check("after a failure")
	w.clock.advance(time.Second)
	w.conclude(t, w.answered(claims[1], webhook.FaultTimeout))
	want.Breaker.Failures = 2
	check("after another one")
	w.clock.advance(time.Second)
	want.FailingSince, want.DeliveredAt, want.Breaker = time.Time{}, w.clock.Now(), webhook.Breaker{}
	w.conclude(t, w.answered(claims[2], webhook.FaultRefused), w.answered(claims[3], webhook.NoFault))
	check("after a success beside a failure")
	if waiting := w.standing(t, press).Waiting; waiting != 3 {
		t.Errorf("%d wait, want 3", waiting)
	}
	wantEqual(t, "the other endpoint", other, w.standing(t, ship))
}

func failuresRest(t *testing.T, w *fixture) {
	w.enroll(t, press)
	w.send(t, press, 12)
	rest := func(when string, rests int) {
		t.Helper()
		if b := w.standing(t, press).Breaker; b.Rests != rests || !b.Until.After(w.clock.Now()) {
			t.Fatalf("%s: %+v, want rest %d", when, b, rests)
		}
		wantEqual(t, when, []string{}, idsOf(w.claim(t, lane(press, 4)), ofClaim))
		w.clock.set(w.standing(t, press).Breaker.Until.Add(-time.Millisecond))
		wantEqual(t, when+", just before that ends", []string{}, idsOf(w.claim(t, lane(press, 4)), ofClaim))
		w.clock.advance(time.Millisecond)
	}
	// Two workers have claims in progress, and both record failures.
	one, other := w.claim(t, lane(press, 4)), w.claim(t, lane(press, 6))
	for _, claim := range one {
		w.conclude(t, w.answered(claim, webhook.FaultStatus))
	}
	if b := w.standing(t, press).Breaker; b != (webhook.Breaker{Failures: 4}) {
		t.Errorf("after four failures: %+v", b)
	}
	w.conclude(t, w.answered(other[0], webhook.FaultStatus), w.answered(other[1], webhook.FaultTimeout))
	rest("after six failures", 1)
	probe := w.claimOne(t, press)
	wantEqual(t, "beside the probe", []string{}, idsOf(w.claim(t, lane(press, 4)), ofClaim))
	w.conclude(t, w.answered(probe, webhook.FaultStatus))
	rest("after the probe has failed", 2)
	w.conclude(t, w.answered(w.claimOne(t, press), webhook.NoFault))
	if b := w.standing(t, press).Breaker; b != (webhook.Breaker{}) {
		t.Errorf("after a success: %+v", b)
	}
	if claims := w.claim(t, lane(press, 4)); len(claims) != 4 {
		t.Errorf("%d claims after a success, want 4", len(claims))
	}
}

func restsEnd(t *testing.T, w *fixture) {
	w.enroll(t, press)
	w.send(t, press, 18)
	for name, end := range map[string]func() error{
		"enabled": func() error { return w.store.Enable(t.Context(), press, w.clock.Now()) },
		"another URL": func() error {
			moved := endpoint(press)
			moved.URL += "/moved"
			return w.store.Enroll(t.Context(), []webhook.Endpoint{moved}, w.clock.Now())
		},
	} {
		for _, claim := range w.claim(t, lane(press, 6)) {
			w.conclude(t, w.answered(claim, webhook.FaultStatus))
		}
		if claims := w.claim(t, lane(press, 6)); len(claims) != 0 {
			t.Fatalf("%s: %d claims after six failures", name, len(claims))
		}
		w.clock.advance(time.Second)
		if err := end(); err != nil {
			t.Fatalf("end: %v", err)
		}
		if b := w.standing(t, press).Breaker; b != (webhook.Breaker{}) {
			t.Errorf("%s: %+v", name, b)
		}
		if claims := w.claim(t, lane(press, 1)); len(claims) != 1 {
			t.Errorf("%s: %d claims, want 1", name, len(claims))
		} else {
			w.conclude(t, w.answered(claims[0], webhook.NoFault))
		}
	}
}

func disabledOnce(t *testing.T, w *fixture) {
	w.enroll(t, press, ship)
	w.send(t, press, 2)
	w.send(t, ship, 1)
	gone, fails := w.claim(t, lane(press, 2)), w.claimOne(t, ship)
	first := w.answered(fails, webhook.FaultStatus)
	first.DueAt = w.clock.Now().Add(webhook.FailingFor - time.Millisecond)
	w.conclude(t, first)
	names := func(standings []webhook.Standing) []string {
		return idsOf(standings, func(s webhook.Standing) string { return s.Name + " " + string(s.Disabled) })
	}
	wantEqual(t, "gone", []string{"press Gone"}, names(w.conclude(t, w.answered(gone[0], webhook.FaultGone))))
	wantEqual(t, "gone again", []string{}, names(w.conclude(t, w.answered(gone[1], webhook.FaultGone))))
	if got := w.standing(t, press); got.Disabled != webhook.Gone || got.DisabledAt != w.clock.Now() {
		t.Errorf("standing %+v, want that it is gone", got)
	}
	w.clock.advance(webhook.FailingFor - time.Millisecond)
	next := w.answered(w.claimOne(t, ship), webhook.FaultStatus)
	next.DueAt = w.clock.Now().Add(time.Millisecond)
	wantEqual(t, "just before five days", []string{}, names(w.conclude(t, next)))
	w.clock.advance(time.Millisecond)
	disabled := w.conclude(t, w.answered(w.claimOne(t, ship), webhook.FaultStatus))
	wantEqual(t, "after five days", []string{"ship Failing"}, names(disabled))
	wantEqual(t, "disabled endpoints", []webhook.Standing{w.standing(t, ship)}, disabled)
}

func enabledAgain(t *testing.T, w *fixture) {
	w.enroll(t, press)
	w.send(t, press, 2)
	claims := w.claim(t, lane(press, 2))
	late := w.answered(claims[1], webhook.FaultGone)
	w.conclude(t, w.answered(claims[0], webhook.FaultGone))
	w.clock.advance(time.Second)
	if err := w.store.Enable(t.Context(), press, w.clock.Now()); err != nil {
		t.Fatalf("w.store.Enable: %v", err)
	}
	want := w.standing(t, press)
	if want.Disabled != webhook.NotDisabled || !want.DisabledAt.IsZero() || !want.FailingSince.IsZero() || want.BegunAt != w.clock.Now() {
		t.Errorf("standing %+v, want none of its past", want)
	}
	if disabled := w.conclude(t, late); len(disabled) != 0 {
		t.Errorf("an attempt from before has disabled %v", disabled)
	}
	wantEqual(t, "standing", want, w.standing(t, press))
	if got, _ := w.readDelivery(t, late.ID); got.Attempts != 1 {
		t.Errorf("delivery %+v, want the attempt kept", got)
	}
}
