// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// traced holds a tracer that sends to a collector, with its log and metrics.
type traced struct {
	*telemetry.Tracer
	log     bytes.Buffer
	logger  *slog.Logger
	metrics *telemetry.Metrics
}

// open makes a tracer for an environment of names and values.
func open(t *testing.T, endpoint string, environment ...string) (*traced, error) {
	t.Helper()
	made := &traced{metrics: telemetry.NewMetrics()}
	made.logger = telemetry.NewLogger(&made.log, slog.LevelInfo)
	variables := map[string]string{}
	for i := 0; i < len(environment); i += 2 {
		variables[environment[i]] = environment[i+1]
	}
	var err error
	made.Tracer, err = telemetry.OpenTracer(t.Context(), telemetry.TraceConfig{
		Endpoint: endpoint, Getenv: func(name string) string { return variables[name] },
		Service: "printmarket-test", Version: "v1", Instance: "one",
		Now: func() time.Time { return noon }, Log: made.logger, Metrics: made.metrics,
	})
	return made, err
}

func mustOpen(t *testing.T, endpoint string, environment ...string) *traced {
	t.Helper()
	made, err := open(t, endpoint, environment...)
	if err != nil || made.Tracer == nil {
		t.Fatalf("tracer %v, error %v", made.Tracer, err)
	}
	return made
}

// request makes one span of a request that was answered.
func (t *traced) request(header http.Header, answer telemetry.Answer) (r *http.Request, sampled string) {
	r = httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header = header
	r, span := t.Request(r, noon)
	span.Answered(answer, noon.Add(time.Second))
	return r, span.Sampled()
}

func TestSpanOfARequestHasTheAttributesOfTheLog(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := mustOpen(t, collector.URL)
	for _, answer := range []telemetry.Answer{
		{Listener: "api", Method: "GET", Route: "/api/v1/rfq/{rfqId}", RequestID: "req_1", Status: 200},
		{Listener: "api", Method: "POST", Route: "/api/v1/rfq", RequestID: "req_2", Code: "VALIDATION_FAILED", Status: 422},
		{Listener: "api", Method: "PUT", Route: "/api/v1/rfq", RequestID: "req_3", Code: "STORE_UNAVAILABLE", Status: 503},
		{Listener: "dashboard", Method: "other", RequestID: "req_4", Status: 500},
	} {
		tracer.request(nil, answer)
	}
	tracer.Close(t.Context())
	span := func(name string, failed bool, attributes ...string) telemetrytest.Span {
		made := telemetrytest.Span{Name: name, Kind: "SPAN_KIND_SERVER", Failed: failed, Attributes: map[string]string{
			"service.name": "printmarket-test", "service.version": "v1", "service.instance.id": "one", "printmarket.listener": "api",
		}}
		for i := 0; i < len(attributes); i += 2 {
			made.Attributes[attributes[i]] = attributes[i+1]
		}
		return made
	}
	want := []telemetrytest.Span{
		span("GET /api/v1/rfq/{rfqId}", false, "http.request.method", "GET", "http.route", "/api/v1/rfq/{rfqId}",
			"printmarket.request.id", "req_1", "http.response.status_code", "200"),
		span("POST /api/v1/rfq", false, "http.request.method", "POST", "http.route", "/api/v1/rfq",
			"printmarket.request.id", "req_2", "http.response.status_code", "422", "printmarket.problem.code", "VALIDATION_FAILED"),
		span("PUT /api/v1/rfq", true, "http.request.method", "PUT", "http.route", "/api/v1/rfq", "error.type", "STORE_UNAVAILABLE",
			"printmarket.request.id", "req_3", "http.response.status_code", "503", "printmarket.problem.code", "STORE_UNAVAILABLE"),
		span("HTTP", true, "http.request.method", "_OTHER", "printmarket.request.id", "req_4", "error.type", "500",
			"http.response.status_code", "500", "printmarket.listener", "dashboard"),
	}
	got := collector.Spans()
	ids := cmpopts.IgnoreFields(telemetrytest.Span{}, "Trace", "ID", "Began", "Ended")
	library := cmpopts.IgnoreMapEntries(func(key, _ string) bool { return strings.HasPrefix(key, "telemetry.sdk.") })
	if diff := cmp.Diff(want, got, ids, library); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if got[0].Trace == got[1].Trace {
		t.Error("two requests have the same trace, want one each")
	}
}

