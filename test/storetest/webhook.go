// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"cmp"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

var webhookCases = map[string]func(*testing.T, *fixture){
	"a store that relayed nothing begins with the first event":                     relayBegins,
	"events are relayed from where the last relay ended, or not at all":            relayOnce,
	"of processes that relay the same events one does":                             relayRace,
	"a delivery reads back as it was relayed, its endpoint having one of an event": deliveryReadsBack,
	"a delivery has the client reference of its job or RFQ":                        referencedDelivery,
	"an endpoint is enrolled once and restarted with another url":                  enrolled,
	"the longest due delivery is claimed first, up to the limit of the lane":       claimsInOrder,
	"a claim ends with its lease and is another one's then":                        claimEnds,
	"a claim that is given back is due as before":                                  claimReleased,
	"endpoints that are disabled or not enrolled get nothing":                      claimNothing,
	"results read back as the attempts of a delivery":                              resultsReadBack,
	"a lost claim records nothing":                                                 lostClaims,
	"the failures of an endpoint are counted until a delivery succeeds":            standingFollows,
	"failures in a row hold deliveries back from every worker":                     failuresRest,
	"a rest ends when the endpoint is enabled or its URL changes":                  restsEnd,
	"an endpoint that is gone or only fails is disabled and reported once":         disabledOnce,
	"attempts before an endpoint was enabled do not disable it":                    enabledAgain,
	"a delivery can be restarted from every state":                                 redelivered,
	"missed events are recovered, oldest first, in portions":                       recoveredInPortions,
	"missed events are recovered if the endpoint subscribes to them":               recoveredFromOutbox,
	"deliveries are listed newest first, with filters":                             deliveriesListed,
	"attempts and pending deliveries are counted by the hour":                      deliveriesCounted,
	"a tenant cannot read or change deliveries of another tenant":                  deliveriesOfStrangers,
	"deliveries and events past their retention are erased in portions":            webhooksPurged,
	"a relay or a record whose commit is unknown happens once":                     webhookUnknownCommit,
	"claimers at once share out deliveries and keep to lanes":                      claimersRace,
	"concurrent calls terminate and leave complete deliveries":                     webhooksAtOnce,
}

const lease = time.Minute

// press and ship are endpoints of acme.
var (
	press = webhook.Address{Owner: acme, Name: "press"}
	ship  = webhook.Address{Owner: acme, Name: "ship"}
)

func endpoint(address webhook.Address) webhook.Endpoint {
	return webhook.Endpoint{Address: address, URL: "https://" + address.Name + ".example.com/events"}
}

func (w *fixture) enroll(t testing.TB, addresses ...webhook.Address) {
	t.Helper()
	var endpoints []webhook.Endpoint
	for _, address := range addresses {
		endpoints = append(endpoints, endpoint(address))
	}
	if err := w.store.Enroll(t.Context(), endpoints, w.clock.Now()); err != nil {
		t.Fatalf("enroll: %v", err)
	}
}

// delivery returns a new delivery of an event about an RFQ, created now.
func (w *fixture) delivery(t testing.TB, to webhook.Address) webhook.Delivery {
	t.Helper()
	now := w.clock.Now()
	event, err := transaction.NewEvent(transaction.RFQQuoted, "rfq_1", now, rand.Reader)
	if err != nil {
		t.Fatalf("transaction.NewEvent: %v", err)
	}
	return webhook.Delivery{ID: w.deliveryID(t), Address: to, Event: event, State: webhook.Pending, DueAt: now, CreatedAt: now}
}

