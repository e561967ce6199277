// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var marketCases = map[string]func(*testing.T, *fixture){
	"a list by status holds what reads as that status, at every hour":        listByStatus,
	"a list by time holds the rfqs created in that time":                     listByTime,
	"a client reference selects the RFQs that have it":                       referencedRFQs,
	"the history of an RFQ lists its events in order, to its owner alone":    historyOfRFQ,
	"pages of a filtered list join to the whole":                             filteredPagesJoin,
	"an operator lists and finds the rfqs of all tenants in a mode":          listAll,
	"a verb of the marketplace is committed with its audit":                  audited,
	"a refused verb is not in the audit":                                     refusedIsNotAudited,
	"a line of the audit is committed by itself":                             auditedAlone,
	"entries of the audit form a chain for each mode":                        auditedInAChain,
	"a sweep stores the status that reads returned before, and publishes it": sweepStores,
	"two concurrent sweeps store and publish once":                           sweepsRace,
	"the suppliers of the sandbox quote on the sandbox alone":                sandboxQuotes,
	"a sweep gets through more than it takes at once":                        sweepGoesOn,
	"a quote that is withdrawn no longer stands":                             withdrawn,
	"a verb has the same effect with and without an earlier sweep":           verbsAfterTime,
}

var byOps = rfq.Instruction{
	Actor:  transaction.Actor{Organization: "org_market", Key: "operations", RequestID: "req_1"},
	Reason: "requested by phone — Gdańsk",
}

// everyStatus makes an RFQ of each status that can be stored, at the clock's
// time.
func (w *fixture) everyStatus(t *testing.T) {
	t.Helper()
	for _, name := range []string{"open", "quoted", "closed", "cancelled"} {
		record := w.create(t, acme, name)
		var err error
		switch name {
		case "quoted":
			w.quote(t, record.ID, "s1", "205.00")
		case "closed":
			_, err = w.rfqs.Close(t.Context(), acme, record.ID, byOps)
		case "cancelled":
			_, err = w.rfqs.Cancel(t.Context(), acme, record.ID, byOps)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w.clock.advance(time.Millisecond)
	}
}

func (w *fixture) list(t *testing.T, filter rfq.Filter) []rfq.RFQ {
	t.Helper()
	list, err := w.rfqs.List(t.Context(), acme, rfq.Page{Filter: filter, Limit: rfq.MaxLimit})
	if err != nil {
		t.Fatalf("w.rfqs.List: %v", err)
	}
	return list.Items
}

var statuses = []rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled}

func listByStatus(t *testing.T, w *fixture) {
	start := w.clock.Now()
	w.everyStatus(t)
	for _, at := range []time.Duration{
		time.Hour, rfq.ResponseTime - 1, rfq.ResponseTime, rfq.ResponseTime + time.Minute,
		rfq.Lifetime - 1, rfq.Lifetime, rfq.Lifetime + time.Minute,
	} {
		w.clock.set(start.Add(at))
		all := w.list(t, rfq.Filter{})
		for _, status := range statuses {
			want := slices.DeleteFunc(slices.Clone(all), func(r rfq.RFQ) bool { return r.Status != status })
			wantEqual(t, fmt.Sprintf("%s after %s", status, at), want, w.list(t, rfq.Filter{Statuses: []rfq.Status{status}}))
		}
		want := slices.DeleteFunc(slices.Clone(all), func(r rfq.RFQ) bool { return r.Status != rfq.Closed && r.Status != rfq.Cancelled })
		wantEqual(t, "closed or cancelled", want, w.list(t, rfq.Filter{Statuses: []rfq.Status{rfq.Cancelled, rfq.Closed}}))
	}
}

