// SPDX-License-Identifier: Apache-2.0

// Package doctor examines an installation and reports findings: each names the checked
// property, its state and the remedy. It changes nothing.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Severity is the severity of a finding.
type Severity string

// The severities in ascending order.
const (
	// OK means that no action is needed.
	OK Severity = "ok"
	// Skipped means that the part was not examined, because its address is unknown.
	Skipped Severity = "skipped"
	// Warning means that something works now but will fail later, or fails for some
	// users.
	Warning Severity = "warning"
	// Failure means that something does not work or loses data.
	Failure Severity = "failure"
)

// Finding is the result of one check.
type Finding struct {
	// Check names the checked property in two or three words.
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	// Detail is the observed state. It contains no secret.
	Detail string `json:"detail"`
	// Do is the action to take; empty if there is none.
	Do string `json:"whatToDo,omitempty"`
}

// Examination examines one part of an installation.
type Examination struct {
	// Part names the part: "database", "redis" and so on.
	Part string
	// Run returns at least one finding. It ends soon after ctx.
	Run func(ctx context.Context) []Finding
}

// Report holds the findings about one part.
type Report struct {
	Part     string    `json:"part"`
	Findings []Finding `json:"findings"`
}

// Examine examines all parts concurrently, each for at most limit, and returns the
// reports in the order of the parts.
func Examine(ctx context.Context, parts []Examination, limit time.Duration) []Report {
	reports := make([]Report, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			reports[i] = Report{Part: part.Part, Findings: part.Run(ctx)}
		})
	}
	running.Wait()
	return reports
}

// Worst returns the highest severity in all reports.
func Worst(reports []Report) Severity {
	order := []Severity{OK, Skipped, Warning, Failure}
	worst := OK
	for _, report := range reports {
		for _, finding := range report.Findings {
			if slices.Index(order, finding.Severity) > slices.Index(order, worst) {
				worst = finding.Severity
			}
		}
	}
	return worst
}

// Passed returns a finding of severity OK.
func Passed(check, format string, args ...any) Finding {
	return Finding{Check: check, Severity: OK, Detail: fmt.Sprintf(format, args...)}
}

// Warn returns a warning; do is the action to take.
func Warn(check, do, format string, args ...any) Finding {
	return Finding{Check: check, Severity: Warning, Detail: fmt.Sprintf(format, args...), Do: do}
}

// Fail returns a failure; do is the action to take.
func Fail(check, do, format string, args ...any) Finding {
	return Finding{Check: check, Severity: Failure, Detail: fmt.Sprintf(format, args...), Do: do}
}

// Unless returns a finding of severity OK if err is nil, and otherwise a finding of the
// given severity with err as its detail.
func Unless(err error, check, well, do string, severity Severity) Finding {
	if err == nil {
		return Passed(check, "%s", well)
	}
	return Finding{Check: check, Severity: severity, Detail: err.Error(), Do: do}
}

// maxSkew is the tolerated difference between two clocks: signatures, leases and quota
// windows depend on them.
const maxSkew = 2 * time.Second

// Clock evaluates how far another clock is ahead of the local one.
func Clock(whose string, skew time.Duration) Finding {
	if skew.Abs() > maxSkew {
		return Warn("clock", "Synchronize both machines with the same time servers: leases, quotas and signatures depend on their clocks.",
			"the clock of %s differs by %s from the local one", whose, skew.Round(time.Millisecond))
	}
	return Passed("clock", "within %s of the local clock", skew.Abs().Round(time.Millisecond))
}
