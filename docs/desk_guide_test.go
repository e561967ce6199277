// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/rfq"
)

const deskGuide = "docs/guides/desk.md"

func TestTheDeskGuideHasTheStatesOfAnRFQ(t *testing.T) {
	t.Parallel()
	all := []rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled}
	var want []string
	for _, from := range all {
		var next []string
		for _, to := range all {
			if from.CanBecome(to) {
				next = append(next, string(to))
			}
		}
		if next == nil {
			next = []string{"-"}
		}
		want = append(want, string(from)+" | "+strings.Join(next, " "))
	}
	var got []string
	for _, row := range table(t, deskGuide, "status", "what it means", "may become") {
		got = append(got, row[0]+" | "+row[2])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-code +guide):\n%s", diff)
	}
	days := func(hours float64) string { return fmt.Sprintf("%.0f days have passed", hours/24) }
	for _, text := range []string{days(rfq.ResponseTime.Hours()), days(rfq.Lifetime.Hours())} {
		if !strings.Contains(read(t, deskGuide), text) {
			t.Errorf("the guide does not say %q", text)
		}
	}
}
