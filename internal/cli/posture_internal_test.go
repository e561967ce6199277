// SPDX-License-Identifier: Apache-2.0

package cli

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

func TestAnOpenRequestIsCalledAsTheGatesCallIt(t *testing.T) {
	t.Parallel()
	if open != posture.ReasonOpen.String() {
		t.Errorf("the gates call an open request %s", posture.ReasonOpen)
	}
}

// A change that is undone opens what it closed, at the same times.
func TestAComparisonIsItsOwnOpposite(t *testing.T) {
	t.Parallel()
	opposite := map[effect]effect{effectOpens: effectCloses, effectCloses: effectOpens, effectAlters: effectAlters}
	posturetest.Each(t, func(t *testing.T, g posturetest.Generator, in posture.Inputs) {
		t.Helper()
		other := g.Inputs()
		there := compare(newProber(postureWorld{inputs: in}), newProber(postureWorld{inputs: other}), judged)
		back := compare(newProber(postureWorld{inputs: other}), newProber(postureWorld{inputs: in}), judged)
		lines := func(d postureDiff, turn bool) []string {
			set := map[string]bool{}
			for _, c := range d.Changes {
				if c.Effect == effectAlters || strings.HasPrefix(c.Subject, "scopes") {
					continue
				}
				if turn {
					c.Effect, c.Old, c.New = opposite[c.Effect], c.New, c.Old
				}
				for _, k := range append(c.Keys, "") {
					for _, a := range append(c.Access, "") {
						set[fmt.Sprint(c.Effect, c.Partner, c.Subject, k, a, c.Old, c.New, c.whenText())] = true
					}
				}
			}
			return slices.Sorted(maps.Keys(set))
		}
		if diff := cmp.Diff(lines(there, false), lines(back, true)); diff != "" {
			t.Errorf("there and back:\n%s", diff)
		}
		if same := compare(newProber(postureWorld{inputs: in}), newProber(postureWorld{inputs: in}), judged); len(same.Changes) > 0 {
			t.Errorf("no change changes %+v", same.Changes)
		}
	})
}
