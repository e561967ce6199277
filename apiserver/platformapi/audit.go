// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"bytes"
	"slices"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// ListAudit serves GET /api/v1/platform/audit.
func (s *surface) ListAudit(c *gate.Call, params ListAuditParams) (ListAuditResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	var before string
	if params.Before != nil {
		if before = *params.Before; !recordid.Valid(recordid.Audit, before) {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter before must be the id of an audit entry.")
		}
	}
	auditEntries, err := s.records.AuditEntries(c.Context(), c.Tenant().Mode, before, page.Limit)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListAudit200JSONResponse{Items: make([]AuditEntry, len(auditEntries))}
	for i, d := range auditEntries {
		answer.Items[i] = auditEntryOf(d)
	}
	return answer, nil
}

func auditEntryOf(d transaction.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: d.ID, At: respond.Instant(d.At), Organization: d.Actor.Organization, Key: d.Actor.Key, RequestID: d.Actor.RequestID,
		Verb: string(d.Verb), Owner: d.Owner.Organization, Subject: d.Subject, Reason: d.Reason,
	}
}

// ListAuditChain serves GET /api/v1/platform/audit/chain.
func (s *surface) ListAuditChain(c *gate.Call, params ListAuditChainParams) (ListAuditChainResponseObject, error) {
	page, err := gate.Page(gate.ListParameters{Limit: params.Limit})
	if err != nil {
		return nil, err
	}
	var after int64
	if params.After != nil {
		if after = *params.After; after < 0 {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter after must be a sequence, 0 or more.")
		}
	}
	chain, err := s.records.AuditChain(c.Context(), c.Tenant().Mode, after, page.Limit)
	if err != nil {
		return nil, problemOf(err)
	}
	answer := ListAuditChain200JSONResponse{
		Livemode: c.Tenant().Mode == tenant.Live,
		Head:     AuditHead{Sequence: chain.Head.Sequence, Hash: chain.Head.Hash.String()},
		Items:    make([]ChainedAuditEntry, len(chain.Entries)),
	}
	for i, e := range chain.Entries {
		answer.Items[i] = ChainedAuditEntry{
			Entry: auditEntryOf(e.AuditEntry), Sequence: e.Sequence, Salt: e.Salt, Details: e.Details.String(), Hash: e.Hash.String(),
		}
	}
	return answer, nil
}

// maxDigests is the contract's limit for one request.
const maxDigests = 100

// ListKeyUses serves GET /api/v1/platform/keys.
func (s *surface) ListKeyUses(c *gate.Call, params ListKeyUsesParams) (ListKeyUsesResponseObject, error) {
	if n := len(params.Digest); n < 1 || n > maxDigests {
		return nil, problem.New(problem.CodeInvalidRequest, "The parameter digest must be sent 1 to %d times.", maxDigests)
	}
	keys := make([]credential.Digest, len(params.Digest))
	for i, text := range params.Digest {
		var err error
		if keys[i], err = credential.ParseDigest(text); err != nil {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter digest must be 64 lower-case hexadecimal digits.")
		}
	}
	uses, err := s.records.KeyUses(c.Context(), keys)
	if err != nil {
		return nil, problemOf(err)
	}
	slices.SortFunc(uses, func(a, b credential.Use) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	answer := ListKeyUses200JSONResponse{Items: make([]KeyUse, len(uses))}
	for i, use := range uses {
		answer.Items[i] = KeyUse{
			Digest: use.Key.String(), LastUsedAt: respond.Instant(use.At), UnusedScopes: use.UnusedScopes(c.KeyScopes(use.Key).Names(), c.Now),
		}
	}
	return answer, nil
}
