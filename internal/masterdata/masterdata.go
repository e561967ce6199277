// SPDX-License-Identifier: Apache-2.0

// Package masterdata manages the life of a snapshot: imported, approved for a window, in
// force, superseded or withdrawn.
//
// Other packages define the content: package catalog the groups and products (L1, L2),
// package authority the costed resources (L4). In this package a snapshot is content that
// was imported once, is identified by its digest and never changes. An [Approval] puts it
// in force from one instant until another; of several approvals the one that began last
// applies (package timeline). A [Follower] loads the approved snapshots into the memory of
// each replica.
package masterdata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

// snapshotID matches the id of a snapshot.
var snapshotID = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// IsSnapshotID reports whether a text has the form of a snapshot id.
func IsSnapshotID(text string) bool { return snapshotID.MatchString(text) }

// Level is the kind of master data in a snapshot.
type Level = source.Level

// The levels.
const (
	// Catalog is L1 and L2: the groups and products of the platform.
	Catalog = source.LevelCatalog
	// Resources is L4: the costed resources of the platform or of an organization.
	Resources = source.LevelResources
)

// ParseLevel finds a level by name; unknown names report false.
func ParseLevel(name string) (Level, bool) {
	l := Level(name)
	return l, l == Catalog || l == Resources
}

// Provenance is the origin of content: a system or a file, and the export, release or
// ticket.
type Provenance = source.Provenance

// Snapshot is the record of imported content.
type Snapshot struct {
	// ID is "sha256:" and the digest of the content.
	ID    string
	Level Level
	// Owner is "platform" or an organization.
	Owner string
	// Currency is the currency of the rates, or empty for a catalog.
	Currency string
	// Counts maps the name of each list in files to its length.
	Counts     map[string]int
	Provenance Provenance
	ImportedAt time.Time
	// ImportedBy is the name of the importing key.
	ImportedBy string
}

// Approval puts a snapshot in force.
type Approval struct {
	// ID has the prefix apr_; ids sort by the time of the approval.
	ID       string
	Snapshot string
	Level    Level
	Owner    string
	// The window includes From and excludes Until; a zero Until means no end.
	From, Until time.Time
	ApprovedAt  time.Time
	ApprovedBy  string
	Note        string
	// WithdrawnAt is zero unless the approval was withdrawn.
	WithdrawnAt     time.Time
	WithdrawnBy     string
	WithdrawnReason string
}

// Filter selects records; empty members select all.
type Filter struct {
	Level Level
	Owner string
}

// Bounds of requests.
const (
	// MaxLimit bounds a page of records.
	MaxLimit = 100
	maxNote  = 500
	// maxAhead is how far in the future a window may begin or end.
	maxAhead = 10 * 366 * 24 * time.Hour
	// lateness is how far in the past a window may begin, because clocks differ.
	lateness = 5 * time.Minute
)

// ApprovalPrefix is the prefix of approval ids.
const ApprovalPrefix recordid.Prefix = "apr_"

var (
	// ErrWithdrawn means that an approval was already withdrawn.
	ErrWithdrawn = errors.New("the approval was already withdrawn")
	// ErrSameKey means that the key that imported a snapshot may not approve it.
	ErrSameKey = errors.New("another key must approve the snapshot")
)

