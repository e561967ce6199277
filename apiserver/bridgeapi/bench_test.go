// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/apitest"
)

// BenchmarkPage requests the last page of 1,000 and of 100,000 media in turn. The ratio of
// the second duration to the first is about 1.
func BenchmarkPage(b *testing.B) {
	few, many := apitest.New(b, apitest.Options{}), apitest.New(b, apitest.Options{})
	publish(b, few, content(acme, "own", 1_000))
	publish(b, many, content(acme, "own", 100_000))
	ask := func(server *apitest.Server, offset int) func() time.Duration {
		server.Limit("acme", "bridge", 1_000_000)
		return func() time.Duration {
			r := server.Build(b, apitest.Request{Method: "GET", Path: fmt.Sprintf("%s?limit=100&offset=%d", mediaPath, offset), Key: "acme-live"})
			rec := httptest.NewRecorder()
			start := time.Now()
			server.Handler.ServeHTTP(rec, r)
			took := time.Since(start)
			if rec.Code != http.StatusOK {
				b.Fatalf("answered %d", rec.Code)
			}
			return took
		}
	}
	ofFew, ofMany := ask(few, 900), ask(many, 99_900)
	var small, large time.Duration
	for b.Loop() {
		small += ofFew()
		large += ofMany()
	}
	b.ReportMetric(float64(small.Nanoseconds())/float64(b.N), "of-1000-ns")
	b.ReportMetric(float64(large.Nanoseconds())/float64(b.N), "of-100000-ns")
	b.ReportMetric(float64(large)/float64(small), "ratio")
}

// BenchmarkExport writes an export of about the largest size.
func BenchmarkExport(b *testing.B) {
	server := apitest.New(b, apitest.Options{})
	publish(b, server, content(acme, "own", 25_000))
	for _, query := range []string{"", "&includeValidation=true"} {
		b.Run("media"+query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rec := httptest.NewRecorder()
				server.Handler.ServeHTTP(rec, server.Build(b, apitest.Request{Method: "GET", Path: exportPath + "?category=media" + query, Key: "acme-live"}))
				if rec.Code != http.StatusOK {
					b.Fatalf("answered %d %s", rec.Code, rec.Body)
				}
				b.SetBytes(int64(rec.Body.Len()))
			}
		})
	}
}
