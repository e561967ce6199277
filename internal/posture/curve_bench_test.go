// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
	"github.com/printmarket/printmarket/test/programs"
)

// BenchmarkCurve measures the cost of the first compilation, of one edit for a replica and
// of one report for the controller, as the number of partners grows. The cost per partner
// should be equal in all lines. The metrics cpu-ms and cpu-ns/partner are CPU time, including
// garbage collection; unlike elapsed time it does not depend on other load. The metric
// held-B/partner is the memory that a snapshot keeps in addition to the objects it was
// compiled from; for a change it includes the compiler.
func BenchmarkCurve(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		in := market(b, n)
		b.Run(fmt.Sprint("full/partners=", n), func(b *testing.B) {
			perPartner(b, n, func() { posture.Compile(in) })
			b.ReportMetric(float64(heldBy(func() any { return posture.Compile(in) }))/float64(n), "held-B/partner")
		})
		b.Run(fmt.Sprint("change/partners=", n), func(b *testing.B) { benchmarkChange(b, in) })
		b.Run(fmt.Sprint("report/partners=", n), func(b *testing.B) {
			s := posture.Compile(in)
			perPartner(b, n, func() { s.Report(now) })
		})
	}
}

// benchmarkChange alternately revokes and restores a key. The gates hold the previous
// snapshot while the next one is compiled, as in production.
func benchmarkChange(b *testing.B, in posture.Inputs) {
	n := len(in.Partners)
	states := [...]posture.Objects{posturetest.Objects(in), posturetest.Objects(in)}
	states[1].Partners[n-1] = in.Partners[n-1].DeepCopy()
	states[1].Partners[n-1].Spec.Keys[0].State = v1alpha1.KeyStateRevoked
	gates, edits := posture.NewGates(time.Hour), 0
	var compiler posture.Compiler
	gates.Publish(compiler.Compile(states[0]), now)
	perPartner(b, n, func() {
		edits++
		gates.Publish(compiler.Compile(states[edits%2]), now)
	})
	held := heldBy(func() any {
		var compiler posture.Compiler
		return []any{compiler.Compile(states[0]), &compiler}
	})
	b.ReportMetric(float64(held)/float64(n), "held-B/partner")
}

// perPartner measures work on n partners.
func perPartner(b *testing.B, n int, work func()) {
	b.Helper()
	b.ReportAllocs()
	runtime.GC()
	before := programs.OwnCPUTime(b)
	for b.Loop() {
		work()
	}
	spent := programs.OwnCPUTime(b) - before
	each := float64(b.N) * float64(n)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/each, "ns/partner")
	b.ReportMetric(float64(spent.Nanoseconds())/each, "cpu-ns/partner")
	b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms")
}

// heldBy returns the number of bytes that a value keeps reachable.
func heldBy(build func() any) uint64 {
	before := live()
	value := build()
	after := live()
	runtime.KeepAlive(value)
	return after - min(before, after)
}

// live returns the number of reachable bytes.
func live() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
