// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// report writes tables as they come, and the results that have goals at the end.
type report struct {
	out     io.Writer
	results []string
}

// metric is a value with its unit.
type metric struct {
	value float64
	unit  string
}

// result adds a result that bench/goals has goals for, in the format of benchmarks of Go.
func (r *report) result(name string, metrics ...metric) {
	line := "BenchmarkQueue/" + name + " 1"
	for _, m := range metrics {
		line += fmt.Sprintf(" %.4g %s", m.value, m.unit)
	}
	r.results = append(r.results, line+"\n")
}

// table writes a table in Markdown, so that it can go into a page as it is.
func (r *report) table(title string, header []string, rows [][]string) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n| %s |\n|%s\n", title, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	_, _ = io.WriteString(r.out, b.String())
}

// end writes the results.
func (r *report) end() { _, _ = io.WriteString(r.out, "\n"+strings.Join(r.results, "")) }

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
