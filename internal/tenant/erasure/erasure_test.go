// SPDX-License-Identifier: Apache-2.0

package erasure_test

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
)

func ExampleCounts() {
	counts := erasure.Counts{}
	counts.Add(erasure.Jobs, tenant.Test, 1)
	counts.Add(erasure.RFQs, tenant.Live, 2)
	counts.Add(erasure.RFQs, tenant.Test, 3)
	counts.Add(erasure.Events, tenant.Live, 0)
	fmt.Println(counts)
	fmt.Println(erasure.Counts{})
	// Output:
	// rfqs 2+3, jobs 0+1
	// no records
}

func TestEveryKindIsErasedByOneStep(t *testing.T) {
	t.Parallel()
	seen := map[erasure.Kind]bool{}
	for _, kind := range erasure.Kinds() {
		if kind == "" || seen[kind] {
			t.Errorf("the kind %q is in two steps, or is empty", kind)
		}
		seen[kind] = true
	}
	for _, step := range erasure.Steps {
		if step.Limit < 1 || step.Limit > 500 {
			t.Errorf("a transaction erases up to %d %s, want 1 to 500", step.Limit, step.Kind)
		}
	}
}
