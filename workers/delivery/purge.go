// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/webhook"
)

const (
	// purgeTime is how often what is past its retention is erased.
	purgeTime = time.Hour
	// purgeBatch is how many deliveries, and how many events, are erased at once.
	purgeBatch = 5000
)

// purge erases a batch and says how much that was. What fails is erased the next
// time.
func (w *Worker) purge(ctx context.Context) int {
	ask, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	erased, err := w.Store.PurgeWebhooks(ask, w.Now().Add(-webhook.Retention), purgeBatch)
	w.store.note(ctx, "purge", err)
	return erased
}
