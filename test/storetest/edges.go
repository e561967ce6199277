// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/transaction"
)

var edgeCases = map[string]func(*testing.T, *fixture){
	"times read back as they were answered on a clock of nanoseconds": fineClock,
	"text that is barely valid reads back byte for byte":              barelyValid,
	"text that a database cannot hold is refused before it":           neverStored,
	"a quota is exact while thirty-two creators repeat themselves":    quotaUnderRepeats,
	"a reader of the outbox beside sixteen creators misses no entry":  followedOutbox,
	"concurrent quotes of several suppliers are all stored":           suppliersAtOnce,
	"concurrent sweeps and workers on the same jobs lose no change":   sweepsAtOnce,
}

func fineClock(t *testing.T, w *fixture) {
	for _, fraction := range []time.Duration{time.Nanosecond, 1001 * time.Nanosecond, 999_999_999 * time.Nanosecond} {
		w.clock.set(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC).Add(fraction))
		created := w.create(t, acme, "fine")
		got, err := w.rfqs.Get(t.Context(), acme, created.ID)
		if err != nil {
			t.Fatalf("w.rfqs.Get: %v", err)
		}
		wantEqual(t, "rfq", created, got)
		w.clock.advance(fraction)
		quote := w.quote(t, created.ID, "s1", "205.00")
		quotes, err := w.rfqs.Quotes(t.Context(), acme, created.ID)
		if err != nil {
			t.Fatalf("w.rfqs.Quotes: %v", err)
		}
		wantEqual(t, "quotes", []rfq.Quote{quote}, quotes)
		submitted := w.submit(t, acme)
		w.clock.advance(fraction)
		finished := finishJob(t, w, submitted.ID)
		job, err := w.jobs.Get(t.Context(), acme, submitted.ID)
		if err != nil {
			t.Fatalf("w.jobs.Get: %v", err)
		}
		wantEqual(t, "job", finished, job)
	}
}

// barely holds values that validation accepts and a database might reject.
var barely = map[string]string{
	"the longest, of four bytes each": strings.Repeat("🖨", rfq.MaxTitle),
	"the last code point":             "x\U0010FFFF",
	"a non-character":                 "x\uFDD0\uFFFF",
	"a replacement character":         "\uFFFD",
	"an invalid escape":               `\u0000 \x00 \' %s $1 ?`,
	"markup and line separators":      "<b>&amp;\u2028\u2029",
	"a byte order mark":               "\uFEFFx",
	"composed and decomposed":         "é e\u0301",
	"trailing spaces":                 "x  ",
}

func barelyValid(t *testing.T, w *fixture) {
	for name, text := range barely {
		created := w.create(t, acme, text)
		offer := w.offer(t, "s1", "205.00")
		offer.Supplier.DisplayName, offer.Assumptions = text, []string{text}
		if _, err := w.rfqs.SubmitQuote(t.Context(), acme, created.ID, offer, rfq.Instruction{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := w.rfqs.Get(t.Context(), acme, created.ID)
		if err != nil || got.Title != text {
			t.Errorf("%s: title reads back as %q (%v), want %q", name, got.Title, err, text)
		}
		quotes, err := w.rfqs.Quotes(t.Context(), acme, created.ID)
		if err != nil || len(quotes) != 1 {
			t.Fatalf("%s: %d quotes (%v), want 1", name, len(quotes), err)
		}
		wantEqual(t, name, offer, quotes[0].Offer)
	}
}

func neverStored(t *testing.T, w *fixture) {
	record := w.create(t, acme, "stands")
	for _, text := range []string{"nul \x00 inside", "\x00", "bad \xff utf-8", "half \xed\xa0\x80 surrogate"} {
		offer := w.offer(t, "s1", "205.00")
		offer.Assumptions = []string{text}
		job := request("")
		job.FileURL += text
		_, createErr := w.rfqs.Create(t.Context(), acme, draft(text), rfq.Terms{Quota: plenty})
		_, quoteErr := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, offer, rfq.Instruction{})
		_, submitErr := w.jobs.Submit(t.Context(), acme, job, 10)
		for call, err := range map[string]error{"create": createErr, "quote": quoteErr} {
			if refused := (*rfq.ValidationError)(nil); !errors.As(err, &refused) {
				t.Errorf("%s with %q: error = %v, want ValidationError", call, text, err)
			}
		}
		if refused := (*preflightjob.ValidationError)(nil); !errors.As(submitErr, &refused) {
			t.Errorf("submit with %q: error = %v, want ValidationError", text, submitErr)
		}
	}
	if n := len(w.events(t)); n != 1 {
		t.Errorf("%d events, want that of the one valid rfq", n)
	}
}

func quotaUnderRepeats(t *testing.T, w *fixture) {
	const creators, repeats, limit = 32, 3, 20
	quota := transaction.Quota{Limit: limit, Window: time.Hour}
	created, replayed := map[string]bool{}, 0
	for _, c := range w.createAtOnce(t, creators*repeats, func(i int) rfq.Terms {
		return rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i%creators), "body"), Quota: quota}
	}) {
		exceeded := (*transaction.QuotaExceededError)(nil)
		switch {
		case c.err == nil && c.replayed:
			replayed++
		case c.err == nil && !created[c.id]:
			created[c.id] = true
		case c.err == nil:
			t.Errorf("%s was created twice", c.id)
		case !errors.As(c.err, &exceeded):
			t.Errorf("error = %v, want QuotaExceededError", c.err)
		}
	}
	if len(created) != limit || replayed > limit*(repeats-1) {
		t.Errorf("%d created and %d replayed, want exactly %d and at most %d", len(created), replayed, limit, limit*(repeats-1))
	}
	// Created records replay in any case, and refused requests stay refused.
	again := map[string]bool{}
	for i := range creators {
		got, err := w.rfqs.Create(t.Context(), acme, draft("again"), rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i), "body"), Quota: quota})
		exceeded := (*transaction.QuotaExceededError)(nil)
		switch {
		case err == nil && got.Replayed:
			again[got.RFQ.ID] = true
		case !errors.As(err, &exceeded):
			t.Errorf("key %d again: replayed = %t, error = %v; want a replay or QuotaExceededError", i, got.Replayed, err)
		}
	}
	wantEqual(t, "rfqs that replay", created, again)
}