func referencedDelivery(t *testing.T, w *fixture) {
	w.enroll(t, press)
	d := draft("flyers")
	d.ClientReference = "PO-1"
	created, err := w.rfqs.Create(t.Context(), acme, d, rfq.Terms{Idempotency: keyed("k", "body"), Quota: transaction.Quota{Limit: 10, Window: time.Hour}})
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	for subject, want := range map[string]string{w.submit(t, acme).ID: request("").ClientReference, created.RFQ.ID: "PO-1", "": "", "rfq_1": ""} {
		sent := w.delivery(t, press)
		sent.Event.Subject = subject
		if err := w.store.AddDelivery(t.Context(), sent); err != nil {
			t.Fatalf("add delivery: %v", err)
		}
		claimed := w.claimOne(t, press)
		read, _, err := w.store.Delivery(t.Context(), acme, sent.ID)
		if err != nil || claimed.Event.Reference != want || read.Event.Reference != want {
			t.Errorf("references of %q: claimed %q, read %q, %v; want %q", subject, claimed.Event.Reference, read.Event.Reference, err, want)
		}
		w.conclude(t, w.answered(claimed, webhook.NoFault))
	}
}

func (w *fixture) deliveryID(t testing.TB) string {
	t.Helper()
	id, err := recordid.New(webhook.DeliveryPrefix, w.clock.Now(), rand.Reader)
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	return id
}

// send adds n deliveries, each one second younger than the previous one.
func (w *fixture) send(t testing.TB, to webhook.Address, n int) []webhook.Delivery {
	t.Helper()
	var sent []webhook.Delivery
	for range n {
		delivery := w.delivery(t, to)
		if err := w.store.AddDelivery(t.Context(), delivery); err != nil {
			t.Fatalf("add delivery: %v", err)
		}
		sent = append(sent, delivery)
		w.clock.advance(time.Second)
	}
	return sent
}

func (w *fixture) claim(t testing.TB, lanes ...webhook.Lane) []webhook.Claim {
	t.Helper()
	claims, err := w.store.Claim(t.Context(), lanes, 100, w.clock.Now(), lease)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return claims
}

func lane(address webhook.Address, most int) webhook.Lane {
	return webhook.Lane{Address: address, Most: most}
}

// claimOne claims the only delivery that is due.
func (w *fixture) claimOne(t testing.TB, address webhook.Address) webhook.Claim {
	t.Helper()
	claims := w.claim(t, lane(address, 10))
	if len(claims) != 1 {
		t.Fatalf("%d claims, want 1", len(claims))
	}
	return claims[0]
}

// answered returns the result of a claim whose attempt ends now: delivered, or retried in
// an hour.
func (w *fixture) answered(claim webhook.Claim, fault webhook.Fault) webhook.Result {
	now := w.clock.Now()
	result := webhook.Result{Claim: claim, Attempt: webhook.Attempt{At: now, Took: 1500 * time.Microsecond, Fault: fault}}
	if fault == webhook.NoFault {
		result.State, result.EndedAt, result.Attempt.Status = webhook.Delivered, now, 204
	} else {
		result.State, result.DueAt, result.Attempt.Status = webhook.Pending, now.Add(time.Hour), 500
	}
	return result
}

// exhausted returns the result of the last attempt of a claim.
func (w *fixture) exhausted(claim webhook.Claim) webhook.Result {
	result := w.answered(claim, webhook.FaultTimeout)
	result.State, result.DueAt, result.EndedAt = webhook.Exhausted, time.Time{}, w.clock.Now()
	return result
}

func (w *fixture) conclude(t testing.TB, results ...webhook.Result) []webhook.Standing {
	t.Helper()
	disabled, err := w.store.Record(t.Context(), results, w.clock.Now())
	if err != nil {
		t.Fatalf("record: %v", err)
	}
	return disabled
}

func (w *fixture) standing(t testing.TB, address webhook.Address) webhook.Standing {
	t.Helper()
	standings, err := w.store.Standings(t.Context(), address.Owner)
	if err != nil {
		t.Fatalf("standings: %v", err)
	}
	for _, standing := range standings {
		if standing.Address == address {
			return standing
		}
	}
	t.Fatalf("%s is not enrolled", address.Name)
	return webhook.Standing{}
}

