// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/redistest"
)

func TestChangesReceivesAnnouncementsUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		ctx, cancel := context.WithCancel(t.Context())
		heard, ended := make(chan string, 100), make(chan struct{})
		go func() {
			defer close(ended)
			f.queue.Changes(ctx, func(id string) { heard <- id })
		}()
		// Notifications arrive once the subscription exists.
		for got := ""; got == ""; {
			f.must(f.queue.Announce(t.Context(), "pref_1"))
			select {
			case got = <-heard:
				if got != "pref_1" {
					t.Errorf("received %q, want pref_1", got)
				}
			case <-time.After(10 * time.Millisecond):
			}
		}
		cancel()
		<-ended
	})
}
