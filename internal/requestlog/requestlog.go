// SPDX-License-Identifier: Apache-2.0

// Package requestlog remembers for 30 days what organizations have asked of the API,
// so that a request id leads somebody to what has happened.
//
// An [Entry] says who asked, for which route, and what came of it. It never holds
// what a request brought: neither path nor query, neither body nor header field,
// and no address, as those can be about people.
//
// A request must not wait for its entry: [Recorder.Add] keeps it in memory, and
// [Recorder.Run] writes what there is every second. Memory and table are bounded for
// each tenant: one that floods is counted by the minute in place of being listed.
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

// idPrefix begins the ids of entries.
const idPrefix recordid.Prefix = "log_"

// IsID reports whether text has the form of the id of an entry.
func IsID(text string) bool { return recordid.Valid(idPrefix, text) }

// Entry is one request, or several that are alike and were counted.
type Entry struct {
	// ID is the entry's own, given by a [Recorder]; ids sort by At. A client may use
	// one request id for several requests.
	ID string
	// At is when the request arrived, in whole milliseconds; of several it is the
	// minute in which they did.
	At time.Time
	// RequestID is what the answer had as X-Request-Id; empty where several were
	// counted.
	RequestID string
	Tenant    tenant.ID
	// Key is the name of the key, never the key; empty where a request was signed in
	// another way.
	Key string
	// Listener and Surface are where the request came in; Surface is empty for a
	// route that is counted nowhere.
	Listener, Surface string
	// Method is a known one, or "other"; Route is the pattern of the path.
	Method, Route string
	Status        int
	// Code is that of the problem; empty for a success.
	Code string
	// Capability is the one that was asked for, if any.
	Capability string
	// Reason is why the gate has refused; empty where it has not. It is for the
	// marketplace's side.
	Reason string
	// Took is from the arrival to the end of the answer, in whole microseconds; of
	// several it is the longest.
	Took time.Duration
	// Bytes are those of the answers' bodies.
	Bytes int64
	// Requests is how many there were: 1, unless they were counted.
	Requests int64
}

// Failed reports whether the answer was an error.
func (e *Entry) Failed() bool { return e.Status >= 400 }

// Class is the first digit of a status; 0 is any.
type Class int

// Query selects entries of an owner, the newest first.
type Query struct {
	Owner tenant.ID
	// RequestID and Code are compared whole; empty is any.
	RequestID, Code string
	Class           Class
	// Before is the id of an entry; only those before it are listed. If it is empty,
	// the list begins with the newest.
	Before string
	// Limit is how many are listed at most.
	Limit int
}

// Denial is what the gates have refused for one reason.
type Denial struct {
	Reason, Code, Capability, Surface string
	// Requests is how many were refused, Organizations how many have sent them.
	Requests, Organizations int64
	// Last is when the last one came, to the minute where they were counted.
	Last time.Time
}

// Store keeps entries.
type Store interface {
	// AddRequests commits entries together. Those whose ids it has are left out, so
	// that a write whose outcome is not known can be repeated.
	AddRequests(ctx context.Context, entries []Entry) error
	Requests(ctx context.Context, query Query) ([]Entry, error)
	// Denials are those of all organizations that came at an instant or later, the
	// most frequent first.
	Denials(ctx context.Context, since time.Time, limit int) ([]Denial, error)
	// PurgeRequests erases up to limit entries that came at an instant or earlier, and
	// says how many.
	PurgeRequests(ctx context.Context, until time.Time, limit int) (int, error)
}

// Keeper forgets what is past its [Retention].
type Keeper struct {
	Store Store
	Now   func() time.Time
}

// Purge erases up to limit entries, and says how many. Several may purge at once.
func (k Keeper) Purge(ctx context.Context, limit int) (int, error) {
	purged, err := k.Store.PurgeRequests(ctx, k.Now().Add(-Retention), limit)
	if err != nil {
		return 0, fmt.Errorf("purge requests: %w", err)
	}
	return purged, nil
}
