// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
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
		calculateCostCommand(), explainCostCommand(), compareCostCommand())
}

// costInput holds the flags of the commands.
type costInput struct {
	masterData string
	quantities []int64
	preflight  string
}

func (in *costInput) register(f *pflag.FlagSet) {
	f.StringVar(&in.masterData, "masterdata", "", "file or directory with the costed resources (required)")
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

// calculate calculates a request. For a result that needs a review, the error is a
// [resultError].
func (in *costInput) calculate(cmd *cobra.Command, name, masterData string) (*costed, error) {
	snapshot, err := readAuthority(cmd, masterData)
	if err != nil {
		return nil, err
	}
	document, mode, err := readCostRequest(cmd, name)
	if err != nil {
		return nil, err
	}
	var coverage []map[string]money.Decimal
	if in.preflight != "" {
		if coverage, err = readCoverage(in.preflight); err != nil {
			return nil, err
		}
	}
	out := &costed{Request: name, Reasons: []costing.Reason{}}
	out.Result, err = costing.Calculate(costing.Request{
		Document: document, Mode: mode, Authority: authority.Effective{Value: snapshot}, Quantities: in.quantities, Coverage: coverage,
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
		out.Result, out.Reasons = review.Result, review.Reasons
		return out, resultError{exitFail}
	}
	return out, err
}

// readAuthority reads the costed resources of a path.
func readAuthority(cmd *cobra.Command, path string) (*authority.Snapshot, error) {
	document, err := readValid(cmd, path)
	if err != nil {
		return nil, err
	}
	snapshot, err := document.Authority()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return snapshot, nil
}

// readCoverage reads the coverage of each ink on each page of a preflight report.
func readCoverage(name string) ([]map[string]money.Decimal, error) {
	text, err := readFile(name, report.MaxBytes, "preflight report")
	if err != nil {
		return nil, err
	}
	decoded, err := report.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !decoded.Complete || len(decoded.Pages) == 0 {
		return nil, fmt.Errorf("%s: the report is incomplete or has no pages", name)
	}
	var pages []map[string]money.Decimal
	for i := range decoded.Pages {
		ink := decoded.Pages[i].Ink
		if ink == nil || !ink.Complete || ink.Estimated {
			return nil, fmt.Errorf("%s: the ink of page %d was not measured completely; inspect the file with an output profile", name, i+1)
		}
		page := map[string]money.Decimal{}
		for _, plane := range ink.Planes {
			share, err := money.ParseDecimal(strconv.FormatFloat(plane.Coverage, 'f', money.Places, 64))
			if err != nil {
				return nil, fmt.Errorf("%s: page %d, ink %.60q: %w", name, i+1, plane.Name, err)
			}
			page[plane.Name] = share
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// readCostRequest reads a request and validates its document.
func readCostRequest(cmd *cobra.Command, name string) (*xjdf.Document, costing.Mode, error) {
	limits := xjdf.DefaultLimits
	body, err := readInput(cmd, name, int64(limits.Bytes), "request")
	if err != nil {
		return nil, "", err
	}
	mode := costing.Authoritative
	request, wrapped, err := costBody(body)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if wrapped {
		body = request.XJDF
		if request.ExecutionMode != "" {
			mode = request.ExecutionMode
		}
	}
	document, err := xjdf.Parse(body, limits)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	findings := validate.New().Validate(document, validate.Options{Profile: validate.ProductIntent})
	if findings.Valid {
		return document, mode, nil
	}
	for _, f := range findings.Findings {
		if f.Severity == validate.Error {
			line(cmd.ErrOrStderr(), fmt.Sprintf("%s: %s: %s %s", name, f.Path, f.Message, f.Suggestion))
		}
	}
	return nil, "", exitInvalid
}

// costRequest is the body of the costing API.
type costRequest struct {
	ExecutionMode  costing.Mode    `json:"executionMode"`
	OrganizationID string          `json:"organizationId"`
	XJDF           json.RawMessage `json:"xjdf"`
}

// costBody reads the body of the costing API, and reports whether a text has its form: an
// object with the member xjdf.
func costBody(text []byte) (request costRequest, wrapped bool, err error) {
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) || !json.Valid(text) {
		return request, false, nil // the parser of the document reads XML, and reports where JSON is invalid
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return request, false, err
	}
	if _, wrapped = members["xjdf"]; !wrapped {
		return request, false, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&request)
	return request, true, err
}

func calculateCostCommand() *cobra.Command {
	var in costInput
	return command[*costed]{
		use: "calculate REQUEST", short: "Print the cost of one or more quantities", args: cobra.ExactArgs(1),
		long: `Print the cost of one or more quantities, with the press and the number of sheets of
each. REQUEST is a file, or - for standard input.`,
		example: `  printmarket costing calculate flyer.json --masterdata prices-2027
  printmarket costing calculate flyer.json --masterdata prices-2027 --quantity 100,250,500,1000 -o json`,
		flags: in.register, required: []string{"masterdata"}, outputs: []string{"text"},
		print: func(w io.Writer, c *costed) {
			if c.Result != nil {
				costHeader(w, c.Result)
				priceBreaks(w, c.Result)
			}
			costNotes(w, c)
		},
	}.local(func(cmd *cobra.Command, names []string) (*costed, error) {
		return in.calculate(cmd, names[0], in.masterData)
	})
}

func costHeader(w io.Writer, r *costing.Result) {
	line(w, fmt.Sprintf("%s %s, %s x %s mm", r.Product.Type, r.Product.ID, r.Product.Finished.Width, r.Product.Finished.Height))
	line(w, "master data "+r.Snapshot.ID)
}

func priceBreaks(w io.Writer, r *costing.Result) {
	line(w, "QUANTITY", "TOTAL", "EACH", "SHEETS")
	for _, b := range r.Breaks {
		var sheets []string
		for i := range b.Plan {
			p := &b.Plan[i]
			sheets = append(sheets, fmt.Sprintf("%d %s on %s", p.Bought, p.Media, p.Press))
		}
		line(w, b.Quantity, b.Total, b.UnitCost, strings.Join(sheets, ", "))
	}
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

func explainCostCommand() *cobra.Command {
	var in costInput
	return command[*costed]{
		use: "explain REQUEST", short: "Print each line as quantity x rate, with its master data", args: cobra.ExactArgs(1),
		long: `Print each line of a cost as quantity x rate, with the identifier of its resource in the
master data, and where the quantity comes from.`,
		example: `  printmarket costing explain flyer.json --masterdata prices-2027 --quantity 500`,
		flags:   in.register, required: []string{"masterdata"}, outputs: []string{"text"},
		print: func(w io.Writer, c *costed) {
			if c.Result != nil {
				costHeader(w, c.Result)
				for i := range c.Result.Breaks {
					explainBreak(w, &c.Result.Breaks[i])
				}
			}
			costNotes(w, c)
		},
	}.local(func(cmd *cobra.Command, names []string) (*costed, error) {
		return in.calculate(cmd, names[0], in.masterData)
	})
}

func explainBreak(w io.Writer, b *costing.Break) {
	line(w, fmt.Sprintf("%d copies: %s, %s each", b.Quantity, b.Total, b.UnitCost))
	for i := range b.Plan {
		p := &b.Plan[i]
		line(w, fmt.Sprintf("%s: %d sheet(s) of %s x %s mm on %s, %d up, %s; %d good and %d waste sheets from %d of %s",
			p.Part, p.Sheets, p.Sheet.Width, p.Sheet.Height, p.Press, p.Up, p.WorkStyle, p.Good, p.Waste, p.Bought, p.Media))
	}
	line(w, "STEP", "ITEM", "RESOURCE", "QUANTITY", "UNIT", "RATE", "AMOUNT", "PART", "FROM")
	for i := range b.Lines {
		l := &b.Lines[i]
		part := l.Part
		if l.SheetPages > 0 {
			part = fmt.Sprintf("%s, %d pages", part, l.SheetPages)
		}
		if part == "" {
			part = "whole"
		}
		line(w, l.Step, l.Item, string(l.Resource.Family)+"/"+l.Resource.ID, l.Quantity, l.Unit, "x "+l.Rate, l.Amount.Amount(), part, l.Description)
	}
	line(w, "Total", "", "", "", "", "", b.Total.Amount())
}
