// SPDX-License-Identifier: Apache-2.0

// Package transaction defines what a store commits together with a record.
//
// Creating an RFQ and submitting a preflight job share three companions: the
// idempotency key under which the client may repeat the request, the quota that
// the request uses, and the events that other systems receive. A domain package
// describes them as [Terms]. The store commits the record and its terms in one
// transaction, or nothing at all, and reports an [Outcome] or one of the typed
// errors. Only a committed success is stored under an idempotency key.
//
// The package also holds the audit entries of privileged actions and the errors
// that every store returns.
package transaction

import (
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// KeyRetention is the minimum time that a store keeps an idempotency key. The
// contract promises 24 hours.
const KeyRetention = 30 * 24 * time.Hour

// Operation scopes an idempotency key and a quota. A key is unique to
// (tenant, operation), not to the API key, so that rotating a key does not
// break a retry.
type Operation string

const (
	// CreateRFQ is POST /api/v1/rfq.
	CreateRFQ Operation = "rfq.create"
	// SubmitPreflight is POST /api/v1/preflight.
	SubmitPreflight Operation = "preflight.submit"
)

// Fingerprint is the SHA-256 of the canonical form of a parsed request body:
// member order and white space do not change it.
type Fingerprint [32]byte

// Idempotency is the client's key with the fingerprint of its request.
type Idempotency struct {
	// Key is 1 to 255 visible ASCII characters; empty means that the client
	// sent none and the write is not idempotent.
	Key         string
	Fingerprint Fingerprint
}

// Quota bounds how many writes of one operation a tenant may commit in a
// window. Windows are fixed and aligned to the Unix epoch, so that replicas
// agree on them without talking to each other.
type Quota struct {
	// Limit is the number of writes in a window; 0 allows none. Callers resolve absent
	// quotas to the documented default.
	Limit int64
	// Window is the length of a window, in whole seconds.
	Window time.Duration
}

// Start is the beginning of the window in which now lies.
func (q Quota) Start(now time.Time) time.Time {
	seconds := int64(q.Window / time.Second)
	return time.Unix(now.Unix()-now.Unix()%seconds, 0).UTC()
}

// End is the first instant after the window in which now lies.
func (q Quota) End(now time.Time) time.Time { return q.Start(now).Add(q.Window) }

// Usage is how much of a quota is used up in the present window.
type Usage struct {
	Used int64
	// Ends is the first instant after the window, by the store's clock.
	Ends time.Time
}

// HistoryDays is the number of days for which the use of quotas is kept.
const HistoryDays = 30

// DayUse is the use of the quotas of an operation in windows that began on a day. A later
// change of the quota does not change it.
type DayUse struct {
	// Day is a midnight, UTC.
	Day  time.Time
	Used int64
}

// Terms are the companions of one write.
type Terms struct {
	Tenant      tenant.ID
	Operation   Operation
	Idempotency Idempotency
	// Quota is nil where the operation is not counted.
	Quota  *Quota
	Events []Event
	// Now is the caller's clock. A store with a clock of its own (a database
	// server) uses that for quota windows instead.
	Now time.Time
}

// Outcome is the result of a write with an idempotency key and a quota.
type Outcome int

const (
	// Created means that the record was committed now.
	Created Outcome = iota + 1
	// Replayed means that the same request was committed before under the
	// same key; the record returned is that one, and no quota was used.
	Replayed
)

// ErrKeyReused means that the key was committed before with another body.
var ErrKeyReused = errors.New("idempotency key was used with a different request")

// ErrInProgress means that another request with the same key has been running for longer than
// a store waits. Nothing was written, and the result of the other request is unknown: retry
// shortly.
var ErrInProgress = errors.New("a request with this idempotency key is in progress")

// QuotaExceededError means that the window is used up.
type QuotaExceededError struct {
	Quota Quota
	// RetryAfter is the time until the window ends, by the store's clock; at
	// least one second.
	RetryAfter time.Duration
	// Ends is the first instant after the window.
	Ends time.Time
}

func (e *QuotaExceededError) Error() string {
	return fmt.Sprintf("quota of %d per %s is used up for another %s", e.Quota.Limit, e.Quota.Window, e.RetryAfter)
}

// UnavailableError means that the store could not respond, or that it is unknown whether a
// commit happened. Repeating the request with the same key is safe.
type UnavailableError struct {
	// Op names the store's operation.
	Op  string
	Err error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%s: store unavailable: %v", e.Op, e.Err)
}
func (e *UnavailableError) Unwrap() error { return e.Err }

// ErrOverloaded is inside an [UnavailableError] when the store was too busy to
// begin. Nothing was written, and trying again shortly is the remedy.
var ErrOverloaded = errors.New("store is overloaded")

// ErrNotFound means that the tenant owns no such record. Records of other tenants are not found
// either, so that a tenant cannot probe for them.
var ErrNotFound = errors.New("record not found")
