// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"time"
)

// Attempt is what [WithHook] is told about one request and what became of it.
// Nothing in it is secret: neither keys, nor bodies, nor addresses.
type Attempt struct {
	// Operation is the verb, CreateRFQ for example.
	Operation string
	Method    string
	// Route is the path as the contract has it: /api/v1/rfq/{rfqId}.
	Route string
	// Number counts the attempts of a call, from 1.
	Number int
	// Status is that of the answer; zero when there was none.
	Status    int
	RequestID string
	// Sunset is when the operation ends, once that is known (RFC 8594): time to
	// use a newer version of this package.
	Sunset time.Time
	// Err is why there was no answer.
	Err error
	// Duration is how long it took.
	Duration time.Duration
	// Wait is the time to the next attempt; zero with the last one.
	Wait time.Duration
}

// outcome is what became of the attempt, in few words.
func (a Attempt) outcome() string {
	if a.Err != nil {
		return a.Err.Error()
	}
	return fmt.Sprintf("status %d", a.Status)
}

// call is one call of a verb.
type call struct {
	operation, route string
	// token is what is sent in the place of the key; empty: the key.
	token string
	// attempts is how many requests were sent so far.
	attempts int
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// called is the call that a context belongs to; a fresh one if it belongs to
// none.
func called(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}
