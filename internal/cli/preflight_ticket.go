// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// ticketFlags say what was ordered.
type ticketFlags struct {
	size            string
	pages, quantity int
	process         int
	spots           []string
}

func (t *ticketFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&t.size, "trim-size", "", "ordered: finished size in mm, for example 148x210")
	flags.IntVar(&t.pages, "pages", 0, "ordered: pages of a copy")
	flags.IntVar(&t.process, "process", 0, "ordered: process inks, 4 (CMYK), 1 (black) or 0")
	flags.StringArrayVar(&t.spots, "spot", nil, "ordered: name of a spot colour; may be repeated")
	flags.IntVar(&t.quantity, "quantity", 0, "ordered: copies")
}

var errSpotsAlone = errors.New("--spot needs --process: how many process inks are there beside?")

// ticket is what the flags say; nil if they say nothing.
func (t *ticketFlags) ticket(flags *pflag.FlagSet) (*jobticket.Ticket, error) {
	made := &jobticket.Ticket{Pages: jobticket.Count(t.pages), Quantity: jobticket.Count(t.quantity)}
	if t.size != "" {
		size, err := parseSize(t.size)
		if err != nil {
			return nil, err
		}
		made.TrimSize = &size
	}
	switch {
	case flags.Changed("process"):
		made.Colors = &jobticket.Colors{Process: jobticket.Count(t.process), Spots: t.spots}
	case len(t.spots) > 0:
		return nil, errSpotsAlone
	}
	if made.Empty() {
		return nil, nil
	}
	return made, made.Check()
}

// parseSize reads a size like 148x210, or 148.5 x 210 mm.
func parseSize(text string) (jobticket.Size, error) {
	width, height, found := strings.Cut(strings.TrimSuffix(strings.ToLower(text), "mm"), "x")
	w, errWidth := strconv.ParseFloat(strings.TrimSpace(width), 64)
	h, errHeight := strconv.ParseFloat(strings.TrimSpace(height), 64)
	if !found || errWidth != nil || errHeight != nil {
		return jobticket.Size{}, fmt.Errorf("trim size %q is not of the form 148x210", text)
	}
	return jobticket.Size{Width: w, Height: h}, nil
}
