// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var readCases = map[string]func(*testing.T, *fixture){
	"another organization or mode finds no record of a tenant": isolation,
	"pages of any size join to the whole list, newest first":   pagesJoin,
	"rfqs created between two pages do not shift the second":   pagesAreStable,
	"a list holds the tenant's own rfqs alone":                 listIsOwn,
}

func isolation(t *testing.T, w *fixture) {
	record, job := w.create(t, acme, "mine"), w.submit(t, acme)
	if _, err := w.rfqs.SubmitQuote(t.Context(), acme, record.ID, w.offer(t, "s1", "205.00"), rfq.Instruction{}); err != nil {
		t.Fatalf("w.rfqs.SubmitQuote: %v", err)
	}
	finishJob(t, w, job.ID)
	open := w.submit(t, acme)
	reads := map[string]func(tenant.ID) error{
		"rfq":    func(owner tenant.ID) error { _, err := w.rfqs.Get(t.Context(), owner, record.ID); return err },
		"quotes": func(owner tenant.ID) error { _, err := w.rfqs.Quotes(t.Context(), owner, record.ID); return err },
		"submit quote": func(owner tenant.ID) error {
			_, err := w.rfqs.SubmitQuote(t.Context(), owner, record.ID, w.offer(t, "s2", "1.00"), rfq.Instruction{})
			return err
		},
		"job":    func(owner tenant.ID) error { _, err := w.jobs.Get(t.Context(), owner, job.ID); return err },
		"report": func(owner tenant.ID) error { _, err := w.jobs.Report(t.Context(), owner, job.ID); return err },
		"raw report": func(owner tenant.ID) error {
			_, err := w.store.JobDocument(t.Context(), owner, job.ID, preflightjob.ReportDocument)
			return err
		},
		"list of jobs": func(owner tenant.ID) error {
			list, err := w.jobs.List(t.Context(), owner, preflightjob.Page{})
			if err == nil && len(list.Items) == 0 {
				return transaction.ErrNotFound
			}
			return err
		},
		"cancel": func(owner tenant.ID) error { _, err := w.jobs.Cancel(t.Context(), owner, open.ID); return err },
	}
	for name, read := range reads {
		for _, owner := range strangers {
			if err := read(owner); !errors.Is(err, transaction.ErrNotFound) {
				t.Errorf("%s as %s: error = %v, want ErrNotFound", name, owner, err)
			}
		}
		if err := read(acme); err != nil {
			t.Errorf("%s as its owner: %v", name, err)
		}
	}
}

func listIsOwn(t *testing.T, w *fixture) {
	mine := w.create(t, acme, "mine")
	for _, owner := range strangers {
		w.create(t, owner, "theirs")
	}
	list, err := w.rfqs.List(t.Context(), acme, rfq.Page{})
	if err != nil {
		t.Fatalf("w.rfqs.List: %v", err)
	}
	wantEqual(t, "list", []rfq.RFQ{mine}, list.Items)
}

// maxPages exceeds the number of pages of every list in the suite, so that a store that
// repeats a page fails instead of running forever.
const maxPages = 200

// walk reads every page and returns the ids.
func (w *fixture) walk(t *testing.T, limit int, between func(page int)) []string {
	t.Helper()
	var ids []string
	next := rfq.Page{Limit: limit}
	for page := range maxPages {
		list, err := w.rfqs.List(t.Context(), acme, next)
		if err != nil {
			t.Fatalf("page %d of %d: %v", page, limit, err)
		}
		for _, item := range list.Items {
			ids = append(ids, item.ID)
		}
		if list.NextCursor == "" {
			return ids
		}
		if len(list.Items) != limit {
			t.Fatalf("page %d has %d items and a next page, want %d", page, len(list.Items), limit)
		}
		next.Cursor = list.NextCursor
		between(page)
	}
	t.Fatalf("no end after %d pages of %d", maxPages, limit)
	return nil
}

func (w *fixture) fill(t *testing.T, n int) []string {
	t.Helper()
	var ids []string
	for i := range n {
		ids = append(ids, w.create(t, acme, fmt.Sprint("rfq ", i)).ID)
		w.clock.advance(time.Millisecond)
	}
	slices.Reverse(ids)
	return ids
}

func pagesJoin(t *testing.T, w *fixture) {
	const total = 23
	want := w.fill(t, total)
	for _, limit := range []int{1, 5, total - 1, total, total + 1, rfq.MaxLimit} {
		wantEqual(t, fmt.Sprintf("ids in pages of %d", limit), want, w.walk(t, limit, func(int) {}))
	}
}

func pagesAreStable(t *testing.T, w *fixture) {
	want := w.fill(t, 12)
	got := w.walk(t, 4, func(page int) {
		for i := range 3 {
			w.create(t, acme, fmt.Sprint("newer ", page, i))
		}
	})
	wantEqual(t, "ids read while others were created", want, got)
}
