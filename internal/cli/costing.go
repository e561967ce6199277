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
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

func costingCommand() *cobra.Command {
	return group("costing", "Calculate, explain and compare production costs from files", `Calculate, explain and compare production costs from files, without the platform. A
request is an XJDF document, or the JSON body of the costing API with the document in
its member xjdf. Master data is a file or a directory with resources, as for
printmarket masterdata validate. It need not be approved.

Exit codes: 0 if the figures are safe to quote, 1 without figures because of an error,
and 2 if a person must review the result, which the command prints all the same.`,
		costCommand(command[*costed]{
			use: "calculate REQUEST", short: "Print the cost of one or more quantities",
			long: `Print the cost of one or more quantities, with the press and the number of sheets of
each. REQUEST is a file, or - for standard input.`,
			example: `  printmarket costing calculate flyer.json --masterdata prices-2027
  printmarket costing calculate flyer.json --masterdata prices-2027 --quantity 100,250,500,1000 -o json`,
		}, (*costing.Result).Table),
		costCommand(command[*costed]{
			use: "explain REQUEST", short: "Print each line as quantity x rate, with its master data",
			long: `Print each line of a cost as quantity x rate, with the identifier of its resource in the
master data, and where the quantity comes from.`,
			example: `  printmarket costing explain flyer.json --masterdata prices-2027 --quantity 500`,
		}, (*costing.Result).Explanation),
		compareCostCommand())
}

// costInput holds the flags of the commands.
type costInput struct {
	masterData string
	quantities []int64
	preflight  string
}

func (in *costInput) register(f *pflag.FlagSet) {
	f.StringVar(&in.masterData, "masterdata", "", "file or directory with the costed resources (required)")
	in.registerProduct(f)
}

// registerProduct adds the flags about the product.
func (in *costInput) registerProduct(f *pflag.FlagSet) {
	f.Int64SliceVar(&in.quantities, "quantity", nil, "quantities to calculate instead of those of the document, such as 100,250,500")
	f.StringVar(&in.preflight, "preflight", "", "preflight report (JSON) with the ink of the pages of a flat product")
}

// costed is a calculated request.
type costed struct {
	Request string `json:"request"`
	// Result is null if there are no figures.
	Result *costing.Result `json:"result"`
	// Reasons lists why a person must review the result.
	Reasons []costing.Reason `json:"reasons"`
}

// review returns the exit code for a result that a person must review, or nil.
func (c *costed) review() error {
	if len(c.Reasons) > 0 {
		return resultError{exitFail}
	}
	return nil
}

// calculate calculates a request with a file of master data.
func (in *costInput) calculate(cmd *cobra.Command, name, masterData string) (*costed, error) {
	resources, err := readValid(cmd, masterData)
	if err != nil {
		return nil, err
	}
	snapshot, err := resources.Authority()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", masterData, err)
	}
	return in.calculateWith(cmd, name, snapshot)
}

// calculateWith calculates a request. Its error is nil for a result that needs a review.
func (in *costInput) calculateWith(cmd *cobra.Command, name string, snapshot *authority.Snapshot) (*costed, error) {
	body, document, err := readCostRequest(cmd, name)
	if err != nil {
		return nil, err
	}
	quantities, coverage := body.Quantities, body.Coverage
	if len(in.quantities) > 0 {
		quantities = in.quantities
	}
	if in.preflight != "" {
		text, err := readFile(in.preflight, report.MaxBytes, "preflight report")
		if err != nil {
			return nil, err
		}
		decoded, err := report.Decode(text)
		if err == nil {
			coverage, err = costing.Coverage(&decoded)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.preflight, err)
		}
	}
	out := &costed{Request: name, Reasons: []costing.Reason{}}
	out.Result, err = costing.Calculate(costing.Request{
		Document: document, Mode: body.ExecutionMode, Authority: authority.Effective{Value: snapshot}, Quantities: quantities, Coverage: coverage,
	})
	var media *costing.MediaError
	var review *costing.ReviewError
	switch {
	case errors.As(err, &media):
		for _, fault := range media.Faults {
			line(cmd.ErrOrStderr(), fmt.Sprintf("%s: %s: %s", name, fault.XPath, fault.Reason))
		}
		return nil, exitInvalid
	case errors.As(err, &review):
		out.Result, out.Reasons, err = review.Result, review.Reasons, nil
	}
	return out, err
}

