// SPDX-License-Identifier: Apache-2.0

package preflightjob_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
)

func sealer(t *testing.T) *cursor.Sealer {
	t.Helper()
	s, err := cursor.New([32]byte{1})
	if err != nil {
		t.Fatalf("cursor.New: %v", err)
	}
	return s
}

func TestInvalidPageIsNotQueried(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *preflightjob.Config) { c.Cursors = sealer(t) })
	for name, page := range map[string]preflightjob.Page{
		"a limit below 1":           {Limit: -1},
		"a limit that is too large": {Limit: preflightjob.MaxLimit + 1},
		"an unknown status":         {Filter: preflightjob.Filter{Statuses: []preflightjob.Status{preflightjob.Queued, "lost"}}},
		"an unknown verdict":        {Filter: preflightjob.Filter{Verdicts: []preflightjob.Verdict{"good"}}},
		"an invalid cursor":         {Cursor: "pref_01kb0qxr80zzzzzzzzzzzzzzzz"},
	} {
		if _, err := b.List(t.Context(), acme, page); !errors.Is(err, preflightjob.ErrInvalidPage) {
			t.Errorf("%s: error = %v, want ErrInvalidPage", name, err)
		}
	}
	if b.store.calls != 0 {
		t.Error("the store was called")
	}
}

func TestListHonoursItsLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *preflightjob.Config) { c.Cursors = sealer(t) })
	for range preflightjob.MaxLimit + 1 {
		b.submitted(t)
		b.now = b.now.Add(time.Millisecond)
	}
	for limit, want := range map[int]int{0: preflightjob.DefaultLimit, 1: 1, preflightjob.MaxLimit: preflightjob.MaxLimit} {
		list, err := b.List(t.Context(), acme, preflightjob.Page{Limit: limit})
		if err != nil || len(list.Items) != want || list.NextCursor == "" {
			t.Errorf("limit %d: %d items, next %q, %v; want %d and a next page", limit, len(list.Items), list.NextCursor, err, want)
		}
	}
}

func TestMalformedJobIsLoggedAndOmitted(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *preflightjob.Config) { c.Cursors = sealer(t) })
	var want []string
	for range 7 {
		want = append([]string{b.submitted(t).ID}, want...)
		b.now = b.now.Add(time.Millisecond)
	}
	b.store.malformed = want[2]
	var got []string
	for next := (preflightjob.Page{Limit: 2}); ; {
		list, err := b.List(t.Context(), acme, next)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		for _, job := range list.Items {
			got = append(got, job.ID)
		}
		if list.NextCursor == "" {
			break
		}
		next.Cursor = list.NextCursor
	}
	if diff := cmp.Diff(append(want[:2:2], want[3:]...), got); diff != "" || !strings.Contains(b.log.String(), want[2]) {
		t.Errorf("(-want +got):\n%s\nlog: %s", diff, b.log)
	}
}

func TestListReportsAnUnavailableStore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.store.err = errAway
	var away *transaction.UnavailableError
	if _, err := b.List(t.Context(), acme, preflightjob.Page{}); !errors.As(err, &away) {
		t.Errorf("error = %v, want an UnavailableError", err)
	}
}

func TestWithoutCursorKeyOnlyTheFirstPageIsAvailable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.submitted(t)
	if list, err := b.List(t.Context(), acme, preflightjob.Page{Limit: 1}); err != nil || len(list.Items) != 1 {
		t.Errorf("list = %+v, %v; want the one job", list, err)
	}
	b.submitted(t)
	if _, err := b.List(t.Context(), acme, preflightjob.Page{Limit: 1}); !errors.Is(err, cursor.ErrNoKey) {
		t.Errorf("error = %v, want ErrNoKey", err)
	}
}