func listByTime(t *testing.T, w *fixture) {
	start := w.clock.Now()
	var ids []string
	for range 5 {
		ids = append(ids, w.create(t, acme, "one a minute").ID)
		w.clock.advance(time.Minute)
	}
	minute := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	tests := map[string]struct {
		after, before time.Time
		want          []string
	}{
		"from the third on":              {minute(2), time.Time{}, ids[2:]},
		"before the third":               {time.Time{}, minute(2), ids[:2]},
		"the second and the third":       {minute(1), minute(3), ids[1:3]},
		"a millisecond behind the third": {minute(2).Add(time.Millisecond), time.Time{}, ids[3:]},
		"a millisecond without an rfq":   {minute(2).Add(time.Millisecond), minute(3), nil},
		"a span that ends first":         {minute(3), minute(1), nil},
		"everything since the epoch":     {time.UnixMilli(0), minute(100), ids},
	}
	for name, tc := range tests {
		var got []string
		for _, record := range w.list(t, rfq.Filter{CreatedAfter: tc.after, CreatedBefore: tc.before}) {
			got = append(got, record.ID)
		}
		slices.Reverse(got)
		wantEqual(t, name, tc.want, got)
	}
}

func referencedRFQs(t *testing.T, w *fixture) {
	var want []rfq.RFQ
	for i, reference := range []string{"PO-1", "PO-2", "", "PO-1", "po-1"} {
		d := draft("flyers")
		d.ClientReference = reference
		made, err := w.rfqs.Create(t.Context(), acme, d, rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i), "body"), Quota: transaction.Quota{Limit: 10, Window: time.Hour}})
		if err != nil || made.RFQ.ClientReference != reference {
			t.Fatalf("Create = %+v, %v; want the reference %q", made, err, reference)
		}
		if reference == "PO-1" {
			want = append([]rfq.RFQ{made.RFQ}, want...)
		}
		w.clock.advance(time.Millisecond)
	}
	wantEqual(t, "PO-1", want, w.list(t, rfq.Filter{ClientReference: "PO-1"}))
	wantEqual(t, "open RFQs with PO-1", want, w.list(t, rfq.Filter{ClientReference: "PO-1", Statuses: []rfq.Status{rfq.Open}}))
	wantEqual(t, "an unknown reference", []rfq.RFQ{}, w.list(t, rfq.Filter{ClientReference: "PO-3"}))
}

func historyOfRFQ(t *testing.T, w *fixture) {
	record, other := w.create(t, acme, "with a history"), w.create(t, acme, "another")
	w.quote(t, record.ID, "s1", "205.00")
	w.clock.advance(time.Minute)
	w.quote(t, record.ID, "s1", "199.00")
	w.quote(t, other.ID, "s1", "205.00")
	w.clock.advance(rfq.Lifetime)
	if _, err := w.rfqs.Sweep(t.Context(), 10); err != nil {
		t.Fatalf("w.rfqs.Sweep: %v", err)
	}
	want := []transaction.EventType{
		transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQQuoted, transaction.QuoteSuperseded,
		transaction.RFQClosed, transaction.RFQExpired, transaction.QuoteExpired,
	}
	for _, limit := range []int{1, 3, len(want)} {
		var got []transaction.EventType
		from := ""
		for range maxPages {
			history, err := w.rfqs.Events(t.Context(), acme, record.ID, limit, from)
			if err != nil {
				t.Fatalf("w.rfqs.Events(%s, %d): %v", record.ID, limit, err)
			}
			for _, event := range history.Events {
				got = append(got, event.Type)
			}
			if from = history.NextCursor; from == "" {
				break
			}
			if _, err := w.rfqs.Events(t.Context(), acme, other.ID, limit, from); !errors.Is(err, rfq.ErrInvalidPage) {
				t.Errorf("a cursor of another RFQ: error = %v, want ErrInvalidPage", err)
			}
		}
		wantEqual(t, fmt.Sprintf("events in pages of %d", limit), want, got)
	}
	for _, stranger := range []tenant.ID{acmeTest, stark} {
		if _, err := w.rfqs.Events(t.Context(), stranger, record.ID, 0, ""); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s: error = %v, want ErrNotFound", stranger, err)
		}
	}
}

