// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// postureWait is the time between two looks for a snapshot.
const postureWait = time.Second

// errProfileUnavailable means that the snapshot in force has no valid custom profile of the name.
var errProfileUnavailable = errors.New("the custom profile does not exist or is invalid")

// profileText returns the text of the job's custom profile as of now, and "" for a built-in one.
// It holds the job while no posture is in force. A worker may be behind the API server that has
// accepted the job, so a missing profile is final only after some attempts.
func (a *attempt) profileText(ctx context.Context) (string, error) {
	name := a.job.Profile
	if slices.Contains(profile.Names(), name) {
		return "", nil
	}
	snapshot := a.Posture()
	for ; snapshot == nil; snapshot = a.Posture() {
		a.Log.WarnContext(ctx, "no posture is in force; holding the job", "job", a.lease.ID, "profile", name)
		if pause(ctx, postureWait); ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	custom, found := snapshot.Profile(name)
	if !found {
		return "", fmt.Errorf("%w: %s", errProfileUnavailable, name)
	}
	return custom.Text, nil
}
