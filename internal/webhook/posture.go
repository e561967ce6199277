// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/transaction"
)

// PostureDirectory returns the endpoints of the posture in force. While no posture is
// in force it returns the endpoints of the last one, closed: a relay drops the events
// of endpoints that are not declared.
type PostureDirectory struct {
	current func() *posture.Snapshot
	last    atomic.Pointer[posture.Snapshot]
}

// NewPostureDirectory returns a directory. snapshot returns the posture in force, or
// nil.
func NewPostureDirectory(snapshot func() *posture.Snapshot) *PostureDirectory {
	return &PostureDirectory{current: snapshot}
}

// Await waits for the first posture, or until ctx ends. Relays wait for it.
func (d *PostureDirectory) Await(ctx context.Context) error {
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

// Endpoints implements [Directory].
func (d *PostureDirectory) Endpoints(now time.Time) []Endpoint {
	snapshot, inForce := d.look()
	var endpoints []Endpoint
	for declared := range snapshot.Webhooks() {
		endpoints = append(endpoints, endpointOf(declared, inForce, now))
	}
	return endpoints
}

// Endpoint implements [Directory].
func (d *PostureDirectory) Endpoint(address Address, now time.Time) (Endpoint, bool) {
	snapshot, inForce := d.look()
	declared, found := snapshot.Webhook(address.Owner, address.Name)
	if !found {
		return Endpoint{}, false
	}
	return endpointOf(declared, inForce, now), true
}

// look returns the posture in force, or the last one; nil before the first.
func (d *PostureDirectory) look() (snapshot *posture.Snapshot, inForce bool) {
	if snapshot := d.current(); snapshot != nil {
		d.last.Store(snapshot)
		return snapshot, true
	}
	return d.last.Load(), false
}

func endpointOf(declared posture.Webhook, inForce bool, now time.Time) Endpoint {
	endpoint := Endpoint{
		Address: Address{Owner: declared.Owner(), Name: declared.Name()},
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
