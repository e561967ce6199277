// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errMissed means that a run missed an aim.
var errMissed = errors.New("aims were missed")

// report writes tables as they come and remembers the aims.
type report struct {
	out  io.Writer
	aims []aim
}

// aim is a bound that a ratio of this run must keep.
type aim struct {
	what       string
	got, bound float64
	// least turns the bound round: got must not be below it.
	least bool
}

func (a aim) met() bool {
	if a.least {
		return a.got >= a.bound
	}
	return a.got <= a.bound
}

func (a aim) row() []string {
	relation, met := "at most", "met"
	if a.least {
		relation = "at least"
	}
	if !a.met() {
		met = "missed"
	}
	return []string{a.what, relation + " " + number(a.bound), number(a.got), met}
}

func (r *report) aim(a aim) { r.aims = append(r.aims, a) }

// table writes a table in Markdown, so that it can go into a page as it is.
func (r *report) table(title string, header []string, rows [][]string) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n| %s |\n|%s\n", title, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	_, _ = io.WriteString(r.out, b.String())
}

// verdict writes the aims. It fails with [errMissed].
func (r *report) verdict() error {
	rows, missed := make([][]string, 0, len(r.aims)), []string(nil)
	for _, a := range r.aims {
		rows = append(rows, a.row())
		if !a.met() {
			missed = append(missed, a.what)
		}
	}
	r.table("Aims", []string{"what", "aim", "got", ""}, rows)
	if len(missed) > 0 {
		return fmt.Errorf("%w: %s", errMissed, strings.Join(missed, "; "))
	}
	return nil
}

// number has three digits that count, which is more than the figures deserve.
func number(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}

// percentile returns the value that the given share of all values does not exceed.
func percentile[T cmp.Ordered](values []T, share float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// median returns the middle value; of an even number, the upper of the two middle values.
func median[T cmp.Ordered](values []T) T { return percentile(values, 0.5) }

// medianOf returns the median of the values that get reads.
func medianOf[S any, T cmp.Ordered](samples []S, get func(S) T) T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = get(s)
	}
	return median(values)
}

// medianRatio divides round by round, so that a slow minute counts for both.
func medianRatio[S any](ours, theirs []S, get func(S) float64) float64 {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = get(ours[i]) / get(theirs[i])
	}
	return median(ratios)
}
