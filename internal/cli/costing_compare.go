// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/money"
)

// costComparison is the difference between two calculated requests.
type costComparison struct {
	Before *costed `json:"before"`
	After  *costed `json:"after"`
	// Differences has an entry for each quantity; it is empty without figures.
	Differences []costing.Difference `json:"differences"`
}

func compareCostCommand() *cobra.Command {
	var in costInput
	var with string
	var exitCode bool
	return command[*costComparison]{
		use: "compare BEFORE [AFTER]", short: "Print the difference between two requests or two sets of master data", args: cobra.RangeArgs(1, 2),
		long: `Print the difference between the costs of two requests, or of one request with two sets
of master data. Without AFTER, the request is the same; without --with, the master data
is. Quantities are compared in ascending order.`,
		example: `  printmarket costing compare flyer.json --masterdata prices-2026 --with prices-2027
  printmarket costing compare a5.json a6.json --masterdata prices-2027 --quantity 500,1000`,
		flags: func(f *pflag.FlagSet) {
			in.register(f)
			f.StringVar(&with, "with", "", "master data of the second cost (default: that of --masterdata)")
			f.BoolVar(&exitCode, "exit-code", false, "exit with 2 if a line differs")
		},
		required: []string{"masterdata"}, outputs: []string{"text"}, print: printCostComparison,
	}.local(func(cmd *cobra.Command, names []string) (*costComparison, error) {
		if len(names) == 1 && with == "" {
			return nil, errors.New("there is nothing to compare: name a second request, or set --with")
		}
		var review resultError
		before, err := in.calculate(cmd, names[0], in.masterData)
		if err != nil && !errors.As(err, &review) {
			return nil, err
		}
		after, err := in.calculate(cmd, names[len(names)-1], cmp.Or(with, in.masterData))
		if err != nil && !errors.As(err, &review) {
			return nil, err
		}
		made := &costComparison{Before: before, After: after, Differences: []costing.Difference{}}
		if before.Result != nil && after.Result != nil {
			if made.Differences, err = costing.Compare(before.Result, after.Result); err != nil {
				return nil, err
			}
		}
		if review.error != nil {
			return made, review
		}
		for _, d := range made.Differences {
			if exitCode && len(d.Lines) > 0 {
				return made, resultError{exitFail}
			}
		}
		return made, nil
	})
}

func printCostComparison(w io.Writer, c *costComparison) {
	for _, one := range []*costed{c.Before, c.After} {
		if one.Result != nil {
			line(w, one.Request+", master data "+one.Result.Snapshot.ID)
		}
		costNotes(w, one)
	}
	if len(c.Differences) == 0 {
		return
	}
	line(w, "QUANTITY", "BEFORE", "AFTER", "CHANGE")
	for _, d := range c.Differences {
		quantity := any(d.QuantityBefore)
		if d.QuantityAfter != d.QuantityBefore {
			quantity = fmt.Sprintf("%d, %d", d.QuantityBefore, d.QuantityAfter)
		}
		line(w, quantity, d.Before, d.After, signed(d.Change))
	}
	line(w, "Lines that differ:")
	line(w, "QUANTITY", "STEP", "ITEM", "RESOURCE", "BEFORE", "AFTER", "CHANGE", "PART")
	for _, d := range c.Differences {
		for i := range d.Lines {
			l := &d.Lines[i]
			one := cmp.Or(l.Before, l.After)
			line(w, d.QuantityBefore, one.Step, one.Item, string(one.Resource.Family)+"/"+one.Resource.ID,
				product(l.Before), product(l.After), signed(l.Change), cmp.Or(one.Part, "whole"))
		}
	}
}

// product returns a line as quantity x rate, or a dash for none.
func product(l *costing.Line) string {
	if l == nil {
		return "-"
	}
	return l.Quantity + " " + string(l.Unit) + " x " + l.Rate
}

// signed returns an amount with its sign.
func signed(m money.Money) string {
	if m.Sign() > 0 {
		return "+" + m.String()
	}
	return m.String()
}