func TestClientTraceIsLinkedAndDoesNotDecideSampling(t *testing.T) {
	t.Parallel()
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	const sampled, unsampled = "00-" + theirs + "-00f067aa0ba902b7-01", "00-" + theirs + "-00f067aa0ba902b7-00"
	tests := map[string]struct {
		sampler string
		values  []string
		want    []string
		spans   int
	}{
		"a sampled trace is linked":                      {"always_on", []string{sampled}, []string{theirs}, 1},
		"an unsampled trace is linked to a sampled span": {"parentbased_always_on", []string{unsampled}, []string{theirs}, 1},
		"a sampled trace does not cause sampling":        {"parentbased_always_off", []string{sampled}, nil, 0},
		"unknown flags are accepted and not linked":      {"always_on", []string{sampled[:53] + "ff"}, nil, 1},
		"a missing header":                               {"always_on", nil, nil, 1},
		"an empty header":                                {"always_on", []string{""}, nil, 1},
		"two headers":                                    {"always_on", []string{sampled, sampled}, nil, 1},
		"two values in one header":                       {"always_on", []string{sampled + "," + sampled}, nil, 1},
		"the invalid version ff":                         {"always_on", []string{"ff" + sampled[2:]}, nil, 1},
		"a trace of zeros":                               {"always_on", []string{"00-" + strings.Repeat("0", 32) + sampled[35:]}, nil, 1},
		"a span of zeros":                                {"always_on", []string{sampled[:36] + strings.Repeat("0", 16) + "-01"}, nil, 1},
		"capital letters":                                {"always_on", []string{strings.ToUpper(sampled)}, nil, 1},
		"other characters":                               {"always_on", []string{strings.Replace(sampled, "4bf9", "'; --", 1)[:55]}, nil, 1},
		"a truncated value":                              {"always_on", []string{sampled[:54]}, nil, 1},
		"a value with a suffix":                          {"always_on", []string{sampled + "-secret"}, nil, 1},
		"a value of the next version with a suffix":      {"always_on", []string{"01" + sampled[2:] + "-" + strings.Repeat("x", 9000)}, nil, 1},
		"a megabyte":                                     {"always_on", []string{strings.Repeat(sampled, 20000)}, nil, 1},
		"bytes that are not UTF-8":                       {"always_on", []string{"\x00\xff" + sampled[2:]}, nil, 1},
		"spaces around the value":                        {"always_on", []string{" " + sampled[:54]}, nil, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := telemetrytest.New(t, nil)
			tracer := mustOpen(t, collector.URL, "OTEL_TRACES_SAMPLER", tc.sampler)
			tracer.request(http.Header{"Traceparent": tc.values, "Tracestate": {"vendor=planted-state"}}, telemetry.Answer{Method: "GET", Status: 200})
			tracer.Close(t.Context())
			spans := collector.Spans()
			if len(spans) != tc.spans {
				t.Fatalf("%d spans, want %d", len(spans), tc.spans)
			}
			for _, span := range spans {
				if diff := cmp.Diff(tc.want, span.Links); diff != "" || span.Parent != "" || span.Trace == theirs {
					t.Errorf("trace %s, parent %q, links (-want +got):\n%s", span.Trace, span.Parent, diff)
				}
			}
			if strings.Contains(collector.Sent(), "planted-state") {
				t.Error("the client's tracestate was exported")
			}
		})
	}
}

