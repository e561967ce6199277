// SPDX-License-Identifier: Apache-2.0

package requestlog_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/tenant"
)

var (
	acme  = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	stark = tenant.ID{Organization: "org_stark1", Mode: tenant.Live}
)

// memory is a store in memory. It fails on request.
type memory struct {
	requestlog.Store
	mu     sync.Mutex
	writes [][]requestlog.Entry
	ids    map[string]bool
	err    error
	// lost lets writes happen and fail all the same.
	lost bool
}

func (m *memory) AddRequests(ctx context.Context, entries []requestlog.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil && !m.lost {
		return m.err
	}
	var added []requestlog.Entry
	for _, e := range entries {
		if !m.ids[e.ID] {
			added = append(added, e)
		}
		if m.ids == nil {
			m.ids = map[string]bool{}
		}
		m.ids[e.ID] = true
	}
	m.writes = append(m.writes, added)
	return errors.Join(m.err, ctx.Err())
}

func (m *memory) fail(err error, lost bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.lost = err, lost
}

// all is everything that was written.
func (m *memory) all() []requestlog.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []requestlog.Entry
	for _, write := range m.writes {
		all = append(all, write...)
	}
	return all
}

// requests is for how many requests of a tenant the entries stand, and how many of
// these are listed one by one.
func (m *memory) requests(owner tenant.ID) (all, listed int64) {
	for _, e := range m.all() {
		if e.Tenant != owner {
			continue
		}
		all += e.Requests
		if e.RequestID != "" {
			listed++
		}
	}
	return all, listed
}

// running starts a recorder in a bubble, where the clock begins at a full minute, and
// returns how to end it.
func running(t *testing.T, store requestlog.Store, log *slog.Logger) (r *requestlog.Recorder, end func()) {
	t.Helper()
	r = requestlog.NewRecorder(time.Now, rand.Reader)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx, store, requestlog.Interval, log) }()
	return r, func() { cancel(); <-ended }
}

// got is a request of a tenant that has succeeded.
func got(owner tenant.ID, number int) requestlog.Entry {
	return requestlog.Entry{
		At: time.Now(), RequestID: fmt.Sprintf("req_%05d", number), Tenant: owner, Key: "production", Listener: "api", Surface: "partner",
		Method: "GET", Route: "/api/v1/rfq/{rfqId}", Status: 200, Capability: "rfq-read", Took: 1234567, Bytes: 512,
	}
}

// was is one that was answered with a status.
func was(owner tenant.ID, number, status int) requestlog.Entry {
	e := got(owner, number)
	e.Status, e.Code = status, fmt.Sprint("CODE_", status)
	return e
}

func TestRequestIsWrittenWithinASecondAndAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		r, end := running(t, store, slog.New(slog.DiscardHandler))
		time.Sleep(500*time.Millisecond + 999)
		first := got(acme, 1)
		r.Add(first)
		time.Sleep(501 * time.Millisecond)
		first.At, first.Took, first.Requests = first.At.UTC().Truncate(time.Millisecond), 1234*time.Microsecond, 1
		unnamed := cmpopts.IgnoreFields(requestlog.Entry{}, "ID")
		if diff := cmp.Diff([]requestlog.Entry{first}, store.all(), unnamed); diff != "" {
			t.Fatalf("after a second (-want +got):\n%s", diff)
		}
		if id := store.all()[0].ID; !requestlog.IsID(id) {
			t.Errorf("id %q", id)
		}
		r.Add(got(acme, 2))
		end()
		if all := store.all(); len(all) != 2 || all[1].RequestID != "req_00002" {
			t.Errorf("at the end: %v", all)
		}
		if diff := cmp.Diff(requestlog.Stats{Written: 2}, r.Stats()); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	})
}

func TestFloodIsCountedWithoutDisplacingOtherTenants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		r, end := running(t, store, slog.New(slog.DiscardHandler))
		for second := range 60 {
			for n := range 2000 {
				r.Add(was(acme, second*2000+n, 429))
			}
			if second == 59 {
				r.Add(was(acme, 1_000_000, 404))
				r.Add(got(acme, 1_000_001))
				r.Add(got(stark, 1_000_002))
			}
			time.Sleep(time.Second)
		}
		end()
		if all, listed := store.requests(acme); all != 120_002 || listed > 63 {
			t.Errorf("%d requests of acme, of which %d are listed, want 120002 and only the first few", all, listed)
		}
		if _, listed := store.requests(stark); listed != 1 {
			t.Errorf("%d requests of stark are listed, want 1", listed)
		}
		found := map[string]bool{}
		var several []requestlog.Entry
		for _, e := range store.all() {
			found[e.RequestID] = true
			if e.RequestID == "" {
				several = append(several, e)
			}
		}
		for _, id := range []string{"req_00000", "req_1000000", "req_1000001"} {
			if !found[id] {
				t.Errorf("%s of acme is not listed", id)
			}
		}
		if len(several) != 1 || !several[0].At.Equal(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) || several[0].Status != 429 || several[0].Bytes != 512*several[0].Requests {
			t.Errorf("counted: %+v, want one entry for the minute", several)
		}
	})
}

