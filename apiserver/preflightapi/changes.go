// SPDX-License-Identifier: Apache-2.0

package preflightapi

import "sync"

// Changes forwards announcements of changed jobs to their followers. A follower finds a
// change without an announcement when it reads the job the next time.
type Changes struct {
	mu        sync.Mutex
	following map[string]map[chan struct{}]struct{}
}

// NewChanges returns Changes without followers.
func NewChanges() *Changes { return &Changes{following: map[string]map[chan struct{}]struct{}{}} }

// Announce wakes the followers of a job. It does not block.
func (c *Changes) Announce(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for follower := range c.following[id] {
		select {
		case follower <- struct{}{}:
		default: // the follower is about to read the job anyway
		}
	}
}

// follow returns a channel that receives announcements about a job until stop is called.
func (c *Changes) follow(id string) (changed <-chan struct{}, stop func()) {
	channel := make(chan struct{}, 1)
	if c == nil {
		return channel, func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.following[id] == nil {
		c.following[id] = map[chan struct{}]struct{}{}
	}
	c.following[id][channel] = struct{}{}
	return channel, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(c.following[id], channel); len(c.following[id]) == 0 {
			delete(c.following, id)
		}
	}
}
