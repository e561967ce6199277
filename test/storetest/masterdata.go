// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var masterDataCases = map[string]func(*testing.T, *fixture){
	"the same content is imported once":                                     importsOnce,
	"a snapshot reads back unchanged":                                       readsMasterDataBack,
	"snapshots and approvals are listed in pages, the latest first":         listsMasterData,
	"nothing is in force before it is approved, and from then on it":        approves,
	"a window that makes no sense is refused":                               refusesWindows,
	"of several approvals the last one to begin is in force":                supersedes,
	"after a withdrawal the superseded approval is in force again":          withdraws,
	"of concurrent withdrawals of an approval one succeeds":                 withdrawsOnce,
	"each owner has only its own master data":                               separatesOwners,
	"while the store is unavailable the master data in force becomes stale": growsStale,
	"content that was changed in the database is not used":                  refusesDamage,
	"one snapshot that cannot be read closes its owner alone":               closesAlone,
	"master data without room for it is not used":                           overflows,
	"readers see one snapshot or the other while they are swapped":          swaps,
}

// clerk is a platform operator.
var clerk = transaction.Actor{Organization: "org_market", Key: "operations", RequestID: "req_1"}

// resources returns the resources of an owner; each price makes another snapshot.
func resources(t testing.TB, owner, price string) *authority.Snapshot {
	t.Helper()
	amount, err := money.ParseDecimal(price)
	if err != nil {
		t.Fatalf("money.ParseDecimal: %v", err)
	}
	s, err := authority.New(authority.Content{Owner: owner, Currency: "EUR", Media: []authority.Media{{
		ID: "silk-135", Name: "Silk 135", MediaType: "Paper", Width: 700 * money.One, Height: 1000 * money.One,
		Weight: 135 * money.One, Thickness: 100 * money.One, Price: authority.Price{Amount: amount, Per: authority.PerSheet},
	}}})
	if err != nil {
		t.Fatalf("authority.New: %v", err)
	}
	return s
}

func products(t testing.TB, name string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.NewCatalog([]catalog.Group{{UID: "g", Name: "G"}}, []catalog.Product{{UID: "p:1", Name: name, Group: "g"}})
	if err != nil {
		t.Fatalf("catalog.NewCatalog: %v", err)
	}
	return c
}

func (w *fixture) imports(t testing.TB, d masterdata.Draft) masterdata.Imported {
	t.Helper()
	d.Provenance = masterdata.Provenance{Source: "ERP", Reference: "2026-11", Note: "monthly"}
	got, err := w.data.Import(t.Context(), d, masterdata.Instruction{Actor: clerk, Note: "as every month"})
	if err != nil {
		t.Fatalf("w.data.Import: %v", err)
	}
	return got
}

func (w *fixture) approves(t testing.TB, id string, from, until time.Time) masterdata.Approval {
	t.Helper()
	a, err := w.data.Approve(t.Context(), id, masterdata.Window{From: from, Until: until}, masterdata.Instruction{Actor: clerk, Note: "checked"})
	if err != nil {
		t.Fatalf("w.data.Approve: %v", err)
	}
	return a
}

// offers imports and approves resources of an owner from now on.
func (w *fixture) offers(t testing.TB, owner, price string) (*authority.Snapshot, masterdata.Approval) {
	t.Helper()
	s := resources(t, owner, price)
	w.imports(t, masterdata.Draft{Resources: s})
	return s, w.approves(t, s.ID(), time.Time{}, time.Time{})
}

// replica is the memory of one process.
type replica struct {
	*masterdata.Follower
	catalogs    *catalog.Holder
	authorities *authority.Holder
	clock       *clock
}

func (w *fixture) replica(store masterdata.Heads, room int) *replica {
	r := &replica{catalogs: catalog.NewHolder(5 * time.Minute), authorities: authority.NewHolder(5 * time.Minute), clock: w.clock}
	r.Follower = masterdata.NewFollower(masterdata.FollowerConfig{
		Heads: store, Catalogs: r.catalogs, Authorities: r.authorities, Now: w.clock.Now, Log: slog.New(slog.DiscardHandler), MaxHeld: room,
	})
	return r
}

// has checks the snapshot in force for an owner, or the error.
func (r *replica) has(t testing.TB, when, owner string, want *authority.Snapshot, wantErr error) {
	t.Helper()
	got, err := r.authorities.Current(owner, r.clock.Now())
	if !errors.Is(err, wantErr) || want != nil && (err != nil || got.Value.ID() != want.ID()) {
		t.Errorf("%s: %s has %v, %v; want %v", when, owner, got.Value, err, wantErr)
	}
}

