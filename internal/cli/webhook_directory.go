// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// webhookDirectory is what the posture in force says of endpoints. While none is, the
// endpoints of the last one are declared still, and closed: to a relay, endpoints
// that are not declared are none, and what happens meanwhile would be lost to them.
type webhookDirectory struct {
	current func() *posture.Snapshot
	last    atomic.Pointer[posture.Snapshot]
}

var _ webhook.Directory = (*webhookDirectory)(nil)

// newWebhookDirectory makes a directory of a posture: that in force, or nil.
func newWebhookDirectory(snapshot func() *posture.Snapshot) *webhookDirectory {
	return &webhookDirectory{current: snapshot}
}

// await waits until the directory knows what is declared, or ctx ends. Whoever
// relays waits for it.
func (d *webhookDirectory) await(ctx context.Context) error {
	for {
		if snapshot, _ := d.look(); snapshot != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Endpoints implements webhook.Directory.
func (d *webhookDirectory) Endpoints(now time.Time) []webhook.Endpoint {
	snapshot, inForce := d.look()
	var endpoints []webhook.Endpoint
	for declared := range snapshot.Webhooks() {
		endpoints = append(endpoints, endpointOf(declared, inForce, now))
	}
	return endpoints
}

// Endpoint implements webhook.Directory.
func (d *webhookDirectory) Endpoint(address webhook.Address, now time.Time) (webhook.Endpoint, bool) {
	snapshot, inForce := d.look()
	declared, found := snapshot.Webhook(address.Owner, address.Name)
	if !found {
		return webhook.Endpoint{}, false
	}
	return endpointOf(declared, inForce, now), true
}

// look is the posture in force, or else the last one that was; nil before the first.
func (d *webhookDirectory) look() (snapshot *posture.Snapshot, inForce bool) {
	if snapshot := d.current(); snapshot != nil {
		d.last.Store(snapshot)
		return snapshot, true
	}
	return d.last.Load(), false
}

func endpointOf(declared posture.Webhook, inForce bool, now time.Time) webhook.Endpoint {
	endpoint := webhook.Endpoint{
		Address: webhook.Address{Owner: declared.Owner(), Name: declared.Name()},
		URL:     declared.URL(),
		Secrets: declared.Secrets(now),
	}
	for _, event := range declared.Events() {
		endpoint.Events = append(endpoint.Events, transaction.EventType(event))
	}
	if !inForce {
		endpoint.Closed = posture.ReasonSnapshotAbsent.String()
	} else if decision := declared.Decide(now); !decision.Allowed() {
		endpoint.Closed = decision.Reason.String()
	}
	return endpoint
}
