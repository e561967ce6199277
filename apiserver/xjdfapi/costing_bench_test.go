// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/test/apitest"
)

// large returns a printer with fifty media and ten devices, half of them presses.
func large() authority.Content {
	c := apitest.Printer(acme, 1)
	for i := range 49 {
		one := c.Media[0]
		one.ID = fmt.Sprintf("medium-%02d", i)
		c.Media = append(c.Media, one)
	}
	for i := range 8 {
		one := c.Devices[i%2]
		one.ID = fmt.Sprintf("%s-%d", one.ID, i)
		one.HourlyRate += 5 * money.One
		one.SetupMinutes /= 2
		c.Devices = append(c.Devices, one)
	}
	return c
}

// BenchmarkCalculate requests the costs of a document and its validation in turn. The ratio
// is the duration of the first divided by the second; the allocations are those of both.
func BenchmarkCalculate(b *testing.B) {
	server := apitest.New(b, apitest.Options{})
	server.Costs(b, large())
	session := server.Session(b, "acme-live")
	ask := func(r func() *http.Request) func() time.Duration {
		return func() time.Duration {
			request, rec := r(), httptest.NewRecorder()
			start := time.Now()
			server.Handler.ServeHTTP(rec, request)
			took := time.Since(start)
			if rec.Code != http.StatusOK {
				b.Fatalf("answered %d %s", rec.Code, rec.Body)
			}
			return took
		}
	}
	calculate := ask(func() *http.Request {
		return server.Build(b, apitest.Request{Method: "POST", Path: xjdfapi.CostingPath, Body: body(apitest.Flyer, ""), Header: map[string]string{"Authorization": "Bearer " + session}})
	})
	validate := ask(func() *http.Request {
		return server.Build(b, apitest.Request{Method: "POST", Path: "/api/v1/xjdf/validate", Body: apitest.Flyer, Key: "acme-live"})
	})
	var calculated, validated time.Duration
	asked := 0
	b.ReportAllocs()
	for b.Loop() {
		if asked++; asked%1000 == 0 {
			server.Advance(time.Second) // the rate limit has room
		}
		calculated += calculate()
		validated += validate()
	}
	b.ReportMetric(float64(calculated.Microseconds())/float64(b.N), "calculated-µs")
	b.ReportMetric(float64(validated.Microseconds())/float64(b.N), "validated-µs")
	b.ReportMetric(float64(calculated)/float64(validated), "ratio")
}

// BenchmarkAllocations measures only a request for the costs of a document.
func BenchmarkAllocations(b *testing.B) {
	server := apitest.New(b, apitest.Options{})
	server.Costs(b, large())
	session := server.Session(b, "acme-live")
	request := apitest.Request{Method: "POST", Path: xjdfapi.CostingPath, Body: body(apitest.Flyer, ""), Header: map[string]string{"Authorization": "Bearer " + session}}
	asked := 0
	b.ReportAllocs()
	for b.Loop() {
		if asked++; asked%1000 == 0 {
			server.Advance(time.Second)
		}
		rec := httptest.NewRecorder()
		if server.Handler.ServeHTTP(rec, server.Build(b, request)); rec.Code != http.StatusOK {
			b.Fatalf("answered %d %s", rec.Code, rec.Body)
		}
	}
}
