// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Address identifies an endpoint by its owner, with its mode, and its name.
type Address struct {
	Owner tenant.ID
	// Name is unique for the owner; 1 to 63 characters.
	Name string
}

// Endpoint is an endpoint as currently declared.
type Endpoint struct {
	Address
	// URL is where events are posted: https, or http to an exempt range of addresses
	// (package safehttp).
	URL string
	// Events are the types that the endpoint wants; empty means all types.
	Events []transaction.EventType
	// Secrets are the one or two secrets that sign now, starting with the one for
	// [HeaderSignature]. Empty in processes that do not deliver.
	Secrets []credential.Secret
	// Closed is the reason why nothing may be sent now; empty if the endpoint is open.
	Closed string
}

// Wants reports whether the endpoint wants events of a type.
func (e *Endpoint) Wants(kind transaction.EventType) bool {
	return len(e.Events) == 0 || slices.Contains(e.Events, kind) || kind == TestEvent
}

// NoSecret is the reason for an endpoint without a signing secret.
const NoSecret = "NoSecret"

// Withheld returns why a delivering process sends nothing to the endpoint now: the
// endpoint is closed, or has no valid secret. Empty means that it sends.
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

// Directory returns the declared endpoints. Its results change at any time, so callers
// must not keep them.
type Directory interface {
	// Endpoints lists all endpoints in the order of their addresses.
	Endpoints(now time.Time) []Endpoint
	// Endpoint returns one endpoint; false if it is not declared.
	Endpoint(address Address, now time.Time) (Endpoint, bool)
}

// Disabled is why an endpoint gets nothing until it is enabled or its URL changes.
type Disabled string

// The reasons.
const (
	// NotDisabled is the zero value.
	NotDisabled Disabled = ""
	// Gone means that the endpoint returned 410.
	Gone Disabled = "Gone"
	// Failing means that all attempts failed for [FailingFor].
	Failing Disabled = "Failing"
)

// FailingFor is how long all attempts must fail before the endpoint is disabled.
const FailingFor = 5 * 24 * time.Hour

// Standing is the stored state of an endpoint.
type Standing struct {
	Address
	// URL is the URL at the last write. A different URL is a new receiver, for which
	// the other members do not apply.
	URL string
	// EnrolledAt is when the capability was first seen open for the endpoint.
	EnrolledAt time.Time
	// BegunAt is when the endpoint was enrolled with this URL, or enabled since.
	// Earlier attempts do not count.
	BegunAt time.Time
	// Disabled and DisabledAt are why and since when the endpoint gets nothing.
	Disabled   Disabled
	DisabledAt time.Time
	// FailingSince is the first failure after the last success; zero after one.
	FailingSince time.Time
	// DeliveredAt is the last success; zero if there was none.
	DeliveredAt time.Time
	// Breaker is the circuit breaker of the endpoint.
	Breaker Breaker
	// Waiting counts pending deliveries. OldestAt is the time of their oldest event;
	// zero without pending deliveries.
	Waiting  int
	OldestAt time.Time
}