// InvalidError describes an invalid field of a request.
type InvalidError struct {
	// Field is a member of the request.
	Field, Reason string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

// Store keeps the records. Its errors are those of package transaction; a missing record is
// transaction.ErrNotFound.
type Store interface {
	// ImportMasterData stores a snapshot with its content and the audit entry. If the
	// snapshot exists, it stores nothing and reports false.
	ImportMasterData(ctx context.Context, s Snapshot, content []byte, audit transaction.AuditEntry) (bool, error)
	// MasterData lists snapshots, the last imported first, starting after the snapshot with
	// the id before; an empty id starts at the last import.
	MasterData(ctx context.Context, f Filter, before string, limit int) ([]Snapshot, error)
	// MasterDataSnapshot reads one snapshot.
	MasterDataSnapshot(ctx context.Context, id string) (Snapshot, error)
	// MasterDataContent reads the content of a snapshot.
	MasterDataContent(ctx context.Context, id string) ([]byte, error)
	// ApproveMasterData stores an approval and the audit entry.
	ApproveMasterData(ctx context.Context, a Approval, audit transaction.AuditEntry) error
	// WithdrawMasterData ends an approval, or fails with [ErrWithdrawn].
	WithdrawMasterData(ctx context.Context, a Approval, audit transaction.AuditEntry) (Approval, error)
	// MasterDataApproval reads one approval.
	MasterDataApproval(ctx context.Context, id string) (Approval, error)
	// MasterDataApprovals lists approvals, the latest first, with ids less than before.
	MasterDataApprovals(ctx context.Context, f Filter, before string, limit int) ([]Approval, error)
	Heads
}

// Config holds the dependencies of a [Service].
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader
	// SecondApprover rejects an approval by the key that imported the snapshot.
	SecondApprover bool
}

// Service runs the operations of the platform API on master data. It is safe for
// concurrent use.
type Service struct{ config Config }

// New returns a Service.
func New(c Config) *Service { return &Service{config: c} }

// Draft is content to import: exactly one of a catalog and resources.
type Draft struct {
	Catalog    *catalog.Catalog
	Resources  *authority.Snapshot
	Provenance Provenance
}

// Instruction holds the actor of an operation and the reason.
type Instruction struct {
	Actor transaction.Actor
	// Note is at most 500 characters.
	Note string
}

// Imported is the result of an import.
type Imported struct {
	Snapshot Snapshot
	// New is false if the same content was imported before; Snapshot is then the earlier
	// record.
	New bool
}

// Check returns the result that an import would have, without importing. Errors:
// [*InvalidError].
func (s *Service) Check(ctx context.Context, d Draft, by Instruction) (Imported, error) {
	record, _, err := s.record(d, by)
	if err != nil {
		return Imported{}, err
	}
	known, err := s.config.Store.MasterDataSnapshot(ctx, record.ID)
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return Imported{Snapshot: record, New: true}, nil
	case err != nil:
		return Imported{}, fmt.Errorf("check master data: %w", err)
	default:
		return Imported{Snapshot: known}, nil
	}
}

// Import stores content. Importing the same content again changes nothing. Imported content
// is in force only after its approval. Errors: [*InvalidError].
func (s *Service) Import(ctx context.Context, d Draft, by Instruction) (Imported, error) {
	record, content, err := s.record(d, by)
	if err != nil {
		return Imported{}, err
	}
	audit, err := s.audit(transaction.ImportMasterData, record.Owner, record.ID, by)
	if err != nil {
		return Imported{}, err
	}
	kept, err := s.config.Store.ImportMasterData(ctx, record, content, audit)
	if err != nil {
		return Imported{}, fmt.Errorf("import master data: %w", err)
	}
	if kept {
		return Imported{Snapshot: record, New: true}, nil
	}
	if record, err = s.config.Store.MasterDataSnapshot(ctx, record.ID); err != nil {
		return Imported{}, fmt.Errorf("import master data: %w", err)
	}
	return Imported{Snapshot: record}, nil
}

// record returns the record of a draft and the stored form of its content.
func (s *Service) record(d Draft, by Instruction) (Snapshot, []byte, error) {
	if !printable(by.Note) {
		return Snapshot{}, nil, noteInvalid()
	}
	p := d.Provenance
	for field, text := range map[string]string{"provenance.source": p.Source, "provenance.reference": p.Reference, "provenance.note": p.Note} {
		if !printable(text) || text == "" && field == "provenance.source" {
			return Snapshot{}, nil, &InvalidError{Field: field, Reason: fmt.Sprintf("a text is at most %d printable characters, and a source is named", maxNote)}
		}
	}
	if (d.Catalog == nil) == (d.Resources == nil) {
		return Snapshot{}, nil, &InvalidError{Field: "level", Reason: "a snapshot is a catalog or resources"}
	}
	record := Snapshot{Provenance: p, ImportedAt: s.now(), ImportedBy: by.Actor.Key}
	content, err := encode(d, &record)
	return record, content, err
}

