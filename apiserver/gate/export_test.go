// SPDX-License-Identifier: Apache-2.0

package gate

import "fmt"

// Held returns the number of counts in a limiter.
func Held(l *Limiter) int {
	l.local.mu.Lock()
	defer l.local.mu.Unlock()
	return len(l.local.paid)
}

// HeldByClients returns the number of counts in a limiter of clients.
func HeldByClients(l *ClientLimiter) int {
	l.taken.mu.Lock()
	defer l.taken.mu.Unlock()
	return len(l.taken.paid)
}

// InOwnBuckets returns clients behind a proxy that share no count.
func InOwnBuckets(l *ClientLimiter, proxy string, number int) []Client {
	var clients []Client
	taken := map[uint64]bool{}
	for i := 0; len(clients) < number; i++ {
		client := ClientOf(proxy, []string{fmt.Sprintf("203.0.113.%d", i)})
		if bucket := l.bucket(client.String()); !taken[bucket] {
			taken[bucket] = true
			clients = append(clients, client)
		}
	}
	return clients
}
