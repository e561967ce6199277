// SPDX-License-Identifier: Apache-2.0

// Package telemetrytest collects the telemetry of tests: a [Collector] accepts traces by OTLP
// over HTTP, as a real one does, and returns them; a [Log] can be read while it is written.
package telemetrytest

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// Span is an exported span. Its attributes include those of the exporting process.
type Span struct {
	Name, Kind, Trace, ID string
	// Parent is the id of the parent span; empty for the first span of a trace.
	Parent string
	// Links lists the ids of linked traces.
	Links        []string
	Began, Ended time.Time
	Failed       bool
	Attributes   map[string]string
}

// Collector receives traces. Create it with [New].
type Collector struct {
	// URL is its base URL.
	URL string

	t     *testing.T
	mu    sync.Mutex
	spans []Span
	sent  bytes.Buffer
	calls int
	seen  http.Header
}

// New starts a collector. answer, which may be nil, is called before a request is accepted. If it
// returns true, it has responded, and the collector does not accept the request.
func New(t *testing.T, answer func(w http.ResponseWriter, r *http.Request) bool) *Collector {
	t.Helper()
	c := &Collector{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the exporter has disconnected
		}
		c.note(r, body)
		if answer != nil && answer(w, r) {
			return
		}
		c.take(w, r, body)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) note(r *http.Request, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.seen = r.Header.Clone()
	_, _ = c.sent.Write(body) // a bytes.Buffer does not fail
}

func (c *Collector) take(w http.ResponseWriter, r *http.Request, body []byte) {
	var request collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil || r.URL.Path != "/v1/traces" {
		c.t.Errorf("the collector received invalid OTLP: %s %s: %v", r.Method, r.URL.Path, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, process := range request.GetResourceSpans() {
		for _, scope := range process.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.spans = append(c.spans, spanOf(process.GetResource().GetAttributes(), span))
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func spanOf(process []*commonpb.KeyValue, s *tracepb.Span) Span {
	made := Span{
		Name: s.GetName(), Kind: s.GetKind().String(), Trace: hex.EncodeToString(s.GetTraceId()),
		ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
		Failed: s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR,
		Began:  time.Unix(0, int64(s.GetStartTimeUnixNano())), Ended: time.Unix(0, int64(s.GetEndTimeUnixNano())),
		Attributes: map[string]string{},
	}
	for _, link := range s.GetLinks() {
		made.Links = append(made.Links, hex.EncodeToString(link.GetTraceId()))
	}
	for _, attribute := range slices.Concat(process, s.GetAttributes()) {
		made.Attributes[attribute.GetKey()] = textOf(attribute.GetValue())
	}
	return made
}

func textOf(value *commonpb.AnyValue) string {
	switch value := value.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return value.StringValue
	case *commonpb.AnyValue_IntValue:
		return strconv.FormatInt(value.IntValue, 10)
	default:
		return "" // the platform sends no other types
	}
}

// Tracer opens a tracer that sends every span to the collector. Closing the tracer flushes all
// spans; the end of the test closes it at the latest.
func (c *Collector) Tracer() *telemetry.Tracer {
	c.t.Helper()
	tracer, err := telemetry.OpenTracer(c.t.Context(), telemetry.TraceConfig{
		Endpoint: c.URL, Getenv: func(string) string { return "" }, Service: "test",
		Now: time.Now, Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
	})
	if err != nil {
		c.t.Fatalf("telemetry.OpenTracer: %v", err)
	}
	c.t.Cleanup(func() { tracer.Close(context.WithoutCancel(c.t.Context())) })
	return tracer
}

// Spans returns the received spans in the order in which they ended.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Named returns the received spans with a name.
func (c *Collector) Named(name string) []Span {
	return slices.DeleteFunc(c.Spans(), func(s Span) bool { return s.Name != name })
}

// Sent returns all received bytes, accepted or not.
func (c *Collector) Sent() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent.String()
}

// Calls returns the number of requests and the header of the last one.
func (c *Collector) Calls() (calls int, last http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls, c.seen
}
