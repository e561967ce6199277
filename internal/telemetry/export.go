// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// TraceConfig holds the settings of a [Tracer]. Members are required unless their comment
// defines the zero value.
type TraceConfig struct {
	// Endpoint is the base URL of a collector; if it is empty, the environment names the
	// collector.
	Endpoint string
	// Getenv reads the environment.
	Getenv func(string) string
	// Service, Version and Instance identify the process in every span.
	Service, Version, Instance string
	Now                        func() time.Time
	Log                        *slog.Logger
	Metrics                    *Metrics
}

// OpenTracer returns a tracer, or nil if neither the configuration nor the environment names
// a collector. It fails if they are invalid. An unavailable collector is not an error.
func OpenTracer(ctx context.Context, c TraceConfig) (*Tracer, error) {
	to, err := environment(c.Getenv).destination(c.Endpoint)
	if to == nil || err != nil {
		return nil, err
	}
	made, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", c.Service),
		attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", c.Instance),
	), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	client := to.client()
	sender, err := otlptrace.New(ctx, &uploader{to: to, client: client, stopped: make(chan struct{})})
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	e := &exporter{SpanExporter: sender, client: client, to: to, log: c.Log, count: c.Metrics.Spans, ended: make(chan struct{})}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(made), sdktrace.WithSampler(to.sampler), sdktrace.WithBatcher(e))
	c.Log.InfoContext(ctx, "traces go to a collector", "endpoint", to.url)
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/printmarket/printmarket"), exporter: e, now: c.Now}, nil
}

// flushTime limits the export of the last spans.
const flushTime = 3 * time.Second

// Close exports the spans that have ended, for up to 3 s. It returns after all goroutines of
// the tracer have ended. Spans that end later are lost.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		e := t.exporter
		e.log.WarnContext(ctx, "the last spans did not reach the collector in time")
		_ = e.SpanExporter.Shutdown(ctx) // its error is the timeout, which is logged above
	}
	<-t.exporter.ended
	t.exporter.client.CloseIdleConnections()
}

// exporter sends batches. It logs the first failure, and the first success after a failure.
type exporter struct {
	sdktrace.SpanExporter
	client *http.Client
	to     *destination
	log    *slog.Logger
	count  func(outcome string, spans int)
	// ended is closed after the last batch.
	ended chan struct{}
	end   sync.Once

	mu      sync.Mutex
	failing bool
}

// ExportSpans implements [sdktrace.SpanExporter]. It never returns an error, because the
// library would print each one to the standard error of the process.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	outcome := "exported"
	if err != nil {
		outcome = "failed"
	}
	e.count(outcome, len(spans))
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil && !e.failing:
		e.log.WarnContext(ctx, "spans are lost: the collector does not take them", "endpoint", e.to.url, "error", e.quiet(err))
	case err == nil && e.failing:
		e.log.InfoContext(ctx, "the collector takes spans again", "endpoint", e.to.url)
	}
	e.failing = err != nil
	return nil
}

// Shutdown implements [sdktrace.SpanExporter]. The library calls it after the last batch.
func (e *exporter) Shutdown(ctx context.Context) error {
	defer e.end.Do(func() { close(e.ended) })
	return e.SpanExporter.Shutdown(ctx)
}

// longestFault limits the part of an error in a log line, in bytes, because the error quotes
// the collector's response.
const longestFault = 300

// quiet returns the text of an error without the values of the headers that the collector
// received and may repeat.
func (e *exporter) quiet(err error) string {
	text := err.Error()
	for _, value := range e.to.headers {
		if value != "" {
			text = strings.ReplaceAll(text, value, "[redacted]")
		}
	}
	return strings.ToValidUTF8(text[:min(len(text), longestFault)], "")
}
