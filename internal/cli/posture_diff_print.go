// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/printmarket/printmarket/internal/posture/explain"
)

// table writes a comparison for people.
func (d *postureDiff) table(w io.Writer) {
	count := map[effect]int{}
	if len(d.Changes) > 0 {
		line(w, "EFFECT", "PARTNER", "SUBJECT", "REQUESTS", "OLD", "NEW", "WHEN")
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		count[c.Effect]++
		line(w, c.Effect, c.Partner, c.Subject, c.requests(), c.Old, c.New, c.whenText())
	}
	line(w, fmt.Sprintf("%d open, %d close, %d alter", count[effectOpens], count[effectCloses], count[effectAlters]))
	if d.Until != nil {
		line(w, "looked ahead until "+explain.Instant(*d.Until))
	}
}
