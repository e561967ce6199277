// SPDX-License-Identifier: Apache-2.0

package rfq_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestInvalidIDIsNotQueried(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "rfq_", "rfq_' OR 1=1 --", "pref_01KB0QXR80ZZZZZZZZZZZZZZZZ", strings.Repeat("r", 1<<16)} {
		b := newBench(t)
		_, getErr := b.Get(t.Context(), acme, id)
		_, quotesErr := b.Quotes(t.Context(), acme, id)
		_, submitErr := b.SubmitQuote(t.Context(), acme, id, anOffer(t, nine), rfq.Instruction{})
		for verb, err := range map[string]error{"get": getErr, "quotes": quotesErr, "submit": submitErr} {
			if !errors.Is(err, transaction.ErrNotFound) {
				t.Errorf("%s %.40q: error = %v, want ErrNotFound", verb, id, err)
			}
		}
		if b.store.calls != 0 {
			t.Errorf("%.40q: the store was called", id)
		}
	}
}

func TestInvalidPageIsNotQueried(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 3 {
		if _, err := b.Create(t.Context(), acme, flyers(), termsOf("", "")); err != nil {
			t.Fatalf("Create: %v", err)
		}
	}
	first, err := b.List(t.Context(), acme, rfq.Page{Limit: 2})
	if err != nil || len(first.Items) != 2 || first.NextCursor == "" {
		t.Fatalf("first page has %d items and the cursor %q (%v)", len(first.Items), first.NextCursor, err)
	}
	calls := b.store.calls
	tests := map[string]struct {
		owner tenant.ID
		page  rfq.Page
	}{
		"a negative limit":           {acme, rfq.Page{Limit: -1}},
		"a limit over the maximum":   {acme, rfq.Page{Limit: 101}},
		"an id in place of a cursor": {acme, rfq.Page{Cursor: first.Items[0].ID}},
		"a truncated cursor":         {acme, rfq.Page{Cursor: first.NextCursor[1:]}},
		"a cursor of the other mode": {acmeTest, rfq.Page{Cursor: first.NextCursor}},
		"a cursor of another tenant": {tenant.ID{Organization: "org_stark1", Mode: tenant.Live}, rfq.Page{Cursor: first.NextCursor}},
	}
	for name, tc := range tests {
		if _, err := b.List(t.Context(), tc.owner, tc.page); !errors.Is(err, rfq.ErrInvalidPage) {
			t.Errorf("%s: error = %v, want ErrInvalidPage", name, err)
		}
	}
	if b.store.calls != calls {
		t.Error("the store was called")
	}
	for name, filter := range map[string]rfq.Filter{
		"a status":          {Statuses: []rfq.Status{rfq.Open}},
		"a first time":      {CreatedAfter: nine},
		"an end":            {CreatedBefore: nine},
		"an unknown status": {Statuses: []rfq.Status{"draft"}},
	} {
		if _, err := b.List(t.Context(), acme, rfq.Page{Filter: filter, Cursor: first.NextCursor}); !errors.Is(err, rfq.ErrInvalidPage) {
			t.Errorf("a cursor with a new filter, %s: error = %v, want ErrInvalidPage", name, err)
		}
	}
	if _, err := b.List(t.Context(), acme, rfq.Page{Limit: 100, Cursor: first.NextCursor}); err != nil {
		t.Errorf("a cursor with another limit: %v", err)
	}
}

