// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/timeline"
)

// Effective is a snapshot with the window in which it is in force, and what
// approved it.
type Effective = timeline.Span[*Snapshot]

// Holder has the snapshots of every owner. Its Current(owner, now) returns the one
// in force, or an error that wraps one of package timeline; for an owner it never
// returns what is another's.
type Holder = timeline.Holder[*Snapshot]

// NewHolder makes an empty holder.
func NewHolder(maxStaleness time.Duration) *Holder {
	return timeline.NewHolder[*Snapshot](maxStaleness)
}