func filteredPagesJoin(t *testing.T, w *fixture) {
	start := w.clock.Now()
	w.fill(t, 4)
	var want []string
	for range 9 {
		record := w.create(t, acme, "wanted")
		w.quote(t, record.ID, "s1", "205.00")
		w.create(t, acme, "not quoted")
		want = append(want, record.ID)
		w.clock.advance(time.Millisecond)
	}
	before := w.clock.Now()
	w.quote(t, w.create(t, acme, "too late").ID, "s1", "205.00")
	slices.Reverse(want)
	filter := rfq.Filter{Statuses: []rfq.Status{rfq.Quoted}, CreatedAfter: start, CreatedBefore: before}
	for _, limit := range []int{1, 4, 9} {
		var got []string
		page := rfq.Page{Filter: filter, Limit: limit}
		for range maxPages {
			list, err := w.rfqs.List(t.Context(), acme, page)
			if err != nil {
				t.Fatalf("w.rfqs.List: %v", err)
			}
			for _, record := range list.Items {
				got = append(got, record.ID)
			}
			if page.Cursor = list.NextCursor; page.Cursor == "" {
				break
			}
			if _, err := w.rfqs.List(t.Context(), acme, rfq.Page{Limit: limit, Cursor: page.Cursor}); !errors.Is(err, rfq.ErrInvalidPage) {
				t.Errorf("a cursor without its filter: error = %v, want ErrInvalidPage", err)
			}
		}
		wantEqual(t, fmt.Sprintf("quoted in pages of %d", limit), want, got)
	}
}

func listAll(t *testing.T, w *fixture) {
	var want []rfq.RFQ
	for _, who := range []tenant.ID{acme, acmeTest, stark, upper} {
		record := w.create(t, who, who.String())
		if who.Mode == tenant.Live {
			want = append(want, record)
		}
		owner, err := w.rfqs.Owner(t.Context(), who.Mode, record.ID)
		if owner != who || err != nil {
			t.Errorf("owner of %s's = %s, %v", who, owner, err)
		}
		other := tenant.Live
		if who.Mode == tenant.Live {
			other = tenant.Test
		}
		if _, err := w.rfqs.Owner(t.Context(), other, record.ID); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("owner of %s's in the other mode: error = %v, want ErrNotFound", who, err)
		}
		w.clock.advance(time.Millisecond)
	}
	slices.Reverse(want)
	list, err := w.rfqs.ListAll(t.Context(), tenant.Live, rfq.Page{Filter: rfq.Filter{Statuses: []rfq.Status{rfq.Open}}})
	if err != nil {
		t.Fatalf("w.rfqs.ListAll: %v", err)
	}
	wantEqual(t, "live rfqs of all tenants", want, list.Items)
	first, err := w.rfqs.ListAll(t.Context(), tenant.Live, rfq.Page{Limit: 2})
	if err != nil {
		t.Fatalf("w.rfqs.ListAll: %v", err)
	}
	second, err := w.rfqs.ListAll(t.Context(), tenant.Live, rfq.Page{Limit: 2, Cursor: first.NextCursor})
	if err != nil {
		t.Fatalf("w.rfqs.ListAll: %v", err)
	}
	wantEqual(t, "in two pages", want, append(first.Items, second.Items...))
	if _, err := w.rfqs.ListAll(t.Context(), tenant.Test, rfq.Page{Cursor: first.NextCursor}); !errors.Is(err, rfq.ErrInvalidPage) {
		t.Errorf("a cursor of the other mode: error = %v, want ErrInvalidPage", err)
	}
}

