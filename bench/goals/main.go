// SPDX-License-Identifier: Apache-2.0

// Command goals reads the output of benchmarks and prints two tables in Markdown: the goals with the
// result of each, and how each cost grows with the data. It fails if a goal or a cost was not measured,
// unless -partial is set. A missed goal is a result, because a machine may be busy; with -strict it is a
// failure.
//
//	goals [-partial] [-strict] FILE...
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// goal bounds one metric of a benchmark.
type goal struct {
	work string
	// benchmark is the name of the benchmark, without the word Benchmark and the number of CPUs.
	benchmark string
	// over names a benchmark whose metric divides the one of benchmark. It may be empty.
	over  string
	unit  string
	bound float64
	// least makes bound the smallest value that is met, instead of the largest one.
	least bool
}

// goals are the goals in the order of the table. Units are those of the benchmarks; sec/op is
// the time of one operation, in seconds.
func goals() []goal {
	all := []goal{
		{work: "gated request, throughput against bare net/http", benchmark: "Gated/over_loopback,_request_log_on", unit: "ratio", bound: 0.90, least: true},
		{work: "the same over 1,000 connections", benchmark: "Gated/over_1,000_connections,_request_log_on", unit: "ratio", bound: 0.90, least: true},
		{work: "the same over HTTP/2", benchmark: "Gated/over_HTTP_2,_request_log_on", unit: "ratio", bound: 0.90, least: true},
		{work: "gated request, throughput against HAProxy with a map of 1,000 keys", benchmark: "Peers/HAProxy", unit: "ratio", bound: 1, least: true},
		{work: "the same against Traefik with the rule of one key", benchmark: "Peers/Traefik", unit: "ratio", bound: 1, least: true},
		{work: "the same against ext_authz of Authorino with 1,000 keys", benchmark: "Peers/Authorino", unit: "ratio", bound: 1, least: true},
		{work: "webhook deliveries per second for which two CPUs suffice, 1,000 endpoints", benchmark: "Endpoints/endpoints=1000", unit: "capacity", bound: 5000, least: true},
		{work: "RFQ create, throughput against a bare INSERT, 1 client", benchmark: "Create/clients=1", unit: "tenants-of-bare", bound: 0.70, least: true},
		{work: "the same, 16 clients", benchmark: "Create/clients=16", unit: "tenants-of-bare", bound: 0.75, least: true},
		{work: "the same, 64 clients", benchmark: "Create/clients=64", unit: "tenants-of-bare", bound: 1, least: true},
		{work: "edit to enforced, 1,000 partners, 20 replicas, p99", benchmark: "Propagation/partners=1000/replicas=20", unit: "p99-ms", bound: 50},
		{work: "compile one change of 10,000 partners", benchmark: "Curve/change/partners=10000", unit: "sec/op", bound: 0.015},
		{work: "queue, CPU time of a job against asynq, AOF off, 1 consumer", benchmark: "Queue/AOF=off/consumers=1", unit: "cpu-ratio", bound: 0.6},
		{work: "the same, 4 consumers", benchmark: "Queue/AOF=off/consumers=4", unit: "cpu-ratio", bound: 0.6},
		{work: "the same, 16 consumers", benchmark: "Queue/AOF=off/consumers=16", unit: "cpu-ratio", bound: 0.45},
		{work: "queue, jobs per second against asynq, AOF off, 4 consumers", benchmark: "Queue/AOF=off/consumers=4", unit: "jobs-ratio", bound: 1, least: true},
		{work: "the same, AOF always, 16 consumers", benchmark: "Queue/AOF=always/consumers=16", unit: "jobs-ratio", bound: 1, least: true},
		{work: "queue, wait for the start of a job against asynq, median", benchmark: "Queue/start/asynq", unit: "ratio", bound: 0.01},
		{work: "the same against asynq that polls every 10 ms", benchmark: "Queue/start/asynq_that_polls_every_10_ms", unit: "ratio", bound: 1},
		{work: "queue, wait behind 10,000 jobs of another tenant", benchmark: "Queue/fairness", unit: "jobs", bound: 2},
		{work: "queue, recovery from the kill of a worker, lease of 10 s", benchmark: "Queue/recovery/lease=10s", unit: "leases", bound: 1.1},
		{work: "resident memory of an idle API server, 1,000 partners", benchmark: "IdleAPIServer/partners=1000", unit: "resident-MiB", bound: 60},
		{work: "the same, without pages of the executable that it does not use", benchmark: "IdleAPIServer/partners=1000", unit: "needed-MiB", bound: 60},
		{work: "slowest list of 1,000,000 records, with each filter, p99", benchmark: "Lists/records=1000000", unit: "slowest-p99-ms", bound: 50},
		{work: "first paint of the slowest page, 10,000 partners, 1,000,000 jobs", benchmark: "LargestInstallation", unit: "slowest-paint-ms", bound: 1000},
		{work: "weight of the heaviest page there, without pictures", benchmark: "LargestInstallation", unit: "heaviest-kB", bound: 150},
		{work: "preflight against poppler, median of the files of the rules", benchmark: "EveryFileAgainstPoppler", unit: "ratio", bound: 0.30},
		{work: "preflight against pdfimages -all, brochure of 20 images", benchmark: "AgainstPoppler/brochure_of_10_pages", unit: "images-ratio", bound: 1},
		{work: "the same, catalogue of 400 images", benchmark: "AgainstPoppler/catalogue_of_100_pages", unit: "images-ratio", bound: 1},
		{work: "start of the inspector, CPU", benchmark: "InspectorCPU/start", unit: "cpu-ms/op", bound: 3},
		{work: "XJDF of 50 kB, parse and validate against decode into a tree", benchmark: "Validate/kB=50/parse_and_validate", over: "Validate/kB=50/json_into_any", unit: "sec/op", bound: 1.5},
	}
	for _, file := range []string{"flyer of 2 pages", "book of 600 pages", "200,000 lines", "20 JPEGs of 6 megapixels", "CMYK of 16 megapixels, deflated"} {
		all = append(all, goal{work: "preflight against ink_cov, " + file, benchmark: "AgainstInkCoverage/" + strings.ReplaceAll(file, " ", "_"), unit: "ratio", bound: 0.5})
	}
	for _, page := range []string{"text", "a photo", "lines=200000", "transparency in inks", "a page in RGB", "a group in RGB"} {
		all = append(all, goal{work: "planes of one page, " + page + ", CPU", benchmark: "InkOfAPage/" + strings.ReplaceAll(page, " ", "_"), unit: "ink-ms", bound: 300})
	}
	return all
}

