// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

var erasureCases = map[string]func(*testing.T, *fixture){
	"an erasure erases every kind of records, and only of its organization": erasesEveryKind,
	"an erasure that is killed after each transaction ends with all counts": erasesAfterKills,
	"an erasure whose commits are unknown counts each record once":          erasesAfterUnknownCommits,
	"concurrent sweeps erase each record once":                              erasesConcurrently,
	"a plan is confirmed once, in time, and for its organization":           plansAreConfirmedOnce,
	"an erasure waits while its organization is in force":                   erasureWaitsInForce,
	"an operation in progress writes nothing behind an erasure":             nothingIsWrittenBehind,
}

// declarations declares the keys of acme and stark, and whether acme is in force.
type declarations struct{ inForce string }

func (d *declarations) of(organization string) (erasure.Declared, error) {
	if organization == acme.Organization {
		return erasure.Declared{InForce: d.inForce, Keys: []credential.Digest{digest(1), digest(2)}}, nil
	}
	return erasure.Declared{Keys: []credential.Digest{digest(3)}}, nil
}

func (w *fixture) erasures(store erasure.Store, declared *declarations) *erasure.Service {
	return erasure.New(erasure.Config{
		Store: store, Declared: declared.of, RemoveBytes: w.removeBytes, Now: w.clock.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
}

// removeBytes stands in for the storage of files.
func (w *fixture) removeBytes(ctx context.Context, owner tenant.ID) error {
	ids, err := w.store.FilesOf(ctx, owner, "", 100)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		delete(w.bytes, id)
	}
	return err
}

var byLegal = erasure.Instruction{Actor: clerk, Reason: "request 4711"}

// fillAll adds records of every kind to acme, more than one transaction erases, and some to stark.
func (w *fixture) fillAll(t *testing.T) {
	t.Helper()
	var entries []requestlog.Entry
	for n := range 501 {
		entries = append(entries, line(t, acme, n))
	}
	w.logged(t, append(entries, line(t, acmeTest, 1), line(t, stark, 1))...)
	for _, owner := range []tenant.ID{acme, acmeTest, stark} {
		created, err := w.rfqs.Create(t.Context(), owner, draft("flyers"), rfq.Terms{Quota: plenty, Idempotency: keyed("k1", "flyers")})
		if err != nil {
			t.Fatalf("w.rfqs.Create: %v", err)
		}
		if _, err := w.rfqs.SubmitQuote(t.Context(), owner, created.RFQ.ID, w.offer(t, "s1", "205.00"), byOps); err != nil {
			t.Fatalf("w.rfqs.SubmitQuote: %v", err)
		}
		job := w.submit(t, owner)
		if _, err := w.jobs.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
			t.Fatalf("w.jobs.Begin: %v", err)
		}
		if _, err := w.jobs.Finish(t.Context(), job.ID, 1, "w1", warned); err != nil {
			t.Fatalf("w.jobs.Finish: %v", err)
		}
		w.file(t, owner, 1)
		w.receive(t, owner, phase("m1", w.clock.Now(), "J1", "", "InProgress"))
		address := webhook.Address{Owner: owner, Name: "press"}
		w.enroll(t, address)
		w.send(t, address, 2)
		w.conclude(t, w.answered(w.claim(t, lane(address, 1))[0], webhook.NoFault))
	}
	w.offers(t, acme.Organization, "0.10")
	w.offers(t, acme.Organization, "0.20")
	w.offers(t, stark.Organization, "0.30")
	if err := w.store.MarkKeysUsed(t.Context(), []credential.Use{
		{Key: digest(1), At: w.clock.Now()}, {Key: digest(2), At: w.clock.Now()}, {Key: digest(3), At: w.clock.Now()},
	}); err != nil {
		t.Fatalf("w.store.MarkKeysUsed: %v", err)
	}
}

func (w *fixture) counts(t *testing.T, organization string, keys ...credential.Digest) erasure.Counts {
	t.Helper()
	counts, err := w.store.CountRecords(t.Context(), organization, keys)
	if err != nil {
		t.Fatalf("w.store.CountRecords: %v", err)
	}
	return counts
}

