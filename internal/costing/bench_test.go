// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// large returns the master data of the guide with fifty media and its twelve devices.
func large() authority.Content {
	c := printer()
	for i := range 50 - len(c.Media) {
		one := c.Media[i%5]
		one.ID = fmt.Sprintf("medium-%02d", i)
		c.Media = append(c.Media, one)
	}
	return c
}

// BenchmarkCalculate compares a calculation with parsing its document. The metric is the
// ratio of the two durations.
func BenchmarkCalculate(b *testing.B) {
	for _, name := range exampleNames(b) {
		b.Run(name, func(b *testing.B) {
			body, in := example(b, name), effective(b, large())
			var reading, calculating time.Duration
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				d, err := xjdf.Parse(body, xjdf.Limits{})
				if err != nil {
					b.Fatalf("xjdf.Parse: %v", err)
				}
				parsed := time.Now()
				if _, err := costing.Calculate(costing.Request{Document: d, Mode: costing.Authoritative, Authority: in, Now: now}); err != nil {
					b.Fatalf("costing.Calculate: %v", err)
				}
				reading += parsed.Sub(began)
				calculating += time.Since(parsed)
			}
			b.ReportMetric(float64(calculating.Microseconds())/float64(b.N), "µs/calculation")
			b.ReportMetric(float64(calculating)/float64(reading), "times-reading")
		})
	}
}
