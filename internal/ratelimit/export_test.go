// SPDX-License-Identifier: Apache-2.0

package ratelimit

// Held is how many counts a limiter holds.
func Held(l *Limiter) int {
	l.local.mu.Lock()
	defer l.local.mu.Unlock()
	return len(l.local.paid)
}
