// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

func TestTransitionsOfATracedCallerAreSpans(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		collector := telemetrytest.New(t, nil)
		tracer := collector.Tracer()
		ctx, caller := tracer.Start(t.Context(), telemetry.Inside, "caller")
		f.must(f.queue.Submit(ctx, "pref_planted", owner, 0))
		if done, err := f.queue.SubmitAll(ctx, submissions(queue.SubmitsTogether+1)); done != queue.SubmitsTogether+1 || err != nil {
			t.Errorf("SubmitAll = %d, %v", done, err)
		}
		w := f.consumer("w1")
		f.must(w.Finish(ctx, f.take(w)))
		gone, leave := context.WithCancel(ctx)
		leave()
		if err := f.queue.Cancel(gone, "pref_planted"); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want a cancelled context", err)
		}
		f.must(server.Client(t).Set(t.Context(), "pm:{preflight}:meta", "2 of another layout", 0).Err())
		if _, err := f.queue.Drain(ctx, 0); !errors.Is(err, queue.ErrFormat) {
			t.Errorf("error = %v, want ErrFormat", err)
		}
		if done, err := f.queue.SubmitAll(ctx, submissions(2)); done != 0 || !errors.Is(err, queue.ErrFormat) {
			t.Errorf("SubmitAll = %d, %v, want ErrFormat", done, err)
		}
		caller.End("")
		tracer.Close(t.Context())
		got := map[string][]string{}
		for _, span := range collector.Spans() {
			if span.Name != "caller" {
				got[span.Name] = append(got[span.Name], span.Attributes["error.type"])
			}
			if span.Name != "caller" && (span.Parent != collector.Named("caller")[0].ID || span.Attributes["db.system.name"] != "redis") {
				t.Errorf("span %+v, want a call of the caller to Redis", span)
			}
		}
		if diff := cmp.Diff(map[string][]string{
			"queue submit": {"", "", "", "refused"}, "queue finish": {""}, "queue cancel": {"cancelled"}, "queue drain": {"refused"},
		}, got); diff != "" {
			t.Errorf("faults of spans (-want +got):\n%s", diff)
		}
		for _, planted := range []string{"planted", owner.Organization} {
			if strings.Contains(collector.Sent(), planted) {
				t.Errorf("the exported spans contain %q", planted)
			}
		}
	})
}
