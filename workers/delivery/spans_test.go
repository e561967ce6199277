// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/telemetrytest"
	"github.com/printmarket/printmarket/workers/delivery"
)

func TestEveryDeliveryIsATraceThatTheReceiverDoesNotSee(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := collector.Tracer()
	f := newFixture(t, "a", "b")
	f.receivers.answer(hook, 500, 0)
	const request = "4bf92f3577b34da6a3ce929d0e0e4736"
	f.store.Commit(f, acme, transaction.RFQCreated, time.Now(), "00-"+request+"-00f067aa0ba902b7-01")
	var lines bytes.Buffer
	stop := f.running(func(c *delivery.Config) { c.Tracer, c.Log = tracer, telemetry.NewLogger(&lines, slog.LevelInfo) })
	for deadline := time.Now().Add(time.Minute); len(f.receivers.to(hook)) == 0 || len(f.receivers.to("https://b.test/")) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("0 deliveries within a minute, want 1")
		}
	}
	stop()
	tracer.Close(t.Context())
	for address, want := range map[string]map[string]string{
		"a": {"http.response.status_code": "500", "error.type": "Status"},
		"b": {"http.response.status_code": "200", "error.type": ""},
	} {
		posts := f.receivers.to("https://" + address + ".test/")
		var found []telemetrytest.Span
		for _, span := range collector.Named("deliver webhook") {
			if span.Attributes["printmarket.endpoint"] == address {
				found = append(found, span)
			}
		}
		if len(found) != len(posts) || found[0].Parent != "" || found[0].Attributes["printmarket.attempt"] != "1" {
			t.Fatalf("%d posts to %s, spans %+v", len(posts), address, found)
		}
		for _, span := range found {
			if diff := cmp.Diff([]string{request}, span.Links); diff != "" || span.Trace == request {
				t.Errorf("links of an attempt of %s in trace %s (-want +got):\n%s", address, span.Trace, diff)
			}
			if !strings.Contains(lines.String(), `"traceId":"`+span.Trace+`","spanId":"`+span.ID+`"`) {
				t.Errorf("the log has no line with the ids of %+v:\n%s", span, &lines)
			}
		}
		got := map[string]string{}
		for name := range want {
			got[name] = found[0].Attributes[name]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
		for _, field := range []string{"Traceparent", "Tracestate", "Baggage"} {
			if posts[0].header.Get(field) != "" {
				t.Errorf("the receiver got the header %s, want none", field)
			}
		}
		if strings.Contains(posts[0].body, request) {
			t.Errorf("the receiver got the trace: %s", posts[0].body)
		}
	}
	for _, secret := range []string{".test", strings.TrimPrefix(string(older), "whsec_")} {
		if strings.Contains(collector.Sent(), secret) {
			t.Errorf("the exported spans contain %q", secret)
		}
	}
}
