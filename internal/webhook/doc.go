// SPDX-License-Identifier: Apache-2.0

// Package webhook tells partners what has become of their records.
//
// Whoever changes a record commits an event with it, into the outbox (package
// ledger). A [Relay] reads the outbox in its order and writes one [Delivery] for
// each endpoint that has asked for events of that type; from then on the delivery
// has a life of its own. It is claimed, posted with signatures (section 6 of the
// interface specification, and Standard Webhooks 1.0.0 beside it), and recorded:
// delivered, or due again by the [Schedule], or exhausted. Any number of processes
// may do this at once, by claims in SQL.
//
// The gates have a say twice. An endpoint is enrolled when the capability has been
// open for it for the first time; for endpoints that are not, nothing is written.
// And nothing is sent while the capability is closed: what is due waits, and goes
// out when it opens again. So a rollback delays events and loses none.
//
// Endpoints are declared in the PartnerEntitlement; this package knows them as what
// a [Directory] says they are right now. What it remembers of one by itself is its
// [Standing]: how it has answered, and whether that has disabled it.
package webhook
