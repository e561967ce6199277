// SPDX-License-Identifier: Apache-2.0

// Package masterdata is the life of a snapshot: imported, approved for a window,
// in force, superseded or withdrawn.
//
// What a snapshot is made of is another package's: catalogs of groups and products
// (L1, L2) are package catalog's, costed resources (L4) package authority's. Here a
// snapshot is content that was imported once, is named by its digest and never
// changes. An [Approval] puts it in force from one instant until another; of several
// approvals the one that began last counts (package timeline). A [Follower] brings
// what is approved into the memory of each replica.
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

// snapshotID is the form of the ids of snapshots.
var snapshotID = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// IsSnapshotID reports whether a text has the form of the id of a snapshot.
func IsSnapshotID(text string) bool { return snapshotID.MatchString(text) }

// Level is what kind of master data a snapshot has.
type Level = source.Level

// The levels.
const (
	// Catalog is L1 and L2: groups and products, the platform's alone.
	Catalog = source.LevelCatalog
	// Resources is L4: costed resources, the platform's or an organization's.
	Resources = source.LevelResources
)

// ParseLevel finds a level by name; unknown names report false.
func ParseLevel(name string) (Level, bool) {
	l := Level(name)
	return l, l == Catalog || l == Resources
}

// Provenance says where content came from: a system or a file, and the export,
// release or ticket.
type Provenance = source.Provenance

// Snapshot is the record of content that was imported.
type Snapshot struct {
	// ID is "sha256:" and the digest of the content.
	ID    string
	Level Level
	// Owner is "platform" or an organization.
	Owner string
	// Currency is that of the rates; empty for a catalog.
	Currency string
	// Counts are how many there are of what, by its plural in files.
	Counts     map[string]int
	Provenance Provenance
	ImportedAt time.Time
	// ImportedBy is the name of the key.
	ImportedBy string
}

// Approval puts a snapshot in force.
type Approval struct {
	// ID has the prefix apr_; ids sort by the time of the approval.
	ID       string
	Snapshot string
	Level    Level
	Owner    string
	// From belongs to the window, Until does not; a zero Until is open.
	From, Until time.Time
	ApprovedAt  time.Time
	ApprovedBy  string
	Note        string
	// WithdrawnAt is zero while the approval stands.
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
	// maxAhead is how far ahead a window may begin or end.
	maxAhead = 10 * 366 * 24 * time.Hour
	// lateness is how long ago a window may have begun, as seen by us: clocks differ.
	lateness = 5 * time.Minute
)

// ApprovalPrefix is that of the ids of approvals.
const ApprovalPrefix recordid.Prefix = "apr_"

// ErrWithdrawn means that an approval was withdrawn already.
var ErrWithdrawn = errors.New("the approval was withdrawn already")

// InvalidError says what is wrong with a request.
type InvalidError struct {
	// Field is a member of the request.
	Field, Reason string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

// Store keeps the records. Errors are the ledger's; a record that is not there is
// ledger.ErrNotFound.
type Store interface {
	// ImportMasterData keeps a snapshot with its content and the line of the audit,
	// unless it is there already: then it reports false and keeps nothing.
	ImportMasterData(ctx context.Context, s Snapshot, content []byte, deed transaction.AuditEntry) (bool, error)
	// MasterData lists snapshots, the last imported first, from the first that was
	// imported before the one of the id; an empty id starts at the last.
	MasterData(ctx context.Context, f Filter, before string, limit int) ([]Snapshot, error)
	// MasterDataSnapshot reads one.
	MasterDataSnapshot(ctx context.Context, id string) (Snapshot, error)
	// MasterDataContent reads its content.
	MasterDataContent(ctx context.Context, id string) ([]byte, error)
	// ApproveMasterData keeps an approval and the line of the audit.
	ApproveMasterData(ctx context.Context, a Approval, deed transaction.AuditEntry) error
	// WithdrawMasterData ends an approval, or fails with [ErrWithdrawn].
	WithdrawMasterData(ctx context.Context, a Approval, deed transaction.AuditEntry) (Approval, error)
	// MasterDataApproval reads one.
	MasterDataApproval(ctx context.Context, id string) (Approval, error)
	// MasterDataApprovals lists them, the last first, from the first id that is less
	// than before.
	MasterDataApprovals(ctx context.Context, f Filter, before string, limit int) ([]Approval, error)
	Heads
}

// Config is what a [Service] needs.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader
}

