// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/test/telemetrytest"
)

// TestARequestAndItsJobAreOneTrace follows an RFQ and a preflight job through the
// whole platform, to a collector.
func TestARequestAndItsJobAreOneTrace(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	p := startDev(t, t.TempDir(), "--otlp-endpoint", collector.URL)
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	created := p.createRFQ("ACME_LIVE_KEY", "Traceparent", "00-"+theirs+"-00f067aa0ba902b7-00", "Tracestate", "a=planted-state",
		"X-Planted", "planted-header", "Idempotency-Key", "planted-idempotency-key", "X-Request-Id", "our.own-id-1")
	if err := want(created, 201, ""); err != nil {
		t.Fatal(err)
	}
	p.call("GET", "/api/v1/rfq/"+created.text("id")+"?planted=query", "ACME_LIVE_KEY", nil)
	p.call("GET", "/api/v1/planted-path", "ACME_LIVE_KEY", nil)
	p.get(p.env["DASHBOARD_URL"] + "/capabilities")
	p.get(p.env["REGISTRY_URL"] + "/problems/marketplace/no-such-planted-slug")
	jobID := p.submit("ACME_LIVE_KEY", "sample.pdf").text("jobId")
	p.finished("ACME_LIVE_KEY", jobID)
	p.until("the routes of every listener are counted", func() error {
		metrics := string(p.get(p.env["OPS_URL"] + "/metrics").Body)
		for _, route := range []string{`listener="api",method="POST",route="/api/v1/rfq"`, `listener="dashboard",method="GET",route="/capabilities"`, `listener="registry",method="GET",route="none"`} {
			if !strings.Contains(metrics, route) {
				return missing(route)
			}
		}
		return nil
	})
	if err := p.stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
	rfq := only(t, collector, "POST /api/v1/rfq")
	if diff := cmp.Diff([]string{theirs}, rfq.Links); diff != "" || rfq.Parent != "" || rfq.Attributes["printmarket.request.id"] != "our.own-id-1" {
		t.Errorf("the span of the RFQ is %+v; links (-want +got):\n%s", rfq, diff)
	}
	only(t, collector, "GET /capabilities")
	checkTraceOfJob(t, p, collector, jobID)
	for name, value := range p.env {
		if secret := secretIn(name, value); secret != "" && strings.Contains(collector.Sent(), secret) {
			t.Errorf("what was exported holds %s", name)
		}
	}
	for _, planted := range []string{"planted", signature, created.text("id"), "sample.pdf"} {
		if strings.Contains(collector.Sent(), planted) {
			t.Errorf("what was exported holds %q", planted)
		}
	}
	p.checkLogs()
}

type missing string

func (m missing) Error() string { return "there is no " + string(m) }

// only is the one span that has a name.
func only(t *testing.T, collector *telemetrytest.Collector, name string) telemetrytest.Span {
	t.Helper()
	spans := collector.Named(name)
	if len(spans) != 1 {
		t.Fatalf("%d spans are called %q, want one; there are %+v", len(spans), name, collector.Spans())
	}
	return spans[0]
}

func checkTraceOfJob(t *testing.T, p *platform, collector *telemetrytest.Collector, id string) {
	t.Helper()
	submit, attempt := only(t, collector, "POST /api/v1/preflight"), only(t, collector, "process preflight")
	if attempt.Parent != submit.ID || attempt.Trace != submit.Trace || attempt.Kind != "SPAN_KIND_CONSUMER" || attempt.Failed {
		t.Errorf("the attempt is %+v, want a child of %+v", attempt, submit)
	}
	if attempt.Attributes["messaging.message.id"] != id || attempt.Attributes["printmarket.outcome"] != "succeeded" {
		t.Errorf("the attempt is %+v", attempt)
	}
	for _, step := range []string{"fetch file", "inspect file", "store outcome"} {
		if span := only(t, collector, step); span.Parent != attempt.ID || span.Trace != attempt.Trace || span.Failed {
			t.Errorf("%+v is no child of the attempt %+v", span, attempt)
		}
	}
	for line := range strings.Lines(p.logged()) {
		if strings.Contains(line, `"msg":"attempt ended","job":"`+id) && strings.Contains(line, `"traceId":"`+submit.Trace+`","spanId":"`+attempt.ID+`"`) {
			return
		}
	}
	t.Error("the line of the attempt in the log does not say which span it is")
}

// events receives deliveries and stores the type of each event by its id.
type events struct {
	mu       sync.Mutex
	received map[string]string
}

// ServeHTTP takes an event.
func (e *events) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var event struct{ ID, Type string }
	if json.NewDecoder(r.Body).Decode(&event) == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.received[event.ID] = event.Type
	}
}

