// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/kubetest"
)

// benchmarked lists numbers of partners and of sources that follow them. In the benchmark,
// all sources share one process and one machine with the control plane, unlike replicas.
// Therefore many partners are measured with one source.
var benchmarked = []struct{ partners, replicas int }{{1, 20}, {1_000, 20}, {100, 1}, {1_000, 1}, {10_000, 1}}

// BenchmarkPropagation measures the time from the start of an edit until the gates of
// the last replica use it. The edit is a read and a write, like that of kubectl. The
// edit engages or releases a kill switch.
func BenchmarkPropagation(b *testing.B) {
	for _, size := range benchmarked {
		b.Run(fmt.Sprintf("partners=%d/replicas=%d", size.partners, size.replicas), func(b *testing.B) {
			benchmarkPropagation(b, size.partners, size.replicas)
		})
	}
}

func benchmarkPropagation(b *testing.B, partners, count int) {
	c := newGatedCluster(b, plane)
	c.createOthers(b, partners-1)
	replicas := make([]*replica, count)
	began := time.Now()
	for i := range replicas {
		// As in production: no live reads in between.
		replicas[i] = c.follow(b, func(config *kubesource.Config) { config.Confirm = 15 * time.Second })
		replicas[i].awaitsHealth(b)
	}
	ready := time.Since(began) / time.Duration(count)
	var times []time.Duration
	for b.Loop() {
		state, answer := v1alpha1.KillSwitchEngaged, "Killed"
		if len(times)%2 == 1 {
			state, answer = v1alpha1.KillSwitchReleased, "Open"
		}
		began := time.Now()
		c.setKillSwitch(b, state)
		for _, r := range replicas {
			r.enforces(b, answer, began)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(ready.Milliseconds()), "ready-ms")
	b.ReportMetric(quantile(times, 0.50), "p50-ms")
	b.ReportMetric(quantile(times, 0.99), "p99-ms")
	b.ReportMetric(quantile(times, 1), "max-ms")
	b.Log("\n" + kubetest.Histogram(times))
}

// createOthers creates partners that no decision concerns, several at a time.
func (c *cluster) createOthers(tb testing.TB, n int) {
	tb.Helper()
	const atOnce = 8
	var group sync.WaitGroup
	for lane := range atOnce {
		group.Go(func() {
			for i := 1 + lane; i <= n; i += atOnce {
				if err := c.Create(tb.Context(), c.otherPartner(i)); err != nil {
					tb.Errorf("Create: %v", err)
					return
				}
			}
		})
	}
	group.Wait()
}

// otherPartner returns one of the partners that no decision concerns.
func (c *cluster) otherPartner(i int) *v1alpha1.PartnerEntitlement {
	p := c.partner()
	p.Name, p.Spec.OrganizationID = fmt.Sprintf("partner-%05d", i), fmt.Sprintf("org_%06d", i)
	digest := sha256.Sum256([]byte(p.Name))
	p.Spec.Keys[0].SHA256 = hex.EncodeToString(digest[:])
	return p
}

// enforces waits for a decision.
func (r *replica) enforces(b *testing.B, answer string, began time.Time) {
	b.Helper()
	for r.answer() != answer {
		if time.Since(began) > time.Minute {
			b.Fatalf("not %s after a minute: %+v", answer, r.Status())
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// quantile returns a quantile of sorted times in milliseconds.
func quantile(times []time.Duration, q float64) float64 {
	return float64(times[int(q*float64(len(times)-1))].Microseconds()) / 1000
}
