// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
)

// creates returns the same record for every create, so that the benchmark measures only the edge.
type creates struct{ partnerapi.RFQs }

func (creates) Create(_ context.Context, owner tenant.ID, _ rfq.Draft, _ rfq.Terms) (rfq.Created, error) {
	return rfq.Created{RFQ: rfq.RFQ{ID: "rfq_00000000000000000000000001", Tenant: owner, TrackingCode: "PM-0000-0000", Version: 1}}, nil
}

// BenchmarkCreateRFQ measures the cost of the edge for POST /api/v1/rfq: the gate, decoding
// and validation of the body, and the response, with a service that does nothing.
func BenchmarkCreateRFQ(b *testing.B) {
	server := apitest.New(b, apitest.Options{})
	server.Limit("acme", v1alpha1.SurfacePartner, 10_000_000)
	routes, err := partnerapi.Routes(creates{}, server.Catalog, server.Store, server.Contracts)
	must(b, err)
	all, err := apitest.Routes(server)
	must(b, err)
	for i := range all {
		for j := range routes {
			if all[i].Pattern == routes[j].Pattern && all[i].Method == routes[j].Method {
				all[i] = routes[j]
			}
		}
	}
	epoch, began := server.Clock.Now(), time.Now()
	handler, err := apiserver.API{
		Gates: server.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: server.Metrics, Log: telemetry.Discard(),
		Now: func() time.Time { return epoch.Add(time.Since(began)) }, Contracts: server.Contracts, Routes: all,
	}.Handler()
	must(b, err)
	request := func() *http.Request {
		return server.Build(b, apitest.Request{
			Method: http.MethodPost, Path: "/api/v1/rfq", Key: "acme-live", Header: map[string]string{"Idempotency-Key": "bench"},
			Body: `{"catalogProductUid":"print:flyers:a5","title":"Spring flyers","category":"commercial-print","quantity":5000,"deliveryCity":"Utrecht"}`,
		})
	}
	b.ReportAllocs()
	requests := make([]*http.Request, 0, 1000)
	for b.Loop() {
		if len(requests) == 0 {
			b.StopTimer()
			for range cap(requests) {
				requests = append(requests, request())
			}
			b.StartTimer()
		}
		last := len(requests) - 1
		answer := sink{header: http.Header{}}
		handler.ServeHTTP(&answer, requests[last])
		requests = requests[:last]
		if got := answer.header.Get("Content-Length"); got == "" || answer.header.Get("Location") == "" {
			b.Fatalf("answer %v", answer.header)
		}
	}
}
