// SPDX-License-Identifier: Apache-2.0

// Package doctor examines an installation and explains what it finds: each finding
// says what was looked at, how it is, and what to do about it. It changes nothing.
//
// What it asks over HTTP is here; what needs a driver (the database, Redis, the
// cluster) is examined by whoever has one, in the same words.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Severity says how bad a finding is.
type Severity string

// The severities, from the best to the worst.
const (
	// OK is as it should be.
	OK Severity = "ok"
	// Skipped was not looked at, because nobody said where it is.
	Skipped Severity = "skipped"
	// Warning works, and will not for ever, or not for everybody.
	Warning Severity = "warning"
	// Failure does not work, or loses something.
	Failure Severity = "failure"
)

// Finding is how one thing is.
type Finding struct {
	// Check is what was looked at, in two or three words.
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	// Detail is what was seen. It has no secret in it.
	Detail string `json:"detail"`
	// Do is what to do about it; empty if nothing.
	Do string `json:"whatToDo,omitempty"`
}

// Examination looks at one part of an installation.
type Examination struct {
	// Part is what it looks at: "database", say.
	Part string
	// Run returns at least one finding. It ends soon after ctx.
	Run func(ctx context.Context) []Finding
}

// Report is what was found in one part.
type Report struct {
	Part     string    `json:"part"`
	Findings []Finding `json:"findings"`
}

// Examine looks at all parts at the same time, at each no longer than limit, and
// returns what it found in their order.
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

// Worst is the worst severity of all reports.
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

// Well is a finding that is as it should be.
func Well(check, format string, args ...any) Finding {
	return Finding{Check: check, Severity: OK, Detail: fmt.Sprintf(format, args...)}
}

// Beware is a warning; do says what to do.
func Beware(check, do, format string, args ...any) Finding {
	return Finding{Check: check, Severity: Warning, Detail: fmt.Sprintf(format, args...), Do: do}
}

// Fail is a failure; do says what to do.
func Fail(check, do, format string, args ...any) Finding {
	return Finding{Check: check, Severity: Failure, Detail: fmt.Sprintf(format, args...), Do: do}
}

// Unless is Well, or what is given if err is not nil, with it as the detail.
func Unless(err error, check, well, do string, severity Severity) Finding {
	if err == nil {
		return Well(check, "%s", well)
	}
	return Finding{Check: check, Severity: severity, Detail: err.Error(), Do: do}
}

// maxSkew is how far two clocks may be from each other before somebody notices:
// signatures, leases and quota windows all go by them.
const maxSkew = 2 * time.Second

// Clock judges how far another clock is ahead of ours.
func Clock(whose string, skew time.Duration) Finding {
	if skew.Abs() > maxSkew {
		return Beware("clock", "Let both machines follow the same time servers: leases, quotas and signatures go by their clocks.",
			"that of %s is %s from ours", whose, skew.Round(time.Millisecond))
	}
	return Well("clock", "within %s of ours", skew.Abs().Round(time.Millisecond))
}
