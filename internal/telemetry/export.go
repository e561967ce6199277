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

// TraceConfig is what a [Tracer] is made of. Members are required unless they say
// what their zero value means.
type TraceConfig struct {
	// Endpoint is the base URL of a collector; if it is empty, the environment says
	// where to.
	Endpoint string
	// Getenv reads the environment.
	Getenv func(string) string
	// Service, Version and Instance say in every span what made it.
	Service, Version, Instance string
	Now                        func() time.Time
	Log                        *slog.Logger
	Metrics                    *Metrics
}

// OpenTracer makes a tracer, nil if neither the configuration nor the environment
// says where spans go. It fails where they say it wrongly. A collector that is away
// is no failure.
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

// flushTime is how long the last spans have to reach the collector.
const flushTime = 3 * time.Second

// Close sends the spans that have ended, for up to 3 s. It returns when nothing of
// the tracer runs any more. Spans that end later are lost.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		e := t.exporter
		e.log.WarnContext(ctx, "the last spans did not reach the collector in time")
		_ = e.SpanExporter.Shutdown(ctx) // that time is over is why
	}
	<-t.exporter.ended
	t.exporter.client.CloseIdleConnections()
}

// exporter sends batches. Its failures are its own: it tells of the first one, and of
// the first success after it.
type exporter struct {
	sdktrace.SpanExporter
	client *http.Client
	to     *destination
	log    *slog.Logger
	count  func(outcome string, spans int)
	// ended is closed when no batch comes any more.
	ended chan struct{}
	end   sync.Once

	mu   sync.Mutex
	away bool
}

// ExportSpans is part of [sdktrace.SpanExporter]. It never fails: the library would
// print each error to the standard error of the process.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	outcome := "exported"
	if err != nil {
		outcome = "failed"
	}
	e.count(outcome, len(spans))
	e.note(ctx, err)
	return nil
}

// Shutdown is part of [sdktrace.SpanExporter]: it comes after the last batch.
func (e *exporter) Shutdown(ctx context.Context) error {
	defer e.end.Do(func() { close(e.ended) })
	return e.SpanExporter.Shutdown(ctx)
}

func (e *exporter) note(ctx context.Context, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil && !e.away:
		e.log.WarnContext(ctx, "spans are lost: the collector does not take them", "endpoint", e.to.url, "error", e.quiet(err))
	case err == nil && e.away:
		e.log.InfoContext(ctx, "the collector takes spans again", "endpoint", e.to.url)
	}
	e.away = err != nil
}

// longestFault is how much of an error is worth a log line, in bytes: it quotes what
// the collector answered.
const longestFault = 300

// quiet is an error without what the collector was sent as a header, which it may
// repeat.
func (e *exporter) quiet(err error) string {
	text := err.Error()
	for _, value := range e.to.headers {
		if value != "" {
			text = strings.ReplaceAll(text, value, "[redacted]")
		}
	}
	return strings.ToValidUTF8(text[:min(len(text), longestFault)], "")
}
