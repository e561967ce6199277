// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// BenchmarkCurve is what one edit costs a replica, and one report the
// controller, as the marketplace grows. Both judge every partner again, so what
// it is per partner ought to be the same in all lines. The metric cpu-ns/partner
// is the time that processors worked, the collection of garbage included; unlike
// the time that passed it stays the same beside others' work. The metric
// held-B/partner is what a snapshot keeps beyond the objects that it was
// compiled from.
func BenchmarkCurve(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		in := market(b, n)
		b.Run(fmt.Sprint("change/partners=", n), func(b *testing.B) { benchmarkChange(b, in) })
		b.Run(fmt.Sprint("report/partners=", n), func(b *testing.B) {
			s := posture.Compile(in)
			perPartner(b, n, func() { s.Report(now) })
		})
	}
}

// benchmarkChange revokes a key and takes that back, in turns. The gates hold
// the snapshot before while the next is compiled, as in production.
func benchmarkChange(b *testing.B, in posture.Inputs) {
	n := len(in.Partners)
	states := [...]posture.Inputs{withoutKey(in), in}
	gates := posture.NewGates(time.Hour)
	edits := 0
	perPartner(b, n, func() {
		gates.Publish(posture.Compile(states[edits%2]), now)
		edits++
	})
	held := heldBy(func() any { return posture.Compile(in) })
	b.ReportMetric(float64(held)/float64(n), "held-B/partner")
}

// withoutKey is the same marketplace with one key revoked.
func withoutKey(in posture.Inputs) posture.Inputs {
	in.Partners = slices.Clone(in.Partners)
	last := in.Partners[len(in.Partners)-1].DeepCopy()
	last.Spec.Keys[0].State = v1alpha1.KeyStateRevoked
	in.Partners[len(in.Partners)-1] = *last
	return in
}

// perPartner measures work on n partners.
func perPartner(b *testing.B, n int, work func()) {
	b.Helper()
	b.ReportAllocs()
	runtime.GC()
	before := processorTime(b)
	for b.Loop() {
		work()
	}
	spent := processorTime(b) - before
	each := float64(b.N) * float64(n)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/each, "ns/partner")
	b.ReportMetric(float64(spent.Nanoseconds())/each, "cpu-ns/partner")
}

// processorTime is what this process has used so far.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// heldBy is the derived that a value holds.
func heldBy(build func() any) uint64 {
	before := live()
	value := build()
	after := live()
	runtime.KeepAlive(value)
	return after - min(before, after)
}

// live is the derived that is reachable.
func live() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
