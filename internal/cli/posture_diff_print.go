// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
)

// print writes a comparison: for people one line for each change, in the order of
// partners and capabilities, and what it comes to.
func (d *postureDiff) print(w io.Writer, output string) error {
	if output != "table" {
		return writeDocument(w, output, d)
	}
	count := map[effect]int{}
	for i := range d.Changes {
		count[d.Changes[i].Effect]++
	}
	if len(d.Changes) > 0 {
		out := newColumns(w)
		out.row("EFFECT", "PARTNER", "SUBJECT", "REQUESTS", "OLD", "NEW", "WHEN")
		for i := range d.Changes {
			c := &d.Changes[i]
			out.row(string(c.Effect), c.Partner, c.Subject, c.requests(), c.Old, c.New, c.whenText())
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d open, %d close, %d alter\n", count[effectOpens], count[effectCloses], count[effectAlters])
	if err == nil && d.Until != nil {
		_, err = fmt.Fprintf(w, "looked ahead until %s\n", instantText(*d.Until))
	}
	return err
}
