// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/webhook"
)

// enrollAgain is the interval at which the worker enrolls known endpoints again, because the store
// may have been restored or erased.
const enrollAgain = time.Minute

// relayEvery enrolls the open endpoints and relays the outbox until ctx ends. It continues at
// once after events, and otherwise after a pause. It notifies the dispatcher of new events.
func (w *Worker) relayEvery(ctx context.Context, relayed chan<- struct{}) {
	r := roll{Worker: w}
	for failures := 0; ctx.Err() == nil; {
		events, err := r.step(ctx)
		w.store.note(ctx, "relay", err)
		switch {
		case err != nil:
			failures++
			pause(ctx, w.store.backoff(failures))
			continue
		case events == 0:
			pause(ctx, w.Every)
		default:
			select {
			case relayed <- struct{}{}:
			default: // the last notification is still pending
			}
		}
		failures = 0
	}
}

// enrolled holds the URLs with which endpoints were enrolled.
type roll struct {
	*Worker
	enrolled map[webhook.Address]string
	began    time.Time
}

func (r *roll) step(ctx context.Context) (events int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := r.enroll(ctx); err != nil {
		return 0, err
	}
	return r.Relay.Step(ctx)
}

func (r *roll) enroll(ctx context.Context) error {
	now := r.Now()
	if r.enrolled == nil || now.Sub(r.began) >= enrollAgain {
		r.enrolled, r.began = map[webhook.Address]string{}, now
	}
	var fresh []webhook.Endpoint
	for _, endpoint := range r.Directory.Endpoints(now) {
		if endpoint.Withheld() == "" && r.enrolled[endpoint.Address] != endpoint.URL {
			fresh = append(fresh, endpoint)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := r.Store.Enroll(ctx, fresh, now); err != nil {
		return err
	}
	for _, endpoint := range fresh {
		r.enrolled[endpoint.Address] = endpoint.URL
	}
	return nil
}