func main() {
	partial := flag.Bool("partial", false, "leave out goals that were not measured")
	strict := flag.Bool("strict", false, "fail if a goal is missed")
	flag.Parse()
	if err := run(flag.Args(), *partial, *strict, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "goals:", err)
		os.Exit(1)
	}
}

// run reads the files and writes the table.
func run(paths []string, partial, strict bool, out io.Writer) error {
	measured := map[string]map[string]float64{}
	files := benchfmt.Files{Paths: paths}
	for files.Scan() {
		result, ok := files.Result().(*benchfmt.Result)
		if !ok {
			continue // a line of another form, such as the log of a benchmark
		}
		name, parts := result.Name.Parts()
		for _, part := range parts {
			if part[0] != '-' { // the number of CPUs
				name = append(name, part...)
			}
		}
		metrics := map[string]float64{}
		for _, v := range result.Values {
			metrics[v.Unit] = v.Value
			if v.OrigUnit != "" {
				metrics[v.OrigUnit] = v.OrigValue
			}
		}
		measured[string(name)] = metrics
	}
	if err := files.Err(); err != nil {
		return fmt.Errorf("read benchmarks: %w", err)
	}
	return errors.Join(table(out, goals(), measured, partial, strict), growth(out, allSeries(), measured, partial))
}

// table writes a line for each goal, or only for those that were measured if the table is partial. If it is
// strict, a missed goal is an error, too.
func table(out io.Writer, goals []goal, measured map[string]map[string]float64, partial, strict bool) error {
	var b strings.Builder
	b.WriteString("| work | unit | result | goal | |\n|---|---|---|---|---|\n")
	var failures []error
	for _, g := range goals {
		value, ok := measured[g.benchmark][g.unit]
		unit := g.unit
		if g.over != "" {
			base, found := measured[g.over][g.unit]
			value, ok, unit = value/base, ok && found, "ratio"
		}
		result, verdict := digits(value), "missed"
		switch {
		case !ok && partial:
			continue
		case !ok:
			result, verdict = "-", "not measured"
			failures = append(failures, fmt.Errorf("%s: no metric %s of Benchmark%s", g.work, g.unit, g.benchmark))
		case g.least && value >= g.bound, !g.least && value <= g.bound:
			verdict = "met"
		case strict:
			failures = append(failures, fmt.Errorf("%s: missed", g.work))
		}
		relation := "at most"
		if g.least {
			relation = "at least"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s %g | %s |\n", g.work, unit, result, relation, g.bound, verdict)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return errors.Join(failures...)
}

// digits returns a value with three digits, or with all of its whole part.
func digits(value float64) string {
	if math.Abs(value) >= 1000 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3g", value)
}