// readCostRequest reads a request and validates its document.
func readCostRequest(cmd *cobra.Command, name string) (costing.Body, *xjdf.Document, error) {
	limits := xjdf.DefaultLimits
	text, err := readInput(cmd, name, int64(limits.Bytes), "request")
	if err != nil {
		return costing.Body{}, nil, err
	}
	body, err := costing.Unwrap(text)
	if err != nil {
		return body, nil, fmt.Errorf("%s: %w", name, err)
	}
	document, err := xjdf.Parse(body.XJDF, limits)
	if err != nil {
		return body, nil, fmt.Errorf("%s: %w", name, err)
	}
	findings := validate.New().Validate(document, validate.Options{Profile: validate.ProductIntent})
	if findings.Valid {
		return body, document, nil
	}
	for _, f := range findings.Findings {
		if f.Severity == validate.Error {
			line(cmd.ErrOrStderr(), fmt.Sprintf("%s: %s: %s %s", name, f.Path, f.Message, f.Suggestion))
		}
	}
	return body, nil, exitInvalid
}

// costCommand returns the command of a row that calculates a request, and prints the figures as a
// table.
func costCommand(c command[*costed], table func(*costing.Result) costing.Table) *cobra.Command {
	var in costInput
	c.args, c.flags, c.required, c.outputs = cobra.ExactArgs(1), in.register, []string{"masterdata"}, []string{"text"}
	c.print = func(w io.Writer, one *costed) {
		if one.Result != nil {
			rows(w, table(one.Result))
		}
		costNotes(w, one)
	}
	return c.local(func(cmd *cobra.Command, names []string) (*costed, error) {
		made, err := in.calculate(cmd, names[0], in.masterData)
		if err != nil {
			return nil, err
		}
		return made, made.review()
	})
}

// costNotes prints the assumptions, and the reasons for a review.
func costNotes(w io.Writer, c *costed) {
	if c.Result != nil {
		for _, a := range c.Result.Assumptions {
			line(w, fmt.Sprintf("assumed: %s: %s", a.Code, a.Detail))
		}
	} else {
		line(w, "There are no figures.")
	}
	for _, r := range c.Reasons {
		line(w, fmt.Sprintf("review: %s: %s (%s)", r.Code, r.Detail, r.XPath))
	}
}

// costComparison is the difference between two calculated requests.
type costComparison struct {
	Before *costed `json:"before"`
	After  *costed `json:"after"`
	// Differences has an entry for each quantity; it is empty without figures.
	Differences []costing.Difference `json:"differences"`
}

// compareCosts compares two calculated requests.
func compareCosts(before, after *costed) (*costComparison, error) {
	made := &costComparison{Before: before, After: after, Differences: []costing.Difference{}}
	if before.Result == nil || after.Result == nil {
		return made, nil
	}
	var err error
	made.Differences, err = costing.Compare(before.Result, after.Result)
	return made, err
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
		required: []string{"masterdata"}, outputs: []string{"text"},
		print: func(w io.Writer, c *costComparison) {
			for _, one := range []*costed{c.Before, c.After} {
				if one.Result != nil {
					line(w, one.Request+", master data "+one.Result.Snapshot.ID)
				}
				costNotes(w, one)
			}
			if len(c.Differences) > 0 {
				rows(w, costing.DifferenceTable(c.Differences))
			}
		},
	}.local(func(cmd *cobra.Command, names []string) (*costComparison, error) {
		if len(names) == 1 && with == "" {
			return nil, errors.New("there is nothing to compare: name a second request, or set --with")
		}
		before, err := in.calculate(cmd, names[0], in.masterData)
		if err != nil {
			return nil, err
		}
		after, err := in.calculate(cmd, names[len(names)-1], cmp.Or(with, in.masterData))
		if err != nil {
			return nil, err
		}
		made, err := compareCosts(before, after)
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(before.review(), after.review()); err != nil {
			return made, err
		}
		for _, d := range made.Differences {
			if exitCode && len(d.Lines) > 0 {
				return made, resultError{exitFail}
			}
		}
		return made, nil
	})
}
