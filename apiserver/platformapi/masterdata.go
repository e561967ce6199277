// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// MasterData is the part of package masterdata that the surface uses.
type MasterData interface {
	Check(ctx context.Context, d masterdata.Draft, by masterdata.Instruction) (masterdata.Imported, error)
	Import(ctx context.Context, d masterdata.Draft, by masterdata.Instruction) (masterdata.Imported, error)
	Approve(ctx context.Context, id string, w masterdata.Window, by masterdata.Instruction) (masterdata.Approval, error)
	Withdraw(ctx context.Context, id string, by masterdata.Instruction) (masterdata.Approval, error)
	Snapshots(ctx context.Context, f masterdata.Filter, before string, limit int) ([]masterdata.Snapshot, error)
	Snapshot(ctx context.Context, id string) (masterdata.Snapshot, error)
	Content(ctx context.Context, id string) (masterdata.Draft, error)
	Approvals(ctx context.Context, f masterdata.Filter, before string, limit int) ([]masterdata.Approval, error)
	InForce(ctx context.Context) (map[string]bool, error)
}

// Limits of an import.
const (
	// importLimit limits the body, importSize the uncompressed document, in bytes.
	importLimit = 16 << 20
	importSize  = 64 << 20
)

// live rejects test keys: master data has no sandbox.
func live(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		if c.Tenant().Mode != tenant.Live {
			return problem.New(problem.CodeLiveKeyRequired, "Changing master data requires a live key. The sandbox uses the same master data.")
		}
		return next(c)
	}
}

// alone limits imports and exports to one at a time, because each holds a snapshot in
// memory.
func (s *surface) alone(next gate.Handler) gate.Handler {
	return func(c *gate.Call) error {
		select {
		case s.whole <- struct{}{}:
			defer func() { <-s.whole }()
			return next(c)
		default:
			return problem.New(problem.CodeOverloaded, "Another import or export is running on this replica.").After(time.Second)
		}
	}
}

// ImportSnapshot serves POST /api/v1/platform/masterdata/snapshots.
func (s *surface) ImportSnapshot(c *gate.Call, params ImportSnapshotParams) (ImportSnapshotResponseObject, error) {
	draft, err := draftOf(c)
	if err != nil {
		return nil, err
	}
	act := s.data.Import
	dry := params.DryRun != nil && *params.DryRun
	if dry {
		act = s.data.Check
	}
	imported, err := act(c.Context(), draft, instructionOf(c, params.Note))
	if err != nil {
		return nil, masterDataProblem(err)
	}
	answer := ImportedSnapshot{Snapshot: snapshotModel(&imported.Snapshot), New: imported.New}
	if imported.New && !dry {
		return ImportSnapshot201JSONResponse(answer), nil
	}
	return ImportSnapshot200JSONResponse(answer), nil
}

// draftOf reads the document of a request.
func draftOf(c *gate.Call) (masterdata.Draft, error) {
	text := bytes.NewReader(c.Body)
	if c.ContentType == "application/gzip" {
		unpacked, err := unpack(c.Body)
		if err != nil {
			return masterdata.Draft{}, err
		}
		text = bytes.NewReader(unpacked)
	}
	document, err := source.ReadJSON(c.Context(), text)
	if invalid, ok := errors.AsType[*source.InvalidError](err); ok {
		violations := make([]problem.Violation, len(invalid.Faults))
		for i, fault := range invalid.Faults { // with its line
			violations[i] = problem.Violation{Pointer: "#", Detail: fault.String()}
		}
		return masterdata.Draft{}, problem.New(problem.CodePlatformRequestInvalid, "The document is not valid.").Violates(violations...)
	}
	if err != nil {
		if c.Context().Err() != nil {
			// The client has disconnected; nothing was stored.
			return masterdata.Draft{}, problemOf(&transaction.UnavailableError{Op: "read master data", Err: err})
		}
		return masterdata.Draft{}, fmt.Errorf("read master data: %w", err)
	}
	return masterdata.DraftOf(document), nil
}

// unpack decompresses a document. It measures the size first and then allocates exactly
// that much memory.
func unpack(packed []byte) ([]byte, error) {
	size := int64(0)
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		size, err = io.Copy(io.Discard, io.LimitReader(r, importSize+1))
	}
	if err != nil {
		return nil, problem.New(problem.CodeInvalidRequest, "The body is not valid gzip data.").With(err)
	}
	if size > importSize {
		return nil, problem.New(problem.CodePayloadTooLarge, "The document is larger than %d bytes.", importSize)
	}
	text := make([]byte, size)
	if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
		_, err = io.ReadFull(r, text)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack a document: %w", err)
	}
	return text, nil
}