func audited(t *testing.T, w *fixture) {
	record := w.create(t, acme, "called off")
	sandboxed := w.create(t, acmeTest, "in the sandbox")
	w.clock.advance(time.Minute)
	quoted, err := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, w.offer(t, "s1", "205.00"), byOps)
	if err != nil {
		t.Fatalf("w.rfqs.SubmitQuote: %v", err)
	}
	w.clock.advance(time.Minute)
	cancelled, err := w.rfqs.Cancel(t.Context(), acme, record.ID, byOps)
	if err != nil || cancelled.Status != rfq.Cancelled || cancelled.Version != 3 || cancelled.UpdatedAt != w.clock.Now() {
		t.Errorf("cancelled: %+v, %v", cancelled, err)
	}
	for range 2 { // repetition changes nothing
		again, err := w.rfqs.Cancel(t.Context(), acme, record.ID, byOps)
		if err != nil {
			t.Fatalf("w.rfqs.Cancel: %v", err)
		}
		wantEqual(t, "cancelled again", cancelled, again)
	}
	if _, err := w.rfqs.Cancel(t.Context(), acmeTest, sandboxed.ID, byOps); err != nil {
		t.Fatalf("w.rfqs.Cancel: %v", err)
	}
	auditEntries, err := w.store.AuditEntries(t.Context(), tenant.Live, "", 10)
	if err != nil || len(auditEntries) != 2 {
		t.Fatalf("%d audit entries (%v), want 2", len(auditEntries), err)
	}
	wantEqual(t, "audit entries", []transaction.AuditEntry{
		{ID: auditEntries[0].ID, At: w.clock.Now(), Actor: byOps.Actor, Verb: transaction.CancelRFQ, Owner: acme, Subject: record.ID, Reason: byOps.Reason},
		{ID: auditEntries[1].ID, At: quoted.Quote.SubmittedAt, Actor: byOps.Actor, Verb: transaction.SubmitQuote, Owner: acme, Subject: record.ID, Reason: byOps.Reason},
	}, auditEntries)
	older, err := w.store.AuditEntries(t.Context(), tenant.Live, auditEntries[0].ID, 10)
	if err != nil {
		t.Fatalf("w.store.AuditEntries: %v", err)
	}
	wantEqual(t, "audit entries before the first", auditEntries[1:], older)
	wantEqual(t, "events", []transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted, transaction.RFQCancelled}, w.eventsAbout(t, record.ID))
}

func auditedAlone(t *testing.T, w *fixture) {
	want, err := transaction.NewAuditEntry(transaction.AuditEntry{
		At: w.clock.Now(), Actor: byOps.Actor, Verb: transaction.EnableWebhook, Owner: acme, Subject: "mis", Reason: byOps.Reason,
	}, rand.Reader)
	if err != nil {
		t.Fatalf("transaction.NewAuditEntry: %v", err)
	}
	if err := w.store.AddAuditEntry(t.Context(), want); err != nil {
		t.Fatalf("w.store.AddAuditEntry: %v", err)
	}
	auditEntries, err := w.store.AuditEntries(t.Context(), tenant.Live, "", 10)
	if err != nil {
		t.Fatalf("w.store.AuditEntries: %v", err)
	}
	wantEqual(t, "audit entries", []transaction.AuditEntry{want}, auditEntries)
}

