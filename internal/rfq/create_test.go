// SPDX-License-Identifier: Apache-2.0

package rfq_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestADraftBecomesAnOpenRFQ(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// The clock has microseconds and a local time zone; records store UTC milliseconds.
	b.now = nine.Add(123456 * time.Microsecond).Local()
	created, err := b.Create(t.Context(), acme, flyers(), termsOf("k1", "flyers"))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	at := nine.Add(123 * time.Millisecond)
	want := rfq.RFQ{
		ID: created.RFQ.ID, Tenant: acme, TrackingCode: created.RFQ.TrackingCode, Draft: flyers(),
		Product: rfq.Product{UID: "print:flyers:a5", Name: "Flyer A5", Group: "commercial-print", CatalogID: "sha256:shelf"},
		Status:  rfq.Open, Version: 1,
		ResponseDeadline: at.Add(rfq.ResponseTime), ExpiresAt: at.Add(rfq.Lifetime), CreatedAt: at, UpdatedAt: at,
	}
	if diff := cmp.Diff(rfq.Created{RFQ: want}, created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if !recordid.Valid(recordid.RFQ, created.RFQ.ID) {
		t.Errorf("id = %q, want a valid RFQ id", created.RFQ.ID)
	}
	terms := b.store.terms[0]
	if terms.Tenant != acme || terms.Operation != transaction.CreateRFQ || terms.Idempotency.Key != "k1" || *terms.Quota != daily || !terms.Now.Equal(at) {
		t.Errorf("terms = %+v, want those of %s with the key k1 at %s", terms, acme, at)
	}
	if len(terms.Events) != 1 || terms.Events[0].Type != transaction.RFQCreated || terms.Events[0].Subject != created.RFQ.ID {
		t.Errorf("events = %+v, want one %s for %s", terms.Events, transaction.RFQCreated, created.RFQ.ID)
	}
}

func TestEveryInvalidMemberOfADraftIsReported(t *testing.T) {
	t.Parallel()
	with := func(change func(*rfq.Draft)) rfq.Draft { d := flyers(); change(&d); return d }
	tests := map[string]struct {
		draft rfq.Draft
		want  []string
	}{
		"a valid draft": {flyers(), nil},
		"an empty draft": {rfq.Draft{}, []string{
			"#/catalogProductUid", "#/title", "#/category", "#/quantity", "#/deliveryCity",
		}},
		"the longest title":           {with(func(d *rfq.Draft) { d.Title = strings.Repeat("ż", 200) }), nil},
		"a title of 201 characters":   {with(func(d *rfq.Draft) { d.Title = strings.Repeat("a", 201) }), []string{"#/title"}},
		"a title of white space":      {with(func(d *rfq.Draft) { d.Title = " \u00a0" }), []string{"#/title"}},
		"a title with a line break":   {with(func(d *rfq.Draft) { d.Title = "a\nb" }), []string{"#/title"}},
		"a title that is not UTF-8":   {with(func(d *rfq.Draft) { d.Title = "a\xff" }), []string{"#/title"}},
		"the longest city":            {with(func(d *rfq.Draft) { d.DeliveryCity = strings.Repeat("京", 120) }), nil},
		"a city of 121 characters":    {with(func(d *rfq.Draft) { d.DeliveryCity = strings.Repeat("京", 121) }), []string{"#/deliveryCity"}},
		"a quantity of one":           {with(func(d *rfq.Draft) { d.Quantity = 1 }), nil},
		"the largest quantity":        {with(func(d *rfq.Draft) { d.Quantity = 10_000_000 }), nil},
		"a quantity of zero":          {with(func(d *rfq.Draft) { d.Quantity = 0 }), []string{"#/quantity"}},
		"a negative quantity":         {with(func(d *rfq.Draft) { d.Quantity = -1 }), []string{"#/quantity"}},
		"a quantity too large":        {with(func(d *rfq.Draft) { d.Quantity = 10_000_001 }), []string{"#/quantity"}},
		"a long unknown uid":          {with(func(d *rfq.Draft) { d.CatalogProductUID = strings.Repeat("u", 128) }), []string{"#/catalogProductUid"}},
		"a uid too long":              {with(func(d *rfq.Draft) { d.CatalogProductUID = strings.Repeat("u", 129) }), []string{"#/catalogProductUid"}},
		"an unknown product":          {with(func(d *rfq.Draft) { d.CatalogProductUID = "print:flyers:a9" }), []string{"#/catalogProductUid"}},
		"a product in another case":   {with(func(d *rfq.Draft) { d.CatalogProductUID = "print:flyers:A5" }), []string{"#/catalogProductUid"}},
		"an unknown category":         {with(func(d *rfq.Draft) { d.Category = "commercial" }), []string{"#/category"}},
		"a category with white space": {with(func(d *rfq.Draft) { d.Category = "commercial-print " }), []string{"#/category"}},
		"another product's category":  {with(func(d *rfq.Draft) { d.Category = "large-format" }), []string{"#/category"}},
		"an unknown product and category": {with(func(d *rfq.Draft) { d.CatalogProductUID, d.Category = "x", "y" }), []string{
			"#/catalogProductUid", "#/category",
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			_, err := b.Create(t.Context(), acme, tc.draft, termsOf("", ""))
			var got []string
			var invalid *rfq.ValidationError
			if errors.As(err, &invalid) {
				for _, v := range invalid.Violations {
					if got = append(got, v.Pointer); v.Detail == "" || !strings.Contains(err.Error(), v.Detail) {
						t.Errorf("%s has the detail %q in %q", v.Pointer, v.Detail, err)
					}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.want == nil) {
				t.Errorf("error = %v; pointers (-want +got):\n%s", err, diff)
			}
			if wrote := len(b.store.rfqs) == 1; wrote != (tc.want == nil) {
				t.Errorf("draft was stored: %t, want %t (error = %v)", wrote, tc.want == nil, err)
			}
		})
	}
}

// Create checks in this order: idempotency key, draft, catalog, quota and write.
func TestErrorsAreReportedInOrder(t *testing.T) {
	t.Parallel()
	invalid := rfq.Draft{Quantity: -1}
	away := errors.New("catalog is being reloaded")
	refused := func(_ rfq.Created, err error) bool { return is[*rfq.ValidationError](err) }
	tests := map[string]struct {
		draft   rfq.Draft
		terms   rfq.Terms
		catalog error
		store   error
		check   func(rfq.Created, error) bool
	}{
		"a committed key replays while the catalog is unavailable": {flyers(), termsOf("k1", "flyers"), away, nil, func(c rfq.Created, err error) bool {
			return err == nil && c.Replayed
		}},
		"a committed key with another body is rejected before the draft is validated": {invalid, termsOf("k1", "other"), nil, nil, func(_ rfq.Created, err error) bool {
			return errors.Is(err, transaction.ErrKeyReused)
		}},
		"a committed key with another body is rejected before the catalog is read": {flyers(), termsOf("k1", "other"), away, nil, func(_ rfq.Created, err error) bool {
			return errors.Is(err, transaction.ErrKeyReused)
		}},
		"the draft is validated before the catalog is read": {invalid, termsOf("k2", "other"), away, nil, refused},
		"the catalog is read before the write": {flyers(), termsOf("k2", "other"), away, nil, func(_ rfq.Created, err error) bool {
			return errors.Is(err, rfq.ErrCatalogUnavailable) && errors.Is(err, away)
		}},
		"without a key, an invalid draft is rejected without the store": {invalid, termsOf("", ""), nil, errAway, refused},
		"while the store is unavailable, the error does not reveal whether the key was used": {invalid, termsOf("k1", "other"), nil, errAway, func(_ rfq.Created, err error) bool {
			return errors.Is(err, errAway)
		}},
		"while the store is unavailable, a valid draft fails": {flyers(), termsOf("k3", "flyers"), nil, errAway, func(_ rfq.Created, err error) bool {
			return errors.Is(err, errAway)
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if _, err := b.Create(t.Context(), acme, flyers(), termsOf("k1", "flyers")); err != nil {
				t.Fatalf("Create: %v", err)
			}
			b.catalogErr, b.store.err = tc.catalog, tc.store
			if created, err := b.Create(t.Context(), acme, tc.draft, tc.terms); !tc.check(created, err) {
				t.Errorf("created = %+v, error = %v", created, err)
			}
			if len(b.store.rfqs) != 1 {
				t.Errorf("%d rfqs are stored, want only the first", len(b.store.rfqs))
			}
		})
	}
}

func TestReplayReturnsTheOriginalResponseAfterChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, err := b.Create(t.Context(), acme, flyers(), termsOf("k1", "flyers"))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	b.now = nine.Add(time.Hour)
	if _, err := b.SubmitQuote(t.Context(), acme, first.RFQ.ID, anOffer(t, b.now), rfq.Instruction{}); err != nil {
		t.Fatalf("SubmitQuote(%q): %v", first.RFQ.ID, err)
	}
	b.now = nine.Add(2 * rfq.Lifetime)
	again, err := b.Create(t.Context(), acme, flyers(), termsOf("k1", "flyers"))
	if err != nil || !again.Replayed {
		t.Fatalf("replayed = %t, %v", again.Replayed, err)
	}
	if diff := cmp.Diff(first.RFQ, again.RFQ); diff != "" {
		t.Errorf("replay (-first +again):\n%s", diff)
	}
}

func TestReplayFindsACommittedKeyWithoutABody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	created, err := b.Create(t.Context(), acme, flyers(), termsOf("k1", "flyers"))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	if got, found, err := b.Replay(t.Context(), acme, termsOf("k1", "flyers").Idempotency); !found || err != nil || got.ID != created.RFQ.ID {
		t.Errorf("Replay of the committed key = %s, %t, %v; want the RFQ", got.ID, found, err)
	}
	if _, found, err := b.Replay(t.Context(), acme, termsOf("k1", "x").Idempotency); found || !errors.Is(err, transaction.ErrKeyReused) {
		t.Errorf("Replay with another body = %t, %v; want ErrKeyReused", found, err)
	}
	if _, found, err := b.Replay(t.Context(), acme, termsOf("k2", "flyers").Idempotency); found || err != nil {
		t.Errorf("Replay of an unused key = %t, %v; want false", found, err)
	}
	calls := b.store.calls
	if _, found, err := b.Replay(t.Context(), acme, transaction.Idempotency{}); found || err != nil || b.store.calls != calls {
		t.Errorf("Replay without a key = %t, %v after %d store calls; want false without a call", found, err, b.store.calls-calls)
	}
}

func TestCreateRequiresATenantAndAQuotaWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.Create(t.Context(), acme, flyers(), rfq.Terms{}); err == nil {
		t.Error("a quota without a window was accepted")
	}
	if _, err := b.Create(t.Context(), tenant.ID{}, flyers(), termsOf("", "")); err == nil {
		t.Error("the zero tenant was accepted")
	}
	if b.store.calls != 0 {
		t.Error("the store was called")
	}
}

func TestSimulatorAcceptsOnlyTestKeys(t *testing.T) {
	t.Parallel()
	created := func(err error) bool { return err == nil }
	tests := map[string]func(error) bool{
		"sim:rfq:invalid":             is[*rfq.ValidationError],
		"sim:rfq:catalog-unavailable": func(err error) bool { return errors.Is(err, rfq.ErrCatalogUnavailable) },
		"sim:rfq:quota-exceeded": func(err error) bool {
			exceeded, found := errors.AsType[*transaction.QuotaExceededError](err)
			return found && exceeded.Quota == daily && exceeded.RetryAfter == 15*time.Hour
		},
		"sim:rfq:quoted":           created,
		"sim:rfq:closed":           created,
		"sim:rfq:awarded":          created,
		"sim:rfq:expired":          created,
		"sim:rfq:cancelled":        created,
		"sim:rfq:quote-superseded": created,
		"sim:rfq:quote-withdrawn":  created,
		"sim:rfq:quote-expired":    created,
		"sim:rfq:unknown":          is[*rfq.ValidationError],
	}
	for uid, check := range tests {
		t.Run(uid, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			draft := flyers()
			draft.CatalogProductUID = uid
			if _, err := b.Create(t.Context(), acmeTest, draft, termsOf("k1", uid)); !check(err) {
				t.Errorf("with a test key: error = %v", err)
			}
			var unknown *rfq.ValidationError
			if _, err := b.Create(t.Context(), acme, draft, termsOf("k2", uid)); !errors.As(err, &unknown) || unknown.Violations[0].Pointer != "#/catalogProductUid" {
				t.Errorf("with a live key: error = %v, want an unknown product", err)
			}
		})
	}
	for _, uid := range rfq.SimulatorUIDs() {
		if tests[uid] == nil {
			t.Errorf("%s has no test", uid)
		}
	}
}

