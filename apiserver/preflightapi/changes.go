// SPDX-License-Identifier: Apache-2.0

package preflightapi

import "sync"

// Changes passes on, to those who follow a job, that its record has changed. What
// is not heard here is found when the record is read the next time.
type Changes struct {
	mu        sync.Mutex
	following map[string]map[chan struct{}]struct{}
}

// NewChanges makes Changes that nobody listens to.
func NewChanges() *Changes { return &Changes{following: map[string]map[chan struct{}]struct{}{}} }

// Heard tells those who follow a job. It waits for nobody.
func (c *Changes) Heard(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for told := range c.following[id] {
		select {
		case told <- struct{}{}:
		default: // one that is told already reads what is there now
		}
	}
}

// follow returns a channel that is told of changes of a job until stop is called.
func (c *Changes) follow(id string) (told <-chan struct{}, stop func()) {
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
