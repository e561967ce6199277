// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// series is the cost of one kind of work at 1, 10 and 100 times the data.
type series struct {
	work string
	// benchmark is the name of the benchmark, with %d for the amount of data.
	benchmark string
	unit      string
	// least is the smallest amount of data, and data names its unit.
	least int
	data  string
}

// allSeries returns the series in the order of the table.
func allSeries() []series {
	return []series{
		{"gated request, CPU without connections", "Gated/of_many/partners=%d", "adds-ns/req", 100, "partners"},
		{"RFQ create, 1 client, CPU with PostgreSQL", "Lists/records=%d", "create-cpu-us", 10_000, "stored RFQs"},
		{"edit to enforced, 1 replica, median", "Propagation/partners=%d/replicas=1", "p50-ms", 100, "partners"},
		{"compile one change, CPU", "Curve/change/partners=%d", "cpu-ms", 1_000, "partners"},
		{"anonymous memory of an idle API server", "IdleAPIServer/partners=%d", "held-MiB", 100, "partners"},
		{"preflight of a document, CPU", "Inspection/pages=%d", "cpu-ms", 10, "pages of text"},
		{"the same, memory", "Inspection/pages=%d", "MiB", 10, "pages of text"},
		{"preflight of one page, CPU", "Inspection/images=%d", "cpu-ms", 20, "images"},
		{"inspection of a page of lines, CPU", "InkOfAPage/lines=%d", "cpu-ms", 2_000, "lines"},
		{"XJDF, parse and validate, CPU", "Validate/kB=%d/parse_and_validate", "cpu-us", 5, "kB"},
		{"submit, take and finish a job, CPU of Redis", "Backlog/waiting=%d", "redis-us", 1_000, "waiting jobs, 50 of a tenant"},
		{"webhook delivery, CPU of all parts", "Endpoints/endpoints=%d", "cpu-us", 10, "endpoints, 20,000 deliveries in all"},
		{"slowest list, median", "Lists/records=%d", "slowest-median-ms", 10_000, "records"},
	}
}

// growth writes a line for each series that was measured. The exponents are those of the power of
// the amount of data with which the cost grows, from each amount to the next: 0 for a cost that
// stays the same, and 1 for one that grows as the data does. A series that lacks a measurement is an
// error, unless the table is partial.
func growth(out io.Writer, all []series, measured map[string]map[string]float64, partial bool) error {
	var b strings.Builder
	var failures []error
	for _, s := range all {
		costs, err := s.costs(measured)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		fmt.Fprintf(&b, "| %s | %d %s | %s | %s | %s | %s | %.2f | %.2f |\n", s.work, s.least, s.data, s.unit,
			digits(costs[0]), digits(costs[1]), digits(costs[2]), math.Log10(costs[1]/costs[0]), math.Log10(costs[2]/costs[1]))
	}
	if b.Len() > 0 {
		text := "\nGrowth\n\n| work | data of 1x | unit | 1x | 10x | 100x | exponent to 10x | to 100x |\n|---|---|---|---|---|---|---|---|\n" + b.String()
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("write the table of growth: %w", err)
		}
	}
	if partial {
		return nil
	}
	return errors.Join(failures...)
}

// costs returns the cost at each amount of data.
func (s series) costs(measured map[string]map[string]float64) (costs [3]float64, err error) {
	size := s.least
	for i := range costs {
		name := fmt.Sprintf(s.benchmark, size)
		cost, ok := measured[name][s.unit]
		if !ok {
			return costs, fmt.Errorf("%s: no metric %s of Benchmark%s", s.work, s.unit, name)
		}
		costs[i], size = cost, size*10
	}
	return costs, nil
}