// Service runs the verbs of the marketplace's side. It is safe for concurrent use.
type Service struct{ config Config }

// New makes a service.
func New(c Config) *Service { return &Service{config: c} }

// Draft is content to be imported: a catalog or resources, exactly one of them.
type Draft struct {
	Catalog    *catalog.Catalog
	Resources  *authority.Snapshot
	Provenance Provenance
}

// Instruction is who wants something, and why.
type Instruction struct {
	Actor transaction.Actor
	// Note is at most 500 characters.
	Note string
}

// Imported is what came of an import.
type Imported struct {
	Snapshot Snapshot
	// New is false if the same content was imported before; the record is that one.
	New bool
}

// Check tells what an import would come to, without importing anything. Errors:
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

// Import keeps content. The same content again changes nothing. Nothing is in force
// until it is approved. Errors: [*InvalidError].
func (s *Service) Import(ctx context.Context, d Draft, by Instruction) (Imported, error) {
	record, content, err := s.record(d, by)
	if err != nil {
		return Imported{}, err
	}
	deed, err := s.deed(transaction.ImportMasterData, record.Owner, record.ID, by)
	if err != nil {
		return Imported{}, err
	}
	kept, err := s.config.Store.ImportMasterData(ctx, record, content, deed)
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

// record is the record of a draft, and its content as it is stored.
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

// Window is when something is to be in force.
type Window struct {
	// From, if it is zero, is now. A zero Until is open.
	From, Until time.Time
}

// Approve puts a snapshot in force. Errors: ledger.ErrNotFound, [*InvalidError].
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
	a := Approval{
		Snapshot: id, Level: snapshot.Level, Owner: snapshot.Owner, From: w.From, Until: w.Until,
		ApprovedAt: now, ApprovedBy: by.Actor.Key, Note: by.Note,
	}
	if a.ID, err = recordid.New(ApprovalPrefix, now, s.config.Random); err != nil {
		return Approval{}, err
	}
	deed, err := s.deed(transaction.ApproveMasterData, a.Owner, a.ID, by)
	if err != nil {
		return Approval{}, err
	}
	if err := s.config.Store.ApproveMasterData(ctx, a, deed); err != nil {
		return Approval{}, fmt.Errorf("approve master data: %w", err)
	}
	return a, nil
}

// settle fills in and checks a window. What was calculated yesterday was not
// calculated by what is approved today, so a window does not begin in the past.
func (w *Window) settle(now time.Time) error {
	if w.From.IsZero() {
		w.From = now
	}
	open := w.Until.IsZero() // before an instant of the year 1 becomes it
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
		// Else what was approved in between would have begun later, and count.
		w.From = now
	}
	return nil
}

// InForce are the ids of the approvals that are in force now.
func (s *Service) InForce(ctx context.Context) (map[string]bool, error) {
	now := s.now()
	_, heads, err := s.config.Store.MasterDataHeads(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("read what is in force: %w", err)
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

// Withdraw ends an approval at once; what it had superseded is in force again.
// Errors: ledger.ErrNotFound, [ErrWithdrawn], [*InvalidError].
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
	deed, err := s.deed(transaction.WithdrawMasterData, a.Owner, a.ID, by)
	if err != nil {
		return Approval{}, err
	}
	if a, err = s.config.Store.WithdrawMasterData(ctx, a, deed); err != nil {
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

// Content is what a snapshot is made of, as a draft that would import it again.
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

// Approvals lists approvals, the last first.
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

// now is in milliseconds, as every record keeps time.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }

func noteInvalid() error {
	return &InvalidError{Field: "note", Reason: fmt.Sprintf("at most %d printable characters", maxNote)}
}

// printable is text that can stand in one line of a table; empty is.
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
