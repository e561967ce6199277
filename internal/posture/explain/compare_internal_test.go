// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

var judged = posturetest.Judged()

func TestResultOpenIsTheReasonOfTheGates(t *testing.T) {
	t.Parallel()
	if open != posture.ReasonOpen.String() {
		t.Errorf("result %q, want the reason %s", open, posture.ReasonOpen)
	}
}

// TestReversedComparisonHasOppositeChanges checks that a reverted change opens what the
// change closed, at the same times.
func TestReversedComparisonHasOppositeChanges(t *testing.T) {
	t.Parallel()
	opposite := map[Effect]Effect{EffectOpens: EffectCloses, EffectCloses: EffectOpens, EffectAlters: EffectAlters}
	posturetest.Each(t, func(t *testing.T, g posturetest.Generator, in posture.Inputs) {
		t.Helper()
		other := g.Inputs()
		there := Compare(Reading{Inputs: in}, Reading{Inputs: other}, judged)
		back := Compare(Reading{Inputs: other}, Reading{Inputs: in}, judged)
		lines := func(d Comparison, turn bool) []string {
			set := map[string]bool{}
			for _, c := range d.Changes {
				if c.Effect == EffectAlters || strings.HasPrefix(c.Subject, "scopes") {
					continue
				}
				if turn {
					c.Effect, c.Old, c.New = opposite[c.Effect], c.New, c.Old
				}
				for _, k := range append(c.Keys, "") {
					for _, a := range append(c.Access, "") {
						set[fmt.Sprint(c.Effect, c.Partner, c.Subject, k, a, c.Old, c.New, c.When())] = true
					}
				}
			}
			return slices.Sorted(maps.Keys(set))
		}
		if diff := cmp.Diff(lines(there, false), lines(back, true)); diff != "" {
			t.Errorf("there and back:\n%s", diff)
		}
		if same := Compare(Reading{Inputs: in}, Reading{Inputs: in}, judged); len(same.Changes) > 0 {
			t.Errorf("no change changes %+v", same.Changes)
		}
	})
}
