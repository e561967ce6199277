// SPDX-License-Identifier: Apache-2.0

package masterdata_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/test/storetest"
)

// TestFollowerMatchesAllApprovals approves and withdraws at random, and compares the state
// of the follower with the state computed from all approvals.
func TestFollowerMatchesAllApprovals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil, nil)
	r := rand.New(rand.NewPCG(20261122, 1))
	owners := []string{owner, "org_stark1", authority.Platform}
	var ids []string
	for i := range 9 {
		ids = append(ids, f.keeps(t, owners[i%3], int64(i)))
	}
	made := map[string]masterdata.Approval{}
	var order []string
	changed, agreed := 0, map[bool]int{}
	for range 250 {
		f.clock.Step(time.Duration(1+r.IntN(600)) * time.Second)
		switch r.IntN(4) {
		case 0:
			var window masterdata.Window
			if r.IntN(2) == 0 {
				window.From = f.clock.Now().Add(time.Duration(r.IntN(3600)) * time.Second)
			}
			if begin := window.From; r.IntN(3) > 0 {
				if begin.IsZero() {
					begin = f.clock.Now()
				}
				window.Until = begin.Add(time.Duration(1+r.IntN(7200)) * time.Second)
			}
			a := f.approves(t, ids[r.IntN(len(ids))], window)
			made[a.ID] = a
			order = append(order, a.ID)
			changed++
		case 1:
			if len(order) == 0 {
				continue
			}
			id := order[r.IntN(len(order))]
			if _, err := f.data.Withdraw(t.Context(), id, by); err == nil {
				delete(made, id)
				changed++
			} else if !errors.Is(err, masterdata.ErrWithdrawn) {
				t.Fatalf("unexpected error: %v", err)
			}
		}
		f.refreshes(t)
		for _, one := range owners {
			agreed[agrees(t, f, one, made, order)]++
		}
	}
	if changed < 50 || agreed[true] < 50 || agreed[false] < 50 {
		t.Errorf("%d changes, in force %v; the random choices no longer cover all cases", changed, agreed)
	}
}

// agrees compares the approval in force for an owner, and reports whether there is one.
func agrees(t *testing.T, f *fixture, owner string, made map[string]masterdata.Approval, order []string) bool {
	t.Helper()
	var spans []timeline.Span[string]
	for _, id := range order {
		if a, stands := made[id]; stands && a.Owner == owner {
			spans = append(spans, timeline.Span[string]{Value: a.Snapshot, From: a.From, Until: a.Until, Approval: a.ID, ApprovedAt: a.ApprovedAt})
		}
	}
	got, err := f.authorities.Current(owner, f.clock.Now())
	i := timeline.At(spans, f.clock.Now())
	switch {
	case i < 0 && !errors.Is(err, timeline.ErrNone):
		t.Fatalf("%s has approval %v in force with error %v, want none", owner, got.Approval, err)
	case i >= 0 && (err != nil || got.Approval != spans[i].Approval || got.Value.ID() != spans[i].Value || got.Value.Owner() != owner):
		t.Fatalf("%s has approval %s in force with error %v, want %s", owner, got.Approval, err, spans[i].Approval)
	}
	return i >= 0
}

func TestFollowerReadsOnlyChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil, nil)
	f.approves(t, f.keeps(t, owner, 1), masterdata.Window{})
	calls := func(what string, want int64) {
		t.Helper()
		before := f.store.Calls()
		f.refreshes(t)
		if got := f.store.Calls() - before; got != want {
			t.Errorf("%s: %d calls, want %d", what, got, want)
		}
	}
	calls("at first: the revision, the heads, one content", 3)
	for range 3 {
		f.clock.Step(masterdata.Poll)
		calls("nothing new: the revision", 1)
	}
	f.keeps(t, owner, 2)
	calls("imported alone: the revision", 1)
	f.approves(t, f.keeps(t, "org_stark1", 3), masterdata.Window{})
	calls("another owner: the revision, the heads and its content alone", 3)
	f.approves(t, f.keeps(t, "org_stark1", 3), masterdata.Window{})
	calls("the same content again: the revision and the heads", 2)
}

func TestSnapshotIsLoadedBeforeItsWindow(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil, nil)
	id := f.keeps(t, owner, 1)
	f.approves(t, f.keeps(t, owner, 2), masterdata.Window{})
	later := f.clock.Now().Add(time.Hour)
	f.approves(t, id, masterdata.Window{From: later})
	f.refreshes(t)
	want := func(when string, now time.Time, price int64, cause error) {
		t.Helper()
		got, err := f.authorities.Current(owner, now)
		if !errors.Is(err, cause) || cause == nil && (err != nil || got.Value.ID() != resources(t, owner, price).ID()) {
			t.Errorf("%s: %v, %v", when, got.Value, err)
		}
	}
	want("before", later.Add(-1), 2, nil)
	// A replica that did not refresh in time must not use a superseded snapshot.
	want("not loaded", later, 0, timeline.ErrNotLoaded)
	f.clock.Step(50*time.Minute - time.Millisecond)
	f.refreshes(t)
	want("looked too early", later, 0, timeline.ErrNotLoaded)
	f.clock.Step(time.Millisecond)
	f.refreshes(t)
	want("loaded ten minutes before", later, 1, nil)
	want("and until then the other", later.Add(-1), 2, nil)
}