// auditedInAChain commits entries concurrently, and verifies the chain in pages.
func auditedInAChain(t *testing.T, w *fixture) {
	const entries = 20
	errs := concurrently(entries, func(i int) error {
		owner := acme
		if i%4 == 0 {
			owner = acmeTest
		}
		entry, err := transaction.NewAuditEntry(transaction.AuditEntry{
			At: w.clock.Now().Add(time.Duration(i) * time.Millisecond), Actor: byOps.Actor, Verb: transaction.EnableWebhook,
			Owner: owner, Subject: "mis", Reason: "ü, 1:x",
		}, rand.Reader)
		if err != nil {
			return err
		}
		return w.store.AddAuditEntry(t.Context(), entry)
	})
	for _, err := range errs {
		if err != nil {
			t.Fatalf("w.store.AddAuditEntry: %v", err)
		}
	}
	for mode, want := range map[tenant.Mode]int64{tenant.Live: entries * 3 / 4, tenant.Test: entries / 4} {
		var head transaction.AuditHead
		for {
			chain, err := w.store.AuditChain(t.Context(), mode, head.Sequence, 4)
			if err != nil {
				t.Fatalf("w.store.AuditChain: %v", err)
			}
			for _, entry := range chain.Entries {
				if head, err = head.Verify(entry); err != nil {
					t.Fatalf("Verify(%+v): %v", entry, err)
				}
			}
			if len(chain.Entries) < 4 {
				wantEqual(t, "head of "+string(mode), head, chain.Head)
				break
			}
		}
		if head.Sequence != want {
			t.Errorf("the chain of %s has %d entries, want %d", mode, head.Sequence, want)
		}
	}
}

func refusedIsNotAudited(t *testing.T, w *fixture) {
	record := w.create(t, acme, "stands")
	tests := map[string]struct {
		verb func() error
		want error
	}{
		"of another owner": {func() error { _, err := w.rfqs.Cancel(t.Context(), stark, record.ID, byOps); return err }, transaction.ErrNotFound},
		"of another mode":  {func() error { _, err := w.rfqs.Close(t.Context(), acmeTest, record.ID, byOps); return err }, transaction.ErrNotFound},
		"of another version": {func() error {
			by := byOps
			by.Version = 2
			_, err := w.rfqs.Cancel(t.Context(), acme, record.ID, by)
			return err
		}, rfq.ErrRevision},
		"a quote that is not": {func() error { _, err := w.rfqs.WithdrawQuote(t.Context(), acme, record.ID, "quo_x", byOps); return err }, transaction.ErrNotFound},
	}
	for name, tc := range tests {
		if err := tc.verb(); !errors.Is(err, tc.want) {
			t.Errorf("%s: error = %v, want %v", name, err, tc.want)
		}
	}
	w.clock.advance(rfq.Lifetime)
	var refused *rfq.TransitionError
	if _, err := w.rfqs.Cancel(t.Context(), acme, record.ID, byOps); !errors.As(err, &refused) || refused.From != "expired" {
		t.Errorf("cancel an expired one: error = %v, want TransitionError", err)
	}
	if auditEntries, err := w.store.AuditEntries(t.Context(), tenant.Live, "", 10); err != nil || len(auditEntries) != 0 {
		t.Errorf("%d audit entries (%v), want none", len(auditEntries), err)
	}
}

func sweepStores(t *testing.T, w *fixture) {
	start := w.clock.Now()
	record := w.create(t, acme, "grows old")
	w.quote(t, record.ID, "s1", "205.00")
	sweep := func(when string, want int) {
		t.Helper()
		before := w.list(t, rfq.Filter{})
		quotes, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
		if err != nil {
			t.Fatalf("w.rfqs.Quotes: %v", err)
		}
		if n, err := w.rfqs.Sweep(t.Context(), 10); n != want || err != nil {
			t.Errorf("%s: swept %d (%v), want %d", when, n, err, want)
		}
		wantEqual(t, when+": rfqs read after", before, w.list(t, rfq.Filter{}))
		after, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
		if err != nil {
			t.Fatalf("w.rfqs.Quotes: %v", err)
		}
		wantEqual(t, when+": quotes read after", quotes, after)
	}
	sweep("at once", 0)
	w.clock.set(start.Add(7 * 24 * time.Hour))
	sweep("when the quote ends", 1)
	sweep("again", 0)
	w.clock.set(start.Add(rfq.ResponseTime))
	sweep("at the deadline", 1)
	sweep("again", 0)
	w.clock.set(start.Add(rfq.Lifetime))
	sweep("at the end", 1)
	sweep("again", 0)
	wantEqual(t, "events", []transaction.EventType{
		transaction.RFQCreated, transaction.RFQQuoted, transaction.QuoteExpired, transaction.RFQClosed, transaction.RFQExpired,
	}, w.eventsAbout(t, record.ID))
	stored, err := w.store.RFQ(t.Context(), acme, record.ID)
	if err != nil || stored.Status != rfq.Expired || stored.Version != 4 || stored.UpdatedAt != stored.ExpiresAt {
		t.Errorf("stored: %+v, %v", stored, err)
	}
}

