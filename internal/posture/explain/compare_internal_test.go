// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
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
		there := compared(t, in, other)
		back := compared(t, other, in)
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
		if same := compared(t, in, in); len(same.Changes) > 0 {
			t.Errorf("no change changes %+v", same.Changes)
		}
	})
}

func compared(t *testing.T, before, after posture.Inputs) Comparison {
	t.Helper()
	found, err := Compare(t.Context(), Reading{Inputs: before}, Reading{Inputs: after}, judged)
	if err != nil {
		t.Fatalf("Compare: %v", err)
	}
	return found
}

func TestComparisonEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}}}
	if _, err := Compare(ctx, Reading{Inputs: in}, Reading{Inputs: in}, judged); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
