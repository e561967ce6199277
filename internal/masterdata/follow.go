// SPDX-License-Identifier: Apache-2.0

package masterdata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Heads is what a [Follower] needs of a store.
type Heads interface {
	// MasterDataRevision grows with every approval and withdrawal.
	MasterDataRevision(ctx context.Context) (int64, error)
	// MasterDataHeads are the approvals that are in force or can come into force, as
	// seen at now, with the revision that they are of: those that stand, have not
	// ended, and are not hidden for ever behind a later one without an end.
	MasterDataHeads(ctx context.Context, now time.Time) (int64, []Approval, error)
	// MasterDataContent reads the content of a snapshot.
	MasterDataContent(ctx context.Context, id string) ([]byte, error)
}

const (
	// Poll is how often a replica asks whether anything has changed.
	Poll = 2 * time.Second
	// ahead is how long before it comes into force a snapshot is loaded.
	ahead = 10 * time.Minute
	// grace is how long what is superseded stays while what comes after it cannot be
	// read: longer than a database is away for a moment, shorter than anything is stale.
	grace = time.Minute
	// MaxHeld bounds the resources of all snapshots that a replica holds at once: some
	// 180 MB, well within the memory that an API server is deployed with.
	MaxHeld = 300_000
)

// FollowerConfig is what a [Follower] needs.
type FollowerConfig struct {
	Heads       Heads
	Catalogs    *catalog.Holder
	Authorities *authority.Holder
	Now         func() time.Time
	Log         *slog.Logger
	// MaxHeld, if it is not zero, is another bound than [MaxHeld].
	MaxHeld int
}

// Follower keeps what is approved in memory. Snapshots are read and indexed aside
// and swapped in whole; what fails to be read leaves the last state, which grows
// stale.
type Follower struct {
	config FollowerConfig

	mu       sync.Mutex // one refresh at a time
	revision int64
	heads    []Approval
	drafts   map[string]Draft
	faults   map[string]error
	// next is when a head comes near enough to be loaded, or the heads change.
	next time.Time
	// failing is since when something has not been readable.
	failing time.Time
	err     error
	// asked is set when the store has answered, well or not.
	asked bool
}

// unread is no revision of a store.
const unread = -1

// NewFollower makes a follower; [Follower.Run] starts it.
func NewFollower(c FollowerConfig) *Follower {
	if c.MaxHeld == 0 {
		c.MaxHeld = MaxHeld
	}
	return &Follower{config: c, revision: unread, drafts: map[string]Draft{}}
}