func FuzzTraceparentOfAClient(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Add("ff-00-00-00")
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, text string) {
		tracer := mustOpen(t, "http://127.0.0.1:1", "OTEL_TRACES_SAMPLER", "always_off")
		defer tracer.Close(t.Context())
		r, _ := tracer.request(http.Header{"Traceparent": {text}}, telemetry.Answer{})
		if kept := telemetry.Traceparent(r.Context()); len(kept) != telemetry.MaxTraceparent || kept == text {
			t.Errorf("%q is stored as %q", text, kept)
		}
		ctx, span := tracer.Start(tracer.Continue(t.Context(), text), telemetry.Consumer, "work")
		defer span.End("")
		if kept := telemetry.Traceparent(ctx); len(kept) != telemetry.MaxTraceparent {
			t.Errorf("%q is continued as %q", text, kept)
		}
	})
}

func TestStoredTraceKeepsItsSamplingDecision(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sampler string
		spans   int
	}{
		"a sampled trace stays sampled":            {"parentbased_always_on", 2},
		"an unsampled trace stays unsampled":       {"parentbased_always_off", 0},
		"a share of 0 samples no trace":            {"parentbased_traceidratio", 0},
		"without a sampler every trace is sampled": {"", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := telemetrytest.New(t, nil)
			api := mustOpen(t, collector.URL, "OTEL_TRACES_SAMPLER", tc.sampler, "OTEL_TRACES_SAMPLER_ARG", "0")
			r, _ := api.request(nil, telemetry.Answer{Method: "POST", Status: 202})
			worker := mustOpen(t, collector.URL)
			_, span := worker.Start(worker.Continue(t.Context(), telemetry.Traceparent(r.Context())), telemetry.Consumer, "process",
				slog.String("text", "Bearer s3cret"))
			span.End("LOST")
			api.Close(t.Context())
			worker.Close(t.Context())
			spans := collector.Spans()
			if len(spans) != tc.spans {
				t.Fatalf("%d spans, want %d", len(spans), tc.spans)
			}
			if tc.spans == 0 {
				return
			}
			if spans[1].Trace != spans[0].Trace || spans[1].Parent != spans[0].ID || !spans[1].Failed || spans[1].Attributes["error.type"] != "LOST" {
				t.Errorf("the work is %+v, want a child of %+v", spans[1], spans[0])
			}
			if spans[1].Attributes["text"] != "Bearer [redacted]" {
				t.Errorf("the attribute text is %q, want it redacted", spans[1].Attributes["text"])
			}
		})
	}
}