func followedOutbox(t *testing.T, w *fixture) {
	const creators, each = 16, 8
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	followed := make(chan map[string]int64)
	go func() {
		seen, after := map[string]int64{}, int64(0)
		defer func() { followed <- seen }()
		for len(seen) < creators*each && ctx.Err() == nil {
			page, err := w.store.Events(ctx, after, 5)
			if err != nil {
				t.Errorf("read outbox: %v", err)
				return
			}
			for _, entry := range page {
				if before, twice := seen[entry.Event.ID]; twice || entry.Seq <= after {
					t.Errorf("entry %s has seq %d after seq %d; its seq was %d before", entry.Event.ID, entry.Seq, after, before)
				}
				seen[entry.Event.ID], after = entry.Seq, entry.Seq
			}
		}
	}()
	for _, err := range concurrently(creators, func(int) error {
		for range each {
			if _, err := w.rfqs.Create(t.Context(), acme, draft("committed"), rfq.Terms{Quota: plenty}); err != nil {
				return err
			}
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("create: %v", err)
		}
	}
	// All events are committed, so a reader that misses an entry never reaches the end. The limit
	// is far longer than the reader needs.
	giveUp := time.AfterFunc(30*time.Second, cancel)
	defer giveUp.Stop()
	seen := <-followed
	all := map[string]int64{}
	for _, entry := range w.events(t) {
		all[entry.Event.ID] = entry.Seq
	}
	wantEqual(t, "entries that were followed", all, seen)
}

func suppliersAtOnce(t *testing.T, w *fixture) {
	const suppliers = 16
	record := w.create(t, acme, "wanted")
	for _, err := range concurrently(suppliers, func(i int) error {
		_, err := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, w.offer(t, fmt.Sprint("s", i), "205.00"), rfq.Instruction{})
		return err
	}) {
		if err != nil {
			t.Errorf("submit quote: %v", err)
		}
	}
	got, err := w.rfqs.Get(t.Context(), acme, record.ID)
	if err != nil || got.QuoteCount != suppliers || got.Version != 1+suppliers {
		t.Errorf("rfq counts %d quotes in version %d (%v), want %d in version %d", got.QuoteCount, got.Version, err, suppliers, 1+suppliers)
	}
}

func sweepsAtOnce(t *testing.T, w *fixture) {
	const n = 12
	var ids []string
	for range n {
		ids = append(ids, w.submit(t, acme).ID)
	}
	for _, err := range concurrently(n+4, func(i int) error {
		if i >= n {
			_, err := w.jobs.Sweep(t.Context(), 0, n)
			return err
		}
		if _, err := w.jobs.Begin(t.Context(), ids[i], 1, "w1"); err != nil {
			return err
		}
		_, err := w.jobs.Finish(t.Context(), ids[i], 1, "w1", warned)
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, id := range ids {
		if job, err := w.jobs.Get(t.Context(), acme, id); err != nil || job.Status != preflightjob.Succeeded {
			t.Errorf("job is %s (%v), want succeeded", job.Status, err)
		}
	}
}
