// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

var traceCases = map[string]func(*testing.T, *fixture){
	"a call of a traced caller is a span with only the operation":              callsAreSpans,
	"a call that is not answered is a span that has failed":                    absenceIsAFault,
	"creates of one batch are a span in the trace of each caller":              togetherInTraces,
	"an event names the span of the caller that committed it, and none before": eventsNameTheirTrace,
	"a delivery keeps the trace of its event through every way to it":          deliveriesKeepTraces,
}

// because is the reason with which an operator ends an RFQ.
var because = rfq.Instruction{Reason: "planted reason"}

// traces makes traced callers and records the spans of their calls.
type traces struct {
	t         testing.TB
	tracer    *telemetry.Tracer
	collector *telemetrytest.Collector
}

func newTraces(t *testing.T) *traces {
	t.Helper()
	collector := telemetrytest.New(t, nil)
	return &traces{t, collector.Tracer(), collector}
}

// caller returns a context with a span that begins a trace, and the traceparent that
// stores keep for it.
func (w *traces) caller() (ctx context.Context, traceparent string) {
	ctx, span := w.tracer.Start(w.t.Context(), telemetry.Inside, "caller")
	w.t.Cleanup(func() { span.End("") })
	return ctx, telemetry.Traceparent(ctx)
}

// spans returns the spans of the calls and ends tracing.
func (w *traces) spans() []telemetrytest.Span {
	w.tracer.Close(w.t.Context())
	return w.collector.Spans()
}

func callsAreSpans(t *testing.T, w *fixture) {
	traced := newTraces(t)
	ctx, traceparent := traced.caller()
	created, err := w.rfqs.Create(ctx, acme, draft("planted-title"), rfq.Terms{Idempotency: keyed("planted-key", "x"), Quota: plenty})
	if err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	if _, err := w.store.RFQ(ctx, acme, created.RFQ.ID); err != nil {
		t.Fatalf("w.store.RFQ: %v", err)
	}
	if _, err := w.store.RFQ(ctx, stark, created.RFQ.ID); !errors.Is(err, transaction.ErrNotFound) {
		t.Fatalf("error = %v, want not found", err)
	}
	if _, err := w.rfqs.Cancel(ctx, acme, created.RFQ.ID, because); err != nil {
		t.Fatalf("w.rfqs.Cancel: %v", err)
	}
	w.create(t, acme, "untraced")
	var names []string
	for _, span := range traced.spans() {
		names = append(names, span.Name)
		if span.Kind != "SPAN_KIND_CLIENT" || span.Failed || !strings.Contains(traceparent, span.Trace+"-"+span.Parent) {
			t.Errorf("%+v is no client span of the caller %s that has succeeded", span, traceparent)
		}
		if system := span.Attributes["db.system.name"]; system != "postgresql" && system != "sqlite" || span.Attributes["db.operation.name"] != span.Name {
			t.Errorf("%s is of the system %q", span.Name, system)
		}
	}
	wantEqual(t, "spans", []string{"create rfq", "read rfq", "read rfq", "amend rfq"}, names)
	for _, planted := range []string{"planted", created.RFQ.ID, acme.Organization, stark.Organization, created.RFQ.TrackingCode} {
		if strings.Contains(traced.collector.Sent(), planted) {
			t.Errorf("the exported spans contain %q", planted)
		}
	}
}

func absenceIsAFault(t *testing.T, w *fixture) {
	traced := newTraces(t)
	ctx, _ := traced.caller()
	gone, leave := context.WithCancel(ctx)
	leave()
	calls := map[string]func() error{
		"read job":   func() error { _, err := w.store.Job(gone, acme, "pref_planted"); return err },
		"amend job":  func() error { _, err := w.store.AmendJob(gone, "pref_planted", nil); return err },
		"create rfq": func() error { _, err := w.rfqs.Create(gone, acme, draft("x"), rfq.Terms{Quota: plenty}); return err },
	}
	for name, call := range calls {
		if away := (*transaction.UnavailableError)(nil); !errors.As(call(), &away) {
			t.Errorf("%s succeeded with a cancelled context", name)
		}
	}
	spans := traced.spans()
	for _, span := range spans {
		if calls[span.Name] == nil || !span.Failed || span.Attributes["error.type"] != "cancelled" {
			t.Errorf("%+v, want a failure of one of the calls", span)
		}
	}
	wantEqual(t, "number of spans", len(calls), len(spans))
}

