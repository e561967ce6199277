// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/problem"
)

// retry is the suggested delay before a caller repeats a failed read.
const retry = 5 * time.Second

// errForeign means that the snapshot held for an owner belongs to another owner.
var errForeign = errors.New("the snapshot is of another owner")

// inForce returns the master data in force for a source and the caller, with their
// description for the answer. Both are nil if nothing is approved for now.
func (s *surface) inForce(c *gate.Call, source string) (*authority.Snapshot, *Snapshot, error) {
	owner := authority.Platform
	if source == fromOrganization {
		owner = c.Tenant().Organization
	}
	held, err := s.authority.Current(owner, c.Now)
	switch {
	case errors.Is(err, timeline.ErrNone):
		return nil, nil, nil
	case err != nil:
		return nil, nil, unusable(err)
	case held.Value == nil || held.Value.Owner() != owner:
		return nil, nil, unusable(fmt.Errorf("master data of %s: %w", owner, errForeign))
	default:
		return held.Value, &Snapshot{ID: held.Value.ID(), EffectiveFrom: respond.Since(held.From), EffectiveTo: respond.Since(held.Until)}, nil
	}
}

// unusable returns the problem for master data that cannot be served. An unknown error
// counts as unavailable.
func unusable(err error) error {
	switch {
	case errors.Is(err, timeline.ErrDuplicate):
		return problem.New(problem.CodeMasterDataDuplicate, "The master data contains a duplicate identifier.").With(err)
	case errors.Is(err, timeline.ErrOverflow):
		return problem.New(problem.CodeMasterDataOverflow, "The master data exceeds the memory limit of the bridge.").With(err)
	default:
		return problem.New(problem.CodeMasterDataUnavailable, "The master data is temporarily unavailable or cannot be verified.").With(err).After(retry)
	}
}
