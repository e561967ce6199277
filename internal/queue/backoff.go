// SPDX-License-Identifier: Apache-2.0

package queue

import "time"

// MostBackoff is the longest pause between two attempts.
const MostBackoff = 5 * time.Minute

// Backoff returns the pause before the attempt after the given one (from 1):
// base doubled with each attempt, at most [MostBackoff], with full jitter.
// jitter returns a random duration from 0 up to the one given.
func Backoff(base time.Duration, attempt int, jitter func(time.Duration) time.Duration) time.Duration {
	d := base
	for range max(attempt, 0) {
		if d >= MostBackoff {
			break
		}
		d *= 2
	}
	return jitter(min(d, MostBackoff))
}
