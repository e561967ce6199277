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
	places    map[webhook.Address]int
}

var _ webhook.Directory = (*Directory)(nil)

// Declare replaces all endpoints.
func (d *Directory) Declare(endpoints ...webhook.Endpoint) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endpoints, d.places = slices.Clone(endpoints), make(map[webhook.Address]int, len(endpoints))
	for i := range endpoints {
		d.places[endpoints[i].Address] = i
	}
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
func (d *Directory) Endpoint(address webhook.Address, _ time.Time) (webhook.Endpoint, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, declared := d.places[address]
	if !declared {
		return webhook.Endpoint{}, false
	}
	return d.endpoints[i], true
}