func (r *replica) refresh(t testing.TB) {
	t.Helper()
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatalf("r.Refresh: %v", err)
	}
}

func importsOnce(t *testing.T, w *fixture) {
	draft := masterdata.Draft{Resources: resources(t, acme.Organization, "0.08"), Provenance: masterdata.Provenance{Source: "ERP"}}
	checked, err := w.data.Check(t.Context(), draft, masterdata.Instruction{Actor: clerk})
	if err != nil || !checked.New || checked.Snapshot.ID != draft.Resources.ID() {
		t.Fatalf("dry run: %+v, %v", checked, err)
	}
	if found, err := w.data.Snapshots(t.Context(), masterdata.Filter{}, "", 10); err != nil || len(found) != 0 {
		t.Fatalf("a dry run has left %v, %v", found, err)
	}
	first := w.imports(t, draft)
	w.clock.advance(time.Hour)
	second := w.imports(t, draft)
	if !first.New || second.New || !second.Snapshot.ImportedAt.Equal(first.Snapshot.ImportedAt) {
		t.Errorf("imports %+v and %+v", first, second)
	}
	if checked, err := w.data.Check(t.Context(), draft, masterdata.Instruction{Actor: clerk}); err != nil || checked.New {
		t.Errorf("dry run of imported data: %+v, %v", checked, err)
	}
	auditEntries, err := w.store.AuditEntries(t.Context(), tenant.Live, "", 10)
	if err != nil || len(auditEntries) != 1 || auditEntries[0].Verb != transaction.ImportMasterData || auditEntries[0].Owner != acme || auditEntries[0].Subject != first.Snapshot.ID {
		t.Errorf("audit %+v, %v", auditEntries, err)
	}
}

func readsMasterDataBack(t *testing.T, w *fixture) {
	var invalid *masterdata.InvalidError
	for _, note := range []string{strings.Repeat("a", 501), "\x00", "\x1b[31m"} {
		_, err := w.data.Import(t.Context(), masterdata.Draft{Catalog: products(t, "N"), Provenance: masterdata.Provenance{Source: "ERP"}},
			masterdata.Instruction{Actor: clerk, Note: note})
		if !errors.As(err, &invalid) {
			t.Errorf("the note %.10q: %v", note, err)
		}
	}
	for name, draft := range map[string]masterdata.Draft{
		"catalog":   {Catalog: products(t, "P")},
		"resources": {Resources: resources(t, acme.Organization, "0.08")},
	} {
		imported := w.imports(t, draft)
		record, err := w.data.Snapshot(t.Context(), imported.Snapshot.ID)
		if err != nil {
			t.Fatalf("w.data.Snapshot: %v", err)
		}
		wantEqual(t, name, imported.Snapshot, record)
		content, err := w.data.Content(t.Context(), record.ID)
		if err != nil {
			t.Fatalf("w.data.Content: %v", err)
		}
		id := idOf(content)
		if id != record.ID || content.Provenance.Reference != "2026-11" {
			t.Errorf("%s reads back as %s, %+v", name, id, content.Provenance)
		}
	}
	for _, id := range []string{"", "sha256:0", strings.Repeat("x", 300)} {
		if _, err := w.data.Content(t.Context(), id); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("content of %.20q: %v", id, err)
		}
	}
}

func idOf(d masterdata.Draft) string {
	if d.Catalog != nil {
		return d.Catalog.ID()
	}
	return d.Resources.ID()
}

