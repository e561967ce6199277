// SPDX-License-Identifier: Apache-2.0

package masterdata

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrUnavailable means that there is no catalog to judge by: none was ever
// loaded, it was withdrawn, or nobody has confirmed it for too long. A write
// that needs one fails closed.
var ErrUnavailable = errors.New("catalog unavailable")

// Holder has the catalog that is in force. Whoever polls the source of master
// data publishes and confirms; whoever judges by it asks [Holder.Current]. The
// zero Holder holds nothing and so is unavailable. It is safe for concurrent
// use.
type Holder struct {
	maxStaleness time.Duration
	state        atomic.Pointer[holding]
}

// holding is swapped whole, so that a reader never sees a catalog with another
// one's time.
type holding struct {
	catalog     *Catalog
	confirmedAt time.Time
	permanent   bool
}

// NewHolder makes an empty holder whose catalog must be confirmed at least
// every maxStaleness.
func NewHolder(maxStaleness time.Duration) *Holder { return &Holder{maxStaleness: maxStaleness} }

// Fixed makes a holder of a catalog that is compiled in and so never stale.
func Fixed(catalog *Catalog) *Holder {
	h := &Holder{}
	h.state.Store(&holding{catalog: catalog, permanent: true})
	return h
}

// Publish puts a catalog in force; it was confirmed at that instant. The same
// catalog published again is a confirmation.
func (h *Holder) Publish(catalog *Catalog, confirmedAt time.Time) {
	h.state.Store(&holding{catalog: catalog, confirmedAt: confirmedAt})
}

// Withdraw leaves no catalog in force.
func (h *Holder) Withdraw() { h.state.Store(nil) }

// Current returns the catalog in force, or an error that wraps
// [ErrUnavailable].
func (h *Holder) Current(now time.Time) (*Catalog, error) {
	held := h.state.Load()
	if held == nil || held.catalog == nil {
		return nil, fmt.Errorf("%w: none is loaded", ErrUnavailable)
	}
	if age := now.Sub(held.confirmedAt); !held.permanent && age > h.maxStaleness {
		return nil, fmt.Errorf("%w: last confirmed %s ago", ErrUnavailable, age.Round(time.Second))
	}
	return held.catalog, nil
}
