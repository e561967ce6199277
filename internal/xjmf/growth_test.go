// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// TestPlacesAreLookedUpOnlyForWhatIsTold counts allocations, which do not depend
// on how busy the machine is. A place takes the longer to find the further in the
// document it is: 300 kB full of faults took 20 s when all of them were found.
func TestPlacesAreLookedUpOnlyForWhatIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		item string
		most float64
	}{
		"statuses that are none":           {`<QueueEntry JobID="j" Status="x"/>`, 16},
		"entries that miss something":      {`<QueueEntry JobID="j"/>`, 12},
		"entries without a job":            {`<QueueEntry QueueEntryID="a" Status="Waiting"/>`, 4},
		"details that go with other words": {`<QueueEntry JobID="j" QueueEntryID="a" Status="Completed" StatusDetails="JobMissResources"/>`, 10},
	} {
		const few, many = 100, 900
		each := (readAllocations(t, c.item, many) - readAllocations(t, c.item, few)) / (many - few)
		if each > c.most {
			t.Errorf("%s: %.1f allocations for each, as if its place were looked up", name, each)
		}
	}
}

func readAllocations(t *testing.T, item string, n int) float64 {
	t.Helper()
	body := signal("SignalQueueStatus", "<Queue>"+strings.Repeat(item, n)+"</Queue>")
	document, err := xjdf.Parse([]byte(body), xjdf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return testing.AllocsPerRun(2, func() { _, _ = xjmf.Read(document, start, xjmf.DefaultHorizon()) })
}
