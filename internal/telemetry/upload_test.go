// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

func TestBatchIsSentAgainToABusyCollector(t *testing.T) {
	t.Parallel()
	for _, status := range []int{
		http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			collector := telemetrytest.New(t, func(w http.ResponseWriter, _ *http.Request) bool {
				if calls.Add(1) > 1 {
					return false
				}
				w.WriteHeader(status)
				return true
			})
			tracer := mustOpen(t, collector.URL)
			tracer.request(nil, telemetry.Answer{Method: "GET", Status: 200})
			closed(t, tracer)
			if got := len(collector.Spans()); got != 1 || calls.Load() != 2 {
				t.Errorf("%d spans arrived in %d requests, want 1 in 2:\n%s", got, calls.Load(), tracer.log.String())
			}
		})
	}
}

func TestRejectedSpansAreReported(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, func(w http.ResponseWriter, _ *http.Request) bool {
		body, err := proto.Marshal(&collectorpb.ExportTraceServiceResponse{
			PartialSuccess: &collectorpb.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"},
		})
		if err != nil {
			t.Errorf("proto.Marshal: %v", err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(body)
		return true
	})
	tracer := mustOpen(t, collector.URL)
	tracer.request(nil, telemetry.Answer{Method: "GET", Status: 200})
	closed(t, tracer)
	if want := "the collector rejected 3 spans: too old"; !strings.Contains(tracer.log.String(), want) {
		t.Errorf("the log does not contain %q:\n%s", want, tracer.log.String())
	}
}

func TestBatchIsCompressedOnRequest(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, func(http.ResponseWriter, *http.Request) bool { return true })
	tracer := mustOpen(t, collector.URL, "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	tracer.request(nil, telemetry.Answer{Method: "GET", Status: 200})
	closed(t, tracer)
	if _, header := collector.Calls(); header.Get("Content-Encoding") != "gzip" {
		t.Errorf("Content-Encoding is %q, want gzip", header.Get("Content-Encoding"))
	}
	reader, err := gzip.NewReader(strings.NewReader(collector.Sent()))
	if err != nil {
		t.Fatalf("gzip.NewReader: %v", err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		t.Fatalf("io.ReadAll: %v", err)
	}
	var request collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil || len(request.GetResourceSpans()) != 1 {
		t.Errorf("the batch has %d resources, want 1: %v", len(request.GetResourceSpans()), err)
	}
}
