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

// retry is when master data that cannot be read are worth another try.
const retry = 5 * time.Second

// errForeign is a snapshot that is held for an owner and is not that owner's.
var errForeign = errors.New("the snapshot is of another owner")

// inForce are the master data of a source for the call, with how they are told of;
// both are nil if nothing is approved for now.
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
		return held.Value, told(&held), nil
	}
}

// told is how a snapshot is named in an answer.
func told(held *authority.Effective) *Snapshot {
	return &Snapshot{ID: held.Value.ID(), EffectiveFrom: respond.Since(held.From), EffectiveTo: respond.Since(held.Until)}
}

// unusable is the answer to master data that are there and cannot be answered with.
// An error that nobody has thought of is one of integrity.
func unusable(err error) error {
	switch {
	case errors.Is(err, timeline.ErrDuplicate):
		return problem.New(problem.CodeMasterDataDuplicate, "The master data have an identifier twice.").With(err)
	case errors.Is(err, timeline.ErrOverflow):
		return problem.New(problem.CodeMasterDataOverflow, "The master data are too many to be held.").With(err)
	default:
		return problem.New(problem.CodeMasterDataUnavailable, "The master data cannot be read, or not be vouched for, at the moment.").With(err).After(retry)
	}
}
