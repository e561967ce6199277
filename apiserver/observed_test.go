// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

func TestRequestsOutsideTheAPIAreCountedByRoute(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	metrics, log := telemetry.NewMetrics(), bytes.Buffer{}
	logger := telemetry.NewLogger(&log, slog.LevelInfo)
	tracer, err := telemetry.OpenTracer(t.Context(), telemetry.TraceConfig{
		Endpoint: collector.URL, Getenv: func(string) string { return "" }, Now: time.Now, Log: telemetry.Discard(), Metrics: metrics,
	})
	if err != nil {
		t.Fatalf("telemetry.OpenTracer: %v", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /pages/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	mux.HandleFunc("/silent", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/named/", func(w http.ResponseWriter, _ *http.Request) {
		respond.Of(w).Route = "/named/{one}"
		w.WriteHeader(http.StatusTeapot)
	})
	handler := apiserver.Observed{Listener: "dashboard", Metrics: metrics, Tracer: tracer, Log: logger, Now: time.Now}.Handler(mux)
	for _, path := range []string{"/pages/planted?planted=1", "/silent", "/named/planted", "/planted"} {
		rec := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("X-Request-Id", "planted-id")
		handler.ServeHTTP(rec, r)
		if rec.Header().Get("X-Request-Id") != "" {
			t.Errorf("the response to %s contains a request id", path)
		}
	}
	tracer.Close(t.Context())
	scraped := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for route, status := range map[string]string{"/pages/{id}": "200", "/silent": "200", "/named/{one}": "418", "none": "404"} {
		if want := `{code="",listener="dashboard",method="GET",route="` + route + `",status="` + status + `"} 1`; !strings.Contains(scraped.Body.String(), want) {
			t.Errorf("the metrics lack %s", want)
		}
		if want := `"route":"` + route + `"`; strings.Count(log.String(), want) != 1 {
			t.Errorf("the log must contain exactly one line with %s:\n%s", want, log.String())
		}
		name := strings.TrimSuffix("GET "+route, " none")
		if spans := collector.Named(name); len(spans) != 1 || spans[0].Attributes["http.response.status_code"] != status {
			t.Errorf("the spans %q are %+v", name, spans)
		}
	}
	if observed := log.String() + collector.Sent() + scraped.Body.String(); strings.Contains(observed, "planted") {
		t.Error("logs, traces or metrics contain a part of a request")
	}
}
