// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// TestLiveReadTraceReportsItsResult interrupts first the watches and then the
// connection to the cluster.
func TestLiveReadTraceReportsItsResult(t *testing.T) {
	t.Parallel()
	collector := telemetrytest.New(t, nil)
	tracer := collector.Tracer()
	c := newGatedCluster(t, plane)
	network := newProxy(t, plane.Address())
	r := c.follow(t, func(config *kubesource.Config) {
		config.Rest, config.Tracer, config.Confirm = network.config(config.Rest), tracer, 50*time.Millisecond
	})
	r.awaitsHealth(t)
	network.swallow()
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")
	failing := func(want bool) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			if got := !r.Status().FailingSince.IsZero(); got != want {
				return fmt.Errorf("live reads fail: %t, want %t", got, want)
			}
			return nil
		})
	}
	failing(false)
	network.disconnect()
	failing(true)
	r.stop()
	tracer.Close(t.Context())
	var faults []string
	for _, span := range collector.Named("prove posture") {
		fault := span.Attributes["error.type"]
		if span.Parent != "" || span.Kind != "SPAN_KIND_CLIENT" || span.Failed != (fault != "") {
			t.Errorf("span %+v", span)
		}
		faults = append(faults, fault)
	}
	for _, want := range []string{"", "behind", "unread"} {
		if !slices.Contains(faults, want) {
			t.Errorf("no live read failed with %q, but with %q", want, faults)
		}
	}
}
