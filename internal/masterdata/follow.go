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

// Heads is the part of a store that a [Follower] reads.
type Heads interface {
	// MasterDataRevision grows with every approval and withdrawal.
	MasterDataRevision(ctx context.Context) (int64, error)
	// MasterDataHeads returns the approvals that are in force at now or can still come into
	// force, and their revision. It leaves out approvals that are withdrawn, have ended, or
	// are superseded for good by a later approval without an end.
	MasterDataHeads(ctx context.Context, now time.Time) (int64, []Approval, error)
	// MasterDataContent reads the content of a snapshot.
	MasterDataContent(ctx context.Context, id string) ([]byte, error)
}

const (
	// Poll is the interval in which a replica checks for a new revision.
	Poll = 2 * time.Second
	// ahead is how long before its window begins a snapshot is loaded.
	ahead = 10 * time.Minute
	// grace is how long a superseded snapshot stays in use while its successor cannot be
	// read. It is longer than a short database outage and shorter than any maximum
	// staleness.
	grace = time.Minute
	// MaxHeld bounds the resources of all snapshots in the memory of a replica: about
	// 180 MB, well within the memory of a deployed API server.
	MaxHeld = 300_000
)

// FollowerConfig holds the dependencies and settings of a [Follower].
type FollowerConfig struct {
	Heads       Heads
	Catalogs    *catalog.Holder
	Authorities *authority.Holder
	Now         func() time.Time
	Log         *slog.Logger
	// MaxHeld replaces the bound [MaxHeld] unless it is zero.
	MaxHeld int
}

// Follower keeps the approved snapshots in memory. It reads and indexes snapshots first and
// then replaces the published state as a whole. If it cannot read them, the last state
// remains and becomes stale.
type Follower struct {
	config FollowerConfig

	mu       sync.Mutex // one refresh at a time
	revision int64
	heads    []Approval
	drafts   map[string]Draft
	faults   map[string]error
	// next is the time of the next reload: a head must be loaded, or the heads change.
	next time.Time
	// failing is the start of the current period of failed reads.
	failing time.Time
	err     error
	// attempted is set after the first refresh, whether it succeeded or not.
	attempted bool
}

// unread is a revision that no store has, and forces a reload.
const unread = -1

// NewFollower returns a Follower; [Follower.Run] starts it.
func NewFollower(c FollowerConfig) *Follower {
	if c.MaxHeld == 0 {
		c.MaxHeld = MaxHeld
	}
	return &Follower{config: c, revision: unread, drafts: map[string]Draft{}}
}

// Run refreshes the state until the context ends.
func (f *Follower) Run(ctx context.Context) {
	ticker := time.NewTicker(Poll)
	defer ticker.Stop()
	for {
		// Log only the transitions between success and failure.
		err := f.Refresh(ctx)
		f.mu.Lock()
		former := f.err
		f.err, f.attempted = err, true
		f.mu.Unlock()
		switch {
		case ctx.Err() != nil:
		case err != nil && former == nil:
			f.config.Log.Warn("cannot read master data; the current state remains and becomes stale", "error", err)
		case err == nil && former != nil:
			f.config.Log.Info("master data can be read again")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Healthy returns the error of the last refresh.
func (f *Follower) Healthy() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Attempted reports whether the follower has read the store at least once, successfully or not.
func (f *Follower) Attempted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.attempted
}

// Refresh checks the revision once, and replaces the published state if it has changed.
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

// reload reads the heads and the missing snapshots. While a snapshot cannot be read, the
// last state remains. After the grace period, the missing snapshot makes the master data of
// its owner unavailable, but not those of other owners.
func (f *Follower) reload(ctx context.Context, now time.Time) error {
	revision, heads, err := f.config.Heads.MasterDataHeads(ctx, now)
	if err != nil {
		return fmt.Errorf("master data: %w", err)
	}
	drafts, faults := map[string]Draft{}, map[string]error{}
	held := 0
	var missing error
	for _, head := range f.byPrecedence(heads) {
		_, loaded := drafts[head.Snapshot]
		if head.From.After(now.Add(ahead)) || loaded || faults[head.Snapshot] != nil {
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
			f.config.Log.Error("cannot use a snapshot of master data", "snapshot", head.Snapshot, "owner", head.Owner, "approval", head.ID, "error", fault)
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
		maps.Copy(f.drafts, drafts) // the next refresh reads only the missing snapshots
		return missing
	}
	f.heads, f.drafts, f.faults = heads, drafts, faults
	f.revision, f.next = revision, upcoming(heads, now)
	f.publish(now)
	return missing
}

// byPrecedence sorts heads by their claim to memory: catalogs first, then loaded snapshots,
// then earlier approvals. A snapshot that exceeds the bound thus makes only its own owner
// unavailable.
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

// obtain returns the content of a head from memory or from the store. fault means that the
// content is unusable, err that it could not be read.
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

// upcoming returns the time of the next reload: when a head must be loaded, or when a window
// begins or ends. At both ends of a window, other approvals may be superseded permanently.
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

// publish publishes the loaded snapshots, confirmed now.
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