// instructionOf returns the actor and the note of a request.
func instructionOf(c *gate.Call, note *string) masterdata.Instruction {
	by := masterdata.Instruction{Actor: transaction.Actor{Organization: c.Tenant().Organization, Key: c.Caller.KeyName(), RequestID: c.RequestID()}}
	if note != nil {
		by.Note = *note
	}
	return by
}

// ListSnapshots serves GET /api/v1/platform/masterdata/snapshots.
func (s *surface) ListSnapshots(c *gate.Call, params ListSnapshotsParams) (ListSnapshotsResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	filter, err := filterOf((*string)(params.Level), params.Owner)
	if err != nil {
		return nil, err
	}
	before, err := beforeOf(params.Before, masterdata.IsSnapshotID)
	if err != nil {
		return nil, err
	}
	found, err := s.data.Snapshots(c.Context(), filter, before, page.Limit)
	if err != nil {
		return nil, masterDataProblem(err)
	}
	answer := ListSnapshots200JSONResponse{Items: make([]Snapshot, len(found))}
	for i := range found {
		answer.Items[i] = snapshotModel(&found[i])
	}
	return answer, nil
}

// filterOf reads the filters of both lists.
func filterOf(level, owner *string) (masterdata.Filter, error) {
	var f masterdata.Filter
	if level != nil {
		parsed, known := masterdata.ParseLevel(*level)
		if !known {
			return f, problem.New(problem.CodeInvalidRequest, "The parameter level must be catalog or resources.")
		}
		f.Level = parsed
	}
	if owner != nil {
		if !authority.IsOwner(*owner) {
			return f, problem.New(problem.CodeInvalidRequest, "The parameter owner must be platform or the id of an organization.")
		}
		f.Owner = *owner
	}
	return f, nil
}

// beforeOf reads the id before which a page begins; empty for the first page.
func beforeOf(before *string, isID func(string) bool) (string, error) {
	if before == nil {
		return "", nil
	}
	if !isID(*before) {
		return "", problem.New(problem.CodeInvalidRequest, "The parameter before must be the id of an item of this list.")
	}
	return *before, nil
}

// ShowSnapshot serves GET /api/v1/platform/masterdata/snapshots/{snapshotId}.
func (s *surface) ShowSnapshot(c *gate.Call, snapshotID SnapshotID) (ShowSnapshotResponseObject, error) {
	found, err := s.data.Snapshot(c.Context(), snapshotID)
	if err != nil {
		return nil, masterDataProblem(err)
	}
	return ShowSnapshot200JSONResponse(snapshotModel(&found)), nil
}

// exported is a document in its published form.
type exported []byte

// answerExportSnapshot implements [ExportSnapshotResponseObject].
func (e exported) answerExportSnapshot(c *gate.Call) error {
	respond.Bytes(c.Writer, http.StatusOK, "application/json", e)
	return nil
}

// ExportSnapshot serves GET /api/v1/platform/masterdata/snapshots/{snapshotId}/content.
func (s *surface) ExportSnapshot(c *gate.Call, snapshotID SnapshotID) (ExportSnapshotResponseObject, error) {
	draft, err := s.data.Content(c.Context(), snapshotID)
	if err != nil {
		return nil, masterDataProblem(err)
	}
	text, err := draft.Document().JSON()
	if err != nil {
		return nil, fmt.Errorf("export master data: %w", err)
	}
	return exported(text), nil
}

// ApproveSnapshot serves POST /api/v1/platform/masterdata/snapshots/{snapshotId}/approve.
func (s *surface) ApproveSnapshot(c *gate.Call, snapshotID SnapshotID, body ApprovalRequest) (ApproveSnapshotResponseObject, error) {
	var window masterdata.Window
	for _, member := range []struct {
		pointer string
		text    *string
		into    *time.Time
	}{{"#/effectiveFrom", body.EffectiveFrom, &window.From}, {"#/effectiveUntil", body.EffectiveUntil, &window.Until}} {
		if member.text == nil {
			continue
		}
		at, err := time.Parse(time.RFC3339, *member.text)
		if err != nil || at.IsZero() { // an absent time is the zero time
			return nil, invalid([]problem.Violation{{Pointer: member.pointer, Detail: "must be an RFC 3339 time, for example 2027-01-01T00:00:00Z"}})
		}
		*member.into = at
	}
	approved, err := s.data.Approve(c.Context(), snapshotID, window, instructionOf(c, body.Note))
	if err != nil {
		return nil, masterDataProblem(err)
	}
	model, err := s.approvalModels(c, approved)
	if err != nil {
		return nil, err
	}
	return ApproveSnapshot201JSONResponse(model[0]), nil
}

