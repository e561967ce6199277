// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Announce tells whoever listens that the record of a job has changed. Nobody
// may rely on hearing it.
func (q *Queue) Announce(ctx context.Context, id string) error {
	return failed("announce a change", q.redis.Publish(ctx, q.key("changed"), id).Err())
}

// Changes calls heard with the id of each job whose record is announced to have
// changed, until ctx ends. It connects again by itself whenever it must; what
// was announced meanwhile is not heard.
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
