// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/posturetest"
)

// TestAnswersAgreeWithTheReport compares the answers to requests with the statuses of
// the objects.
func TestAnswersAgreeWithTheReport(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		p := explain.New(in)
		for _, partner := range posture.Compile(in).Report(posturetest.Judged()).Partners {
			o := p.Find(partner.Name)
			for _, want := range partner.Capabilities {
				var kinds []string
				for _, k := range explain.KeyKinds() {
					answered := p.Answer(o, k.Mode, want.Name, true, posturetest.Judged()).Allowed()
					if answered {
						kinds = append(kinds, string(k.Kind))
					}
				}
				if diff := cmp.Diff(want.KeyKinds, kinds); diff != "" {
					t.Errorf("%s %s (-report +answers):\n%s", partner.Name, want.Name, diff)
				}
				if reason := p.Answer(o, tenant.Live, want.Name, true, posturetest.Judged()).Reason; want.Reason != "" && reason.String() != want.Reason {
					t.Errorf("%s %s: %s, the report has %s", partner.Name, want.Name, reason, want.Reason)
				}
			}
		}
	})
}

// explainable keeps the rollouts to which remedies apply: one rollout of each
// capability, in the namespace of the partners. Remedies apply to one rollout without
// the others and do not move a rollout to another namespace.
func explainable(in posture.Inputs) posture.Inputs {
	seen := map[v1alpha1.CapabilityName]bool{}
	in.Rollouts = slices.DeleteFunc(slices.Clone(in.Rollouts), func(o v1alpha1.CapabilityRollout) bool {
		again := seen[o.Spec.Capability]
		seen[o.Spec.Capability] = true
		return again
	})
	for i := range in.Rollouts {
		in.Rollouts[i].Namespace = in.Partners[0].Namespace
	}
	return in
}

// TestRemediesOpenTheRequestIfPossible checks the order of the remedies, and that they
// open the request wherever the ceiling allows. Explain itself applies each remedy.
func TestRemediesOpenTheRequestIfPossible(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		p := explain.New(explainable(in))
		for _, o := range p.Partners() {
			for c := range posture.Capabilities() {
				for _, kind := range []string{"live", "test"} {
					x := p.Explain(p.Name(o), explain.Question{Capability: c, Keys: kind}, posturetest.Judged())
					checkExplanation(t, x, seen)
				}
			}
		}
	})
	for _, reason := range []posture.Reason{posture.ReasonNoUsableKey, posture.ReasonNoSender, posture.ReasonNoWebhook} {
		if !seen[reason.String()] {
			t.Errorf("no generated request is stopped by %s", reason)
		}
	}
	for rule := range posture.Rules() {
		// No key that is asked about here ends, and every capability is known.
		if rule.Reason != posture.ReasonKeyExpired && rule.Reason != posture.ReasonNoCapability && !seen[rule.Reason.String()] {
			t.Errorf("no generated request is stopped by %s", rule.Reason)
		}
	}
}

func checkExplanation(t *testing.T, x *explain.Explanation, seen map[string]bool) {
	t.Helper()
	first, stops := "", 0
	for _, one := range x.Rules {
		switch one.Outcome {
		case explain.Stops:
			first, stops = one.Reason, stops+1
		case explain.StopsNext:
			if stops == 0 {
				t.Errorf("%s %s: %s stops before the rule that stops", x.Partner, x.Capability, one.Reason)
			}
		}
		if one.Remedy != "" {
			seen[one.Reason] = true
		}
	}
	answer := ""
	for _, a := range x.Answers {
		if a.Keys == x.Keys && a.Access == x.Access {
			answer = a.Reason
		}
	}
	if stops > 1 || first != strings.TrimSuffix(answer, posture.ReasonOpen.String()) {
		t.Errorf("%s %s: answered %s, %d rules stop it: %s", x.Partner, x.Capability, answer, stops, first)
	}
	final := slices.ContainsFunc(x.Rules, func(r explain.Rule) bool {
		return strings.HasPrefix(r.Remedy, "fix ") || strings.Contains(r.Remedy, "does not implement the capability") ||
			strings.Contains(r.Remedy, "package Platform must not have capabilities")
	})
	if x.Possible == final {
		t.Errorf("%s %s %s: possible is %t: %+v", x.Partner, x.Capability, x.Keys, x.Possible, x.Rules)
	}
}

