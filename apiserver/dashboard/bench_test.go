// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/rfq"
)

// BenchmarkPages measures the overview, with a SQLite store behind its quotas and
// keys, and full pages of RFQs and of webhooks, which are in memory.
func BenchmarkPages(b *testing.B) {
	var all []rfq.RFQ
	for i := range 10_000 {
		all = append(all, request(i, ""))
	}
	w := newWorld(b, func(c *dashboard.Config) { c.RFQs, c.Webhooks = shelf{rfqs: all}, busy("") })
	w.Limit("acme", "partner", 1_000_000_000)
	for name, path := range map[string]string{
		"overview": "/", "rfqs": "/rfqs", "webhooks": "/webhooks", "deliveries": "/webhooks/endpoints/mis/deliveries", "delivery": "/webhooks/deliveries/dlv_09999",
	} {
		b.Run(name, func(b *testing.B) {
			somebody := w.signedIn(b, "acme-live")
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
				r.AddCookie(&http.Cookie{Name: cookieName, Value: somebody.cookie})
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				if rec.Code != http.StatusOK {
					b.Fatalf("status %d: %s", rec.Code, rec.Body)
				}
			}
		})
	}
}
