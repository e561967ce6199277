// SPDX-License-Identifier: Apache-2.0

// Package webhook sends events about records to the endpoints of partners.
//
// A transaction that changes a record commits an event to the outbox with it (package
// transaction). A [Relay] reads the outbox in order and writes one [Delivery] for each
// endpoint that wants events of the type. From then on each delivery is independent. A
// process claims it, posts it with signatures (the marketplace's own, and Standard
// Webhooks 1.0.0), and records the result: the delivery is delivered, due again by the
// [Schedule], or exhausted. Any number of processes can work at the same time; claims
// in SQL coordinate them.
//
// The capability matters twice. An endpoint is enrolled when the capability is first
// seen open for it; no deliveries are written for endpoints that are not enrolled. And
// nothing is sent while the capability is closed: due deliveries wait until it opens
// again. So a rollback delays events and loses none.
//
// The PartnerEntitlement declares the endpoints, and a [Directory] returns the current
// declarations. The package stores only the [Standing] of an endpoint: its recent
// results, and whether they have disabled it.
package webhook