func sweepsRace(t *testing.T, w *fixture) {
	const rfqs, replicas = 5, 4
	var ids []string
	for range rfqs {
		ids = append(ids, w.create(t, acme, "grows old").ID)
	}
	// No sweep ran for long, and both deadlines have passed.
	w.clock.advance(rfq.Lifetime)
	counts := make([]int, replicas)
	for i, err := range concurrently(replicas, func(i int) (err error) {
		counts[i], err = w.rfqs.Sweep(t.Context(), 100)
		return err
	}) {
		if err != nil {
			t.Errorf("sweep %d: %v", i, err)
		}
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	if total != rfqs {
		t.Errorf("swept %v, want %d together", counts, rfqs)
	}
	for _, id := range ids {
		wantEqual(t, "events", []transaction.EventType{transaction.RFQCreated, transaction.RFQClosed, transaction.RFQExpired}, w.eventsAbout(t, id))
	}
}

func sandboxQuotes(t *testing.T, w *fixture) {
	live, first, second := w.create(t, acme, "live"), w.create(t, acmeTest, "same"), w.create(t, acmeTest, "same")
	if n, err := w.rfqs.Sweep(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("swept %d (%v) at once, want none", n, err)
	}
	w.clock.advance(rfq.SimulatedAfter + time.Second)
	if n, err := w.rfqs.Sweep(t.Context(), 10); n != 2 || err != nil {
		t.Errorf("swept %d (%v), want 2", n, err)
	}
	if n, err := w.rfqs.Sweep(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("swept %d (%v) again, want none", n, err)
	}
	var offers [][]rfq.Offer
	for _, record := range []rfq.RFQ{first, second} {
		got, err := w.rfqs.Get(t.Context(), acmeTest, record.ID)
		if err != nil || got.Status != rfq.Quoted || got.QuoteCount != 2 || got.UpdatedAt != record.CreatedAt.Add(rfq.SimulatedAfter) {
			t.Errorf("sandboxed: %+v, %v", got, err)
		}
		quotes, err := w.rfqs.Quotes(t.Context(), acmeTest, record.ID)
		if err != nil {
			t.Fatalf("w.rfqs.Quotes: %v", err)
		}
		var ofRFQ []rfq.Offer
		for _, quote := range quotes {
			ofRFQ = append(ofRFQ, quote.Offer)
		}
		offers = append(offers, ofRFQ)
		wantEqual(t, "events", []transaction.EventType{transaction.RFQCreated, transaction.RFQQuoted}, w.eventsAbout(t, record.ID))
	}
	wantEqual(t, "offers on the same draft", offers[0], offers[1])
	if got, err := w.rfqs.Get(t.Context(), acme, live.ID); err != nil || got.Status != rfq.Open {
		t.Errorf("live: %+v, %v", got, err)
	}
}

func sweepGoesOn(t *testing.T, w *fixture) {
	for range 7 {
		w.create(t, acme, "grows old")
	}
	w.clock.advance(rfq.ResponseTime)
	var swept []int
	for range 4 {
		n, err := w.rfqs.Sweep(t.Context(), 3)
		if err != nil {
			t.Fatalf("w.rfqs.Sweep: %v", err)
		}
		swept = append(swept, n)
	}
	wantEqual(t, "swept in batches of three", []int{3, 3, 1, 0}, swept)
}

func withdrawn(t *testing.T, w *fixture) {
	record := w.create(t, acme, "quoted")
	kept, gone := w.quote(t, record.ID, "s1", "205.00"), w.quote(t, record.ID, "s2", "199.00")
	w.clock.advance(time.Minute)
	for range 2 { // repetition changes nothing
		got, err := w.rfqs.WithdrawQuote(t.Context(), acme, record.ID, gone.ID, byOps)
		if err != nil || got.Status != rfq.QuoteWithdrawn || got.ID != gone.ID {
			t.Errorf("withdrawn: %+v, %v", got, err)
		}
	}
	after, err := w.rfqs.Get(t.Context(), acme, record.ID)
	if err != nil || after.QuoteCount != 1 || after.Version != 4 || after.Status != rfq.Quoted {
		t.Errorf("rfq: %+v, %v", after, err)
	}
	again := w.quote(t, record.ID, "s2", "198.00")
	if again.Revision != 2 {
		t.Errorf("the supplier's next quote has revision %d, want 2", again.Revision)
	}
	var refused *rfq.TransitionError
	w.quote(t, record.ID, "s1", "204.00")
	if _, err := w.rfqs.WithdrawQuote(t.Context(), acme, record.ID, kept.ID, byOps); !errors.As(err, &refused) || refused.From != "superseded" {
		t.Errorf("withdraw a superseded one: error = %v, want TransitionError", err)
	}
	repeated, err := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, w.offer(t, "s2", "198.00"), byOps)
	if err != nil || !repeated.Repeated || repeated.Quote.ID != again.ID {
		t.Errorf("the same offer again: %+v, %v", repeated, err)
	}
}