func listsMasterData(t *testing.T, w *fixture) {
	var want []string
	for i := range 5 {
		s, a := w.offers(t, []string{"org_acme01", "org_stark1"}[i%2], fmt.Sprintf("0.%d", i+1))
		want = append([]string{s.ID() + " " + a.ID}, want...)
		w.clock.advance(time.Second)
	}
	w.imports(t, masterdata.Draft{Catalog: products(t, "P")})
	var got []string
	before, beforeApproval := "", ""
	for {
		filter := masterdata.Filter{Level: masterdata.Resources}
		snapshots, err := w.data.Snapshots(t.Context(), filter, before, 2)
		approvals, err2 := w.data.Approvals(t.Context(), filter, beforeApproval, 2)
		if err := errors.Join(err, err2); err != nil || len(snapshots) != len(approvals) {
			t.Fatal(err, len(snapshots), len(approvals))
		}
		for i := range snapshots {
			got = append(got, snapshots[i].ID+" "+approvals[i].ID)
		}
		if len(snapshots) < 2 {
			break
		}
		before, beforeApproval = snapshots[1].ID, approvals[1].ID
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	own, err := w.data.Approvals(t.Context(), masterdata.Filter{Owner: "org_stark1"}, "", 10)
	if err != nil || len(own) != 2 {
		t.Errorf("approvals of stark: %v, %v", own, err)
	}
}

func approves(t *testing.T, w *fixture) {
	r := w.replica(w.store, 0)
	r.has(t, "before anything was read", acme.Organization, nil, timeline.ErrNotLoaded)
	s, c := resources(t, acme.Organization, "0.08"), products(t, "P")
	w.imports(t, masterdata.Draft{Resources: s})
	w.imports(t, masterdata.Draft{Catalog: c})
	r.refresh(t)
	r.has(t, "imported", acme.Organization, nil, timeline.ErrNone)
	if _, err := r.catalogs.Current(w.clock.Now()); !errors.Is(err, catalog.ErrUnavailable) {
		t.Errorf("an imported catalog is in force: %v", err)
	}
	from, until := w.clock.Now().Add(time.Hour), w.clock.Now().Add(2*time.Hour)
	a := w.approves(t, s.ID(), from, until)
	w.clock.advance(time.Millisecond) // ids sort by it
	w.approves(t, c.ID(), time.Time{}, time.Time{})
	r.refresh(t)
	if got, err := r.catalogs.Current(w.clock.Now()); err != nil || got.ID() != c.ID() {
		t.Errorf("catalog %v, %v", got, err)
	}
	r.has(t, "approved for later", acme.Organization, nil, timeline.ErrNone)
	w.clock.set(from.Add(-time.Minute))
	r.refresh(t)
	w.clock.set(from)
	r.has(t, "when it begins, without another look at the store", acme.Organization, s, nil)
	if got, err := r.authorities.Current(acme.Organization, from); err != nil || got.Approval != a.ID || !got.Until.Equal(until) || !got.From.Equal(from) {
		t.Errorf("in force by %+v, %v", got, err)
	}
	w.clock.set(until.Add(-time.Minute))
	r.refresh(t)
	w.clock.set(until)
	r.has(t, "when it has ended", acme.Organization, nil, timeline.ErrNone)
	auditEntries, err := w.store.AuditEntries(t.Context(), tenant.Live, "", 1)
	if err != nil || auditEntries[0].Verb != transaction.ApproveMasterData || auditEntries[0].Owner.Organization != clerk.Organization {
		t.Errorf("audit %+v, %v", auditEntries, err)
	}
}

func refusesWindows(t *testing.T, w *fixture) {
	s := resources(t, acme.Organization, "0.08")
	w.imports(t, masterdata.Draft{Resources: s})
	now := w.clock.Now()
	for name, window := range map[string]masterdata.Window{
		"from yesterday":                {From: now.Add(-24 * time.Hour)},
		"until yesterday":               {Until: now.Add(-24 * time.Hour)},
		"until before from":             {From: now.Add(2 * time.Hour), Until: now.Add(time.Hour)},
		"no time at all":                {From: now.Add(time.Hour), Until: now.Add(time.Hour)},
		"in a hundred years":            {From: now.Add(100 * 365 * 24 * time.Hour)},
		"until the end of the calendar": {Until: now.Add(100 * 365 * 24 * time.Hour)},
		"less than a millisecond":       {From: now.Add(time.Hour), Until: now.Add(time.Hour + time.Microsecond)},
	} {
		var invalid *masterdata.InvalidError
		if _, err := w.data.Approve(t.Context(), s.ID(), window, masterdata.Instruction{Actor: clerk}); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.data.Approve(t.Context(), "sha256:none", masterdata.Window{}, masterdata.Instruction{Actor: clerk}); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("data that was never imported: error = %v", err)
	}
}

func supersedes(t *testing.T, w *fixture) {
	r := w.replica(w.store, 0)
	const owner = "org_acme01"
	standing, _ := w.offers(t, owner, "0.08")
	start := w.clock.Now()
	promotion := resources(t, owner, "0.05")
	w.imports(t, masterdata.Draft{Resources: promotion})
	w.approves(t, promotion.ID(), start.Add(24*time.Hour), start.Add(48*time.Hour))
	next := resources(t, owner, "0.09")
	w.imports(t, masterdata.Draft{Resources: next})
	w.approves(t, next.ID(), start.Add(72*time.Hour), time.Time{})
	for _, then := range []struct {
		hours int
		want  *authority.Snapshot
	}{{1, standing}, {25, promotion}, {49, standing}, {73, next}, {1000, next}} {
		w.clock.set(start.Add(time.Duration(then.hours) * time.Hour))
		r.refresh(t)
		r.has(t, fmt.Sprintf("after %d hours", then.hours), owner, then.want, nil)
	}
	if _, heads, err := w.store.MasterDataHeads(t.Context(), w.clock.Now()); err != nil || len(heads) != 1 {
		t.Errorf("%d heads (%v) are read, want only the one that can be in force", len(heads), err)
	}
}

func withdraws(t *testing.T, w *fixture) {
	r := w.replica(w.store, 0)
	const owner = "org_acme01"
	former, _ := w.offers(t, owner, "0.08")
	w.clock.advance(time.Hour)
	wrong, a := w.offers(t, owner, "0.80")
	r.refresh(t)
	r.has(t, "approved", owner, wrong, nil)
	w.clock.advance(time.Minute)
	if current, err := w.data.InForce(t.Context()); err != nil || len(current) != 1 || !current[a.ID] {
		t.Errorf("in force %v, %v", current, err)
	}
	withdrawn, err := w.data.Withdraw(t.Context(), a.ID, masterdata.Instruction{Actor: clerk, Note: "a decimal point too far"})
	if err != nil || withdrawn.WithdrawnReason == "" || !withdrawn.WithdrawnAt.Equal(w.clock.Now()) || withdrawn.ApprovedBy != clerk.Key {
		t.Fatalf("withdrawn %+v, %v", withdrawn, err)
	}
	r.refresh(t)
	r.has(t, "withdrawn", owner, former, nil)
	for id, want := range map[string]error{a.ID: masterdata.ErrWithdrawn, "apr_01KB0QXR80ABCDEFGHJKMNPQRS": transaction.ErrNotFound, "x": transaction.ErrNotFound} {
		if _, err := w.data.Withdraw(t.Context(), id, masterdata.Instruction{Actor: clerk, Note: "again"}); !errors.Is(err, want) {
			t.Errorf("withdraw %s: %v, want %v", id, err, want)
		}
	}
	var invalid *masterdata.InvalidError
	if _, err := w.data.Withdraw(t.Context(), a.ID, masterdata.Instruction{Actor: clerk}); !errors.As(err, &invalid) {
		t.Errorf("withdrawn without a reason: %v", err)
	}
}

func withdrawsOnce(t *testing.T, w *fixture) {
	_, a := w.offers(t, "org_acme01", "0.08")
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = w.data.Withdraw(t.Context(), a.ID, masterdata.Instruction{Actor: clerk, Note: "wrong"})
		})
	}
	group.Wait()
	done := 0
	for _, err := range errs {
		switch {
		case err == nil:
			done++
		case !errors.Is(err, masterdata.ErrWithdrawn):
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("%d have withdrawn it", done)
	}
	if revision, err := w.store.MasterDataRevision(t.Context()); err != nil || revision != 2 {
		t.Errorf("revision %d, %v; want that of one approval and one withdrawal", revision, err)
	}
}

