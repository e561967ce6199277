// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// postureWait is the time between two looks for a snapshot.
const postureWait = time.Second

// errProfileUnavailable means that the snapshot in force has no valid custom profile of the name.
var errProfileUnavailable = errors.New("the custom profile does not exist or is invalid")

// profile returns the profile of the job; a custom one as of now. It holds the job while no posture
// is in force. A worker may be behind the API server that has accepted the job, so a missing profile
// is final only after some attempts.
func (a *attempt) profile(ctx context.Context) (profile.Profile, error) {
	name := a.job.Profile
	if p, err := profile.Lookup(name); !errors.Is(err, profile.ErrUnknown) {
		return p, err
	}
	snapshot := a.Posture()
	for ; snapshot == nil; snapshot = a.Posture() {
		a.Log.WarnContext(ctx, "no posture is in force; holding the job", "job", a.lease.ID, "profile", name)
		if pause(ctx, postureWait); ctx.Err() != nil {
			return profile.Profile{}, context.Cause(ctx)
		}
	}
	custom, found := snapshot.Profile(name)
	if !found {
		return profile.Profile{}, fmt.Errorf("%w: %s", errProfileUnavailable, name)
	}
	return *custom, nil
}
