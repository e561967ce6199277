// SPDX-License-Identifier: Apache-2.0

package webhooktest

import (
	"slices"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/webhook"
)

// Directory is a webhook.Directory that returns the endpoints that were set last.
type Directory struct {
	mu        sync.Mutex
	endpoints []webhook.Endpoint
}

var _ webhook.Directory = (*Directory)(nil)

// Declare replaces all endpoints.
func (d *Directory) Declare(endpoints ...webhook.Endpoint) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endpoints = slices.Clone(endpoints)
}

// Close closes all endpoints for a reason, or opens them if it is empty.
func (d *Directory) Close(why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.endpoints {
		d.endpoints[i].Closed = why
	}
}

// Endpoints implements webhook.Directory.
func (d *Directory) Endpoints(time.Time) []webhook.Endpoint {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.endpoints)
}

// Endpoint implements webhook.Directory.
func (d *Directory) Endpoint(address webhook.Address, now time.Time) (webhook.Endpoint, bool) {
	for _, endpoint := range d.Endpoints(now) {
		if endpoint.Address == address {
			return endpoint, true
		}
	}
	return webhook.Endpoint{}, false
}