// Run follows until the context ends.
func (f *Follower) Run(ctx context.Context) {
	ticker := time.NewTicker(Poll)
	defer ticker.Stop()
	for {
		// Log a change between well and not.
		err := f.Refresh(ctx)
		f.mu.Lock()
		former := f.err
		f.err, f.asked = err, true
		f.mu.Unlock()
		switch {
		case ctx.Err() != nil:
		case err != nil && former == nil:
			f.config.Log.Warn("master data cannot be read; what is in force stays and grows stale", "error", err)
		case err == nil && former != nil:
			f.config.Log.Info("master data is read again")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Healthy is why the last refresh failed, or nil.
func (f *Follower) Healthy() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Asked reports whether the store was asked at all.
func (f *Follower) Asked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// Refresh asks once, and swaps in what has changed.
func (f *Follower) Refresh(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.config.Now()
	revision, err := f.config.Heads.MasterDataRevision(ctx)
	if err != nil {
		return fmt.Errorf("master data: %w", err)
	}
	if revision != f.revision || !f.next.IsZero() && !now.Before(f.next) {
		return f.reload(ctx, now)
	}
	f.publish(now)
	return nil
}

// reload reads the heads and whatever snapshots they need that are not held. While
// one cannot be read the last state stays; when that has lasted, it closes its owner
// until it can be read, and nobody else.
func (f *Follower) reload(ctx context.Context, now time.Time) error {
	revision, heads, err := f.config.Heads.MasterDataHeads(ctx, now)
	if err != nil {
		return fmt.Errorf("master data: %w", err)
	}
	drafts, faults := map[string]Draft{}, map[string]error{}
	held := 0
	var missing error
	for _, head := range f.byPrecedence(heads) {
		if head.From.After(now.Add(ahead)) || has(drafts, faults, head.Snapshot) {
			continue
		}
		draft, fault, err := f.obtain(ctx, head)
		if err != nil {
			missing = errors.Join(missing, err)
			continue
		}
		if fault == nil {
			if held += size(draft); held > f.config.MaxHeld {
				held -= size(draft)
				fault = fmt.Errorf("%w: %d resources and no more", timeline.ErrOverflow, f.config.MaxHeld)
			}
		}
		if fault != nil {
			faults[head.Snapshot] = fault
			f.config.Log.Error("a snapshot of master data cannot be used", "snapshot", head.Snapshot, "owner", head.Owner, "approval", head.ID, "error", fault)
			continue
		}
		drafts[head.Snapshot] = draft
	}
	if missing == nil {
		f.failing = time.Time{}
	} else if revision = unread; f.failing.IsZero() {
		f.failing = now
	}
	if missing != nil && now.Sub(f.failing) < grace {
		maps.Copy(f.drafts, drafts) // read again what is missing, and nothing else
		return missing
	}
	f.heads, f.drafts, f.faults = heads, drafts, faults
	f.revision, f.next = revision, upcoming(heads, now)
	f.publish(now)
	return missing
}

// byPrecedence is the order in which heads get room: catalogs, what is held already,
// what was approved first. So a snapshot that is too much closes its own owner, and
// nobody who was there before.
func (f *Follower) byPrecedence(heads []Approval) []Approval {
	rank := func(a Approval) int {
		_, held := f.drafts[a.Snapshot]
		switch {
		case a.Level == Catalog:
			return 0
		case held:
			return 1
		default:
			return 2
		}
	}
	return slices.SortedStableFunc(slices.Values(heads), func(a, b Approval) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.ApprovedAt.Compare(b.ApprovedAt), cmp.Compare(a.ID, b.ID))
	})
}

func has(drafts map[string]Draft, faults map[string]error, id string) bool {
	_, held := drafts[id]
	return held || faults[id] != nil
}

// obtain is the content of a head: held already, or read now. A fault is that of the
// content, an error that of reading.
func (f *Follower) obtain(ctx context.Context, head Approval) (d Draft, fault, err error) {
	if d, held := f.drafts[head.Snapshot]; held {
		return d, nil, nil
	}
	text, err := f.config.Heads.MasterDataContent(ctx, head.Snapshot)
	if errors.Is(err, transaction.ErrNotFound) {
		return Draft{}, fmt.Errorf("%w: its content is gone", timeline.ErrIntegrity), nil
	}
	if err != nil {
		return Draft{}, nil, fmt.Errorf("snapshot %s of %s: %w", head.Snapshot, head.Owner, err)
	}
	d, fault = decode(head.Level, head.Snapshot, text)
	return d, fault, nil
}

func size(d Draft) int {
	if d.Catalog != nil {
		return d.Catalog.Size()
	}
	return d.Resources.Size()
}

// upcoming is when the heads have to be looked at again: when one comes near, or
// when one begins or ends, since others may be hidden for ever from then on.
func upcoming(heads []Approval, now time.Time) time.Time {
	var next time.Time
	for _, head := range heads {
		for _, at := range [...]time.Time{head.From.Add(-ahead), head.From, head.Until} {
			if at.After(now) && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	return next
}

// publish hands over what is held, confirmed now.
func (f *Follower) publish(now time.Time) {
	var catalogs []timeline.Span[*catalog.Catalog]
	authorities := map[string][]authority.Effective{}
	for _, head := range f.heads {
		draft, held := f.drafts[head.Snapshot]
		fault := f.faults[head.Snapshot]
		if !held && fault == nil {
			fault = timeline.ErrNotLoaded
		}
		if head.Level == Catalog {
			catalogs = append(catalogs, span(head, draft.Catalog, fault))
		} else {
			authorities[head.Owner] = append(authorities[head.Owner], span(head, draft.Resources, fault))
		}
	}
	f.config.Catalogs.PublishSpans(catalogs, now)
	f.config.Authorities.Publish(authorities, now)
}

func span[T any](a Approval, value T, fault error) timeline.Span[T] {
	return timeline.Span[T]{Value: value, Err: fault, From: a.From, Until: a.Until, Approval: a.ID, ApprovedAt: a.ApprovedAt}
}
