// SPDX-License-Identifier: Apache-2.0

// Command queue compares the platform's job queue with asynq, the queue on
// Redis that Go programs use most. Both run in one process, against the same
// redis-server, in turns, and what is reported are medians. It prints tables,
// and the results that bench/goals compares with goals.
//
// Times of two runs cannot be compared, ratios of one run can. So every goal is
// a ratio, and the program is run by hand, on a machine that is quiet.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	os.Exit(start())
}

func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "queue:", err)
		return 1
	}
	return 0
}

// size holds the extent of the measurements.
type size struct {
	rounds, jobs int
	rate         int
	span         time.Duration
	backlog      int
	slowAsynq    bool
	// processor is the CPU that runs Redis; anywhere selects any CPU.
	processor int
}

// measurement is one of the chapters of the report.
type measurement struct {
	name string
	run  func(context.Context, size, *report) error
}

func measurements() []measurement {
	return []measurement{
		{"cycle", measureCycle},
		{"latency", measureLatency},
		{"recovery", measureRecovery},
		{"fairness", measureFairness},
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var s size
	var only string
	var v victim
	flags := flag.NewFlagSet("queue", flag.ContinueOnError)
	flags.IntVar(&s.rounds, "count", 5, "rounds of each measurement")
	flags.IntVar(&s.jobs, "jobs", 5000, "jobs of a round of the cycle")
	flags.IntVar(&s.rate, "rate", 200, "jobs per second of the latency")
	flags.DurationVar(&s.span, "span", 10*time.Second, "how long a round of the latency submits")
	flags.IntVar(&s.backlog, "backlog", 10_000, "jobs before the one whose wait is the fairness")
	flags.BoolVar(&s.slowAsynq, "slow-asynq", true, "measure asynq too where that takes minutes")
	flags.StringVar(&only, "only", "", "measurements to run, by comma: cycle, latency, recovery, fairness")
	flags.StringVar(&v.contender, "victim", "", "be the worker that is killed (the program starts itself so)")
	flags.StringVar(&v.addr, "redis", "", "the victim's Redis")
	flags.DurationVar(&v.lease, "lease", 0, "the victim's lease")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read flags: %w", err)
	}
	if v.contender != "" {
		return v.run(ctx, out)
	}
	if min(s.rounds, s.jobs, s.rate, s.backlog, int(s.span)) < 1 {
		return errors.New("read flags: sizes must be positive")
	}
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if s.processor, err = apart(); err != nil {
		return err
	}
	r := &report{out: out}
	for _, m := range chosen {
		if err := m.run(ctx, s, r); err != nil {
			return fmt.Errorf("measure %s: %w", m.name, err)
		}
	}
	r.end()
	return nil
}

// choose is all measurements, or those that are named.
func choose(only string) ([]measurement, error) {
	all := measurements()
	if only == "" {
		return all, nil
	}
	var chosen []measurement
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(m measurement) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("read flags: there is no measurement %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
