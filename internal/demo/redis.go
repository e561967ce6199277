// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// StartRedis starts an embedded Redis and returns its URL. It moves the clock of miniredis,
// whose keys expire only then. stop ends the server.
func StartRedis() (url string, stop func(), err error) {
	mini := miniredis.NewMiniRedis()
	if err := mini.StartAddr("127.0.0.1:0"); err != nil {
		return "", nil, err
	}
	stopped := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				mini.FastForward(time.Second)
			case <-stopped:
				return
			}
		}
	})
	return "redis://" + mini.Addr() + "/0", func() { close(stopped); wg.Wait(); mini.Close() }, nil
}