func TestReadsReturnTheCurrentStatus(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	created, err := b.Create(t.Context(), acme, flyers(), termsOf("", ""))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	if _, err := b.SubmitQuote(t.Context(), acme, created.RFQ.ID, anOffer(t, nine), rfq.Instruction{}); err != nil {
		t.Fatalf("SubmitQuote(%q): %v", created.RFQ.ID, err)
	}
	b.now = nine.Add(rfq.Lifetime)
	got, err := b.Get(t.Context(), acme, created.RFQ.ID)
	if err != nil || got.Status != rfq.Expired {
		t.Errorf("get: %s, %v; want expired", got.Status, err)
	}
	list, err := b.List(t.Context(), acme, rfq.Page{})
	if err != nil || list.Items[0].Status != rfq.Expired {
		t.Errorf("list: %s, %v; want expired", list.Items[0].Status, err)
	}
	quotes, err := b.Quotes(t.Context(), acme, created.RFQ.ID)
	if err != nil || quotes[0].Status != rfq.QuoteExpired {
		t.Errorf("quotes: %s, %v; want expired", quotes[0].Status, err)
	}
}

func TestUnavailableStoreIsReported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	created, err := b.Create(t.Context(), acme, flyers(), termsOf("", ""))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	b.store.err = errAway
	_, getErr := b.Get(t.Context(), acme, created.RFQ.ID)
	_, listErr := b.List(t.Context(), acme, rfq.Page{})
	_, quotesErr := b.Quotes(t.Context(), acme, created.RFQ.ID)
	for verb, err := range map[string]error{"get": getErr, "list": listErr, "quotes": quotesErr} {
		if !errors.Is(err, errAway) {
			t.Errorf("%s: error = %v", verb, err)
		}
	}
}

func ExampleParseTrackingCode() {
	code, err := rfq.ParseTrackingCode("rfq 7k3m 2q9x 4tbcn")
	fmt.Println(code, err)
	// Output: RFQ-7K3M-2Q9X-4TBCN <nil>
}

func TestTrackingCodesAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	seen := map[string]bool{}
	for range 200 {
		created, err := b.Create(t.Context(), acme, flyers(), termsOf("", ""))
		if err != nil {
			t.Fatalf("Create: %v", err)
		}
		code := created.RFQ.TrackingCode
		if len(code) != len("RFQ-7K3M-2Q9X-4TBCN") || seen[code] {
			t.Fatalf("tracking code %q", code)
		}
		seen[code] = true
		bare := strings.ReplaceAll(strings.TrimPrefix(code, "RFQ-"), "-", "")
		for _, spelling := range []string{
			code, strings.ToLower(code), bare, " " + bare + " ",
			strings.NewReplacer("0", "O", "1", "l").Replace(bare),
		} {
			if got, err := rfq.ParseTrackingCode(spelling); got != code || err != nil {
				t.Errorf("ParseTrackingCode(%q) = %q, %v; want %q", spelling, got, err, code)
			}
		}
		for i := range bare {
			wrong := bare[:i] + string(recordid.Alphabet[(strings.IndexByte(recordid.Alphabet, bare[i])+1+i)%32]) + bare[i+1:]
			if _, err := rfq.ParseTrackingCode(wrong); !errors.Is(err, rfq.ErrTrackingCode) {
				t.Errorf("ParseTrackingCode(%q): error = %v, want ErrTrackingCode", wrong, err)
			}
		}
	}
}

func FuzzParseTrackingCode(f *testing.F) {
	f.Add("RFQ-7K3M-2Q9X-4TBCN")
	f.Add("rfq-")
	f.Add(strings.Repeat("-", 40))
	f.Fuzz(func(t *testing.T, text string) {
		code, err := rfq.ParseTrackingCode(text)
		if err != nil {
			return
		}
		if again, err := rfq.ParseTrackingCode(code); again != code || err != nil {
			t.Errorf("ParseTrackingCode(%q) = %q, which reads as %q, %v", text, code, again, err)
		}
	})
}

func BenchmarkCreateWithoutAStore(b *testing.B) {
	bench := newBench(b)
	b.ReportAllocs()
	for b.Loop() {
		bench.store.rfqs = bench.store.rfqs[:0]
		if _, err := bench.Create(b.Context(), acme, flyers(), rfq.Terms{Quota: daily}); err != nil {
			b.Fatalf("bench.Create: %v", err)
		}
	}
}