func (w *fixture) deliveries(t testing.TB, query webhook.Query) []webhook.Delivery {
	t.Helper()
	query.Limit = cmp.Or(query.Limit, 1000)
	list, err := w.store.Deliveries(t.Context(), query)
	if err != nil {
		t.Fatalf("deliveries: %v", err)
	}
	return list
}

func (w *fixture) readDelivery(t testing.TB, id string) (webhook.Delivery, []webhook.Attempt) {
	t.Helper()
	delivery, attempts, err := w.store.Delivery(t.Context(), acme, id)
	if err != nil {
		t.Fatalf("delivery: %v", err)
	}
	return delivery, attempts
}

func idsOf[T any](items []T, id func(T) string) []string {
	ids := []string{}
	for _, item := range items {
		ids = append(ids, id(item))
	}
	return ids
}

func ofDelivery(d webhook.Delivery) string { return d.ID }
func ofClaim(c webhook.Claim) string       { return c.ID }

// wantRelayed checks the position up to which the outbox is relayed.
func (w *fixture) wantRelayed(t testing.TB, want int64) {
	t.Helper()
	if got, err := w.store.Relayed(t.Context()); err != nil || got != want {
		t.Errorf("relayed up to %d (%v), want %d", got, err, want)
	}
}

func relayBegins(t *testing.T, w *fixture) {
	w.create(t, acme, "committed")
	relayed, err := w.store.Relayed(t.Context())
	if err != nil {
		t.Fatalf("w.store.Relayed: %v", err)
	}
	if entries, err := w.store.Events(t.Context(), relayed, 10); err != nil || len(entries) != 1 {
		t.Errorf("%d events to relay (%v), want 1", len(entries), err)
	}
}

func relayOnce(t *testing.T, w *fixture) {
	relay := func(from, to int64, want bool, deliveries ...webhook.Delivery) {
		t.Helper()
		if got, err := w.store.Relay(t.Context(), from, to, deliveries); got != want || err != nil {
			t.Errorf("relay from %d to %d = %t (%v), want %t", from, to, got, err, want)
		}
	}
	first, second := w.delivery(t, press), w.delivery(t, press)
	relay(0, 3, true, first)
	relay(0, 5, false, second)
	relay(4, 5, false, second)
	w.wantRelayed(t, 3)
	wantEqual(t, "deliveries", []webhook.Delivery{first}, w.deliveries(t, webhook.Query{Owner: acme}))
	again := first
	again.ID = w.deliveryID(t)
	relay(3, 4, true, again, second)
	relay(4, 9, true)
	w.wantRelayed(t, 9)
	want := []string{first.ID, second.ID}
	got := idsOf(w.deliveries(t, webhook.Query{Owner: acme}), ofDelivery)
	slices.Sort(want)
	slices.Sort(got)
	wantEqual(t, "deliveries", want, got)
}

func relayRace(t *testing.T, w *fixture) {
	const processes, events = 6, 20
	var due []transaction.Event
	for range events {
		due = append(due, w.delivery(t, press).Event)
	}
	relays := 0
	for i, end := range concurrently(processes, func(int) (end struct {
		relayed bool
		err     error
	},
	) {
		var deliveries []webhook.Delivery
		for _, event := range due {
			delivery := w.delivery(t, press)
			delivery.Event = event
			deliveries = append(deliveries, delivery)
		}
		end.relayed, end.err = w.store.Relay(t.Context(), 0, events, deliveries)
		return end
	}) {
		if end.err != nil {
			t.Errorf("process %d: %v", i, end.err)
		}
		if end.relayed {
			relays++
		}
	}
	if got := len(w.deliveries(t, webhook.Query{Owner: acme})); relays != 1 || got != events {
		t.Errorf("%d processes relayed %d deliveries, want 1 and %d", relays, got, events)
	}
}