func TestSteadyLoadIsListedAtARateAndCountedBeyond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		r, end := running(t, store, slog.New(slog.DiscardHandler))
		const seconds, each = 600, 20
		for second := range seconds {
			for n := range each {
				r.Add(got(acme, second*each+n))
			}
			time.Sleep(time.Second)
		}
		end()
		all, listed := store.requests(acme)
		if all != seconds*each {
			t.Errorf("entries stand for %d requests, want all %d", all, seconds*each)
		}
		if want := int64(600 + seconds/2); listed < want-1 || listed > want+1 {
			t.Errorf("%d are listed one by one, want %d", listed, want)
		}
		if entries := len(store.all()); entries > int(listed)+seconds/60 {
			t.Errorf("%d entries", entries)
		}
	})
}

func TestATenantHasAtMostAHundredCountedEntriesPerMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		r, end := running(t, store, slog.New(slog.DiscardHandler))
		for n := range 600 {
			r.Add(got(acme, n))
		}
		for n := range 150 {
			e := got(acme, 600+n)
			e.Key = fmt.Sprint("key ", n)
			r.Add(e)
		}
		want := requestlog.Stats{Counted: 100, Dropped: 50}
		if diff := cmp.Diff(want, r.Stats()); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		time.Sleep(61 * time.Second) // the minute is over, and with it the bound
		for n := range 150 {
			e := got(acme, 750+n)
			e.Key = "another key"
			r.Add(e)
		}
		end()
		if all, _ := store.requests(acme); all != 850 {
			t.Errorf("entries stand for %d requests, want 850", all)
		}
	})
}

func TestUnavailableStoreIsLoggedOnceAndLosesNothingWithinCapacity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, text := &memory{}, &bytes.Buffer{}
		store.fail(errors.New("the store is unavailable"), false)
		r, end := running(t, store, slog.New(slog.NewTextHandler(text, nil)))
		const tenants, each = 40, 500
		for n := range tenants * each {
			r.Add(got(tenant.ID{Organization: fmt.Sprint("org_tenant", n%tenants), Mode: tenant.Live}, n))
		}
		time.Sleep(time.Hour)
		store.fail(nil, false)
		time.Sleep(2 * time.Second)
		stats := r.Stats()
		if stats.Written+stats.Dropped != tenants*each || stats.Dropped == 0 || stats.Written < 16_000 {
			t.Errorf("%+v, want what there is room for to be written, and the rest to be dropped", stats)
		}
		if n := strings.Count(text.String(), "the store is unavailable"); n != 1 {
			t.Errorf("the text is logged %d times, want once:\n%s", n, text)
		}
		if !strings.Contains(text.String(), fmt.Sprintf("the request log is written again\" dropped=%d", stats.Dropped)) {
			t.Errorf("the log does not report the end of the outage:\n%s", text)
		}
		end()
	})
}

func TestWriteWithUnknownOutcomeIsRepeatedWithoutDuplicates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		r, end := running(t, store, slog.New(slog.DiscardHandler))
		store.fail(errors.New("the connection broke"), true)
		for n := range 3 {
			r.Add(got(acme, n))
		}
		time.Sleep(3500 * time.Millisecond)
		store.fail(nil, false)
		r.Add(got(acme, 3))
		end()
		if all, _ := store.requests(acme); all != 4 {
			t.Errorf("%d requests, want each of four once", all)
		}
	})
}

func TestWritesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		r, end := running(t, store, slog.New(slog.DiscardHandler))
		var using sync.WaitGroup
		for partner := range 5 {
			using.Go(func() {
				for n := range 500 {
					r.Add(got(tenant.ID{Organization: fmt.Sprint("org_tenant", partner), Mode: tenant.Live}, n))
				}
			})
		}
		using.Wait()
		end()
		if n := len(store.all()); n != 2500 {
			t.Errorf("%d entries, want 2500", n)
		}
		for _, write := range store.writes {
			if len(write) > 1000 {
				t.Errorf("a write of %d entries", len(write))
			}
		}
	})
}

func TestNilRecorderDiscardsRequests(t *testing.T) {
	t.Parallel()
	var r *requestlog.Recorder
	r.Add(got(acme, 1))
	if stats := r.Stats(); stats != (requestlog.Stats{}) {
		t.Errorf("counts %+v", stats)
	}
}

// forgetful is a store that records the argument of PurgeRequests.
type forgetful struct {
	requestlog.Store
	until time.Time
	err   error
}

func (f *forgetful) PurgeRequests(_ context.Context, until time.Time, limit int) (int, error) {
	f.until = until
	return limit, f.err
}

func TestKeeperDeletesEntriesAfterThirtyDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	store := &forgetful{}
	keeper := requestlog.Keeper{Store: store, Now: func() time.Time { return now }}
	if n, err := keeper.Purge(t.Context(), 5); n != 5 || err != nil || !store.until.Equal(now.AddDate(0, 0, -30)) {
		t.Errorf("%d, %v, until %s", n, err, store.until)
	}
	store.err = errors.New("away")
	if _, err := keeper.Purge(t.Context(), 5); !errors.Is(err, store.err) {
		t.Errorf("error = %v", err)
	}
}

// BenchmarkAdd is what a request spends on its entry.
func BenchmarkAdd(b *testing.B) {
	for name, every := range map[string]time.Duration{"listed": time.Hour, "counted": 0} {
		b.Run(name, func(b *testing.B) {
			at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
			var r *requestlog.Recorder
			e := got(acme, 1)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%10_000 == 0 { // or it would be full
					r = requestlog.NewRecorder(func() time.Time { return at }, rand.Reader)
				}
				at = at.Add(every)
				e.At = at
				r.Add(e)
			}
		})
	}
}
