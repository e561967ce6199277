// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/timeline"
)

// ErrUnavailable means that there is no catalog to judge by: none was ever
// loaded, none is approved for now, or nobody has confirmed it for too long. A
// write that needs one fails closed.
var ErrUnavailable = errors.New("catalog unavailable")

// owner is the only one that catalogs have.
const owner = "platform"

// Holder has the catalogs that are approved. Whoever polls the source of master
// data publishes them; whoever judges by one asks [Holder.Current]. The zero
// Holder holds nothing and so is unavailable. It is safe for concurrent use.
type Holder struct{ lines *timeline.Holder[*Catalog] }

// NewHolder makes an empty holder whose catalogs must be confirmed at least every
// maxStaleness.
func NewHolder(maxStaleness time.Duration) *Holder {
	return &Holder{lines: timeline.NewHolder[*Catalog](maxStaleness)}
}

// Fixed makes a holder of one catalog that is never stale; nil: of none.
func Fixed(catalog *Catalog) *Holder {
	values := map[string]*Catalog{}
	if catalog != nil {
		values[owner] = catalog
	}
	return &Holder{lines: timeline.Fixed(values)}
}

// Publish puts a catalog in force without end; it was confirmed at that instant.
// The same catalog published again is a confirmation.
func (h *Holder) Publish(catalog *Catalog, confirmedAt time.Time) {
	h.PublishSpans([]timeline.Span[*Catalog]{{Value: catalog}}, confirmedAt)
}

// PublishSpans puts all approved catalogs in force, each in its window.
func (h *Holder) PublishSpans(spans []timeline.Span[*Catalog], confirmedAt time.Time) {
	h.lines.Publish(map[string][]timeline.Span[*Catalog]{owner: spans}, confirmedAt)
}

// Spans is what was published last.
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