func deliveryReadsBack(t *testing.T, w *fixture) {
	sent := w.send(t, press, 1)[0]
	for range 2 { // the store ignores the second call
		again := sent
		again.ID = w.deliveryID(t)
		if err := w.store.AddDelivery(t.Context(), again); err != nil {
			t.Fatalf("w.store.AddDelivery: %v", err)
		}
	}
	elsewhere := sent
	elsewhere.ID, elsewhere.Address = w.deliveryID(t), ship
	if err := w.store.AddDelivery(t.Context(), elsewhere); err != nil {
		t.Fatalf("w.store.AddDelivery: %v", err)
	}
	got, attempts := w.readDelivery(t, sent.ID)
	wantEqual(t, "delivery", sent, got)
	wantEqual(t, "attempts", []webhook.Attempt{}, attempts)
	wantEqual(t, "all", []webhook.Delivery{elsewhere, sent}, w.deliveries(t, webhook.Query{Owner: acme}))
}

func enrolled(t *testing.T, w *fixture) {
	begun := w.clock.Now()
	w.enroll(t, ship, press)
	w.enroll(t)
	sent := w.send(t, press, 2)
	w.conclude(t, w.answered(w.claim(t, lane(press, 1))[0], webhook.FaultGone))
	w.clock.advance(time.Hour)
	w.enroll(t, press, ship)
	known := webhook.Standing{Address: press, URL: endpoint(press).URL, EnrolledAt: begun, BegunAt: begun, Waiting: 2, OldestAt: sent[0].Event.At}
	gone := known
	gone.Disabled, gone.DisabledAt, gone.FailingSince = webhook.Gone, begun.Add(2*time.Second), begun.Add(2*time.Second)
	gone.Breaker.Failures = 1
	wantEqual(t, "with the same url", gone, w.standing(t, press))

	moved := endpoint(press)
	moved.URL = "https://elsewhere.example.com/"
	if err := w.store.Enroll(t.Context(), []webhook.Endpoint{endpoint(ship), moved}, w.clock.Now()); err != nil {
		t.Fatalf("w.store.Enroll: %v", err)
	}
	known.URL, known.BegunAt = moved.URL, w.clock.Now()
	wantEqual(t, "with another url", known, w.standing(t, press))
	wantEqual(t, "the other endpoint", webhook.Standing{Address: ship, URL: endpoint(ship).URL, EnrolledAt: begun, BegunAt: begun}, w.standing(t, ship))

	w.enroll(t, webhook.Address{Owner: stark, Name: "press"})
	all, err := w.store.Standings(t.Context(), tenant.ID{})
	if err != nil {
		t.Fatalf("w.store.Standings: %v", err)
	}
	wantEqual(t, "of all, by address", []string{"org_acme01/live press", "org_acme01/live ship", "org_stark1/live press"},
		idsOf(all, func(s webhook.Standing) string { return s.Owner.String() + " " + s.Name }))
	want := map[webhook.Address]time.Time{}
	for _, one := range all {
		want[one.Address] = one.EnrolledAt
	}
	enrolled, err := w.store.Enrolled(t.Context())
	if err != nil {
		t.Fatalf("w.store.Enrolled: %v", err)
	}
	wantEqual(t, "the enrolments of all", want, enrolled)
}

func redelivered(t *testing.T, w *fixture) {
	w.enroll(t, press)
	for state, end := range map[webhook.State]func(webhook.Claim) webhook.Result{
		webhook.Delivered: func(c webhook.Claim) webhook.Result { return w.answered(c, webhook.NoFault) },
		webhook.Exhausted: w.exhausted,
		webhook.Pending:   func(c webhook.Claim) webhook.Result { return w.answered(c, webhook.FaultStatus) },
	} {
		sent := w.send(t, press, 1)[0]
		w.conclude(t, end(w.claimOne(t, press)))
		if got, _ := w.readDelivery(t, sent.ID); got.State != state {
			t.Fatalf("state %q, want %q", got.State, state)
		}
		w.clock.advance(time.Minute)
		want := sent
		want.DueAt, want.Attempts = w.clock.Now(), 1
		got, err := w.store.Redeliver(t.Context(), acme, sent.ID, w.clock.Now())
		if err != nil {
			t.Fatalf("w.store.Redeliver: %v", err)
		}
		wantEqual(t, string(state), want, got)
		result := w.answered(w.claimOne(t, press), webhook.NoFault)
		w.conclude(t, result)
		got, attempts := w.readDelivery(t, sent.ID)
		if got.Attempts != 2 || got.Tries != 1 || len(attempts) != 2 || attempts[1].Number != 2 {
			t.Errorf("%s: %+v with %d attempts, want two, of which one is a new try", state, got, len(attempts))
		}
	}
}

