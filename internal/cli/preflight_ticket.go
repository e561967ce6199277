// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// ticketFlags hold the order.
type ticketFlags struct {
	size            string
	pages, quantity int
	process         int
	spots           []string
}

func (t *ticketFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&t.size, "trim-size", "", "ordered trim size in mm, for example 148x210")
	flags.IntVar(&t.pages, "pages", 0, "ordered number of pages of a copy")
	flags.IntVar(&t.process, "process", 0, "ordered process inks: 4 (CMYK), 1 (black) or 0")
	flags.StringArrayVar(&t.spots, "spot", nil, "name of an ordered spot colour; may be repeated")
	flags.IntVar(&t.quantity, "quantity", 0, "ordered number of copies")
}

// ticket returns the order of the flags; nil if there is none.
func (t *ticketFlags) ticket(flags *pflag.FlagSet) (*jobticket.Ticket, error) {
	made := &jobticket.Ticket{Pages: jobticket.Count(t.pages), Quantity: jobticket.Count(t.quantity)}
	if t.size != "" {
		size, err := jobticket.ParseSize(t.size)
		if err != nil {
			return nil, err
		}
		made.TrimSize = &size
	}
	switch {
	case flags.Changed("process"):
		made.Colors = &jobticket.Colors{Process: jobticket.Count(t.process), Spots: t.spots}
	case len(t.spots) > 0:
		return nil, errors.New("--spot requires --process: state the number of process inks, 4, 1 or 0")
	}
	if made.Empty() {
		return nil, nil
	}
	return made, made.Check()
}
