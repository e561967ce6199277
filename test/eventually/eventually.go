// SPDX-License-Identifier: Apache-2.0

// Package eventually polls in tests until something that other goroutines or processes
// do has happened. Its limits only end tests that would hang; they measure nothing.
package eventually

import (
	"errors"
	"testing"
	"time"
)

// Limit is long enough for every condition of a test on a slow machine.
const Limit = time.Minute

// The times between two polls. A condition that takes long, such as a process, is polled
// less often, so that polling leaves the CPUs to what it waits for.
const (
	shortest = 5 * time.Millisecond
	longest  = 500 * time.Millisecond
)

// Holds polls until the condition returns true. After [Limit] the test fails with what.
func Holds(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	failed := errors.New(what)
	SucceedsWithin(tb, Limit, func() error {
		if condition() {
			return nil
		}
		return failed
	})
}

// Succeeds polls until the condition returns nil. After [Limit] the test fails with the
// condition's last error.
func Succeeds(tb testing.TB, condition func() error) {
	tb.Helper()
	SucceedsWithin(tb, Limit, condition)
}

// SucceedsWithin is [Succeeds] with another limit.
func SucceedsWithin(tb testing.TB, limit time.Duration, condition func() error) {
	tb.Helper()
	deadline := time.Now().Add(limit)
	for {
		began := time.Now()
		err := condition()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("not within %v: %v", limit, err)
		}
		time.Sleep(min(max(shortest, 9*time.Since(began)), longest))
	}
}
