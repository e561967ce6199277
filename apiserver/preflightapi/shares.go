// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"errors"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
)

// SharedPath begins the paths of shared reports. A token follows.
const SharedPath = "/shared/"

// SharePreflight serves POST /api/v1/preflight/{jobId}/shares.
func (s *surface) SharePreflight(c *gate.Call, jobID JobID, body ShareCreate) (SharePreflightResponseObject, error) {
	lifetime := preflightjob.DefaultShareTime
	if body.ExpiresIn != nil {
		lifetime = time.Duration(*body.ExpiresIn) * time.Second
	}
	share, err := s.Jobs.Share(c.Context(), c.Tenant(), jobID, lifetime)
	if errors.Is(err, preflightjob.ErrTooManyShares) {
		return nil, problem.New(problem.CodePreflightInvalid, "The job has %d valid links. Revoke one of them first.", preflightjob.MaxShares)
	}
	if err != nil {
		return nil, s.problemOf(err)
	}
	return SharePreflight201JSONResponse(s.shareModel(share)), nil
}

// shareModel converts a share with its token.
func (s *surface) shareModel(share preflightjob.Share) PreflightShare {
	return PreflightShare{
		ShareID: share.ID, URL: strings.TrimSuffix(s.Origin, "/") + SharedPath + share.Token,
		CreatedAt: respond.Instant(share.CreatedAt), ExpiresAt: respond.Instant(share.ExpiresAt),
	}
}

// ListPreflightShares serves GET /api/v1/preflight/{jobId}/shares.
func (s *surface) ListPreflightShares(c *gate.Call, jobID JobID) (ListPreflightSharesResponseObject, error) {
	shares, err := s.Jobs.Shares(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	model := PreflightShares{Items: make([]PreflightShare, len(shares))}
	for i, share := range shares {
		model.Items[i] = s.shareModel(share)
	}
	return ListPreflightShares200JSONResponse(model), nil
}

// RevokePreflightShare serves DELETE /api/v1/preflight/{jobId}/shares/{shareId}.
func (s *surface) RevokePreflightShare(c *gate.Call, jobID JobID, shareID ShareID) (RevokePreflightShareResponseObject, error) {
	if err := s.Jobs.Unshare(c.Context(), c.Tenant(), jobID, shareID); err != nil {
		return nil, s.problemOf(err)
	}
	return RevokePreflightShare204Response{}, nil
}