// recoverAll calls Recover until it recovers nothing, and returns the result of each call.
func (w *fixture) recoverAll(t testing.TB, to webhook.Endpoint, since time.Time, limit int) []int {
	t.Helper()
	var counts []int
	for range 20 {
		n, err := w.store.Recover(t.Context(), to, since, w.clock.Now(), limit, func() (string, error) {
			return recordid.New(webhook.DeliveryPrefix, w.clock.Now(), rand.Reader)
		})
		if err != nil {
			t.Fatalf("recover: %v", err)
		}
		if counts = append(counts, n); n < limit {
			return counts
		}
	}
	t.Fatalf("no end: %v", counts)
	return nil
}

func recoveredInPortions(t *testing.T, w *fixture) {
	w.enroll(t, press, ship)
	sent := w.send(t, press, 6)
	for _, claim := range append(w.claim(t, lane(press, 5)), w.claim(t, lane(ship, 5))...) {
		w.conclude(t, w.exhausted(claim))
	}
	w.clock.advance(time.Hour)
	want := func(when string, want ...webhook.Delivery) {
		t.Helper()
		got := w.deliveries(t, webhook.Query{Owner: acme, State: webhook.Pending})
		slices.Reverse(got)
		wantEqual(t, when, idsOf(want, ofDelivery), idsOf(got, ofDelivery))
	}
	if n, err := w.store.Recover(t.Context(), endpoint(press), sent[1].Event.At, w.clock.Now(), 2, nil); n != 2 || err != nil {
		t.Errorf("recovered %d (%v), want 2", n, err)
	}
	want("after a portion", sent[1], sent[2], sent[5])
	wantEqual(t, "portions that follow", []int{2, 0}, w.recoverAll(t, endpoint(press), sent[1].Event.At, 2))
	want("in the end", sent[1:]...)
	got, attempts := w.readDelivery(t, sent[1].ID)
	if got.DueAt != w.clock.Now() || got.Tries != 0 || got.Attempts != 1 || !got.EndedAt.IsZero() || len(attempts) != 1 {
		t.Errorf("recovered: %+v with %d attempts", got, len(attempts))
	}
	if _, err := w.store.Recover(t.Context(), endpoint(webhook.Address{Owner: acme, Name: "other"}), sent[0].Event.At, w.clock.Now(), 2, nil); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("recover for an endpoint that is not enrolled: error = %v, want ErrNotFound", err)
	}
}

