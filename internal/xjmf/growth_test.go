// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// TestPlacesAreLookedUpOnlyForReportedFaults counts allocations, which do not depend on the
// load of the machine. The lookup of a place takes longer the further the place is in the
// document: 300 kB full of faults took 20 s when every place was looked up.
func TestPlacesAreLookedUpOnlyForReportedFaults(t *testing.T) {
	for name, c := range map[string]struct {
		item string
		most float64
	}{
		"invalid statuses":                     {`<QueueEntry JobID="j" Status="x"/>`, 16},
		"entries without a required attribute": {`<QueueEntry JobID="j"/>`, 12},
		"entries without a job":                {`<QueueEntry QueueEntryID="a" Status="Waiting"/>`, 4},
		"details of another status":            {`<QueueEntry JobID="j" QueueEntryID="a" Status="Completed" StatusDetails="JobMissResources"/>`, 10},
	} {
		const few, many = 100, 900
		each := (readAllocations(t, c.item, many) - readAllocations(t, c.item, few)) / (many - few)
		if each > c.most {
			t.Errorf("%s: %.1f allocations for each item, want fewer than a lookup of its place needs", name, each)
		}
	}
}

func readAllocations(t *testing.T, item string, n int) float64 {
	t.Helper()
	body := signal("SignalQueueStatus", "<Queue>"+strings.Repeat(item, n)+"</Queue>")
	document, err := xjdf.Parse([]byte(body), xjdf.Limits{})
	if err != nil {
		t.Fatalf("cannot parse the document: %v", err)
	}
	return testing.AllocsPerRun(2, func() { _, _ = xjmf.Read(document, start, xjmf.DefaultHorizon()) })
}