func TestReplayReturnsTheSimulatedStateOfTheCreation(t *testing.T) {
	t.Parallel()
	for _, uid := range rfq.SimulatorUIDs() {
		b := newBench(t)
		draft := flyers()
		draft.CatalogProductUID = uid
		first, err := b.Create(t.Context(), acmeTest, draft, termsOf("k1", uid))
		if err != nil {
			continue // a simulated refusal, which is not stored
		}
		again, err := b.Create(t.Context(), acmeTest, draft, termsOf("k1", uid))
		if err != nil || !again.Replayed {
			t.Fatalf("%s: repeated Create: %+v, %v, want a replay", uid, again, err)
		}
		if diff := cmp.Diff(first.RFQ, again.RFQ); diff != "" {
			t.Errorf("%s: replayed RFQ (-first +replayed):\n%s", uid, diff)
		}
	}
}

func TestSimulatedQuotesAreDeterministicAndNeedNoCatalog(t *testing.T) {
	t.Parallel()
	type line struct{ Supplier, Unit, Total, City string }
	want := []line{
		{"sim_press_one", "0.0412 EUR", "206.00 EUR", "Utrecht"},
		{"sim_press_two", "0.0375 EUR", "187.50 EUR", "Utrecht"},
	}
	for range 2 {
		b := newBench(t)
		b.catalogErr = errors.New("away")
		draft := flyers()
		draft.CatalogProductUID = "sim:rfq:quoted"
		created, err := b.Create(t.Context(), acmeTest, draft, termsOf("k1", "sim"))
		if err != nil {
			t.Fatalf("Create: %v", err)
		}
		if created.RFQ.Status != rfq.Quoted || created.RFQ.QuoteCount != 2 {
			t.Errorf("rfq = %+v, want status quoted and 2 quotes", created.RFQ)
		}
		quotes, err := b.Quotes(t.Context(), acmeTest, created.RFQ.ID)
		if err != nil {
			t.Fatalf("Quotes(%q): %v", created.RFQ.ID, err)
		}
		var got []line
		for _, q := range quotes {
			got = append(got, line{q.Offer.Supplier.ID, q.Offer.UnitPrice.String(), q.Offer.Total.String(), q.Offer.Delivery.City})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("quotes (-want +got):\n%s", diff)
		}
		if len(b.store.events) != 2 || b.store.events[1].Type != transaction.RFQQuoted {
			t.Errorf("events = %+v", b.store.events)
		}
	}
}

// is reports whether err has the type E. Tables of parallel tests use it as a check.
func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}
