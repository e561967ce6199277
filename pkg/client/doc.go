// SPDX-License-Identifier: Apache-2.0

// Package client is the Go client of the partner API: requests for quotation
// (RFQs), their quotes, preflight jobs and their reports.
//
// [New] returns a [Client]. Create one and share it. Its methods are the operations of
// the API. The records have the names and members of the published contracts, from
// which they are generated. The client ignores unknown members and passes on unknown
// values.
//
// # Errors
//
// Every error is a [*CallError]. Its cause says what to do: a [*Problem] is a rejection
// by the API, identified by its [Code] with [IsCode]; an [*AnswerError] comes from a
// proxy or another server in between; a [*TransportError] means that there was no
// response; an [*ArgumentError] means that the request was not sent. Check for the end
// of the context with errors.Is.
//
// # Retries
//
// The client retries a request, within the [RetryPolicy], if that is safe and may help.
// It is safe for reads, for cancelling, and for creates, because each create has an
// idempotency key: it creates one record, however often it arrives. A retry may help
// after a response 408, 425, 429, 500, 502, 503 or 504, after a 409 with Retry-After,
// and without a response. It does not help after a 503 without Retry-After by which the
// API reports a closed capability.
//
// The client waits for the time in Retry-After, or for exponentially growing times with
// full jitter. A Retry-After that is longer than the policy allows, such as that of a
// quota that resets at midnight, is an error at once, with the time in
// Problem.RetryAfter. The context ends every wait.
//
// # Secrets
//
// The client sends the API key over https or to loopback addresses, and only to the
// origin: it does not follow redirects. Errors and the attempts of [WithHook] do not
// contain the key, and it prints as [redacted].
package client