// confirm plans the erasure of acme, and confirms the plan.
func (w *fixture) confirm(t *testing.T, service *erasure.Service) erasure.Erasure {
	t.Helper()
	plan, err := service.Plan(t.Context(), acme.Organization, byLegal)
	if err != nil {
		t.Fatalf("service.Plan: %v", err)
	}
	confirmed, err := service.Confirm(t.Context(), acme.Organization, plan.ID, byLegal)
	if err != nil {
		t.Fatalf("service.Confirm: %v", err)
	}
	wantEqual(t, "planned counts", plan.Planned, confirmed.Planned)
	return confirmed
}

// wantErased checks that the erasure of acme has ended with the planned counts, that nothing is
// left, and that the audit has the certificate.
func (w *fixture) wantErased(t *testing.T, id string) {
	t.Helper()
	ended, err := w.store.Erasure(t.Context(), acme.Organization, id)
	if err != nil {
		t.Fatalf("w.store.Erasure: %v", err)
	}
	wantEqual(t, "state", erasure.Erased, ended.State)
	wantEqual(t, "erased counts", ended.Planned, ended.Erased)
	for id, owner := range w.bytes {
		if owner.Organization == acme.Organization {
			t.Errorf("the bytes of %s of %s are left", id, owner)
		}
	}
	wantEqual(t, "records that are left", erasure.Counts{}, w.counts(t, acme.Organization, digest(1), digest(2)))
	if len(ended.Keys) != 0 {
		t.Errorf("the certificate of %s has the digests %v, want none", id, ended.Keys)
	}
	var head transaction.AuditHead
	chain, err := w.store.AuditChain(t.Context(), tenant.Live, 0, 100)
	if err != nil {
		t.Fatalf("w.store.AuditChain: %v", err)
	}
	for _, entry := range chain.Entries {
		if head, err = head.Verify(entry); err != nil {
			t.Fatalf("Verify(%+v): %v", entry, err)
		}
	}
	last := chain.Entries[len(chain.Entries)-1]
	wantEqual(t, "audit entry of the certificate",
		[]string{ended.AuditID, ended.AuditHash, string(transaction.CertifyErasure), id, "Erased: " + ended.Erased.String()},
		[]string{last.ID, last.Hash.String(), string(last.Verb), last.Subject, last.Reason})
}

func sweep(t *testing.T, service *erasure.Service) {
	t.Helper()
	if err := service.Sweep(t.Context()); err != nil {
		t.Fatalf("service.Sweep: %v", err)
	}
}

func erasesEveryKind(t *testing.T, w *fixture) {
	w.fillAll(t)
	service := w.erasures(w.store, &declarations{})
	others := w.counts(t, stark.Organization, digest(3))
	confirmed := w.confirm(t, service)
	for _, kind := range erasure.Kinds() {
		tally := confirmed.Planned[kind]
		global := kind == erasure.CostData || kind == erasure.CostDataApprovals || kind == erasure.KeyUses
		if tally.Live == 0 || (tally.Test == 0) != global {
			t.Errorf("the plan has %+v of %s, want some of live, and of test unless the kind has no mode", tally, kind)
		}
	}
	sweep(t, service)
	if e, err := service.Get(t.Context(), acme.Organization, confirmed.ID); err != nil || e.State != erasure.Erasing {
		t.Errorf("before it has settled, the erasure is %s (%v), want erasing", e.State, err)
	}
	w.clock.advance(erasure.Settling)
	sweep(t, service)
	w.wantErased(t, confirmed.ID)
	wantEqual(t, "records of stark", others, w.counts(t, stark.Organization, digest(3)))
	if open, err := w.store.OpenErasures(t.Context(), 10); err != nil || len(open) != 0 {
		t.Errorf("open erasures %v (%v), want none", open, err)
	}
	days, err := w.store.QuotaDays(t.Context(), acme, transaction.CreateRFQ, w.clock.Now())
	if err != nil || len(days) != 1 || days[0].Used != 1 {
		t.Errorf("use of the quota %v (%v), want the one RFQ", days, err)
	}
	latest, err := service.Get(t.Context(), acme.Organization, "")
	if err != nil || latest.ID != confirmed.ID {
		t.Errorf("the latest erasure is %q (%v), want %q", latest.ID, err, confirmed.ID)
	}
	// Erasure also removes the idempotency key of the RFQ, so a client that reuses the key creates
	// a new one.
	created, err := w.rfqs.Create(t.Context(), acme, draft("flyers"), rfq.Terms{Quota: plenty, Idempotency: keyed("k1", "flyers")})
	if err != nil || created.Replayed {
		t.Errorf("a repeated request is replayed %t (%v), want a new RFQ", created.Replayed, err)
	}
}

