// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Announce notifies the current listeners that the record of a job has changed. A
// notification may be lost.
func (q *Queue) Announce(ctx context.Context, id string) error {
	return failed("announce a change", q.redis.Publish(ctx, q.key("changed"), id).Err())
}

// Changes calls heard with the id of each job whose record was announced to have changed,
// until ctx ends. It reconnects as needed; notifications in between are lost.
func (q *Queue) Changes(ctx context.Context, heard func(id string)) {
	listener := q.redis.Subscribe(ctx, q.key("changed"))
	defer func() { _ = listener.Close() }()
	messages := listener.Channel(redis.WithChannelSize(1024))
	for {
		select {
		case <-ctx.Done():
			return
		case message, ok := <-messages:
			if !ok {
				return
			}
			heard(message.Payload)
		}
	}
}