// ListApprovals serves GET /api/v1/platform/masterdata/approvals.
func (s *surface) ListApprovals(c *gate.Call, params ListApprovalsParams) (ListApprovalsResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	filter, err := filterOf((*string)(params.Level), params.Owner)
	if err != nil {
		return nil, err
	}
	before, err := beforeOf(params.Before, func(id string) bool { return recordid.Valid(masterdata.ApprovalPrefix, id) })
	if err != nil {
		return nil, err
	}
	found, err := s.data.Approvals(c.Context(), filter, before, page.Limit)
	if err != nil {
		return nil, masterDataProblem(err)
	}
	items, err := s.approvalModels(c, found...)
	if err != nil {
		return nil, err
	}
	return ListApprovals200JSONResponse{Items: items}, nil
}

// WithdrawApproval serves POST /api/v1/platform/masterdata/approvals/{approvalId}/withdraw.
func (s *surface) WithdrawApproval(c *gate.Call, approvalID string, body Reason) (WithdrawApprovalResponseObject, error) {
	withdrawn, err := s.data.Withdraw(c.Context(), approvalID, instructionOf(c, &body.Reason))
	if err != nil {
		return nil, masterDataProblem(err)
	}
	model, err := s.approvalModels(c, withdrawn)
	if err != nil {
		return nil, err
	}
	return WithdrawApproval200JSONResponse(model[0]), nil
}

func snapshotModel(s *masterdata.Snapshot) Snapshot {
	return Snapshot{
		ID: s.ID, Level: string(s.Level), Owner: s.Owner, Currency: s.Currency, Counts: s.Counts,
		Provenance: Provenance{Source: s.Provenance.Source, Reference: s.Provenance.Reference, Note: s.Provenance.Note},
		ImportedAt: respond.Instant(s.ImportedAt), ImportedBy: s.ImportedBy,
	}
}

// approvalModels returns the models of approvals, including whether each is in effect
// for its owner.
func (s *surface) approvalModels(c *gate.Call, approvals ...masterdata.Approval) ([]Approval, error) {
	current, err := s.data.InForce(c.Context())
	if err != nil {
		return nil, masterDataProblem(err)
	}
	models := make([]Approval, len(approvals))
	for i := range approvals {
		a := &approvals[i]
		models[i] = Approval{
			ID: a.ID, SnapshotID: a.Snapshot, Level: string(a.Level), Owner: a.Owner,
			EffectiveFrom: respond.Instant(a.From), EffectiveUntil: respond.Since(a.Until),
			ApprovedAt: respond.Instant(a.ApprovedAt), ApprovedBy: a.ApprovedBy, Note: a.Note,
			WithdrawnAt: respond.Since(a.WithdrawnAt), WithdrawnBy: a.WithdrawnBy, WithdrawnReason: a.WithdrawnReason,
			InForce: current[a.ID],
		}
	}
	return models, nil
}

// masterDataProblem maps the errors of package masterdata to problems.
func masterDataProblem(err error) error {
	var malformed *masterdata.InvalidError
	switch {
	case errors.As(err, &malformed):
		return invalid([]problem.Violation{{Pointer: "#/" + malformed.Field, Detail: malformed.Reason}})
	case errors.Is(err, masterdata.ErrWithdrawn):
		return problem.New(problem.CodeMasterDataConflict, "The approval was already withdrawn.")
	case errors.Is(err, masterdata.ErrSameKey):
		return problem.New(problem.CodeMasterDataConflict, "The key that imported the snapshot may not approve it. Approve it with another key.")
	case errors.Is(err, timeline.ErrIntegrity), errors.Is(err, timeline.ErrDuplicate):
		return fmt.Errorf("a stored snapshot cannot be read: %w", err)
	default:
		return problemOf(err)
	}
}