func recoveredFromOutbox(t *testing.T, w *fixture) {
	start := w.clock.Now()
	w.enroll(t, press)
	w.create(t, acme, "too old")
	w.clock.advance(time.Minute)
	since := w.clock.Now()
	w.create(t, stark, "another tenant's")
	quoted := w.create(t, acme, "quoted")
	w.clock.advance(time.Second)
	w.quote(t, quoted.ID, "s1", "205.00")
	w.clock.advance(time.Second)
	had := w.create(t, acme, "had")
	w.clock.advance(time.Second)
	entries := w.events(t)
	w.create(t, acme, "not relayed")
	if relayed, err := w.store.Relay(t.Context(), 0, entries[len(entries)-1].Seq, nil); err != nil || !relayed {
		t.Fatalf("relay = %t, %v", relayed, err)
	}
	for _, entry := range entries {
		if entry.Event.Subject == had.ID {
			delivery := w.delivery(t, press)
			delivery.Event = entry.Event
			if err := w.store.AddDelivery(t.Context(), delivery); err != nil {
				t.Fatalf("w.store.AddDelivery: %v", err)
			}
		}
	}
	subjects := func() []string {
		var delivered []string
		for _, delivery := range w.deliveries(t, webhook.Query{Owner: acme}) {
			if !recordid.Valid(webhook.DeliveryPrefix, delivery.ID) || delivery.State != webhook.Pending || delivery.DueAt.Before(since) {
				t.Errorf("delivery %+v, want a complete one that is due", delivery)
			}
			delivered = append(delivered, string(delivery.Event.Type)+" "+delivery.Event.Subject)
		}
		slices.Sort(delivered)
		return delivered
	}
	choosy := endpoint(press)
	choosy.Events = []transaction.EventType{transaction.RFQQuoted, transaction.RFQClosed}
	wantEqual(t, "with a filter of types", []int{1, 0}, w.recoverAll(t, choosy, since, 1))
	before := []string{"rfq.created " + had.ID, "rfq.quoted " + quoted.ID}
	slices.Sort(before)
	wantEqual(t, "with a filter of types", before, subjects())
	wantEqual(t, "all", []int{1, 0}, w.recoverAll(t, endpoint(press), since, 1))
	wantEqual(t, "all since", 3, len(subjects()))
	wantEqual(t, "older ones", []int{1}, w.recoverAll(t, endpoint(press), start, 5))
	failing := errors.New("no entropy")
	all := w.events(t)
	if relayed, err := w.store.Relay(t.Context(), entries[len(entries)-1].Seq, all[len(all)-1].Seq, nil); err != nil || !relayed {
		t.Fatalf("relay = %t, %v", relayed, err)
	}
	if _, err := w.store.Recover(t.Context(), endpoint(press), since, w.clock.Now(), 5, func() (string, error) { return "", failing }); !errors.Is(err, failing) {
		t.Errorf("without ids: error = %v, want that of the source", err)
	}
	wantEqual(t, "after a failure", 4, len(subjects()))
}

func deliveriesCounted(t *testing.T, w *fixture) {
	w.enroll(t, press, ship)
	hour := w.clock.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	w.clock.advance(hour.Sub(w.clock.Now()))
	sent := w.send(t, press, 3) // at 0 s, 1 s and 2 s of the hour
	w.send(t, ship, 2)
	claims := w.claim(t, lane(press, 2))
	w.conclude(t, w.answered(claims[0], webhook.NoFault), w.exhausted(claims[1]))
	w.clock.advance(time.Hour)
	if _, err := w.store.Redeliver(t.Context(), acme, claims[1].ID, w.clock.Now()); err != nil {
		t.Fatalf("w.store.Redeliver: %v", err)
	}
	for _, claim := range w.claim(t, lane(press, 10)) {
		w.conclude(t, w.answered(claim, webhook.NoFault))
	}
	w.send(t, press, 1)
	next := hour.Add(time.Hour)
	for name, tc := range map[string]struct {
		address webhook.Address
		since   time.Time
		limit   int
		want    webhook.Activity
	}{
		"all":                        {press, hour, 100, webhook.Activity{Since: hour, Hours: []webhook.Hour{{At: hour, Succeeded: 1, Failed: 1}, {At: next, Succeeded: 2, Pending: 1}}}},
		"the other endpoint":         {ship, hour, 100, webhook.Activity{Since: hour, Hours: []webhook.Hour{{At: hour, Pending: 2}}}},
		"an unknown endpoint":        {webhook.Address{Owner: acme, Name: "none"}, hour, 100, webhook.Activity{Since: hour, Hours: []webhook.Hour{}}},
		"another organization":       {webhook.Address{Owner: stark, Name: "press"}, hour, 100, webhook.Activity{Since: hour, Hours: []webhook.Hour{}}},
		"since the newest delivery":  {press, next, 100, webhook.Activity{Since: next, Hours: []webhook.Hour{{At: next, Pending: 1}}}},
		"since a later time":         {press, next.Add(time.Hour), 100, webhook.Activity{Since: next.Add(time.Hour), Hours: []webhook.Hour{}}},
		"only the newest deliveries": {press, hour, 3, webhook.Activity{Since: sent[2].CreatedAt.UTC(), Hours: []webhook.Hour{{At: next, Pending: 1}}}},
	} {
		got, err := w.store.Activity(t.Context(), tc.address, tc.since, tc.limit)
		if err != nil {
			t.Fatalf("%s: w.store.Activity: %v", name, err)
		}
		got.Since = got.Since.UTC()
		wantEqual(t, name, tc.want, got)
	}
}

