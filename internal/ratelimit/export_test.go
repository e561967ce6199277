// SPDX-License-Identifier: Apache-2.0

package ratelimit

// Held returns the number of counts in a limiter.
func Held(l *Limiter) int {
	l.local.mu.Lock()
	defer l.local.mu.Unlock()
	return len(l.local.paid)
}