// of is the id of the event of a type, or empty.
func (e *events) of(kind string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, its := range e.received {
		if its == kind {
			return id
		}
	}
	return ""
}

// The test follows one job by its spans: the API server, its database and the queue, the
// worker with the inspector, and the delivery of the event. The delivery has its own trace,
// which links to the request.
func TestARequestIsFollowedToItsWebhook(t *testing.T) {
	t.Parallel()
	collector, receiver := telemetrytest.New(t, nil), &events{received: map[string]string{}}
	endpoint := httptest.NewServer(receiver)
	t.Cleanup(endpoint.Close)
	p := startDev(t, t.TempDir(), "--otlp-endpoint", collector.URL)
	secret := "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	if err := os.WriteFile(filepath.Join(p.env["RESOURCES_DIR"], "acme-events.yaml"), []byte(
		"apiVersion: v1\nkind: Secret\nmetadata: {name: acme-events}\nstringData: {first: "+secret+"}\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	p.declareAcme(t, "  webhooks:\n  - name: erp\n    kind: Live\n    url: "+endpoint.URL+
		"\n    secrets:\n    - {name: first, secretRef: {name: acme-events, key: first}}\n")
	p.until("the endpoint is known", func() error { return p.metric(`printmarket_webhook_breakers{state="closed"} 1`) })
	id := p.submit("ACME_LIVE_KEY", "sample.pdf").text("jobId")
	p.finished("ACME_LIVE_KEY", id)
	p.until("the event is delivered", func() error {
		if receiver.of("preflight.succeeded") == "" {
			return missing("event of the job")
		}
		return nil
	})
	if err := p.stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
	submit := only(t, collector, "POST /api/v1/preflight")
	want := []string{
		"POST /api/v1/preflight > create job", "POST /api/v1/preflight > queue submit", "POST /api/v1/preflight > rate limit take",
		"POST /api/v1/preflight > process preflight",
		"process preflight > amend job", "process preflight > fetch file", "process preflight > inspect file",
		"process preflight > store outcome", "store outcome > amend job", "process preflight > queue finish",
	}
	got := map[string]bool{}
	for _, span := range collector.Spans() {
		for _, parent := range collector.Spans() {
			if span.Trace == submit.Trace && span.Parent == parent.ID {
				got[parent.Name+" > "+span.Name] = true
			}
		}
	}
	for _, step := range want {
		if !got[step] {
			t.Errorf("the trace has no %s; it has %v", step, got)
		}
	}
	delivery := only(t, collector, "deliver webhook")
	if diff := cmp.Diff([]string{submit.Trace}, delivery.Links); diff != "" || delivery.Trace == submit.Trace || delivery.Parent != "" ||
		delivery.Attributes["printmarket.event"] != receiver.of("preflight.succeeded") {
		t.Errorf("the delivery is %+v; links (-want +got):\n%s", delivery, diff)
	}
	if !strings.Contains(p.logged(), `"traceId":"`+delivery.Trace+`","spanId":"`+delivery.ID+`"`) {
		t.Error("no line of the log names the delivery's span")
	}
	if strings.Contains(collector.Sent(), strings.TrimPrefix(secret, "whsec_")) || strings.Contains(collector.Sent(), endpoint.URL) {
		t.Error("what was exported holds the secret or the address of the endpoint")
	}
	p.checkLogs()
}

// TestTracingIsOffByDefault looks for a trace in what a platform without a
// collector logs and keeps.
func TestTracingIsOffByDefault(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	p.finished("ACME_LIVE_KEY", p.submit("ACME_LIVE_KEY", "sample.pdf").text("jobId"))
	if err := p.stop(); err != nil {
		t.Fatalf("stop: %v", err)
	}
	if strings.Contains(p.logged(), "traceId") || strings.Contains(p.logged(), "collector") {
		t.Errorf("the log contains traces:\n%s", p.logged())
	}
}

// The collector accepts connections and data, but never responds.
func TestHangingCollectorDelaysNoRequest(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
	p := startDev(t, t.TempDir(), "--otlp-endpoint", collector.URL)
	if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
		t.Error(err)
	}
	if job := p.finished("ACME_LIVE_KEY", p.submit("ACME_LIVE_KEY", "sample.pdf").text("jobId")); job.text("status") != "succeeded" {
		t.Errorf("job %s", job.Body)
	}
	if err := p.stop(); err != nil {
		t.Errorf("the platform did not stop as it should: %v", err)
	}
	if calls, _ := collector.Calls(); calls == 0 || !strings.Contains(p.logged(), "the last spans did not reach the collector in time") {
		t.Errorf("%d calls to the collector; the log:\n%s", calls, p.logged())
	}
}
