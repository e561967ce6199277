// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/rfq"
)

// BenchmarkPages measures the overview, with a SQLite store behind its quotas and
// keys, and full pages of lists of 10,000, which are in memory.
func BenchmarkPages(b *testing.B) {
	var all []rfq.RFQ
	works := everyKind(b)
	for i := range 10_000 {
		all = append(all, request(i, ""))
		works = append(works, jobNamed(b, fmt.Sprintf("%05d.pdf", i), "", nil))
	}
	d := newDashboard(b, func(c *dashboard.Config) {
		c.RFQs, c.Webhooks, c.Jobs = rfqStub{rfqs: all, quotes: []rfq.Quote{quote(b, "1", "")}}, busy(""), works
	})
	d.Limit("acme", "partner", 1_000_000_000)
	d.Limit("acme", "preflight", 1_000_000_000)
	d.benchmark(b, "acme-live", map[string]string{
		"overview": "/", "rfqs": "/rfqs", "rfq": "/rfqs/" + all[0].ID, "webhooks": "/webhooks", "deliveries": "/webhooks/endpoints/mis/deliveries",
		"delivery": "/webhooks/deliveries/dlv_09999", "preflight": "/preflight", "job": "/preflight/pref_processing.pdf", "report": "/preflight/pref_succeeded.pdf/report",
		"contracts": "/contracts", "capabilities": "/capabilities",
	})
}

// BenchmarkOps measures the pages for operators of marketplaces of several sizes whose
// partners were granted all capabilities, and the public page of capabilities there.
// The first page after an edit is slower, because it fills the caches.
func BenchmarkOps(b *testing.B) {
	for _, partners := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("partners=%d", partners), func(b *testing.B) {
			d := newDashboard(b, withOps)
			in := d.publishPartners(partners)
			d.benchmark(b, "platform-live", map[string]string{
				"matrix": "/ops", "matrix-last": fmt.Sprintf("/ops?page=%d", partners/50), "matrix-text": "/ops?text=00500",
				"matrix-sought": "/ops?capability=preflight&access=open&text=00500", "matrix-access": "/ops?access=test",
				"matrix-capability-access": "/ops?capability=preflight&access=test",
				"partner":                  "/ops/partners/partner-00500", "rollouts": "/ops/rollouts", "queue": "/ops/queue",
				"denials": "/ops/denials", "capabilities": "/capabilities",
			})
			for name, path := range map[string]string{"matrix-edited": "/ops", "rollouts-edited": "/ops/rollouts"} {
				b.Run(name, func(b *testing.B) {
					signedIn := d.signedIn(b, "platform-live")
					for b.Loop() {
						b.StopTimer()
						d.Gates.Publish(posture.Compile(in), noon)
						b.StartTimer()
						signedIn.fetch(b, path)
					}
				})
			}
		})
	}
}

// benchmark measures the time and size of pages for a visitor with a key.
func (d *testDashboard) benchmark(b *testing.B, key string, paths map[string]string) {
	b.Helper()
	for name, path := range paths {
		b.Run(name, func(b *testing.B) {
			signedIn, size := d.signedIn(b, key), 0
			b.ReportAllocs()
			for b.Loop() {
				size = signedIn.fetch(b, path)
			}
			b.ReportMetric(float64(size), "B/page")
		})
	}
}

// fetch requests a page and returns its size in bytes.
func (signedIn *browser) fetch(b *testing.B, path string) int {
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
	r.AddCookie(&http.Cookie{Name: cookieName, Value: signedIn.cookie})
	rec := httptest.NewRecorder()
	signedIn.dashboard.handler.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		b.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	return rec.Body.Len()
}