func deliveriesListed(t *testing.T, w *fixture) {
	w.enroll(t, press, ship)
	sent := append(w.send(t, press, 4), w.send(t, ship, 3)...)
	w.conclude(t, w.exhausted(w.claim(t, lane(press, 1))[0]), w.answered(w.claim(t, lane(ship, 1))[0], webhook.NoFault))
	test := w.delivery(t, ship)
	test.Event.Type, test.Event.Subject = webhook.TestEvent, ""
	if err := w.store.AddDelivery(t.Context(), test); err != nil {
		t.Fatalf("w.store.AddDelivery: %v", err)
	}
	sent = append(sent, test)
	slices.Reverse(sent)
	newest := idsOf(sent, ofDelivery)
	for name, tc := range map[string]struct {
		query webhook.Query
		want  []string
	}{
		"all":                        {webhook.Query{}, newest},
		"a page":                     {webhook.Query{Limit: 3}, newest[:3]},
		"the page behind it":         {webhook.Query{Limit: 3, Before: newest[2]}, newest[3:6]},
		"behind the last":            {webhook.Query{Before: newest[7]}, nil},
		"of an endpoint":             {webhook.Query{Endpoint: "press"}, newest[4:]},
		"of a type":                  {webhook.Query{Type: webhook.TestEvent}, newest[:1]},
		"exhausted":                  {webhook.Query{State: webhook.Exhausted}, newest[7:]},
		"delivered":                  {webhook.Query{State: webhook.Delivered}, newest[3:4]},
		"pending at an endpoint":     {webhook.Query{State: webhook.Pending, Endpoint: "press"}, newest[4:7]},
		"exhausted at the other one": {webhook.Query{State: webhook.Exhausted, Endpoint: "ship"}, nil},
		"of no state":                {webhook.Query{State: "lost"}, nil},
	} {
		tc.query.Owner = acme
		wantEqual(t, name, append([]string{}, tc.want...), idsOf(w.deliveries(t, tc.query), ofDelivery))
	}
}

func deliveriesOfStrangers(t *testing.T, w *fixture) {
	w.enroll(t, press)
	sent := w.send(t, press, 1)[0]
	w.conclude(t, w.exhausted(w.claimOne(t, press)))
	want, _ := w.readDelivery(t, sent.ID)
	for _, stranger := range strangers {
		w.enroll(t, webhook.Address{Owner: stranger, Name: press.Name})
		if list := w.deliveries(t, webhook.Query{Owner: stranger}); len(list) != 0 {
			t.Errorf("%s lists %v", stranger, list)
		}
		if _, _, err := w.store.Delivery(t.Context(), stranger, sent.ID); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s reads: error = %v, want ErrNotFound", stranger, err)
		}
		if _, err := w.store.Redeliver(t.Context(), stranger, sent.ID, w.clock.Now()); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s redelivers: error = %v, want ErrNotFound", stranger, err)
		}
		theirs := endpoint(webhook.Address{Owner: stranger, Name: press.Name})
		wantEqual(t, stranger.String()+" recovers", []int{0}, w.recoverAll(t, theirs, sent.Event.At, 5))
		if standings, err := w.store.Standings(t.Context(), stranger); err != nil || len(standings) != 1 || standings[0].Waiting != 0 {
			t.Errorf("standings of %s: %+v, %v", stranger, standings, err)
		}
	}
	got, _ := w.readDelivery(t, sent.ID)
	wantEqual(t, "delivery", want, got)
}

