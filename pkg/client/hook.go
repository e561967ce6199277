// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"time"
)

// Attempt describes one attempt and its result, for [WithHook]. It contains no secrets:
// no keys, bodies or addresses.
type Attempt struct {
	// Operation is the verb, CreateRFQ for example.
	Operation string
	Method    string
	// Route is the path as the contract has it: /api/v1/rfq/{rfqId}.
	Route string
	// Number counts the attempts of a call, from 1.
	Number int
	// Status is the status of the response; zero without a response.
	Status    int
	RequestID string
	// Sunset is the time at which the operation ends, if announced (RFC 8594): update
	// this package before it.
	Sunset time.Time
	// Err is the reason for a missing response.
	Err error
	// Duration is the duration of the attempt.
	Duration time.Duration
	// Wait is the time to the next attempt; zero for the last one.
	Wait time.Duration
}

// call describes one call of a method of the client.
type call struct {
	operation, route string
	// token is sent instead of the key, unless it is empty.
	token string
	// transfer is added to the time of an attempt.
	transfer time.Duration
	// attempts counts the requests that were sent.
	attempts int
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// called returns the call that a context belongs to, or a new one.
func called(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}