// Window is the period in which a snapshot is in force.
type Window struct {
	// A zero From means now. A zero Until means no end.
	From, Until time.Time
}

// Approve puts a snapshot in force for a window. Errors: transaction.ErrNotFound, [ErrSameKey],
// [*InvalidError].
func (s *Service) Approve(ctx context.Context, id string, w Window, by Instruction) (Approval, error) {
	now := s.now()
	if !printable(by.Note) {
		return Approval{}, noteInvalid()
	}
	if err := w.settle(now); err != nil {
		return Approval{}, err
	}
	snapshot, err := s.config.Store.MasterDataSnapshot(ctx, id)
	if err != nil {
		return Approval{}, fmt.Errorf("approve master data: %w", err)
	}
	if s.config.SecondApprover && by.Actor.Key == snapshot.ImportedBy {
		return Approval{}, ErrSameKey
	}
	a := Approval{
		Snapshot: id, Level: snapshot.Level, Owner: snapshot.Owner, From: w.From, Until: w.Until,
		ApprovedAt: now, ApprovedBy: by.Actor.Key, Note: by.Note,
	}
	if a.ID, err = recordid.New(ApprovalPrefix, now, s.config.Random); err != nil {
		return Approval{}, err
	}
	audit, err := s.audit(transaction.ApproveMasterData, a.Owner, a.ID, by)
	if err != nil {
		return Approval{}, err
	}
	if err := s.config.Store.ApproveMasterData(ctx, a, audit); err != nil {
		return Approval{}, fmt.Errorf("approve master data: %w", err)
	}
	return a, nil
}

// settle completes and checks a window. A window must not begin in the past, because past
// calculations did not use the snapshot.
func (w *Window) settle(now time.Time) error {
	if w.From.IsZero() {
		w.From = now
	}
	open := w.Until.IsZero() // before truncation, which could turn a time of the year 1 into zero
	w.From, w.Until = w.From.UTC().Truncate(time.Millisecond), w.Until.UTC().Truncate(time.Millisecond)
	switch {
	case w.From.Before(now.Add(-lateness)):
		return &InvalidError{Field: "effectiveFrom", Reason: "lies in the past; leave it out for now"}
	case w.From.After(now.Add(maxAhead)):
		return &InvalidError{Field: "effectiveFrom", Reason: "a window begins within ten years"}
	case w.Until.After(now.Add(maxAhead)):
		return &InvalidError{Field: "effectiveUntil", Reason: "a window ends within ten years; leave it out for one without an end"}
	case !open && !w.Until.After(w.From):
		return &InvalidError{Field: "effectiveUntil", Reason: "is not after effectiveFrom"}
	case !open && !w.Until.After(now):
		return &InvalidError{Field: "effectiveUntil", Reason: "lies in the past"}
	case w.From.Before(now):
		// Otherwise an approval made in between would have begun later and would apply.
		w.From = now
	}
	return nil
}

// InForce returns the ids of the approvals that are in force now.
func (s *Service) InForce(ctx context.Context) (map[string]bool, error) {
	now := s.now()
	_, heads, err := s.config.Store.MasterDataHeads(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("read the master data in force: %w", err)
	}
	spans := map[Filter][]timeline.Span[struct{}]{}
	for _, head := range heads {
		of := Filter{head.Level, head.Owner}
		spans[of] = append(spans[of], span(head, struct{}{}, nil))
	}
	current := map[string]bool{}
	for _, all := range spans {
		if i := timeline.At(all, now); i >= 0 {
			current[all[i].Approval] = true
		}
	}
	return current, nil
}