func webhooksPurged(t *testing.T, w *fixture) {
	w.enroll(t, press)
	first := w.send(t, press, 5) // without an event in the outbox
	w.conclude(t, w.answered(w.claim(t, lane(press, 1))[0], webhook.NoFault))
	history := w.create(t, acme, "an RFQ whose history is kept")
	cancelJob := func() preflightjob.Job {
		t.Helper()
		job := w.submit(t, acme)
		if _, err := w.jobs.Cancel(t.Context(), acme, job.ID); err != nil {
			t.Fatalf("w.jobs.Cancel(%s): %v", job.ID, err)
		}
		return job
	}
	for range 4 {
		cancelJob()
		w.clock.advance(time.Second)
	}
	w.events(t) // numbers the entries that exist now
	cancelJob()
	w.clock.advance(time.Second)
	bound := w.clock.Now()
	kept := cancelJob()
	last := w.send(t, press, 1)
	purge := func(before time.Time) int {
		t.Helper()
		n, err := w.store.PurgeWebhooks(t.Context(), before, 3)
		if err != nil {
			t.Fatalf("purge: %v", err)
		}
		return n
	}
	wantEqual(t, "nothing is as old as the first", 0, purge(first[0].CreatedAt))
	wantEqual(t, "a millisecond later one delivery is", 1, purge(first[0].CreatedAt.Add(time.Millisecond)))
	if _, _, err := w.store.Delivery(t.Context(), acme, first[0].ID); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("the first: error = %v, want ErrNotFound", err)
	}
	wantEqual(t, "in portions", []int{6, 3, 0}, []int{purge(bound), purge(bound), purge(bound)})
	wantEqual(t, "deliveries that are left", last, w.deliveries(t, webhook.Query{Owner: acme}))
	entries := w.events(t)
	if len(entries) != 2 || entries[0].Event.Subject != history.ID || entries[1].Event.Subject != kept.ID {
		t.Fatalf("events that are left: %+v, want those of %s and %s", entries, history.ID, kept.ID)
	}
	next := w.create(t, acme, "next")
	after, err := w.store.Events(t.Context(), entries[1].Seq, 10)
	if err != nil || len(after) != 1 || after[0].Event.Subject != next.ID {
		t.Errorf("events that follow: %+v (%v), want that of %s", after, err, next.ID)
	}
}

func webhookUnknownCommit(t *testing.T, w *fixture) {
	faulty := NewFaulty(w.store)
	w.enroll(t, press)
	delivery := w.delivery(t, press)
	away := (*transaction.UnavailableError)(nil)
	faulty.Set(Unknown)
	if _, err := faulty.Relay(t.Context(), 0, 7, []webhook.Delivery{delivery}); !errors.As(err, &away) {
		t.Fatalf("relay: error = %v, want UnavailableError", err)
	}
	claim := w.claimOne(t, press)
	result := w.answered(claim, webhook.NoFault)
	if _, err := faulty.Record(t.Context(), []webhook.Result{result}, w.clock.Now()); !errors.As(err, &away) {
		t.Fatalf("record: error = %v, want UnavailableError", err)
	}
	faulty.Set(None)
	again := delivery
	again.ID = w.deliveryID(t)
	if relayed, err := faulty.Relay(t.Context(), 0, 7, []webhook.Delivery{again}); relayed || err != nil {
		t.Errorf("relay again = %t, %v; want false", relayed, err)
	}
	w.conclude(t, result)
	if got, attempts := w.readDelivery(t, delivery.ID); got.State != webhook.Delivered || len(attempts) != 1 {
		t.Errorf("%+v with %d attempts, want it delivered in one", got, len(attempts))
	}
	w.wantRelayed(t, 7)
}