func separatesOwners(t *testing.T, w *fixture) {
	r := w.replica(w.store, 0)
	want := map[string]*authority.Snapshot{}
	for i, owner := range []string{"platform", acme.Organization, upper.Organization} {
		want[owner], _ = w.offers(t, owner, fmt.Sprintf("0.0%d", i+1))
	}
	r.refresh(t)
	for owner, snapshot := range want {
		r.has(t, "approved", owner, snapshot, nil)
	}
	for _, owner := range []string{stark.Organization, "", "org_acme0", "org_acme011", "Platform"} {
		r.has(t, "without a snapshot", owner, nil, timeline.ErrNone)
	}
}

func growsStale(t *testing.T, w *fixture) {
	store := NewFaulty(w.store)
	r := w.replica(store, 0)
	s, _ := w.offers(t, acme.Organization, "0.08")
	r.refresh(t)
	store.Set(Away)
	w.clock.advance(5 * time.Minute)
	if err := r.Refresh(t.Context()); !errors.Is(err, ErrInjected) {
		t.Fatalf("r.Refresh: %v", err)
	}
	r.has(t, "unavailable within the tolerance", acme.Organization, s, nil)
	w.clock.advance(time.Second)
	r.has(t, "unavailable for longer", acme.Organization, nil, timeline.ErrStale)
	store.Set(None)
	r.refresh(t)
	r.has(t, "back", acme.Organization, s, nil)
}