// verbsAfterTime lets a quote and a deadline of two RFQs pass, sweeps one of the RFQs, and then
// acts on both.
func verbsAfterTime(t *testing.T, w *fixture) {
	start := w.clock.Now()
	type end struct {
		Status     rfq.Status
		Version    int64
		QuoteCount int
		Quotes     []rfq.QuoteStatus
		Events     []transaction.EventType
	}
	ends := map[bool]end{}
	for _, swept := range []bool{false, true} {
		w.clock.set(start)
		record := w.create(t, acme, "grows old")
		w.quote(t, record.ID, "s1", "205.00") // valid for a week
		sweep := func() {
			if !swept {
				return
			}
			if _, err := w.rfqs.Sweep(t.Context(), 100); err != nil {
				t.Fatalf("w.rfqs.Sweep: %v", err)
			}
		}
		w.clock.set(start.Add(8 * 24 * time.Hour))
		sweep()
		w.quote(t, record.ID, "s1", "204.00")
		w.clock.set(start.Add(rfq.ResponseTime + time.Hour))
		sweep()
		after, err := w.rfqs.Cancel(t.Context(), acme, record.ID, byOps)
		if err != nil {
			t.Fatalf("w.rfqs.Cancel: %v", err)
		}
		quotes, err := w.rfqs.Quotes(t.Context(), acme, record.ID)
		if err != nil {
			t.Fatalf("w.rfqs.Quotes: %v", err)
		}
		got := end{Status: after.Status, Version: after.Version, QuoteCount: after.QuoteCount, Events: w.eventsAbout(t, record.ID)}
		for _, quote := range quotes {
			got.Quotes = append(got.Quotes, quote.Status)
		}
		ends[swept] = got
	}
	wantEqual(t, "unswept and swept", ends[true], ends[false])
	wantEqual(t, "the end", end{
		Status: rfq.Cancelled, Version: 5, QuoteCount: 2, Quotes: []rfq.QuoteStatus{rfq.QuoteExpired, rfq.QuoteSubmitted},
		Events: []transaction.EventType{
			transaction.RFQCreated, transaction.RFQQuoted, transaction.QuoteExpired, transaction.RFQQuoted, transaction.RFQClosed, transaction.RFQCancelled,
		},
	}, ends[true])
}