// mortal is a store that ends its process after each transaction that erases records.
type mortal struct {
	Store
	kill   context.CancelFunc
	erased int64
}

func (m *mortal) EraseRecords(ctx context.Context, id string, step int, mode tenant.Mode) (int64, bool, error) {
	erased, busy, err := m.Store.EraseRecords(ctx, id, step, mode)
	if erased > 0 {
		m.erased += erased
		m.kill()
	}
	return erased, busy, err
}

func erasesAfterKills(t *testing.T, w *fixture) {
	w.fillAll(t)
	confirmed := w.confirm(t, w.erasures(w.store, &declarations{}))
	w.clock.advance(erasure.Settling)
	for lives := range 100 {
		ctx, kill := context.WithCancel(t.Context())
		process := &mortal{Store: w.store, kill: kill}
		err := w.erasures(process, &declarations{}).Sweep(ctx)
		kill()
		if process.erased == 0 {
			if err != nil {
				t.Fatalf("the last sweep: %v", err)
			}
			if steps := len(erasure.Steps); lives < steps {
				t.Errorf("%d processes erased records, want at least one for each of %d steps", lives, steps)
			}
			break
		}
	}
	w.wantErased(t, confirmed.ID)
}

func erasesAfterUnknownCommits(t *testing.T, w *fixture) {
	w.fillAll(t)
	faulty := NewFaulty(w.store)
	service := w.erasures(faulty, &declarations{})
	confirmed := w.confirm(t, service)
	w.clock.advance(erasure.Settling)
	for _, owner := range []tenant.ID{acme, acmeTest} {
		if err := w.removeBytes(t.Context(), owner); err != nil {
			t.Fatalf("w.removeBytes(%s): %v", owner, err)
		}
	}
	faulty.Set(Unknown)
	for range 2 { // one transaction does not erase all requests
		for step := range erasure.Steps {
			for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
				if _, _, err := faulty.EraseRecords(t.Context(), confirmed.ID, step, mode); !errors.Is(err, ErrInjected) {
					t.Fatalf("faulty.EraseRecords: error = %v, want the injected one", err)
				}
			}
		}
	}
	faulty.Set(None)
	sweep(t, service)
	w.wantErased(t, confirmed.ID)
}

func erasesConcurrently(t *testing.T, w *fixture) {
	w.fillAll(t)
	confirmed := w.confirm(t, w.erasures(w.store, &declarations{}))
	w.clock.advance(erasure.Settling)
	for _, err := range concurrently(4, func(int) error { return w.erasures(w.store, &declarations{}).Sweep(t.Context()) }) {
		if err != nil {
			t.Errorf("a concurrent sweep: %v", err)
		}
	}
	// Concurrent sweeps may leave the erasure to each other, so one more sweep may have to finish
	// it.
	sweep(t, w.erasures(w.store, &declarations{}))
	w.wantErased(t, confirmed.ID)
}

