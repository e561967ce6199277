// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/timeline"
)

// Effective is a snapshot with the window in which it is in force, and its approval.
type Effective = timeline.Span[*Snapshot]

// Holder has the snapshots of every owner. Current(owner, now) returns the snapshot of
// this owner that is in force, or an error that wraps one of package timeline.
type Holder = timeline.Holder[*Snapshot]

// NewHolder returns an empty Holder.
func NewHolder(maxStaleness time.Duration) *Holder {
	return timeline.NewHolder[*Snapshot](maxStaleness)
}