func TestUnreadableContentLeavesStateInForce(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	broken := &exchanged{}
	f := newFixture(t, nil, func(h masterdata.Heads) masterdata.Heads { broken.Heads = h; return broken })
	first := f.approves(t, f.keeps(t, owner, 1), masterdata.Window{})
	f.refreshes(t)
	f.clock.Step(time.Second)
	second := f.approves(t, f.keeps(t, owner, 2), masterdata.Window{})
	broken.set(nil, away)
	for range 3 {
		if err := f.follower.Refresh(t.Context()); !errors.Is(err, away) {
			t.Fatalf("refresh error is %v, want the error of the unavailable store", err)
		}
	}
	if got, err := f.authorities.Current(owner, f.clock.Now()); err != nil || got.Approval != first.ID {
		t.Errorf("in force by approval %s with error %v, want %s", got.Approval, err, first.ID)
	}
	broken.set(nil, nil)
	f.refreshes(t)
	if got, err := f.authorities.Current(owner, f.clock.Now()); err != nil || got.Approval != second.ID {
		t.Errorf("in force by approval %s with error %v, want %s", got.Approval, err, second.ID)
	}
}

// exchanged is a store with replaced or unreadable contents.
type exchanged struct {
	masterdata.Heads
	mu      sync.Mutex
	content []byte
	err     error
}

func (e *exchanged) set(content []byte, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.content, e.err = content, err
}

func (e *exchanged) MasterDataContent(ctx context.Context, id string) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.content != nil || e.err != nil {
		return e.content, e.err
	}
	return e.Heads.MasterDataContent(ctx, id)
}

// TestDamagedContentReportsItsCause checks also that the superseded snapshot does not return.
func TestDamagedContentReportsItsCause(t *testing.T) {
	t.Parallel()
	const grid = `{"id":"grid","name":"Grid","price":{"amount":1,"per":"KilowattHour"}}`
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"an identity twice":      {`{"owner":"org_acme01","currency":"EUR","electricity":[` + grid + `,` + grid + `]}`, timeline.ErrDuplicate},
		"another owner's":        {`{"owner":"org_stark1","currency":"EUR","electricity":[` + grid + `]}`, timeline.ErrIntegrity},
		"another price":          {`{"owner":"org_acme01","currency":"EUR","electricity":[` + strings.Replace(grid, ":1,", ":2,", 1) + `]}`, timeline.ErrIntegrity},
		"a price that is a word": {`{"owner":"org_acme01","currency":"EUR","electricity":[` + strings.Replace(grid, ":1,", `:"one",`, 1) + `]}`, timeline.ErrIntegrity},
		"a catalog":              {`{"groups":[],"products":[]}`, timeline.ErrIntegrity},
		"nothing":                {`null`, timeline.ErrIntegrity},
		"half of it":             {`{"owner":`, timeline.ErrIntegrity},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := &exchanged{}
			f := newFixture(t, nil, func(h masterdata.Heads) masterdata.Heads { broken.Heads = h; return broken })
			f.approves(t, f.keeps(t, owner, 1), masterdata.Window{})
			f.refreshes(t)
			f.clock.Step(time.Second)
			f.approves(t, f.keeps(t, owner, 1_000_000), masterdata.Window{})
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, err := z.Write([]byte(tc.text))
			must(t, errors.Join(err, z.Close()))
			broken.set(packed.Bytes(), nil)
			f.refreshes(t)
			if got, err := f.authorities.Current(owner, f.clock.Now()); !errors.Is(err, tc.want) {
				t.Errorf("in force is %v with error %v, want error %v", got.Value, err, tc.want)
			}
		})
	}
}

// journal counts log records by level.
type journal struct {
	mu     sync.Mutex
	logged []string
}

func (j *journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler       { return j }
func (j *journal) WithGroup(string) slog.Handler            { return j }
func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.logged = append(j.logged, r.Level.String())
	return nil
}

func (j *journal) levels() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.logged, " ")
}

func TestFollowerReportsHealthUntilContextEnds(t *testing.T) {
	t.Parallel()
	var log journal
	f := newFixture(t, slog.New(&log), nil)
	if f.follower.Attempted() || f.follower.Healthy() != nil {
		t.Error("follower has attempted a refresh or is unhealthy before Run")
	}
	f.store.Set(storetest.Away)
	run := func(until func() bool) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); f.follower.Run(ctx) }()
		for deadline := time.Now().Add(30 * time.Second); !until() && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		stop()
		<-done
	}
	run(f.follower.Attempted)
	if err := f.follower.Healthy(); !errors.Is(err, storetest.ErrInjected) || log.levels() != "WARN" {
		t.Fatalf("store unavailable: health is %v, log is %q", err, log.levels())
	}
	if _, err := f.authorities.Current(owner, f.clock.Now()); !errors.Is(err, timeline.ErrNotLoaded) {
		t.Errorf("current master data while the store is unavailable: error is %v, want ErrNotLoaded", err)
	}
	f.store.Set(storetest.None)
	run(func() bool { return f.follower.Healthy() == nil })
	if err := f.follower.Healthy(); err != nil || log.levels() != "WARN INFO" {
		t.Errorf("store available again: health is %v, log is %q", err, log.levels())
	}
	if _, err := f.authorities.Current(owner, f.clock.Now()); !errors.Is(err, timeline.ErrNone) {
		t.Errorf("current master data after the store is available again: %v", err)
	}
}
