// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Address names an endpoint: whose it is, in which mode, and which.
type Address struct {
	Owner tenant.ID
	// Name tells the endpoints of a tenant apart; 1 to 63 characters.
	Name string
}

// Endpoint is where a partner wants events, as it is declared right now.
type Endpoint struct {
	Address
	// URL is where events are posted: https, or http to a range of addresses that
	// is exempt (package safehttp).
	URL string
	// Events are the types that it wants; none means all of them.
	Events []transaction.EventType
	// Secrets are those that sign at this instant, one or two, the one that signs
	// [HeaderSignature] first. Empty in processes that do not deliver.
	Secrets []credential.Secret
	// Closed is why nothing may be sent to it now; empty means that it may.
	Closed string
}

// Wants reports whether the endpoint has asked for events of a type.
func (e *Endpoint) Wants(kind transaction.EventType) bool {
	return len(e.Events) == 0 || slices.Contains(e.Events, kind) || kind == TestEvent
}

// NoSecret is why nothing is sent to an endpoint without a secret to sign with.
const NoSecret = "NoSecret"

// Withheld is why a process that delivers sends nothing to the endpoint now: that it
// is closed, or has a secret that does not sign, or none. Empty means that it does.
func (e *Endpoint) Withheld() string {
	if e.Closed != "" {
		return e.Closed
	}
	for _, secret := range e.Secrets {
		if _, err := credential.ParseWebhookSecret(secret); err != nil {
			return NoSecret
		}
	}
	if len(e.Secrets) == 0 {
		return NoSecret
	}
	return ""
}

// Directory knows the endpoints that are declared. Its answers change from one
// instant to the next; nobody keeps them.
type Directory interface {
	// Endpoints lists all of them, in the order of their addresses.
	Endpoints(now time.Time) []Endpoint
	// Endpoint finds one; false if it is not declared.
	Endpoint(address Address, now time.Time) (Endpoint, bool)
}

// Disabled is why an endpoint gets nothing until somebody enables it, or its URL
// changes.
type Disabled string

// The reasons.
const (
	// NotDisabled is the zero value.
	NotDisabled Disabled = ""
	// Gone means that it answered 410.
	Gone Disabled = "Gone"
	// Failing means that nothing but failures came of it for [FailingFor].
	Failing Disabled = "Failing"
)

// FailingFor is how long an endpoint may do nothing but fail before it is
// disabled.
const FailingFor = 5 * 24 * time.Hour

// Standing is what is remembered of an endpoint.
type Standing struct {
	Address
	// URL is that which it had when this was last written: another one is another
	// receiver, for which nothing of the rest counts.
	URL string
	// EnrolledAt is when the capability was first seen open for it.
	EnrolledAt time.Time
	// BegunAt is when it was enrolled with this URL, or enabled since: attempts from
	// before do not count.
	BegunAt time.Time
	// Disabled and DisabledAt say whether it gets nothing, and since when.
	Disabled   Disabled
	DisabledAt time.Time
	// FailingSince is the first failure after the last success; zero after one.
	FailingSince time.Time
	// DeliveredAt is the last success; zero if there was none.
	DeliveredAt time.Time
	// Breaker is how its failures in a row hold deliveries back.
	Breaker Breaker
	// Waiting is the number of deliveries that are pending, OldestAt the time of
	// the oldest event among them; zero if there are none.
	Waiting  int
	OldestAt time.Time
}