func togetherInTraces(t *testing.T, w *fixture) {
	const creates = 40
	traced := newTraces(t)
	for i, err := range concurrently(creates, func(i int) error {
		ctx, _ := traced.caller()
		_, err := w.rfqs.Create(ctx, acme, draft("together"), rfq.Terms{Idempotency: keyed(fmt.Sprint("k", i), "x"), Quota: plenty})
		return err
	}) {
		if err != nil {
			t.Fatalf("create %d: %v", i, err)
		}
	}
	of := map[string]int{}
	for _, span := range traced.spans() {
		of[span.Trace]++
	}
	wantEqual(t, "number of traces with spans", creates, len(of))
	for trace, spans := range of {
		if spans != 1 {
			t.Errorf("trace %s has %d spans, want that of its own create", trace, spans)
		}
	}
}

func eventsNameTheirTrace(t *testing.T, w *fixture) {
	traced := newTraces(t)
	ctx, first := traced.caller()
	created, err := w.rfqs.Create(ctx, acme, draft("traced"), rfq.Terms{Quota: plenty})
	if err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	job, err := w.jobs.Submit(ctx, acme, request(""), 10)
	if err != nil {
		t.Fatalf("w.jobs.Submit: %v", err)
	}
	w.quote(t, created.RFQ.ID, "s1", "205.00") // by an untraced caller
	later, second := traced.caller()
	if _, err := w.rfqs.Cancel(later, acme, created.RFQ.ID, because); err != nil {
		t.Fatalf("w.rfqs.Cancel: %v", err)
	}
	if _, err := w.jobs.Cancel(later, acme, job.Job.ID); err != nil {
		t.Fatalf("w.jobs.Cancel: %v", err)
	}
	got := map[transaction.EventType]string{}
	for _, entry := range w.events(t) {
		got[entry.Event.Type] = entry.Event.Trace
	}
	wantEqual(t, "traces of events", map[transaction.EventType]string{
		transaction.RFQCreated: first, transaction.RFQQuoted: "", transaction.RFQCancelled: second, transaction.PreflightCancelled: second,
	}, got)
}

func deliveriesKeepTraces(t *testing.T, w *fixture) {
	traced := newTraces(t)
	w.enroll(t, press, ship)
	since := w.clock.Now()
	ctx, trace := traced.caller()
	if _, err := w.rfqs.Create(ctx, acme, draft("traced"), rfq.Terms{Quota: plenty}); err != nil {
		t.Fatalf("w.rfqs.Create: %v", err)
	}
	entries := w.events(t)
	relayed := w.delivery(t, press)
	relayed.Event = entries[0].Event
	if done, err := w.store.Relay(t.Context(), 0, entries[0].Seq, []webhook.Delivery{relayed}); err != nil || !done {
		t.Fatalf("relay = %t, %v", done, err)
	}
	wantEqual(t, "recovered", []int{1, 0}, w.recoverAll(t, endpoint(ship), since, 1))
	for name, address := range map[string]webhook.Address{"a relayed event": press, "a recovered event": ship} {
		claim := w.claimOne(t, address)
		wantEqual(t, name, trace, claim.Event.Trace)
		w.conclude(t, w.exhausted(claim))
		read, _, err := w.store.Delivery(t.Context(), acme, claim.ID)
		if err != nil {
			t.Fatalf("w.store.Delivery: %v", err)
		}
		wantEqual(t, name+" that is read", trace, read.Event.Trace)
		w.recoverAll(t, endpoint(address), since, 10)
		wantEqual(t, name+" that is restarted", trace, w.claimOne(t, address).Event.Trace)
	}
	asked, own := traced.caller()
	test := w.delivery(t, press)
	test.Event.Type, test.Event.Subject = webhook.TestEvent, ""
	if err := w.store.AddDelivery(asked, test); err != nil {
		t.Fatalf("w.store.AddDelivery: %v", err)
	}
	wantEqual(t, "an event for a test delivery", own, w.claimOne(t, press).Event.Trace)
}