// Current returns the content that is in force now for a level and an owner. The error is
// transaction.ErrNotFound if there is none.
func (s *Service) Current(ctx context.Context, of Filter) (Draft, error) {
	now := s.now()
	_, heads, err := s.config.Store.MasterDataHeads(ctx, now)
	if err != nil {
		return Draft{}, fmt.Errorf("read the master data in force: %w", err)
	}
	var spans []timeline.Span[string]
	for _, head := range heads {
		if head.Level == of.Level && head.Owner == of.Owner {
			spans = append(spans, span(head, head.Snapshot, nil))
		}
	}
	i := timeline.At(spans, now)
	if i < 0 {
		return Draft{}, transaction.ErrNotFound
	}
	return s.Content(ctx, spans[i].Value)
}

// Withdraw ends an approval immediately, so that the approval that it superseded applies
// again. Errors: transaction.ErrNotFound, [ErrWithdrawn], [*InvalidError].
func (s *Service) Withdraw(ctx context.Context, id string, by Instruction) (Approval, error) {
	if strings.TrimSpace(by.Note) == "" || !printable(by.Note) {
		return Approval{}, &InvalidError{Field: "reason", Reason: fmt.Sprintf("1 to %d printable characters", maxNote)}
	}
	if !recordid.Valid(ApprovalPrefix, id) {
		return Approval{}, transaction.ErrNotFound
	}
	a, err := s.config.Store.MasterDataApproval(ctx, id)
	if err != nil {
		return Approval{}, fmt.Errorf("withdraw approval: %w", err)
	}
	a.WithdrawnAt, a.WithdrawnBy, a.WithdrawnReason = s.now(), by.Actor.Key, by.Note
	audit, err := s.audit(transaction.WithdrawMasterData, a.Owner, a.ID, by)
	if err != nil {
		return Approval{}, err
	}
	if a, err = s.config.Store.WithdrawMasterData(ctx, a, audit); err != nil {
		return Approval{}, fmt.Errorf("withdraw approval: %w", err)
	}
	return a, nil
}

// Snapshots lists records, the last imported first.
func (s *Service) Snapshots(ctx context.Context, f Filter, before string, limit int) ([]Snapshot, error) {
	found, err := s.config.Store.MasterData(ctx, f, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list master data: %w", err)
	}
	return found, nil
}

// Snapshot reads one record.
func (s *Service) Snapshot(ctx context.Context, id string) (Snapshot, error) {
	found, err := s.config.Store.MasterDataSnapshot(ctx, id)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read master data: %w", err)
	}
	return found, nil
}

// Content returns the content of a snapshot as a draft that would import it again.
func (s *Service) Content(ctx context.Context, id string) (Draft, error) {
	record, err := s.Snapshot(ctx, id)
	if err != nil {
		return Draft{}, err
	}
	text, err := s.config.Store.MasterDataContent(ctx, id)
	if err != nil {
		return Draft{}, fmt.Errorf("read master data: %w", err)
	}
	draft, err := decode(record.Level, id, text)
	draft.Provenance = record.Provenance
	return draft, err
}

// Approvals lists approvals, the latest first.
func (s *Service) Approvals(ctx context.Context, f Filter, before string, limit int) ([]Approval, error) {
	if before != "" && !recordid.Valid(ApprovalPrefix, before) {
		return nil, transaction.ErrNotFound
	}
	found, err := s.config.Store.MasterDataApprovals(ctx, f, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return found, nil
}

// now returns the current time in whole milliseconds, the precision of all records.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }

func noteInvalid() error {
	return &InvalidError{Field: "note", Reason: fmt.Sprintf("at most %d printable characters", maxNote)}
}

// printable reports whether a text, which may be empty, fits in one line of a table.
func printable(text string) bool {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxNote {
		return false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
