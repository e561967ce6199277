// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/webhook"
)

const (
	// purgeTime is the interval between purges.
	purgeTime = time.Hour
	// purgeBatch limits the deliveries, and the events, that one call erases.
	purgeBatch = 5000
)

// purge erases a batch past its retention and returns its size. The next purge repeats a
// failed one.
func (w *Worker) purge(ctx context.Context) int {
	ask, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	erased, err := w.Store.PurgeWebhooks(ask, w.Now().Add(-webhook.Retention), purgeBatch)
	w.store.note(ctx, "purge", err)
	return erased
}
