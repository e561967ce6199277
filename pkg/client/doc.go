// SPDX-License-Identifier: Apache-2.0

// Package client is the Go client of the partner API: requests for quotation
// (RFQs), their quotes, preflight jobs and their reports.
//
// [New] makes a [Client], which is kept and used by everybody. Its methods are
// the verbs. The records have the names and members of the published contracts,
// from which they are generated; members and values that this version does not
// know are left out or passed on, never refused.
//
// # Errors
//
// Every error is a [*CallError]. What lies in it says what to do: a [*Problem]
// is a refusal by the API, to be told by its [Code] with [IsCode]; an
// [*AnswerError] comes from something in between; a [*TransportError] is no
// answer at all; an [*ArgumentError] was not sent. The end of the context is
// found by errors.Is.
//
// # Repeating
//
// A request is repeated, within the [RetryPolicy], if that is safe and may help.
// It is safe for reads, for cancelling, and for creates, because each is sent
// with an idempotency key: however often it arrives, it makes one record. It may
// help after an answer 408, 425, 429, 500, 502, 503 or 504, after a 409 that says
// when to come back, and without an answer. It does not after a 503 by which the
// API says that a capability is closed, and which tells no time.
//
// Where the answer tells a time (Retry-After), that is kept; otherwise waits
// grow exponentially, with full jitter. A time that is longer than the policy
// waits, such as that of a quota which ends at midnight, is an error at once,
// with the time in Problem.RetryAfter. The context ends everything.
//
// # Secrets
//
// The API key is sent over https or to this machine, to the origin and nowhere
// else: redirects are not followed. It is not in errors, nor in what [WithHook]
// is told, and prints as [redacted].
package client
