// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/telemetrytest"
	"github.com/printmarket/printmarket/workers/preflight"
)

// spanFacts holds the tested part of a span.
type spanFacts struct{ Name, Outcome, Fault string }

// TestEveryAttemptIsPartOfTheTraceOfItsJob makes jobs fail in several ways, with texts that
// spans must not contain.
func TestEveryAttemptIsPartOfTheTraceOfItsJob(t *testing.T) {
	t.Parallel()
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	crash := &sandbox.Error{Reason: sandbox.ErrCrash, Detail: "hush", Tail: "hush"}
	tests := map[string]struct {
		kept           string
		fetch, inspect error
		want           []spanFacts
		// trace and parent are the expected ids of the attempts; empty for a new trace.
		trace, parent string
	}{
		"success": {"00-" + trace + "-" + span + "-01", nil, nil, []spanFacts{
			{"amend job", "", ""},
			{"fetch file", "", ""},
			{"inspect file", "", ""},
			{"amend job", "", ""},
			{"store outcome", "", ""},
			{"queue finish", "", ""},
			{"process preflight", "succeeded", ""},
		}, trace, span},
		"a file that is missing": {"00-" + trace + "-" + span + "-01", &safehttp.StatusError{Status: 404}, nil, []spanFacts{
			{"amend job", "", ""},
			{"fetch file", "", "FETCH_STATUS"},
			{"amend job", "", ""},
			{"store outcome", "", ""},
			{"queue finish", "", ""},
			{"process preflight", "FETCH_STATUS", "FETCH_STATUS"},
		}, trace, span},
		"two attempts after a crash of the engine": {"00-" + trace + "-" + span + "-01", nil, crash, []spanFacts{
			{"amend job", "", ""},
			{"fetch file", "", ""},
			{"inspect file", "", "ENGINE_CRASH"},
			{"queue retry", "", ""},
			{"process preflight", "retried", "retried"},
			{"amend job", "", ""},
			{"fetch file", "", ""},
			{"inspect file", "", "ENGINE_CRASH"},
			{"amend job", "", ""},
			{"store outcome", "", ""},
			{"queue dead_letter", "", ""},
			{"process preflight", "ENGINE_CRASH", "ENGINE_CRASH"},
		}, trace, span},
		"a request that was not sampled": {"00-" + trace + "-" + span + "-00", nil, nil, nil, "", ""},
		"a request that was not traced": {"", nil, nil, []spanFacts{
			{"amend job", "", ""},
			{"fetch file", "", ""},
			{"inspect file", "", ""},
			{"amend job", "", ""},
			{"store outcome", "", ""},
			{"queue finish", "", ""},
			{"process preflight", "succeeded", ""},
		}, "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fixed, collector := newFixture(t, redistest.Mini(t)), telemetrytest.New(t, nil)
			tracer := collector.Tracer()
			submitted, err := fixed.Submit(t.Context(), acme, preflightjob.Request{FileURL: flyerURL, Profile: "print_ready", Trace: tc.kept}, 1000)
			fixed.must(err)
			r := fixed.start("w1", fetches(func(ctx context.Context, address string, f io.Writer) error {
				if tc.fetch != nil {
					return tc.fetch
				}
				return goodFetch(ctx, address, f)
			}), inspects(func(context.Context, sandbox.Spec) (sandbox.Inspected, error) {
				if tc.inspect != nil {
					return sandbox.Inspected{}, tc.inspect
				}
				return goodReport(), nil
			}), func(c *preflight.Config) { c.Tracer = tracer })
			fixed.ended(submitted.Job.ID)
			r.stop()
			tracer.Close(t.Context())
			var got []spanFacts
			names := map[string]string{}
			for _, s := range collector.Spans() {
				names[s.ID] = s.Name
			}
			begun := 0
			for _, s := range collector.Spans() {
				if s.Name == "amend job" && names[s.Parent] == "process preflight" {
					begun++
				}
				got = append(got, spanFacts{s.Name, s.Attributes["printmarket.outcome"], s.Attributes["error.type"]})
				if s.Failed != (s.Attributes["error.type"] != "") {
					t.Errorf("failed = %t, want the opposite: %+v", s.Failed, s)
				}
				if tc.trace != "" && s.Trace != tc.trace || s.Name == "process preflight" && s.Parent != tc.parent {
					t.Errorf("span %+v, want trace %s and parent %q", s, tc.trace, tc.parent)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
			if attempts := len(collector.Named("process preflight")); begun != attempts {
				t.Errorf("%d of %d attempts have spans of their store calls", begun, attempts)
			}
			if strings.Contains(collector.Sent(), "hush") || strings.Contains(collector.Sent(), "files.example.com") {
				t.Error("a span contains data of a partner, want none")
			}
		})
	}
}
