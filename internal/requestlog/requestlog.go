// SPDX-License-Identifier: Apache-2.0

// Package requestlog keeps the API requests of organizations for 30 days, so that a
// request ID leads to its outcome.
//
// An [Entry] contains the caller, the route and the outcome. It never contains the
// path, the query, the body, a header field or an address of a request, because these
// may contain personal data.
//
// Requests do not wait for their entries: [Recorder.Add] keeps an entry in memory, and
// [Recorder.Run] writes entries every second. Memory and table are limited for each
// tenant: beyond its share a tenant's requests are counted by the minute instead of
// listed.
package requestlog

import (
	"context"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Retention is how long an entry is kept.
const Retention = 30 * 24 * time.Hour

// IDPrefix is the prefix of entry IDs.
const IDPrefix recordid.Prefix = "log_"

// IsID reports whether text has the form of an entry ID.
func IsID(text string) bool { return recordid.Valid(IDPrefix, text) }

// FirstID returns the smallest ID of an entry that arrived at or after an instant.
func FirstID(at time.Time) string { return recordid.First(IDPrefix, at) }

// Entry is one request, or several similar requests that were counted.
type Entry struct {
	// ID is the entry's own ID, assigned by a [Recorder]; IDs sort by At. It differs
	// from RequestID, which a client may use for several requests.
	ID string
	// At is when the request arrived, in whole milliseconds. For counted requests it is
	// the minute of their arrival.
	At time.Time
	// RequestID is the X-Request-Id of the response; empty for counted requests.
	RequestID string
	Tenant    tenant.ID
	// Key is the name of the key, never the key itself; empty for requests with another
	// kind of signature.
	Key string
	// Listener and Surface identify where the request arrived. Surface is empty for a
	// route that belongs to no surface.
	Listener, Surface string
	// Method is a known method, or "other". Route is the pattern of the path.
	Method, Route string
	Status        int
	// Code is the problem code; empty for a success.
	Code string
	// Capability is the requested capability, if any.
	Capability string
	// Reason is why the gate refused the request; empty if it did not. It is for
	// platform operators only.
	Reason string
	// Took is the time from the arrival to the end of the response, in whole
	// microseconds; for counted requests it is the longest.
	Took time.Duration
	// Bytes is the total size of the response bodies.
	Bytes int64
	// Requests is the number of requests: 1, unless they were counted.
	Requests int64
}

// Failed reports whether the response was an error.
func (e *Entry) Failed() bool { return e.Status >= 400 }

// Class is the first digit of a status; 0 matches any status.
type Class int

// Query selects entries of an owner, the newest first.
type Query struct {
	Owner tenant.ID
	// RequestID and Code must match exactly; an empty value matches any.
	RequestID, Code string
	Class           Class
	// Key is the name of a key, and Route the beginning of a route; an empty value matches any.
	// No index has them, so that Since should limit the entries that are read.
	Key, Route string
	// Since is the earliest arrival; the zero time matches any.
	Since time.Time
	// Before is the ID of an entry; only earlier entries are listed. If it is empty,
	// the list starts with the newest entry.
	Before string
	// Limit is the maximum number of listed entries.
	Limit int
}

// DenialQuery selects refused requests of all organizations, in both modes.
type DenialQuery struct {
	// Since is the earliest arrival.
	Since time.Time
	// Organization, Capability and Code must match exactly; an empty value matches any.
	Organization, Capability, Code string
	// Offset is the number of denials before the first one of a list, and Limit the maximum
	// number of listed denials.
	Offset, Limit int
}

// Denial counts the requests that the gates refused for one reason.
type Denial struct {
	Reason, Code, Capability, Surface string
	// Requests is the number of refused requests, Organizations the number of their
	// senders.
	Requests, Organizations int64
	// Last is when the last request arrived, to the minute if it was counted.
	Last time.Time
}

// DeniedTime counts the refused requests that arrived within one step of time.
type DeniedTime struct {
	// At is the begin of the step.
	At time.Time
	// Limited is the number of responses with status 429, Closed that with 5xx, and Rejected
	// that of the others.
	Rejected, Limited, Closed int64
}

// Store stores entries.
type Store interface {
	// AddRequests commits entries together. It ignores entries whose IDs it already
	// has, so that a write with an unknown outcome can be repeated.
	AddRequests(ctx context.Context, entries []Entry) error
	Requests(ctx context.Context, query Query) ([]Entry, error)
	// Denials returns the denials that a query selects, the most frequent first.
	Denials(ctx context.Context, query DenialQuery) ([]Denial, error)
	// DeniedTimes returns the steps of time with requests that a query selects, in order.
	// Steps begin at multiples of step, which is whole minutes, since 1970.
	DeniedTimes(ctx context.Context, query DenialQuery, step time.Duration) ([]DeniedTime, error)
	// PurgeRequests deletes up to limit entries that arrived at or before an instant,
	// and returns their number.
	PurgeRequests(ctx context.Context, until time.Time, limit int) (int, error)
}

// Keeper deletes entries that are older than [Retention].
type Keeper struct {
	Store Store
	Now   func() time.Time
}

// Purge deletes up to limit entries and returns their number. Several processes may
// purge at once.
func (k Keeper) Purge(ctx context.Context, limit int) (int, error) {
	purged, err := k.Store.PurgeRequests(ctx, k.Now().Add(-Retention), limit)
	if err != nil {
		return 0, fmt.Errorf("purge requests: %w", err)
	}
	return purged, nil
}