// refusesDamage changes the content that a follower reads; the content in the store is intact.
func refusesDamage(t *testing.T, w *fixture) {
	s, _ := w.offers(t, acme.Organization, "0.08")
	other, _ := w.offers(t, stark.Organization, "0.09")
	foreign, err := w.store.MasterDataContent(t.Context(), other.ID())
	if err != nil {
		t.Fatalf("w.store.MasterDataContent: %v", err)
	}
	for name, content := range map[string][]byte{"another snapshot's": foreign, "cut short": foreign[:len(foreign)/2], "nothing": {}, "text": []byte("{}")} {
		r := w.replica(damaged{w.store, s.ID(), content}, 0)
		r.refresh(t)
		r.has(t, name, acme.Organization, nil, timeline.ErrIntegrity)
		r.has(t, name, stark.Organization, other, nil)
	}
}

// closesAlone makes one content unreadable for a while.
func closesAlone(t *testing.T, w *fixture) {
	s, _ := w.offers(t, acme.Organization, "0.08")
	other, _ := w.offers(t, stark.Organization, "0.09")
	store := &unreadable{Heads: w.store, id: s.ID()}
	store.away.Store(true)
	r := w.replica(store, 0)
	if err := r.Refresh(t.Context()); !errors.Is(err, ErrInjected) {
		t.Fatalf("r.Refresh: %v", err)
	}
	r.has(t, "just now", stark.Organization, nil, timeline.ErrNotLoaded)
	for range 3 {
		w.clock.advance(4 * time.Minute)
		if err := r.Refresh(t.Context()); !errors.Is(err, ErrInjected) {
			t.Fatalf("r.Refresh: %v", err)
		}
		r.has(t, "one cannot be read", acme.Organization, nil, timeline.ErrNotLoaded)
		r.has(t, "one cannot be read", stark.Organization, other, nil)
	}
	if reads := store.reads.Load(); reads != 1 {
		t.Errorf("readable contents were read %d times", reads)
	}
	store.away.Store(false)
	r.refresh(t)
	r.has(t, "it can be read again", acme.Organization, s, nil)
}

// unreadable is a store in which one content cannot be read while it is unavailable.
type unreadable struct {
	masterdata.Heads
	id    string
	away  atomic.Bool
	reads atomic.Int64
}

func (u *unreadable) MasterDataContent(ctx context.Context, id string) ([]byte, error) {
	if id == u.id && u.away.Load() {
		return nil, &transaction.UnavailableError{Op: "read master data", Err: ErrInjected}
	}
	u.reads.Add(1)
	return u.Heads.MasterDataContent(ctx, id)
}

// damaged is a store in which one content was exchanged.
type damaged struct {
	masterdata.Heads
	id      string
	content []byte
}

func (d damaged) MasterDataContent(ctx context.Context, id string) ([]byte, error) {
	if id == d.id {
		return d.content, nil
	}
	return d.Heads.MasterDataContent(ctx, id)
}

func overflows(t *testing.T, w *fixture) {
	small, _ := w.offers(t, acme.Organization, "0.08")
	w.clock.advance(time.Second)
	w.offers(t, stark.Organization, "0.09")
	r := w.replica(w.store, 1)
	r.refresh(t)
	r.has(t, "with room for one", acme.Organization, small, nil)
	r.has(t, "with room for one", stark.Organization, nil, timeline.ErrOverflow)
	// The owner that was added later gets no room, although its name sorts first.
	w.clock.advance(time.Second)
	w.offers(t, "org_AAAAAA", "0.07")
	r.refresh(t)
	r.has(t, "with another one", acme.Organization, small, nil)
	r.has(t, "with another one", "org_AAAAAA", nil, timeline.ErrOverflow)
	fresh := w.replica(w.store, 1)
	fresh.refresh(t)
	fresh.has(t, "in a restarted replica", acme.Organization, small, nil)
}

func swaps(t *testing.T, w *fixture) {
	r := w.replica(w.store, 0)
	const owner = "org_acme01"
	known := map[string]bool{}
	first, _ := w.offers(t, owner, "0.01")
	known[first.ID()] = true
	for i := range 9 {
		known[resources(t, owner, fmt.Sprintf("0.1%d", i)).ID()] = true
	}
	r.refresh(t)
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	now := w.clock.Now()
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				got, err := r.authorities.Current(owner, now.Add(time.Minute))
				if err != nil || !known[got.Value.ID()] || got.Value.Owner() != owner {
					t.Errorf("a reader saw %v, %v", got.Value, err)
					return
				}
				if m, found := got.Value.Media("silk-135"); !found || m.Name != "Silk 135" {
					t.Error("a reader saw half a snapshot")
					return
				}
			}
		})
	}
	for i := range 9 {
		w.clock.advance(time.Second)
		w.offers(t, owner, fmt.Sprintf("0.1%d", i))
		r.refresh(t)
	}
	stop()
	readers.Wait()
}
