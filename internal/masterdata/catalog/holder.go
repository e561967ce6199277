// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/timeline"
)

// ErrUnavailable means that no catalog can be used: none was ever loaded, none is approved
// for now, or the last confirmation is too old. A write that needs a catalog fails closed.
var ErrUnavailable = errors.New("catalog unavailable")

// owner is the only owner of catalogs.
const owner = "platform"

// Holder has the approved catalogs. The poller of the master data publishes them, and
// [Holder.Current] returns the catalog in force. The zero Holder is unavailable. A Holder
// is safe for concurrent use.
type Holder struct{ lines *timeline.Holder[*Catalog] }

// NewHolder returns an empty Holder whose catalogs must be confirmed at least every
// maxStaleness.
func NewHolder(maxStaleness time.Duration) *Holder {
	return &Holder{lines: timeline.NewHolder[*Catalog](maxStaleness)}
}

// Fixed returns a Holder of one catalog that is never stale, or of no catalog if it is nil.
func Fixed(catalog *Catalog) *Holder {
	values := map[string]*Catalog{}
	if catalog != nil {
		values[owner] = catalog
	}
	return &Holder{lines: timeline.Fixed(values)}
}

// Publish puts a catalog in force without an end, confirmed at the given time. Publishing
// the same catalog again confirms it.
func (h *Holder) Publish(catalog *Catalog, confirmedAt time.Time) {
	h.PublishSpans([]timeline.Span[*Catalog]{{Value: catalog}}, confirmedAt)
}

// PublishSpans puts all approved catalogs in force, each in its window.
func (h *Holder) PublishSpans(spans []timeline.Span[*Catalog], confirmedAt time.Time) {
	h.lines.Publish(map[string][]timeline.Span[*Catalog]{owner: spans}, confirmedAt)
}

// Spans returns the catalogs published last.
func (h *Holder) Spans() []timeline.Span[*Catalog] { return h.lines.Owners()[owner] }

// Withdraw leaves no catalog in force.
func (h *Holder) Withdraw() { h.lines.Withdraw() }

// Current returns the catalog in force, or an error that wraps [ErrUnavailable].
func (h *Holder) Current(now time.Time) (*Catalog, error) {
	if h.lines == nil {
		return nil, fmt.Errorf("%w: none is loaded", ErrUnavailable)
	}
	span, err := h.lines.Current(owner, now)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return span.Value, nil
}