// TestPartnerIsExplainedIndependentlyOfOthers compares the explanation of one partner,
// compiled without unrelated partners, with the explanation by all objects.
func TestPartnerIsExplainedIndependentlyOfOthers(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		in = explainable(in)
		snapshot, whole, now := posture.Compile(in), explain.New(in), posturetest.Judged()
		for i, row := range explain.NewMatrix(snapshot, now).Rows {
			described, found := explain.Of(snapshot, row.Name, now)
			if !found {
				t.Fatalf("Of does not find %s", row.Name)
			}
			for _, of := range described.Explained {
				c, _ := posture.ParseCapability(of.Capability)
				want := whole.Explain(row.Name, explain.Question{Capability: c}, now)
				if diff := cmp.Diff(*want, of.Explanation); diff != "" {
					t.Errorf("%s (-all objects +Of):\n%s", row.Name, diff)
				}
				if diff := cmp.Diff(row.Cell(c), of.Cell); diff != "" {
					t.Errorf("%s, cell %d (-matrix +Of):\n%s", row.Name, i, diff)
				}
			}
		}
	})
	if _, found := explain.Of(nil, "acme", posturetest.Judged()); found {
		t.Error("Of finds a partner in a nil Snapshot")
	}
}

// TestMatrixAgreesWithTheReport compares all cells of the matrix with the report on all
// partners.
func TestMatrixAgreesWithTheReport(t *testing.T) {
	t.Parallel()
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		snapshot, now := posture.Compile(in), posturetest.Judged()
		rows, m := map[posture.ObjectName]explain.Row{}, explain.NewMatrix(snapshot, now)
		for _, row := range m.Rows {
			rows[explain.NameOf(row.Partner)] = row
		}
		for _, want := range snapshot.Report(now).Partners {
			row, found := rows[posture.ObjectName{Namespace: want.Namespace, Name: want.Name}]
			if !found {
				t.Fatalf("%s has no row", want.Name)
			}
			var cells []posture.CapabilityPosture
			for c := range posture.Capabilities() {
				cell := row.Cell(c)
				if cell.Granted {
					cells = append(cells, cell.CapabilityPosture)
				}
				if got := m.Access(row, c); got != cell.Access() {
					t.Errorf("%s %s: access %s, want %s as in the cell", want.Name, c, got, cell.Access())
				}
			}
			if diff := cmp.Diff(want.Capabilities, cells); diff != "" {
				t.Errorf("%s (-report +cells):\n%s", want.Name, diff)
			}
			ready := slices.IndexFunc(want.Conditions, func(c posture.Condition) bool { return c.Type == v1alpha1.ConditionReady })
			if state := row.State(); state != want.Conditions[ready].Reason {
				t.Errorf("%s: state %s, the report has %s", want.Name, state, want.Conditions[ready].Reason)
			}
		}
	})
}

func TestAmbiguousNamesIncludeTheNamespace(t *testing.T) {
	t.Parallel()
	var in posture.Inputs
	for _, place := range [][2]string{{"east", "acme"}, {"west", "acme"}, {"west", "stark"}} {
		var o v1alpha1.PartnerEntitlement
		o.Namespace, o.Name, o.Spec.OrganizationID = place[0], place[1], "org_"+place[0]+place[1]
		in.Partners = append(in.Partners, o)
	}
	snapshot := posture.Compile(in)
	var names []string
	for _, row := range explain.NewMatrix(snapshot, posturetest.Judged()).Rows {
		described, found := explain.Of(snapshot, row.Name, posturetest.Judged())
		if !found || described.Organization != row.Partner.Spec.OrganizationID {
			t.Errorf("Of(%s) describes %s, want %s", row.Name, described.Organization, row.Partner.Spec.OrganizationID)
		}
		names = append(names, row.Name)
	}
	if diff := cmp.Diff([]string{"east/acme", "west/acme", "stark"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range []string{"acme", "west/stark", "north/acme", "", "zeta"} {
		if _, found := explain.Of(snapshot, name, posturetest.Judged()); found {
			t.Errorf("there is a partner %q", name)
		}
	}
}