func TestLinesOfASpanHaveItsIDs(t *testing.T) {
	t.Parallel()
	tracer := mustOpen(t, "http://127.0.0.1:1", "OTEL_TRACES_SAMPLER", "always_off")
	defer tracer.Close(t.Context())
	ctx, _ := tracer.Start(t.Context(), telemetry.Inside, "work")
	parts := strings.Split(telemetry.Traceparent(ctx), "-")
	want := `,"traceId":"` + parts[1] + `","spanId":"` + parts[2] + `"`
	for name, write := range map[string]func(*slog.Logger){
		"a plain line":                  func(l *slog.Logger) { l.InfoContext(ctx, "x", "n", 1) },
		"a line that is not plain":      func(l *slog.Logger) { l.InfoContext(ctx, "x", "n", []int{1}) },
		"a line with attributes before": func(l *slog.Logger) { l.With("who", "acme").InfoContext(ctx, "x") },
		"a line with many attributes": func(l *slog.Logger) {
			l.InfoContext(ctx, "x", "a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6)
		},
	} {
		var out bytes.Buffer
		log := telemetry.NewLogger(&out, slog.LevelInfo)
		if write(log); !strings.HasSuffix(out.String(), want+"}\n") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
	var out bytes.Buffer
	telemetry.NewLogger(&out, slog.LevelInfo).InfoContext(t.Context(), "x")
	if strings.Contains(out.String(), "traceId") {
		t.Errorf("a line without a span: %s", out.String())
	}
}

func TestOnlySampledTracesAreExemplars(t *testing.T) {
	t.Parallel()
	scrape := func(m *telemetry.Metrics, accept string) string {
		rec, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Header.Set("Accept", accept)
		m.Handler().ServeHTTP(rec, r)
		return rec.Body.String()
	}
	const openMetrics = "application/openmetrics-text; version=1.0.0"
	tracer := mustOpen(t, "http://127.0.0.1:1")
	defer tracer.Close(t.Context())
	_, sampled := tracer.request(nil, telemetry.Answer{})
	tracer.metrics.Request("api", "/sampled", "GET", 200, "", 3*time.Millisecond, sampled)
	quiet := mustOpen(t, "http://127.0.0.1:1", "OTEL_TRACES_SAMPLER", "always_off")
	defer quiet.Close(t.Context())
	_, unsampled := quiet.request(nil, telemetry.Answer{})
	tracer.metrics.Request("api", "/unsampled", "GET", 200, "", 3*time.Millisecond, unsampled)
	text := scrape(tracer.metrics, openMetrics)
	if !strings.Contains(text, `route="/sampled",le="0.005"} 1 # {trace_id="`+sampled+`"} 0.003`) || len(sampled) != 32 {
		t.Errorf("no exemplar %q in\n%s", sampled, text)
	}
	if strings.Count(text, "trace_id") != 1 {
		t.Errorf("an exemplar of an unsampled trace:\n%s", text)
	}
	if text := scrape(tracer.metrics, "text/plain"); strings.Contains(text, "trace_id") || !strings.Contains(text, `route="/sampled",le="0.005"} 1`+"\n") {
		t.Errorf("the text format has exemplars, or lacks the value:\n%s", text)
	}
}

func TestLineAboutAnErrorHasTheIDsOfItsSpan(t *testing.T) {
	t.Parallel()
	tracer := mustOpen(t, telemetrytest.New(t, nil).URL)
	defer tracer.Close(context.WithoutCancel(t.Context()))
	ctx, work := tracer.Start(t.Context(), telemetry.Inside, "work")
	work.End("")
	other, second := tracer.Start(t.Context(), telemetry.Inside, "other")
	second.End("")
	broken := errors.New("broken")
	if err := telemetry.Within(ctx, nil); err != nil {
		t.Errorf("Within(nil) = %v, want nil", err)
	}
	if err := telemetry.Within(t.Context(), broken); err != broken { // must be the same value
		t.Errorf("Within without a span = %v, want the same error", err)
	}
	wrapped := fmt.Errorf("twice: %w", telemetry.Within(ctx, broken))
	if !errors.Is(wrapped, broken) || wrapped.Error() != "twice: broken" {
		t.Errorf("error %q does not wrap the original error", wrapped)
	}
	wantSpan := func(in context.Context, sentence string, failed error, want []any) {
		t.Helper()
		var text bytes.Buffer
		telemetry.NewLogger(&text, slog.LevelInfo).ErrorContext(in, "failed", "n", 1, "error", failed)
		var line map[string]any
		if err := json.Unmarshal(text.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", text.String(), err)
		}
		if diff := cmp.Diff(want, []any{"traceId", line["traceId"], "spanId", line["spanId"]}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
	wantSpan(t.Context(), "outside of every span", wrapped, telemetry.Pairs(ctx))
	wantSpan(other, "in another span", wrapped, telemetry.Pairs(other))
	wantSpan(t.Context(), "an error without a span", broken, []any{"traceId", nil, "spanId", nil})
}

// TestRequestWithoutATracerAllocatesNothing is not parallel, because it counts allocations.
func TestRequestWithoutATracerAllocatesNothing(t *testing.T) {
	none, err := open(t, "")
	if none.Tracer != nil || err != nil {
		t.Fatalf("tracer = %v, error = %v; want neither", none.Tracer, err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	same, span := none.Request(r, noon)
	span.Answered(telemetry.Answer{Status: 500}, noon)
	ctx, inner := none.Start(none.Continue(t.Context(), "x"), telemetry.Inside, "work")
	inner.Set(slog.Int("n", 1))
	inner.End("fault")
	none.Close(ctx)
	if same != r || telemetry.Traceparent(span.In(ctx)) != "" || span.Sampled() != "" {
		t.Error("a span was made, want none without a tracer")
	}
	if n := testing.AllocsPerRun(100, func() {
		r, span := none.Request(r, noon)
		span.Answered(telemetry.Answer{Method: "GET", Status: 200}, noon)
		_ = telemetry.Traceparent(r.Context())
	}); n != 0 {
		t.Errorf("an untraced request: %v allocations, want 0", n)
	}
}

func TestEnvironmentIsValidatedBeforeTheStart(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tests := map[string]struct {
		flag        string
		environment []string
		// fault is a part of the error; it is empty if none is expected.
		fault string
		on    bool
	}{
		"no variables":                      {"", nil, "", false},
		"the flag":                          {"http://127.0.0.1:1", nil, "", true},
		"all signals":                       {"", []string{endpoint, "https://collector:4318/"}, "", true},
		"traces alone":                      {"", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c/x"}, "", true},
		"the SDK is disabled":               {"http://c", []string{"OTEL_SDK_DISABLED", "TRUE"}, "", false},
		"traces are disabled":               {"http://c", []string{"OTEL_TRACES_EXPORTER", "none"}, "", false},
		"the supported protocol":            {"http://c", []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}, "", true},
		"an unsupported protocol":           {"http://c", []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "PROTOCOL", false},
		"no URL":                            {"", []string{endpoint, "collector:4318"}, endpoint, false},
		"no host":                           {"http:///v1", nil, "--otlp-endpoint", false},
		"a password in the URL":             {"", []string{endpoint, "http://u:s3cret@c"}, endpoint, false},
		"a query in the URL":                {"http://c?key=s3cret", nil, "--otlp-endpoint", false},
		"a flag beside an invalid variable": {"http://c", []string{endpoint, "::s3cret"}, endpoint, false},
		"headers":                           {"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "a=b,c=d%20e"}, "", true},
		"a header without a value":          {"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "a=b,s3cret"}, "part 2", false},
		"a header with invalid escapes":     {"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "key=s3cret%zz"}, "part 1", false},
		"a header with a line break":        {"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "key=s3cret%0d%0a"}, "part 1", false},
		"a malformed list that is not used": {"http://c", []string{
			"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=b", "OTEL_EXPORTER_OTLP_HEADERS", "s3cret",
		}, "OTEL_EXPORTER_OTLP_HEADERS", false},
		"a timeout for traces alone":         {"http://c", []string{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "0"}, "TRACES_TIMEOUT", false},
		"a header with an invalid name":      {"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "s3cret key=x"}, "part 1", false},
		"an invalid timeout":                 {"http://c", []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"}, "TIMEOUT", false},
		"a sampler with a share":             {"http://c", []string{"OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0.1"}, "", true},
		"an unknown sampler":                 {"http://c", []string{"OTEL_TRACES_SAMPLER", "jaeger_remote"}, "jaeger_remote", false},
		"an invalid share":                   {"http://c", []string{"OTEL_TRACES_SAMPLER_ARG", "NaN"}, "NaN", false},
		"a certificate file that is missing": {"http://c", []string{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere"}, "/nowhere", false},
		"a certificate without its key":      {"http://c", []string{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/nowhere"}, "together", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tracer, err := open(t, tc.flag, tc.environment...)
			t.Cleanup(func() { tracer.Close(context.Background()) })
			if (err != nil) != (tc.fault != "") || (tracer.Tracer != nil) != tc.on {
				t.Fatalf("tracer %v, error %v", tracer.Tracer, err)
			}
			if err != nil && (!strings.Contains(err.Error(), tc.fault) || strings.Contains(err.Error(), "s3cret")) {
				t.Errorf("error %q, want one with %q and without the secret", err, tc.fault)
			}
			if strings.Contains(tracer.log.String(), "s3cret") {
				t.Errorf("the log contains the secret: %s", tracer.log.String())
			}
		})
	}
}
