// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"time"
)

// ActivityStore counts deliveries. The stores implement it.
type ActivityStore interface {
	// Activity counts the deliveries of an endpoint that were created at or after a time. It reads
	// the newest deliveries of the owner, at most limit. It may return
	// transaction.UnavailableError.
	Activity(ctx context.Context, address Address, since time.Time, limit int) (Activity, error)
}

// Hour counts the deliveries of an endpoint in one hour.
type Hour struct {
	// At is the beginning of the hour.
	At time.Time
	// Succeeded and Failed count the attempts in this hour. Pending counts the deliveries that
	// were created in this hour and are pending now.
	Succeeded, Failed, Pending int
}

// Activity counts the deliveries of an endpoint by the hour. It counts the deliveries that were
// created since a time.
type Activity struct {
	// Since is the time from which the deliveries are counted. It is later than the requested
	// time if the organization had too many deliveries since then.
	Since time.Time
	// Hours holds the hours with any deliveries, in order.
	Hours []Hour
}