func plansAreConfirmedOnce(t *testing.T, w *fixture) {
	service := w.erasures(w.store, &declarations{})
	plan := func() string {
		e, err := service.Plan(t.Context(), acme.Organization, byLegal)
		if err != nil {
			t.Fatalf("service.Plan: %v", err)
		}
		return e.ID
	}
	late := plan()
	w.clock.advance(erasure.PlanLifetime)
	first, second := plan(), plan()
	wantConfirm := func(what, organization, id string, want error) {
		t.Helper()
		if _, err := service.Confirm(t.Context(), organization, id, byLegal); !errors.Is(err, want) {
			t.Errorf("confirm %s: error = %v, want %v", what, err, want)
		}
	}
	wantConfirm("an expired plan", acme.Organization, late, erasure.ErrPlanExpired)
	wantConfirm("the plan of another organization", stark.Organization, first, transaction.ErrNotFound)
	wantConfirm("an unknown id", acme.Organization, "ers_1", transaction.ErrNotFound)
	outcomes := concurrently(2, func(i int) error {
		_, err := service.Confirm(t.Context(), acme.Organization, []string{first, second}[i], byLegal)
		return err
	})
	if (outcomes[0] == nil) == (outcomes[1] == nil) || !errors.Is(errors.Join(outcomes...), erasure.ErrErasing) {
		t.Errorf("concurrent confirmations: errors = %v, want one success and one %v", outcomes, erasure.ErrErasing)
	}
	begun := first
	if outcomes[0] != nil {
		begun = second
	}
	wantConfirm("a plan again", acme.Organization, begun, erasure.ErrPlanUsed)
	w.clock.advance(erasure.Settling)
	sweep(t, service)
	w.wantErased(t, begun)
	wantConfirm("a plan after its erasure", acme.Organization, begun, erasure.ErrPlanUsed)
	if _, err := service.Get(t.Context(), acme.Organization, late); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("read an expired plan after a sweep: error = %v, want transaction.ErrNotFound", err)
	}
}

func erasureWaitsInForce(t *testing.T, w *fixture) {
	w.fillAll(t)
	declared := &declarations{inForce: "partners/acme"}
	service := w.erasures(w.store, declared)
	plan, err := service.Plan(t.Context(), acme.Organization, byLegal)
	if err != nil {
		t.Fatalf("service.Plan: %v", err)
	}
	var inForce *erasure.InForceError
	if _, err := service.Confirm(t.Context(), acme.Organization, plan.ID, byLegal); !errors.As(err, &inForce) || inForce.Partner != "partners/acme" {
		t.Errorf("confirm while the partner is in force: error = %v, want an InForceError of partners/acme", err)
	}
	declared.inForce = ""
	confirmed, err := service.Confirm(t.Context(), acme.Organization, plan.ID, byLegal)
	if err != nil {
		t.Fatalf("service.Confirm: %v", err)
	}
	w.clock.advance(erasure.Settling)
	declared.inForce = "partners/acme"
	if err := service.Sweep(t.Context()); !errors.As(err, &inForce) {
		t.Errorf("sweep while the partner is in force: error = %v, want an InForceError", err)
	}
	wantEqual(t, "records", confirmed.Planned, w.counts(t, acme.Organization, digest(1), digest(2)))
	declared.inForce = ""
	sweep(t, service)
	w.wantErased(t, confirmed.ID)
}

// nothingIsWrittenBehind erases while one worker inspects a file and another delivers an event.
func nothingIsWrittenBehind(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	if _, err := w.jobs.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	w.enroll(t, press)
	w.send(t, press, 1)
	claim := w.claimOne(t, press)
	service := w.erasures(w.store, &declarations{})
	confirmed := w.confirm(t, service)
	sweep(t, service)
	if _, err := w.jobs.Finish(t.Context(), job.ID, 1, "w1", warned); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("finish an erased job: error = %v, want transaction.ErrNotFound", err)
	}
	if _, err := w.jobs.Begin(t.Context(), job.ID, 2, "w2"); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("begin an erased job: error = %v, want transaction.ErrNotFound", err)
	}
	w.conclude(t, w.answered(claim, webhook.NoFault))
	late := line(t, acme, 1)
	w.logged(t, late)
	w.clock.advance(erasure.Settling)
	sweep(t, service)
	ended, err := service.Get(t.Context(), acme.Organization, confirmed.ID)
	if err != nil || ended.State != erasure.Erased || ended.Erased[erasure.Requests].Live != 1 {
		t.Errorf("the erasure is %s with %s (%v), want erased with the late request", ended.State, ended.Erased, err)
	}
	wantEqual(t, "records that are left", erasure.Counts{}, w.counts(t, acme.Organization))
	if time.Time.IsZero(ended.EndedAt) {
		t.Error("the certificate has no end")
	}
}
